"""Near misses as paths: one graph holds every member of a language with every edit that may lead outside it.

A node remembers the state of the machine on the member (p) and on the edited word (q), and what of the edit is still
to come. Each path is one (member, edit) pair and spells the edited word, so counting paths counts near misses, and
no draw is ever rejected, however rare they are. Three kinds of edit, all of which keep the length:

- substitution: one symbol becomes another; n (k - 1) of them,
- swap: the symbols of two positions i < j trade places; n (n - 1) / 2,
- move: one symbol is taken out and put back at another position; n (n - 1).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError, TooLargeError
from seqbench.generation.graph import PathGraph, from_edges

if TYPE_CHECKING:
    from seqbench.algebra.machine import Machine

Array = npt.NDArray[Any]
Edges = tuple[Array, Array, Array]

KINDS = ("substitution", "swap", "move")
MAX_EDGES = 5_000_000


def num_edits(kind: str, length: int, num_symbols: int) -> int:
    """Number of edits of a kind of a word, whatever they lead to.

    Example:
        >>> [num_edits(kind, 5, 2) for kind in KINDS]
        [5, 10, 20]
    """
    pairs = length * (length - 1)
    return {"substitution": length * (num_symbols - 1), "swap": pairs // 2, "move": pairs}[kind]


def edit_graph(machine: "Machine") -> tuple[PathGraph, Array]:
    """The graph of near misses of an acceptor, and for every node the kind of edit that ends there (-1: none).

    Raises:
        InputError: if the machine is not an acceptor.
        TooLargeError: if the graph would pass five million edges.
    """
    if not machine.is_acceptor:
        raise InputError(
            f"Near misses need a language with members and non-members, not {machine.num_labels} labels. "
            "Sample 'uniform', 'balanced', 'class' or 'composition' instead."
        )
    states, symbols = machine.num_states, machine.num_symbols
    edges = 3 * states**2 * (symbols + symbols**2 * (symbols + 1)) + states * (symbols + 4 * symbols**2)
    if edges > MAX_EDGES:
        raise TooLargeError(
            f"Near misses of a machine with {states} states and {symbols} symbols need {edges:,} edges; "
            f"the limit is {MAX_EDGES:,}. Leave them out: near_miss=False, and another sampling law than 'near_miss'."
        )
    size = states + 3 * states**2 * (1 + symbols**2)
    source, symbol, target = (np.concatenate(parts) for parts in zip(*_edges(machine), strict=True))
    return _trim(source, symbol, target, _kinds(machine, size))


class _Numbering:
    """Node numbers: first p alone (before the edit), then for each kind (p, q) (after) and (p, q, x, y) (midway)."""

    def __init__(self, states: int, symbols: int) -> None:
        self.states, self.symbols = states, symbols

    def after(self, kind: int, p: Array, q: Array) -> Array:
        return self.states + (kind * self.states + p) * self.states + q

    def midway(self, way: int, p: Array, q: Array, x: Array, y: Array) -> Array:
        first = self.states + 3 * self.states**2
        return first + (((way * self.states + p) * self.states + q) * self.symbols + x) * self.symbols + y


_SWAP, _LATER, _EARLIER = range(3)  # ways to be midway: in a swap, moving a symbol later, moving it earlier


def _edges(machine: "Machine") -> Iterator[Edges]:
    """All edges as (source, symbol of the edited word, target), kind by kind."""
    step, number = machine.transitions.astype(np.int64), _Numbering(machine.num_states, machine.num_symbols)
    states, symbols = range(machine.num_states), range(machine.num_symbols)

    def grid(*axes: range) -> list[Array]:
        return [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]

    p, x = grid(states, symbols)
    yield p, x, step[p, x]  # before the edit both read the same

    p, a, b = grid(states, symbols, symbols)
    other = a != b
    yield p[other], b[other], number.after(0, step[p, a], step[p, b])[other]  # a replaced by b
    yield p[other], b[other], number.midway(_SWAP, step[p, a], step[p, b], a, b)[other]  # a here, b to come
    yield p, b, number.midway(_LATER, step[p, a], step[p, b], a, b)  # a taken out; the edited word runs ahead by b
    yield p, a, number.midway(_EARLIER, step[p, b], step[p, a], a, b)  # a put in; the edited word still owes b

    p, q, x, y = grid(states, states, symbols, symbols)
    swapping, later, earlier = (number.midway(way, p, q, x, y) for way in (_SWAP, _LATER, _EARLIER))
    yield swapping, x, number.after(1, step[p, y], step[q, x])
    yield later, x, number.after(2, step[p, y], step[q, x])
    yield earlier, y, number.after(2, step[p, x], step[q, y])
    for symbol in symbols:
        c = np.full_like(p, symbol)
        yield swapping, c, number.midway(_SWAP, step[p, c], step[q, c], x, y)
        yield later, c, number.midway(_LATER, step[p, y], step[q, c], x, c)
        yield earlier, y, number.midway(_EARLIER, step[p, c], step[q, y], x, c)

    p, q, x = grid(states, states, symbols)
    for kind in range(len(KINDS)):  # after the edit both read the same
        yield number.after(kind, p, q), x, number.after(kind, step[p, x], step[q, x])


def _kinds(machine: "Machine", size: int) -> Array:
    """The kind of every node at which a member has become a non-member, else -1."""
    kinds = np.full(size, -1)
    number = _Numbering(machine.num_states, machine.num_symbols)
    members, others = np.flatnonzero(machine.outputs == 1), np.flatnonzero(machine.outputs == 0)
    for kind in range(len(KINDS)):
        kinds[number.after(kind, members[:, None], others[None, :])] = kind
    return kinds


def _trim(source: Array, symbol: Array, target: Array, kinds: Array) -> tuple[PathGraph, Array]:
    """The part of the graph that lies on a path from node 0 to a near miss."""
    start, ends = np.zeros(len(kinds), dtype=bool), kinds >= 0
    start[0] = True
    useful = _reached(source, target, start) & _reached(target, source, ends)
    useful[0] = True
    kept = useful[source] & useful[target]
    number = np.cumsum(useful) - 1
    graph = from_edges(number[source[kept]], symbol[kept], number[target[kept]], int(useful.sum()))
    return graph, kinds[useful]


def _reached(source: Array, target: Array, marked: Array) -> Array:
    """Nodes that a path from a marked node reaches."""
    while True:
        grown = marked.copy()
        grown[target[marked[source]]] = True
        if np.array_equal(grown, marked):
            return marked
        marked = grown
