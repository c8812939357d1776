"""Sampling laws: which word of a length is drawn, and with what probability, exactly.

uniform      every word of the task's domain alike
balanced     a label uniformly among those that have words of the length, then a word uniformly
class        a syntactic class uniformly among those reachable at the length, then a word uniformly
composition  a pair of classes uniformly among those that can meet at the root of the balanced reduction, then halves
near_miss    a non-member one edit away from a uniform member (see edits)
member       a member uniformly (acceptors)
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError
from seqbench.generation import streams as rng
from seqbench.generation.composition import CompositionLaw
from seqbench.generation.counts import Groups, Tables, check_tables, groups_of, make_tables, pick
from seqbench.generation.edits import KINDS, edit_graph, num_edits
from seqbench.generation.graph import PathGraph, class_graph, machine_graph
from seqbench.generation.scaled import CERTAIN
from seqbench.generation.words import fill_fair, walk
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


@dataclass(frozen=True, eq=False)
class _Prepared:
    """What a law knows up to a length: its tables, and the groups that have words of each length.

    Made whole before it is put in place, so that threads may share a law.
    """

    length: int
    tables: Tables
    open_indptr: Array
    open_groups: Array
    open_thresholds: Array


class EndLaw:
    """A group of end nodes is drawn, then an end within it in proportion to its words, then a word uniformly."""

    def __init__(
        self, graph: PathGraph, groups: Groups, *, class_of_end: Array | None = None, left: Array | None = None
    ) -> None:
        """A law over a graph whose end nodes come in groups.

        Args:
            graph: its paths are the words.
            groups: what is drawn first.
            class_of_end: the syntactic class of each end node, where the node tells it.
            left: the monoid's left Cayley graph, where the walk shall tell it.
        """
        self.graph, self.groups, self.class_of_end = graph, groups, class_of_end
        self.left = left if class_of_end is None else None
        self._prepared: _Prepared | None = None

    def admits(self, max_length: int) -> Array:
        """Whether some group has words, by length."""
        return self.num_open(max_length) > 0

    def num_open(self, max_length: int) -> Array:
        """Number of groups that have words, by length."""
        return np.asarray(np.diff(self._prepare(max_length).open_indptr)[: max_length + 1])

    def fewest_log2(self, max_length: int) -> Array:
        """Logarithm to base 2 of the number of words of the smallest group that has any, by length."""
        tables = self._prepare(max_length).tables
        total, exponent = tables.total[: max_length + 1], tables.exponent[: max_length + 1]
        with np.errstate(divide="ignore"):
            logarithms = np.log2(total.astype(np.float64)) + 64 + exponent
        return np.asarray(np.where(total > 0, logarithms, np.inf).min(axis=1))

    def fill(self, lengths: Array, offsets: Array, streams: rng.Words, out: Array) -> Array | None:
        """Draws the ends, then walks back from them."""
        ends = self.draw_ends(lengths, streams)
        classes = self.walk_to(ends, lengths, offsets, rng.lane(streams, rng.FIRST_WORD), out)
        return classes if self.class_of_end is None else self.class_of_end[ends]

    def draw_ends(self, lengths: Array, streams: rng.Words) -> Array:
        """An end node for every row."""
        ready = self._prepare(int(lengths.max(initial=0)))
        draws = rng.draw64(rng.lane(streams, rng.CHOICE), counter=1)
        opened = (ready.open_indptr, ready.open_groups, ready.open_thresholds)
        grouped = (self.groups.indptr, self.groups.nodes, ready.tables.ends)
        ends = np.empty(len(lengths), dtype=np.int32)
        _choose(lengths, draws, opened, grouped, ends)
        return ends

    def walk_to(self, ends: Array, lengths: Array, offsets: Array, streams: rng.Words, out: Array) -> Array | None:
        """Writes uniform words that end at given nodes; returns their classes where `left` is there to tell them."""
        tables = self._prepare(int(lengths.max(initial=0))).tables
        return walk(self.graph, tables, ends, lengths, offsets, streams, out, self.left)

    def _prepare(self, max_length: int) -> _Prepared:
        ready = self._prepared
        if ready is None or ready.length < max_length:
            tables = make_tables(self.graph, self.groups, max_length)
            some = tables.total > 0
            open_indptr = np.zeros(max_length + 2, dtype=np.int64)
            np.cumsum(some.sum(axis=1), out=open_indptr[1:])
            open_groups = np.nonzero(some)[1].astype(np.int32)
            ready = self._prepared = _Prepared(max_length, tables, open_indptr, open_groups, self._weigh(tables))
        return ready

    def _weigh(self, tables: Tables) -> Array:
        """Thresholds of the open groups, or none where all open groups are alike."""
        del tables
        return np.empty(0, dtype=np.uint64)


class FairLaw:
    """All words alike, over 1, 2, 4 or 8 bits a symbol: no table, no look-up, and no error at all."""

    def __init__(self, bits: int) -> None:
        """The law of an alphabet of 2^bits symbols."""
        self.bits = bits

    def admits(self, max_length: int) -> Array:
        """True for every length."""
        return np.ones(max_length + 1, dtype=bool)

    def fill(self, lengths: Array, offsets: Array, streams: rng.Words, out: Array) -> None:
        """Takes the symbols from the streams' bits."""
        fill_fair(self.bits, lengths, offsets, rng.lane(streams, rng.FIRST_WORD), out)


