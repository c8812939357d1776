"""Which compositions can occur at all, against listing words, and against sets of reachable states at any length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.covering.expected import Task, expected_counts
from seqbench.covering.possible import Compositions, possible, union
from seqbench.covering.schedules import SCHEDULES
from tests.covering.oracle import all_words, joins, language, lengths_of, task_of
from tests.covering.test_tally import all_maps


def sets_of(found):
    return {level: set(each.keys().tolist()) for level, each in found.items() if len(each)}


@pytest.mark.parametrize("min_width", [1, 2])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_possible_is_what_some_word_shows(dataset, schedule, min_width):
    task, everything = task_of(dataset, schedule, min_width), {}
    for length in lengths_of(dataset):
        words, listed = all_words(dataset, length), {}
        for level, keys in zip(*words.keys(schedule, min_width), strict=True):
            listed.setdefault(level, set()).update(np.unique(keys[words.labels >= 0]).tolist())
        assert sets_of(possible(task, np.array([length]))) == listed
        for level, keys in listed.items():
            everything.setdefault(level, set()).update(keys)
    found = possible(task, np.array(lengths_of(dataset)))
    assert sets_of(found) == everything
    assert set(union(found).keys().tolist()) == set().union(*everything.values())
    assert {level: len(each) for level, each in found.items()} == {k: len(keys) for k, keys in everything.items()}


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_possible_is_where_the_expected_count_is_positive(dataset, schedule):
    task = task_of(dataset, schedule)
    lengths = np.array(lengths_of(dataset))
    count = expected_counts(task, {"uniform": 1.0}, lengths, np.full(len(lengths), 1 / len(lengths)))
    assert sets_of(possible(task, lengths)) == {k: set(np.flatnonzero(each).tolist()) for k, each in count.items()}


def by_sets(task, length):
    """Compositions by level at one length, from sets of states that prefixes reach and suffixes need."""
    machine, monoid = task.machine, task.monoid
    before, behind, classes = [np.arange(machine.num_states) == 0], [task.outputs >= 0], [np.arange(len(monoid)) == 0]
    for _ in range(length):
        after = np.zeros(machine.num_states, dtype=bool)
        after[machine.transitions[before[-1]]] = True
        before.append(after)
        behind.append(behind[-1][machine.transitions].any(axis=1))
        grown = np.zeros(len(monoid), dtype=bool)
        grown[monoid.right[classes[-1]]] = True
        classes.append(grown)
    found = {}
    for level, start, u, v in joins(task.schedule, length, task.min_width):
        starts, ends = np.flatnonzero(before[start]), behind[length - start - u - v]
        completed = ends[monoid.maps[:, starts]].any(axis=1)  # by class of the joined block
        there = np.outer(classes[u], classes[v]) & completed[monoid.product_table]
        found[level] = found.get(level, False) | there
    return found


@pytest.mark.parametrize("length", [16, 41, 63, 500])
def test_possible_is_exact_at_long_lengths(dataset, length):
    if language(dataset).machine.outputs.min() < 0 and length % 2 == 0:
        length += 1  # expressions have odd lengths
    task = task_of(dataset)
    found, expected = possible(task, np.array([length])), by_sets(task, length)
    assert sets_of(found) == {level: set(np.flatnonzero(each).tolist()) for level, each in expected.items()}


def after_a_one():
    """Are all symbols 1? Words that begin with 0 are outside the domain: every second word."""
    table, outputs = [[3, 1], [2, 1], [2, 2], [3, 3]], [-1, 1, 0, -1]
    machine = Machine.build("01", table, outputs)
    return Task(machine, Monoid.of(machine), machine.outputs)


@pytest.mark.parametrize("length", [2, 3, 64, 500, 1100, 2048])
def test_possible_holds_what_a_single_word_shows(length):
    """The word of 1s alone is one of 2^2048; its compositions occur all the same."""
    task = after_a_one()
    found, expected = possible(task, np.array([length])), by_sets(task, length)
    assert sets_of(found) == {level: set(np.flatnonzero(each).tolist()) for level, each in expected.items()}


@pytest.mark.parametrize("schedule", ["scan", "left"])
@pytest.mark.parametrize("name", ["dyck_d4", "modular_arithmetic_l2r"])
def test_possible_is_exact_at_middle_lengths_for_the_other_schedules(name, schedule):
    task = task_of(name, schedule)
    found, expected = possible(task, np.array([41])), by_sets(task, 41)
    assert sets_of(found) == {level: set(np.flatnonzero(each).tolist()) for level, each in expected.items()}


@pytest.mark.parametrize("length", [901, 1501])
def test_possible_is_known_at_lengths_whose_words_are_rare(length):
    """Of 8^1501 words one in 10^474 is an expression."""
    task = task_of("modular_arithmetic_l2r")
    found, expected = possible(task, np.array([length])), by_sets(task, length)
    assert sets_of(found) == {level: set(np.flatnonzero(each).tolist()) for level, each in expected.items()}


@pytest.mark.parametrize("name", ["dyck_d2", "modular_arithmetic_l2r"])
@pytest.mark.parametrize("lengths", [[], [1], [2], [1, 2, 3, 4]])
def test_lengths_without_joins_or_without_words_add_nothing(name, lengths):
    """Expressions have odd lengths; data may hold words of the others all the same."""
    task = task_of(name)
    there = [n for n in lengths if (all_words(name, n).labels >= 0).any()]
    expected = {}
    for length in there:
        words = all_words(name, length)
        for level, keys in zip(*words.keys("tree"), strict=True):
            expected.setdefault(level, set()).update(keys[words.labels >= 0].tolist())
    assert sets_of(possible(task, np.array(lengths, dtype=np.int64))) == expected


masks = st.integers(1, 6).flatmap(
    lambda size: st.tuples(
        st.just(size),
        st.lists(st.tuples(*[st.lists(st.booleans(), min_size=size, max_size=size)] * 2), min_size=1, max_size=5),
    )
)


@given(masks)
def test_overlapping_rectangles_are_a_set(drawn):
    size, pairs = drawn
    found = Compositions(size, [(np.array(lefts), np.array(rights)) for lefts, rights in pairs])
    expected = sorted({a * size + b for ls, rs in pairs for a in range(size) for b in range(size) if ls[a] and rs[b]})
    everything = np.arange(size * size)
    assert found.keys().tolist() == expected
    assert len(found) == len(expected)
    assert everything[found.contains(everything)].tolist() == expected
    table = np.isin(everything, expected).reshape(size, size)
    as_table = Compositions(size, table=table)
    assert (len(as_table), as_table.keys().tolist()) == (len(expected), expected)
    assert as_table.contains(everything).tolist() == found.contains(everything).tolist()


def test_no_rectangle_is_the_empty_set():
    for found in (Compositions(3), union({}), union({1: Compositions(3)})):
        assert found.keys().tolist() == []
        assert not found.contains(np.array([0, 4])).any() if found.size else True
        assert len(found) == 0


@given(st.lists(masks, min_size=1, max_size=4), st.booleans())
def test_a_union_holds_what_any_part_holds(drawn, as_table):
    size = 6
    parts, expected = {}, set()
    for level, (small, pairs) in enumerate(drawn):
        pad = [False] * (size - small)
        each = Compositions(size, [(np.array([*lefts, *pad]), np.array([*rights, *pad])) for lefts, rights in pairs])
        expected |= set(each.keys().tolist())
        table = np.isin(np.arange(size * size), each.keys()).reshape(size, size)
        parts[level] = Compositions(size, table=table) if as_table else each
    found = union(parts)
    assert found.keys().tolist() == sorted(expected)
    assert len(found) == len(expected)


def test_a_big_monoid_is_counted_without_a_table_of_pairs():
    """46,656 classes have 2.2 thousand million pairs; their number follows from the rectangles."""
    lang = all_maps()
    for schedule, lengths in (("tree", np.arange(1, 20)), ("scan", np.arange(1, 20)), ("left", np.arange(1, 20))):
        task = Task(lang.machine, lang.monoid, lang.machine.outputs, schedule)
        found, reach = possible(task, lengths), [lang.monoid.reach(n) for n in range(20)]
        for level, each in found.items():
            shapes = {(u, v) for n in lengths for at, _, u, v in joins(schedule, n) if at == level}
            number = 0  # left classes one by one: their right classes are those of all widths that go with them
            widths = sorted({u for u, _ in shapes})
            patterns = np.array([reach[u] for u in widths])
            kinds, many = np.unique(patterns, axis=1, return_counts=True)
            for kind, times in zip(kinds.T, many, strict=True):
                rights = [reach[v] for u, v in shapes if kind[widths.index(u)]]
                number += int(times) * int(np.any(rights, axis=0).sum()) if rights else 0
            assert len(each) == number
            key = np.array([int(np.flatnonzero(reach[u])[-1]) * len(lang.monoid) + int(np.flatnonzero(reach[v])[0])
                            for u, v in shapes])  # fmt: skip
            assert each.contains(key).all()
            if level == 1 and schedule == "tree":
                assert not each.contains(np.zeros(1, dtype=np.int64)).any()  # no letter is the identity
