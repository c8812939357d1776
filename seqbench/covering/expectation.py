"""Expected coverage of a recipe: what a training set drawn by it will show, computed without drawing one."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.alphabet import decode
from seqbench.covering.api import task_of
from seqbench.covering.bounds import ChanceBounds
from seqbench.covering.expected import Task, expected_counts
from seqbench.covering.foreseen import fully_covered, seen
from seqbench.covering.possible import possible, union
from seqbench.covering.schedules import level_name
from seqbench.covering.subject import plan_for
from seqbench.covering.witness import Witnesses
from seqbench.errors import InputError
from seqbench.generation.plan import Folder, Plan
from seqbench.languages import Language

Array = npt.NDArray[Any]

QUICK = 30_000_000  # compositions times lengths whose chances take half a minute or less


@dataclass(frozen=True)
class LikelyMissing:
    """A composition that the test needs and training may miss.

    Attributes:
        left, right: shortest words of the classes.
        share: of the test's compositions.
        chance: that no training word shows it (at most, where only bounds are known).
        witness: a shortest word that shows it, None if that has over 16,384 symbols.
    """

    left: str
    right: str
    share: float
    chance: float
    witness: str | None


@dataclass(frozen=True, eq=False, repr=False)
class ExpectedCoverage:
    """What a random training set shows.

    Attributes:
        plan: the dataset with the recipe's options.
        task: its language and schedule.
        counts: expected number of nodes of each composition in one training word, by level, (classes, classes).
        keys: compositions that training words can show, a * classes + b, rising.
    """

    plan: Plan
    task: Task
    counts: dict[int, Array]
    keys: Array

    @property
    def lengths(self) -> Array:
        """Lengths of training words, all alike."""
        return np.asarray(self.plan.splits["train"].split.lengths)

    @property
    def examples(self) -> int:
        """Number of training words."""
        return self.plan.splits["train"].num_examples

    @cached_property
    def bounds(self) -> Array:
        """Least and largest chance that one training word shows each composition, shape (2, keys); mostly equal."""
        return _chances(self.task, self.plan.recipe.sampling, self.lengths).mixed(self.keys)

    @property
    def chance(self) -> Array:
        """Chance (or the least, where `is_exact` is false) that one training word shows each composition."""
        return np.asarray(self.bounds[0])

    @property
    def is_exact(self) -> bool:
        """Whether the chances are exact: not for large monoids under scan, nor for composition under scan and left."""
        return bool(np.array_equal(*self.bounds))

    @property
    def is_quick(self) -> bool:
        """Whether the chances are there already, or can be had in half a minute."""
        return "bounds" in vars(self) or len(self.keys) * len(self.lengths) <= QUICK

    @property
    def most_seen(self) -> float:
        """No more different compositions are expected: the chance is at most the expected number of nodes."""
        if "bounds" in vars(self):
            return float(seen(self.bounds[1], self.examples).sum())
        nodes = np.sum(list(self.counts.values()), axis=0).ravel()[self.keys] if self.counts else np.zeros(0)
        return float(seen(nodes, self.examples).sum())

    @cached_property
    def seen(self) -> Array:
        """Chance that the training set shows each composition at least once (the least, as `chance`)."""
        return seen(self.chance, self.examples)

    @property
    def expected_seen(self) -> float:
        """Expected number of different compositions that the training set shows (the least, as `chance`)."""
        return float(self.seen.sum())

    @cached_property
    def test_need(self) -> Array:
        """Expected nodes of each composition, at any level, in one test word drawn as the dataset's file says."""
        lengths = self.plan.splits["test"].split.lengths
        spread = np.full(len(lengths), 1 / len(lengths))
        found = expected_counts(self.task, self.plan.default_sampling, lengths, spread)
        nothing = np.zeros((len(self.task.monoid),) * 2)
        return np.asarray(np.sum([nothing, *found.values()], axis=0))

    @property
    def test_mass_covered(self) -> float:
        """Expected share of the test's compositions, counted as often as they occur, that training shows."""
        need = self.test_need.ravel()
        return float((need[self.keys] * self.seen).sum() / need.sum()) if need.any() else 1.0

    @cached_property
    def curve_bounds(self) -> tuple[Array, Array, Array]:
        """Test lengths; least and largest expected share of test words all of whose compositions training shows.

        Raises:
            InputError: test words by composition and another schedule than tree.
        """
        lengths = self.plan.splits["test"].split.lengths
        test = _chances(self.task, self.plan.default_sampling, lengths)
        return lengths, *fully_covered(test, self.keys, self.bounds, self.examples)

    @property
    def curve(self) -> tuple[Array, Array]:
        """Test lengths and the least expected share of test words all of whose compositions training shows."""
        lengths, low, _ = self.curve_bounds
        return lengths, low

    @property
    def has_curve(self) -> bool:
        """Whether the curve is known."""
        return self.task.schedule == "tree" or "composition" not in self.plan.default_sampling

    def missing(self, most: int = 20) -> list[LikelyMissing]:
        """The compositions that the test needs and training may miss, most mass expected to be lost first."""
        need, unseen = self.test_need.ravel() / max(self.test_need.sum(), 1e-300), np.ones(self.test_need.size)
        unseen[self.keys] = 1 - self.seen
        lost = need * unseen
        keys = np.argsort(-lost, kind="stable")[:most]
        witnesses, monoid, alphabet = Witnesses(self.task), self.task.monoid, self.task.machine.alphabet
        found = []
        for key in keys[lost[keys] > 0].tolist():
            left, right = divmod(key, len(monoid))
            word = witnesses.word(left, right)
            witness = None if word is None else decode(alphabet, word)
            found.append(
                LikelyMissing(monoid.name(left), monoid.name(right), float(need[key]), float(unseen[key]), witness)
            )
        return found

    def shown_by(self, words: int) -> float:
        """Expected number of compositions that at least so many training words show (Poisson tail of the mean)."""
        mean = self.examples * -np.log1p(-np.minimum(self.chance, 1 - 1e-16))
        term, below = np.exp(-mean), np.zeros_like(mean)
        for k in range(words):
            below += term
            term = term * mean / (k + 1)
        return float((1 - below).sum())

    def to_dict(self, *, exact: bool | None = None, most: int = 20) -> dict[str, Any]:
        """The numbers as plain data.

        Args:
            exact: whether to compute chances, however long it takes; by default if it is quick, else bounds are given.
            most: compositions named as likely to be missing.
        """
        facts = {
            "language": self.plan.name,
            "num_classes": len(self.task.monoid),
            "schedule": self.task.schedule,
            "min_width": self.task.min_width,
            "train_examples": self.examples,
            "train_lengths": [int(self.lengths[0]), int(self.lengths[-1])],
            "sampling": self.plan.recipe.sampling,
            "levels": self._levels(),
            "possible_in_training": len(self.keys),
            "needed_by_test": int((self.test_need > 0).sum()),
        }
        if not (self.is_quick if exact is None else exact):
            return facts | {"expected_seen_at_most": self.most_seen}
        facts |= {
            "is_exact": self.is_exact,
            "expected_seen": self.expected_seen,
            "expected_seen_at_most": self.most_seen,
            "expected_in_3_words": self.shown_by(3),
            "expected_in_10_words": self.shown_by(10),
            "test_mass_covered": self.test_mass_covered,
            "rarest_chance": float(self.chance.min(initial=1.0)),
            "missing": [asdict(each) for each in self.missing(most)],
        }
        if self.has_curve:
            lengths, low, high = (each.tolist() for each in self.curve_bounds)
            facts["words_fully_covered"] = dict(zip(lengths, low, strict=True))
            facts["words_fully_covered_at_most"] = dict(zip(lengths, high, strict=True))
        return facts

    def _levels(self) -> list[dict[str, Any]]:
        return [
            {
                "level": level_name(self.task.schedule, level),
                "possible": int((count > 0).sum()),
                "expected_nodes_in_a_word": float(count.sum()),
            }
            for level, count in self.counts.items()
        ]

    def __repr__(self) -> str:
        """The numbers as text."""
        from seqbench.covering.tell import expected_text

        return expected_text(self.to_dict(most=5))

    def _repr_html_(self) -> str:
        """The numbers in a notebook."""
        from seqbench.covering.tell import expected_html

        return expected_html(self.to_dict())


