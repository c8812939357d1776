"""Every sampling law over every language, against the distribution that its definition gives, word by word.

The expected probabilities are computed by brute force from the transition table alone: no tables, no monoid.
Chi-square tests with fixed seeds and p > 1e-6; there are about a thousand, so a correct sampler would fail one of them
under one seed in a thousand.
"""

import functools
import itertools
import threading

import numpy as np
import pytest
from scipy import stats

from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.catalogue.recipe import SAMPLINGS
from seqbench.errors import InputError
from seqbench.generation import streams as rng
from seqbench.generation.edits import KINDS, num_edits
from seqbench.generation.laws import LAWS
from seqbench.generation.sampler import Sampler
from seqbench.languages import language

LENGTHS = {1: (1, 2, 7), 2: (1, 2, 3, 6, 9), 3: (1, 2, 3, 5), 4: (1, 2, 4), 8: (1, 3, 5)}
ROWS = 60_000
LEAST = 1e-6


class Brute:
    """All words of one length of a machine."""

    def __init__(self, machine, length):
        self.machine, self.length, self.symbols = machine, length, machine.num_symbols
        words = np.array(list(itertools.product(range(self.symbols), repeat=length)), dtype=np.int64)
        self.words = words.reshape(self.symbols**length, length)
        self.maps = self.maps_of(self.words)
        self.labels = machine.outputs[self.maps[:, 0]]

    def maps_of(self, words):
        """The state reached from every state by every word."""
        maps = np.tile(np.arange(self.machine.num_states), (len(words), 1))
        for column in words.T:
            maps = self.machine.transitions[maps, column[:, None]]
        return maps

    def alike(self, groups):
        """A group uniformly among those there are (-1: none), then a word uniformly."""
        there, sizes = np.unique(groups[groups >= 0], return_counts=True)
        share = dict(zip(there.tolist(), (1 / (len(there) * sizes)).tolist(), strict=True))
        return np.array([share.get(group, 0.0) for group in groups.tolist()])

    def classes(self, words):
        return np.unique(self.maps_of(words), axis=0, return_inverse=True)[1].reshape(-1)

    def uniform(self, labels):
        return self.alike(np.where(labels >= 0, 0, -1))

    def balanced(self, labels):
        return self.alike(labels)

    def member(self, labels):
        return self.alike(np.where(labels == 1, 0, -1))

    def by_class(self, labels):
        return self.alike(np.where(labels >= 0, self.classes(self.words), -1))

    def composition(self, labels):
        if self.length < 2:
            return self.by_class(labels)
        cut = 1
        while 2 * cut < self.length:
            cut *= 2
        left, right = self.classes(self.words[:, :cut]), self.classes(self.words[:, cut:])
        pairs = left * (right.max() + 1) + right
        return self.alike(np.where(labels >= 0, pairs, -1))

    def near_miss(self, labels):
        """Counts of (member, kind, edit) that lead outside, each with its probability."""
        del labels
        chance = np.zeros(len(self.words))
        number = {tuple(word): i for i, word in enumerate(self.words.tolist())}
        for i in np.flatnonzero(self.labels == 1):
            word = self.words[i].tolist()
            for edits in (self.substitutions(word), self.swaps(word), self.moves(word)):
                edited = [number[tuple(each)] for each in edits]
                for j in edited:
                    if self.labels[j] == 0:
                        chance[j] += 1 / len(edited)
        return chance / chance.sum() if chance.any() else chance

    def substitutions(self, word):
        return [[*word[:i], b, *word[i + 1 :]] for i in range(self.length) for b in range(self.symbols) if b != word[i]]

    def swaps(self, word):
        found = []
        for i, j in itertools.combinations(range(self.length), 2):
            swapped = list(word)
            swapped[i], swapped[j] = word[j], word[i]
            found.append(swapped)
        return found

    def moves(self, word):
        found = []
        for i, j in itertools.permutations(range(self.length), 2):
            rest = [*word[:i], *word[i + 1 :]]
            found.append([*rest[:j], word[i], *rest[j:]])
        return found

    def chances(self, law, labels=None):
        rule = {"class": self.by_class}.get(law) or getattr(self, law)
        return rule(self.labels if labels is None else labels)


