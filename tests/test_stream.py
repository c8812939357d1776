"""Endless batches: shapes, seeking, seeds, lengths, labels, errors."""

import itertools

import numpy as np
import pytest

from seqbench.errors import SeqbenchError
from seqbench.generation.batches import stream
from seqbench.generation.plan import language_dataset_names
from seqbench.languages import language


@pytest.mark.parametrize("name", language_dataset_names())
def test_batches_are_labelled_right(name):
    lang = language(name)
    for tokens, labels, classes in itertools.islice(stream(name, batch_size=16, classes=True, seed=5), 3):
        assert len(tokens) == len(labels) == len(classes) == 16
        assert lang.label_all(list(tokens)) == labels.tolist()
        assert [lang.syntactic_class(word) for word in tokens] == classes.tolist()


def test_batch_number_is_all_that_matters():
    one = stream("dyck_d6", batch_size=8, seed=2)
    batches = [next(one) for _ in range(6)]
    other = stream("dyck_d6", batch_size=8, seed=2).seek(4)
    assert other.position == 4
    for expected, found in zip(batches[4:], other, strict=False):
        assert all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))


def test_every_length_of_the_range_comes_and_no_other():
    drawn = {
        tokens.shape[1] for tokens, _ in itertools.islice(stream("parity_check", batch_size=1, lengths=(3, 9)), 300)
    }
    assert drawn == set(range(3, 10))


def test_lengths_without_words_never_come():
    drawn = {tokens.shape[1] for tokens, _ in itertools.islice(stream("modular_arithmetic", batch_size=1), 200)}
    assert all(length % 2 == 1 for length in drawn)


def test_seeds_and_batches_share_nothing():
    first, second = (next(stream("parity_check", batch_size=500, lengths=60, seed=seed))[0] for seed in (42, 43))
    third = next(stream("parity_check", batch_size=500, lengths=60, seed=42).seek(1))[0]
    rows = [{row.tobytes() for row in tokens} for tokens in (first, second, third)]
    assert len(rows[0] | rows[1] | rows[2]) == 1500


@pytest.mark.parametrize(
    "arguments",
    [
        {"lengths": (9, 3)},
        {"lengths": 0},
        {"batch_size": 0},
        {"batch_size": 10**6},
        {"seed": -1},
        {"sampling": {"balanced": -1}},
        {"sampling": "uniformly"},
    ],
)
def test_bad_arguments_are_refused(arguments):
    with pytest.raises(SeqbenchError):
        stream("dyck_d6", **arguments)


@pytest.mark.parametrize("number", [-1, 1.5, "3"])
def test_bad_numbers_of_batches_are_refused(number):
    endless = stream("dyck_d6", batch_size=8)
    for asked in (endless.batch, endless.seek):
        with pytest.raises(SeqbenchError, match=repr(number)):
            asked(number)


def test_no_length_with_words_is_refused():
    with pytest.raises(SeqbenchError, match="no word to draw"):
        stream("modular_arithmetic", lengths=(4, 4))


@pytest.mark.parametrize("law", ["class", "composition"])
@pytest.mark.parametrize("classes", [False, True])
def test_laws_that_need_the_monoid_have_it(law, classes):
    found = next(stream("dyck_d3", batch_size=64, lengths=(9, 9), sampling=law, classes=classes))
    lang = language("dyck_d3")
    assert len(found) == 2 + classes
    assert lang.label_all(found[0]) == found[1].tolist()
