"""Coverage of a training set: what it shows of what can occur, what a test set needs, and what is missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.alphabet import decode
from seqbench.algebra.monoid import Monoid
from seqbench.catalogue.recipe import whole
from seqbench.covering.expected import Task
from seqbench.covering.possible import Compositions, possible, union
from seqbench.covering.schedules import level_name, nodes
from seqbench.covering.tally import Pairs, Tally
from seqbench.covering.witness import Witnesses
from seqbench.languages import Language

Array = npt.NDArray[Any]

TIMES = (1, 3, 10)


@dataclass(frozen=True)
class Need:
    """How much a test distribution needs each composition: keys rising, and weights (counts, or expected counts)."""

    keys: Array
    weight: Array


@dataclass(frozen=True)
class Missing:
    """A composition that the test needs and training never showed.

    Attributes:
        left: shortest word of the class of the left block.
        right: of that of the right block.
        share: of the test's compositions.
        witness: a shortest word that shows it, None if that has over 16,384 symbols.
    """

    left: str
    right: str
    share: float
    witness: str | None


class CoverageReport:
    """What a training set covers.

    Attributes:
        language: what is to be learnt.
        train: counts of the training data.
        test: counts of the test data, or None where the test distribution is that of a recipe.
        test_words: number of test words, or None where the test distribution is that of a recipe, exact.
        curve: for each test length the share of test words all of whose compositions were seen in training.
    """

    def __init__(
        self,
        language: Language,
        train: Tally,
        need: Mapping[int, Need] | None = None,
        test_lengths: Array | None = None,
        test_words: int | None = None,
        curve: tuple[Array, Array] | None = None,
        test: Tally | None = None,
    ) -> None:
        """A report; `need` by level, `curve` as lengths and shares."""
        self.test = test
        self.language, self.train, self.need = language, train, dict(need or {})
        self.test_lengths, self.test_words, self.curve = test_lengths, test_words, curve

    @cached_property
    def _task(self) -> Task:
        machine = self.language.machine
        return Task(machine, self.train.monoid, machine.outputs, self.train.schedule, self.train.min_width)

    @cached_property
    def _witnesses(self) -> Witnesses:
        return Witnesses(self._task)

    @cached_property
    def possible_in_training(self) -> dict[int, Compositions]:
        """Compositions that can occur at the lengths of the training words, by level."""
        return possible(self._task, np.flatnonzero(self.train.lengths[1:]) + 1)

    @cached_property
    def possible_in_test(self) -> dict[int, Compositions]:
        """Compositions that can occur at the test lengths, by level."""
        return {} if self.test_lengths is None else possible(self._task, self.test_lengths)

    @property
    def unseen_mass(self) -> float:
        """Good-Turing estimate of the chance that the next training composition is a new one (Good, 1953)."""
        pooled = self.train.pairs()
        return float((pooled.counts == 1).sum() / max(pooled.counts.sum(), 1))

    @cached_property
    def pooled_need(self) -> Need:
        """The test's need of each composition at whatever level."""
        return _pool(self.need)

    @property
    def test_mass_covered(self) -> float:
        """Share of the test's compositions, counted as often as they occur, that training showed at some level."""
        return self._covered(self.pooled_need, self.train.pairs())

    def rows(self) -> list[dict[str, Any]]:
        """One row a level and one for all levels together: seen, possible, needed, and the test mass covered."""
        levels = sorted({*self.train.levels, *self.need, *self.possible_in_test})
        nothing = Compositions(len(self.train.monoid))
        rows = [
            self._row(
                level_name(self.train.schedule, level),
                self.train.pairs(level),
                self.possible_in_training.get(level, nothing),
                self.possible_in_test.get(level, nothing),
                self.need.get(level),
            )
            for level in levels
        ]
        here, there = (union(each) if each else nothing for each in (self.possible_in_training, self.possible_in_test))
        need = self.pooled_need if self.need or self.test_words is not None else None
        return [*rows, self._row("all levels", self.train.pairs(), here, there, need)]

    def _row(
        self, name: str, seen: Pairs, here: Compositions, there: Compositions, need: Need | None
    ) -> dict[str, Any]:
        row: dict[str, Any] = {"level": name}
        row |= {f"seen_{times}": len(seen.at_least(times)) for times in TIMES}
        row["possible_in_training"] = len(here)
        if self.test_lengths is not None:
            row["possible_in_test"] = len(there)
            row["of_those_seen"] = int(there.contains(seen.keys).sum())
        if need is not None:
            row["test_mass_covered"] = self._covered(need, seen)
        return row

    def _covered(self, need: Need, seen: Pairs) -> float:
        total = need.weight.sum()
        return float(need.weight[np.isin(need.keys, seen.keys)].sum() / total) if total > 0 else 1.0

    def missing(self, most: int = 20) -> list[Missing]:
        """The compositions of the test that training never showed, most frequent first, with shortest witnesses.

        Args:
            most: how many at most.

        Raises:
            InputError: a negative number, or none.
        """
        most = whole("most", most, 0, 1 << 62)
        need = self.pooled_need
        absent = ~np.isin(need.keys, self.train.pairs().keys)
        keys, share = need.keys[absent], need.weight[absent] / max(need.weight.sum(), 1e-300)
        order = np.lexsort((keys, -share))[:most]
        return [self._describe(int(keys[i]), float(share[i])) for i in order]

    def _describe(self, key: int, share: float) -> Missing:
        monoid = self.train.monoid
        left, right = divmod(key, len(monoid))
        word = self._witnesses.word(left, right)
        witness = None if word is None else decode(self.language.alphabet, word)
        return Missing(monoid.name(left), monoid.name(right), share, witness)

    def classes(self) -> dict[str, Any]:
        """Classes of whole words seen and possible, of joined blocks seen, and those never seen."""
        train = self.train
        inside = train.monoid.labels >= 0
        here = _reached(train.monoid, np.flatnonzero(train.lengths)) & inside
        facts: dict[str, Any] = {
            "of_words_seen": int((train.whole > 0).sum()),
            "of_words_possible_in_training": int(here.sum()),
            "of_blocks_seen": int((train.nodes > 0).sum()),
        }
        if self.test_lengths is not None:
            there = _reached(train.monoid, self.test_lengths) & inside
            missing = np.flatnonzero(there & (train.whole == 0) & (train.nodes == 0))
            facts["of_words_possible_in_test"] = int(there.sum())
            facts["num_never_seen"] = len(missing)
            facts["never_seen"] = [train.monoid.name(int(element)) for element in missing[:20]]
        return facts

    def _label_counts(self) -> dict[str, int]:
        """How many training words have each label of the language."""
        labels, inside = self.language.labels, self.train.monoid.labels >= 0
        counts = np.bincount(self.train.monoid.labels[inside], weights=self.train.whole[inside], minlength=len(labels))
        return dict(zip(labels, counts.astype(int).tolist(), strict=True))

    @property
    def num_missing(self) -> int:
        """How many compositions that occur in the test training never showed."""
        return int((~np.isin(self.pooled_need.keys, self.train.pairs().keys)).sum())

    def to_dict(self, most: int = 20) -> dict[str, Any]:
        """The report as plain data."""
        facts: dict[str, Any] = {
            "language": self.language.name,
            "num_classes": len(self.train.monoid),
            "schedule": self.train.schedule,
            "min_width": self.train.min_width,
            "train_words": self.train.words,
            "train_words_outside_the_domain": self.train.outside,
            "first_train_words_outside": [vars(stray) for stray in self.train.strays],
            "train_lengths": _span(np.flatnonzero(self.train.lengths)),
            "train_labels": self._label_counts(),
            "classes": self.classes(),
            "levels": self.rows(),
            "unseen_mass_good_turing": self.unseen_mass,
        }
        if self.need or self.test_words is not None:
            facts |= {
                "test_words": self.test_words,
                "test_words_outside_the_domain": 0 if self.test is None else self.test.outside,
                "first_test_words_outside": [] if self.test is None else [vars(each) for each in self.test.strays],
                "test_lengths": None if self.test_lengths is None else _span(self.test_lengths),
                "test_mass_covered": self.test_mass_covered,
                "num_missing": self.num_missing,
                "missing": [vars(each) for each in self.missing(most)],
            }
        if self.curve is not None:
            lengths, shares = self.curve
            facts["words_fully_covered"] = {int(n): float(share) for n, share in zip(lengths, shares, strict=True)}
        return facts

    def __repr__(self) -> str:
        """The report as text."""
        from seqbench.covering.render import text

        return text(self)

    def _repr_html_(self) -> str:
        """The report in a notebook."""
        from seqbench.covering.page import html

        return html(self)

    def plot(self, kind: str = "maps", *, path: Any = None, by: str = "j_class") -> Any:
        """A picture of the report as a matplotlib figure.

        Args:
            kind: "maps" (heat maps of compositions: train, test, ratio) or "curve" (fully covered words by length).
            path: also written there (.png, .svg or .pdf).
            by: order of the classes in maps: "j_class" (grouped, groups marked) or "shortlex".

        Raises:
            InputError: another kind or order, no test to compare with, or no matplotlib.
        """
        from seqbench.covering.figures import picture
        from seqbench.drawing import save

        drawn = picture(self, kind, by)
        if path is not None:
            save(drawn, path)
        return drawn


