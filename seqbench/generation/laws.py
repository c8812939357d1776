"""Sampling laws: which word of a length is drawn, and with what probability, exactly.

uniform      every word of the task's domain alike
balanced     a label uniformly among those that have words of the length, then a word uniformly
class        a syntactic class uniformly among those reachable at the length, then a word uniformly
composition  a pair of classes uniformly among those that can meet at the root of the balanced reduction, then halves
near_miss    a non-member one edit away from a uniform member (see edits)
member       a member uniformly (acceptors)
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError
from seqbench.generation import streams as rng
from seqbench.generation.counts import Groups, Tables, groups_of, make_tables, pick
from seqbench.generation.edits import KINDS, edit_graph, num_edits
from seqbench.generation.graph import PathGraph, class_graph, machine_graph
from seqbench.generation.scaled import CERTAIN
from seqbench.generation.words import walk
from seqbench.jit import kernel

if TYPE_CHECKING:
    from seqbench.algebra.machine import Machine
    from seqbench.algebra.monoid import Monoid

Array = npt.NDArray[Any]


class Law(Protocol):
    """What all sampling laws do."""

    def admits(self, max_length: int) -> Array:
        """Whether there is a word to draw, by length, shape (max_length + 1,), bool."""

    def fill(self, lengths: Array, offsets: Array, streams: rng.Words, out: Array) -> Array | None:
        """Writes a word a row to `out`; returns the rows' syntactic classes where the law knows them."""


class EndLaw:
    """A group of end nodes is drawn, then an end within it in proportion to its words, then a word uniformly."""

    def __init__(self, graph: PathGraph, groups: Groups, class_of_end: Array | None) -> None:
        """A law over a graph whose end nodes come in groups; `class_of_end` where an end node tells the class."""
        self.graph, self.groups, self.class_of_end = graph, groups, class_of_end
        self._length = -1

    def admits(self, max_length: int) -> Array:
        """Whether some group has words, by length."""
        self._prepare(max_length)
        return np.diff(self._open_indptr)[: max_length + 1] > 0

    def num_open(self, max_length: int) -> Array:
        """Number of groups that have words, by length."""
        self._prepare(max_length)
        return np.diff(self._open_indptr)[: max_length + 1]

    def fill(self, lengths: Array, offsets: Array, streams: rng.Words, out: Array) -> Array | None:
        """Draws the ends, then walks back from them."""
        self._prepare(int(lengths.max(initial=0)))
        draws = rng.draw64(rng.lane(streams, rng.CHOICE))
        ends = _choose(
            lengths, draws[2], draws[3], self._open_indptr, self._open, self._open_thresholds,
            self.groups.indptr, self.groups.nodes, self._tables.ends,
        )  # fmt: skip
        walk(self.graph, self._tables, ends, lengths, offsets, rng.lane(streams, rng.FIRST_WORD), out)
        return None if self.class_of_end is None else self.class_of_end[ends]

    def walk_to(self, ends: Array, lengths: Array, offsets: Array, streams: rng.Words, out: Array) -> None:
        """Writes uniform words that end at given nodes."""
        self._prepare(int(lengths.max(initial=0)))
        walk(self.graph, self._tables, ends, lengths, offsets, streams, out)

    def _prepare(self, max_length: int) -> None:
        if max_length <= self._length:
            return
        self._tables: Tables = make_tables(self.graph, self.groups, max_length)
        some = self._tables.total > 0
        self._open_indptr = np.zeros(max_length + 2, dtype=np.int64)
        np.cumsum(some.sum(axis=1), out=self._open_indptr[1:])
        self._open = np.nonzero(some)[1].astype(np.int32)
        self._open_thresholds = self._weigh(max_length)
        self._length = max_length

    def _weigh(self, max_length: int) -> Array:
        """Thresholds of the open groups, or none where all open groups are alike."""
        del max_length
        return np.empty(0, dtype=np.uint64)


