"""Expected coverage of a recipe: what a training set drawn by it will show, computed without drawing one."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.api import task_of
from seqbench.covering.chances import Chances
from seqbench.covering.expected import Task, expected_counts
from seqbench.covering.possible import possible, union
from seqbench.covering.schedules import level_name
from seqbench.generation.plan import Folder, Plan, language_plan

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class ExpectedCoverage:
    """What a random training set shows, under the balanced reduction.

    Attributes:
        plan: the dataset with the recipe's options.
        task: its language and schedule.
        counts: expected number of nodes of each composition in one training word, by level, (classes, classes).
        keys: compositions that training words can show, a * classes + b, rising.
        chance: that one training word shows each of them.
    """

    plan: Plan
    task: Task
    counts: dict[int, Array]
    keys: Array
    chance: Array

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

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data."""
        lengths = self.plan.splits["train"].split.lengths
        levels = [
            {
                "level": level_name("tree", level),
                "possible": int((count > 0).sum()),
                "expected_nodes_in_a_word": float(count.sum()),
            }
            for level, count in self.counts.items()
        ]
        return {
            "language": self.plan.name,
            "classes": len(self.task.monoid),
            "train_examples": self.examples,
            "train_lengths": [int(lengths[0]), int(lengths[-1])],
            "sampling": self.plan.recipe.sampling,
            "levels": levels,
            "possible_in_training": len(self.keys),
            "expected_seen": self.expected_seen,
            "needed_by_test": int((self.test_need > 0).sum()),
            "expected_test_mass_covered": self.test_mass_covered,
            "rarest_chance": float(self.chance.min(initial=1.0)),
        }

    def __repr__(self) -> str:
        """The numbers in a few lines."""
        facts = self.to_dict()
        law = ", ".join(f"{name} {weight:g}" for name, weight in facts["sampling"].items())
        return (
            f"{facts['language']}: {facts['train_examples']:,} training words of lengths "
            f"{facts['train_lengths'][0]} to {facts['train_lengths'][1]}, sampling {law}\n"
            f"expected to show {facts['expected_seen']:,.1f} of {facts['possible_in_training']:,} possible "
            f"compositions; the test needs {facts['needed_by_test']:,}\n"
            f"expected to cover {facts['expected_test_mass_covered']:.4%} of the test's compositions by mass\n"
            f"the rarest composition is in one word of {1 / max(facts['rarest_chance'], 1e-300):.3g}"
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
    lengths = planned.splits["train"].split.lengths
    spread = np.full(len(lengths), 1 / len(lengths))
    weights = planned.recipe.sampling
    counts = expected_counts(task, weights, lengths, spread)
    keys = union(possible(task, lengths)).keys()
    return ExpectedCoverage(planned, task, counts, keys, Chances(task, weights, lengths, spread).mixed(keys))
