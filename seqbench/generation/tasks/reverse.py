"""Reverse a word."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.algebra.parameters import Parameter
from seqbench.errors import InputError
from seqbench.generation.streams import FIRST_WORD, Words, lane
from seqbench.generation.tasks.task import Kind
from seqbench.generation.words import fill_fair

Array = npt.NDArray[Any]


class Reverse:
    """A word of fair bits, and the same word backwards.

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.
    """

    schema = pa.schema({"input_ids": pa.list_(pa.uint8()), "output_ids": pa.list_(pa.uint8())})
    label_names: tuple[str, ...] = ()
    lengths_hint = "Every length from 1 on has examples."

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The task over 2^bits symbols."""
        self.bits = parameters["bits"]

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Every length but 0."""
        return np.arange(longest + 1) > 0

    def draw(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Words and their mirror images."""
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        tokens = np.empty(offsets[-1], dtype=np.uint8)
        fill_fair(self.bits, lengths, offsets[:-1], lane(streams, FIRST_WORD), tokens)
        ends = np.repeat(offsets[:-1] + offsets[1:] - 1, lengths)
        backwards = tokens[ends - np.arange(len(tokens))]
        rows = pa.array(offsets.astype(np.int32))
        return {
            "input_ids": pa.ListArray.from_arrays(rows, pa.array(tokens)),
            "output_ids": pa.ListArray.from_arrays(rows, pa.array(backwards)),
        }

    def solve(self, inputs: Any) -> list[Any]:
        """Every input backwards."""
        return [list(word)[::-1] for word in inputs]

    def check(self, table: pa.Table) -> None:
        """Compares with Python's own reversal."""
        for number, row in enumerate(table.to_pylist()):
            if row["output_ids"] != row["input_ids"][::-1]:
                raise InputError(f"Row {number} is wrong: {row}.")

    def facts(self) -> dict[str, Any]:
        """The alphabet."""
        return {"symbols": 1 << self.bits}

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """Both words as digits."""
        return {name: "".join(map(str, row[name])) for name in ("input_ids", "output_ids")}


KINDS = {"reverse": Kind(Reverse, (Parameter("bits", "integer", "bits a symbol", 1, 8, default=1),), {})}
