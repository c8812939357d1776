"""Sets of compositions that can occur at all at some lengths: what coverage is measured against."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.expected import MAX_CLASSES, Task, groups_of_nodes

Array = npt.NDArray[Any]


@dataclass
class Compositions:
    """A set of compositions, as a union of rectangles (left classes) x (right classes), or as a table.

    Attributes:
        size: number of classes.
        rectangles: pairs of masks over classes; used where every block can be completed to a word.
        table: mask over all pairs, shape (classes, classes); used otherwise.
    """

    size: int
    rectangles: list[tuple[Array, Array]] = field(default_factory=list)
    table: Array | None = None

    def __len__(self) -> int:
        """Number of compositions; rectangles may overlap, each composition counts once."""
        if self.table is not None:
            return int(self.table.sum())
        return sum(int(count) * int(rights.sum()) for rights, count in self._patterns())

    def contains(self, keys: Array) -> Array:
        """Whether each composition a * classes + b is in the set, bool.

        Example:
            >>> left, right = np.array([True, False]), np.array([True, True])
            >>> Compositions(2, [(left, right)]).contains(np.array([1, 2])).tolist()
            [True, False]
        """
        if self.table is not None:
            return np.asarray(self.table.ravel()[keys])
        a, b = keys // self.size, keys % self.size
        found = np.zeros(len(keys), dtype=bool)
        for lefts, rights in self.rectangles:
            found |= lefts[a] & rights[b]
        return found

    def keys(self) -> Array:
        """All compositions as a * classes + b, rising; for at most 2,000 classes."""
        if self.table is not None:
            return np.flatnonzero(self.table)
        table = np.zeros((self.size, self.size), dtype=bool)
        for lefts, rights in self.rectangles:
            table |= np.outer(lefts, rights)
        return np.flatnonzero(table)

    def _patterns(self) -> list[tuple[Array, int]]:
        """Left classes that lie in the same rectangles have the same right classes: those, and how many share them."""
        if not self.rectangles:
            return []
        inside = np.array([lefts for lefts, _ in self.rectangles]).reshape(len(self.rectangles), self.size)
        patterns, counts = np.unique(inside, axis=1, return_counts=True)
        rights = np.array([rights for _, rights in self.rectangles]).reshape(len(self.rectangles), self.size)
        return [(rights[pattern].any(axis=0), int(count)) for pattern, count in zip(patterns.T, counts, strict=True)]


def possible(task: Task, lengths: Array) -> dict[int, Compositions]:
    """Which compositions occur in some word of the domain of these lengths, by level.

    Where words outside the domain are never drawn and there are over 2,000 classes, completing a block to a word is
    not checked: the set may then be too large, never too small.
    """
    size = len(task.monoid)
    inside = task.outputs[task.monoid.maps[:, 0]] >= 0
    lengths = np.array([n for n in lengths.tolist() if (task.monoid.reach(n) & inside).any()], dtype=np.int64)
    if (task.outputs < 0).any() and size <= MAX_CLASSES:
        return _completable(task, lengths)
    rights: dict[tuple[int, int], Array] = defaultdict(lambda: np.zeros(size, dtype=bool))
    for level, left, right in sorted({key for length in lengths.tolist() for key, _ in groups_of_nodes(task, length)}):
        rights[level, left] |= task.monoid.reach(right)
    found: dict[int, Compositions] = {}
    for (level, left), mask in rights.items():
        found.setdefault(level, Compositions(size)).rectangles.append((task.monoid.reach(left), mask))
    return found


def _completable(task: Task, lengths: Array) -> dict[int, Compositions]:
    """Where not every block can be completed to a word: by the states before a node and the words that go on after."""
    monoid, states = task.monoid, task.machine.num_states
    before, onwards = open_states(task, int(lengths.max(initial=0)))
    meets: dict[tuple[int, int, int], Any] = defaultdict(lambda: np.zeros((states, states), dtype=bool))
    for length in lengths.tolist():
        for key, start in groups_of_nodes(task, length):
            after = length - start - key[1] - key[2]
            meets[key] |= (before[start].T.astype(np.int64) @ onwards[after].astype(np.int64)) > 0
    found: dict[int, Compositions] = {}
    for (level, left, right), joint in sorted(meets.items()):
        products = joint[np.arange(states), monoid.maps].any(axis=1)
        pairs = np.outer(monoid.reach(left), monoid.reach(right)) & products[monoid.product_table]
        known = found.setdefault(level, Compositions(len(monoid), table=np.zeros_like(pairs)))
        known.table |= pairs
    return found


def open_states(task: Task, longest: int) -> tuple[Array, Array]:
    """States that words of each length reach, and from which words of each length lead into the domain."""
    step, states = task.machine.transitions, task.machine.num_states
    before, onwards = np.zeros((longest + 1, states), dtype=bool), np.zeros((longest + 1, states), dtype=bool)
    before[0, 0], onwards[0] = True, task.outputs >= 0
    for t in range(longest):
        before[t + 1, step[before[t]].ravel()] = True
        onwards[t + 1] = onwards[t][step].any(axis=1)
    return before, onwards


def union(parts: dict[int, Compositions]) -> Compositions:
    """The compositions of all levels together."""
    sets = list(parts.values())
    size = sets[0].size if sets else 0
    if any(each.table is not None for each in sets):
        return Compositions(size, table=np.any(np.array([each.table for each in sets]), axis=0))
    return Compositions(size, [rectangle for each in sets for rectangle in each.rectangles])