@functools.lru_cache(maxsize=64)
def brute(machine, length):
    return Brute(machine, length)


def sample(machine, monoid, weights, lengths, rows=ROWS, labels=None, seed="laws"):
    """Rows of mixed lengths; their words as numbers."""
    sampler = Sampler(machine, monoid, weights, labels)
    admitted = sampler.admits(max(lengths))
    used = [n for n in lengths if admitted[n]]
    drawn = np.resize(np.array(used, dtype=np.int64), rows if used else 0)
    streams = rng.row_streams(rng.unit_key(seed, str(weights)), np.arange(len(drawn)))
    return sampler.sample(drawn, streams), drawn, admitted


def numbers(rows, lengths, length, symbols):
    """The words of a length as numbers in base `symbols`."""
    which = np.flatnonzero(lengths == length)
    words = rows.tokens[rows.offsets[which][:, None] + np.arange(length)]
    return words.astype(np.int64) @ symbols ** np.arange(length - 1, -1, -1)


def check(found, chances):
    """Whether word numbers follow the probabilities."""
    counts = np.bincount(found, minlength=len(chances))
    assert counts[chances == 0].sum() == 0
    expected = chances * len(found)
    assert np.isclose(expected.sum(), len(found))
    small = expected < 5  # put together, so that the statistic follows its distribution
    counts, expected = (
        np.append(counts[~small], counts[small].sum()),
        np.append(expected[~small], expected[small].sum()),
    )
    counts, expected = counts[expected > 0], expected[expected > 0]
    if len(expected) > 1:
        assert stats.chisquare(counts, expected).pvalue > LEAST


def check_symbols(found, chances, symbols, length):
    """Whether the symbols at each position follow the probabilities: far more sensitive to a common skew."""
    counts = np.bincount(found, minlength=len(chances))
    for position in range(length):
        digit = np.arange(len(chances)) // symbols**position % symbols
        expected = np.bincount(digit, chances, minlength=symbols) * len(found)
        seen = np.bincount(digit, counts, minlength=symbols)
        there = expected > 0
        if there.sum() > 1:
            assert stats.chisquare(seen[there], expected[there]).pvalue > LEAST


def test_the_yardsticks_find_a_skew():
    """The second one 52 to 48, a fault of a peer, the first one 56 to 44."""
    chances, random = np.full(64, 1 / 64), np.random.default_rng(0)
    fair = random.choice(64, 240_000, p=chances)
    check(fair[:12_000], chances)
    check_symbols(fair, chances, 2, 6)
    with pytest.raises(AssertionError):
        check(random.choice(64, 12_000, p=np.repeat([0.56 / 32, 0.44 / 32], 32)), chances)
    with pytest.raises(AssertionError):
        check_symbols(random.choice(64, 240_000, p=np.repeat([0.52 / 32, 0.48 / 32], 32)), chances, 2, 6)
    with pytest.raises(AssertionError):
        check(np.array([0, 1]), np.array([1.0, 0.0]))


@pytest.mark.parametrize("law", ["uniform", "balanced", "near_miss"])
def test_symbols_of_240_000_words_at_every_position(law, language):
    machine, monoid = language
    if law not in laws_for(machine):
        pytest.skip("no members")
    length = max(n for n in LENGTHS[machine.num_symbols] if brute(machine, n).chances(law).any())
    found = []
    for unit in range(4):
        rows, drawn, _ = sample(machine, monoid, {law: 1.0}, [length], seed=f"symbols {unit}")
        found.append(numbers(rows, drawn, length, machine.num_symbols))
    check_symbols(np.concatenate(found), brute(machine, length).chances(law), machine.num_symbols, length)


