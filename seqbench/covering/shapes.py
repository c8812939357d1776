"""Blocks that a word is joined from: the tree of brackets around the whole word, for each schedule.

For tree and left these are all nodes of the schedule. A scan has more: its tree is that of the last prefix, the whole
word, and holds all nodes of the way up; prefixes that end elsewhere have brackets of their own (see scans).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.composition import left_length

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Shapes:
    """Widths of the blocks that words of some lengths are joined from, narrow ones first.

    Attributes:
        widths: shape (k,), int64.
        left: index of the left part's width, shape (k,); -1 for single symbols.
        right: index of the right part's width.
        counted: whether the join counts (neither part is narrower than the task's least width).
    """

    widths: Array
    left: Array
    right: Array
    counted: Array

    def rows(self, lengths: Array) -> Array:
        """Index of each length among the widths."""
        return np.searchsorted(self.widths, lengths)


def shapes(lengths: Array, min_width: int = 1, schedule: str = "tree") -> Shapes:
    """The widths that words of these lengths need.

    Example:
        >>> [shapes(np.array([7]), schedule=each).widths.tolist() for each in ("tree", "scan", "left")]
        [[1, 2, 3, 4, 7], [1, 2, 4, 6, 7], [1, 2, 3, 4, 5, 6, 7]]
    """
    needed, waiting = {1}, [int(n) for n in lengths]
    while waiting:
        width = waiting.pop()
        if width not in needed:
            needed.add(width)
            cut = int(root_cut(np.array([width]), schedule)[0])
            waiting += [cut, width - cut]
    widths = np.array(sorted(needed))
    single = widths == 1
    cuts = root_cut(np.maximum(widths, 2), schedule)
    left, right = np.searchsorted(widths, cuts), np.searchsorted(widths, widths - cuts)
    counted = ~single & (np.minimum(cuts, widths - cuts) >= min_width)
    return Shapes(widths, np.where(single, -1, left), np.where(single, -1, right), counted)


def root_cut(lengths: Array, schedule: str) -> Array:
    """Symbols left of the join that makes the whole word, shape (lengths,); lengths from 2 on.

    Example:
        >>> [root_cut(np.array([6, 7, 8]), each).tolist() for each in ("tree", "scan", "left")]
        [[4, 4, 4], [4, 6, 4], [5, 6, 7]]
    """
    if schedule == "tree":
        return left_length(lengths)
    if schedule == "left":
        return lengths - 1
    lowest = lengths & -lengths
    return np.where(lowest == lengths, lengths // 2, lengths - lowest)
