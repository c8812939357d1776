"""What all these tasks share: symbols, the two layouts, users' own words, checks, short texts.

Source of the tasks: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023, and its public code.

Layouts. `separate`: `input_ids` holds the n input symbols. `appended` (as published): they are followed by as many
empty tokens as the output has symbols, and predictions are read there, so the last positions of `input_ids` stand
beside `output_ids`. The empty token's id is the number of input symbols, the first that is free. `output_ids`,
`loss_mask` and `label` are the same in both layouts, and n, the number of input symbols, is the length that users ask
for in both.

All tasks have the columns `output_ids` and `loss_mask`, so that one loop trains them all; the mask is true where a
symbol counts, everywhere in most tasks. Tasks whose output is one symbol have it as `label` too.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.algebra.alphabet import encode_batch, separator
from seqbench.algebra.parameters import Parameter
from seqbench.errors import InputError, quoted
from seqbench.generation.streams import Words
from seqbench.generation.tasks.chomsky.rows import Rows, all_of_each, append, first_of_each, single_symbols

Array = npt.NDArray[Any]

LAYOUT = Parameter(
    "layout",
    "choice",
    "whether empty tokens, where the output is read, follow the input",
    default="separate",
    choices=("separate", "appended"),
)
SHOWN_BY = ("layout",)
"""Parameters that choose how rows are shown."""
EMPTY = "."
COLUMNS = pa.schema(
    {"input_ids": pa.list_(pa.uint8()), "output_ids": pa.list_(pa.uint8()), "loss_mask": pa.list_(pa.bool_())}
)
"""What every task has."""


def digits(count: int) -> tuple[str, ...]:
    """The names 0, 1, ... of so many symbols."""
    return tuple(map(str, range(count)))


class SequenceTask(ABC):
    """A task from words to outputs or labels.

    Attributes:
        smallest: the shortest meaningful length.
        domain: a sentence that says what an input looks like.
        alphabet: names of the input symbols in the order of their ids.
        differences: sentences that say what differs from the published code on purpose.
    """

    smallest: ClassVar[int] = 1
    domain: ClassVar[str]
    differences: ClassVar[tuple[str, ...]] = ()
    label_names: tuple[str, ...] = ()
    alphabet: tuple[str, ...]
    schema: pa.Schema

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The task with checked parameters."""
        self.appended = parameters["layout"] == "appended"
        self.lengths_hint = f"Every length from {self.smallest} on has examples."

    @property
    def symbol_names(self) -> tuple[str, ...]:
        """The alphabet and, where places for the output are appended to the input, their empty symbol."""
        return (*self.alphabet, EMPTY) if self.appended else self.alphabet

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Every length from the smallest on."""
        return np.arange(longest + 1) >= self.smallest

    def draw(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Inputs and their targets."""
        rows, columns = self.examples(lengths.astype(np.int64), streams)
        if self.appended:
            rows = append(rows, len(self.alphabet), self.output_lengths(rows.lengths))
        return {"input_ids": rows.list_column(), **columns}

    def sizes(self, longest: int) -> tuple[int, int]:
        """Number of input symbols, with the empty one where it is shown, and of output symbols."""
        del longest
        return len(self.alphabet) + self.appended, len(self.output_names)

    def solve(self, inputs: Any) -> list[Any]:
        """The target of each input; of one input (a text, or a flat list of ids) its target alone.

        Raises:
            InputError: a word that is no input of the task.
        """
        if not isinstance(inputs, Sequence | np.ndarray):
            raise InputError(f"inputs is {quoted(inputs)}, which is no list of words. Give texts or lists of ids.")
        one = isinstance(inputs, str) or (len(inputs) > 0 and isinstance(inputs[0], int | np.integer))
        rows = self._encode([inputs] if one else inputs)
        targets = self.targets(rows)
        return targets[0] if one else targets

    def _encode(self, words: Any) -> Rows:
        """Users' words, checked; empty tokens at their ends are cut off in the appended layout."""
        rows = Rows(*encode_batch(self.symbol_names, words))
        kept = [self._cut(row) for row in rows.python()]
        for number, row in enumerate(kept):
            fault = self._fault(row)
            if fault:
                text = quoted(self._text(row, (*self.alphabet, EMPTY)))
                raise InputError(f"Word {number}, {text}, is no input of this task: {fault}. {self.domain}")
        tokens, offsets = encode_batch(self.alphabet, kept)
        return Rows(tokens.astype(np.uint8), offsets)

    def _cut(self, row: list[int]) -> list[int]:
        kept = len(row)
        while self.appended and kept and row[kept - 1] == len(self.alphabet):
            kept -= 1
        return row[:kept]

    def _fault(self, row: list[int]) -> str | None:
        if len(self.alphabet) in row:
            return "it has an empty token before its end"
        if len(row) < self.smallest:
            return f"its length is {len(row)}, the smallest is {self.smallest}"
        return self.fault(row)

    def check(self, table: pa.Table) -> None:
        """Recomputes every target by slow Python.

        Raises:
            InputError: naming the first row that is wrong.
        """
        for number, row in enumerate(table.to_pylist()):
            word = self._cut(row["input_ids"])
            empty = len(row["input_ids"]) - len(word)
            expected = int(self.output_lengths(np.array([len(word)]))[0]) if self.appended else 0
            if self._fault(word) or empty != expected or self.slow(word) != self.target_of(row):
                raise InputError(f"Row {number} is wrong: {quoted(row, 500)}.")

    def facts(self) -> dict[str, Any]:
        """Alphabet, smallest length, chance level, differences from the published code."""
        empty = {"empty_token": len(self.alphabet)} if self.appended else {}
        own = {"alphabet": list(self.alphabet), **empty, "smallest_length": self.smallest, **self.own_facts()}
        return {**own, "differences": list(self.differences)}

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """Input and target as text."""
        return {"input_ids": self._text(row["input_ids"], (*self.alphabet, EMPTY)), **self.show_target(row)}

    @staticmethod
    def _text(row: Sequence[int], alphabet: tuple[str, ...]) -> str:
        return separator(alphabet).join(alphabet[token] for token in row)

    def examples(self, lengths: Array, streams: Words) -> tuple[Rows, dict[str, pa.Array]]:
        """Random inputs of these lengths, and their target columns."""
        rows = self.inputs(lengths, streams)
        return rows, self.columns(rows)

    def inputs(self, lengths: Array, streams: Words) -> Rows:
        """Random inputs of these lengths."""
        return self.examples(lengths, streams)[0]

    @property
    @abstractmethod
    def output_names(self) -> tuple[str, ...]:
        """Names of the output symbols."""

    @abstractmethod
    def output_lengths(self, lengths: Array) -> Array:
        """Symbols of the outputs of inputs of these lengths."""

    @abstractmethod
    def columns(self, rows: Rows) -> dict[str, pa.Array]:
        """The target columns of inputs."""

    @abstractmethod
    def targets(self, rows: Rows) -> list[Any]:
        """The targets of inputs as plain data."""

    @abstractmethod
    def slow(self, word: list[int]) -> Any:
        """What `target_of` gives for a right row, computed another way."""

    @abstractmethod
    def target_of(self, row: dict[str, Any]) -> Any:
        """The target in a row of the dataset."""

    @abstractmethod
    def show_target(self, row: dict[str, Any]) -> dict[str, str]:
        """The target of a row as text."""

    @abstractmethod
    def own_facts(self) -> dict[str, Any]:
        """Chance level and what else is known."""

    def fault(self, word: list[int]) -> str | None:  # noqa: ARG002 - for the tasks that take any word
        """What is wrong with a word of input symbols as an input, or None."""
        return None


