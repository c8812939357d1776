"""held_out=True: no word of an evaluation split could be a training word."""

import numpy as np
import pytest

from seqbench.errors import InputError
from seqbench.generation import heldout
from seqbench.generation.plan import language_dataset_names, plan

OPTIONS = {"held_out": True, "train_examples": 12_000, "validation_examples": 1500, "test_lengths": (1, 48),
           "test_examples_per_length": 12}  # fmt: skip


def words(planned, split):
    part = planned.splits[split]
    return [tuple(word) for i in range(part.num_blocks) for word in part.block(i)["input_ids"].to_pylist()]


def splits(name, **options):
    """The words of all splits; without near misses where a clear error says that there are too few."""
    planned = plan(name, **OPTIONS | options)
    try:
        return planned, {split: words(planned, split) for split in planned.splits}
    except InputError as error:
        message = str(error)
    assert "held_out" in message
    if "leaves no length for 'validation'" in message:
        pytest.skip("too few words of some label at every length to hold any out, and refused for that")
    assert "near_miss" in message
    planned = plan(name, **OPTIONS | options | {"near_miss": False})
    return planned, {split: words(planned, split) for split in planned.splits}


def test_evaluation_words_are_no_training_words(dataset):
    planned, found = splits(dataset)
    assert {"train", "validation", "test"} <= found.keys()
    train = set(found.pop("train"))
    for split, rows in found.items():
        assert not train & set(rows), split
        assert len(rows) == planned.splits[split].num_examples


def test_training_keeps_all_lengths(dataset):
    _, found = splits(dataset)
    free = plan(dataset, train_examples=12_000)
    assert {len(word) for word in found["train"]} == {len(word) for word in words(free, "train")}


def test_longer_test_words_are_all_there(dataset):
    """Beyond the training lengths nothing is held out, and all lengths stay."""
    _, found = splits(dataset)
    free = plan(dataset, **OPTIONS | {"held_out": False})
    assert {len(word) for word in found["test"] if len(word) > 40} == {
        len(word) for word in words(free, "test") if len(word) > 40
    }


@pytest.mark.parametrize("name", [name for name in language_dataset_names() if plan(name).machine.is_acceptor])
def test_both_labels_are_drawn_equally_often_at_every_length_that_has_both(name):
    """Held-out words must not give the label away by the length: every length within six sigma of the free share."""
    options = {"sampling": "balanced", "single_label_lengths": "drop", "validation_examples": 8000, "near_miss": False}
    planned, found = splits(name, **options)
    for split in ("train", "validation"):
        part = planned.splits[split]
        labels = np.concatenate([part.block(i)["label"].to_numpy() for i in range(part.num_blocks)])
        lengths = np.array([len(word) for word in found[split]])
        for n in np.unique(lengths):
            here = labels[lengths == n]
            assert abs(here.mean() - 0.5) < 3 / len(here) ** 0.5 + 1e-9, (split, n)


def test_another_seed_holds_other_words_out():
    words = np.random.default_rng(0).integers(0, 2, 30 * 4000).astype(np.uint8)
    offsets = np.arange(4001) * 30
    masks = [
        heldout.is_held_out(words, offsets, name, version, seed)
        for name, version, seed in [("a", "1.0.0", 0), ("a", "1.0.0", 1), ("a", "1.0.1", 0), ("b", "1.0.0", 0)]
    ]
    for i, one in enumerate(masks):
        assert abs(one.mean() - 1 / 8) < 0.03  # 4,000 words: six sigma
        for other in masks[:i]:
            assert abs((one & other).mean() - 1 / 64) < 0.012  # independent: six sigma


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_the_hash_sees_every_symbol_of_the_word_and_nothing_else(dtype):
    key = np.arange(4, dtype=np.uint32)
    word = np.array([0, 1, 0, 1, 1, 0, 0], dtype=dtype)

    def hashed(tokens):
        around = np.concatenate([[1], tokens, [0]]).astype(dtype)
        return int(heldout.hash_words(around, np.array([1, 1 + len(tokens)]), key)[0])

    others = [hashed(word), hashed(word[:-1]), hashed(word[1:]), hashed(np.append(word, 0)), hashed(word[::-1])]
    for i in range(len(word)):
        changed = word.copy()
        changed[i] ^= 1
        others.append(hashed(changed))
    assert len(set(others)) == len(others)
    assert hashed(word) == int(heldout.hash_words(word, np.array([0, len(word)]), key)[0])


@pytest.mark.parametrize("name", ["tomita_1", "dyck_d1", "tomita_2"])
def test_a_label_of_one_word_cannot_be_held_out(name):
    """Held out, the only member of a length would leave training without one, and length would tell the label."""
    with pytest.raises(InputError, match="some label has fewer than 1024 words"):
        plan(name, held_out=True, single_label_lengths="drop").splits  # noqa: B018


def test_a_split_of_short_words_only_is_refused():
    with pytest.raises(InputError, match="held_out") as caught:
        plan("parity_check", held_out=True, validation_lengths=(1, 5)).splits  # noqa: B018
    assert "validation" in str(caught.value)