def laws_for(machine):
    return [law for law in SAMPLINGS if machine.is_acceptor or law not in ("near_miss", "member")]


@pytest.mark.parametrize("law", SAMPLINGS)
def test_a_law_draws_what_its_definition_says(law, language):
    machine, monoid = language
    if law not in laws_for(machine):
        pytest.skip("no members")
    lengths = LENGTHS[machine.num_symbols]
    rows, drawn, admitted = sample(machine, monoid, {law: 1.0}, lengths)
    for length in lengths:
        chances = brute(machine, length).chances(law)
        assert admitted[length] == chances.any(), length
        if admitted[length]:
            check(numbers(rows, drawn, length, machine.num_symbols), chances)
    run = machine.outputs[machine.run(rows.tokens, rows.offsets)]
    assert np.array_equal(rows.labels, run)
    assert np.array_equal(rows.classes, monoid.class_of(rows.tokens, rows.offsets))


@pytest.mark.parametrize("law", ["uniform", "balanced"])
def test_classes_may_be_left_out(law, language):
    """The same words and labels come without a monoid."""
    machine, monoid = language
    lengths = LENGTHS[machine.num_symbols]
    with_classes, _, _ = sample(machine, monoid, {law: 1.0}, lengths, rows=500)
    without, _, _ = sample(machine, None, {law: 1.0}, lengths, rows=500)
    assert without.classes is None
    assert np.array_equal(without.tokens, with_classes.tokens)
    assert np.array_equal(without.labels, with_classes.labels)


@pytest.mark.parametrize(
    "weights", [{"uniform": 1.0, "class": 3.0}, {"balanced": 0.5, "composition": 0.25, "class": 0.25, "uniform": 0.0}]
)
def test_mixtures(weights, language):
    """By weight among the laws that have a word of the length; here all or none have."""
    machine, monoid = language
    lengths = LENGTHS[machine.num_symbols]
    rows, drawn, admitted = sample(machine, monoid, weights, lengths)
    for length in lengths:
        if admitted[length]:
            each = [weight * brute(machine, length).chances(law) for law, weight in weights.items()]
            check(numbers(rows, drawn, length, machine.num_symbols), sum(each) / sum(weights.values()))


def test_mixtures_where_some_laws_have_no_word(language):
    machine, monoid = language
    if not machine.is_acceptor:
        pytest.skip("no members")
    weights = {"near_miss": 2.0, "member": 1.0, "balanced": 1.0}
    lengths = LENGTHS[machine.num_symbols]
    rows, drawn, admitted = sample(machine, monoid, weights, lengths)
    for length in lengths:
        chances = {law: brute(machine, length).chances(law) for law in weights}
        there = [law for law in weights if chances[law].any()]
        assert admitted[length] == bool(there)
        mixed = sum(weights[law] * chances[law] for law in there) / sum(weights[law] for law in there)
        check(numbers(rows, drawn, length, machine.num_symbols), mixed)


@pytest.mark.parametrize("law", ["uniform", "balanced", "class", "composition"])
def test_laws_keep_to_the_labels_asked_for(law, language):
    machine, monoid = language
    wanted = tuple(range(0, machine.num_labels, 2))
    lengths = LENGTHS[machine.num_symbols]
    rows, drawn, admitted = sample(machine, monoid, {law: 1.0}, lengths, labels=wanted)
    assert np.isin(rows.labels, wanted).all()
    for length in lengths:
        all_labels = brute(machine, length).labels
        labels = np.where(np.isin(all_labels, wanted), all_labels, -1)
        chances = brute(machine, length).chances(law, labels)
        assert admitted[length] == chances.any()
        if admitted[length]:
            check(numbers(rows, drawn, length, machine.num_symbols), chances)


