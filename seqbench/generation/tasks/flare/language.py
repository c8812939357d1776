"""What recognition needs of a language, and tools that languages share: fair and even symbols, rows by length."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from seqbench.algebra.machine import Machine
from seqbench.generation.streams import Words, draw32
from seqbench.generation.words import fill_fair
from seqbench.jit import kernel

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

PrefixColumn = Callable[[Array, Array], Array]
Spoil = Callable[[Array, Words, Array, Mask], None]

_S32 = np.uint64(32)


class Language(Protocol):
    """A language whose members can be drawn and recognised in bulk.

    Attributes:
        alphabet: the symbols.
        member_law: how members are drawn, in one sentence.
        own_near_misses: how its own near misses are drawn; empty where random edits of members do.
        shape: a letter a symbol, equal for symbols that may stand for each other without breaking the form of words.
        spoil: a kernel of offsets, streams, members and a mask: it changes a symbol of each member so that it keeps its
            form and is none any more; the mask becomes true where it could. None where random edits do.
        spoiled: what it changes, in words.
        log_probabilities, next_symbols: functions of tokens and offsets (see prefixes); None where it has none.
    """

    alphabet: tuple[str, ...]
    member_law: str
    own_near_misses: str
    shape: str
    spoil: Spoil | None
    spoiled: str
    log_probabilities: PrefixColumn | None
    next_symbols: PrefixColumn | None

    def members(self, longest: int) -> Mask:
        """Whether there are members, by length, shape (longest + 1,)."""

    def others(self, longest: int) -> Mask:
        """Whether there are words outside the language, by length, shape (longest + 1,)."""

    def log2_members(self, longest: int) -> Array:
        """At least how many members there are, by length, as base-2 logarithms; minus infinity for none."""

    def propose(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> Mask:
        """Writes a member a row; false where the row has to be drawn again, independently of the member."""

    def near_miss(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> None:
        """Writes a near miss a row, where the language has its own."""

    def contains(self, tokens: Array, offsets: Array) -> Mask:
        """Whether each word belongs to the language; word i is tokens[offsets[i]:offsets[i + 1]]."""

    def slowly(self, word: Sequence[str]) -> bool:
        """Whether one word, given by its symbols, belongs to the language: plain Python, written another way."""


class Base:
    """What most languages share: words outside at every length, near misses by random edits."""

    own_near_misses = ""
    shape = ""  # no form to keep: any symbol may stand for any other
    spoil: Spoil | None = None
    spoiled = ""
    log_probabilities: PrefixColumn | None = None
    next_symbols: PrefixColumn | None = None

    def others(self, longest: int) -> Mask:
        """True from length 1 on."""
        return np.arange(longest + 1) > 0

    def near_miss(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> None:
        """Never called: there is no law of its own."""
        raise NotImplementedError


def log2_accepted(machine: Machine, longest: int) -> Array:
    """The base-2 logarithms of the numbers of accepted words of each length.

    Example:
        >>> log2_accepted(Machine.build("01", [[0, 1], [1, 0]], [0, 1]), 3).tolist()  # an odd number of ones
        [-inf, 0.0, 1.0, 2.0]
    """
    ways, scale, found = (machine.outputs == 1).astype(np.float64), 0.0, np.full(longest + 1, -np.inf)
    for length in range(longest + 1):
        if ways[0] > 0:
            found[length] = np.log2(ways[0]) + scale
        ways = ways[machine.transitions].sum(axis=1)
        largest = ways.max() or 1.0  # kept near one, whatever the length
        ways, scale = ways / largest, scale + np.log2(largest)
    return found


def log2_exact(counts: Iterable[int]) -> Array:
    """The base-2 logarithms of whole numbers of any size."""
    return np.array([math.log2(count) if count else -math.inf for count in counts])


def split(lengths: Array) -> Array:
    """Offsets of words that follow one another, int64, shape (n + 1,)."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def put(tokens: Array, lengths: Array, out: Array, offsets: Array) -> None:
    """Copies words that follow one another in `tokens` to their offsets in `out`."""
    begin = split(lengths)[:-1]
    out[np.repeat(offsets - begin, lengths) + np.arange(len(tokens))] = tokens


def by_length(lengths: Array) -> Iterator[tuple[int, Array]]:
    """Every length with the rows that have it."""
    order = np.argsort(lengths, kind="stable")
    values, first = np.unique(lengths[order], return_index=True)
    yield from zip(values.tolist(), np.split(order, first[1:]), strict=True)


def evenly(symbols: int, lengths: Array, offsets: Array, streams: Words, out: Array) -> None:
    """Writes words of independent symbols, all alike: by bits for 2, 4, 16 or 256, else with bias below k 2^-64."""
    bits = symbols.bit_length() - 1
    if symbols == 1 << bits and bits in {1, 2, 4, 8}:
        fill_fair(bits, lengths, offsets, streams, out)
    else:
        _evenly(symbols, lengths, offsets, streams, out)


@kernel
def bounded(high: np.uint64, low: np.uint64, bound: np.uint64) -> np.int64:
    """A whole number below a bound (< 2^32) from two 32-bit words; bias under bound / 2^64."""
    return np.int64((high * bound + (low * bound >> _S32)) >> _S32)


@kernel
def _evenly(symbols: int, lengths: Array, offsets: Array, streams: Words, out: Array) -> None:
    bound = np.uint64(symbols)
    for i in range(len(lengths)):
        first, n = offsets[i], lengths[i]
        for pair in range((n + 1) // 2):
            a, b, c, d = draw32(streams, i, pair)
            out[first + 2 * pair] = bounded(a, b, bound)
            if 2 * pair + 1 < n:
                out[first + 2 * pair + 1] = bounded(c, d, bound)
