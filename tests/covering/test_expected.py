"""Expected counts against adding up all words of a length, for every language, schedule and law."""

import numpy as np
import pytest

from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.covering.expected import Task, expected_counts
from seqbench.covering.laws import check_laws
from seqbench.covering.schedules import SCHEDULES
from seqbench.covering.tally import Tally
from seqbench.errors import InputError, TooLargeError, UnknownNameError
from tests.covering.oracle import LAWS, AllWords, all_words, joins, language, laws_of, lengths_of, planned, task_of

MIXTURES = [{"member": 0.5, "class": 0.5}, {"member": 0.2, "composition": 0.5, "uniform": 0.3}]


def by_hand(task, laws, lengths, chance, words_of=None):
    """Sum over all words of probability times number of joins, by level."""
    size, total = len(task.monoid), {}
    for length, share in zip(lengths, chance, strict=True):
        words = AllWords(task, length) if words_of is None else words_of(length)
        probability = mixed(words, laws)
        assert abs(probability.sum() - 1) < 1e-12
        for level, keys in zip(*words.keys(task.schedule, task.min_width), strict=True):
            there = total.setdefault(level, np.zeros(size * size))
            there += share * np.bincount(keys, weights=probability, minlength=size * size)
    return {level: found.reshape(size, size) for level, found in total.items()}


def mixed(words, laws):
    """Probability of each word: laws that have none of the length leave their weight to the others."""
    chances = {law: words.chance(law) for law in laws}
    there = {law: weight for law, weight in laws.items() if chances[law].any()}
    return sum(weight * chances[law] for law, weight in there.items()) / sum(there.values())


def assert_same(found, expected):
    """Equal within rounding, and zero exactly where they are zero: what cannot occur must not seem to."""
    assert list(found) == sorted(found)
    assert found.keys() == {level for level, count in expected.items() if count.any()}
    for level, count in found.items():
        np.testing.assert_allclose(count, expected[level], rtol=1e-11, atol=0)


@pytest.mark.parametrize("min_width", [1, 2])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_expected_counts_at_one_length_are_those_of_all_words(dataset, schedule, min_width):
    task = task_of(dataset, schedule, min_width)
    for law in laws_of(dataset):
        for length in lengths_of(dataset):
            expected = by_hand(task, {law: 1.0}, [length], [1.0], lambda n: all_words(dataset, n))
            assert_same(expected_counts(task, {law: 1.0}, np.array([length]), np.ones(1)), expected)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_expected_counts_over_lengths_and_laws_are_weighed_sums(dataset, schedule):
    task, lengths = task_of(dataset, schedule), lengths_of(dataset)
    chance = np.arange(1, len(lengths) + 1) / np.arange(1, len(lengths) + 1).sum()
    laws = laws_of(dataset)
    weights = dict(zip(laws, np.arange(2, len(laws) + 2) / np.arange(2, len(laws) + 2).sum(), strict=True))
    expected = by_hand(task, weights, lengths, chance, lambda n: all_words(dataset, n))
    assert_same(expected_counts(task, weights, np.array(lengths), chance), expected)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_mixtures_are_linear_at_lengths_that_no_list_reaches(dataset, schedule):
    task = task_of(dataset, schedule)
    lengths, chance = np.array([15, 33] if len(task.monoid) < 300 else [7, 9]), np.array([0.25, 0.75])
    laws = ["uniform", "balanced", "class"]
    weights = np.array([0.5, 0.2, 0.3])
    alone = [expected_counts(task, {law: 1.0}, lengths, chance) for law in laws]
    mixed = expected_counts(task, dict(zip(laws, weights, strict=True)), lengths, chance)
    for level in mixed:
        np.testing.assert_allclose(mixed[level], sum(w * a[level] for w, a in zip(weights, alone, strict=True)), 1e-11)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_level_has_as_many_nodes_as_the_schedule_says(dataset, schedule):
    """At lengths 255 and 499, where most classes are rare beyond all listing."""
    task = task_of(dataset, schedule)
    if len(task.monoid) > 300 and schedule != "tree":
        pytest.skip("the left and scan schedules take seconds here")
    for law in ("uniform", "balanced"):
        for length in (255, 499) if len(task.monoid) < 300 else (255,):
            found = expected_counts(task, {law: 1.0}, np.array([length]), np.ones(1))
            number = np.bincount([each[0] for each in joins(schedule, length)])
            assert found.keys() == set(np.flatnonzero(number).tolist())
            for level, count in found.items():
                assert abs(count.sum() - number[level]) < 1e-9 * number[level]