@pytest.mark.parametrize(("law", "label"), [("near_miss", 1), ("member", 0)])
def test_a_law_whose_words_have_another_label_draws_nothing_or_is_refused(law, label, language):
    machine, monoid = language
    if not machine.is_acceptor:
        pytest.skip("no members")
    try:
        sampler = Sampler(machine, monoid, {law: 1.0}, (label,))
    except InputError:
        return
    assert not sampler.admits(20).any(), f"{law} words have the label {1 - label}, but {label} was asked for"


@pytest.mark.parametrize("law", ["near_miss", "member"])
def test_laws_of_members_refuse_languages_without(law, language):
    machine, monoid = language
    if machine.is_acceptor:
        pytest.skip("has members")
    with pytest.raises(InputError, match="member"):
        Sampler(machine, monoid, {law: 1.0})


@pytest.mark.parametrize("law", ["class", "composition"])
def test_laws_by_class_refuse_to_work_without_classes(law, language):
    with pytest.raises(InputError, match="classes=False"):
        Sampler(language[0], None, {law: 1.0})


@pytest.mark.parametrize("length", [499, 500])
def test_classes_of_long_words_are_uniform(length, language):
    """Uniform over the classes that the length reaches, within the domain."""
    machine, monoid = language
    wanted = np.flatnonzero(monoid.reach(length) & (machine.outputs[monoid.maps[:, 0]] >= 0))
    sampler = Sampler(machine, monoid, {"class": 1.0})
    assert sampler.admits(length)[length] == bool(len(wanted))
    if len(wanted) == 0:
        pytest.skip("no word of the length in the domain")
    rows = sampler.sample(np.full(9000, length), rng.row_streams(rng.unit_key("long", length), np.arange(9000)))
    assert np.array_equal(rows.classes, monoid.class_of(rows.tokens, rows.offsets))
    counts = np.bincount(rows.classes, minlength=len(monoid))
    assert counts[wanted].sum() == 9000
    if len(wanted) > 1:
        assert stats.chisquare(counts[wanted]).pvalue > LEAST


@pytest.mark.parametrize("length", [5, 64, 500])
def test_pairs_of_long_words_are_uniform(length, language):
    """The root joins uniform pairs: here by the class left of it, whose weight is the number of classes it can meet."""
    machine, monoid = language
    cut = {5: 4, 64: 32, 500: 256}[length]
    left, right = np.flatnonzero(monoid.reach(cut)), np.flatnonzero(monoid.reach(length - cut))
    after = monoid.maps[right][:, monoid.maps[left, 0]]  # state after the pair, shape (right, left)
    weights = (machine.outputs[after] >= 0).sum(axis=0)
    if not weights.any():
        pytest.skip("no word of the length in the domain")
    sampler = Sampler(machine, monoid, {"composition": 1.0})
    rows = sampler.sample(np.full(9000, length), rng.row_streams(rng.unit_key("pairs", length), np.arange(9000)))
    halves = rows.tokens.reshape(9000, length)[:, :cut]
    classes = monoid.class_of(halves.ravel(), np.arange(9001) * cut)
    counts = np.bincount(classes, minlength=len(monoid))[left]
    assert counts.sum() == 9000
    expected = 9000 * weights / weights.sum()
    there = expected > 0
    assert counts[~there].sum() == 0
    if there.sum() > 1:
        assert stats.chisquare(counts[there], expected[there]).pvalue > LEAST


def test_neighbouring_rows_are_independent():
    """The joint distribution of a word of three fair bits with the next, and with one a tile away: 64 cells."""
    machine = Machine.build("01", [[0, 1], [1, 0]], [0, 1])
    for law in ("uniform", "balanced", "class"):
        sampler = Sampler(machine, Monoid.of(machine), {law: 1.0})
        rows = sampler.sample(np.full(60_000, 3), rng.row_streams(rng.unit_key("neighbours"), np.arange(60_000)))
        words = rows.tokens.reshape(-1, 3) @ np.array([4, 2, 1])
        for distance in (1, 64):
            joint = np.bincount(8 * words[:-distance] + words[distance:], minlength=64)
            assert stats.chisquare(joint).pvalue > LEAST


