"""Chances under the schedule scan, exactly, where it is affordable.

A scan joins every prefix with a block, so the nodes are no tree: a prefix of 8 symbols goes into those of 9, 10, 12 and
16. But what a block of w symbols shows, its own joins and those of the prefixes that end inside it, depends on the
symbols before it through their class c alone. So for X_w(c, x), the share of blocks of w symbols that have class x and
show something after a prefix of class c,

    X_2w(c, yz) = sum over y, z of X_w(c, y) f(z) + (f - X_w)(c, y) (X_w(cy, z) + (f - X_w)(cy, z) hit)

where `hit` says whether (c, y) or (y, z) is what is to be shown. A prefix of n symbols goes on from that of n - v
symbols, with v the largest power of two that divides n (from half of n, where n is a power of two).
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.laws import amounts, check_laws, end_weights, forward
from seqbench.covering.shapes import root_cut, shapes
from seqbench.covering.task import Task
from seqbench.errors import InputError
from seqbench.jit import kernel
from seqbench.progress import counting

Array = npt.NDArray[Any]

BATCH = 64  # compositions between two steps of the progress bar


class Scans:
    """Chances for words whose lengths are drawn with given chances, under laws other than composition."""

    def __init__(self, task: Task, weights: Mapping[str, float], lengths: Array, chance: Array) -> None:
        """Chances for a mixture of laws; see Chances.

        Raises:
            InputError: the law composition, whose halves are not parts of a scan.
        """
        check_laws(weights)
        if "composition" in weights:
            raise InputError(
                "Exact chances under the law 'composition' are known for the schedule 'tree' only, not 'scan'. "
                "Bounds come from `seqbench expect --schedule scan`; or choose another law."
            )
        self.task, self.weights, self.lengths, self.chance = task, dict(weights), lengths, chance
        plan = shapes(lengths, task.min_width, "scan")
        self.prefixes = plan.widths
        self.step = self.prefixes - np.where(self.prefixes > 1, root_cut(np.maximum(self.prefixes, 2), "scan"), 0)
        self.before = np.where(plan.left < 0, 0, plan.left)
        self.levels = int(self.step.max()).bit_length()
        self.share = forward(task.monoid.right, int(lengths.max()))
        self.blocks = np.ascontiguousarray(self.share[2 ** np.arange(self.levels)])
        self.meets = np.array([self._after(1 << level) for level in range(self.levels)])

    def _after(self, width: int) -> Array:
        """Classes of the prefixes that blocks of a width come after, bool."""
        ends = range(width, int(self.lengths.max()) + 1, width)
        return np.asarray(np.any([self.task.monoid.reach(end) for end in ends], axis=0))

    @property
    def work(self) -> float:
        """Steps that one composition takes."""
        alive = (self.blocks > 0).sum(axis=1).astype(float)
        doubling = self.meets[1:].sum(axis=1) @ alive[:-1] ** 2
        return float(doubling + len(self.prefixes) * alive.max() ** 2)

    def shown(self, keys: Array, recipes: list[dict[str, Array]]) -> Array:
        """Chance that a word of each recipe shows each composition, shape (recipes, keys); see Chances.shown."""
        ends = np.array([self._ends(recipe) for recipe in recipes]).reshape(len(recipes), len(self.lengths), -1)
        out = np.zeros((len(recipes), len(keys)))
        miss = np.zeros((len(self.task.monoid),) * 2)
        with counting("Chances", "compositions", len(keys)) as done:
            for first in range(0, len(keys), BATCH):
                part = slice(first, first + BATCH)
                _each(keys[part], miss, self._tables, self._chain, ends, out[:, part])
                done(len(keys[part]))
        return out

    def all_among(self, allowed: Array) -> Array:
        """Mean over words of the product of what is allowed for each of their joins, by length; see Chances."""
        shown = _walk(1.0 - np.asarray(allowed, dtype=np.float64), self._tables, self._chain)
        rows = np.searchsorted(self.prefixes, self.lengths)
        ends = self._ends(amounts(self.task, self.weights, self.lengths, self.chance))
        total = ((self.share[self.lengths] - shown[rows]) * ends).sum(axis=1)
        return np.asarray(total / np.where(self.chance > 0, self.chance, 1.0))

    @property
    def _chain(self) -> tuple[Array, Array, Array, Array]:
        rows = np.searchsorted(self.prefixes, self.lengths)
        return self.prefixes, self.before, self.step, rows

    @cached_property
    def _tables(self) -> tuple[Array, Array, Array, Array, int]:
        return self.share, self.blocks, self.meets, self.task.monoid.product_table, self.task.min_width

    def _ends(self, recipe: Mapping[str, Array]) -> Array:
        """Probability of a word times symbols^length, by length and class."""
        ends = np.zeros((len(self.lengths), len(self.task.monoid)))
        for law, amount in recipe.items():
            drawn = amount > 0
            weight = end_weights(self.task, law, self.lengths[drawn]).weight
            by_class = weight if law == "class" else weight[:, self.task.monoid.maps[:, 0]]
            ends[drawn] += by_class * amount[drawn, None]
        return ends


@kernel
def _each(
    keys: Array,
    miss: Array,
    tables: tuple[Array, Array, Array, Array, int],
    chain: tuple[Array, Array, Array, Array],
    ends: Array,
    out: Array,
) -> None:
    size, rows = len(miss), chain[3]
    for k in range(len(keys)):
        a, b = keys[k] // size, keys[k] % size
        miss[a, b] = 1.0
        shown = _walk(miss, tables, chain)
        miss[a, b] = 0.0
        for recipe in range(len(ends)):
            for number in range(len(rows)):
                for x in range(size):
                    out[recipe, k] += shown[rows[number], x] * ends[recipe, number, x]


@kernel
def _walk(
    miss: Array, tables: tuple[Array, Array, Array, Array, int], chain: tuple[Array, Array, Array, Array]
) -> Array:
    """Shares of words by length and class that show something missed, shape (prefixes, classes)."""
    share, blocks, meets, table, min_width = tables
    prefixes, before, step, _ = chain
    after = np.zeros((len(blocks), len(table), len(table)))
    for level in range(1, len(blocks)):
        counted = 1 << level - 1 >= min_width
        _double(miss, after[level - 1], blocks[level - 1], meets[level], table, counted, after[level])
    shown = np.zeros((len(prefixes), len(table)))
    for row in range(1, len(prefixes)):
        v, m = step[row], before[row]
        level = 0
        while 1 << level < v:
            level += 1
        _join(miss, shown[m], share[prefixes[m]], after[level], blocks[level], table, v >= min_width, shown[row])
    return shown


@kernel
def _double(miss: Array, after: Array, block: Array, meets: Array, table: Array, counted: bool, out: Array) -> None:
    """Blocks of twice the width after each prefix."""
    alive = np.flatnonzero(block)
    for c in range(len(table)):
        if meets[c]:
            for y in alive:
                shown, clean, cy = after[c, y], block[y] - after[c, y], table[c, y]
                down = miss[c, y] if counted else 0.0
                for z in alive:
                    up = miss[y, z] if counted else 0.0
                    hit = down + up - down * up
                    inside = after[cy, z]
                    out[c, table[y, z]] += shown * block[z] + clean * (inside + (block[z] - inside) * hit)


@kernel
def _join(
    miss: Array, shown: Array, share: Array, after: Array, block: Array, table: Array, counted: bool, out: Array
) -> None:
    """A prefix with the block behind it."""
    alive = np.flatnonzero(block)
    for x in range(len(share)):
        if share[x] > 0:
            for y in alive:
                inside = after[x, y]
                hit = miss[x, y] if counted else 0.0
                out[table[x, y]] += shown[x] * block[y] + (share[x] - shown[x]) * (inside + (block[y] - inside) * hit)
