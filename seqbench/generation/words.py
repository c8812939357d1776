"""Exactly uniform words in bulk: walks a path graph backwards from given ends, thousands of words at a time."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.counts import Tables, pick
from seqbench.generation.graph import SYMBOL_BITS, PathGraph
from seqbench.generation.streams import TILE, Words, draw32, draw_tile, load_tile, tile_buffers
from seqbench.jit import kernel

Array = npt.NDArray[Any]
Edges = tuple[Array, Array, Array, Words]  # indptr, arrows, thresholds and their upper halves
Tile = tuple[Words, Words, Array]  # of each word: its node, the node before that, where it begins in the output

_S32 = np.uint64(32)
_SECOND_HALVES = 1 << 30  # where the counters of second halves begin
_SYMBOL_BITS = np.uint64(SYMBOL_BITS)
_SYMBOL = np.uint64((1 << SYMBOL_BITS) - 1)
_NO_MONOID = np.empty((0, 0), dtype=np.int32)
_NO_MONOID.flags.writeable = False  # like that of a monoid: numba types read-only arrays apart


def walk(
    graph: PathGraph,
    tables: Tables,
    ends: Array,
    lengths: Array,
    offsets: Array,
    streams: Words,
    out: Array,
    left: Array | None = None,
) -> Array | None:
    """Fills `out` with uniform words: word i has `lengths[i]` symbols from `offsets[i]` and ends at node `ends[i]`.

    Args:
        graph: the graph to walk.
        tables: its tables, at least up to the longest length.
        ends: last node of each word, shape (n,); a word of that length must reach it.
        lengths: shape (n,).
        offsets: where each word begins in `out`, shape (n,).
        streams: random streams of the words, shape (5, n).
        out: symbol ids, uint8 or uint16, written in place.
        left: left Cayley graph of a monoid, shape (classes, symbols), int32.

    Returns:
        The words' classes, shape (n,), int32, where a monoid is given: symbols are chosen from the last to the first.
    """
    order = _longest_first(lengths)
    edges = (graph.indptr, graph.arrows, tables.edges, tables.upper)
    words = (order, ends.astype(np.int32), lengths.astype(np.int64), offsets.astype(np.int64))
    tile = (np.empty(TILE, np.uint32), np.empty(TILE, np.uint32), np.empty(TILE, np.uint64))
    buffers = (tile, np.empty(TILE, np.int32), *tile_buffers())
    classes = np.zeros(0 if left is None else len(lengths), dtype=np.int32)
    _walk(edges, graph.degree, words, streams, buffers, out, _NO_MONOID if left is None else left, classes)
    return None if left is None else classes


def _longest_first(lengths: Array) -> Array:
    """Indices of words by falling length."""
    longest = int(lengths.max(initial=0))
    shorter = longest - lengths
    return np.argsort(shorter.astype(np.uint16) if longest < 1 << 16 else shorter, kind="stable")  # 16 bits: radix sort


# Each of the next three takes an edge for every word of a tile by the upper 32 bits of its draw, and returns true where
# some draw equals a threshold, so that those bits do not decide. The first two do not branch on the draw: half of such
# branches would be mispredicted. Unsigned indices spare the compiler's test for negative ones.
@kernel
def _four(upper: Words, arrows: Array, draws: Words, tile: Tile, active: int, place: np.uint64, out: Array) -> bool:
    """All nodes have four edges."""
    at, after, base = tile
    tied = False
    for r in range(active):
        first, draw = np.uint64(at[r]), draws[r]
        one, two, three = upper[first], upper[first + np.uint64(1)], upper[first + np.uint64(2)]
        tied |= (draw == one) | (draw == two) | (draw == three)
        arrow = arrows[first + np.uint64(draw >= one) + np.uint64(draw >= two) + np.uint64(draw >= three)]
        after[r], out[base[r] + place] = arrow >> _SYMBOL_BITS, arrow & _SYMBOL
    return tied


@kernel
def _several(
    upper: Words, arrows: Array, degree: int, draws: Words, tile: Tile, active: int, place: np.uint64, out: Array
) -> bool:
    """All nodes have `degree` edges."""
    at, after, base = tile
    tied = False
    for r in range(active):
        first, draw = np.uint64(at[r]), draws[r]
        edge = first
        for e in range(first, first + np.uint64(degree - 1)):
            edge += np.uint64(draw >= upper[e])
            tied |= draw == upper[e]
        arrow = arrows[edge]
        after[r], out[base[r] + place] = arrow >> _SYMBOL_BITS, arrow & _SYMBOL
    return tied


@kernel
def _any(
    upper: Words, arrows: Array, indptr: Array, draws: Words, tile: Tile, active: int, place: np.uint64, out: Array
) -> bool:
    """Nodes have any number of edges: a binary search."""
    at, after, base = tile
    tied = False
    for r in range(active):
        first, draw = indptr[at[r]], np.uint64(draws[r])
        edge = pick(upper, first, indptr[at[r] + 1], draw)
        tied |= edge > first and upper[edge - 1] == draw
        arrow = arrows[edge]
        after[r], out[base[r] + place] = arrow >> _SYMBOL_BITS, arrow & _SYMBOL
    return tied


@kernel
def _decide(edges: Edges, degree: int, t: int, draws: Words, keys: Words, tile: Tile, active: int, out: Array) -> None:
    """By all 64 bits of the draws."""
    indptr, arrows, thresholds, _ = edges
    at, after, base = tile
    for r in range(active):
        low, _, _, _ = draw32(keys, r, _SECOND_HALVES + t)
        first, last = (at[r], at[r] + degree) if degree > 0 else (indptr[at[r]], indptr[at[r] + 1])
        arrow = arrows[pick(thresholds[t], first, last, (np.uint64(draws[r]) << _S32) | low)]
        after[r], out[base[r] + np.uint64(t - 1)] = arrow >> _SYMBOL_BITS, arrow & _SYMBOL


@kernel
def _walk(  # noqa: C901 -- what is called in the inner loop must be inlined, and of more functions some are not
    edges: Edges,
    degree: int,
    words: tuple[Array, Array, Array, Array],
    streams: Words,
    buffers: tuple[Tile, Array, Words, Words],
    out: Array,
    left: Array,
    classes: Array,
) -> None:
    """Walks tile by tile, longest words first; word r joins at step t = its length, and all end at step 1 together.

    Step t of a word uses 32-bit word t of its stream, and another 32 bits only where the first do not decide.
    """
    order, ends, lengths, offsets = words
    tile, element, keys, buffer = buffers
    at, after, base = tile
    indptr, arrows, _, uppers = edges
    for start in range(0, len(order), TILE):
        rows, active = order[start : start + TILE], 0
        longest = lengths[rows[0]]
        for r in range(len(rows)):
            at[r], base[r], element[r] = ends[rows[r]] * max(degree, 1), offsets[rows[r]], 0
        load_tile(streams, rows, keys)
        for t in range(longest, 0, -1):
            if t & 3 == 3 or t == longest:
                draw_tile(keys, t >> 2, buffer)
            while active < len(rows) and lengths[rows[active]] >= t:
                active += 1
            draws, place = buffer[t & 3], np.uint64(t - 1)
            if degree == 4:
                tied = _four(uppers[t], arrows, draws, tile, active, place, out)
            elif degree > 0:
                tied = _several(uppers[t], arrows, degree, draws, tile, active, place, out)
            else:
                tied = _any(uppers[t], arrows, indptr, draws, tile, active, place, out)
            if tied:
                _decide(edges, degree, t, draws, keys, tile, active, out)
            for r in range(active):
                at[r] = after[r]
            for r in range(active if len(left) > 0 else 0):
                element[r] = left[np.uint64(element[r]), np.uint64(out[base[r] + np.uint64(t - 1)])]
        for r in range(len(rows) if len(classes) > 0 else 0):
            classes[rows[r]] = element[r]


def fill_fair(bits: int, lengths: Array, offsets: Array, streams: Words, out: Array) -> None:
    """Fills `out` with words of independent symbols, each of 2^bits alike: every symbol takes its own random bits.

    Args:
        bits: 1, 2, 4 or 8.
        lengths: shape (n,).
        offsets: where each word begins in `out`, shape (n,).
        streams: random streams of the words, shape (5, n).
        out: symbol ids, uint8, written in place.
    """
    _fill_fair(bits, _longest_first(lengths), lengths, offsets, streams, tile_buffers(), out)


@kernel
def _fill_fair(
    bits: int, order: Array, lengths: Array, offsets: Array, streams: Words, buffers: tuple[Words, Words], out: Array
) -> None:
    """Tile by tile, longest words first; 128 random bits give 128 / bits symbols."""
    keys, words = buffers
    share, mask = 32 // bits, np.uint32((1 << bits) - 1)
    for tile in range(0, len(order), TILE):
        rows = order[tile : tile + TILE]
        load_tile(streams, rows, keys)
        for counter in range(-(-lengths[rows[0]] // (4 * share))):
            draw_tile(keys, counter, words)
            for r in range(len(rows)):
                for w in range(4):
                    first = share * (4 * counter + w)
                    count = min(share, lengths[rows[r]] - first)
                    word, place = words[w, r], np.uint64(offsets[rows[r]] + first)
                    for j in range(count):
                        out[place + np.uint64(j)] = (word >> np.uint32(bits * j)) & mask