class NearMissLaw(EndLaw):
    """A member, a kind of edit and an edit, all uniform, given that the result is no member.

    So a kind is drawn in proportion to the share of its edits that lead outside.
    """

    def __init__(self, machine: "Machine") -> None:
        """The law of an acceptor."""
        graph, kinds = edit_graph(machine)
        self.num_symbols = machine.num_symbols
        super().__init__(graph, groups_of(kinds, len(KINDS)), None)

    def _weigh(self, max_length: int) -> Array:
        rows = [self._weigh_length(t, self._open[self._open_indptr[t] : self._open_indptr[t + 1]])
                for t in range(max_length + 1)]  # fmt: skip
        return np.array([threshold for row in rows for threshold in row], dtype=np.uint64)

    def _weigh_length(self, length: int, kinds: Array) -> list[int]:
        """Cumulative thresholds of the kinds that exist at a length, from exact whole numbers."""
        total, exponent = self._tables.total[length], self._tables.exponent[length]
        lowest = int(exponent[kinds].min(initial=2**31 - 1))
        all_edits = [num_edits(kind, length, self.num_symbols) for kind in KINDS]
        product = int(np.prod([n for n in all_edits if n], dtype=object))
        weights = [(int(total[k]) << int(exponent[k]) - lowest) * product // all_edits[k] for k in kinds]
        whole = sum(weights)
        return [min((sum(weights[: i + 1]) << 64) // whole, int(CERTAIN)) for i in range(len(weights))]


class CompositionLaw:
    """Classes (a, b) uniform among pairs that can meet at the root, then two independent uniform halves.

    The balanced reduction joins neighbours level by level and passes a left-over on, so the root of n >= 2 symbols
    joins the first 2^(ceil(log2 n) - 1) of them with the rest. A single symbol has no root: its class is uniform.
    """

    def __init__(self, by_class: EndLaw, monoid: "Monoid", outputs: Array) -> None:
        """The law over the class law's tables; `outputs` holds the label of every state, -1 outside the domain."""
        self.by_class, self.monoid, self.outputs = by_class, monoid, outputs
        self._pairs: dict[tuple[bytes, bytes], _Pairs] = {}

    def admits(self, max_length: int) -> Array:
        """Whether some pair meets, by length: every word of two symbols or more is such a pair."""
        return self.by_class.admits(max_length)

    def fill(self, lengths: Array, offsets: Array, streams: rng.Words, out: Array) -> Array:
        """Draws the pairs, then both halves."""
        classes = np.empty(len(lengths), dtype=np.int32)
        single = lengths < 2
        if single.any():
            classes[single] = self.by_class.fill(lengths[single], offsets[single], streams[single], out)
        rows = np.flatnonzero(~single)
        if len(rows) == 0:
            return classes
        lengths, offsets, streams = lengths[rows], offsets[rows], streams[rows]
        cut = left_length(lengths)
        left, right = self._draw_pairs(lengths, streams)
        self.by_class.walk_to(left, cut, offsets, rng.lane(streams, rng.FIRST_WORD), out)
        self.by_class.walk_to(right, lengths - cut, offsets + cut, rng.lane(streams, rng.SECOND_WORD), out)
        classes[rows] = self.monoid.multiply(left, right)
        return classes

    def _draw_pairs(self, lengths: Array, streams: rng.Words) -> tuple[Array, Array]:
        draws = rng.draw64(rng.lane(streams, rng.CHOICE))
        left, right = np.empty(len(lengths), dtype=np.int32), np.empty(len(lengths), dtype=np.int32)
        for n in np.unique(lengths):  # a handful of lengths, each a whole array of rows
            at = lengths == n
            left[at], right[at] = self._pairs_at(int(n)).draw(draws[2, at], draws[3, at])
        return left, right

    def _pairs_at(self, length: int) -> "_Pairs":
        cut = int(left_length(np.array([length]))[0])
        left, right = self.monoid.reach(cut), self.monoid.reach(length - cut)
        key = (left.tobytes(), right.tobytes())  # reach is periodic, so few of these differ
        if key not in self._pairs:
            self._pairs[key] = _Pairs(self.monoid, self.outputs, left, right)
        return self._pairs[key]


class _Pairs:
    """Pairs (a, b) of reachable classes whose product lies in the domain, uniform.

    Whether it does depends on a only through the state that a reaches, so right halves are listed by that state.
    """

    def __init__(self, monoid: "Monoid", outputs: Array, left: Array, right: Array) -> None:
        self.left, self.state = np.flatnonzero(left), monoid.maps[left, 0]
        rights = np.flatnonzero(right)
        self.right = {int(q): rights[outputs[monoid.maps[rights, q]] >= 0] for q in np.unique(self.state)}
        self.cumulative = np.cumsum([len(self.right[int(q)]) for q in self.state])

    def draw(self, left_draw: Array, right_draw: Array) -> tuple[Array, Array]:
        """Pairs for 64-bit draws."""
        target = rng.below(left_draw, int(self.cumulative[-1]))
        chosen = np.searchsorted(self.cumulative, target, side="right")
        right = np.empty(len(chosen), dtype=np.int64)
        for q, rights in self.right.items():
            at = self.state[chosen] == q
            right[at] = rights[rng.below(right_draw[at], len(rights))] if len(rights) else 0
        return self.left[chosen], right


def left_length(lengths: Array) -> Array:
    """Symbols left of the root of the balanced reduction: the largest power of two below the length (length >= 2).

    Example:
        >>> left_length(np.array([2, 3, 4, 5, 8, 9])).tolist()
        [1, 2, 2, 4, 4, 8]
    """
    _, exponent = np.frexp((np.asarray(lengths) - 1).astype(np.float64))  # exact: lengths are below 2^53
    return np.left_shift(1, exponent.astype(np.int64) - 1)


@kernel
def _choose(
    lengths: Array, group_draws: Array, end_draws: Array, open_indptr: Array, open_groups: Array,
    open_thresholds: Array, group_indptr: Array, nodes: Array, end_thresholds: Array,
) -> Array:  # fmt: skip
    """The end node of every row: a group by weight (uniform without weights), then an end by its number of words."""
    ends = np.empty(len(lengths), dtype=np.int32)
    for i in range(len(lengths)):
        t = lengths[i]
        first, last = open_indptr[t], open_indptr[t + 1]
        if len(open_thresholds) > 0:
            chosen = pick(open_thresholds, first, last, group_draws[i])
        else:
            n = np.uint64(last - first)
            upper = (group_draws[i] >> np.uint64(32)) * n
            lower = ((group_draws[i] & np.uint64(0xFFFFFFFF)) * n) >> np.uint64(32)
            chosen = first + np.int64((upper + lower) >> np.uint64(32))
        g = open_groups[chosen]
        ends[i] = nodes[pick(end_thresholds[t], group_indptr[g], group_indptr[g + 1], end_draws[i])]
    return ends


def class_of_state(monoid: "Monoid") -> Array | None:
    """The class that leads to each state, where no two classes lead from the start to the same one, else None."""
    states, classes = np.unique(monoid.maps[:, 0], return_index=True)
    return classes.astype(np.int32) if len(states) == len(monoid) else None


def _by_state(machine: "Machine", monoid: "Monoid | None", group_of_state: Array) -> EndLaw:
    groups = groups_of(group_of_state, int(group_of_state.max(initial=0)) + 1)
    return EndLaw(machine_graph(machine), groups, None if monoid is None else class_of_state(monoid))


def _uniform(machine: "Machine", monoid: "Monoid | None", outputs: Array) -> Law:
    return _by_state(machine, monoid, np.where(outputs >= 0, 0, -1))


def _balanced(machine: "Machine", monoid: "Monoid | None", outputs: Array) -> Law:
    return _by_state(machine, monoid, outputs)


def _member(machine: "Machine", monoid: "Monoid | None", outputs: Array) -> Law:
    return _by_state(machine, monoid, np.where(outputs == 1, 0, -1))


def _near_miss(machine: "Machine", monoid: "Monoid | None", outputs: Array) -> Law:
    del monoid, outputs
    return NearMissLaw(machine)


def _class(machine: "Machine", monoid: "Monoid | None", outputs: Array) -> EndLaw:
    monoid = _needed(monoid, machine)
    identity = np.arange(len(monoid), dtype=np.int32)
    inside = outputs[monoid.maps[:, 0]] >= 0
    return EndLaw(class_graph(monoid), groups_of(np.where(inside, identity, -1), len(monoid)), identity)


def _composition(machine: "Machine", monoid: "Monoid | None", outputs: Array) -> Law:
    return CompositionLaw(_class(machine, monoid, outputs), _needed(monoid, machine), outputs)


def _needed(monoid: "Monoid | None", machine: "Machine") -> "Monoid":
    if monoid is None:
        raise InputError(
            f"Sampling by class needs the syntactic monoid of the machine with {machine.num_states} states, and "
            "classes=False leaves it out. Sample 'uniform' or 'balanced', or leave classes on."
        )
    return monoid


LAWS: dict[str, Callable[["Machine", "Monoid | None", Array], Law]] = {
    "uniform": _uniform,
    "balanced": _balanced,
    "class": _class,
    "composition": _composition,
    "near_miss": _near_miss,
    "member": _member,
}
