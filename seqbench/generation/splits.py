"""The splits of a dataset: which lengths they hold, and their rows, unit by unit.

A unit is what one random key makes: up to 4096 rows. In `train` and `validation` unit u holds rows of drawn lengths;
in the test splits a unit belongs to one length, so the words of a length are the same whichever other lengths are
asked for, and more words a length only add to those there were. A block is one unit, or several of neighbouring
lengths: what one Arrow batch holds.
"""

import bisect
import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError, TooLargeError
from seqbench.generation import heldout
from seqbench.generation import streams as rng
from seqbench.generation.sampler import Rows, Sampler

Array = npt.NDArray[Any]

UNIT_ROWS = 4096
MAX_BLOCKS = 10_000_000
UNIT_TOKENS = 1 << 24  # long words come in smaller units, so that memory stays flat


@dataclass(frozen=True)
class Identity:
    """What the rows of a split are keyed by, besides the unit.

    Attributes:
        dataset: its name.
        version: of the data.
        recipe: canonical text of the options that the split's rows depend on.
        seed: the user's seed.
        split: its name.
    """

    dataset: str
    version: str
    recipe: str
    seed: int
    split: str

    def key(self, unit: object) -> rng.Words:
        """The random key of a unit."""
        return rng.unit_key(self.dataset, self.version, self.recipe, self.seed, self.split, unit)


@dataclass(frozen=True)
class Unit:
    """Rows that share a key: number within its split or length, rows, and the length if it is fixed."""

    number: int
    rows: int
    length: int | None


