"""What a dataset asks for, and its rows as tensors: a label, a symbol at some positions, a string, or numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch
from torch import Tensor

from seqbench.errors import InputError
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.blocks import IGNORED

Array = npt.NDArray[Any]

KINDS = ("label", "positions", "string", "numbers")
"""One label a sequence; a symbol at some positions; a string that is read at empty symbols after the input; numbers."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Sequences, padded at their ends to the longest.

    Attributes:
        inputs: symbols, int64 (batch, longest), or numbers, float32 (batch, longest, channels).
        lengths: int64 (batch,).
        targets: labels, int64 (batch,); symbols, int64 (batch, longest), -100 where none is asked for; or numbers,
            float32 (batch, longest, outputs), 0 at the padding, or (batch, outputs) for the last step.
        classes: syntactic classes, int64 (batch,), where the rows have them.
    """

    inputs: Tensor
    lengths: Tensor
    targets: Tensor
    classes: Tensor | None = None

    @property
    def symbols(self) -> int:
        """The number of symbols, or of steps, without the padding."""
        return int(self.lengths.sum())

    def on(self, device: torch.device, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Inputs and targets on a device; numbers of the type given."""
        kind = dtype if self.inputs.is_floating_point() else torch.int64
        return self.inputs.to(device, kind, non_blocking=True), self.targets.to(device, kind, non_blocking=True)

    def split(self, size: int) -> Iterator["Batch"]:
        """The batch in parts of at most so many sequences, without classes."""
        return map(Batch, self.inputs.split(size), self.lengths.split(size), self.targets.split(size))


@dataclass(frozen=True)
class Targets:
    """What a dataset asks for.

    Attributes:
        kind: one of KINDS.
        head: the head of a model that can say it: "last" or "positions".
        inputs: number of input symbols, the empty one among them; of channels, where inputs are numbers.
        outputs: number of labels or output symbols; of numbers a step.
        empty: the id of the empty symbol, where rows hold it or get it.
        appended: whether the rows hold the empty symbols already.
    """

    kind: str
    head: str
    inputs: int
    outputs: int
    empty: int | None = None
    appended: bool = False

    @classmethod
    def of(cls, planned: BasePlan) -> "Targets":
        """The targets of a dataset, by its columns.

        `targets` are numbers, `labels` symbols at positions, `label` alone the label of the sequence, `output_ids`
        alone a string. A string is read as published (Deletang et al., ICLR 2023): as many empty symbols as it has
        symbols follow the input, their id one past the alphabet, and it is read there.

        Raises:
            InputError: a dataset without anything to learn.

        Example:
            >>> from seqbench.generation.plan import plan
            >>> Targets.of(plan("reverse_string"))
            Targets(kind='string', head='positions', inputs=3, outputs=2, empty=2, appended=False)
        """
        columns, (inputs, outputs) = planned.schema.names, planned.sizes
        options = getattr(planned.recipe, "parameters", {})
        if "targets" in columns:
            return cls("numbers", "last" if options["targets"] == "last" else "positions", inputs, outputs)
        if "labels" in columns:
            return cls("positions", "positions", inputs, outputs)
        appended = options.get("layout") == "appended"
        if "label" in columns:
            return cls("label", "last", inputs, outputs, inputs - 1 if appended else None, appended)
        if "output_ids" not in columns:
            raise InputError(
                f"{planned.name} has nothing to learn with these options: its columns are {', '.join(columns)}. "
                "Choose options that give it labels; `seqbench info` shows them."
            )
        total = inputs if appended else inputs + 1
        return cls("string", "positions", total, outputs, total - 1, appended)

    @property
    def vectors(self) -> bool:
        """Whether inputs and targets are numbers."""
        return self.kind == "numbers"

    def batch(self, rows: pa.RecordBatch) -> Batch:
        """Rows as tensors.

        Example:
            >>> from seqbench.generation.plan import plan
            >>> planned = plan("reverse_string", test_lengths=(3, 3), test_examples_per_length=1)
            >>> rows = planned.block("test", 0)
            >>> batch = Targets.of(planned).batch(rows)
            >>> batch.inputs.tolist(), batch.targets.tolist()
            ([[1, 0, 0, 2, 2, 2]], [[-100, -100, -100, 0, 0, 1]])
        """
        if self.kind == "string":
            return _batch(*self._with_outputs(rows))
        inputs, lengths = padded(rows["inputs" if self.vectors else "input_ids"], 0)
        if self.kind == "label":
            classes = rows["syntactic_class"].to_numpy() if "syntactic_class" in rows.schema.names else None
            return _batch(inputs, lengths, rows["label"].to_numpy(), classes)
        if self.kind == "positions":
            return _batch(inputs, lengths, padded(rows["labels"], IGNORED)[0])
        targets = padded(rows["targets"], 0)[0]
        return _batch(inputs, lengths, targets[:, 0] if self.head == "last" else targets)

    def _with_outputs(self, rows: pa.RecordBatch) -> tuple[Array, Array, Array]:
        """Inputs with their empty symbols, lengths, and the outputs at these symbols."""
        words, sizes = padded(rows["input_ids"], 0)
        outputs, mask = (rows[name].flatten().to_numpy(zero_copy_only=False) for name in ("output_ids", "loss_mask"))
        counts = _sizes(rows["output_ids"])
        first = sizes - counts if self.appended else sizes
        places = np.arange((first + counts).max(initial=0))
        asked = (places >= first[:, None]) & (places < (first + counts)[:, None])
        inputs, targets = np.full(asked.shape, self.empty), np.full(asked.shape, IGNORED)
        given = np.arange(words.shape[1]) < sizes[:, None]
        inputs[:, : words.shape[1]][given] = words[given]
        targets[asked] = np.where(mask, outputs.astype(np.int64), IGNORED)
        return inputs, first + counts, targets


def padded(column: pa.ListArray, fill: int) -> tuple[Array, Array]:
    """Lists as one array padded at their ends, (rows, longest), and their lengths, (rows,).

    Lists of numbers have one more axis: (rows, longest, 1), or as many as the lists within them are long.

    Example:
        >>> padded(pa.array([[1, 2, 3], [4]], pa.list_(pa.int32())), -100)[0].tolist()
        [[1, 2, 3], [4, -100, -100]]
    """
    sizes, items = _sizes(column), column.flatten()
    nested = pa.types.is_fixed_size_list(items.type)
    values = (items.flatten() if nested else items).to_numpy()
    if values.dtype.kind == "f":
        values = values.reshape(-1, items.type.list_size if nested else 1)
    here = np.arange(sizes.max(initial=0)) < sizes[:, None]
    out = np.full(here.shape + values.shape[1:], fill, dtype=values.dtype)
    out[here] = values
    return out, sizes


def _sizes(column: pa.ListArray) -> Array:
    return np.asarray(column.value_lengths().to_numpy(zero_copy_only=False), dtype=np.int64)


def _batch(inputs: Array, lengths: Array, targets: Array, classes: Array | None = None) -> Batch:
    arrays = (inputs, lengths, targets, classes)
    return Batch(*(None if each is None else torch.from_numpy(_wide(each)) for each in arrays))  # type: ignore[arg-type]


def _wide(array: Array) -> Array:
    """Whole numbers as int64, others as they are."""
    return np.array(array, dtype=np.float32 if array.dtype.kind == "f" else np.int64)
