"""Training batches, made in a thread; and the rows of a split by length."""

import math
import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.errors import InputError
from seqbench.generation.base_plan import BasePlan, PlannedSplit
from seqbench.generation.batches import rows_of, stream_key
from seqbench.generation.plan import Plan, plan
from seqbench.training.epochs import Epochs
from seqbench.training.settings import Settings
from seqbench.training.targets import Batch, Targets
from seqbench.training.texts import TextPlan, text_plan
from seqbench.training.words import labelled

Array = npt.NDArray[Any]

GOLDEN = (math.sqrt(5) - 1) / 2
TOGETHER, MOMENT = 16, 0.01
"""So many batches at most are handed over together, made within about so many seconds."""
VALIDATION = 2000
"""Rows that a look at the validation split takes, unless the recipe says otherwise."""


def plan_of(settings: Settings, **more: Any) -> BasePlan:
    """The dataset of a run, with validation rows to look at and test rows to measure.

    Args:
        settings: the run; what its recipe says comes first.
        more: options that come before even that.
    """
    if settings.texts is not None:
        return text_plan(settings.texts)
    for key in {"name", "catalogue"} & settings.recipe.keys():
        raise InputError(
            f"{key}={settings.recipe[key]!r} is no option of a recipe, but of the run: see `seqbench train --help`."
        )
    sizes = {"validation_examples": VALIDATION, "test_examples_per_length": settings.test_words}
    return plan(settings.task, settings.catalogue, **{**sizes, **settings.recipe, **more})


class Source:
    """The training batches of a run by number: each is a pure function of the settings and its number.

    A batch has rows of one length, drawn uniformly from those of the split `train`; rows are drawn by the law of that
    split. For a language these are the batches of `seqbench.stream`. Texts and words of a file come in epochs.
    """

    def __init__(self, settings: Settings) -> None:
        """The batches of a run.

        Raises:
            SeqbenchError: whatever is wrong with the recipe or the sampling.
        """
        planned = _training_plan(settings)
        self.targets = Targets.of(planned)
        self._rows = _drawn(planned, settings)

    def batch(self, number: int) -> Batch:
        """The batch of a number."""
        return self.targets.batch(self._rows(number))


def _drawn(planned: BasePlan, settings: Settings) -> Callable[[int], pa.RecordBatch]:
    """The rows of the batch of a number."""
    if isinstance(planned, TextPlan):
        return Epochs(planned.splits["train"].rows, settings.batch, settings.data_seed).rows
    if settings.words is not None:
        return Epochs(labelled(settings.words, planned), settings.batch, settings.data_seed).rows
    part = planned.splits["train"]
    key = _key(planned, part, settings.data_seed)
    return lambda number: part.draw(*rows_of(key, number, part.split.lengths, settings.batch))


def _training_plan(settings: Settings) -> BasePlan:
    """The dataset with the run's own sampling; classes are left out where nothing needs them."""
    if settings.texts is not None:
        return text_plan(settings.texts)
    options = settings.recipe | ({"sampling": settings.sampling} if settings.sampling else {})
    options |= {"train_examples": 1}  # rows are drawn without end, also where the dataset is a test split alone
    planned = plan(settings.task, settings.catalogue, **options)
    if not isinstance(planned, Plan) or settings.also or {"class", "composition"} & planned.recipe.sampling.keys():
        return planned
    return plan(settings.task, settings.catalogue, **options | {"classes": False})


def _key(planned: BasePlan, part: PlannedSplit, seed: int) -> tuple[object, ...]:
    if isinstance(planned, Plan):
        return stream_key(planned, planned.recipe.sampling, planned.recipe.train_lengths, seed)
    identity = part.split.identity
    return identity.dataset, identity.version, identity.recipe, seed, "stream"


