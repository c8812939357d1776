"""Which nodes meet at each level of the balanced tree: index arithmetic on the host, from the lengths alone.

A word of n symbols has n nodes at level 0; a level of m nodes joins nodes 2i and 2i + 1 and passes an odd last one
on, so that it leaves ceil(m / 2). Only real pairs are computed. The nodes of a level stand in one array, all words
together: first those just made by a merge, then those passed on, each word by word. A level is one permutation that
puts the pairs side by side, [pairs | passed], so that reading two rows as one needs no concatenation. The leaves are
laid out in the order of the first level from the start.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Array = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Nodes:
    """Every node of the trees of a batch: all leaves, then every merge, level by level.

    Attributes:
        states: (nodes, width), their embeddings.
        row: the word.
        level: 0 for leaves; a merge at level k joins nodes of levels below k.
        position: the index of the node within its level.
        start: the first symbol of its block.
        width: the number of symbols of its block.
    """

    states: Tensor
    row: Tensor
    level: Tensor
    position: Tensor
    start: Tensor
    width: Tensor


@dataclass(frozen=True)
class Level:
    """One level: `order` brings the pairs of the level before to the front; `pairs` of them are merged."""

    order: Array
    pairs: int


class Pairing:
    """All levels of the trees of a batch.

    Example:
        >>> pairing = Pairing(np.array([3, 1]))
        >>> [(level.order.tolist(), level.pairs) for level in pairing.levels]
        [([0, 1, 2, 3], 1), ([0, 1, 2], 1)]
        >>> list(zip(pairing.row.tolist(), pairing.place.tolist()))
        [(0, 0), (0, 1), (0, 2), (1, 0)]
        >>> pairing.roots.tolist()
        [0, 1]
    """

    def __init__(self, lengths: Array) -> None:
        """The levels of words of the given lengths, each 1 or more."""
        self.lengths = lengths
        self.plain = bool((lengths == lengths[0]).all())  # words of one length are an array without gaps
        counts, merged = lengths, lengths  # the leaves count as made by a merge: none was passed on
        self.levels: list[Level] = []
        self._merged: list[Array] = []
        while counts.max() > 1:
            self._merged.append(counts // 2)
            self.levels.append(Level(_order(counts, merged), int(self._merged[-1].sum())))
            counts, merged = (counts + 1) // 2, self._merged[-1]
        rows, places = np.repeat(np.arange(lengths.size), lengths), _within(lengths)
        first = slice(None) if self.plain else self.levels[0].order
        self.row, self.place = rows[first], places[first]
        self.roots = _places(np.arange(lengths.size), np.zeros(lengths.size, np.int64), merged, counts)

    @cached_property
    def nodes(self) -> tuple[Array, Array, Array, Array, Array]:
        """Row, level, position, start and width of every node, in the order of `Nodes`."""
        counts = [self.lengths, *self._merged]
        row = np.concatenate([self.row, *(np.repeat(np.arange(c.size), c) for c in self._merged)])
        level = np.concatenate([np.full(int(c.sum()), k) for k, c in enumerate(counts)])
        position = np.concatenate([self.place, *map(_within, self._merged)])
        start = position << level
        return row, level, position, start, np.minimum(self.lengths[row] - start, 1 << level)

    def moved(self, device: torch.device) -> list[tuple[Tensor, Tensor, int]]:
        """After each level: the next order, its inverse and number of pairs; last the roots. One copy to the device."""
        steps = [*self.levels[1:], Level(self.roots, 0)]
        flat = np.concatenate([array for step in steps for array in (step.order, _inverse(step.order))])
        sizes = [step.order.size for step in steps for _ in range(2)]
        parts = torch.from_numpy(flat).to(device, non_blocking=True).split(sizes)
        return [(parts[2 * k], parts[2 * k + 1], step.pairs) for k, step in enumerate(steps)]


def _within(counts: Array) -> Array:
    """0, 1, .., c - 1 for each count c, one after the other."""
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _inverse(order: Array) -> Array:
    inverse = np.empty_like(order)
    inverse[order] = np.arange(order.size)
    return inverse


def _places(row: Array, position: Array, merged: Array, counts: Array) -> Array:
    """Where a node of a level stands: merges first, then at most one passed node a word."""
    starts = np.cumsum(merged) - merged
    passed = int(merged.sum()) + np.cumsum(counts - merged) - 1
    return np.where(position < merged[row], starts[row] + position, passed[row])


def _order(counts: Array, merged: Array) -> Array:
    """The nodes that pair up, word by word, then the odd last ones."""
    paired = counts // 2 * 2
    odd = np.flatnonzero(counts % 2)
    rows = np.concatenate([np.repeat(np.arange(counts.size), paired), odd])
    positions = np.concatenate([_within(paired), counts[odd] - 1])
    return _places(rows, positions, merged, counts)
