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
ONE = np.array([1 << 63, 0, 2**64 - 127], dtype=np.uint64)  # the count 1: high, low, exponent -127 (see scaled)
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


def check_tables(graph: PathGraph, groups: Groups, max_length: int, advice: str = "") -> None:
    """Nothing, if tables up to a length stay below 4 GiB.

    Raises:
        TooLargeError: naming the longest length that fits.
    """
    row = 1.5 * graph.num_edges + len(groups.nodes) + 3 * groups.num_groups
    if row * 8 * (max_length + 1) > MAX_TABLE_BYTES:
        longest = max(0, int(MAX_TABLE_BYTES / (row * 8)) - 1)
        raise TooLargeError(
            f"Sampling tables for length {max_length:,} over {graph.num_edges:,} edges would pass 4 GiB. "
            f"The longest length that fits is {longest:,}. "
            + (advice or "Sampling 'uniform' or 'balanced' needs smaller tables than 'class'.")
        )


def make_tables(graph: PathGraph, groups: Groups, max_length: int) -> Tables:
    """Thresholds of a graph and its groups of ends for every length up to the given one.

    Raises:
        TooLargeError: if the tables would pass 4 GiB.
    """
    check_tables(graph, groups, max_length)
    lengths, nodes = max_length + 1, graph.num_nodes
    edges = np.zeros((lengths, graph.num_edges), dtype=np.uint64)
    ends = np.zeros((lengths, len(groups.nodes)), dtype=np.uint64)
    totals = np.zeros((lengths, groups.num_groups, 3), dtype=np.uint64)
    counts = np.zeros((2, nodes, 3), dtype=np.uint64)
    counts[0, graph.start] = ONE
    running = np.empty((max(graph.num_edges, len(groups.nodes)), 3), dtype=np.uint64)
    _thresholds((graph.indptr, graph.source), (groups.indptr, groups.nodes), counts, running, (edges, ends, totals))
    upper = (edges >> np.uint64(32)).astype(np.uint32)
    return Tables(edges, upper, ends, totals[:, :, 0].copy(), totals[:, :, 2].astype(np.int32))


@kernel
def _share(first: int, last: int, nodes: Array, counts: Array, running: Array, out: Array, total: Array) -> None:
    """Writes to out[first:last] the thresholds of choosing among nodes by their counts, and to total their sum."""
    h, lo, e = _ZERO, _ZERO, np.int64(0)
    for i in range(first, last):
        count = counts[nodes[i]]
        h, lo, e = add(h, lo, e, count[0], count[1], np.int64(count[2]))
        running[i, 0], running[i, 1], running[i, 2] = h, lo, np.uint64(e)
    total[0], total[1], total[2] = h, lo, np.uint64(e)
    for i in range(first, last):
        if running[i, 0] != _ZERO:
            out[i] = ratio(running[i, 0], running[i, 1], np.int64(running[i, 2]), h, lo, e)


@kernel
def _thresholds(
    graph: tuple[Array, Array],
    groups: tuple[Array, Array],
    counts: Array,
    running: Array,
    out: tuple[Array, Array, Array],
) -> None:
    """All thresholds, one length after the other; every array is made by the caller, which compiles faster."""
    indptr, source = graph
    group_indptr, group_nodes = groups
    edges, ends, totals = out
    for t in range(len(edges)):
        now, before = counts[t & 1], counts[(t + 1) & 1]
        if t > 0:
            for x in range(len(indptr) - 1):
                _share(indptr[x], indptr[x + 1], source, before, running, edges[t], now[x])
        for g in range(len(group_indptr) - 1):
            _share(group_indptr[g], group_indptr[g + 1], group_nodes, now, running, ends[t], totals[t, g])


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