class Batches:
    """Training batches from a given step on; a thread makes the next ones while one is used.

    They are handed over several at a time: small ones take less time than the hand-over.

    Attributes:
        waited: seconds that the reader has waited for data.
    """

    def __init__(self, source: Source, first: int = 0, ahead: int = 3) -> None:
        """Batches `first`, `first + 1`, ... of a run; so many groups of them are made ahead."""
        self.waited = 0.0
        self._source, self._next, self._most = source, first, 1  # the first few come soon
        self._ready: queue.Queue[list[Batch | Exception]] = queue.Queue(maxsize=ahead)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._fill, daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[Batch]:
        """Batches without end."""
        while True:
            start = time.perf_counter()
            group = self._ready.get()
            self.waited += time.perf_counter() - start
            for made in group:
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
            group = self._group()
            while not self._stopped.is_set():
                try:
                    self._ready.put(group, timeout=0.1)
                    break
                except queue.Full:
                    continue

    def _group(self) -> list[Batch | Exception]:
        """The next batches, as many as are made in a moment; an error ends them, raised again where it is taken."""
        group: list[Batch | Exception] = []
        start = time.perf_counter()
        self._most = min(TOGETHER, 2 * self._most)
        while not group or (len(group) < self._most and time.perf_counter() - start < MOMENT):
            try:
                group.append(self._source.batch(self._next))
            except Exception as error:
                return [*group, error]
            self._next += 1
        return group


def lengths_of(planned: BasePlan, split: str, number: int = 0) -> Array:
    """So many lengths of a split, spread over all (see `spread`); all where the number is 0."""
    lengths = np.asarray(part_of(planned, split).split.lengths)
    return lengths if number == 0 else spread(lengths, number)


def spread(lengths: Array, number: int) -> Array:
    """So many of the lengths, one of each of as many equal parts, the first and the last among them.

    Odd and even ones take turns, and places within parts are those of a golden-ratio sequence: with equal steps a rule
    that repeats with the length, as in Dyck words, which are even, would be measured in one of its cases for long.

    Args:
        lengths: rising.
        number: how many, 1 at least; all where there are no more.

    Example:
        >>> spread(np.arange(41, 501), 6)
        array([ 41, 166, 211, 336, 383, 500])
    """
    if number >= len(lengths):
        return lengths
    ends = np.ceil(np.linspace(0, len(lengths), number + 1)).astype(int)
    chosen = [lengths[0]]
    for i in range(1, number):
        part = lengths[ends[i] : ends[i + 1]]
        part = part if i < number - 1 else part[-1:]
        turn = part[part % 2 == (lengths[0] + i) % 2]
        fitting = turn if len(turn) else part
        chosen.append(fitting[int(len(fitting) * (i * GOLDEN % 1))])
    return np.array(chosen)


def by_length(planned: BasePlan, split: str, lengths: Array | None = None) -> Iterator[tuple[int, Batch]]:
    """The rows of a split, those of each length together, shortest first; of all its lengths, or only of some.

    The length is that which the dataset counts: without an index token, or empty symbols for the output.

    Raises:
        InputError: the split has no rows.
    """
    targets, part = Targets.of(planned), part_of(planned, split)
    wanted = part.split.lengths if lengths is None else lengths
    if part.split.per_length:
        for length in wanted:
            yield int(length), targets.batch(_rows(part.at(np.array([length]))))
        return
    rows, sizes = _rows(part), np.concatenate([part.split.block(index)[0] for index in range(part.num_blocks)])
    for length in np.intersect1d(sizes, wanted):
        yield int(length), targets.batch(rows.take(pa.array(np.flatnonzero(sizes == length))))


def part_of(planned: BasePlan, split: str) -> PlannedSplit:
    """A split of a dataset.

    Raises:
        InputError: it has no rows.
    """
    if split not in planned.splits:
        raise InputError(
            f"The recipe leaves {planned.name} no split {split!r}: its number of examples is 0. Give 1 or more."
        )
    return planned.splits[split]


def _rows(part: PlannedSplit) -> pa.RecordBatch:
    """All rows of a split."""
    return pa.Table.from_batches(part.blocks(range(part.num_blocks))).combine_chunks().to_batches()[0]
