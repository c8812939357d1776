"""Labelled texts of any Hugging Face dataset, as token ids: what a sequence model can read."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from seqbench.dataset.tokens import Tokenizer
from seqbench.errors import InputError, quoted, unknown_name

Array = npt.NDArray[Any]

HIDDEN = -1
"""The label of rows whose label is kept secret, as in the test splits of GLUE."""

_BUILDERS = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".parquet": "parquet"}


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
        InputError: no such dataset, a column that is not there or not of that kind, no split `train`.
    """
    loaded = _loaded(path, config)
    if "train" not in loaded:
        raise InputError(f"{quoted(path)} has the splits {', '.join(loaded)}, but no 'train'. Name another dataset.")
    tables = {split: _columns(path, part, (*texts, label)) for split, part in loaded.items()}
    names, values = _values(label, loaded["train"].features[label], tables["train"].column(label))
    found = {split: _texts(table, texts, label, names, values) for split, table in tables.items()}
    return {split: each for split, each in found.items() if len(each.labels)}


def _loaded(path: str, config: str | None) -> Mapping[str, Any]:
    import datasets

    file = Path(path).expanduser()
    try:
        if file.is_file():
            if file.suffix not in _BUILDERS:
                raise InputError(f"{path!r} cannot be read as rows. Give a file that ends in {', '.join(_BUILDERS)}.")
            more = {"delimiter": "\t"} if file.suffix == ".tsv" else {}
            return dict(datasets.load_dataset(_BUILDERS[file.suffix], data_files=str(file), **more))
        return dict(datasets.load_dataset(path, config))
    except InputError:
        raise
    except Exception as error:  # the library raises whatever its readers and the network do
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(
            f"The dataset {quoted(path)} cannot be loaded: {reason} "
            "Name one of the Hub, a folder or a file; its configuration with --hf-config."
        ) from None


def _columns(path: str, part: Any, wanted: tuple[str, ...]) -> pa.Table:
    for name in wanted:
        if name not in part.column_names:
            raise unknown_name(f"column of {path}", name, part.column_names)
    return part.with_format("arrow")[:].select(list(dict.fromkeys(wanted)))


def _values(column: str, feature: Any, labels: pa.ChunkedArray) -> tuple[tuple[str, ...], pa.Array]:
    """The names of the labels, and the values that stand for them: as the dataset says, or all that training has."""
    if hasattr(feature, "names"):
        return tuple(feature.names), pa.array(range(len(feature.names)))
    kind = labels.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)):
        raise InputError(f"The column {column!r} holds {kind}, not labels. Name one of whole numbers or of names.")
    values = sorted(value for value in labels.unique().to_pylist() if value not in (None, HIDDEN))
    return tuple(map(str, values)), pa.array(values, kind)


def _texts(table: pa.Table, texts: tuple[str, ...], label: str, names: tuple[str, ...], values: pa.Array) -> Texts:
    """The rows whose label is known."""
    ids = pc.index_in(table.column(label).cast(values.type), values).combine_chunks()
    known = ids.is_valid()
    columns = tuple(_strings(name, table.column(name)).filter(known) for name in texts)
    return Texts(columns, ids.drop_null().to_numpy().astype(np.int64), names)


def _strings(name: str, column: pa.ChunkedArray) -> pa.StringArray:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
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