def _chances(task: Task, weights: dict[str, float], lengths: Array) -> ChanceBounds:
    return ChanceBounds(task, weights, lengths, np.full(len(lengths), 1 / len(lengths)))


def expected_coverage(
    name: str | Language, *, schedule: str = "tree", min_width: int = 1, catalogue: Folder = None, **options: Any
) -> ExpectedCoverage:
    """The expected coverage of a recipe, exactly.

    Args:
        name: a dataset, or a Language of your own (words by the law uniform, lengths as of a dataset).
        schedule: how a model joins blocks: "tree", "scan" or "left".
        min_width: leave out joins with a narrower block.
        catalogue: a folder with definitions of your own.
        options: options of the dataset, such as train_lengths, sampling, train_examples, test_lengths.

    Raises:
        SeqbenchError: whatever is wrong with the name or an option; a law or length for which it is not known.

    Example:
        >>> found = expected_coverage("parity_check", train_lengths=(2, 2), train_examples=1)
        >>> round(found.expected_seen, 9), len(found.keys)
        (1.0, 4)
    """
    planned = plan_for(name, catalogue, **{"near_miss": False, **options})
    task = task_of(planned, schedule, min_width)
    for split in ("train", "test"):
        if split not in planned.splits:
            option = {"train": "train_examples", "test": "test_examples_per_length"}[split]
            raise InputError(f"{option} is 0, and expected coverage needs the split {split!r}. Give 1 or more.")
    if planned.recipe.held_out:
        raise InputError("Expected coverage is not known for held_out=True. Measure a sample with `seqbench coverage`.")
    lengths = planned.splits["train"].split.lengths
    spread = np.full(len(lengths), 1 / len(lengths))
    weights = planned.recipe.sampling
    counts = expected_counts(task, weights, lengths, spread)
    keys = union(possible(task, lengths)).keys()
    keys = (
        keys[np.sum(list(counts.values()), axis=0).ravel()[keys] > 0] if counts else keys
    )  # what this recipe can show
    return ExpectedCoverage(planned, task, counts, keys)