class StringTask(SequenceTask):
    """A task whose target is a word.

    Attributes:
        masked: whether only the first part of the output counts.
        outputs: names of the output symbols.
    """

    masked: ClassVar[bool] = False
    outputs: tuple[str, ...]
    schema = COLUMNS

    @property
    def output_names(self) -> tuple[str, ...]:
        """Those of the outputs."""
        return self.outputs

    @abstractmethod
    def answer(self, rows: Rows) -> tuple[Rows, Array]:
        """The outputs of inputs, and how many of the symbols of each count, shape (rows,)."""

    @abstractmethod
    def slow_answer(self, word: list[int]) -> list[int]:
        """The output of a word up to where it counts, by plain Python."""

    def columns(self, rows: Rows) -> dict[str, pa.Array]:
        """`output_ids` and `loss_mask`."""
        outputs, counts = self.answer(rows)
        mask = first_of_each(outputs, counts) if self.masked else all_of_each(outputs.offsets)
        return {"output_ids": outputs.list_column(), "loss_mask": mask}

    def targets(self, rows: Rows) -> list[Any]:
        """The outputs as lists."""
        return self.answer(rows)[0].python()

    def slow(self, word: list[int]) -> Any:
        """The output and mask of a word."""
        length = int(self.output_lengths(np.array([len(word)]))[0])
        output = self.slow_answer(word)
        rest = length - len(output)
        return output + [0] * rest, [True] * len(output) + [False] * rest

    def target_of(self, row: dict[str, Any]) -> Any:
        """The output and mask of a row."""
        return row["output_ids"], row["loss_mask"]

    def show_target(self, row: dict[str, Any]) -> dict[str, str]:
        """The output; the mask as 1 and 0, unless all counts."""
        mask = {"loss_mask": "".join("01"[flag] for flag in row["loss_mask"])} if self.masked else {}
        return {"output_ids": self._text(row["output_ids"], self.outputs), **mask}


class LabelTask(SequenceTask):
    """A task whose target is one symbol: `output_ids` holds it alone, and `label` is its number."""

    schema = COLUMNS.append(pa.field("label", pa.int64()))

    @property
    def output_names(self) -> tuple[str, ...]:
        """Those of the labels."""
        return self.label_names

    @abstractmethod
    def answer(self, rows: Rows) -> Array:
        """The labels of inputs, shape (rows,), int64."""

    def output_lengths(self, lengths: Array) -> Array:
        """One symbol each."""
        return np.ones_like(lengths)

    def columns(self, rows: Rows) -> dict[str, pa.Array]:
        """`output_ids`, `loss_mask` and `label`."""
        return self.columns_of(self.answer(rows))

    @staticmethod
    def columns_of(labels: Array) -> dict[str, pa.Array]:
        """The target columns of labels."""
        outputs = single_symbols(labels)
        mask = all_of_each(outputs.offsets)
        return {"output_ids": outputs.list_column(), "loss_mask": mask, "label": pa.array(labels)}

    def targets(self, rows: Rows) -> list[Any]:
        """The labels as whole numbers."""
        return list(self.answer(rows).tolist())

    def target_of(self, row: dict[str, Any]) -> Any:
        """The label of a row; None where the columns do not agree on it."""
        agreed = row["output_ids"] == [row["label"]] and row["loss_mask"] == [True]
        return row["label"] if agreed else None

    def show_target(self, row: dict[str, Any]) -> dict[str, str]:
        """The name of the label."""
        return {"label": self.label_names[row["label"]]}
