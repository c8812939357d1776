"""What some data shows: counts of classes and of compositions, level by level."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.alphabet import decode
from seqbench.algebra.monoid import MAX_TABLE, Monoid
from seqbench.covering.inputs import Chunk, Words
from seqbench.covering.kernels import KERNELS
from seqbench.covering.schedules import DOWN, check_schedule
from seqbench.errors import InputError

Array = npt.NDArray[Any]

DENSE = 1 << 25  # cells of a table of counts (256 MiB); beyond, counts are kept as sorted keys
MAX_STRAYS = 5  # words outside the domain that are named
KEYS = 1 << 22  # compositions walked at a time where keys are kept


@dataclass
class Pairs:
    """Compositions with their counts: keys a * classes + b rising, int64, and counts, int64."""

    keys: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    counts: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        """Number of different compositions."""
        return len(self.keys)

    def at_least(self, times: int) -> Array:
        """Keys of the compositions seen at least so often."""
        return np.asarray(self.keys[self.counts >= times])


@dataclass(frozen=True)
class Stray:
    """A word outside the task's domain.

    Attributes:
        row: where it stands, counted from 0 within its file, or within the data.
        file: the file, or "".
        word: as text.
    """

    row: int
    file: str
    word: str


class Tally:
    """Counts over words, added chunk by chunk; memory does not grow with the number of words.

    Attributes:
        words: number of words.
        outside: how many of them lie outside the task's domain; nothing else of them is counted.
        strays: the first few of those, with their rows.
        lengths: number of words of each length, int64.
        whole: number of words of each class, shape (classes,), int64.
        nodes: number of joined blocks of each class, shape (classes,), int64.
    """

    def __init__(self, monoid: Monoid, schedule: str = "tree", min_width: int = 1) -> None:
        """An empty tally for the schedule; nodes with a child narrower than `min_width` are not counted."""
        self.monoid, self.schedule, self.min_width = monoid, check_schedule(schedule), min_width
        self.words = self.outside = 0
        self.strays: list[Stray] = []
        self.lengths = np.zeros(1, dtype=np.int64)
        self.whole = np.zeros(len(monoid), dtype=np.int64)
        self.nodes = np.zeros(len(monoid), dtype=np.int64)
        self._levels = 0
        self._dense = np.zeros((0, 0), dtype=np.int64)
        self._sparse = Pairs()
        self._table = monoid.product_table if len(monoid) <= MAX_TABLE else np.empty((0, 0), dtype=np.uint16)

    @property
    def size(self) -> int:
        """Number of classes."""
        return len(self.monoid)

    def add(self, chunk: Chunk) -> None:
        """Counts the words of a chunk."""
        (tokens, offsets), outside = inside_words(self.monoid, chunk)
        if outside and len(self.strays) < MAX_STRAYS:
            self.strays += _strays(self.monoid, chunk, self.words)[: MAX_STRAYS - len(self.strays)]
        if tokens.size and int(tokens.max()) >= self.monoid.right.shape[1]:
            raise InputError(
                f"The words hold the symbol id {tokens.max()}; ids run to {self.monoid.right.shape[1] - 1}."
            )
        self.words += len(chunk[1]) - 1
        self.outside += outside
        lengths = np.bincount(np.diff(offsets))
        grown = np.zeros(max(len(lengths), len(self.lengths)), dtype=np.int64)
        grown[: len(lengths)] += lengths
        grown[: len(self.lengths)] += self.lengths
        self.lengths = grown
        self._grow(len(grown) - 1)
        if self._is_dense:
            self._run(tokens, offsets, self._dense, np.empty(0, dtype=np.int64))
        else:
            for part_tokens, part_offsets in _parts(tokens, offsets):
                self._merge(self._run_keys(part_tokens, part_offsets))

    def keys_of(self, chunk: Chunk) -> Array:
        """The compositions of every word in turn, a * classes + b, without counting them."""
        tokens, offsets = chunk
        return self._run_keys(tokens, offsets, aside=True) % self.size**2

    def add_all(self, chunks: Iterable[Chunk]) -> "Tally":
        """The tally after all chunks."""
        for chunk in chunks:
            self.add(chunk)
        return self

    @property
    def levels(self) -> list[int]:
        """Level numbers (see schedules) that hold a composition."""
        return [number for index, number in enumerate(self._numbers()) if len(self._at(index))]

    def pairs(self, level: int | None = None) -> Pairs:
        """The compositions of a level, or of all levels together."""
        if level is not None:
            numbers = self._numbers()
            return self._at(numbers.index(level)) if level in numbers else Pairs()
        if self._is_dense:
            return _nonzero(self._dense.sum(axis=0))
        return _summed(self._sparse.keys % self.size**2, self._sparse.counts)

    def _numbers(self) -> list[int]:
        if self.schedule == "scan":
            half = self._levels // 2
            return [*range(1, half + 1), *range(DOWN + 1, DOWN + half + 1)]
        return list(range(1, self._levels + 1))

    def _at(self, index: int) -> Pairs:
        if self._is_dense:
            return _nonzero(self._dense[index])
        first, last = np.searchsorted(self._sparse.keys, [index * self.size**2, (index + 1) * self.size**2])
        return Pairs(self._sparse.keys[first:last] - index * self.size**2, self._sparse.counts[first:last])

    @property
    def _is_dense(self) -> bool:
        return self.size**2 * max(self._levels, 1) <= DENSE

    def _grow(self, longest: int) -> None:
        """Makes room for the levels of words of a length."""
        halvings = max(1, (longest - 1).bit_length())
        levels = {"tree": halvings, "scan": 2 * halvings, "left": 1}[self.schedule]
        if levels <= self._levels:
            return
        old, old_pairs = self._levels, [self._at(index) for index in range(self._levels)]
        self._levels = levels
        place = (
            np.arange(old)
            if self.schedule != "scan"
            else np.arange(old) + (np.arange(old) >= old // 2) * (levels - old) // 2
        )
        if self._is_dense:
            self._dense = np.zeros((levels, self.size**2), dtype=np.int64)
            for index, pairs in zip(place, old_pairs, strict=True):
                self._dense[index, pairs.keys] = pairs.counts
        else:
            self._dense = np.zeros((levels, 1), dtype=np.int64)
            keys = [pairs.keys + int(index) * self.size**2 for index, pairs in zip(place, old_pairs, strict=True)]
            counts = [pairs.counts for pairs in old_pairs]
            self._sparse = Pairs(
                np.concatenate([np.empty(0, np.int64), *keys]), np.concatenate([np.empty(0, np.int64), *counts])
            )

    def _run(self, tokens: Array, offsets: Array, counts: Array, keys: Array, *, aside: bool = False) -> int:
        room = np.empty(2 * int(np.diff(offsets).max(initial=1)) + 64, dtype=np.int64)
        kernel = KERNELS[self.schedule]
        monoid, words = (self._table, self.monoid.right), (tokens, np.asarray(offsets, dtype=np.int64))
        found = (np.zeros_like(self.nodes), np.zeros_like(self.whole)) if aside else (self.nodes, self.whole)
        return int(kernel(monoid, words, self.min_width, room, found, counts, keys))

    def _run_keys(self, tokens: Array, offsets: Array, *, aside: bool = False) -> Array:
        """Keys with their levels; `aside` leaves the counts of classes alone."""
        self._grow(int(np.diff(offsets).max(initial=1)))
        keys = np.empty(2 * len(tokens) + 1, dtype=np.int64)
        levels = np.zeros((self._levels, 1), dtype=np.int64)
        return keys[: self._run(tokens, offsets, levels, keys, aside=aside)]

    def _merge(self, keys: Array) -> None:
        ones = np.ones(len(keys), dtype=np.int64)
        both = np.concatenate([self._sparse.keys, keys]), np.concatenate([self._sparse.counts, ones])
        self._sparse = _summed(*both)


def inside_words(monoid: Monoid, chunk: Chunk) -> tuple[Chunk, int]:
    """The words of a chunk that lie in the task's domain, and the number of the others."""
    if (monoid.labels >= 0).all():
        return chunk, 0
    tokens, offsets = chunk
    inside = monoid.labels[monoid.class_of(tokens, offsets)] >= 0
    if inside.all():
        return chunk, 0
    lengths = np.diff(offsets)
    kept = np.concatenate([[0], np.cumsum(lengths[inside])])
    return (tokens[offsets[0] : offsets[-1]][np.repeat(inside, lengths)], kept), int((~inside).sum())


