"""ListOps: lengths, the node rule within a length, values, balance, precision, bad input."""

import itertools
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import seqbench
from seqbench.catalogue.reader import open_catalogue
from seqbench.dataset.overview import overview
from seqbench.errors import InputError, TooLargeError, UnknownNameError
from seqbench.generation import streams as rng
from seqbench.generation.plan import plan
from seqbench.generation.tasks import TASKS
from seqbench.generation.tasks.listops import expand, weights

DATASETS = [name for name in open_catalogue().datasets if name.startswith("listops")]
QUARTER = Fraction(1, 4)


def task(**options):
    kind = TASKS["listops"]
    return kind.build(kind.check(options))


def rows(made, length, n, unit="tests"):
    columns = made.draw(np.full(n, length), rng.row_streams(rng.unit_key(unit, length), np.arange(n)))
    return pa.table(columns)


def python_value(tokens):
    """The value by recursion on Python lists."""
    token = next(tokens)
    if token < 10:
        return token
    members = []
    while (member := python_value_or_end(tokens)) is not None:
        members.append(member)
    members.sort()
    middle = (members[(len(members) - 1) // 2] + members[len(members) // 2]) / 2
    return [members[0], members[-1], int(middle), sum(members) % 10][token - 10]


def python_value_or_end(tokens):
    head = next(tokens)
    return None if head == 14 else python_value(itertools.chain([head], tokens))


@cache
def shapes(length, levels, max_args):
    """Every expression of a length with d for digits and o for operators, with its chance under the rule."""
    found = {}
    if length == 1:
        found["d"] = 1 if levels == 1 else 1 - QUARTER
    if levels > 1 and length > 3:
        for k in range(2, max_args + 1):
            for text, chance in lists(length - 2, k, levels - 1, max_args).items():
                found[f"o{text}]"] = chance * QUARTER / (max_args - 1)
    return found


@cache
def lists(length, members, levels, max_args):
    if members == 0:
        return {"": Fraction(1)} if length == 0 else {}
    found = {}
    for first in range(1, length + 1):
        for one, one_chance in shapes(first, levels, max_args).items():
            for rest, chance in lists(length - first, members - 1, levels, max_args).items():
                found[one + rest] = one_chance * chance
    return found


def p_of(counts, chances):
    total = sum(counts.values())
    expected = {key: float(chance) * total for key, chance in chances.items()}
    assert counts.keys() <= chances.keys()
    kept = [key for key in expected if expected[key] >= 5]
    observed, wanted = [counts[key] for key in kept], [expected[key] for key in kept]
    rare = total - sum(wanted)
    if rare > 5:
        observed, wanted = [*observed, total - sum(observed)], [*wanted, rare]
    return (
        1.0 if len(wanted) < 2 else stats.chisquare(observed, np.array(wanted) * (sum(observed) / sum(wanted))).pvalue
    )


def shape_of(ids):
    return "".join("d" if token < 10 else "]" if token == 14 else "o" for token in ids)


@pytest.mark.parametrize(("max_args", "max_depth", "length"), [(3, 3, 13), (2, 4, 16), (4, 5, 14), (5, 9, 12)])
@pytest.mark.parametrize("margin", [expand.MARGIN, np.inf])
def test_within_a_length_expressions_have_their_chance_under_the_node_rule(
    max_args, max_depth, length, margin, monkeypatch
):
    monkeypatch.setattr(expand.expand, "__defaults__", (margin,))
    table = rows(task(max_args=max_args, max_depth=max_depth), length, 40_000)
    chances = shapes(length, max_depth, max_args)
    whole = sum(chances.values())
    found = Counter(map(shape_of, table["input_ids"].to_pylist()))
    assert p_of(found, {shape: chance / whole for shape, chance in chances.items()}) > 1e-6


def test_digits_and_operators_are_uniform_and_independent_of_place():
    table = rows(task(max_args=5, max_depth=9), 60, 4000)
    ids = np.concatenate(table["input_ids"].to_numpy())
    digits, operators = np.bincount(ids, minlength=15)[:10], np.bincount(ids, minlength=15)[10:14]
    assert stats.chisquare(digits).pvalue > 1e-6
    assert stats.chisquare(operators).pvalue > 1e-6
    pairs = np.zeros((10, 10))
    digit = ids < 10
    both = digit[1:] & digit[:-1]
    np.add.at(pairs, (ids[:-1][both], ids[1:][both]), 1)
    assert stats.chi2_contingency(pairs).pvalue > 1e-6


@pytest.mark.parametrize("rule", [(3, 9), (10, 10), (2, 20), (5, 20)])
@pytest.mark.parametrize("length", [4, 40, 301, 1501])
def test_values_equal_the_oracles_at_every_size(rule, length):
    made = task(max_args=rule[0], max_depth=rule[1])
    if not made.admits(length)[length]:
        pytest.skip("no such length")
    table = rows(made, length, 40)
    made.check(table)
    for row in table.to_pylist():
        assert len(row["input_ids"]) == length
        assert python_value(iter(row["input_ids"])) == row["label"] == made.solve(row["input_ids"])
        assert made.solve(made.show(row)["input_ids"]) == row["label"]


def test_fast_and_exact_choices_agree(monkeypatch):
    made = task(max_args=10, max_depth=10)
    fast = rows(made, 800, 50)
    monkeypatch.setattr(expand.expand, "__defaults__", (np.inf,))
    assert rows(made, 800, 50) == fast


def test_weights_equal_exact_rational_ones_to_100_bits():
    max_args, levels, chance, longest = 4, 5, 0.3, 60
    made = weights.weights((max_args, levels, chance), longest)
    tilt = Fraction(weights._tilt((max_args, levels, chance)), weights.TILT_STEPS)
    tree = {1: Fraction(1)}
    for d in range(1, levels):
        power = {0: Fraction(1)}
        total = Counter()
        for k in range(1, max_args + 1):
            product = Counter()
            for (a, x), (b, y) in itertools.product(power.items(), tree.items()):
                if a + b <= longest:
                    product[a + b] += x * y
            power = dict(product)
            for n, exact in power.items():
                given = Fraction(made.high[d, k, n]) + Fraction(made.low[d, k, n])
                assert abs(given / (exact * tilt**n) - 1) < Fraction(1, 2**98)
                if k > 1 and n + 2 <= longest:
                    total[n + 2] += exact * Fraction(chance) / (max_args - 1)
        tree = {1: 1 - Fraction(chance), **total}
    assert np.flatnonzero(made.trees[: longest + 1]).tolist() == sorted(tree)


@pytest.mark.parametrize("rule", [(2, 3), (2, 5), (3, 3), (3, 4), (7, 3), (24, 2)])
def test_admitted_lengths_are_those_that_trees_have(rule):
    reach = {1}
    for _ in range(rule[1] - 1):
        sums = {0}
        found = {1}
        for k in range(1, rule[0] + 1):
            sums = {a + b for a in sums for b in reach if a + b <= 300}
            found |= {s + 2 for s in sums} if k > 1 else set()
        reach = found
    assert set(np.flatnonzero(task(max_args=rule[0], max_depth=rule[1]).admits(256))) == {n for n in reach if n <= 256}


def test_balanced_labels_are_uniform_and_expressions_keep_their_chance():
    balanced = rows(task(max_args=3, max_depth=3, labels="balanced"), 8, 30_000)
    labels = balanced["label"].to_numpy()
    assert stats.chisquare(np.bincount(labels, minlength=10)).pvalue > 1e-6
    natural = rows(task(max_args=3, max_depth=3), 8, 60_000, unit="others")
    for label in (0, 4, 9):
        mine, other = (
            Counter(
                shape_of(row["input_ids"]) + str(row["input_ids"][0])
                for row in table.to_pylist()
                if row["label"] == label
            )
            for table in (balanced, natural)
        )
        keys = sorted(mine.keys() | other.keys())
        assert stats.chi2_contingency([[mine[key] + 1 for key in keys], [other[key] + 1 for key in keys]]).pvalue > 1e-6


def test_balanced_labels_do_not_depend_on_the_length():
    made = task(max_args=5, max_depth=20, labels="balanced")
    shares = [np.bincount(rows(made, n, 4000)["label"].to_numpy(), minlength=10) for n in (1, 4, 20, 101)]
    assert stats.chi2_contingency(shares).pvalue > 1e-6
    planned = plan("listops_original", labels="balanced", train_examples=20_000)
    assert stats.chisquare(np.bincount(planned.block("train", 0)["label"].to_numpy(), minlength=10)).pvalue > 1e-6


def test_rows_of_a_length_do_not_depend_on_other_lengths():
    options = {"train_examples": 0, "validation_examples": 0, "test_examples_per_length": 8}
    few = plan("listops_a3_d9", test_lengths=(60, 61), **options).block("test", 0)
    many = plan("listops_a3_d9", test_lengths=(10, 700), **options)
    blocks = pa.Table.from_batches([many.block("test", i) for i in range(many.splits["test"].num_blocks)])
    start = 8 * (60 - 10)
    assert blocks.slice(start, 16).to_pylist() == few.to_pylist()
    lengths = Counter(map(len, blocks["input_ids"].to_pylist()))
    assert lengths == dict.fromkeys(range(10, 701), 8)


@pytest.mark.parametrize("name", DATASETS)
def test_datasets_are_right_and_within_their_lengths(name):
    planned = plan(name)
    for split, part in planned.splits.items():
        table = pa.Table.from_batches([planned.block(split, part.num_blocks - 1)])
        table = table.slice(0, 200)
        planned.task.check(table)
        assert set(map(len, table["input_ids"].to_pylist())) <= set(part.split.lengths.tolist())


@pytest.mark.parametrize("name", DATASETS)
def test_shortcuts_are_measured_at_lengths_of_the_dataset(name):
    planned = plan(name, train_examples=60, validation_examples=0, test_examples_per_length=1)
    found, splits = overview(planned)["shortcuts"], planned.splits.values()
    lengths = {f"length {length}" for part in splits for length in part.split.lengths.tolist()}
    assert found.keys() <= lengths
    assert all(0.1 < each["majority_score"] <= each["root_operator_score"] < 0.5 for each in found.values())


def test_check_finds_wrong_rows():
    made = task(max_args=3, max_depth=4)
    table = rows(made, 12, 3)
    wrong = table.set_column(1, "label", pa.array((table["label"].to_numpy() + 1) % 10))
    with pytest.raises(InputError, match="Row 0"):
        made.check(wrong)
    with pytest.raises(InputError, match="Row 0"):
        task(max_args=2, max_depth=2).check(rows(task(max_args=5, max_depth=2), 7, 1))


def test_solve_follows_the_documented_conventions():
    assert seqbench.solve("listops_lra", "[MED 1 2 ]") == 1  # the half of 1.5 is cut off
    assert seqbench.solve("listops_lra", ["[SM 9 9 9 ]", "7", "( ( ( [MAX 2 ) [MIN 4 7 ] ) ] )"]) == [7, 7, 4]
    assert seqbench.solve("listops_lra", [12, 8, 9, 0, 2, 14]) == 5
    assert seqbench.solve("listops_lra", [np.array([12, 5, 14])]) == [5]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ("[MAX 2 9", "1 operators open"),
        ("", "nothing at all"),
        ("[MAX ]", "without arguments"),
        ("2 ]", "goes on"),
        ("]", "closes nothing"),
        ([[15]], "from 0 to 14"),
        ([[1.5]], "from 0 to 14"),
        (7, "no list of expressions"),
        ([None], "no expression"),
    ],
)
def test_malformed_expressions_are_refused(inputs, message):
    with pytest.raises(InputError, match=message):
        task().solve(inputs)


def test_unknown_tokens_and_bad_parameters_are_refused():
    with pytest.raises(UnknownNameError, match=r"\[MIN"):
        task().solve("[MINI 2 3 ]")
    for options in ({"max_args": 1}, {"max_depth": 1}, {"operator_probability": 1.0}, {"labels": "even"}):
        with pytest.raises(InputError, match=next(iter(options))):
            task(**options)
    with pytest.raises(InputError, match=r"1, 4, 5 and all from 7"):
        plan("listops_a3_d9", train_lengths=(2, 3)).splits  # noqa: B018
    with pytest.raises(TooLargeError, match=r"10,000"):
        task().admits(10_001)
    with pytest.raises(TooLargeError, match="too rare"):
        task(max_args=3, max_depth=8).admits(4300)
