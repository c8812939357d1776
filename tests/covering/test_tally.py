"""Counts of classes and compositions against counting in plain Python, word by word and block by block."""

import functools
import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.covering import tally as tallies
from seqbench.covering.report import covered_words
from seqbench.covering.schedules import SCHEDULES
from seqbench.covering.tally import Tally
from seqbench.errors import UnknownNameError
from seqbench.languages import Language
from tests.algebra.strategies import machines
from tests.covering.oracle import chunk, joins, language

MODES = ["dense", "sparse", "sparse in parts"]
CUTS = (0, 1, 1, 7, 40, 60)  # chunks of 1, 0, 6, 33 and 20 words; the longest words come last


@pytest.fixture(params=MODES)
def mode(request, monkeypatch):
    """The three ways in which compositions are kept."""
    monkeypatch.setattr(tallies, "DENSE", 1 << 25 if request.param == "dense" else 0)
    if request.param == "sparse in parts":
        monkeypatch.setattr(tallies, "KEYS", 10)
    return request.param


@functools.cache
def words_of(name):
    """Words of all lengths up to 20, short ones first, in and outside the domain; as tuples of ids."""
    rng = np.random.default_rng(1)
    symbols = len(language(name).alphabet)
    drawn = [tuple(rng.integers(0, symbols, length).tolist()) for length in np.sort(rng.integers(0, 21, 50))]
    inside = [tuple(row.tolist()) for n in (1, 3, 5, 17, 19) for row in language(name).sample_ids(n, n=2)]
    return sorted([(), *drawn[1:], *inside], key=len)


@functools.cache
def class_of(name, block):
    return language(name).syntactic_class(block)


@functools.cache
def counted(name, schedule, min_width):
    """(level, key) counts, and classes of whole words and of joined blocks, by definition."""
    size, pairs, whole, inner = len(language(name).monoid), Counter(), Counter(), Counter()
    for word in words_of(name):
        if language(name).monoid.labels[class_of(name, word)] < 0:
            continue  # words outside the domain are only numbered
        whole[class_of(name, word)] += 1
        for level, start, left, right in joins(schedule, len(word)):
            middle, end = start + left, start + left + right
            inner[class_of(name, word[start:end])] += 1
            if min(left, right) >= min_width:
                pairs[level, class_of(name, word[start:middle]) * size + class_of(name, word[middle:end])] += 1
    return pairs, whole, inner


def pairs_of(tally):
    return {
        (level, key): count
        for level in tally.levels
        for key, count in zip(tally.pairs(level).keys.tolist(), tally.pairs(level).counts.tolist(), strict=True)
    }


def pooled(pairs):
    found = Counter()
    for (_, key), count in pairs.items():
        found[key] += count
    return dict(found)


def plain(pairs):
    return dict(zip(pairs.keys.tolist(), pairs.counts.tolist(), strict=True))


def tallied(monoid, words, schedule="tree", min_width=1, cuts=None):
    cuts = [0, *(cuts or []), len(words)]
    chunks = [chunk(words[first:last], monoid.machine.alphabet) for first, last in itertools.pairwise(cuts)]
    return Tally(monoid, schedule, min_width).add_all(chunks)


def facts(tally):
    """All that a tally tells, as plain data."""
    arrays = [getattr(tally, name).tolist() for name in ("whole", "nodes", "lengths")]
    return pairs_of(tally), plain(tally.pairs()), tally.words, tally.outside, *arrays


@pytest.mark.parametrize("min_width", [1, 2])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_counts_are_those_of_plain_python(dataset, schedule, min_width, mode):
    words, monoid = words_of(dataset), language(dataset).monoid
    assert len(words) == CUTS[-1]
    found = tallied(monoid, words, schedule, min_width, CUTS[1:-1])
    pairs, whole, inner = counted(dataset, schedule, min_width)
    assert pairs_of(found) == dict(pairs), mode
    assert found.levels == sorted({level for level, _ in pairs})
    assert plain(found.pairs()) == pooled(pairs)
    assert {i: n for i, n in enumerate(found.whole.tolist()) if n} == dict(whole)
    assert {i: n for i, n in enumerate(found.nodes.tolist()) if n} == dict(inner)
    labels = language(dataset).monoid.labels
    lengths = Counter(len(word) for word in words if labels[class_of(dataset, word)] >= 0)
    assert found.lengths.tolist() == [lengths[n] for n in range(max(lengths) + 1)]
    assert found.words == len(words)
    outside = sum(int(language(dataset).machine.outputs[run(dataset, word)] < 0) for word in words)
    assert found.outside == outside
    assert (outside > 0) == dataset.startswith("modular")


