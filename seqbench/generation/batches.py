"""Endless batches for training loops, as arrays: batch k is a pure function of k, so a stream can be resumed."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.catalogue.recipe import length_range, sampling_weights, whole
from seqbench.errors import InputError, named_options
from seqbench.generation import streams as rng
from seqbench.generation.plan import Folder, Plan, language_plan
from seqbench.generation.sampler import Sampler

Array = npt.NDArray[Any]


class Stream:
    """An endless iterator of batches; each batch has words of one length, drawn uniformly.

    Attributes:
        position: the number of the next batch; set it with `seek`.
    """

    def __init__(
        self, key: tuple[object, ...], sampler: Sampler, lengths: Array, batch_size: int, *, classes: bool
    ) -> None:
        """A stream keyed by some facts; see `stream`."""
        self._key, self._sampler, self.lengths, self.batch_size = key, sampler, lengths, batch_size
        self._classes = classes
        self.position = 0

    def __iter__(self) -> Iterator[tuple[Array, ...]]:
        """The stream itself."""
        return self

    def __next__(self) -> tuple[Array, ...]:
        """The next batch."""
        self.position += 1
        return self.batch(self.position - 1)

    def seek(self, position: int) -> "Stream":
        """The stream, to go on with the batch of this number.

        Example:
            >>> one, other = (stream("parity_check", batch_size=4) for _ in range(2))
            >>> skipped = next(one)
            >>> bool((next(one)[0] == next(other.seek(1))[0]).all())
            True
        """
        self.position = whole("position", position, 0, 2**63)
        return self

    def batch(self, number: int) -> tuple[Array, ...]:
        """Batch of a number: tokens (batch_size, length), labels int64, and classes int64 if asked for.

        Raises:
            InputError: a negative number, or one that is not whole.
        """
        drawn, streams = rows_of(self._key, whole("number", number, 0, 2**63), self.lengths, self.batch_size)
        rows = self._sampler.sample(drawn, streams)
        tokens = rows.tokens.reshape(self.batch_size, drawn[0])
        columns = [tokens, rows.labels.astype(np.int64)]
        if self._classes and rows.classes is not None:
            columns.append(rows.classes.astype(np.int64))
        return tuple(columns)


def rows_of(key: tuple[object, ...], number: int, lengths: Array, size: int) -> tuple[Array, rng.Words]:
    """The lengths, all the same one, and the random streams of the rows of a batch, shapes (size,) and (5, size)."""
    streams = rng.row_streams(rng.unit_key(*key, number), np.arange(size))
    first = rng.draw64(rng.lane(streams[:, :1], rng.CHOICE))[0]
    return np.repeat(lengths[rng.below(first, len(lengths))], size), streams


def stream_key(planned: Plan, weights: Mapping[str, float], span: tuple[int, int], seed: int) -> tuple[object, ...]:
    """What keys the batches of a language's stream, besides their numbers."""
    return planned.name, planned.version, weights, planned.labels, span, seed, "stream"


@named_options
def stream(
    name: str,
    *,
    batch_size: int = 256,
    lengths: Any = None,
    sampling: str | Mapping[str, float] | None = None,
    seed: int = 0,
    classes: bool = False,
    catalogue: Folder = None,
) -> Stream:
    """An endless, seekable stream of training batches (tokens, labels) as NumPy arrays.

    Args:
        name: a dataset.
        batch_size: words a batch, up to 65,536.
        lengths: shortest and longest word; the dataset's training lengths by default.
        sampling: a law or weights of laws; the dataset's by default.
        seed: whole number.
        classes: give syntactic classes as a third array.
        catalogue: a folder with definitions of your own.

    Raises:
        SeqbenchError: whatever is wrong with an argument.

    Example:
        >>> tokens, labels = next(stream("dyck_d6", batch_size=256, lengths=(12, 12), seed=0))
        >>> tokens.shape, tokens.dtype, labels.shape
        ((256, 12), dtype('uint8'), (256,))
    """
    planned = language_plan(name, catalogue)
    span = planned.recipe.train_lengths if lengths is None else length_range("lengths", lengths)
    weights = planned.recipe.sampling if sampling is None else sampling_weights("sampling", sampling)
    monoid = planned.monoid if classes or {"class", "composition"} & weights.keys() else None
    sampler = Sampler(planned.machine, monoid, weights, planned.labels)
    admitted = np.flatnonzero(sampler.admits(span[1])[span[0] :]) + span[0]
    if len(admitted) == 0:
        raise InputError(
            f"{name} has no word to draw at lengths {span}. `{planned.command('info')}` shows which lengths have."
        )
    key = stream_key(planned, weights, span, whole("seed", seed, 0, 2**64 - 1))
    batch_size = whole("batch_size", batch_size, 1, 1 << rng.LANE_SHIFT)
    return Stream(key, sampler, admitted, batch_size, classes=classes)
