"""Tables of exact sampling: at each node and length, how the words that end there share out over their last symbols.

f_t(x), the number of words of length t that reach node x, is the sum of f_{t-1} over the in-edges of x. A word of
length t that ends at x is uniform if its last edge is chosen in proportion to f_{t-1} of the edge's source, and so on
down to the start. Edges are chosen by 64-bit thresholds: a draw U picks the first edge with U below its threshold.
The thresholds come from 128-bit counts, so a choice is off by at most 2^-64 an edge; a word of n symbols over k edges
a node is off (in total variation) by at most n k 2^-64, below 2^-50 for n k up to 16,000.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import TooLargeError
from seqbench.generation.graph import PathGraph
from seqbench.generation.scaled import CERTAIN, add, ratio
from seqbench.jit import kernel

Array = npt.NDArray[Any]

MAX_TABLE_BYTES = 4 << 30
_ZERO = np.uint64(0)


@dataclass(frozen=True, eq=False)
class Groups:
    """Ends that a sampling mode chooses between: group g holds `nodes[indptr[g]:indptr[g + 1]]`."""

    indptr: Array
    nodes: Array

    @property
    def num_groups(self) -> int:
        """Number of groups."""
        return len(self.indptr) - 1


def groups_of(group_of_node: Array, num_groups: int) -> Groups:
    """Groups from the group number of every node; nodes numbered -1 belong to none.

    Example:
        >>> groups = groups_of(np.array([0, 1, -1, 0]), 2)
        >>> groups.indptr.tolist(), groups.nodes.tolist()
        ([0, 2, 3], [0, 3, 1])
    """
    nodes = np.flatnonzero(group_of_node >= 0)
    nodes = nodes[np.argsort(group_of_node[nodes], kind="stable")]
    indptr = np.zeros(num_groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(group_of_node[nodes], minlength=num_groups), out=indptr[1:])
    return Groups(indptr, nodes.astype(np.int32))


@dataclass(frozen=True, eq=False)
class Tables:
    """Thresholds for all lengths 0..T.

    Attributes:
        edges: thresholds of the in-edges, shape (T + 1, edges), uint64.
        upper: their upper halves, uint32: what a walk looks at first.
        ends: thresholds of the end nodes within their groups, shape (T + 1, grouped nodes), uint64.
        total: the upper 64 bits of the number of words of each length in each group, shape (T + 1, groups), uint64;
            zero where the group has none.
        exponent: exponents of `total`, int32.
    """

    edges: Array
    upper: Array
    ends: Array
    total: Array
    exponent: Array


def make_tables(graph: PathGraph, groups: Groups, max_length: int) -> Tables:
    """Thresholds of a graph and its groups of ends for every length up to the given one.

    Raises:
        TooLargeError: if the tables would pass 4 GiB.
    """
    row = 1.5 * graph.num_edges + len(groups.nodes) + 2 * groups.num_groups
    if row * 8 * (max_length + 1) > MAX_TABLE_BYTES:
        longest = int(MAX_TABLE_BYTES / (row * 8)) - 1
        raise TooLargeError(
            f"Sampling tables for length {max_length} over {graph.num_edges:,} edges would pass 4 GiB. "
            f"The longest length that fits is {longest}; sampling by label needs smaller tables than by class."
        )
    edges, ends, total, exponent = _thresholds(
        graph.indptr, graph.source, graph.start, groups.indptr, groups.nodes, max_length
    )
    return Tables(edges, (edges >> np.uint64(32)).astype(np.uint32), ends, total, exponent)


@kernel
def _share(
    first: int, last: int, nodes: Array, high: Array, low: Array, exponent: Array, out: Array, running: Array
) -> tuple[np.uint64, np.uint64, int]:
    """Writes to out[first:last] the thresholds of choosing among nodes by their counts; returns the sum of counts."""
    h, lo, e = _ZERO, _ZERO, 0
    for i in range(first, last):
        x = nodes[i]
        h, lo, e = add(h, lo, e, high[x], low[x], exponent[x])
        running[i, 0], running[i, 1], running[i, 2] = h, lo, np.uint64(e)
    if h == _ZERO:
        return h, lo, e
    for i in range(first, last):
        if running[i, 0] != _ZERO:
            out[i] = ratio(running[i, 0], running[i, 1], int(running[i, 2]), h, lo, e)
    return h, lo, e


@kernel
def _thresholds(
    indptr: Array, source: Array, start: int, group_indptr: Array, group_nodes: Array, max_length: int
) -> tuple[Array, Array, Array, Array]:
    """All thresholds, one length after the other."""
    num_nodes, num_groups = len(indptr) - 1, len(group_indptr) - 1
    edges = np.zeros((max_length + 1, len(source)), dtype=np.uint64)
    ends = np.zeros((max_length + 1, len(group_nodes)), dtype=np.uint64)
    total = np.zeros((max_length + 1, num_groups), dtype=np.uint64)
    total_exponent = np.zeros((max_length + 1, num_groups), dtype=np.int32)
    high, low = np.zeros(num_nodes, dtype=np.uint64), np.zeros(num_nodes, dtype=np.uint64)
    next_high, next_low = np.zeros(num_nodes, dtype=np.uint64), np.zeros(num_nodes, dtype=np.uint64)
    exponent, next_exponent = np.zeros(num_nodes, dtype=np.int64), np.zeros(num_nodes, dtype=np.int64)
    running = np.empty((max(len(source), len(group_nodes)), 3), dtype=np.uint64)
    high[start], exponent[start] = np.uint64(1 << 63), -127  # the empty word: one, with the top bit set
    for t in range(max_length + 1):
        if t > 0:
            for x in range(num_nodes):
                next_high[x], next_low[x], next_exponent[x] = _share(
                    indptr[x], indptr[x + 1], source, high, low, exponent, edges[t], running
                )
            high, next_high = next_high, high
            low, next_low = next_low, low
            exponent, next_exponent = next_exponent, exponent
        for g in range(num_groups):
            h, _, e = _share(group_indptr[g], group_indptr[g + 1], group_nodes, high, low, exponent, ends[t], running)
            total[t, g], total_exponent[t, g] = h, e
    return edges, ends, total, total_exponent


@kernel
def pick(thresholds: Array, first: int, last: int, draw: np.uint64) -> int:
    """The first index from `first` whose threshold lies above the draw (binary search; thresholds never fall)."""
    draw = min(draw, CERTAIN - np.uint64(1))
    low, high = first, last - 1
    while low < high:
        middle = (low + high) // 2
        if draw < thresholds[middle]:
            high = middle
        else:
            low = middle + 1
    return low
