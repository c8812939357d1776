"""Which blocks each schedule joins, against reductions of lists, and against JAX's recursion written down."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.covering.schedules import DOWN, SCHEDULES, check_schedule, level_name, node_table, nodes
from seqbench.errors import UnknownNameError
from tests.covering.oracle import JOINS, associative_scan, joins, root_cut

# How the last prefix, the whole word, is bracketed by an associative scan; symbols are numbered 0 to f.
BRACKETINGS = [
    "0",
    "(01)",
    "((01)2)",
    "((01)(23))",
    "(((01)(23))4)",
    "(((01)(23))(45))",
    "((((01)(23))(45))6)",
    "(((01)(23))((45)(67)))",
    "((((01)(23))((45)(67)))8)",
    "((((01)(23))((45)(67)))(89))",
    "(((((01)(23))((45)(67)))(89))a)",
    "((((01)(23))((45)(67)))((89)(ab)))",
    "(((((01)(23))((45)(67)))((89)(ab)))c)",
    "(((((01)(23))((45)(67)))((89)(ab)))(cd))",
    "((((((01)(23))((45)(67)))((89)(ab)))(cd))e)",
    "((((01)(23))((45)(67)))(((89)(ab))((cd)(ef))))",
]


def listed(found):
    return list(zip(found.level.tolist(), found.start.tolist(), found.left.tolist(), found.right.tolist(), strict=True))


@pytest.mark.parametrize("min_width", [1, 2, 3])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_nodes_are_those_of_the_reduction_in_the_order_of_evaluation(schedule, min_width):
    for length in [*range(70), 127, 128, 129, 500, 1000]:
        assert listed(nodes(schedule, length, min_width)) == joins(schedule, length, min_width), length


@pytest.mark.parametrize("length", range(1, 17))
def test_scan_brackets_as_jax_does(length):
    written = associative_scan(lambda a, b, _: f"({a}{b})", list("0123456789abcdef"[:length]))
    assert written[-1] == BRACKETINGS[length - 1]
    assert [each.replace("(", "").replace(")", "") for each in written] == [
        "0123456789abcdef"[: i + 1] for i in range(length)
    ]
    brackets = {(i, 1): "0123456789abcdef"[i] for i in range(length)}
    for _, start, left, right in listed(nodes("scan", length)):
        brackets[start, left + right] = f"({brackets[start, left]}{brackets[start + left, right]})"
    assert [brackets[0, i + 1] for i in range(length)] == written


@pytest.mark.parametrize("schedule", SCHEDULES)
@given(length=st.integers(0, 3000))
def test_every_node_joins_blocks_that_were_joined_before(schedule, length):
    known = {(i, 1) for i in range(length)}
    for _, start, left, right in listed(nodes(schedule, length)):
        assert (start, left) in known
        assert (start + left, right) in known
        assert (start, left + right) not in known
        known.add((start, left + right))
    assert length == 0 or (0, length) in known
    assert (schedule != "scan") or {(0, i + 1) for i in range(length)} <= known


@given(length=st.integers(2, 10**5))
def test_the_root_of_the_tree_splits_at_the_largest_power_of_two(length):
    found = nodes("tree", length)
    assert len(found.level) == length - 1
    assert (found.start[-1], found.left[-1], found.right[-1]) == (0, root_cut(length), length - root_cut(length))


def test_levels_of_the_tree_tell_the_width():
    found = nodes("tree", 1000)
    assert (found.left == 1 << found.level - 1).all()
    assert (found.right <= found.left).all()


def test_levels_have_distinct_names():
    for schedule in SCHEDULES:
        levels = sorted({level for length in (3, 64, 100) for level, *_ in JOINS[schedule](length)})
        assert len({level_name(schedule, level) for level in levels}) == len(levels)
    assert level_name("scan", DOWN + 3) == "prefixes with 4"


def test_an_unknown_schedule_names_the_nearest():
    with pytest.raises(UnknownNameError, match="tree"):
        check_schedule("trees")
    with pytest.raises(UnknownNameError, match="scan"):
        nodes("blelloch", 3)


@pytest.mark.parametrize("min_width", [1, 2, 3])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_table_of_nodes_holds_those_of_every_length(schedule, min_width):
    """Those that last are there from their end on, the others in words that end with them."""
    longest = 70
    rows = list(zip(*(column.tolist() for column in node_table(schedule, longest, min_width)), strict=True))
    for length in range(longest + 1):
        ends = [(start + left + right, start, left, right, lasts) for start, left, right, lasts in rows]
        there = [row[1:4] for row in ends if row[0] == length or (row[4] and row[0] < length)]
        assert len(set(there)) == len(there)
        assert set(there) == {(start, u, v) for _, start, u, v in joins(schedule, length, min_width)}, length
