"""Expected coverage of a recipe: what a training set drawn by it will show, computed without drawing one."""

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.api import task_of
from seqbench.covering.chances import Chances
from seqbench.covering.expected import Task, expected_counts
from seqbench.covering.possible import possible, union
from seqbench.covering.schedules import level_name
from seqbench.errors import InputError
from seqbench.generation.plan import Folder, Plan, language_plan

Array = npt.NDArray[Any]

QUICK = 1_000_000  # compositions times lengths whose chances take seconds


@dataclass(frozen=True, eq=False)
class ExpectedCoverage:
    """What a random training set shows, under the balanced reduction.

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

    @cached_property
    def chance(self) -> Array:
        """Chance that one training word shows each composition; may take minutes for many classes and lengths."""
        lengths = self.plan.splits["train"].split.lengths
        spread = np.full(len(lengths), 1 / len(lengths))
        return Chances(self.task, self.plan.recipe.sampling, lengths, spread).mixed(self.keys)

    @property
    def is_quick(self) -> bool:
        """Whether the chances are there already, or can be had in seconds."""
        lengths = self.plan.splits["train"].split.lengths
        return "chance" in vars(self) or len(self.keys) * len(lengths) <= QUICK

    @property
    def most_seen(self) -> float:
        """No more different compositions are expected: the chance is at most the expected number of nodes."""
        nodes = np.sum(list(self.counts.values()), axis=0).ravel()[self.keys] if self.counts else np.zeros(0)
        return float(-np.expm1(self.examples * np.log1p(-np.minimum(nodes, 1 - 1e-16))).sum())

    @property
    def examples(self) -> int:
        """Number of training words."""
        return self.plan.splits["train"].num_examples

    @cached_property
    def seen(self) -> Array:
        """Chance that the training set shows each composition at least once."""
        return np.asarray(-np.expm1(self.examples * np.log1p(-np.minimum(self.chance, 1 - 1e-16))))

    @property
    def expected_seen(self) -> float:
        """Expected number of different compositions that the training set shows."""
        return float(self.seen.sum())

    @cached_property
    def test_need(self) -> Array:
        """Expected nodes of each composition, at any level, in one test word drawn as the dataset's file says."""
        lengths = self.plan.splits["test"].split.lengths
        chance = np.full(len(lengths), 1 / len(lengths))
        found = expected_counts(self.task, self.plan.default_sampling, lengths, chance)
        return np.asarray(sum(found.values()))

    @property
    def test_mass_covered(self) -> float:
        """Expected share of the test's compositions, counted as often as they occur, that training shows."""
        need = self.test_need.ravel()
        return float((need[self.keys] * self.seen).sum() / need.sum())

    def missing(self, most: int = 20) -> list[tuple[str, str, float, float]]:
        """The compositions that the test needs and training may miss: left, right, share of the test, chance."""
        need, chance = self.test_need.ravel() / self.test_need.sum(), np.zeros(self.test_need.size)
        chance[self.keys] = self.seen
        lost = need * (1 - chance)
        keys = np.argsort(-lost, kind="stable")[:most]
        name, size = self.task.monoid.name, len(self.task.monoid)
        return [
            (name(int(key) // size), name(int(key) % size), float(need[key]), float(1 - chance[key]))
            for key in keys.tolist()
            if lost[key] > 0
        ]

    def shown_by(self, words: int) -> float:
        """Expected number of compositions that at least so many training words show (Poisson tail of the mean)."""
        mean = self.examples * -np.log1p(-np.minimum(self.chance, 1 - 1e-16))
        term, below = np.exp(-mean), np.zeros_like(mean)
        for k in range(words):
            below += term
            term = term * mean / (k + 1)
        return float((1 - below).sum())

    def _repr_html_(self) -> str:
        """The numbers in a notebook."""
        return f"<pre>{escape(repr(self))}</pre>"

    def to_dict(self, *, exact: bool | None = None) -> dict[str, Any]:
        """The numbers as plain data.

        Args:
            exact: whether to compute chances, however long it takes; by default if it is quick, else bounds are given.
        """
        lengths = self.plan.splits["train"].split.lengths
        levels = [
            {
                "level": level_name("tree", level),
                "possible": int((count > 0).sum()),
                "expected_nodes_in_a_word": float(count.sum()),
            }
            for level, count in self.counts.items()
        ]
        facts = {
            "language": self.plan.name,
            "classes": len(self.task.monoid),
            "train_examples": self.examples,
            "train_lengths": [int(lengths[0]), int(lengths[-1])],
            "sampling": self.plan.recipe.sampling,
            "levels": levels,
            "possible_in_training": len(self.keys),
            "needed_by_test": int((self.test_need > 0).sum()),
            "expected_seen_at_most": self.most_seen,
        }
        if not (self.is_quick if exact is None else exact):
            return facts
        return facts | {
            "expected_seen": self.expected_seen,
            "expected_in_3_words": self.shown_by(3),
            "expected_in_10_words": self.shown_by(10),
            "expected_test_mass_covered": self.test_mass_covered,
            "rarest_chance": float(self.chance.min(initial=1.0)),
        }

    def __repr__(self) -> str:
        """The numbers in a few lines."""
        facts = self.to_dict()
        law = ", ".join(f"{name} {weight:g}" for name, weight in facts["sampling"].items())
        first, last = facts["train_lengths"]
        possible_number, needed = f"{facts['possible_in_training']:,}", f"{facts['needed_by_test']:,}"
        words = f"{facts['train_examples']:,} training words of lengths {first} to {last}"
        lines = [
            f"{facts['language']}: {words}, sampling {law}",
            f"they can show {possible_number} compositions; the test needs {needed}",
        ]
        if "expected_seen" not in facts:
            bound = f"{facts['expected_seen_at_most']:,.0f}"
            return "\n".join(
                [*lines, f"expected to show at most {bound} (exactly: --exact, or .expected_seen; slow here)"]
            )
        rarest = f"{1 / max(facts['rarest_chance'], 1e-300):.3g}"
        return "\n".join(
            [
                *lines,
                f"expected to show {facts['expected_seen']:,.1f} of them",
                f"expected to cover {facts['expected_test_mass_covered']:.4%} of the test's compositions by mass",
                f"the rarest composition is in one word of {rarest}",
            ]
        )


def expected_coverage(name: str, *, min_width: int = 1, catalogue: Folder = None, **options: Any) -> ExpectedCoverage:
    """The expected coverage of a recipe, exactly.

    Args:
        name: a dataset.
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
    planned = language_plan(name, catalogue, **{"near_miss": False, **options})
    task = task_of(planned, "tree", min_width)
    for split in ("train", "test"):
        if split not in planned.splits:
            raise InputError(f"Expected coverage needs the split {split!r}, and its number of examples is 0. Raise it.")
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
