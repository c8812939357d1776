"""Labelled texts of any Hugging Face dataset, as token ids: what a sequence model can read."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from seqbench.dataset.labels import UNKNOWN, label_ids, label_values
from seqbench.dataset.tokens import Tokenizer
from seqbench.errors import InputError, quoted, unknown_name

Array = npt.NDArray[Any]

_BUILDERS = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".parquet": "parquet"}
_ON_THE_HUB = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*")  # OWNER/NAME


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts of one split with their labels.

    Attributes:
        columns: the text columns, each a string array of the same length.
        labels: label ids, int64 (rows,).
        names: names of the labels.
    """

    columns: tuple[pa.StringArray, ...]
    labels: Array
    names: tuple[str, ...]

    def take(self, rows: Array) -> "Texts":
        """Some of the rows."""
        return Texts(tuple(column.take(pa.array(rows)) for column in self.columns), self.labels[rows], self.names)

    def encoded(self, tokenizer: Tokenizer, longest: int) -> pa.ListArray:
        """One list of token ids a row: each text and an end token, one after the other, cut to `longest` ids.

        Example:
            >>> from seqbench.dataset.tokens import Bytes
            >>> pair = Texts((pa.array(["ab"]), pa.array(["c"])), np.array([0]), ("yes",))
            >>> pair.encoded(Bytes(), 4).to_pylist()
            [[97, 98, 256, 99]]
        """
        parts = [tokenizer.lists(column.cast(pa.large_string())) for column in self.columns]
        return _cut(*_joined(parts, tokenizer.end), longest)


def read_texts(path: str, texts: tuple[str, ...], label: str, config: str | None = None) -> dict[str, Texts]:
    """The splits of a dataset that have labels: train, and what there is to validate and test on.

    Args:
        path: on the Hub, such as "fancyzhx/ag_news", a folder that `datasets.load_dataset` reads, or a file
            (.csv, .tsv, .json, .jsonl, .parquet).
        texts: the columns with texts, joined in this order; two for pairs of sentences.
        label: the column with labels: whole numbers, or names.
        config: the configuration, such as "sst2" of "nyu-mll/glue".

    Raises:
        InputError: no such dataset, a column not of that kind, no split `train`, labels that it has not.
        UnknownNameError: a column that is not there.
    """
    loaded = _loaded(path, config)
    if "train" not in loaded:
        raise InputError(f"{quoted(path)} has the splits {', '.join(loaded)}, but no 'train'. Name another dataset.")
    tables = {split: _columns(path, split, part, (*texts, label)) for split, part in loaded.items()}
    names, values = label_values(label, loaded["train"].features[label], tables["train"].column(label))
    ids = {split: label_ids(label, split, table.column(label), values) for split, table in tables.items()}
    known = {split: np.flatnonzero(each != UNKNOWN) for split, each in ids.items()}
    return {
        split: Texts(
            tuple(_strings(name, split, tables[split].column(name)) for name in texts), ids[split], names
        ).take(rows)
        for split, rows in known.items()
        if len(rows)
    }


def _loaded(path: str, config: str | None) -> Mapping[str, Any]:
    import datasets

    kind, place, more = _source(path)
    try:
        if kind is None:
            return dict(datasets.load_dataset(place, config))
        return dict(datasets.load_dataset(kind, data_files=place, **more))
    except Exception as error:  # the library raises whatever its readers and the network do
        raise InputError(
            f"The dataset {quoted(path)} cannot be loaded: {_reason(error)}. "
            "Mend its files, or name another: on the Hub, a folder or a file; its configuration with --hf-config."
        ) from None


def _source(path: str) -> tuple[str | None, str, dict[str, str]]:
    """The library's reader of a file, the place to read, and what the reader is to know; no reader for all else.

    Raises:
        InputError: neither a file that can be read, nor a folder, nor what may be on the Hub.
    """
    if not path.strip():
        raise InputError(f"{path!r} names no dataset. Give one on the Hub, a folder or a file.")
    # Not by pathlib, which raises for a user that is not there and for names that are too long.
    place = os.path.expanduser(path)  # noqa: PTH111
    suffix = Path(place).suffix.lower()
    if os.path.isfile(place):  # noqa: PTH113
        if suffix not in _BUILDERS:
            raise InputError(f"{path!r} cannot be read as rows. Give a file that ends in {', '.join(_BUILDERS)}.")
        return _BUILDERS[suffix], place, {"delimiter": "\t"} if suffix == ".tsv" else {}
    on_the_hub = _ON_THE_HUB.fullmatch(path) and suffix not in _BUILDERS
    if not (on_the_hub or "://" in path or os.path.isdir(place)):  # noqa: PTH112
        raise InputError(
            f"There is no folder or file {quoted(path)}. Check the path; a dataset on the Hub has its owner before "
            "its name, such as 'fancyzhx/ag_news'."
        )
    return None, place, {}


def _reason(error: BaseException) -> str:
    """What went wrong: of the library's errors that only say where, the cause."""
    from datasets.exceptions import DatasetGenerationError
    from datasets.table import CastError

    while isinstance(error, DatasetGenerationError) and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, StopIteration):  # what its reader of JSON says to an empty file
        return "it holds no rows"
    if isinstance(error, CastError):
        return f"all files must have the same columns, but {error.details().rstrip('.')}"
    text = " ".join(str(error).split())
    if mixed := re.fullmatch(r"Failed to parse string: '(.*)' as a scalar of type (\w+)", text):
        return f"a column holds {mixed[2]} in one split or file and text, such as {quoted(mixed[1])}, in another"
    return text.removeprefix("An error occurred while generating the dataset").strip(" .!") or type(error).__name__


def _columns(path: str, split: str, part: Any, wanted: tuple[str, ...]) -> pa.Table:
    for name in wanted:
        if name not in part.column_names:
            raise unknown_name(f"column of {path}, split {split},", name, part.column_names)
    return part.with_format("arrow")[:].select(list(dict.fromkeys(wanted)))


def _strings(name: str, split: str, column: pa.ChunkedArray) -> pa.StringArray:
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if column.null_count == len(column) or (is_text and pc.max(pc.binary_length(column)).as_py() == 0):
        raise InputError(
            f"The column {name!r} of the split {split!r} holds no text: each of its {len(column):,} rows is empty. "
            "Name a column of text: --text-column NAME."
        )
    if not is_text:
        raise InputError(f"The column {name!r} holds {column.type}, not text. Name a column of text.")
    return column.cast(pa.large_string()).fill_null("").combine_chunks()


def _joined(parts: list[tuple[Array, Array]], end: int) -> tuple[Array, Array]:
    """Lists of ids, row by row one after the other, each followed by the end token; flat, with the rows' sizes."""
    sizes = np.stack([counts for _, counts in parts]) + 1
    starts = np.cumsum(sizes.T.ravel()).reshape(sizes.T.shape).T - sizes
    flat = np.full(int(sizes.sum()), end, dtype=np.int32)
    for (ids, counts), start in zip(parts, starts, strict=True):
        within = np.arange(len(ids)) - np.repeat(np.cumsum(counts) - counts, counts)
        flat[np.repeat(start, counts) + within] = ids
    return flat, sizes.sum(axis=0)


def _cut(flat: Array, sizes: Array, longest: int) -> pa.ListArray:
    within = np.arange(len(flat)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    kept = np.minimum(sizes, longest)
    offsets = np.concatenate([[0], np.cumsum(kept)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(flat[within < longest]))
