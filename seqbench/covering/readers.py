"""Files of words, batch by batch: Parquet, CSV, JSON lines, text; the last three may be compressed."""

import io
import json
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from seqbench.algebra.alphabet import Alphabet
from seqbench.covering.columns import encode_column
from seqbench.covering.tables import DEFAULT_COLUMN, ROWS, column_of, pieces, rows_of
from seqbench.errors import InputError, UnknownNameError

PACKED = (".gz", ".bz2", ".zst")
BLOCK = 1 << 24  # bytes of CSV read at a time, and so the longest line


def find_files(pattern: str) -> list[Path]:
    """The file of that path, or those of a glob in the order of their names.

    Raises:
        InputError: there is none.
    """
    path = Path(os.path.expanduser(pattern))  # noqa: PTH111 (Path.expanduser fails where there is no such user)
    wild = next((i for i, part in enumerate(path.parts) if any(mark in part for mark in "*?[")), None)
    if wild is None or path.exists():
        found = [path] if pattern and path.exists() else []
    else:
        found = sorted(Path(*path.parts[:wild]).glob("/".join(path.parts[wild:])))
    if not found:
        raise InputError(f"There is no file {pattern!r}. Give the path of a file, or a glob such as 'data/*.parquet'.")
    return found


def read_file(path: Path, column: str | None, alphabet: Alphabet) -> Iterator[Any]:
    """The words of a file in batches, each an Arrow array or a list.

    Raises:
        UnknownNameError: no such column.
        InputError: the file cannot be read; its name is told.
    """
    reader = _reader(path)
    try:
        yield from reader(path, column, alphabet)
    except UnknownNameError as error:
        raise UnknownNameError(f"{path}: {error}") from None
    except (ValueError, OSError, pa.ArrowException, RecursionError) as error:
        reason = "it is nested too deeply." if isinstance(error, RecursionError) else error
        raise InputError(f"{str(path)!r} cannot be read: {reason}") from error


def _reader(path: Path) -> Any:
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder. Give a file, or a glob such as {str(path / '*.parquet')!r}.")
    packed = path.suffix.lower() in PACKED
    ending = path.with_suffix("").suffix.lower() if packed else path.suffix.lower()
    if ending not in READERS or (packed and ending == ".parquet") or not path.is_file():
        raise InputError(
            f"{str(path)!r} cannot be read. Known kinds of files: {', '.join(READERS)}; all but .parquet may also be "
            f"compressed ({', '.join(PACKED)})."
        )
    return READERS[ending]


def _parquet(path: Path, column: str | None, _: Alphabet) -> Iterator[Any]:
    file = pq.ParquetFile(path)
    name = column_of(file.schema_arrow, column)
    for batch in file.iter_batches(batch_size=ROWS, columns=[name]):
        yield batch.column(0)


def _csv(path: Path, column: str | None, alphabet: Alphabet, delimiter: str = ",") -> Iterator[Any]:
    with _csv_reader(path, delimiter) as reader:
        names = reader.schema.names
    with _csv_reader(path, delimiter, names) as reader:
        if reader.schema.names != names:
            raise InputError("it begins with empty lines. Its first line names the columns: remove those before it.")
        name = column_of(reader.schema, column)
        if column is None and name != DEFAULT_COLUMN and _is_word(name, alphabet):
            raise InputError(
                f"its first line names the columns, and {name!r} looks like a word. Put the line {DEFAULT_COLUMN} "
                f"before it, or name the column {name!r} if that is its name."
            )
        for batch in reader:
            yield from pieces(batch.column(name))


def _csv_reader(path: Path, delimiter: str, names: Sequence[str] | None = None) -> Any:
    """A reader that takes the columns of these names as text: 0011 is a word, not the number 11."""
    texts = dict.fromkeys(names or (), pa.string())
    return pa.csv.open_csv(
        pa.input_stream(str(path), compression="detect"),
        pa.csv.ReadOptions(block_size=BLOCK),
        pa.csv.ParseOptions(delimiter=delimiter, ignore_empty_lines=len(texts) != 1),  # one column: the empty word
        pa.csv.ConvertOptions(column_types=texts, strings_can_be_null=False),
    )


def _is_word(text: str, alphabet: Alphabet) -> bool:
    try:
        return len(encode_column([text], alphabet)[0]) > 0
    except InputError:
        return False


def _tsv(path: Path, column: str | None, alphabet: Alphabet) -> Iterator[Any]:
    return _csv(path, column, alphabet, delimiter="\t")


def _json_lines(path: Path, column: str | None, _: Alphabet) -> Iterator[Any]:
    with _lines(path) as lines:
        yield from rows_of((_parsed(line, number) for number, line in enumerate(lines, 1) if line.strip()), column)


def _parsed(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        what = f"{error.msg} at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise InputError(f"line {number} is no JSON ({what}). Write each row as one line.") from None


def _text(path: Path, column: str | None, _: Alphabet) -> Iterator[Any]:
    if column is not None:
        raise InputError("it has no columns: text holds one word a line. Leave out the column.")
    with _lines(path) as lines:
        words = (line.rstrip("\n") for line in lines)
        while batch := list(islice(words, ROWS)):
            yield batch


def _lines(path: Path) -> io.TextIOWrapper:
    return io.TextIOWrapper(pa.input_stream(str(path), compression="detect"), encoding="utf-8-sig")


READERS = {
    ".parquet": _parquet,
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _json_lines,
    ".json": _json_lines,
    ".txt": _text,
}
