"""What the recall tasks share: rows of ids with a label at some positions, users' inputs, draws within kernels."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.errors import InputError, quoted
from seqbench.generation.streams import Words, draw32
from seqbench.jit import kernel

Array = npt.NDArray[Any]

IGNORED = -100
"""The label of a position where nothing is asked."""

_S32 = np.uint64(32)
_M32 = np.uint64(0xFFFFFFFF)


@kernel
def draw_below(streams: Words, row: int, counter: int, bound: int) -> Any:
    """A whole number below a bound from one counter of a row's stream; its chance is off by less than 2^-64."""
    a, b, _, _ = draw32(streams, row, counter)
    word, factor = (a << _S32) | b, np.uint64(bound)
    high, low = factor >> _S32, factor & _M32
    middle = (word >> _S32) * low + ((word & _M32) * low >> _S32)
    carried = ((word & _M32) * high + (middle & _M32)) >> _S32
    return np.int64((word >> _S32) * high + (middle >> _S32) + carried)


class Positional(ABC):
    """A task with a label at some positions of a row and -100 elsewhere.

    Attributes:
        schema: columns `input_ids` and `labels`.
        vocabulary: number of symbols.
        shortest: the smallest length that has examples.
    """

    label_names: tuple[str, ...] = ()
    symbol_names: tuple[str, ...] = ()

    def __init__(self, vocabulary: int, shortest: int) -> None:
        """The columns hold bytes up to 256 symbols, 16-bit words beyond."""
        self.vocabulary, self.shortest = vocabulary, shortest
        self.lengths_hint = f"Every length from {shortest} on has examples."
        self.dtype = np.dtype(np.uint8 if vocabulary <= 256 else np.uint16)
        symbols = pa.uint8() if vocabulary <= 256 else pa.uint16()
        self.schema = pa.schema({"input_ids": pa.list_(symbols), "labels": pa.list_(pa.int32())})

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Every length from the shortest on."""
        return np.arange(longest + 1) >= self.shortest

    def sizes(self, longest: int) -> tuple[int, int]:
        """Number of symbols, twice: labels are symbols."""
        del longest
        return self.vocabulary, self.vocabulary

    def draw(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Rows and their labels."""
        lengths = lengths.astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        tokens = np.zeros(offsets[-1], dtype=self.dtype)
        labels = np.full(offsets[-1], IGNORED, dtype=np.int32)
        self._fill(lengths, offsets[:-1], streams, tokens, labels)
        rows = pa.array(offsets.astype(np.int32))
        return {
            "input_ids": pa.ListArray.from_arrays(rows, pa.array(tokens)),
            "labels": pa.ListArray.from_arrays(rows, pa.array(labels)),
        }

    @abstractmethod
    def _fill(self, lengths: Array, offsets: Array, streams: Words, tokens: Array, labels: Array) -> None:
        """Writes the rows."""

    def solve(self, inputs: Any) -> list[Any]:
        """The labels of each row of ids, -100 where nothing is asked; of one row alone its labels."""
        if not isinstance(inputs, Sequence | np.ndarray) or isinstance(inputs, str):
            raise InputError(f"inputs is {quoted(inputs)}, which is no list of rows. Give rows as lists of symbol ids.")
        if len(inputs) > 0 and isinstance(inputs[0], int | np.integer):
            return self._solve(self._ids(inputs))
        return [self._solve(self._ids(row)) for row in inputs]

    def _ids(self, row: Any) -> list[int]:
        if not isinstance(row, Sequence | np.ndarray) or isinstance(row, str):
            raise InputError(f"{quoted(row)} is no row. Give a list of symbol ids from 0 to {self.vocabulary - 1}.")
        for symbol in row:
            whole = isinstance(symbol, int | np.integer) and not isinstance(symbol, bool)
            if not whole or not 0 <= symbol < self.vocabulary:
                raise InputError(
                    f"The symbol {quoted(symbol)} cannot be used. Symbols are ids from 0 to {self.vocabulary - 1}."
                )
        if len(row) < self.shortest:
            raise InputError(f"A row of {len(row)} symbols is too short. {self.lengths_hint}")
        return [int(symbol) for symbol in row]

    @abstractmethod
    def _solve(self, row: list[int]) -> list[int]:
        """The labels of a row."""

    def check(self, table: pa.Table) -> None:
        """Computes the labels of each row again from its symbols alone, and looks at its form."""
        for number, row in enumerate(table.to_pylist()):
            if self._solve(row["input_ids"]) != row["labels"] or not self._is_well_made(row["input_ids"]):
                raise InputError(f"Row {number} is wrong: {row}.")

    def _is_well_made(self, row: list[int]) -> bool:  # noqa: ARG002  # some tasks have more to look at
        return True

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Symbols, chance, differences from the published task."""

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """Symbols and labels as numbers; a dot where nothing is asked."""
        return {
            "input_ids": " ".join(map(str, row["input_ids"])),
            "labels": " ".join("." if label == IGNORED else str(label) for label in row["labels"]),
        }