def covered_words(train: Tally, chunk: tuple[Array, Array]) -> Array:
    """Whether all compositions of each word were seen in training, bool; words without a composition are covered."""
    seen = train.pairs().keys
    keys = train.keys_of(chunk)
    lengths = np.diff(chunk[1])
    number = {int(n): len(nodes(train.schedule, int(n), train.min_width).level) for n in np.unique(lengths)}
    per_word = np.array([number[int(n)] for n in lengths], dtype=np.int64)
    unseen = np.concatenate([[0], np.cumsum(~_among(keys, seen))])
    ends = np.cumsum(per_word)
    return np.asarray(unseen[ends] == unseen[ends - per_word])


def _among(keys: Array, rising: Array) -> Array:
    if len(rising) == 0:
        return np.zeros(len(keys), dtype=bool)
    place = np.minimum(np.searchsorted(rising, keys), len(rising) - 1)
    return np.asarray(rising[place] == keys)


def _pool(need: Mapping[int, Need]) -> Need:
    if not need:
        return Need(np.empty(0, dtype=np.int64), np.empty(0))
    keys = np.concatenate([each.keys for each in need.values()])
    weight = np.concatenate([each.weight for each in need.values()]).astype(np.float64)
    found, place = np.unique(keys, return_inverse=True)
    return Need(found, np.bincount(place, weights=weight, minlength=len(found)))


def _reached(monoid: Monoid, lengths: Array) -> Array:
    """Classes of words of some lengths, bool."""
    return np.asarray(np.any([monoid.reach(int(n)) for n in lengths], axis=0) if len(lengths) else monoid.labels < -1)


def _span(lengths: Array) -> list[int]:
    return [int(lengths.min(initial=10**9)), int(lengths.max(initial=0))] if len(lengths) else []
