"""What guesses from next to nothing score, and how labels are spread over lengths."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Array = npt.NDArray[Any]

IGNORED = -100
FEW = 20  # a table of scores needs so many rows a cell, or its best guesses are luck
MAX_COUNTED = 16  # symbols whose occurrences are counted
MAX_LABELS = 12  # labels whose shares are told one by one
SHOWN_LENGTHS = 6
ROWS_AT_ONCE = 4096  # whose symbols are counted at a time


def shortcuts(rows: pa.Table) -> dict[str, float]:
    """The share of right answers of the best constant, and of the best answer by one simple fact of the input.

    Of a label: see `label_scores`. Of words and positions: the most frequent symbol among those that count.

    Example:
        >>> shortcuts(pa.table({"input_ids": [[0, 1]] * 60 + [[1, 1]] * 60, "label": [0] * 60 + [1] * 60}))
        {'majority_score': 0.5, 'length_parity_score': 0.5, 'first_symbol_score': 1.0, 'last_symbol_score': 0.5,
        'symbol_count_score': 1.0}
    """
    names = rows.schema.names
    if "label" in names:
        column = rows["input_ids"].combine_chunks()
        offsets = np.concatenate([[0], np.cumsum(column.value_lengths().to_numpy())])
        tokens = column.flatten().to_numpy()
        return label_scores(input_facts(tokens, offsets, int(tokens.max(initial=0)) + 1), rows["label"].to_numpy())
    target = next((name for name in ("output_ids", "labels") if name in names), None)
    if target is None:
        return {}
    values = rows[target].combine_chunks().flatten().to_numpy()
    if "loss_mask" in names:
        values = values[rows["loss_mask"].combine_chunks().flatten().to_numpy(zero_copy_only=False)]
    _, shares = np.unique(values[values != IGNORED], return_counts=True)
    return {"majority_score": round(float(shares.max() / shares.sum()), 4)} if len(shares) else {}


def input_facts(tokens: Array, offsets: Array, symbols: int) -> dict[str, Array]:
    """Simple facts of each word: length, first and last symbol, each (rows,), and counts of symbols, (rows, symbols).

    Counts have no column where there are over 16 symbols.

    Example:
        >>> facts = input_facts(np.array([0, 1, 1]), np.array([0, 1, 3]), 2)
        >>> facts["length"].tolist(), facts["counts"].tolist()
        ([1, 2], [[1, 0], [0, 2]])
    """
    starts, ends = offsets[:-1], offsets[1:]
    return {
        "length": ends - starts,
        "first": tokens[starts].astype(np.int64),
        "last": tokens[ends - 1].astype(np.int64),
        "counts": _counts(tokens, offsets, symbols if symbols <= MAX_COUNTED else 0),
    }


def _counts(tokens: Array, offsets: Array, symbols: int) -> Array:
    rows = len(offsets) - 1
    found = np.empty((rows, symbols), dtype=np.int64)
    for first in range(0, rows if symbols else 0, ROWS_AT_ONCE):
        part = offsets[first : first + ROWS_AT_ONCE + 1]
        number = len(part) - 1
        row = np.repeat(np.arange(number) * symbols, np.diff(part))
        counts = np.bincount(row + tokens[part[0] : part[-1]], minlength=number * symbols)
        found[first : first + number] = counts.reshape(number, symbols)
    return found


def label_scores(facts: dict[str, Array], labels: Array) -> dict[str, float]:
    """The share of labels that each of these rules gets right, by its name.

    A constant; the label by the parity of the length, by the first and by the last symbol; and by whether some symbol
    occurs at least so often, the best symbol and number. Left out are rules, but for the constant, for which there are
    fewer than 20 rows for each pair of a fact and a label.
    """
    found = {
        "majority_score": majority(np.bincount(labels)),
        "length_parity_score": _best_by(facts["length"] % 2, labels),
        "first_symbol_score": _best_by(facts["first"], labels),
        "last_symbol_score": _best_by(facts["last"], labels),
        "symbol_count_score": _best_threshold(facts["counts"], labels),
    }
    return {name: round(score, 4) for name, score in found.items() if score is not None}


def majority(counts: Array) -> float:
    """The share of the most frequent label, from how often each occurs.

    Example:
        >>> majority(np.array([1, 3]))
        0.75
    """
    return round(float(counts.max() / counts.sum()), 4)


def _best_by(fact: Array, labels: Array) -> float | None:
    """The share of right answers if each value of a fact has its most frequent label; None where rows are few."""
    values, which = np.unique(fact, return_inverse=True)
    size = int(labels.max()) + 1
    if len(values) * size * FEW > len(labels):
        return None
    table = np.bincount(which * size + labels, minlength=len(values) * size).reshape(len(values), size)
    return float(table.max(axis=1).sum() / len(labels))


def _best_threshold(counts: Array, labels: Array) -> float | None:
    """The share of right answers of the best rule of one label from a number of one symbol on, another below."""
    size = int(labels.max()) + 1
    if counts.shape[1] == 0 or 2 * size * FEW > len(labels):
        return None
    best = 0
    for count in counts.T:
        high = int(count.max()) + 1
        below = np.bincount(count * size + labels, minlength=high * size).reshape(high, size).cumsum(axis=0)
        best = max(best, int((below.max(axis=1) + (below[-1] - below).max(axis=1)).max()))
    return best / len(labels)


def balance(lengths: Array, labels: Array | None, names: Sequence[str]) -> dict[int, dict[str, Any]]:
    """At six lengths evenly spread over those that occur: rows, and the share of the most frequent and of each label.

    Args:
        lengths: shape (rows,).
        labels: ids, shape (rows,); None where rows have none.
        names: of the labels; with more than 12 their own shares are left out.

    Example:
        >>> balance(np.array([1, 1, 2]), np.array([0, 1, 1]), ["no", "yes"])[1]
        {'rows': 2, 'majority': 0.5, 'labels': {'no': 0.5, 'yes': 0.5}}
    """
    there = np.unique(lengths)
    chosen = there[np.unique(np.linspace(0, len(there) - 1, SHOWN_LENGTHS).round().astype(int))]
    return {int(length): _shares(lengths == length, labels, names) for length in chosen}


def _shares(here: Array, labels: Array | None, names: Sequence[str]) -> dict[str, Any]:
    rows = int(here.sum())
    if labels is None:
        return {"rows": rows}
    shares = [round(float(share), 4) for share in np.bincount(labels[here], minlength=len(names)) / rows]
    each = {"labels": dict(zip(names, shares, strict=True))} if len(names) <= MAX_LABELS else {}
    return {"rows": rows, "majority": max(shares), **each}
