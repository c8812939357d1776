"""Words of any origin as flat symbol ids, chunk by chunk: data sets, Arrow, Parquet, CSV, JSON lines, text, lists.

`datasets` is never imported here: its objects are known by what they can do.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from seqbench.algebra.alphabet import Alphabet, encode_batch, shown, token_dtype
from seqbench.errors import InputError, unknown_name

Array = npt.NDArray[Any]
Chunk = tuple[Array, Array]

ROWS = 4096
DEFAULT_COLUMN = "input_ids"


def read_words(data: Any, alphabet: Alphabet, column: str | None = None) -> Iterator[Chunk]:
    """The words of some data as (tokens, offsets), a few thousand at a time.

    Args:
        data: a Dataset or IterableDataset, an Arrow table, a path or glob of .parquet, .csv, .jsonl or .txt files (one
            word a line), or a sequence of words as text or ids.
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
    for where, words in _batches(data, column):
        row, last = row if where == last else 0, where  # rows are counted within their file
        try:
            tokens, offsets = _encode(words, alphabet, row)
        except InputError as error:
            raise InputError(f"{where}{error}") from None
        row += len(offsets) - 1
        yield tokens, offsets


def _batches(data: Any, column: str | None) -> Iterator[tuple[str, Any]]:
    """Batches of words, each an Arrow array or a list, with a prefix for error messages."""
    if isinstance(data, str | Path):
        for path in _paths(str(data)):
            for words in _file(path, column):
                yield f"{path}: ", words
    elif isinstance(data, pa.Table | pa.RecordBatch):
        table = pa.Table.from_batches([data]) if isinstance(data, pa.RecordBatch) else data
        yield from (("", words) for words in _table(table, column))
    elif hasattr(data, "with_format"):
        if hasattr(data, "keys"):
            raise InputError(f"The data has the splits {', '.join(data)}. Give one of them, for example data['train'].")
        yield from (("", words) for words in _dataset(data, column))
    elif isinstance(data, Iterable):
        rows = iter(data)
        while batch := list(islice(rows, ROWS)):
            yield "", batch
    else:
        raise InputError(
            f"{type(data).__name__} holds no words. Give a data set, an Arrow table, a path, or a list of words."
        )


def _dataset(data: Any, column: str | None) -> Iterator[Any]:
    if getattr(data, "features", None) is None:  # a stream of unknown types: each batch says its own
        yield from _examples(iter(data), column)
    else:
        for table in data.with_format("arrow").iter(batch_size=ROWS):
            yield from _table(table, column)


def _paths(pattern: str) -> list[Path]:
    path = Path(pattern).expanduser()
    wild = next((i for i, part in enumerate(path.parts) if any(mark in part for mark in "*?[")), None)
    if wild is None:
        found = [path] if path.exists() else []
    else:
        found = sorted(Path(*path.parts[:wild]).glob("/".join(path.parts[wild:])))
    if not found:
        raise InputError(f"There is no file {pattern!r}. Give the path of a file, or a glob such as 'data/*.parquet'.")
    return found


def _file(path: Path, column: str | None) -> Iterator[Any]:
    reader = READERS.get(path.suffix.lower())
    if reader is None or not path.is_file():
        raise InputError(f"{str(path)!r} cannot be read. Known kinds of files: {', '.join(READERS)}.")
    try:
        yield from reader(path, column)
    except (pa.ArrowException, UnicodeDecodeError, json.JSONDecodeError, InputError) as error:
        raise InputError(f"{str(path)!r} cannot be read: {error}") from error


def _parquet(path: Path, column: str | None) -> Iterator[Any]:
    file = pq.ParquetFile(path)
    name = _column(file.schema_arrow, column)
    for batch in file.iter_batches(batch_size=ROWS, columns=[name]):
        yield batch.column(0)


def _csv(path: Path, column: str | None) -> Iterator[Any]:
    with pa.csv.open_csv(path) as reader:
        names = reader.schema.names
    everything = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    with pa.csv.open_csv(path, convert_options=everything) as reader:  # as text: 0011 is a word, not the number 11
        name = _column(reader.schema, column)
        for batch in reader:
            yield batch.column(name)


