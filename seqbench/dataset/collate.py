"""Arrow batches as padded arrays and tensors: tens of times faster than rows one by one.

Works on whatever gives Arrow tables: `Dataset.with_format("arrow")`, a record batch of a plan, a Parquet file. Lists
become rectangles, with their lengths and a mask; integers become int64, since embeddings take no bytes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.errors import InputError, not_installed, unknown_name
from seqbench.generation.blocks import IGNORED

if TYPE_CHECKING:
    import torch

Array = npt.NDArray[Any]
INTEGERS = ("int64", "int32")
_PADDING = {"labels": IGNORED}  # what loss functions skip; all other columns are padded with 0


def padded(
    batch: pa.Table | pa.RecordBatch,
    *,
    integers: str = "int64",
    pad_to: int | None = None,
    padding: Mapping[str, float] | None = None,
) -> dict[str, Array]:
    """The columns of an Arrow batch of n rows as arrays.

    A column of numbers has shape (n,), a column of lists (n, longest), a column of lists of k numbers each
    (n, longest, k). `lengths` (n,) and `mask` (n, longest; True where a value is) belong to the first column of lists;
    another column of lists of other lengths brings its own as NAME_lengths and NAME_mask.

    Args:
        batch: a table or a record batch, without nulls.
        integers: type of all integers: int64, or int32 as JAX likes them.
        pad_to: the width of all lists, so that shapes stay the same; by default the longest list's.
        padding: value by column; by default -100 for `labels`, else 0.

    Raises:
        InputError: a list longer than `pad_to`, or a column that is neither numbers nor lists of them.

    Example:
        >>> batch = padded(pa.table({"input_ids": pa.array([[5, 6, 7], [8]], pa.list_(pa.uint8())), "label": [1, 0]}))
        >>> batch["input_ids"].tolist(), batch["lengths"].tolist(), batch["mask"][1].tolist()
        ([[5, 6, 7], [8, 0, 0]], [3, 1], [True, False, False])
    """
    if integers not in INTEGERS:
        raise unknown_name("type of integers", integers, INTEGERS)
    found: dict[str, Array] = {}
    fill = _PADDING | dict(padding or {})
    for name in batch.schema.names:
        column = _joined(batch.column(name))
        if not _is_list(column.type):
            found[name] = _flat(column, integers, name)
            continue
        lengths = np.asarray(column.value_lengths(), dtype=np.int64)
        mask = _mask(lengths, pad_to, name)
        values = _values(column.flatten(), integers, name)
        rectangle = np.full((*mask.shape, *values.shape[1:]), fill.get(name, 0), dtype=values.dtype)
        rectangle[mask] = values
        found[name] = rectangle
        _note_lengths(found, name, lengths.astype(integers), mask)
    return found


def numpy_batches(
    dataset: Any, batch_size: int, *, drop_last: bool = False, columns: list[str] | None = None, **how: Any
) -> Iterator[dict[str, Array]]:
    """A dataset's rows in order as padded NumPy arrays; for JAX: `integers="int32", pad_to=64, drop_last=True`.

    With `pad_to` and `drop_last` all batches have the same shapes, so that a compiled function is compiled once.

    Args:
        dataset: a `datasets.Dataset` or `IterableDataset`.
        batch_size: rows a batch; the last may have fewer.
        drop_last: leave out a last batch with fewer.
        columns: only these.
        **how: as for `padded`.

    Raises:
        InputError: a batch size that is not positive, or what `padded` refuses.

    Example:
        >>> import datasets
        >>> rows = datasets.Dataset.from_dict({"input_ids": [[1, 2], [3], [4]], "label": [0, 1, 1]})
        >>> [batch["input_ids"].shape for batch in numpy_batches(rows, 2, pad_to=4)]
        [(2, 4), (1, 4)]
    """
    if batch_size < 1:
        raise InputError(f"batch_size is {batch_size!r}. Give a whole number from 1.")
    chosen = dataset if columns is None else dataset.select_columns(columns)
    for batch in chosen.with_format("arrow").iter(batch_size=batch_size, drop_last_batch=drop_last):
        yield padded(batch, **how)


@dataclass(frozen=True)
class Collator:
    """A `collate_fn` of torch that makes padded tensors of whole Arrow batches.

    Let the sampler give batches of row numbers, and the loader pass them on as they are:

        rows = seqbench.load_dataset("dyck_d6", split="train").with_format("arrow")
        sampler = BatchSampler(RandomSampler(rows), batch_size=256, drop_last=False)
        DataLoader(rows, batch_size=None, sampler=sampler, collate_fn=Collator())

    Attributes:
        pad_to: the width of all lists; by default each batch's longest list's.
        padding: value by column; by default -100 for `labels`, else 0.

    Example:
        >>> Collator(pad_to=64)  # its tensors hold what `padded` shows
        Collator(pad_to=64, padding={})
    """

    pad_to: int | None = None
    padding: Mapping[str, float] = field(default_factory=dict)

    def __call__(self, batch: pa.Table | pa.RecordBatch) -> "dict[str, torch.Tensor]":
        """The tensors of a batch: those of `padded`."""
        try:
            import torch
        except ImportError:
            raise not_installed("A batch of tensors", "PyTorch", "models") from None
        if not isinstance(batch, pa.Table | pa.RecordBatch):
            raise InputError(
                f"The collator takes Arrow batches, not {type(batch).__name__}. Use dataset.with_format('arrow'), and "
                "DataLoader(..., batch_size=None, sampler=BatchSampler(...))."
            )
        arrays = padded(batch, pad_to=self.pad_to, padding=self.padding)
        return {name: torch.from_numpy(array) for name, array in arrays.items()}


def _joined(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    if column.null_count:
        raise InputError("A column holds nulls, which have no place in an array. Drop those rows first.")
    if isinstance(column, pa.Array):
        return column
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _flat(column: pa.Array, integers: str, name: str) -> Array:
    values: Array = column.to_numpy(zero_copy_only=False)
    kind = column.type
    if pa.types.is_integer(kind):
        return values.astype(integers)
    if pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return values.copy() if not values.flags.writeable else values
    raise InputError(f"The column {name!r} is of type {kind}: no numbers. Leave it out with .remove_columns({name!r}).")


def _values(column: pa.Array, integers: str, name: str) -> Array:
    """The values of all lists one after the other: (total,), or (total, k) where each is a list of k."""
    if pa.types.is_fixed_size_list(column.type):
        return _values(column.flatten(), integers, name).reshape(-1, column.type.list_size)
    return _flat(column, integers, name)


def _mask(lengths: Array, pad_to: int | None, name: str) -> Array:
    longest = int(lengths.max(initial=0))
    if pad_to is not None and longest > pad_to:
        raise InputError(f"{name!r} has a list of {longest} values, longer than pad_to={pad_to}. Raise pad_to.")
    return np.arange(longest if pad_to is None else pad_to) < lengths[:, None]


def _note_lengths(found: dict[str, Array], name: str, lengths: Array, mask: Array) -> None:
    if "lengths" not in found:
        found |= {"lengths": lengths, "mask": mask}
    elif not np.array_equal(found["lengths"], lengths):
        found |= {f"{name}_lengths": lengths, f"{name}_mask": mask}
