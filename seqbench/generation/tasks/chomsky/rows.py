"""Rows of different lengths as flat arrays, and as Arrow columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.jit import kernel

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rows:
    """Row i is `tokens[offsets[i]:offsets[i + 1]]`.

    Attributes:
        tokens: symbol ids of all rows, uint8.
        offsets: shape (rows + 1,), int64.
    """

    tokens: Array
    offsets: Array

    @property
    def lengths(self) -> Array:
        """Symbols of each row, shape (rows,)."""
        return np.diff(self.offsets)

    def list_column(self) -> pa.Array:
        """The rows as an Arrow list column."""
        return pa.ListArray.from_arrays(pa.array(self.offsets.astype(np.int32)), pa.array(self.tokens))

    def python(self) -> list[list[int]]:
        """The rows as lists.

        Example:
            >>> Rows(np.array([1, 0, 1], np.uint8), np.array([0, 2, 3])).python()
            [[1, 0], [1]]
        """
        return [part.tolist() for part in np.split(self.tokens, self.offsets[1:-1])] if len(self.offsets) > 1 else []


def offsets_of(lengths: Array) -> Array:
    """Where rows of these lengths begin and end, shape (rows + 1,), int64.

    Example:
        >>> offsets_of(np.array([2, 3])).tolist()
        [0, 2, 5]
    """
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def blank(lengths: Array) -> Rows:
    """Rows of zeros."""
    offsets = offsets_of(lengths)
    return Rows(np.zeros(offsets[-1], np.uint8), offsets)


def single_symbols(symbols: Array) -> Rows:
    """Rows of one symbol each.

    Example:
        >>> single_symbols(np.array([3, 1])).python()
        [[3], [1]]
    """
    return Rows(symbols.astype(np.uint8), np.arange(len(symbols) + 1))


def append(rows: Rows, symbol: int, times: Array) -> Rows:
    """The rows, each followed by so many copies of a symbol.

    Example:
        >>> append(Rows(np.array([1, 0, 1], np.uint8), np.array([0, 2, 3])), 2, np.array([1, 2])).python()
        [[1, 0, 2], [1, 2, 2]]
    """
    longer = Rows(np.full(len(rows.tokens) + int(times.sum()), symbol, np.uint8), offsets_of(rows.lengths + times))
    _copy(rows.tokens, rows.offsets, longer.tokens, longer.offsets)
    return longer


@kernel
def _copy(tokens: Array, offsets: Array, out: Array, out_offsets: Array) -> None:
    for i in range(len(offsets) - 1):
        shift = out_offsets[i] - offsets[i]
        for j in range(offsets[i], offsets[i + 1]):
            out[shift + j] = tokens[j]


def first_of_each(rows: Rows, counts: Array) -> pa.Array:
    """A list column of truth values beside the rows: true at the first `counts[i]` positions of row i."""
    flags = np.zeros(len(rows.tokens), np.bool_)
    _mark(rows.offsets, counts, flags)
    return _flags(rows.offsets, np.packbits(flags, bitorder="little"))


def all_of_each(offsets: Array) -> pa.Array:
    """A list column of truth values that are all true.

    Example:
        >>> all_of_each(np.array([0, 2, 3])).to_pylist()
        [[True, True], [True]]
    """
    return _flags(offsets, np.full(-(-int(offsets[-1]) // 8), 0xFF, np.uint8))


def _flags(offsets: Array, packed: Array) -> pa.Array:
    values = pa.Array.from_buffers(pa.bool_(), int(offsets[-1]), [None, pa.py_buffer(packed)])
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values)


@kernel
def _mark(offsets: Array, counts: Array, flags: Array) -> None:
    for i in range(len(counts)):
        for j in range(offsets[i], offsets[i] + counts[i]):
            flags[j] = True
