"""Multi-query associative recall, induction and selective copying: form, labels, distribution, bad input."""

import itertools
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import seqbench
from seqbench.catalogue.reader import open_catalogue
from seqbench.errors import InputError, TooLargeError
from seqbench.generation import streams as rng
from seqbench.generation.plan import plan
from seqbench.generation.tasks import TASKS

KINDS = ("mqar", "induction", "selective_copy")
DATASETS = [name for name in open_catalogue().datasets if name.startswith(KINDS)]


def task(kind, **options):
    return TASKS[kind].build(TASKS[kind].check(options))


def rows(made, length, n):
    columns = made.draw(np.full(n, length), rng.row_streams(rng.unit_key("tests", length), np.arange(n)))
    return [np.array(columns[name].to_pylist()) for name in ("input_ids", "labels")]


def uniform(counts, outcomes):
    assert len(counts) <= outcomes
    return stats.chisquare([*counts.values()] + [0] * (outcomes - len(counts))).pvalue > 1e-6


def last_time(ids, pairs):
    """For each position after the pairs: what followed the same symbol there."""
    labels = [-100] * len(ids)
    for place, place_before in itertools.product(range(2 * pairs, len(ids)), range(0, 2 * pairs, 2)):
        if ids[place] == ids[place_before]:
            labels[place] = ids[place_before + 1]
    return labels


@pytest.mark.parametrize("filler", ["random", "blank"])
@pytest.mark.parametrize(("vocabulary", "pairs", "length"), [(4, 1, 4), (20, 3, 13), (20, 9, 36), (8192, 16, 200)])
def test_mqar_rows_have_the_documented_form(vocabulary, pairs, length, filler):
    made = task("mqar", vocabulary=vocabulary, pairs=pairs, filler=filler)
    ids, labels = rows(made, length, 200)
    keys, values, rest = ids[:, : 2 * pairs : 2], ids[:, 1 : 2 * pairs : 2], ids[:, 2 * pairs :]
    assert keys.min() >= 1
    assert keys.max() < vocabulary // 2 <= values.min()
    assert values.max() < vocabulary
    for row in range(len(ids)):
        assert len(set(keys[row])) == len(set(values[row])) == pairs
        asked = np.flatnonzero(labels[row] != -100) - 2 * pairs
        assert (asked % 2 == 0).all()
        assert sorted(rest[row][asked]) == sorted(keys[row])
        other = np.delete(rest[row], asked)
        assert not np.isin(other, keys[row]).any()
        assert filler == "random" or (other == 0).all()
        assert labels[row].tolist() == last_time(ids[row].tolist(), pairs)


def test_mqar_keys_and_values_are_uniform_sequences():
    ids, _ = rows(task("mqar", vocabulary=9, pairs=2), 9, 40_000)
    assert uniform(Counter(map(tuple, ids[:, [0, 2]])), 3 * 2)
    assert uniform(Counter(map(tuple, ids[:, [1, 3]])), 5 * 4)
    assert stats.chi2_contingency(table_of(ids[:, 0], ids[:, 1])).pvalue > 1e-6


def test_mqar_filler_is_uniform_over_all_but_the_keys():
    ids, labels = rows(task("mqar", vocabulary=8, pairs=2), 13, 40_000)
    for keys in itertools.permutations((1, 2, 3), 2):
        chosen = (ids[:, [0, 2]] == keys).all(axis=1)
        for place in (5, 12):
            filler = ids[chosen & (labels[:, place] == -100), place]
            assert set(filler) == set(range(8)) - set(keys)
            assert uniform(Counter(filler), 6)