def run(name, word):
    machine, state = language(name).machine, 0
    for symbol in word:
        state = int(machine.transitions[state, symbol])
    return state


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_words_without_a_join_show_nothing(schedule, mode):
    monoid = language("dyck_d2").monoid
    empty = Tally(monoid, schedule)
    assert (empty.words, empty.levels, len(empty.pairs()), len(empty.pairs(1))) == (0, [], 0, 0)
    found = tallied(monoid, ["", "0", "1", "1", ""], schedule, cuts=[1, 2])
    assert (found.words, found.levels, len(found.pairs())) == (5, [], 0), mode
    assert found.whole.tolist()[:3] == [2, 1, 2]
    assert found.nodes.sum() == 0
    assert found.lengths.tolist() == [2, 3]


def test_at_least_and_len_count_different_compositions(mode):
    found = tallied(language("parity_check").monoid, ["00", "00", "01", "11", "11", "11"]).pairs()
    assert (len(found), found.at_least(1).tolist(), found.at_least(2).tolist()) == (3, [0, 1, 3], [0, 3]), mode
    assert found.at_least(4).tolist() == []


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_pair_of_a_level_that_is_not_there_is_empty(schedule):
    found = tallied(language("parity_check").monoid, ["0101"], schedule)
    assert all(len(found.pairs(level)) == 0 for level in (0, 40, 64, 200, -1))