@dataclass(frozen=True, eq=False)
class Layout:
    """Which rows a split has, in which blocks, and what keys each.

    Attributes:
        identity: what keys its rows.
        lengths: the lengths it holds, shape (k,), int64, rising.
        examples: number of rows in all, or of each length where `per_length`.
        per_length: whether every length has equally many rows.
    """

    identity: Identity
    lengths: Array
    examples: int
    per_length: bool

    @property
    def num_examples(self) -> int:
        """Number of rows."""
        return self.examples * (len(self.lengths) if self.per_length else 1)

    @property
    def num_blocks(self) -> int:
        """Number of blocks.

        Raises:
            TooLargeError: over ten million: the datasets library keeps a list of them.
        """
        blocks = int(self._runs[-1][0])
        if blocks > MAX_BLOCKS:
            raise TooLargeError(
                f"{self.identity.split!r} would have {self.num_examples:,} rows in {blocks:,} blocks; the limit is "
                f"{MAX_BLOCKS:,} blocks. Ask for fewer or shorter words, or use seqbench.stream, which never ends."
            )
        return blocks

    @property
    def num_tokens(self) -> int:
        """Number of symbols: exact where lengths are fixed, else expected."""
        return int(self.num_examples * self.lengths.mean())

    def block(self, *indices: int) -> tuple[Array, rng.Words, Array]:
        """Lengths, random streams and numbers within their units of the rows of some blocks, one after the other.

        Raises:
            InputError: no such block.
        """
        units = [unit for index in indices for unit in self._units(index)]
        rows = np.array([unit.rows for unit in units])
        within = np.arange(rows.sum()) - np.repeat(np.cumsum(rows) - rows, rows)
        streams = rng.row_streams(np.repeat(np.array([self._key(unit) for unit in units]).T, rows, axis=1), within)
        return self._lengths(units, streams), streams, within

    @cached_property
    def _runs(self) -> list[tuple[int, list[int | None]]]:
        """Runs of blocks: how many blocks there are up to the end of the run, and its lengths.

        A length of many units is a run of many blocks; lengths of one unit each are gathered until a block is full.
        """
        runs: list[tuple[int, list[int | None]]] = []
        blocks, open_rows, open_tokens = 0, UNIT_ROWS, 0
        for length in self.lengths.tolist() if self.per_length else [None]:
            units = -(-self.examples // self._most(length))
            tokens = self.examples * (length or 0)
            if units == 1 and open_rows + self.examples <= UNIT_ROWS and open_tokens + tokens <= UNIT_TOKENS:
                runs[-1][1].append(length)
                open_rows, open_tokens = open_rows + self.examples, open_tokens + tokens
                continue
            blocks += units
            runs.append((blocks, [length]))
            open_rows, open_tokens = (self.examples, tokens) if units == 1 else (UNIT_ROWS, 0)
        return runs

    def num_rows(self, block: int) -> int:
        """Number of rows of a block.

        Raises:
            InputError: no such block.
        """
        return sum(unit.rows for unit in self._units(block))

    def _units(self, block: int) -> list[Unit]:
        if not 0 <= block < self.num_blocks:
            raise InputError(
                f"{self.identity.split!r} has no block {block}. Blocks run from 0 to {self.num_blocks - 1}."
            )
        run = bisect.bisect_right(self._runs, block, key=lambda each: each[0])
        number = block - (self._runs[run - 1][0] if run else 0)
        return [
            Unit(number, min(self._most(length), self.examples - number * self._most(length)), length)
            for length in self._runs[run][1]
        ]

    def _most(self, length: int | None) -> int:
        """Rows of a full unit; an even number, so that alternating laws stay halves."""
        return max(2, min(UNIT_ROWS, UNIT_TOKENS // (length or int(self.lengths[-1]))) // 2 * 2)

    def _key(self, unit: Unit) -> rng.Words:
        return self.identity.key(unit.number if unit.length is None else f"{unit.length}/{unit.number}")

    def _lengths(self, units: list[Unit], streams: rng.Words) -> Array:
        if self.per_length:
            return np.repeat([unit.length for unit in units], [unit.rows for unit in units])
        return self.lengths[rng.below(rng.draw64(rng.lane(streams, rng.CHOICE))[0], len(self.lengths))]


@dataclass(frozen=True, eq=False)
class Split(Layout):
    """One split of words of a language: a pure function from block numbers to rows.

    Attributes:
        sampler: draws the words.
        alternate: whether row i is drawn by law i mod (number of laws), not by weight.
        hold: for each length up to the longest: 0 any word, 1 words not held out, 2 held-out words.
    """

    sampler: Sampler
    alternate: bool = False
    hold: Array | None = None

    def draw(self, lengths: Array, streams: rng.Words) -> Rows:
        """Rows of these lengths from these streams, by the law of the split."""
        return self._hold_out(lengths, streams, None)

    def rows(self, *blocks: int) -> Rows:
        """The rows of some blocks, one block after the other.

        Raises:
            InputError: no such block.
        """
        lengths, streams, numbers = self.block(*blocks)
        return self._hold_out(lengths, streams, numbers % len(self.sampler.laws) if self.alternate else None)

    def _hold_out(self, lengths: Array, streams: rng.Words, law: Array | None) -> Rows:
        """Rows drawn again, each from its own stream, until each is on its side of the hold-out."""
        rows = self.sampler.sample(lengths, streams, law=law)
        wanted = None if self.hold is None else self.hold[lengths]
        if wanted is None or not wanted.any():
            return rows
        for attempt in itertools.count(1):
            held = heldout.is_held_out(
                rows.tokens, rows.offsets, self.identity.dataset, self.identity.version, self.identity.seed
            )
            wrong = np.flatnonzero((wanted == 1) & held | (wanted == 2) & ~held)
            if len(wrong) == 0:
                return rows
            if attempt > heldout.MAX_ATTEMPTS:
                raise InputError(
                    f"held_out=True finds no word of length {lengths[wrong[0]]} for {self.identity.split!r} in "
                    f"{heldout.MAX_ATTEMPTS} draws: too few words of that length. Raise the lengths of this split."
                )
            again = self.sampler.sample(
                lengths[wrong], streams[:, wrong], attempt=attempt, law=None if law is None else law[wrong]
            )
            rows = _replaced(rows, wrong, again)
        raise AssertionError  # pragma: no cover -- the loop above returns or raises


def _replaced(rows: Rows, which: Array, others: Rows) -> Rows:
    """The rows with some replaced by others of the same lengths."""
    tokens, labels = rows.tokens.copy(), rows.labels.copy()
    within = np.arange(len(others.tokens)) - np.repeat(others.offsets[:-1], np.diff(others.offsets))
    tokens[np.repeat(rows.offsets[which], np.diff(others.offsets)) + within] = others.tokens
    labels[which] = others.labels
    if rows.classes is None or others.classes is None:
        return replace(rows, tokens=tokens, labels=labels)
    classes = rows.classes.copy()
    classes[which] = others.classes
    return replace(rows, tokens=tokens, labels=labels, classes=classes)
