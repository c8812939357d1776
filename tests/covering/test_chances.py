"""The chance that a word shows a composition, and that all it shows is allowed, against adding up all words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.covering.chances import Chances
from seqbench.covering.expected import Task, expected_counts
from seqbench.covering.shapes import shapes
from seqbench.errors import InputError
from tests.covering.oracle import AllWords, all_words, joins, language, laws_of, lengths_of, root_cut, task_of
from tests.covering.test_expected import MIXTURES, mixed


def shown(task, laws, lengths, chance, words_of):
    """Chance by law and key that a word shows the composition somewhere."""
    size = len(task.monoid)
    found = np.zeros((len(laws), size * size))
    for length, share in zip(lengths, chance, strict=True):
        words = words_of(length)
        keys = np.sort(words.keys(task.schedule, task.min_width)[1], axis=0)  # a word's equal keys lie together
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
def test_lengths_without_words_are_refused_and_left_out_by_a_law_alone(law):
    task = task_of("modular_arithmetic_l2r")
    size, keys = len(task.monoid), np.arange(3000, 3010)
    both = Chances(task, {law: 1.0}, np.array([3, 4]), np.full(2, 0.5))
    for ask in (lambda: both.mixed(keys), lambda: both.all_among(np.ones((size, size)))):
        with pytest.raises(InputError, match="length 4"):
            ask()
    assert np.array_equal(both.of(keys), Chances(task, {law: 1.0}, np.array([3]), np.ones(1)).of(keys))
    with pytest.raises(InputError, match="length 4"):
        Chances(task, {law: 1.0}, np.array([4]), np.ones(1)).of(keys)


@pytest.mark.parametrize("weights", MIXTURES)
@pytest.mark.parametrize("name", ["dyck_d4", "tomita_2"])
def test_laws_without_a_word_of_a_length_leave_their_weight_to_the_others(name, weights):
    task, lengths = task_of(name), list(range(1, 11))
    size = len(task.monoid)
    allowed = np.random.default_rng(4).random((size, size)) < 0.7
    expected, clean = np.zeros(size * size), []
    for length, share in zip(lengths, spread(lengths), strict=True):
        words = all_words(name, length)
        here, chance = words.keys("tree")[1], mixed(words, weights)
        clean.append(chance[allowed.ravel()[here].all(axis=0)].sum())
        for key in np.unique(here):
            expected[key] += share * chance[(here == key).any(axis=0)].sum()
    found = Chances(task, weights, np.array(lengths), spread(lengths))
    there = np.flatnonzero(expected)
    np.testing.assert_allclose(found.mixed(there), expected[there], rtol=1e-10)
    np.testing.assert_allclose(found.all_among(allowed), clean, rtol=1e-10)


@pytest.mark.parametrize("shares", [0.0, 1e-3, 1.0])
def test_what_is_allowed_may_be_a_number_between_none_and_all(shares):
    """Mean over words of the product over joins, for random tables."""
    for name in ("dyck_d2", "tomita_4", "cycle_navigation"):
        for schedule in ("tree", "left"):
            task, lengths = task_of(name, schedule), [1, 2, 5, 6]
            size = len(task.monoid)
            allowed = np.random.default_rng(4).random((size, size)) ** shares
            expected = []
            for length in lengths:
                words = AllWords(task, length)
                kept = allowed.ravel()[words.keys(schedule)[1]].prod(axis=0)
                expected.append((words.chance("uniform") * kept).sum())
            found = Chances(task, {"uniform": 1.0}, np.array(lengths), spread(lengths)).all_among(allowed)
            np.testing.assert_allclose(found, expected, rtol=1e-11)


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
