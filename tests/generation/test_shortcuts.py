"""Rules that look at the length of a word only: a fault of peers, where length parity alone scores up to 0.79."""

import numpy as np
import pytest

from seqbench.generation.plan import language_dataset_names, plan

BALANCED = [
    name
    for name in language_dataset_names()
    if plan(name).machine.is_acceptor and "balanced" in plan(name).recipe.sampling
]
OPTIONS = {"single_label_lengths": "drop", "train_examples": 40_000, "validation_examples": 20_000,
           "test_lengths": (41, 60), "test_examples_per_length": 1000}  # fmt: skip


def columns(planned, split):
    part = planned.splits[split]
    batches = [part.block(i) for i in range(part.num_blocks)]
    lengths = np.concatenate([np.diff(batch["input_ids"].offsets.to_numpy()) for batch in batches])
    return lengths, np.concatenate([batch["label"].to_numpy() for batch in batches])


def score(feature, labels):
    """Accuracy on every second row of the majority label by feature, learnt from the other rows."""
    known, asked = slice(0, None, 2), slice(1, None, 2)
    ones = np.bincount(feature[known], labels[known], minlength=feature.max() + 1)
    rows = np.bincount(feature[known], minlength=feature.max() + 1)
    return np.mean((2 * ones > rows)[feature[asked]] == labels[asked])


def test_there_are_balanced_datasets_of_two_labels():
    assert len(BALANCED) >= 14


@pytest.mark.parametrize("name", BALANCED)
def test_length_tells_nothing(name):
    planned = plan(name, **OPTIONS)
    for split in planned.splits:
        lengths, labels = columns(planned, split)
        shuffle = np.random.default_rng(0).permutation(len(labels))  # near misses alternate with members
        lengths, labels = lengths[shuffle], labels[shuffle]
        assert score(lengths, labels) <= 0.55, split
        assert score(lengths % 2, labels) <= 0.55, split
        assert abs(labels.mean() - 0.5) < 3 / len(labels) ** 0.5


@pytest.mark.parametrize("name", BALANCED)
def test_every_length_has_as_many_of_either_label(name):
    """Each length within six sigma of one half: a false alarm has probability below 10^-5 for all of them together."""
    planned = plan(name, **OPTIONS)
    for split in planned.splits:
        lengths, labels = columns(planned, split)
        for n in np.unique(lengths):
            here = labels[lengths == n]
            assert abs(here.mean() - 0.5) < 3 / len(here) ** 0.5, (split, n)


def test_the_yardstick_finds_a_shortcut():
    """With single-label lengths kept, the length of bracket words gives much away."""
    lengths, labels = columns(plan("dyck_d6", **OPTIONS | {"single_label_lengths": "keep"}), "train")
    assert score(lengths % 2, labels) > 0.7