def _strays(monoid: Monoid, chunk: Chunk, before: int) -> list[Stray]:
    """The first few words of a chunk that lie outside the domain; `before` counts the words of earlier chunks."""
    tokens, offsets = chunk
    outside = np.flatnonzero(monoid.labels[monoid.class_of(tokens, offsets)] < 0)[:MAX_STRAYS].tolist()
    file, row = (chunk.where, chunk.row) if isinstance(chunk, Words) else ("", before)
    alphabet = monoid.machine.alphabet
    return [Stray(row + i, file, decode(alphabet, tokens[offsets[i] : offsets[i + 1]])) for i in outside]


def _parts(tokens: Array, offsets: Array) -> Iterable[Chunk]:
    """Pieces of a chunk of at most KEYS symbols (or one word)."""
    first = 0
    while first < len(offsets) - 1:
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + KEYS, side="right")) - 1)
        yield tokens[offsets[first] : offsets[last]], offsets[first : last + 1] - offsets[first]
        first = last


def _nonzero(counts: Array) -> Pairs:
    keys = np.flatnonzero(counts)
    return Pairs(keys, counts[keys])


def _summed(keys: Array, counts: Array) -> Pairs:
    """Equal keys joined. Sorting and comparing neighbours is many times faster than np.unique on large arrays."""
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    if len(keys) == 0:
        return Pairs(keys, counts)
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    return Pairs(keys[first], np.add.reduceat(counts, first))
