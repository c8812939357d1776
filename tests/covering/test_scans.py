"""Chances under the schedules scan and left, against adding up all words; bounds where no exact chance is known."""

import numpy as np
import pytest

from seqbench.covering import bounds
from seqbench.covering.bounds import ChanceBounds
from seqbench.covering.scans import Scans
from seqbench.errors import InputError
from tests.covering.oracle import all_words, laws_of, lengths_of, task_of
from tests.covering.test_chances import shown, spread

SMALL = ["cycle_navigation", "dyck_d1", "dyck_d2", "dyck_d4", "even_pairs", "parity_check", "prefix_p1_q4",
         "prefix_p2_q2", "tomita_1", "tomita_3", "tomita_6", "modular_arithmetic"]  # fmt: skip


def by_hand(name, schedule, min_width, laws, lengths):
    return shown(task_of(name, schedule, min_width), laws, lengths, spread(lengths), lambda n: all_words(name, n))


@pytest.mark.parametrize("min_width", [1, 2])
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("schedule", ["scan", "left"])
def test_chances_are_those_of_all_words_and_bounds_hold(name, schedule, min_width, monkeypatch):
    task, lengths, laws = task_of(name, schedule, min_width), lengths_of(name), laws_of(name)
    expected = by_hand(name, schedule, min_width, laws, lengths)
    there = np.flatnonzero(expected.any(axis=0))[:2000]
    keys = np.concatenate([there, np.flatnonzero(~expected.any(axis=0))[:50]])
    around = ChanceBounds(task, dict.fromkeys(laws, 1 / len(laws)), np.array(lengths), spread(lengths))
    halves = laws.index("composition")
    for affordable in (1e15, 0):
        monkeypatch.setattr(bounds, "AFFORDABLE", affordable)
        low, high = around.of(keys)
        assert (low <= expected[:, keys] * (1 + 1e-9)).all()
        assert (high >= expected[:, keys] * (1 - 1e-9)).all()
        assert (low[expected[:, keys] > 0] > 0).all()
        mixed = around.mixed(keys)
        assert (mixed[0] <= expected[:, keys].mean(axis=0) * (1 + 1e-9)).all()
        assert (mixed[1] >= expected[:, keys].mean(axis=0) * (1 - 1e-9)).all()
        if schedule == "left" or affordable:
            exact = [number for number in range(len(laws)) if number != halves]
            np.testing.assert_allclose(low[exact], expected[exact][:, keys], rtol=1e-10, atol=1e-15)
            assert np.array_equal(low[exact], high[exact])


@pytest.mark.parametrize("min_width", [1, 2])
@pytest.mark.parametrize("share", [0.0, 0.6, 0.95, 1.0])
@pytest.mark.parametrize("schedule", ["scan", "left"])
def test_chances_that_all_is_allowed_are_those_of_all_words(dataset, schedule, min_width, share):
    task, lengths = task_of(dataset, schedule, min_width), lengths_of(dataset)
    laws = [law for law in laws_of(dataset) if law != "composition"]
    size = len(task.monoid)
    rng = np.random.default_rng(4)
    allowed = np.where(rng.random((size, size)) < share, 1.0, rng.choice([0.0, 0.5]))
    weights = dict(zip(laws, spread(laws), strict=True))
    expected = []
    for length in lengths:
        words = all_words(dataset, length)
        clean = allowed.ravel()[words.keys(schedule, min_width)[1]].prod(axis=0)
        expected.append(sum(weight * (words.chance(law) * clean).sum() for law, weight in weights.items()))
    found = ChanceBounds(task, weights, np.array(lengths), spread(lengths)).all_among(allowed)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("schedule", ["scan", "left"])
def test_halves_have_no_curve_under_other_schedules(schedule):
    task = task_of("dyck_d2", schedule)
    with pytest.raises(InputError, match=schedule):
        ChanceBounds(task, {"composition": 1.0}, np.array([4]), np.ones(1)).all_among(np.ones((14, 14)))
    if schedule == "scan":
        with pytest.raises(InputError, match="composition"):
            Scans(task, {"composition": 1.0}, np.array([4]), np.ones(1))


def test_bounds_of_a_large_monoid_hold_at_lengths_that_no_list_reaches():
    """dyck_d3 at lengths 20 to 31: the exact chances lie between the bounds."""
    task, lengths = task_of("dyck_d3", "scan"), np.arange(20, 32)
    chance = np.full(12, 1 / 12)
    keys = np.random.default_rng(1).permutation(len(task.monoid) ** 2)[:200]
    around = ChanceBounds(task, {"balanced": 0.5, "class": 0.5}, lengths, chance)
    exact = around.mixed(keys)
    assert np.array_equal(exact[0], exact[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "AFFORDABLE", 0)
        low, high = around.mixed(keys)
    assert (low <= exact[0] * (1 + 1e-9)).all()
    assert (high >= exact[0] * (1 - 1e-9)).all()
    assert ((low > 0) == (exact[0] > 0)).all()
