"""The one place where rows become Arrow: one record batch a block, built from offsets and flat buffers."""

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from seqbench.algebra import walks
from seqbench.algebra.alphabet import token_dtype
from seqbench.algebra.machine import OUTSIDE

if TYPE_CHECKING:
    from seqbench.algebra.machine import Machine
    from seqbench.algebra.monoid import Monoid
    from seqbench.generation.sampler import Rows

IGNORED = -100  # the label that loss functions skip: positions at which a prefix lies outside the task's domain


def schema_of(machine: "Machine", *, classes: bool, prefix: bool) -> pa.Schema:
    """The columns of a dataset over a machine.

    Args:
        machine: the language.
        classes: with syntactic classes.
        prefix: with a label (and class) after every symbol.
    """
    tokens = pa.from_numpy_dtype(token_dtype(machine.alphabet))
    fields = [("input_ids", pa.list_(tokens)), ("label", pa.int64())]
    if classes:
        fields.append(("syntactic_class", pa.int32()))
    if prefix:
        fields.append(("labels", pa.list_(pa.int32())))
        if classes:
            fields.append(("classes", pa.list_(pa.int32())))
    return pa.schema(fields)


def to_arrow(rows: "Rows", schema: pa.Schema, machine: "Machine", monoid: "Monoid | None") -> pa.RecordBatch:
    """The rows as a record batch of the schema."""
    offsets = pa.array(rows.offsets.astype(np.int32))
    columns = {"input_ids": pa.ListArray.from_arrays(offsets, pa.array(rows.tokens)), "label": pa.array(rows.labels)}
    if rows.classes is not None:
        columns["syntactic_class"] = pa.array(rows.classes)
    if "labels" in schema.names:
        outputs = machine.outputs[machine.trace(rows.tokens, rows.offsets)]
        labels = np.where(outputs == OUTSIDE, IGNORED, outputs).astype(np.int32)
        columns["labels"] = pa.ListArray.from_arrays(offsets, pa.array(labels))
    if "classes" in schema.names and monoid is not None:
        classes = walks.all_states(monoid.right, 0, rows.tokens, rows.offsets)
        columns["classes"] = pa.ListArray.from_arrays(offsets, pa.array(classes))
    arrays = [columns[field.name].cast(field.type) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
