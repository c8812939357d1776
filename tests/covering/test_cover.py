"""Covers: everything coverable is shown, by words of the domain, in a number that is near the least."""

import math

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, milp

from seqbench.covering import balance
from seqbench.covering.cover import cover
from seqbench.covering.possible import possible, union
from seqbench.covering.tally import Tally
from seqbench.errors import InputError, SeqbenchError, UnknownNameError
from seqbench.generation.sampler import Sampler
from seqbench.generation.streams import LANE_SHIFT, ROW_AND_LANE
from seqbench.languages import Language
from tests.covering.oracle import all_words, chunk, language, planned, task_of
from tests.covering.test_planning import FAST

SHORT = [(name, 8) for name in FAST] + [("dyck_d4", 9), ("prefix_p2_q4", 8)]


def inside(task):
    return task.outputs[task.monoid.maps[:, 0]] >= 0


def coverable(task, longest):
    """Compositions that words of the domain of 2 to `longest` symbols can show."""
    lengths = [n for n in range(2, longest + 1) if (task.monoid.reach(n) & inside(task)).any()]
    return union(possible(task, np.array(lengths))).keys()


def check(name, longest, times, min_width, found, **options):
    task = task_of(name, found.task.schedule, min_width)
    tally = Tally(task.monoid, task.schedule, min_width).add_all([chunk(found.words, language(name).alphabet)])
    keys = coverable(task, longest)
    assert np.array_equal(tally.pairs().at_least(times), keys)  # all of them, and nothing else can be shown
    assert np.array_equal(tally.pairs().keys, keys)
    assert found.covered == len(keys)
    assert found.times == times
    assert tally.outside == 0
    lengths = [len(word) for word in found.words]
    assert min(lengths) >= 2
    assert max(lengths) <= longest
    assert 0 < found.lower_bound <= len(found.words)
    test = planned(name, **options).splits["test"].split.lengths
    needed = union(possible(task, test)).keys()
    assert np.array_equal(found.uncoverable, np.setdiff1d(needed, keys))


@pytest.mark.parametrize(("times", "min_width"), [(1, 1), (3, 1), (1, 2)])
@pytest.mark.parametrize(("name", "longest"), SHORT)
def test_a_cover_shows_everything_coverable(name, longest, times, min_width):
    found = cover(name, max_length=longest, times=times, min_width=min_width, test_lengths=(41, 50))
    check(name, longest, times, min_width, found, test_lengths=(41, 50))


@pytest.mark.parametrize(("times", "min_width"), [(1, 1), (3, 1), (1, 2)])
@pytest.mark.parametrize("schedule", ["scan", "left"])
@pytest.mark.parametrize(
    ("name", "longest"), [*SHORT, pytest.param("modular_arithmetic_l2r", 5, marks=pytest.mark.slow)]
)
def test_covers_for_other_schedules_show_everything_coverable(name, longest, schedule, times, min_width):
    if schedule == "left" and min_width > 1:
        pytest.skip("no node has two children of two symbols")
    options = {} if name == "modular_arithmetic_l2r" else {"test_lengths": (41, 50)}
    found = cover(name, max_length=longest, times=times, min_width=min_width, schedule=schedule, **options)
    check(name, longest, times, min_width, found, **options)


def test_covers_of_expressions_are_expressions():
    check("modular_arithmetic_l2r", 5, 1, 1, cover("modular_arithmetic_l2r", max_length=5))


@pytest.mark.parametrize(("name", "longest"), [("dyck_d3", 40), ("tomita_3", 33), ("cycle_navigation", 40)])
def test_longer_words_cover_too(name, longest):
    found = cover(name, max_length=longest, times=2)
    check(name, longest, 2, 1, found)
    assert len(found.uncoverable) == 0 or name == "dyck_d3"


@pytest.mark.parametrize("name", ["dyck_d6", "prefix_p4_q2", "modular_arithmetic_l2r"])
@pytest.mark.slow
def test_large_covers(name):
    found = cover(name, max_length=20)
    check(name, 20, 1, 1, found)


@pytest.mark.parametrize(
    ("name", "longest"),
    [("parity_check", 4), ("even_pairs", 5), ("dyck_d1", 6), ("tomita_2", 6), ("tomita_6", 5), ("prefix_p2_q2", 6)],
)
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("schedule", ["tree", "scan", "left"])
def test_the_least_cover_lies_between_the_bound_and_the_greedy_one(name, longest, schedule, times):
    """The least cover by integer programming over all words; a word shown twice in a cover counts twice."""
    task = task_of(name)
    shown = []
    for length in range(2, longest + 1):
        words = all_words(name, length)
        keys = words.keys(schedule)[1][:, words.labels >= 0]
        counts = np.zeros((keys.shape[1], len(task.monoid) ** 2))
        for row in keys:
            counts[np.arange(keys.shape[1]), row] += 1
        shown.append(counts)
    shown = np.vstack(shown)
    shown = shown[:, shown.any(axis=0)]
    solved = milp(np.ones(len(shown)), constraints=LinearConstraint(shown.T, lb=times), integrality=np.ones(len(shown)))
    assert solved.success
    least = round(solved.fun)
    found = cover(name, max_length=longest, times=times, test_lengths=(7, 8), schedule=schedule)
    assert found.covered == shown.shape[1]
    assert found.lower_bound <= least <= len(found.words)
    if schedule == "tree":  # the logarithm of what a word can show; elsewhere words repeat themselves more
        assert len(found.words) <= math.ceil(least * (1 + math.log(longest - 1)))


