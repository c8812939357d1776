"""Words of independent uniform symbols for alphabets of any size up to 256: exactly uniform, by rejection of bytes."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.streams import TILE, Words, draw_tile, load_tile, tile_buffers
from seqbench.generation.words import fill_fair
from seqbench.jit import kernel

Array = npt.NDArray[Any]

_BITS = {2: 1, 4: 2, 16: 4, 256: 8}


def fill_uniform(symbols: int, lengths: Array, offsets: Array, streams: Words, out: Array, least: int = 0) -> None:
    """Fills `out` with independent symbols, each of least .. least + symbols - 1 alike.

    A random byte below the greatest multiple of symbols^d that fits gives d symbols; other bytes are thrown away.

    Args:
        symbols: 2 to 256.
        lengths: shape (n,), int64.
        offsets: where each word begins in `out`, shape (n,), int64.
        streams: random streams of the words, shape (5, n).
        out: symbol ids, uint8, written in place.
        least: the least symbol.
    """
    if symbols in _BITS and least == 0:
        return fill_fair(_BITS[symbols], lengths, offsets, streams, out)
    table, accepted = digit_table(symbols)
    longest = int(lengths.max(initial=0))
    shorter = longest - lengths
    order = np.argsort(shorter.astype(np.uint16) if longest < 1 << 16 else shorter, kind="stable")
    ends = np.zeros((2, TILE), np.int64)
    return _fill((table + np.uint8(least), accepted), order, (lengths, offsets), streams, tile_buffers(), ends, out)


def digit_table(symbols: int) -> tuple[Array, int]:
    """The digits that each accepted byte stands for, shape (accepted, d), and the number of accepted bytes.

    Example:
        >>> table, accepted = digit_table(5)
        >>> accepted, table[7].tolist()
        (250, [2, 1, 0])
    """
    digits = 1
    while symbols ** (digits + 1) <= 256:
        digits += 1
    accepted = 256 // symbols**digits * symbols**digits
    table = np.arange(accepted)[:, None] // symbols ** np.arange(digits) % symbols
    return table.astype(np.uint8), accepted


@kernel
def _fill(
    digits: tuple[Array, int],
    order: Array,
    words: tuple[Array, Array],
    streams: Words,
    buffers: tuple[Words, Words],
    ends: Array,
    out: Array,
) -> None:
    """Tile by tile, longest words first, until every word of the tile is full."""
    table, accepted = digits
    lengths, offsets = words
    keys, drawn = buffers
    for tile in range(0, len(order), TILE):
        rows = order[tile : tile + TILE]
        load_tile(streams, rows, keys)
        for r in range(len(rows)):
            ends[0, r], ends[1, r] = offsets[rows[r]], offsets[rows[r]] + lengths[rows[r]]
        counter, unfinished = 0, True
        while unfinished:
            draw_tile(keys, counter, drawn)
            counter += 1
            unfinished = False
            for r in range(len(rows)):
                place = _spell(table, accepted, drawn, r, ends[0, r], ends[1, r], out)
                ends[0, r] = place
                unfinished |= place < ends[1, r]


@kernel
def _spell(table: Array, accepted: int, drawn: Words, r: int, place: int, end: int, out: Array) -> int:
    """Writes the digits of the 16 bytes of word r of a tile from `place` on; where the next digit belongs."""
    share = table.shape[1]
    for w in range(4):
        word = np.int64(drawn[w, r])
        for b in range(4):
            byte = (word >> (8 * b)) & 255
            if byte < accepted:
                count = min(share, end - place)
                for j in range(count):
                    out[np.uint64(place + j)] = table[np.uint64(byte), np.uint64(j)]
                place += count
    return place
