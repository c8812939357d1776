"""Labels of texts: the names that training has, and the ids of the rows of a split."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from seqbench.errors import InputError, quoted

Array = npt.NDArray[Any]

HIDDEN = -1
"""The label of rows whose label is kept secret, as in the test splits of GLUE."""

UNKNOWN = -1
"""The id of rows without a label."""

_SHOWN = 5


def label_values(column: str, feature: Any, train: pa.ChunkedArray) -> tuple[tuple[str, ...], pa.Array]:
    """The names of the labels, and the values that stand for them: as the dataset says, or all that training has.

    Args:
        column: its name.
        feature: what the dataset says of the column.
        train: the labels of the training split.

    Raises:
        InputError: values that are no labels, none at all, or one label only.

    Example:
        >>> label_values("label", None, pa.chunked_array([["yes", "no", None, "no"]]))[0]
        ('no', 'yes')
    """
    _check_kind(column, train)
    seen = sorted(value for value in train.unique().to_pylist() if value not in (None, HIDDEN))
    names = tuple(getattr(feature, "names", ()))
    if not seen:
        raise InputError(
            f"The column {column!r} of the split 'train' has no labels: each of its {len(train):,} rows is empty or "
            f"{HIDDEN}. Name the column of labels: --label-column NAME."
        )
    if len(seen) == 1:
        only = names[seen[0]] if names else seen[0]
        raise InputError(
            f"All labels in the column {column!r} of the split 'train' are {quoted(only)}: there is nothing to learn. "
            "Give texts of two labels or more."
        )
    return (names, pa.array(range(len(names)))) if names else (tuple(map(str, seen)), pa.array(seen, train.type))


def _check_kind(column: str, labels: pa.ChunkedArray) -> None:
    kind = labels.type
    usable = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_integer(kind)
    if usable or labels.null_count == len(labels):
        return
    example = quoted(next(value for value in labels.to_pylist() if value is not None))
    if pa.types.is_floating(kind):
        raise InputError(
            f"The column {column!r} holds {kind}, such as {example}, and labels are whole numbers or names. Cast them "
            f"to whole numbers, 0.0 to 0 (an empty cell of a CSV file makes them so: write {HIDDEN} there)."
        )
    # As an extension type `datasets` reads a column of numbers and texts.
    what = "values of several kinds" if isinstance(kind, pa.BaseExtensionType) else kind
    raise InputError(
        f"The column {column!r} holds {what}, such as {example}, not labels. Name one of whole numbers or of names."
    )


def label_ids(column: str, split: str, labels: pa.ChunkedArray, values: pa.Array) -> Array:
    """The ids of a split's labels, int64 (rows,); UNKNOWN where the label is hidden: none, or HIDDEN.

    Raises:
        InputError: a label that training does not have.

    Example:
        >>> label_ids("label", "test", pa.chunked_array([[3, -1, 8]]), pa.array([3, 8]))
        array([ 0, -1,  1])
    """
    ids = pc.index_in(labels.cast(values.type), values).combine_chunks()
    without = pc.value_counts(labels.filter(ids.is_null())).to_pylist()
    unseen = {each["values"]: each["counts"] for each in without if each["values"] not in (None, HIDDEN)}
    if unseen:
        raise InputError(
            f"The column {column!r} of the split {split!r} has labels that 'train' has not: {_counted(unseen)}. "
            f"Those of 'train' are {_listed(list(map(quoted, values.to_pylist())))}. "
            f"Add such rows to 'train', or take them out of {split!r}."
        )
    return np.asarray(ids.fill_null(UNKNOWN), np.int64)


def _counted(rows: dict[Any, int]) -> str:
    most = sorted(rows, key=lambda value: -rows[value])
    return _listed([f"{quoted(value)} ({rows[value]:,} row{'s' if rows[value] > 1 else ''})" for value in most])


def _listed(parts: list[str]) -> str:
    more = f" and {len(parts) - _SHOWN:,} more" if parts[_SHOWN:] else ""
    return ", ".join(parts[:_SHOWN]) + more
