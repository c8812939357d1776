"""The chance that a word shows a composition, and that all it shows is allowed, against adding up all words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.covering.chances import Chances, shapes
from seqbench.covering.expected import Task, expected_counts
from seqbench.errors import InputError
from tests.covering.oracle import AllWords, all_words, joins, language, laws_of, lengths_of, root_cut, task_of


def shown(task, laws, lengths, chance, words_of):
    """Chance by law and key that a word shows the composition somewhere."""
    size = len(task.monoid)
    found = np.zeros((len(laws), size * size))
    for length, share in zip(lengths, chance, strict=True):
        words = words_of(length)
        keys = np.sort(words.keys("tree", task.min_width)[1], axis=0)  # a word's equal keys lie together
        if len(keys) == 0:
            continue
        new = np.vstack([np.ones((1, keys.shape[1]), dtype=bool), keys[1:] != keys[:-1]])
        for row, law in enumerate(laws):
            weight = np.broadcast_to(words.chance(law), keys.shape)
            found[row] += share * np.bincount(keys[new], weights=weight[new], minlength=size * size)
    return found


def spread(lengths):
    return np.arange(1, len(lengths) + 1) / np.arange(1, len(lengths) + 1).sum()


@pytest.mark.parametrize("min_width", [1, 2])
def test_chances_are_those_of_all_words(dataset, min_width):
    task, lengths, laws = task_of(dataset, "tree", min_width), lengths_of(dataset), laws_of(dataset)
    chances = Chances(task, dict.fromkeys(laws, 1 / len(laws)), np.array(lengths), spread(lengths))
    expected = shown(task, laws, lengths, spread(lengths), lambda n: all_words(dataset, n))
    there = np.flatnonzero(expected.any(axis=0))
    absent = np.flatnonzero(~expected.any(axis=0))[:500]
    np.testing.assert_allclose(chances.of(there), expected[:, there], rtol=1e-10, atol=1e-15)
    assert not chances.of(absent).any()
    np.testing.assert_allclose(chances.mixed(there), expected[:, there].mean(axis=0), rtol=1e-10, atol=1e-15)
    assert chances.of(np.empty(0, dtype=np.int64)).shape == (len(laws), 0)


@pytest.mark.parametrize("min_width", [1, 2])
def test_chances_at_one_length_are_those_of_all_words(dataset, min_width):
    task, laws = task_of(dataset, "tree", min_width), laws_of(dataset)
    for length in lengths_of(dataset)[-4:]:
        chances = Chances(task, dict.fromkeys(laws, 1.0), np.array([length]), np.ones(1))
        expected = shown(task, laws, [length], [1.0], lambda n: all_words(dataset, n))
        there = np.flatnonzero(expected.any(axis=0))
        np.testing.assert_allclose(chances.of(there), expected[:, there], rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("share", [0.0, 0.6, 0.95, 1.0])
@pytest.mark.parametrize("min_width", [1, 2])
def test_chances_that_all_is_allowed_are_those_of_all_words(dataset, min_width, share):
    task, lengths, laws = task_of(dataset, "tree", min_width), lengths_of(dataset), laws_of(dataset)
    size = len(task.monoid)
    allowed = np.random.default_rng(4).random((size, size)) < share
    weights = dict(zip(laws, spread(laws), strict=True))
    expected = []
    for length in lengths:
        words = all_words(dataset, length)
        clean = allowed.ravel()[words.keys("tree", min_width)[1]].all(axis=0)
        expected.append(sum(weight * words.chance(law)[clean].sum() for law, weight in weights.items()))
    found = Chances(task, weights, np.array(lengths), spread(lengths)).all_among(allowed)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-15)


def test_labels_left_out_are_never_drawn():
    lang = language("cycle_navigation")
    task = Task(lang.machine, lang.monoid, np.where(np.isin(lang.machine.outputs, (0, 3)), lang.machine.outputs, -1))
    laws, lengths = ("uniform", "balanced", "class", "composition"), (1, 2, 3, 5, 7)
    expected = shown(task, laws, lengths, spread(lengths), lambda n: AllWords(task, n))
    found = Chances(task, dict.fromkeys(laws, 0.25), np.array(lengths), spread(lengths)).of(np.arange(25))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-15)


def test_a_chance_lies_between_the_expected_count_and_its_share(dataset):
    """P(X >= 1) <= E X <= most nodes times P(X >= 1), at lengths that no list reaches."""
    task, lengths = task_of(dataset), np.array([33, 39])
    laws = ("uniform", "balanced", "class", "composition")
    count = [sum(expected_counts(task, {law: 1.0}, lengths, np.full(2, 0.5)).values()).ravel() for law in laws]
    keys = np.random.default_rng(5).permutation(np.flatnonzero(np.any(count, axis=0)))[:300]
    found = Chances(task, dict.fromkeys(laws, 0.25), lengths, np.full(2, 0.5)).of(keys)
    expected = np.array(count)[:, keys]
    assert (found <= expected * (1 + 1e-9)).all()
    assert (found * 38 >= expected * (1 - 1e-9)).all()
    assert (found <= 1 + 1e-12).all()


@pytest.mark.parametrize("law", ["uniform", "balanced", "class", "composition"])
@pytest.mark.parametrize("method", ["of", "all_among"])
def test_lengths_without_words_are_refused(law, method):
    task = task_of("modular_arithmetic_l2r")
    size = len(task.monoid)
    argument = np.arange(3) if method == "of" else np.ones((size, size), dtype=bool)
    with pytest.raises(InputError, match="4"):
        getattr(Chances(task, {law: 1.0}, np.array([3, 4]), np.full(2, 0.5)), method)(argument)


@pytest.mark.parametrize("schedule", ["scan", "left"])
def test_other_schedules_are_refused(schedule):
    with pytest.raises(InputError, match=schedule):
        Chances(task_of("dyck_d2", schedule), {"uniform": 1.0}, np.array([4]), np.ones(1))


@given(st.sets(st.integers(1, 5000), min_size=1, max_size=5), st.integers(1, 3))
def test_shapes_are_closed_under_cutting_at_the_root(lengths, min_width):
    found = shapes(np.array(sorted(lengths)), min_width)
    widths = found.widths.tolist()
    assert widths == sorted(set(widths))
    needed, waiting = {1}, set(lengths)
    while waiting:
        width = waiting.pop()
        needed.add(width)
        if width > 1:
            waiting |= {root_cut(width), width - root_cut(width)} - needed
    assert set(widths) == needed
    for row, width in enumerate(widths):
        if width == 1:
            assert (found.left[row], found.right[row], found.counted[row]) == (-1, -1, False)
        else:
            parts = widths[found.left[row]], widths[found.right[row]]
            assert parts == (root_cut(width), width - root_cut(width))
            assert found.counted[row] == (min(parts) >= min_width)


def test_shapes_hold_the_blocks_of_the_schedule():
    for length in (2, 7, 40, 499):
        widths = set(shapes(np.array([length])).widths.tolist())
        assert {u for each in joins("tree", length) for u in (each[2], each[3], each[2] + each[3])} <= widths