def test_labels_left_out_are_never_drawn():
    """Words of the labels 0 and 3 of a walk on a cycle only."""
    found = language("cycle_navigation")
    outputs = np.where(np.isin(found.machine.outputs, (0, 3)), found.machine.outputs, -1)
    for schedule in SCHEDULES:
        task = Task(found.machine, found.monoid, outputs, schedule)
        for law in ("uniform", "balanced", "class", "composition"):
            for length in (1, 2, 3, 5, 7):
                expected = by_hand(task, {law: 1.0}, [length], [1.0])
                assert_same(expected_counts(task, {law: 1.0}, np.array([length]), np.ones(1)), expected)


@pytest.mark.parametrize(
    ("name", "length", "law"),
    [("tomita_2", 3, "member"), *(("modular_arithmetic", 4, law) for law in LAWS if law != "member")],
)
def test_lengths_without_words_are_refused(name, length, law):
    with pytest.raises(InputError, match=str(length)):
        expected_counts(task_of(name), {law: 1.0}, np.array([length]), np.ones(1))


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("weights", MIXTURES)
@pytest.mark.parametrize("name", ["dyck_d4", "tomita_2", "modular_arithmetic"])
def test_laws_without_a_word_of_a_length_leave_their_weight_to_the_others(name, weights, schedule):
    """Members of Dyck words have even lengths only; expressions have no odd ones to leave out and are no acceptor."""
    if name == "modular_arithmetic":
        weights = {law: weight for law, weight in weights.items() if law != "member"}
    task, lengths = task_of(name, schedule), [1, 3, 5] if name == "modular_arithmetic" else [*range(1, 11)]
    chance = np.arange(1, len(lengths) + 1) / np.arange(1, len(lengths) + 1).sum()
    expected = by_hand(task, weights, lengths, chance, lambda n: all_words(name, n))
    assert_same(expected_counts(task, weights, np.array(lengths), chance), expected)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_mixture_with_lengths_that_one_law_lacks_is_what_the_sampler_draws(schedule):
    """dyck_d4 by member and class: nodes of 40,000 drawn words, of odd and even lengths, within 6 standard errors."""
    sampling, span, number = {"member": 0.5, "class": 0.5}, (3, 12), 40_000
    split = planned("dyck_d4", sampling=sampling, train_lengths=span, train_examples=number).splits["train"].split
    task, size = task_of("dyck_d4", schedule), len(task_of("dyck_d4").monoid)
    counts = np.zeros((number, size * size), dtype=np.int16)
    row = 0
    for block in range(split.num_blocks):
        rows = split.rows(block)
        tally = Tally(task.monoid, schedule)
        for i in range(len(rows.offsets) - 1):
            ends = rows.offsets[i : i + 2]
            np.add.at(counts[row], tally.keys_of((rows.tokens[ends[0] : ends[1]], ends - ends[0])), 1)
            row += 1
    assert split.lengths.tolist() == list(range(3, 13))
    expected = sum(expected_counts(task, sampling, split.lengths, np.full(10, 0.1)).values()).ravel()
    errors = counts.std(axis=0) / np.sqrt(number) + 3 / number
    assert (np.abs(counts.mean(axis=0) - expected) < 6 * errors).all()


def test_an_unknown_schedule_is_refused():
    with pytest.raises(UnknownNameError, match="left"):
        expected_counts(task_of("dyck_d2", "lift"), {"uniform": 1.0}, np.array([4]), np.ones(1))


def test_too_many_classes_are_refused():
    """All maps of five points: 3,125 classes."""
    table = np.array([[1, 2, 3, 4, 0], [1, 0, 2, 3, 4], [0, 0, 2, 3, 4]]).T
    machine = Machine.build("abc", table, [0, 1, 1, 1, 1])
    task = Task(machine, Monoid.of(machine), machine.outputs)
    assert len(task.monoid) == 3125
    with pytest.raises(TooLargeError, match=r"3,125.*2,000"):
        expected_counts(task, {"uniform": 1.0}, np.array([4]), np.ones(1))


def test_words_too_rare_for_floats_are_refused_not_wrong():
    """Of 5,000 symbols there are two words of Tomita 1 at each length: one all of 1s among 2^5000."""
    task = task_of("tomita_1")
    with pytest.raises(InputError, match="5000"):
        expected_counts(task, {"balanced": 1.0}, np.array([5000]), np.ones(1))


def test_near_misses_are_refused_and_the_rest_is_known():
    check_laws(dict.fromkeys(LAWS, 0.2))
    with pytest.raises(InputError, match="near_miss"):
        check_laws({"near_miss": 0.5, "uniform": 0.5})