def test_a_row_is_the_same_in_any_company():
    """A row depends on its own stream and length only."""
    machine = Machine.build("abc", [[0, 1, 2], [1, 2, 0], [2, 2, 1]], [0, 1, 1])
    for law in SAMPLINGS:
        sampler = Sampler(machine, Monoid.of(machine), {law: 1.0, "uniform": 0.5})
        lengths = 1 + np.arange(300) % 23
        streams = rng.row_streams(rng.unit_key("company"), np.arange(300))
        together = sampler.sample(lengths, streams)
        some = np.array([299, 3, 64, 130, 131])
        alone = sampler.sample(lengths[some], np.ascontiguousarray(streams[:, some]))
        for i, row in enumerate(some):
            one = alone.tokens[alone.offsets[i] : alone.offsets[i + 1]]
            assert one.tolist() == together.tokens[together.offsets[row] : together.offsets[row + 1]].tolist()


def test_attempts_are_independent_draws():
    machine = Machine.build("01", [[0, 1], [1, 0]], [0, 1])
    sampler = Sampler(machine, None, {"balanced": 1.0})
    streams = rng.row_streams(rng.unit_key("attempts"), np.arange(200))
    drawn = [sampler.sample(np.full(200, 64), streams, attempt=k).tokens.reshape(200, 64) for k in range(3)]
    for one, other in itertools.combinations(drawn, 2):
        assert not (one == other).all(axis=1).any()  # two words of 64 fair bits are equal with probability 2^-64


def test_num_edits_counts_the_edits_that_there_are():
    for symbols, length in itertools.product([1, 2, 3], range(1, 6)):
        machine = Machine.build("abc"[:symbols], [[0] * symbols], [0])
        words = Brute(machine, length)
        word = [0] * length
        found = [len(words.substitutions(word)), len(words.swaps(word)), len(words.moves(word))]
        assert found == [num_edits(kind, length, symbols) for kind in KINDS]


def test_every_law_is_a_sampling_and_the_other_way_round():
    assert set(LAWS) == set(SAMPLINGS)


@pytest.mark.parametrize("symbols", [1, 3, 12])
def test_random_machines(symbols):
    """Alphabets that the catalogue lacks: of one, of three, and of so many that nodes have more than eight in-edges."""
    random = np.random.default_rng(symbols)
    lengths = {1: (1, 2, 7), 3: (1, 2, 4), 12: (1, 2, 3)}[symbols]
    for states in (2, 3, 5):
        table, outputs = random.integers(0, states, (states, symbols)), random.integers(0, 2, states)
        machine = Machine.build([f"s{a}" for a in range(symbols)], table, outputs)
        monoid = Monoid.of(machine)
        for law in SAMPLINGS:
            rows, drawn, admitted = sample(machine, monoid, {law: 1.0}, lengths, rows=30_000)
            for length in lengths:
                chances = brute(machine, length).chances(law)
                assert admitted[length] == chances.any()
                if admitted[length]:
                    check(numbers(rows, drawn, length, symbols), chances)


def test_a_law_that_is_being_prepared_still_draws_rightly(monkeypatch):
    """One thread makes larger tables, halted half-way, while another draws with what was there before."""
    law = Sampler(language("dyck_d3").machine, None, {"balanced": 1.0}).laws[0]
    lengths, streams = np.full(200, 20), rng.row_streams(rng.unit_key("threads"), np.arange(200))
    expected = law.draw_ends(lengths, streams)
    halted, released, cumsum = threading.Event(), threading.Event(), np.cumsum

    def halting(*args, **kwargs):
        if threading.current_thread() is other:
            halted.set()
            released.wait(10)
        return cumsum(*args, **kwargs)

    other = threading.Thread(target=law.admits, args=(60,))
    monkeypatch.setattr(np, "cumsum", halting)
    other.start()
    assert halted.wait(10)
    found = law.draw_ends(lengths, streams)
    released.set()
    other.join()
    assert (found == expected).all()
