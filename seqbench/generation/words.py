"""Exactly uniform words in bulk: walks a path graph backwards from given ends, thousands of words at a time."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.counts import Tables, pick
from seqbench.generation.graph import PathGraph
from seqbench.generation.streams import TILE, Words, draw32, draw_tile, load_tile, tile_buffers
from seqbench.jit import kernel

Array = npt.NDArray[Any]

_S32 = np.uint64(32)
_SECOND_HALVES = 1 << 30  # where the counters of second halves begin


def walk(
    graph: PathGraph, tables: Tables, ends: Array, lengths: Array, offsets: Array, streams: Words, out: Array
) -> None:
    """Fills `out` with uniform words: word i has `lengths[i]` symbols from `offsets[i]` and ends at node `ends[i]`.

    Args:
        graph: the graph to walk.
        tables: its tables, at least up to the longest length.
        ends: last node of each word, shape (n,); a word of that length must reach it.
        lengths: shape (n,).
        offsets: where each word begins in `out`, shape (n,).
        streams: random streams of the words, shape (5, n).
        out: symbol ids, uint8 or uint16, written in place.
    """
    order = _longest_first(lengths)
    edges = (graph.indptr, graph.source, graph.symbol)
    words = (order, ends.astype(np.int32), lengths.astype(np.int64), offsets.astype(np.int64))
    tile = (np.empty(TILE, np.uint32), np.empty(TILE, np.uint32), np.empty(TILE, np.uint64), *tile_buffers())
    _walk(edges, graph.degree, (tables.edges, tables.upper), words, streams, tile, out)


def _longest_first(lengths: Array) -> Array:
    """Indices of words by falling length."""
    longest = int(lengths.max(initial=0))
    shorter = longest - lengths
    return np.argsort(shorter.astype(np.uint16) if longest < 1 << 16 else shorter, kind="stable")  # 16 bits: radix sort


@kernel
def _decide(
    indptr: Array, thresholds: Array, keys: Words, t: int, draws: Words, node: Array, active: int, edges: Array
) -> None:
    """Chooses the edges of a tile by all 64 bits of the draws, whatever the in-degrees."""
    for r in range(active):
        low, _, _, _ = draw32(keys, r, _SECOND_HALVES + t)
        full = (np.uint64(draws[r]) << _S32) | low
        edges[r] = pick(thresholds, indptr[node[r]], indptr[node[r] + 1], full)


@kernel
def _compare(upper: Words, degree: int, draws: Words, node: Array, active: int, edges: Array) -> bool:
    """Chooses the edges of a tile by the upper 32 bits; true where some draw equals a threshold and decides nothing.

    Without a branch that depends on the draw: half of such branches would be mispredicted.
    """
    tied = False
    if degree == 2:
        for r in range(active):
            first, draw = np.uint64(2 * node[r]), draws[r]
            edges[r] = first + np.uint64(draw >= upper[first])
            tied |= draw == upper[first]
    else:
        for r in range(active):
            first, draw = np.uint64(degree * node[r]), draws[r]
            edge = first
            for e in range(first, first + np.uint64(degree - 1)):
                edge += np.uint64(draw >= upper[e])
                tied |= draw == upper[e]
            edges[r] = edge
    return tied


@kernel
def _walk(
    edges: tuple[Array, Array, Array],
    degree: int,
    tables: tuple[Array, Words],
    words: tuple[Array, Array, Array, Array],
    streams: Words,
    tile_arrays: tuple[Words, Words, Array, Words, Words],
    out: Array,
) -> None:
    """Walks tile by tile, longest words first; word r joins at step t = its length, and all end at step 1 together.

    Step t of a word uses 32-bit word t of its stream, and another 32 bits only where the first do not decide. Unsigned
    indices spare the compiler's test for negative ones.
    """
    indptr, source, symbol = edges
    order, ends, lengths, offsets = words
    thresholds, upper = tables
    node, edge, base, keys, buffer = tile_arrays
    for tile in range(0, len(order), TILE):
        count, active = min(TILE, len(order) - tile), 0
        longest = lengths[order[tile]]
        for r in range(count):
            word = order[tile + r]
            node[r], base[r] = ends[word], offsets[word]
        load_tile(streams, order[tile : tile + count], keys)
        for t in range(longest, 0, -1):
            if t & 3 == 3 or t == longest:
                draw_tile(keys, t >> 2, buffer)
            while active < count and lengths[order[tile + active]] >= t:
                active += 1
            draws = buffer[t & 3]
            if degree == 0 or _compare(upper[t], degree, draws, node, active, edge):
                _decide(indptr, thresholds[t], keys, t, draws, node, active, edge)
            place = np.uint64(t - 1)
            for r in range(active):
                chosen = np.uint64(edge[r])
                out[base[r] + place] = symbol[chosen]
                node[r] = source[chosen]


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
