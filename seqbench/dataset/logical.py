"""Digests of what rows say, whatever files hold them: the same for any library version, batch size or compression."""

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from seqbench.errors import InputError


class LogicalDigest:
    """A running SHA-256 of the logical content of rows: for every column its lengths, values and places of nulls.

    Every level of nesting has a hash of its own (lengths of lists, then values), so that it does not matter where
    batches begin and end. Numbers count as little-endian bytes of their type, booleans as one byte.

    Example:
        >>> rows = pa.record_batch({"input_ids": pa.array([[0, 1], [1]], pa.list_(pa.uint8())), "label": [1, 0]})
        >>> whole, parts = LogicalDigest(rows.schema), LogicalDigest(rows.schema)
        >>> whole.update(rows)
        >>> for first in (0, 1):
        ...     parts.update(rows.slice(first, 1))
        >>> whole.hexdigest() == parts.hexdigest(), whole.rows
        (True, 2)
    """

    def __init__(self, schema: pa.Schema) -> None:
        """The digest of no rows."""
        self.rows = 0
        self._columns = {field.name: _Column(field.type) for field in schema}

    def update(self, batch: pa.RecordBatch) -> None:
        """Takes in some rows."""
        self.rows += batch.num_rows
        for name, column in self._columns.items():
            column.update(batch.column(name))

    def hexdigest(self) -> str:
        """The digest of all rows so far."""
        lines = [f"{name} {column.hexdigest()}" for name, column in self._columns.items()]
        return hashlib.sha256("\n".join([str(self.rows), *lines]).encode()).hexdigest()


def digest_of(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> str:
    """The digest of rows that come in batches.

    Example:
        >>> rows = pa.record_batch({"label": [1, 0]})
        >>> digest_of(rows.schema, [rows]) == digest_of(rows.schema, [rows.slice(0, 1), rows.slice(1)])
        True
    """
    digest = LogicalDigest(schema)
    for batch in batches:
        digest.update(batch)
    return digest.hexdigest()


class _Column:
    """The hashes of a column or of what its lists hold."""

    def __init__(self, kind: pa.DataType) -> None:
        self._kind, self._seen = kind, 0
        self._values, self._nulls = hashlib.sha256(), hashlib.sha256()
        self._inner = _Column(kind.value_type) if _is_list(kind) else None

    def update(self, column: pa.Array) -> None:
        """Takes in the next rows of the column."""
        first, self._seen = self._seen, self._seen + len(column)
        if column.null_count:
            self._nulls.update((np.flatnonzero(column.is_null()) + first).astype("<i8").tobytes())
            column = column.drop_null()
        if self._inner is None:
            self._values.update(_raw(column))
            return
        if not pa.types.is_fixed_size_list(column.type):
            self._values.update(np.asarray(column.value_lengths()).astype("<i8").tobytes())
        self._inner.update(column.flatten())

    def hexdigest(self) -> str:
        parts = [_name(self._kind), str(self._seen), self._values.hexdigest(), self._nulls.hexdigest()]
        parts += [] if self._inner is None else [self._inner.hexdigest()]
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _name(kind: pa.DataType) -> str:
    """The type's name without what libraries choose, such as the name of a list's field or the width of offsets."""
    if pa.types.is_fixed_size_list(kind):
        return f"list[{kind.list_size}]"
    return "list" if _is_list(kind) else str(kind).removeprefix("large_")


def _raw(column: pa.Array) -> Any:
    """The bytes of values without nulls."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return column.to_numpy(zero_copy_only=False).astype(np.uint8)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        values = column.to_numpy()
        return np.ascontiguousarray(values, values.dtype.newbyteorder("<")).data if len(values) else b""
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        texts = [text.encode() for text in column.to_pylist()]
        return b"".join(len(text).to_bytes(8, "little") + text for text in texts)
    raise InputError(f"A column of type {kind} has no digest. Columns hold numbers, booleans, text and lists of them.")