@pytest.mark.parametrize("dense", [True, False])
@given(data=st.data())
def test_chunks_do_not_matter(dense, data):
    machine = data.draw(machines(max_states=4))
    monoid = Monoid.of(machine)
    symbols = st.integers(0, machine.num_symbols - 1)
    words = data.draw(st.lists(st.lists(symbols, max_size=40), max_size=12))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(words)), max_size=4)))
    schedule = data.draw(st.sampled_from(sorted(SCHEDULES)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tallies, "DENSE", 1 << 25 if dense else 0)
        found = facts(tallied(monoid, words, schedule, cuts=cuts))
        assert found == facts(tallied(monoid, words[::-1], schedule, cuts=[len(words) // 2]))


@pytest.mark.parametrize("cells", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_counts_outlast_the_change_from_a_table_to_keys(schedule, cells, monkeypatch):
    """Levels grow with the words, and at some length the table no longer fits."""
    monoid = language("tomita_4").monoid
    words = [word for word in words_of("tomita_4") if len(word) > 1]
    kept = facts(tallied(monoid, words, schedule))
    monkeypatch.setattr(tallies, "DENSE", cells * len(monoid) ** 2)
    assert facts(tallied(monoid, words, schedule, cuts=list(range(1, len(words))))) == kept


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_walking_counts_what_the_product_table_counts(dataset, schedule, monkeypatch):
    words, monoid = words_of(dataset), language(dataset).monoid
    kept = tallied(monoid, words, schedule)
    monkeypatch.setattr(tallies, "MAX_TABLE", 1)
    walked = tallied(monoid, words, schedule, cuts=[3])
    assert walked._table.size == 0  # else nothing would be tested
    assert facts(walked) == facts(kept)


def transformations(points):
    """All maps of some points: a cycle, a swap, and one that joins two points; the label is where point 0 goes."""
    cycle, swap = [(i + 1) % points for i in range(points)], [1, 0, *range(2, points)]
    table = np.array([cycle, swap, [0, 0, *range(2, points)]]).T
    return Machine.build("abc", table, list(range(points)), labels=[f"p{i}" for i in range(points)])


@functools.cache
def all_maps():
    return Language(transformations(6))


def test_a_monoid_beyond_every_table_is_walked():
    lang = all_maps()
    assert len(lang.monoid) == 6**6
    rng = np.random.default_rng(2)
    words = ["".join(rng.choice(list("abc"), length)) for length in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55] * 4]
    for schedule in SCHEDULES:
        found, expected = tallied(lang.monoid, words, schedule, cuts=[5, 11]), Counter()
        for word in words:
            for level, start, left, right in joins(schedule, len(word)):
                a = lang.syntactic_class(word[start : start + left])
                b = lang.syntactic_class(word[start + left : start + left + right])
                expected[level, a * len(lang.monoid) + b] += 1
        assert pairs_of(found) == dict(expected)
        assert plain(found.pairs()) == pooled(expected)
        assert found.nodes.sum() == sum(len(joins(schedule, len(word))) for word in words)


@pytest.mark.parametrize("min_width", [1, 2])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_keys_of_lists_each_word_in_turn(schedule, min_width, mode):
    lang, size = language("tomita_3"), len(language("tomita_3").monoid)
    words = words_of("tomita_3")
    train = tallied(lang.monoid, words[:10], schedule, min_width)
    found = iter(train.keys_of(chunk(words)).tolist())
    for word in words:
        expected = [
            class_of("tomita_3", word[s : s + u]) * size + class_of("tomita_3", word[s + u : s + u + v])
            for _, s, u, v in joins(schedule, len(word), min_width)
        ]
        mine = [next(found) for _ in expected]
        assert sorted(mine) == sorted(expected), mode
        if schedule != "scan":  # of which the ways up and down may interleave
            assert mine == expected
    assert next(found, None) is None


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_keys_of_and_covered_words_count_nothing(schedule, mode):
    monoid, words = language("tomita_3").monoid, words_of("tomita_3")
    train, untouched = (tallied(monoid, words[:25], schedule) for _ in range(2))
    train.keys_of(chunk(words))
    covered_words(train, chunk(words))
    assert facts(train) == facts(untouched), mode


@pytest.mark.parametrize("min_width", [1, 2])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_covered_words_are_those_without_an_unseen_join(dataset, schedule, min_width):
    words, monoid = words_of(dataset), language(dataset).monoid
    train = tallied(monoid, words[10::3], schedule, min_width)
    seen = set(train.pairs().keys.tolist())
    expected = [
        all(
            class_of(dataset, word[s : s + u]) * len(monoid) + class_of(dataset, word[s + u : s + u + v]) in seen
            for _, s, u, v in joins(schedule, len(word), min_width)
        )
        for word in words
    ]
    assert any(expected)
    assert covered_words(train, chunk(words, monoid.machine.alphabet)).tolist() == expected


def test_a_tally_of_nothing_covers_words_without_joins_only():
    train = Tally(language("parity_check").monoid)
    assert covered_words(train, chunk(["", "0", "01", "1"])).tolist() == [True, True, False, True]
    assert covered_words(train, chunk([])).tolist() == []


def test_an_unknown_schedule_is_refused():
    with pytest.raises(UnknownNameError, match="tree"):
        Tally(language("parity_check").monoid, "threes")


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_many_words_are_plain_use(schedule):
    """200,000 words at once and in 50 chunks; a scan over the words for every word would take hours."""
    monoid, rng = language("dyck_d6").monoid, np.random.default_rng(3)
    lengths = rng.integers(1, 41, 200_000)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    tokens = rng.integers(0, 2, offsets[-1]).astype(np.uint8)
    once, often = Tally(monoid, schedule), Tally(monoid, schedule)
    once.add((tokens, offsets))
    for rows in np.split(np.arange(200_000), 50):
        begin, end = offsets[rows[0]], offsets[rows[-1] + 1]
        often.add((tokens[begin:end], offsets[rows[0] : rows[-1] + 2] - begin))
    assert facts(once) == facts(often)
    assert covered_words(once, (tokens, offsets)).all()
    if schedule != "scan":
        assert once.pairs().counts.sum() == (lengths - 1).sum()
