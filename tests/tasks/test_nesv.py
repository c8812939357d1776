"""FIRST, MAJORITY, INDEX, PARITY: labels, laws and banks against the definitions, written here anew."""

import itertools
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare

from seqbench.errors import InputError, UnknownNameError
from seqbench.generation.plan import plan
from seqbench.languages import solve

NAMES = ["nesv_first", "nesv_majority", "nesv_index", "nesv_parity"]
PUBLISHED = [51, 103, 153, 255, 409, 511]


def rows_of(planned, split):
    part = planned.splits[split]
    return pa.Table.from_batches([part.block(index) for index in range(part.num_blocks)]).to_pylist()


def parted(name, ids):
    """The bits and the index (or None)."""
    return (ids[:-1], ids[-1] - 1) if name == "nesv_index" else (ids, None)


def oracle(name, ids):
    text = "".join(map(str, parted(name, ids)[0]))
    if name == "nesv_first":
        return int(text.startswith("1"))
    if name == "nesv_majority":
        return int("".join(sorted(text))[len(text) // 2])  # the median bit
    if name == "nesv_index":
        return int(text[ids[-1] - 2])
    return len(text.replace("0", "")) & 1


@pytest.mark.parametrize("name", NAMES)
def test_labels_lengths_and_sizes(name):
    planned = plan(name, train_examples=3000, validation_examples=100)
    for split in planned.splits:
        rows = rows_of(planned, split)
        lengths = Counter(len(parted(name, row["input_ids"])[0]) for row in rows)
        assert all(row["label"] == oracle(name, row["input_ids"]) for row in rows)
        if split == "test":
            assert lengths == dict.fromkeys(PUBLISHED, 1000)
        else:
            admitted = set(range(1, 52, 2 if name == "nesv_majority" else 1))
            assert set(lengths) == admitted if split == "train" else set(lengths) <= admitted
            assert sum(lengths.values()) == {"train": 3000, "validation": 100}[split]
        assert all(0 <= bit <= 1 for row in rows for bit in parted(name, row["input_ids"])[0])


@pytest.mark.parametrize("name", NAMES)
def test_the_banks_are_as_published(name):
    by_length = {}
    for row in rows_of(plan(name, train_examples=0, validation_examples=0), "test"):
        bits, k = parted(name, row["input_ids"])
        by_length.setdefault(len(bits), []).append((np.array(bits), k, row["label"]))
    for rows in by_length.values():
        ones = sum(label for _, _, label in rows)
        assert ones == 500 if name != "nesv_parity" else 400 < ones < 600
        for (first, k, _), (second, other_k, _) in zip(rows[0::2], rows[1::2], strict=True):
            differing = (first != second).mean()
            assert k == other_k
            if name in ("nesv_majority", "nesv_index"):
                assert differing == 1
            else:
                assert 0.15 < differing < 0.85  # independent, 51 bits or more
            if name == "nesv_first":
                assert first[0] != second[0]


def test_the_first_row_of_a_pair_may_begin_with_either_bit():
    rows = rows_of(plan("nesv_first", train_examples=0, validation_examples=0), "test")
    assert 400 < sum(row["input_ids"][0] for row in rows[0:2000:2]) < 600


@pytest.mark.parametrize("name", ["nesv_first", "nesv_majority", "nesv_index", "nesv_parity"])
@pytest.mark.parametrize("split", ["sample", "test"])
def test_all_words_are_equally_likely(name, split):
    length = 5
    planned = plan(name, test_lengths=length, test_examples_per_length=4096, seed=3)
    rows = planned.sample(length, 4096, seed=7) if split == "sample" else rows_of(planned, "test")
    counts = Counter(tuple(row["input_ids"]) for row in rows)
    words = list(itertools.product((0, 1), repeat=length))
    if name == "nesv_index":
        words = [(*word, 1 + k) for word in words for k in range(1, length + 1)]
    assert set(counts) <= set(words)
    assert chisquare([counts[word] for word in words]).pvalue > 1e-6


def test_indices_in_training_do_not_depend_on_the_length_draw():
    rows = rows_of(plan("nesv_index", train_examples=20_000), "train")
    rows = [row for row in rows if len(row["input_ids"]) % 2]  # an even number of bits: k falls in either half
    shares = [(row["input_ids"][-1] - 1.5) / (len(row["input_ids"]) - 1) for row in rows]
    assert chisquare(np.histogram(shares, bins=[0, 0.5, 1])[0]).pvalue > 1e-6
    correlation = np.corrcoef([len(row["input_ids"]) for row in rows], shares)[0, 1]
    assert abs(correlation) < 0.04


@pytest.mark.parametrize("name", NAMES)
def test_a_length_has_the_same_rows_whichever_others_are_asked_for(name):
    alone = rows_of(plan(name, test_lengths=103, test_examples_per_length=20), "test")
    listed = rows_of(plan(name, test_lengths_list=[103, 255], test_examples_per_length=20), "test")
    more = rows_of(plan(name, test_examples_per_length=21), "test")
    assert alone == listed[:20] == more[21:41]


@pytest.mark.parametrize("name", NAMES)
def test_length_tells_nothing(name):
    rows = rows_of(plan(name, train_examples=50_000), "train")
    votes = Counter((len(row["input_ids"]), row["label"]) for row in rows)
    best = sum(max(votes[length, 0], votes[length, 1]) for length in {length for length, _ in votes})
    assert best / len(rows) <= 0.53


def test_n_sets_all_lengths_and_what_is_given_by_itself_stays():
    planned = plan("nesv_majority", N=11, test_examples_per_length=2)
    assert planned.splits["test"].split.lengths.tolist() == [11, 23, 33, 55, 89, 111]
    assert planned.splits["train"].split.lengths.tolist() == [1, 3, 5, 7, 9, 11]
    ranged = plan("nesv_first", N=11, test_lengths=(3, 5))
    assert ranged.splits["test"].split.lengths.tolist() == [3, 4, 5]
    assert plan("nesv_first", N=51).config_id == "nesv_first"
    assert plan("nesv_first", test_lengths_list=(511, 51, 103, 153, 255, 409)).config_id == "nesv_first"
    assert plan("nesv_first", N=21).config_id != "nesv_first"


def test_solve():
    assert solve("nesv_first", ["0111", [1, 0]]) == [0, 1]
    assert solve("nesv_majority", ["0111001", [1, 0, 0]]) == [1, 0]
    assert solve("nesv_parity", "0111") == 1
    assert solve("nesv_index", ["0010 3", [0, 0, 1, 0, 5]]) == [1, 0]
    assert solve("nesv_index", np.array([[1, 0, 2], [1, 0, 3]], dtype=np.uint16)) == [1, 0]


@pytest.mark.parametrize(
    ("name", "word", "says"),
    [
        ("nesv_majority", "01", "odd number of bits"),
        ("nesv_first", "", "0 bits"),
        ("nesv_first", "012", "'2'"),
        ("nesv_parity", [[0, 2]], "Position 1"),
        ("nesv_parity", [0.5], "0.5"),
        ("nesv_index", "0101 5", "bit 5 of 4"),
        ("nesv_index", "0101 0", "bit 0 of 4"),
        ("nesv_index", "0101", "names no index"),
        ("nesv_index", [[0, 1, 1]], "bit 0 of 2"),
        ("nesv_index", [[3]], "one or more bits"),
        ("nesv_parity", 7, "no list of words"),
    ],
)
def test_malformed_words_are_refused(name, word, says):
    with pytest.raises(InputError, match=says):
        solve(name, word)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"N": 10}, "no example of length 10"),
        ({"N": "11"}, "not a whole number"),
        ({"test_lengths_list": []}, "empty"),
        ({"test_lengths_list": [0]}, "out of range"),
        ({"test_lengths_list": [51, 104]}, "no example of length 104"),
        ({"test_lengths": 4}, "odd number"),
    ],
)
def test_bad_lengths_are_refused(options, says):
    with pytest.raises(InputError, match=says):
        _ = plan("nesv_majority", **options).splits
    with pytest.raises(UnknownNameError):
        plan("nesv_majority", test_length_list=[3])


def test_index_ends_where_token_ids_end():
    with pytest.raises(InputError, match="65,534"):
        _ = plan("nesv_index", test_lengths=65_535).splits
    row = plan("nesv_index").sample(65_534)[0]
    assert row["label"] == oracle("nesv_index", row["input_ids"])


@pytest.mark.parametrize("name", NAMES)
def test_check_finds_a_wrong_label(name):
    planned = plan(name)
    table = pa.Table.from_pylist(planned.sample(51, 4), schema=planned.schema)
    planned.task.check(table)
    wrong = table.set_column(1, "label", pa.array([1 - label for label in table["label"].to_pylist()]))
    with pytest.raises(InputError, match="Row 0"):
        planned.task.check(wrong)
    assert planned.task.facts()["chance"] == 0.5
    assert planned.task.show(planned.sample(3)[0])["label"] in "01"
