"""Bounds on the share of test words that a random training set will cover, against drawn training sets."""

import numpy as np
import pytest

from seqbench.covering.api import coverage
from seqbench.covering.bounds import ChanceBounds
from seqbench.covering.expectation import expected_coverage
from seqbench.covering.foreseen import fully_covered, seen, seen_at_least
from tests.covering.oracle import planned, task_of

SETS = 40


@pytest.mark.parametrize("schedule", ["tree", "scan", "left"])
@pytest.mark.parametrize(("name", "words"), [("dyck_d2", 100), ("tomita_3", 300), ("dyck_d4", 2000)])
def test_the_mean_over_drawn_training_sets_lies_within_the_bounds(name, words, schedule):
    """The mean of 40 sets, give or take 5 standard errors, by test length."""
    options = {"train_lengths": (1, 24), "test_lengths": (21, 30)}
    found = expected_coverage(name, schedule=schedule, train_examples=words, **options)
    lengths, low, high = found.curve_bounds
    assert lengths.tolist() == list(range(21, 31))
    split = planned(name, seed=11, train_examples=words * SETS, **options).splits["train"].split
    rows = [split.rows(i) for i in range(split.num_blocks)]
    symbols = [each.tokens[i:j].tolist() for each in rows for i, j in zip(each.offsets, each.offsets[1:], strict=False)]
    curves = []
    for first in range(0, words * SETS, words):
        report = coverage(name, symbols[first : first + words], schedule=schedule, test_lengths=(21, 30))
        curves.append(report.curve[1])
    mean, error = np.mean(curves, axis=0), np.std(curves, axis=0) / np.sqrt(SETS) + 1e-9
    assert (low <= mean + 5 * error).all()
    assert (mean - 5 * error <= high).all()
    assert ((low >= 0) & (low <= high) & (high <= 1)).all()


def test_certain_compositions_leave_no_doubt():
    """Where all is seen for sure, and where nothing is, both bounds are one number."""
    task, lengths = task_of("parity_check"), np.array([5, 6])
    test, keys = ChanceBounds(task, {"uniform": 1.0}, lengths, np.full(2, 0.5)), np.arange(4)
    low, high = fully_covered(test, keys, np.ones((2, 4)), 10**6)
    np.testing.assert_allclose(low, 1, atol=1e-7)
    np.testing.assert_allclose(high, 1)
    low, high = fully_covered(test, keys, np.zeros((2, 4)), 10**6)
    assert not low.any()
    assert not high.any()


def test_a_poisson_number_of_words_shows_no_more():
    chance = np.array([1e-6, 1e-4, 0.3, 1.0])
    for words in (1, 10, 1000, 10**6):
        assert (seen_at_least(chance, words) <= seen(chance, words) + 1e-15).all()
    np.testing.assert_allclose(seen_at_least(chance, 10**12), seen(chance, 10**12), rtol=1e-4)


def test_a_curve_by_halves_is_known_for_the_tree_only(own):
    """The dataset's own test words are drawn by composition."""
    root = own('regex = "0*"\nalphabet = ["0", "1"]', 'sampling = "composition"')
    for schedule in ("tree", "scan", "left"):
        found = expected_coverage("own", catalogue=root, schedule=schedule, test_lengths=(9, 10), train_lengths=(1, 8))
        facts = found.to_dict()
        assert ("words_fully_covered" in facts) == (schedule == "tree")
        assert facts["expected_seen"] <= facts["expected_seen_at_most"] + 1e-12
        assert facts["is_exact"] == (schedule == "tree")
        assert ("between" in repr(found)) == (schedule != "tree")
