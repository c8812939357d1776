"""Words of any origin as flat symbol ids, chunk by chunk: data sets, data frames, Arrow, files, arrays, lists.

Libraries of data sets and data frames are never imported here: their objects are known by what they can do.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seqbench.algebra.alphabet import Alphabet
from seqbench.covering.columns import Array, Chunk, encode_column, is_words
from seqbench.covering.readers import find_files, read_file
from seqbench.covering.tables import DEFAULT_COLUMN, ROWS, choose_column, column_of, pieces, rows_of
from seqbench.errors import InputError

__all__ = ["ROWS", "Chunk", "Words", "read_words"]


class Words(tuple[Array, Array]):
    """A chunk (tokens, offsets) that knows where it stands.

    Attributes:
        where: the file, or "".
        row: how many words come before it in the file, or in the data.
    """

    where: str = ""
    row: int = 0


def read_words(data: Any, alphabet: Alphabet, column: str | None = None) -> Iterator[Chunk]:
    """The words of some data as (tokens, offsets), a few thousand at a time.

    Args:
        data: a Dataset or IterableDataset; an Arrow table, array or reader; a data frame or series (pandas, Polars);
            a path or glob of .parquet, .csv, .tsv, .jsonl or .txt files (one word a line; all but Parquet also
            compressed); a two-dimensional array; or words as text or ids, in a list or one after the other.
        alphabet: the symbols; ids are positions in it.
        column: which column holds the words; "input_ids", or the only one that could.

    Raises:
        UnknownNameError: no such column or file.
        InputError: a foreign symbol (row and position are named), or data of another kind.

    Example:
        >>> [(tokens.tolist(), offsets.tolist()) for tokens, offsets in read_words(["01", "1"], ("0", "1"))]
        [([0, 1, 1], [0, 2, 3])]
    """
    row, last = 0, ""
    for where, words in _batches(data, column, alphabet):
        row, last = row if where == last else 0, where  # rows are counted within their file
        try:
            chunk = Words(encode_column(words, alphabet, row))
        except InputError as error:
            raise InputError(f"{where}: {error}" if where else str(error)) from None
        chunk.where, chunk.row = where, row
        row += len(chunk[1]) - 1
        yield chunk


def _batches(data: Any, column: str | None, alphabet: Alphabet) -> Iterator[tuple[str, Any]]:
    """Batches of words, each an Arrow array or a list, with the file that they come from."""
    if isinstance(data, str | Path):
        for path in find_files(str(data)):
            yield from ((str(path), words) for words in read_file(path, column, alphabet))
    else:
        yield from (("", words) for words in _objects(data, column) if len(words))


def _objects(data: Any, column: str | None) -> Iterator[Any]:
    if isinstance(data, Mapping):
        what = "splits" if hasattr(data, "with_format") else "parts"
        names = ", ".join(map(str, data))
        example = f", for example data[{next(iter(data))!r}]" if data else ""
        raise InputError(f"The data has the {what} {names or '(none)'}. Give one of them{example}.")
    if hasattr(data, "with_format"):
        return _dataset(data, column)
    if isinstance(data, pa.Array | pa.RecordBatch) or hasattr(data, "__arrow_c_stream__"):
        return _arrow(data, column)
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        raise InputError("The data frame does not speak Arrow. Give its column of words as a list.")
    data = np.asarray(data) if hasattr(data, "__array__") else data
    if not isinstance(data, Iterable) or isinstance(data, bytes) or getattr(data, "ndim", 1) == 0:
        raise InputError(
            f"{type(data).__name__} holds no words. Give a data set, an Arrow table, a data frame, a path, or a list "
            "of words."
        )
    return rows_of(data, column)


def _dataset(data: Any, column: str | None) -> Iterator[Any]:
    if getattr(data, "features", None) is None:  # a stream of unknown types: each batch says its own
        yield from rows_of(iter(data), column)
        return
    for table in data.with_format("arrow").iter(batch_size=ROWS):
        yield from _table(table, column)


def _arrow(data: Any, column: str | None) -> Iterator[Any]:
    """Tables, arrays and whatever hands itself out as an Arrow stream, such as data frames and series."""
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return pieces(data)
    if isinstance(data, pa.Table | pa.RecordBatch):
        return _table(data, column)
    try:
        if hasattr(data, "columns") and hasattr(data, "head"):
            name = _column_of_frame(data, column)
            return _stream(data[[name]], str(name))
        return _stream(data, column)
    except pa.ArrowException as error:
        raise InputError(f"The {type(data).__name__} cannot be read: {error}. Give its words as a list.") from error


def _stream(data: Any, column: str | None) -> Iterator[Any]:
    try:
        reader = pa.RecordBatchReader.from_stream(data)
    except pa.ArrowInvalid:  # a single column, as a series is
        return pieces(pa.chunked_array(data))
    name = column_of(reader.schema, column)
    return (words for batch in reader for words in pieces(batch.column(name)))


def _column_of_frame(frame: Any, wanted: str | None) -> Any:
    """The column of words; the others may be of types that Arrow does not know."""
    labels = {str(label): label for label in frame.columns}
    could = [] if wanted is not None or DEFAULT_COLUMN in labels else [
        name for name, label in labels.items() if _is_column_of_words(frame.head(ROWS)[[label]])
    ]  # fmt: skip
    return labels[choose_column([str(label) for label in frame.columns], could, wanted)]


def _is_column_of_words(frame: Any) -> bool:
    try:
        return is_words(pa.RecordBatchReader.from_stream(frame).schema[0].type)
    except pa.ArrowException:
        return False


def _table(table: pa.Table | pa.RecordBatch, column: str | None) -> Iterator[Any]:
    return pieces(table.column(column_of(table.schema, column)))
