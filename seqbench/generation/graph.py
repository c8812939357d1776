"""Graphs whose paths are words: the machine, the Cayley graph of its monoid, or the edits of a word, read backwards.

Sampling walks from the last node of a path to the first, so one table of forward counts serves every end: each label,
each class. A path of n edges from `start` spells a word of length n, and no two paths between the same nodes of these
deterministic graphs spell the same word.
"""

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from seqbench.algebra.machine import Machine
    from seqbench.algebra.monoid import Monoid

IntArray = npt.NDArray[Any]


LEAST_PADDED, MAX_PADDED = 4, 8  # in-edges a node up to which all nodes get equally many; 4 need no loop
SYMBOL_BITS = 16  # of an arrow that hold the symbol


@dataclass(frozen=True, eq=False)
class PathGraph:
    """In-edges of every node in compressed rows: node x has edges `indptr[x]` to `indptr[x + 1]`.

    Attributes:
        start: node at which every path begins.
        indptr: shape (nodes + 1,), int64.
        source: node at the other end of each edge, shape (edges,), int32.
        symbol: symbol id that each edge spells, shape (edges,), int32.
        degree: in-edges of every node where all have equally many, else 0.
    """

    start: int
    indptr: IntArray
    source: IntArray
    symbol: IntArray
    degree: int

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """Number of edges."""
        return len(self.source)

    @functools.cached_property
    def arrows(self) -> IntArray:
        """Where each edge leads back to and its symbol in one number: what a walk looks up, shape (edges,), uint64.

        The upper bits hold the source: the first of its in-edges where all nodes have equally many, else its number.
        """
        at = self.source.astype(np.uint64) * np.uint64(max(self.degree, 1))
        return (at << np.uint64(SYMBOL_BITS)) | self.symbol.astype(np.uint64)


def from_edges(source: IntArray, symbol: IntArray, target: IntArray, num_nodes: int, start: int = 0) -> PathGraph:
    """The path graph of a list of edges; the in-edges of a node keep the list's order.

    Where no node has more than 8 in-edges, all are filled up to the same number (4 to 8) by edges from one more node
    that no path reaches: such edges are never chosen, and a walk without varying loops is twice as fast.

    Example:
        >>> graph = from_edges(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 1, 0]), num_nodes=2)
        >>> graph.degree, graph.source.tolist(), graph.symbol.tolist()
        (4, [1, 2, 2, 2, 0, 0, 2, 2, 2, 2, 2, 2], [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    """
    in_degree = np.bincount(target, minlength=num_nodes)
    degree = int(in_degree.max())
    if degree <= MAX_PADDED:
        degree = max(degree, LEAST_PADDED)
        missing = np.append(degree - in_degree, degree)  # the unreachable node comes last
        target = np.concatenate([target, np.repeat(np.arange(num_nodes + 1), missing)])
        source = np.concatenate([source, np.full(missing.sum(), num_nodes)])
        symbol = np.concatenate([symbol, np.zeros(missing.sum(), dtype=np.int64)])
        in_degree = np.full(num_nodes + 1, degree)
    else:
        degree = 0
    order = np.argsort(target, kind="stable")
    indptr = np.zeros(len(in_degree) + 1, dtype=np.int64)
    np.cumsum(in_degree, out=indptr[1:])
    return PathGraph(start, indptr, source[order].astype(np.int32), symbol[order].astype(np.int32), degree)


def from_table(table: IntArray) -> PathGraph:
    """The path graph of a complete transition table, shape (nodes, symbols), that starts at node 0."""
    num_nodes, num_symbols = table.shape
    source = np.repeat(np.arange(num_nodes), num_symbols)
    symbol = np.tile(np.arange(num_symbols), num_nodes)
    return from_edges(source, symbol, table.ravel(), num_nodes)


def machine_graph(machine: "Machine") -> PathGraph:
    """Paths are words; the last node is the state that the word reaches."""
    return from_table(machine.transitions)


def class_graph(monoid: "Monoid") -> PathGraph:
    """Paths are words; the last node is the word's syntactic class (right Cayley graph)."""
    return from_table(monoid.right)