@pytest.mark.parametrize("power", [0.0, 0.01, 0.6, 1.0])
def test_mqar_queries_take_free_slots_by_the_power_law(power):
    pairs, length = 3, 17
    ids, _ = rows(task("mqar", vocabulary=100, pairs=pairs, power=power, filler="blank"), length, 40_000)
    slots = ids[:, 2 * pairs :: 2][:, : (length - 2 * pairs) // 2]
    places = np.stack([np.argmax(slots == ids[:, [2 * i]], axis=1) for i in range(pairs)], axis=1)
    weight = np.arange(1, slots.shape[1] + 1) ** (power - 1.0)
    chances = {
        order: np.prod([weight[slot] / (weight.sum() - weight[list(order[:i])].sum()) for i, slot in enumerate(order)])
        for order in itertools.permutations(range(slots.shape[1]), pairs)
    }
    counts = Counter(map(tuple, places.tolist()))
    assert (
        stats.chisquare([counts[order] for order in chances], [chances[order] * 40_000 for order in chances]).pvalue
        > 1e-6
    )


def table_of(one, other):
    table = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(table, (one, other), 1)
    return table[table.any(axis=1)][:, table.any(axis=0)]


def test_induction_marks_every_place_alike_and_asks_for_what_followed():
    length = 6
    ids, labels = rows(task("induction", vocabulary=4), length, 50_000)
    assert uniform(Counter(map(tuple, ids.tolist())), (length - 2) * 3 ** (length - 2))
    for row in range(200):
        text = "".join(map(str, ids[row]))
        first, second = text.index("3"), text.rindex("3")
        assert (text.count("3"), second) == (2, length - 1)
        assert labels[row].tolist() == [-100] * (length - 1) + [int(text[first + 1])]


def test_selective_copy_is_uniform_over_places_and_symbols():
    length, copied = 10, 2
    ids, labels = rows(task("selective_copy", vocabulary=5, copied=copied), length, 50_000)
    assert uniform(Counter(map(tuple, ids.tolist())), 21 * 3**copied)  # 7 places, 2 of them
    for row in range(200):
        words = "".join(map(str, ids[row])).split("4")
        assert words[1] == "33"
        assert labels[row].tolist() == [-100] * (length - copied) + [int(x) for x in words[0].replace("3", "")]


@pytest.mark.parametrize("name", DATASETS)
def test_datasets_are_right_and_rows_do_not_depend_on_other_lengths(name):
    planned = plan(name)
    longest = planned.splits["test"].split.lengths[-1]
    for split, part in planned.splits.items():
        table = pa.Table.from_batches([planned.block(split, part.num_blocks - 1)]).slice(0, 50)
        planned.task.check(table)
        assert set(map(len, table["input_ids"].to_pylist())) <= set(part.split.lengths.tolist())
    options = {"train_examples": 0, "validation_examples": 0, "test_examples_per_length": 4}
    alone = plan(name, test_lengths=int(longest), **options).block("test", 0)
    more = plan(name, test_lengths=(int(longest) - 9, int(longest) + 3), **options).block("test", 0)
    assert more.slice(36, 4).to_pylist() == alone.to_pylist()
    assert Counter(map(len, more["input_ids"].to_pylist())) == dict.fromkeys(range(longest - 9, longest + 4), 4)


@pytest.mark.parametrize("kind", KINDS)
def test_smallest_length_and_one_below(kind):
    made = task(kind)
    assert np.flatnonzero(made.admits(100))[0] == made.shortest
    made.check(pa.table(made.draw(np.full(20, made.shortest), rng.row_streams(rng.unit_key("small"), np.arange(20)))))
    with pytest.raises(InputError, match=f"from {made.shortest} on"):
        plan(kind, test_lengths=made.shortest - 1).splits  # noqa: B018


@pytest.mark.parametrize("kind", KINDS)
def test_check_finds_wrong_labels(kind):
    made = task(kind)
    columns = made.draw(np.full(3, 64), rng.row_streams(rng.unit_key("wrong"), np.arange(3)))
    columns["labels"] = pa.array([[*row[1:], row[0]] for row in columns["labels"].to_pylist()], pa.list_(pa.int32()))
    with pytest.raises(InputError, match="Row 0"):
        made.check(pa.table(columns))


def test_solve_takes_rows_of_users():
    assert seqbench.solve("induction", [1, 15, 7, 2, 15]) == [-100, -100, -100, -100, 7]
    row = [1, 5000, 2, 6000, 3, 7000, 4, 8000, 9, 3, 3, *range(100, 105)]
    assert seqbench.solve("mqar", np.array([row]))[0][8:] == [-100, 7000, 7000, *[-100] * 5]


@pytest.mark.parametrize(
    ("kind", "inputs", "message"),
    [
        ("mqar", [[1, 5000, 1, 6000, 3, 7000, 4, 8000, *[0] * 8]], "Give different ones"),
        ("mqar", [[1, 2, 3, 4, 5, 6, 7, 8, *[0] * 8]], "values"),
        ("mqar", [[1, 5000]], "too short"),
        ("mqar", "1 2 3", "no list of rows"),
        ("mqar", ["1 2 3"], "no row"),
        ("induction", [[1, 2, 16]], "from 0 to 15"),
        ("induction", [[15, 15, 1, 15]], "3 times"),
        ("induction", [[1, 15, 15]], "in between"),
        ("induction", [[1.5, 15, 2, 15]], "cannot be used"),
        ("selective_copy", [[0] * 40], "must hold 16"),
    ],
)
def test_malformed_rows_are_refused(kind, inputs, message):
    with pytest.raises(InputError, match=message):
        task(kind).solve(inputs)


def test_bad_parameters_are_refused():
    with pytest.raises(TooLargeError, match="200,000"):
        task("mqar").admits(10**6)
    with pytest.raises(InputError, match="at least 22"):
        task("mqar", vocabulary=20, pairs=10)
    for kind, options in (
        ("mqar", {"power": 1.5}),
        ("induction", {"vocabulary": 2}),
        ("selective_copy", {"copied": 0}),
    ):
        with pytest.raises(InputError, match=next(iter(options))):
            task(kind, **options)
