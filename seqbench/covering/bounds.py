"""Chances of compositions under every schedule and law: exact where they are known, else two bounds around them.

    tree, left   exact: the nodes are a tree; the law composition under left has bounds
    scan         exact for few classes and compositions (see scans), else bounds

The bounds are rigorous. A word that shows a composition at a level shows it there at most as often as the level has
nodes, and at least once: so a chance is at most the expected count, and at least that of a level over its number of
nodes. Under scan all nodes of the way up, and the brackets of the whole word, are a tree with an exact chance; a chance
is at least that, and at most that plus the expected count on the way down.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.chances import Chances, alone
from seqbench.covering.expected import counts_of
from seqbench.covering.laws import amounts, check_laws
from seqbench.covering.scans import Scans
from seqbench.covering.schedules import DOWN, nodes
from seqbench.covering.task import Task

Array = npt.NDArray[Any]
Recipe = dict[str, Array]

AFFORDABLE = 2e10  # steps of an exact scan: half a minute or so


class ChanceBounds:
    """Least and largest chances under a mixture of laws, for words whose lengths are drawn with given chances."""

    def __init__(self, task: Task, weights: Mapping[str, float], lengths: Array, chance: Array) -> None:
        """Bounds for a mixture of laws; see Chances.

        Raises:
            InputError: the law near_miss.
        """
        check_laws(weights)
        self.task, self.weights, self.lengths, self.chance = task, dict(weights), lengths, chance

    def of(self, keys: Array) -> Array:
        """Bounds for each law alone, without the lengths that it lacks, shape (2, laws, keys)."""
        return self._bounds(keys, [{law: alone(self.task, law, self.lengths, self.chance)} for law in self.weights])

    def mixed(self, keys: Array) -> Array:
        """Bounds for the mixture, shape (2, keys)."""
        recipe = amounts(self.task, self.weights, self.lengths, self.chance)
        return np.asarray(self._bounds(keys, [recipe])[:, 0])

    def all_among(self, allowed: Array) -> Array:
        """Mean over words of the product of what is allowed for each join, by length, exactly; see Chances.

        Raises:
            InputError: the law composition under another schedule than tree.
        """
        kind = Scans if self.task.schedule == "scan" else Chances
        found = kind(self.task, self.weights, self.lengths, self.chance).all_among(allowed)
        return np.asarray(np.clip(found, 0.0, 1.0))  # sums of shares round to a little more than 1

    def _bounds(self, keys: Array, recipes: list[Recipe]) -> Array:
        if self.task.schedule == "tree":
            return np.repeat(self._exact(keys, recipes)[None], 2, axis=0)
        by_end = [{law: amount for law, amount in recipe.items() if law != "composition"} for recipe in recipes]
        rest = [{law: amount for law, amount in recipe.items() if law == "composition"} for recipe in recipes]
        bounds = self._by_end(keys, by_end)
        for number, recipe in enumerate(rest):
            if recipe:
                bounds[:, number] += self._by_counts(keys, recipe)
        return np.asarray(np.clip(bounds, 0.0, 1.0))

    def _by_end(self, keys: Array, recipes: list[Recipe]) -> Array:
        if self.task.schedule == "left":
            return np.repeat(self._exact(keys, recipes)[None], 2, axis=0)
        scans = Scans(self.task, {}, self.lengths, self.chance)
        if scans.work * len(keys) <= AFFORDABLE:
            return np.repeat(scans.shown(keys, recipes)[None], 2, axis=0)
        tree = self._exact(keys, recipes)
        bounds = np.stack([tree, tree])
        for number, recipe in enumerate(recipes):
            low, high = self._by_counts(keys, recipe, beyond=DOWN)
            bounds[0, number] = np.maximum(tree[number], low)
            bounds[1, number] += high
        most = np.array([sum(amount.sum() for amount in recipe.values()) for recipe in recipes])
        return np.asarray(np.minimum(bounds, most[:, None]))

    def _exact(self, keys: Array, recipes: list[Recipe]) -> Array:
        return Chances(self.task, {}, self.lengths, self.chance).shown(keys, recipes)

    def _by_counts(self, keys: Array, recipe: Recipe, beyond: int = 0) -> tuple[Array, Array]:
        """Bounds from the expected counts at the levels beyond one."""
        counts = counts_of(self.task, recipe, self.lengths)
        most = nodes(self.task.schedule, int(self.lengths.max()), self.task.min_width).level
        low, high = np.zeros(len(keys)), np.zeros(len(keys))
        for level, count in counts.items():
            if level > beyond:
                low = np.maximum(low, count.ravel()[keys] / (most == level).sum())
                high += count.ravel()[keys]
        return low, np.minimum(high, sum(amount.sum() for amount in recipe.values()))
