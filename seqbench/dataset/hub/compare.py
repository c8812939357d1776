"""Rows that are there against rows as they should be: the first that differs, and how."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import pyarrow as pa

from seqbench.errors import quoted


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that is wrong.

    Attributes:
        what: a sentence that says it all.
        config, split, file: where.
        row: number of the row in its split, from 0.
        column: of the value.
        position: within a list, where the value is one.
        found, expected: the values.
    """

    what: str
    config: str = ""
    split: str = ""
    file: str = ""
    row: int | None = None
    column: str = ""
    position: int | None = None
    found: str = ""
    expected: str = ""


class Expected:
    """Rows as they should be, taken in pieces of any size.

    Attributes:
        schema: their columns.
        taken: how many rows were taken.
        memory: bytes of the batches that they came in.

    Example:
        >>> rows = Expected(pa.schema({"label": pa.int64()}), [pa.record_batch({"label": [1, 0, 1]})])
        >>> rows.take(2).num_rows, rows.take(2).num_rows, rows.taken
        (2, 1, 3)
    """

    def __init__(self, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
        """Rows that come in batches."""
        self.schema, self._batches, self.taken, self.memory = schema, iter(batches), 0, 0
        self._rest = pa.RecordBatch.from_pylist([], schema=schema)

    def take(self, rows: int) -> pa.Table:
        """The next rows; fewer at the end."""
        parts, wanted = [], rows
        while wanted:
            if not self._rest.num_rows:
                batch = next(self._batches, None)
                if batch is None:
                    break
                self._rest, self.memory = batch, self.memory + batch.nbytes
            parts.append(self._rest.slice(0, wanted))
            self._rest = self._rest.slice(parts[-1].num_rows)
            wanted -= parts[-1].num_rows
        self.taken += rows - wanted
        return pa.Table.from_batches(parts, self.schema)


def first_difference(found: pa.Table, expected: pa.Table) -> dict[str, Any] | None:
    """The first row, counted within the tables, at which two tables differ: row, column, position, both values.

    Example:
        >>> first_difference(pa.table({"a": [[1], [1, 2]]}), pa.table({"a": [[1], [1, 3]]}))
        {'row': 1, 'column': 'a', 'position': 1, 'found': '2', 'expected': '3'}
    """
    rows = min(len(found), len(expected))
    at = {name: _first(found[name].slice(0, rows), expected[name].slice(0, rows)) for name in expected.column_names}
    name = min(at, key=lambda each: at[each])
    if (row := at[name]) == rows:
        return None
    return {"row": row, "column": name, **_values(found[name][row].as_py(), expected[name][row].as_py())}


def _first(one: pa.ChunkedArray, other: pa.ChunkedArray) -> int:
    """Index of the first value that differs; the length if none does. Halves the range: few comparisons."""
    if one.equals(other):
        return len(other)
    low, high = 0, len(other)
    while high - low > 1:
        middle = (low + high) // 2
        if one.slice(low, middle - low).equals(other.slice(low, middle - low)):
            low = middle
        else:
            high = middle
    return low


def _values(found: Any, expected: Any) -> dict[str, Any]:
    if not isinstance(found, list) or not isinstance(expected, list):
        return {"found": quoted(found), "expected": quoted(expected)}
    if len(found) != len(expected):
        return {"found": f"{len(found)} values", "expected": f"{len(expected)} values"}
    position = next(i for i, (one, other) in enumerate(zip(found, expected, strict=True)) if repr(one) != repr(other))
    return {"position": position, "found": quoted(found[position]), "expected": quoted(expected[position])}


def compared(
    expected: Expected, found: Iterable[pa.RecordBatch], file: str, where: dict[str, Any]
) -> Iterator[tuple[int, Finding | None]]:
    """For every batch of a file the number of its rows, and what is wrong with them."""
    for batch in found:
        first, right = expected.taken, expected.take(batch.num_rows)
        yield batch.num_rows, _finding(pa.Table.from_batches([batch]), right, first, {**where, "file": file})


def _finding(found: pa.Table, expected: pa.Table, first: int, where: dict[str, Any]) -> Finding | None:
    if found.schema.names != expected.schema.names or found.schema.types != expected.schema.types:
        columns = [f"{field.name}: {field.type}" for field in found.schema]
        right = [f"{field.name}: {field.type}" for field in expected.schema]
        return Finding(what=f"{_place(where)}: the columns are {columns}, not {right}.", **where)
    if (how := first_difference(found, expected)) is not None:
        row = first + how.pop("row")
        at = f", position {how['position']}" if "position" in how else ""
        what = (
            f"{_place(where)}, row {row}, column {how['column']}{at}: found {how['found']}, expected {how['expected']}."
        )
        return Finding(what=what, **where, row=row, **how)
    if len(found) > len(expected):
        row = first + len(expected)
        return Finding(what=f"{_place(where)}: row {row} and those after it should not be there.", **where, row=row)
    return None


def _place(where: dict[str, Any]) -> str:
    return f"{where['config']}, split {where['split']}, file {where['file']}"
