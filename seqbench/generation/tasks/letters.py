"""Words of independent letters, each of any number of letters alike, in bulk."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.streams import TILE, Words, draw32, draw_tile, load_tile, tile_buffers
from seqbench.generation.words import fill_fair
from seqbench.jit import kernel

Array = npt.NDArray[Any]

MAX_COUNT = 1 << 16
_MOST_VALUES = 1 << 14  # so that the bias of several letters made together stays below 2^-50
_SECOND_HALVES = 1 << 30  # where the counters of second halves begin
_S32 = np.uint64(32)
_M32 = np.uint64(0xFFFFFFFF)


def fill_letters(count: int, lengths: Array, offsets: Array, streams: Words, out: Array) -> None:
    """Fills `out` with words of independent letters 0 .. count - 1, each equally likely.

    Exactly so for a power of two. Else a few letters together are the upper part of the product of a 64-bit random
    number and count^share: every such group of letters is within count^share / 2^64 of equally likely, below 2^-48 for
    the largest alphabets and below 2^-50 up to 16,384 letters. The lower half of the 64 bits is made only where it
    could matter.

    Args:
        count: number of letters, 1 to 65,536.
        lengths: shape (n,).
        offsets: where each word begins in `out`, shape (n,).
        streams: random streams of the words, shape (5, n).
        out: letters, uint8 or uint16, written in place.

    Example:
        >>> from seqbench.generation.streams import row_streams, unit_key
        >>> words = np.empty(12, dtype=np.uint8)
        >>> fill_letters(6, np.array([8, 4]), np.array([0, 8]), row_streams(unit_key("six"), np.arange(2)), words)
        >>> int(words.max()) < 6
        True
    """
    lengths, offsets = lengths.astype(np.int64), offsets.astype(np.int64)
    if count in (2, 4, 16, 256) and out.dtype == np.uint8:
        fill_fair(count.bit_length() - 1, lengths, offsets, streams, out)
        return
    share = 1
    while share < 16 and count ** (share + 1) <= _MOST_VALUES:
        share += 1
    order = np.argsort(-lengths, kind="stable")
    _fill_letters(count, share, order, lengths, offsets, streams, tile_buffers(), out)


@kernel
def _fill_letters(
    count: int,
    share: int,
    order: Array,
    lengths: Array,
    offsets: Array,
    streams: Words,
    buffers: tuple[Words, Words],
    out: Array,
) -> None:
    """Tile by tile, longest words first; a 32-bit word gives `share` letters, the base-count digits of a fraction."""
    keys, words = buffers
    factor = np.uint64(count)
    values = np.uint64(count**share)
    certain = np.uint64(1 << 32) - values  # below this the lower 32 bits cannot carry
    for tile in range(0, len(order), TILE):
        rows = order[tile : tile + TILE]
        load_tile(streams, rows, keys)
        for counter in range(-(-lengths[rows[0]] // (4 * share))):
            draw_tile(keys, counter, words)
            for r in range(len(rows)):
                for w in range(4):
                    first = share * (4 * counter + w)
                    number = min(share, lengths[rows[r]] - first)
                    if number <= 0:
                        break
                    fraction = np.uint64(words[w, r])
                    place = np.uint64(offsets[rows[r]] + first)
                    if ((fraction * values) & _M32) >= certain:
                        lower, _, _, _ = draw32(keys, r, _SECOND_HALVES + 4 * counter + w)
                        _exact(lower, fraction, factor, share, number, place, out)
                        continue
                    for j in range(number):
                        fraction *= factor
                        out[place + np.uint64(j)] = fraction >> _S32
                        fraction &= _M32


@kernel
def _exact(lower: Any, upper: Any, factor: Any, share: int, number: int, place: Any, out: Array) -> None:
    """The letters of all 64 bits, first letter the highest digit."""
    values = factor ** np.uint64(share)
    value = (upper * values + ((lower * values) >> _S32)) >> _S32
    for j in range(share - 1, -1, -1):
        if j < number:
            out[place + np.uint64(j)] = value % factor
        value //= factor
