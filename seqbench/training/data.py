"""Training batches as tensors, made in a thread; and the words of a split by length."""

import queue
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from seqbench.generation.batches import Stream, stream
from seqbench.generation.plan import Plan
from seqbench.training.settings import Settings

Array = npt.NDArray[Any]


class Batch:
    """Words of one length: tokens (batch, length), lengths, labels and classes (batch,), all int64 tensors."""

    def __init__(self, tokens: Array, labels: Array, classes: Array | None = None) -> None:
        """A batch from arrays."""
        self.tokens = torch.from_numpy(tokens.astype(np.int64))
        self.lengths = torch.full((len(tokens),), tokens.shape[1], dtype=torch.int64)
        self.labels = torch.from_numpy(labels)
        self.classes = None if classes is None else torch.from_numpy(classes)


class Batches:
    """Training batches from a given step on; a thread makes the next ones while one is used.

    Attributes:
        waited: seconds that the reader has waited for data.
    """

    def __init__(self, settings: Settings, first: int = 0, ahead: int = 4) -> None:
        """Batches `first`, `first + 1`, ... of the run."""
        self.waited = 0.0
        self._stream = words_of(settings).seek(first)
        self._ready: queue.Queue[Batch | Exception] = queue.Queue(maxsize=ahead)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._fill, daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[Batch]:
        """Batches without end."""
        while True:
            start = time.perf_counter()
            made = self._ready.get()
            self.waited += time.perf_counter() - start
            if isinstance(made, Exception):
                raise made
            yield made

    def close(self) -> None:
        """Ends the thread."""
        self._stopped.set()
        while not self._ready.empty():
            self._ready.get_nowait()
        self._thread.join()

    def _fill(self) -> None:
        while not self._stopped.is_set():
            try:
                made: Batch | Exception = Batch(*_three(next(self._stream)))
            except Exception as error:  # raised again where the batch is taken
                made = error
            while not self._stopped.is_set():
                try:
                    self._ready.put(made, timeout=0.1)
                    break
                except queue.Full:
                    continue


def words_of(settings: Settings) -> Stream:
    """The stream of a run's training words."""
    return stream(
        settings.task,
        batch_size=settings.batch,
        lengths=settings.recipe.get("train_lengths"),
        sampling=settings.sampling or None,
        seed=settings.data_seed,
        classes=bool(settings.also),
    )


def _three(arrays: tuple[Array, ...]) -> tuple[Array, Array, Array | None]:
    tokens, labels, *classes = arrays
    return tokens, labels, classes[0] if classes else None


def by_length(planned: Plan, split: str, only: set[int] | None = None) -> dict[int, Batch]:
    """The words of a split, those of each length together; of all lengths, or only of some."""
    found: dict[int, list[tuple[Array, Array]]] = {}
    for block in planned.blocks(split, range(planned.splits[split].num_blocks)):
        words, labels = block["input_ids"], block["label"].to_numpy()
        sizes, flat = words.value_lengths().to_numpy(), words.flatten().to_numpy()
        starts = np.cumsum(sizes) - sizes
        for length in set(sizes.tolist()) & only if only else np.unique(sizes):
            rows = np.flatnonzero(sizes == length)
            found.setdefault(int(length), []).append((flat[starts[rows, None] + np.arange(length)], labels[rows]))
    return {
        length: Batch(*(np.concatenate(part) for part in zip(*parts, strict=True)))
        for length, parts in sorted(found.items())
    }