def _json_lines(path: Path, column: str | None) -> Iterator[Any]:
    with path.open(encoding="utf-8") as lines:
        yield from _examples((json.loads(line) for line in lines if line.strip()), column)


def _examples(rows: Iterator[Any], column: str | None) -> Iterator[Any]:
    """The words of examples given as dictionaries."""
    while batch := list(islice(rows, ROWS)):
        if not all(isinstance(row, dict) for row in batch):
            raise InputError('Some row is no object with named columns. Write each row as {"input_ids": ...}.')
        yield from _table(pa.Table.from_pylist(batch), column)


def _text(path: Path, column: str | None) -> Iterator[Any]:
    if column is not None:
        raise InputError(f"{str(path)!r} has no columns: it holds one word a line. Leave out the column.")
    with path.open(encoding="utf-8") as lines:
        words = (line.rstrip("\n") for line in lines)
        while batch := list(islice(words, ROWS)):
            yield batch


READERS = {".parquet": _parquet, ".csv": _csv, ".jsonl": _json_lines, ".json": _json_lines, ".txt": _text}


def _table(table: pa.Table, column: str | None) -> Iterator[Any]:
    name = _column(table.schema, column)
    for batch in table.select([name]).to_batches(max_chunksize=ROWS):
        yield batch.column(0)


def _column(schema: pa.Schema, wanted: str | None) -> str:
    """The column of words: the one asked for, input_ids, or the only one that could hold words."""
    if wanted is not None:
        if wanted not in schema.names:
            raise unknown_name("column", wanted, schema.names, f"The columns: {', '.join(schema.names)}.")
        return wanted
    if DEFAULT_COLUMN in schema.names:
        return DEFAULT_COLUMN
    could = [field.name for field in schema if _is_words(field.type)]
    if len(could) != 1:
        raise InputError(
            f"No column is called {DEFAULT_COLUMN!r}; there are {', '.join(schema.names)}. "
            "Name the one that holds the words."
        )
    return str(could[0])


def _is_words(kind: pa.DataType) -> bool:
    lists = pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return bool(lists or pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _encode(words: Any, alphabet: Alphabet, row: int) -> Chunk:
    """A batch as flat ids; `row` counts the words before it, for messages."""
    if isinstance(words, pa.Array) and pa.types.is_fixed_size_list(words.type):
        words = words.cast(pa.list_(words.type.value_type))
    if isinstance(words, pa.Array) and not _is_words(words.type):
        raise InputError(f"The column holds {words.type}, not words. Name a column of text or of lists of symbol ids.")
    if isinstance(words, pa.Array) and words.null_count:
        first = row + int(pc.index(words.is_null(), True).as_py())
        raise InputError(f"Row {first} holds no word. Leave such rows out.")
    if isinstance(words, pa.Array) and pa.types.is_list(words.type) and pa.types.is_integer(words.type.value_type):
        return _ids(words, alphabet, row)
    try:
        return encode_batch(alphabet, words.to_pylist() if isinstance(words, pa.Array) else words)
    except InputError as error:
        counted = re.sub(r"^In word (\d+): ", lambda found: f"Row {row + int(found[1])}: ", str(error))
        raise InputError(counted) from None


def _ids(words: pa.ListArray, alphabet: Alphabet, row: int) -> Chunk:
    offsets = np.asarray(words.offsets).astype(np.int64)
    values = words.values.slice(offsets[0], offsets[-1] - offsets[0])
    offsets = offsets - offsets[0]
    if values.null_count:
        place = int(pc.index(values.is_null(), True).as_py())
        word = int(np.searchsorted(offsets, place, side="right")) - 1
        raise InputError(f"Row {row + word}, position {place - offsets[word]}, holds no symbol. Leave such rows out.")
    tokens = np.asarray(values)
    wrong = np.flatnonzero((tokens < 0) | (tokens >= len(alphabet)))
    if len(wrong):
        word = int(np.searchsorted(offsets, wrong[0], side="right")) - 1
        raise InputError(
            f"Row {row + word}, position {wrong[0] - offsets[word]}, holds the symbol id {tokens[wrong[0]]}, which is "
            f"not in the alphabet {shown(alphabet)}. Ids run from 0 to {len(alphabet) - 1}."
        )
    return tokens.astype(token_dtype(alphabet)), offsets