def test_a_cover_of_words_that_suffice_leaves_nothing_uncoverable():
    assert len(cover("parity_check", max_length=2).uncoverable) == 0
    found = cover("dyck_d2", max_length=3)
    assert len(found.uncoverable) > 0
    shown = {tuple(word.tolist()) for word in found.words}
    assert all(len(word) <= 3 for word in shown)


def test_test_lengths_are_the_ones_asked_for():
    """At the lengths 2 and 3 nothing is needed that words of 3 symbols cannot show."""
    assert len(cover("dyck_d2", max_length=3, test_lengths=(2, 3)).uncoverable) == 0


def test_the_same_cover_every_time():
    one, other = cover("tomita_4", max_length=9), cover("tomita_4", max_length=9)
    assert [word.tolist() for word in one.words] == [word.tolist() for word in other.words]


@pytest.mark.parametrize("longest", [2, 3])
def test_no_composition_at_all_is_no_crash(longest):
    """Words of two or three symbols join no two blocks of two symbols."""
    try:
        found = cover("parity_check", max_length=longest, min_width=2)
    except SeqbenchError:
        return
    assert (found.words, found.covered) == ([], 0)
    assert len(found.uncoverable) == 4


def test_everything_uncoverable_is_in_the_data_and_twenty_in_the_text():
    found = cover("dyck_d3", max_length=6)
    facts = found.to_dict()
    assert facts["num_uncoverable"] == len(facts["uncoverable"]) == len(found.uncoverable) > 20
    monoid = found.task.monoid
    names = [(monoid.name(key // len(monoid)), monoid.name(key % len(monoid))) for key in found.uncoverable.tolist()]
    assert [(each["left"], each["right"]) for each in facts["uncoverable"]] == names
    for text in (repr(found), found._repr_html_()):
        assert f"{len(names):,} compositions" in text
        assert "--json" in text
        assert text.count("(0") <= 20


@pytest.mark.parametrize("schedule", ["treee", 3, None])
def test_unknown_schedules_are_refused(schedule):
    with pytest.raises(UnknownNameError, match="schedule"):
        cover("parity_check", max_length=4, schedule=schedule)


@pytest.mark.parametrize("longest", [1, 0, -3, 5000, 2.5, "9", None, True])
def test_bad_lengths_are_refused(longest):
    with pytest.raises(InputError, match="max_length"):
        cover("parity_check", max_length=longest)


@pytest.mark.parametrize("times", [0, -1, 1.5, "2", True])
def test_bad_numbers_are_refused(times):
    with pytest.raises(InputError, match="times"):
        cover("parity_check", max_length=4, times=times)


def test_no_word_of_the_domain_is_said():
    with pytest.raises(InputError, match="max_length"):
        cover("modular_arithmetic_l2r", max_length=2)


def test_an_unknown_dataset_names_the_nearest():
    with pytest.raises(UnknownNameError, match="dyck_d6"):
        cover("dyk_d6", max_length=4)


@pytest.mark.parametrize(("name", "longest"), SHORT)
def test_balancing_makes_labels_even_and_keeps_the_cover(name, longest):
    bare = cover(name, max_length=longest, test_lengths=(41, 50))
    found = cover(name, max_length=longest, test_lengths=(41, 50), balance=True)
    words = [word.tolist() for word in found.words]
    assert words[: len(bare.words)] == [word.tolist() for word in bare.words]
    assert found.added == len(words) - len(bare.words)
    assert max(map(len, words)) <= longest
    admitted = [label for label in range(language(name).machine.num_labels) if _has_words(name, label, longest)]
    counts = list(found.label_counts.values())
    assert {counts[label] for label in admitted} == {max(bare.label_counts.values())}
    assert found.to_arrow()["label"].to_pylist() == language(name).label_all(words)


def _has_words(name, label, longest):
    machine = language(name).machine
    return Sampler(machine, None, {"uniform": 1.0}, (label,)).admits(longest)[1:].any()


def test_no_two_of_many_balancing_words_share_a_stream():
    """Beyond 65,536 rows of one unit the number of a row would run into that of a lane."""
    streams = balance._streams(70_000, "any")
    assert int(streams[ROW_AND_LANE].max()) < 1 << LANE_SHIFT
    assert len(np.unique(streams, axis=1).T) == 70_000


def test_uneven_labels_are_told():
    assert "Labels: reject 34, accept 0. They show what to join, not how labels are spread: --balance adds" in repr(
        cover("dyck_d2", max_length=40)
    )
    assert repr(cover("dyck_d2", max_length=40, balance=True)).endswith("labels are reject 34, accept 34.")
    every = Language.from_regex("(0|1)*", "01")
    assert "No word of these lengths has the others." in repr(cover(every, max_length=4, balance=True))
