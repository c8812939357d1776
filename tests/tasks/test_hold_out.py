"""Words of recognition tasks that evaluation holds are no training words, where there are enough of them."""

import numpy as np
import pytest

from seqbench.generation.plan import plan
from seqbench.generation.tasks.flare import LANGUAGES

SMALL = {"train_examples": 12_000, "validation_examples": 1500, "validation_long_examples": 600}


def words(planned, split):
    part = planned.splits[split]
    return [
        (tuple(row["input_ids"]), row["label"])
        for i in range(part.num_blocks)
        for row in planned.block(split, i).to_pylist()
    ]


def members_listed(language, length):
    """How many members there are, by trying all words; None where those are too many to try."""
    symbols = len(language.alphabet)
    if symbols**length > 70_000:
        return None
    grid = np.indices((symbols,) * length).reshape(length, -1).T if length else np.zeros((1, 0))
    return int(language.contains(grid.astype(np.uint8).ravel(), length * np.arange(len(grid) + 1)).sum())


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_counts_of_members_are_never_too_high(name):
    language = LANGUAGES[name]()
    claimed = language.log2_members(9)
    for length in range(10):
        found = members_listed(language, length)
        if found is not None:
            assert claimed[length] <= (np.log2(found) if found else -np.inf) + 1e-9
            slack = name in ("majority", "binary_multiplication")  # both are bounds
            assert slack or claimed[length] == pytest.approx(np.log2(found) if found else -np.inf)


@pytest.mark.parametrize("name", ["parity", "stack_manipulation", "marked_copy", "binary_addition", "repeat_01"])
def test_long_enough_words_are_in_one_split_only(name):
    planned = plan(f"flare_{name}", **SMALL)
    members = planned.task.language.log2_members(40)
    train = {word for word, _ in words(planned, "train")}
    for split in ("validation", "validation_long"):
        rows = words(planned, split)
        assert len(rows) == planned.splits[split].num_examples
        shared = [(len(word), label) for word, label in rows if word in train]
        assert shared  # short words there are few of
        assert all(members[length] < 10 for length, label in shared if label == 1)
        assert all(length < 12 for length, label in shared if label == 0)


def test_evaluation_at_training_lengths_is_apart_too():
    planned = plan("flare_majority", **SMALL, test_lengths=(20, 45), test_examples_per_length=20)
    train = {word for word, _ in words(planned, "train")}
    assert not train & {word for word, _ in words(planned, "test")}


def test_validation_long_goes_twice_as_far_and_stays_balanced():
    for name in ("flare_dyck_2_3", "flare_bucket_sort"):
        rows = words(plan(name, validation_long_examples=4000), "validation_long")
        lengths, labels = np.array([(len(word), label) for word, label in rows]).T
        assert lengths.max() in (79, 80)
        assert labels.mean() == pytest.approx(0.5, abs=0.03)
        best = np.bincount(lengths, labels) > np.bincount(lengths) / 2
        assert np.mean(best[lengths] == labels) < 0.58  # 50 rows a length: luck alone gives about 0.55


def test_a_split_is_left_out_unless_asked_for():
    assert "validation_long" not in plan("reverse_string").splits
    assert plan("reverse_string", validation_long_examples=7).splits["validation_long"].num_examples == 7
