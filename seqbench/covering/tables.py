"""Rows and tables of words: which column holds them, and their words in batches."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from seqbench.covering.columns import is_words
from seqbench.errors import InputError, unknown_name

ROWS = 4096
DEFAULT_COLUMN = "input_ids"


def rows_of(rows: Iterable[Any], column: str | None) -> Iterator[Any]:
    """Batches of words from rows, each of them a word, or a dictionary that holds it in a column.

    Raises:
        UnknownNameError: no such column.
        InputError: rows of both kinds; several columns that could be meant, or none.

    Example:
        >>> list(rows_of([{"word": "01", "label": 1}], None))
        [['01']]
    """
    waiting, name = iter(rows), None
    while batch := list(islice(waiting, ROWS)):
        if not any(isinstance(row, dict) for row in batch):
            if column is not None:
                raise InputError(f"column is {column!r}, and the rows are words without columns. Leave it out.")
            yield batch
            continue
        if not all(isinstance(row, dict) for row in batch):
            raise InputError('Some row is no object with named columns. Write each row as {"input_ids": ...}.')
        name = _column_of_rows(batch, column) if name is None else name
        yield [row.get(name) for row in batch]


def _column_of_rows(rows: Sequence[dict[str, Any]], wanted: str | None) -> str:
    filled = {name: value for row in rows for name, value in row.items() if value is not None}
    names = list(dict.fromkeys(name for row in rows for name in row))
    could = [str(name) for name in names if isinstance(filled.get(name), Sequence | np.ndarray)]
    return choose_column([str(name) for name in names], could, wanted)


def column_of(schema: pa.Schema, wanted: str | None) -> str:
    """The column of words of a table: see `choose_column`."""
    return choose_column(schema.names, [field.name for field in schema if is_words(field.type)], wanted)


def choose_column(names: Sequence[str], could: Sequence[str], wanted: str | None) -> str:
    """The column of words: the one asked for, input_ids, or the only one that could hold words.

    Raises:
        UnknownNameError: none of the name asked for.
        InputError: several that could be meant, or none.

    Example:
        >>> choose_column(["word", "label"], ["word"], None)
        'word'
    """
    listed = ", ".join(names) or "none"
    if wanted is not None and wanted not in names:
        raise unknown_name("column", wanted, names, f"The columns: {listed}.")
    if wanted is None and DEFAULT_COLUMN not in names and len(could) != 1:
        raise InputError(
            f"No column is called {DEFAULT_COLUMN!r}; the columns are {listed}. Name the one that holds the words "
            "(--column)."
        )
    name = str(could[0]) if wanted is None and DEFAULT_COLUMN not in names else wanted or DEFAULT_COLUMN
    if list(names).count(name) > 1:
        raise InputError(f"Several columns are called {name!r} (the columns are {listed}). Rename all but one.")
    return name


def pieces(column: pa.Array | pa.ChunkedArray) -> Iterator[Any]:
    """A column in arrays of a few thousand rows.

    Example:
        >>> [len(piece) for piece in pieces(pa.array(["01"] * 5000))]
        [4096, 904]
    """
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        for first in range(0, len(chunk), ROWS):
            yield chunk.slice(first, ROWS)
