"""Counter-based random streams: every random word is a pure function of a key and a position.

Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011) maps a 64-bit key
and a 128-bit counter to four 32-bit words. SHA-256 of what a unit of rows is (dataset, data version, recipe, seed,
split, unit) gives the key and the upper half of the counter; the lower half says which row, lane and position.
Nothing is shared or advanced, so rows can be made in any order, by any process.
"""

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.jit import kernel

Words = npt.NDArray[np.uint32]
Array = npt.NDArray[Any]

# Rows of the array of streams that kernels take, one column a word.
KEY_LOW, KEY_HIGH, ROW_AND_LANE, UNIT_LOW, UNIT_HIGH = range(5)
LANE_SHIFT = 16  # the row within its unit lies below (units hold at most 4096 rows), the lane above

# Lanes: what the words of a row are for. A new attempt at a row shifts all lanes by LANES.
CHOICE, FIRST_WORD, SECOND_WORD = range(3)
LANES = 4

TILE = 64  # streams worked on side by side: enough independent chains to hide the latency of look-ups

_M32 = np.uint64(0xFFFFFFFF)
_S32 = np.uint64(32)
_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)


@kernel
def philox(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four 32-bit random words (held in uint64) at a counter under a key: Philox4x32 with 10 rounds."""
    for _ in range(10):
        p0 = _MULTIPLIER_0 * c0
        p1 = _MULTIPLIER_1 * c2
        c0, c1, c2, c3 = (p1 >> _S32) ^ c1 ^ k0, p1 & _M32, (p0 >> _S32) ^ c3 ^ k1, p0 & _M32
        k0 = (k0 + _WEYL_0) & _M32
        k1 = (k1 + _WEYL_1) & _M32
    return c0, c1, c2, c3


@kernel
def draw32(streams: Words, i: int, counter: int) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four 32-bit words of stream i at a counter; loops over i are vectorised by the compiler."""
    j = np.uint64(i)  # spares the test for negative indices
    return philox(
        np.uint64(counter),
        np.uint64(streams[ROW_AND_LANE, j]),
        np.uint64(streams[UNIT_LOW, j]),
        np.uint64(streams[UNIT_HIGH, j]),
        np.uint64(streams[KEY_LOW, j]),
        np.uint64(streams[KEY_HIGH, j]),
    )


def unit_key(*parts: object) -> Words:
    """Key and upper counter of a unit of rows: the first 128 bits of SHA-256 of its parts, shape (4,), uint32.

    Parts are joined by a control character that no name holds, so that different parts never spell the same text.

    Example:
        >>> unit_key("dyck_d6", "1.0.0", "{}", 0, "train", 0).tolist()
        [3802743056, 1530038732, 1297761672, 2927075280]
    """
    digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).digest()
    return np.frombuffer(digest[:16], dtype="<u4").astype(np.uint32)


def row_streams(keys: Words, rows: Array) -> Words:
    """Streams of rows, shape (5, n), from the keys of their units, shape (4,) or (4, n), and their numbers in them."""
    streams = np.empty((5, len(rows)), dtype=np.uint32)
    streams[[KEY_LOW, KEY_HIGH, UNIT_LOW, UNIT_HIGH]] = keys.reshape(4, -1)
    streams[ROW_AND_LANE] = rows
    return streams


def lane(streams: Words, number: int, attempt: int = 0) -> Words:
    """The same rows' streams on another lane; lanes of different attempts never meet."""
    moved = streams.copy()
    moved[ROW_AND_LANE] += np.uint32((number + LANES * attempt) << LANE_SHIFT)
    return moved


@kernel
def load_tile(streams: Words, chosen: Array, keys: Words) -> None:
    """Copies up to TILE chosen streams to keys, shape (5, TILE)."""
    for r in range(len(chosen)):
        for j in range(5):
            keys[j, r] = streams[j, chosen[r]]


@kernel
def draw_tile(keys: Words, counter: int, words: Words) -> None:
    """The 32-bit words 4 * counter to 4 * counter + 3 of a tile of streams, words shape (4, TILE).

    Always a whole tile: a loop of fixed length over small arrays is what the compiler vectorises.
    """
    for r in range(TILE):
        a, b, c, d = draw32(keys, r, counter)
        words[0, r], words[1, r] = np.uint32(a), np.uint32(b)
        words[2, r], words[3, r] = np.uint32(c), np.uint32(d)


def tile_buffers() -> tuple[Words, Words]:
    """Room for the keys of a tile, shape (5, TILE), and for its words, shape (4, TILE)."""
    return np.zeros((5, TILE), dtype=np.uint32), np.empty((4, TILE), dtype=np.uint32)


def draw64(streams: Words, counter: int = 0) -> npt.NDArray[np.uint64]:
    """The 64-bit words 2 * counter and 2 * counter + 1 of every stream, shape (2, n)."""
    out = np.empty((2, streams.shape[1]), dtype=np.uint64)
    _draw64(streams, counter, *tile_buffers(), out)
    return out


@kernel
def _draw64(streams: Words, counter: int, keys: Words, words: Words, out: Array) -> None:
    """Two 64-bit words of every stream, upper halves first."""
    for tile in range(0, streams.shape[1], TILE):
        count = min(TILE, streams.shape[1] - tile)
        for j in range(5):
            for r in range(count):
                keys[j, r] = streams[j, tile + r]
        draw_tile(keys, counter, words)
        for r in range(count):
            out[0, tile + r] = (np.uint64(words[0, r]) << _S32) | words[1, r]
            out[1, tile + r] = (np.uint64(words[2, r]) << _S32) | words[3, r]


def below(words: npt.NDArray[np.uint64], bound: Array | int) -> npt.NDArray[np.int64]:
    """Whole numbers below a bound (< 2^63) from 64-bit words: the upper half of the product; bias under bound / 2^64.

    Example:
        >>> below(np.array([0, 2**63, 2**64 - 1], dtype=np.uint64), 6).tolist()
        [0, 3, 5]
    """
    bounds, out = np.empty(words.shape, dtype=np.uint64), np.empty(words.shape, dtype=np.int64)
    bounds[...] = bound
    _below(np.ascontiguousarray(words).ravel(), bounds.ravel(), out.ravel())
    return out


@kernel
def _below(words: Array, bounds: Array, out: Array) -> None:
    """Upper halves of products of 64-bit numbers, by halves of 32 bits."""
    for i in range(len(out)):
        high, low = bounds[i] >> _S32, bounds[i] & _M32
        words_high, words_low = words[i] >> _S32, words[i] & _M32
        middle = words_high * low + (words_low * low >> _S32)
        carried = (words_low * high + (middle & _M32)) >> _S32
        out[i] = np.int64(words_high * high + (middle >> _S32) + carried)