class NearMissLaw(EndLaw):
    """A member, a kind of edit and an edit, all uniform, given that the result is no member.

    So a kind is drawn in proportion to the share of its edits that lead outside.
    """

    def __init__(self, machine: "Machine", monoid: "Monoid | None") -> None:
        """The law of an acceptor."""
        graph, kinds = edit_graph(machine)
        self.num_symbols = machine.num_symbols
        self._by_label = _by_state(machine, None, machine.outputs)
        super().__init__(graph, groups_of(kinds, len(KINDS)), left=None if monoid is None else monoid.left)

    def admits(self, max_length: int) -> Array:
        """Whether some near miss exists, by length; makes no table.

        One does iff members and non-members of the length do: substitutions lead from any word to any other, and
        somewhere on the way from a member to a non-member one of them leaves the language.

        Raises:
            TooLargeError: the tables that drawing will need would pass their limit.
        """
        check_tables(self.graph, self.groups, max_length, "Leave near misses out: near_miss=False.")
        return (self._by_label.num_open(max_length) > 1) & (self.num_symbols > 1)

    def _weigh(self, tables: Tables) -> Array:
        total, exponent = tables.total.tolist(), tables.exponent.tolist()
        rows = [self._weigh_length(t, total[t], exponent[t]) for t in range(len(total))]
        return np.array([threshold for row in rows for threshold in row], dtype=np.uint64)

    def _weigh_length(self, length: int, total: list[int], exponent: list[int]) -> list[int]:
        """Cumulative thresholds of the kinds that have near misses of a length, from exact whole numbers."""
        kinds = [kind for kind, count in enumerate(total) if count]
        if not kinds:
            return []
        edits = [num_edits(KINDS[kind], length, self.num_symbols) for kind in kinds]
        product, lowest = math.prod(edits), min(exponent[kind] for kind in kinds)
        weights = [
            (total[kind] << exponent[kind] - lowest) * (product // count)
            for kind, count in zip(kinds, edits, strict=True)
        ]
        whole = sum(weights)
        return [min((part << 64) // whole, int(CERTAIN)) for part in itertools.accumulate(weights)]


@kernel
def _choose(
    lengths: Array,
    draws: Array,
    opened: tuple[Array, Array, Array],
    grouped: tuple[Array, Array, Array],
    ends: Array,
) -> None:
    """The end node of every row: a group by weight (uniform without weights), then an end by its number of words."""
    open_indptr, open_groups, open_thresholds = opened
    group_indptr, nodes, end_thresholds = grouped
    for i in range(len(lengths)):
        t = lengths[i]
        first, last = open_indptr[t], open_indptr[t + 1]
        if len(open_thresholds) > 0:
            chosen = pick(open_thresholds, first, last, draws[0, i])
        else:
            n = np.uint64(last - first)
            upper = (draws[0, i] >> np.uint64(32)) * n
            lower = ((draws[0, i] & np.uint64(0xFFFFFFFF)) * n) >> np.uint64(32)
            chosen = first + np.int64((upper + lower) >> np.uint64(32))
        g = open_groups[chosen]
        ends[i] = nodes[pick(end_thresholds[t], group_indptr[g], group_indptr[g + 1], draws[1, i])]


def class_of_state(monoid: "Monoid") -> Array | None:
    """The class that leads to each state, where no two classes lead from the start to the same one, else None."""
    states, classes = np.unique(monoid.maps[:, 0], return_index=True)
    return classes.astype(np.int32) if len(states) == len(monoid) else None


def _by_state(machine: "Machine", monoid: "Monoid | None", group_of_state: Array) -> EndLaw:
    groups = groups_of(group_of_state, int(group_of_state.max(initial=0)) + 1)
    if monoid is None:
        return EndLaw(machine_graph(machine), groups)
    return EndLaw(machine_graph(machine), groups, class_of_end=class_of_state(monoid), left=monoid.left)


def _uniform(machine: "Machine", monoid: "Monoid | None", outputs: Array) -> Law:
    bits = machine.num_symbols.bit_length() - 1
    if bits in {1, 2, 4, 8} and machine.num_symbols == 1 << bits and (outputs >= 0).all():
        return FairLaw(bits)
    return _by_state(machine, monoid, np.where(outputs >= 0, 0, -1))


def balanced(machine: "Machine", monoid: "Monoid | None", outputs: Array) -> EndLaw:
    """The law that draws a label uniformly; `outputs` is the output of every state, -1 for labels left out."""
    return _by_state(machine, monoid, outputs)


def _member(machine: "Machine", monoid: "Monoid | None", outputs: Array) -> Law:
    if not machine.is_acceptor:
        raise InputError(
            f"'member' needs a language with members and non-members, not {machine.num_labels} labels. "
            "Sample 'uniform' or 'balanced' with labels=[...] instead."
        )
    return _by_state(machine, monoid, np.where(outputs == 1, 0, -1))


def _near_miss(machine: "Machine", monoid: "Monoid | None", outputs: Array) -> Law:
    if machine.is_acceptor and (machine.outputs == 0).any() and not (outputs == 0).any():
        raise InputError("Near misses are non-members, and labels leaves out 'reject'. Use another sampling law.")
    return NearMissLaw(machine, monoid)


def class_law(monoid: "Monoid", *, only: Array | int) -> EndLaw:
    """The law that draws a class uniformly among the given ones (a class, or a mask over all) that a length reaches."""
    identity = np.arange(len(monoid), dtype=np.int32)
    chosen = identity == only if isinstance(only, int) else only
    return EndLaw(class_graph(monoid), groups_of(np.where(chosen, identity, -1), len(monoid)), class_of_end=identity)


def _class(machine: "Machine", monoid: "Monoid | None", outputs: Array) -> EndLaw:
    monoid = _needed(monoid, machine)
    return class_law(monoid, only=outputs[monoid.maps[:, 0]] >= 0)


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
    "balanced": balanced,
    "class": _class,
    "composition": _composition,
    "near_miss": _near_miss,
    "member": _member,
}
