"""Batches of rows that lie there already: every epoch its own order, rows of a batch of like lengths."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.generation.splits import UNIT_ROWS
from seqbench.generation.streams import draw64, row_streams, unit_key

Array = npt.NDArray[Any]

LIKE = 50
"""Batches whose rows are sorted by length together, so that those of a batch have like lengths."""


class Epochs:
    """The batches of some rows by number: each is a pure function of the rows, the seed and its number."""

    def __init__(self, rows: pa.RecordBatch, batch: int, seed: int) -> None:
        """Batches of so many rows, which have a column `input_ids`; fewer rows than that are repeated."""
        if rows.num_rows < batch:
            rows = rows.take(pa.array(np.arange(batch) % rows.num_rows))
        self._rows, self._batch, self._seed = rows, batch, seed
        self._sizes = rows["input_ids"].value_lengths().to_numpy(zero_copy_only=False)
        self._order: tuple[int, Array] = (-1, np.empty(0))

    def rows(self, number: int) -> pa.RecordBatch:
        """The rows of the batch of a number."""
        epoch, within = divmod(number, self._rows.num_rows // self._batch)
        if self._order[0] != epoch:
            self._order = epoch, epoch_order(self._sizes, self._batch, self._seed, epoch)
        return self._rows.take(pa.array(self._order[1][within]))


def epoch_order(sizes: Array, batch: int, seed: int, epoch: int) -> Array:
    """The rows of every batch of an epoch, (batches, batch): each row at most once, like lengths together.

    Example:
        >>> order = epoch_order(np.arange(1, 10), 2, seed=0, epoch=3)
        >>> order.shape, len(set(order.ravel().tolist()))
        ((4, 2), 8)
    """
    order = shuffled(len(sizes), "texts", seed, epoch)[: len(sizes) // batch * batch]
    near = [
        part[np.argsort(sizes[part], kind="stable")]
        for part in np.split(order, range(LIKE * batch, len(order), LIKE * batch))
    ]
    batches = np.concatenate(near).reshape(-1, batch)
    return batches[shuffled(len(batches), "batches", seed, epoch)]


def shuffled(count: int, *key: object) -> Array:
    """The numbers below `count` in a random order that the key alone decides."""
    units = range(0, count, UNIT_ROWS)
    words = [draw64(row_streams(unit_key(*key, unit), np.arange(min(UNIT_ROWS, count - unit))))[0] for unit in units]
    return np.argsort(np.concatenate(words or [np.empty(0)]), kind="stable")
