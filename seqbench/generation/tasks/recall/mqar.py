"""Multi-query associative recall: which value came with this key?"""

from decimal import Decimal, localcontext
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError, TooLargeError
from seqbench.generation.streams import CHOICE, FIRST_WORD, SECOND_WORD, Words, lane
from seqbench.generation.tasks.letters import fill_letters
from seqbench.generation.tasks.recall.rows import IGNORED, Positional, draw_below
from seqbench.jit import kernel

Array = npt.NDArray[Any]

MASS = 1 << 62
"""What the chances of all slots of a row sum to, as whole numbers."""

MAX_LENGTH = 200_000
_DIGITS = 40  # of a power, rounded alike on every machine


class Mqar(Positional):
    """Pairs of a key and its value, then each key again once: the label there is its value.

    With V symbols, keys are 1 to V // 2 - 1 and values V // 2 to V - 1. A row of n symbols begins with N pairs, key,
    value, key, value, ... The keys are uniform over all sequences of N different ones, and so are the values. After
    the pairs, every second position is a slot: K = (n - 2N) // 2 of them, numbered from 1. Key after key draws its
    slot from those that are free, slot r in proportion to r^(power - 1): the distance from the pairs to a query
    follows a power law, near ones are likely, and power 1 makes all alike. Every other position is filler: independent
    and uniform over all symbols but the N keys of the row; with filler = "blank" it is 0. The label of a query is its
    value, at the position of the query; every other position has the label -100.

    Chances of slots are whole numbers that sum to 2^62; a slot is off by at most 2^-61 a draw, over the share of the
    slots still free. Keys and values are off by less than 2^-64 an outcome; for filler see `letters`.

    Source: Arora, Eyuboglu et al., "Zoology: measuring and improving recall in efficient language models", ICLR 2024,
    and its code (vocabulary 8192, power 0.01, lengths 64 to 512 with 4 to 64 pairs).

    Example:
        >>> task = Mqar({"vocabulary": 12, "pairs": 2, "power": 0.01, "filler": "blank"})
        >>> task.solve([2, 8, 4, 7, 0, 0, 4, 0, 2, 0])
        [-100, -100, -100, -100, -100, -100, 7, -100, 8, -100]
    """

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The task over a vocabulary.

        Raises:
            InputError: more pairs than keys.
        """
        self.pairs, self.power = parameters["pairs"], parameters["power"]
        self.blank = parameters["filler"] == "blank"
        super().__init__(parameters["vocabulary"], shortest=4 * self.pairs)
        self.keys = self.vocabulary // 2 - 1
        if self.pairs > self.keys:
            raise InputError(
                f"{self.pairs} pairs need as many keys, but a vocabulary of {self.vocabulary} has {self.keys}. "
                f"Give a vocabulary of at least {2 * self.pairs + 2} or fewer pairs."
            )

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Every length from the shortest on.

        Raises:
            TooLargeError: beyond 200,000 symbols, where the chances of slots would take long to make.
        """
        if longest > MAX_LENGTH:
            raise TooLargeError(f"Rows of {longest:,} symbols are too long here. The longest length is {MAX_LENGTH:,}.")
        return super().admits(longest)

    def _fill(self, lengths: Array, offsets: Array, streams: Words, tokens: Array, labels: Array) -> None:
        spaces, which = np.unique((lengths - 2 * self.pairs) // 2, return_inverse=True)
        masses = [_masses(self.power, int(space)) for space in spaces]
        starts = np.concatenate([[0], np.cumsum([len(mass) for mass in masses])])
        begins = offsets + 2 * self.pairs
        if not self.blank:
            filler = self.vocabulary - self.pairs
            fill_letters(filler, lengths - 2 * self.pairs, begins, lane(streams, FIRST_WORD), tokens)
        room = (
            np.arange(1, self.keys + 1),
            np.arange(self.vocabulary // 2, self.vocabulary),
            np.full(self.vocabulary, -1),
            np.empty((4, self.pairs), dtype=np.int64),
        )
        table = (np.concatenate([*masses, np.empty(0, np.int64)]), starts[which], starts[which + 1])
        pair = (lane(streams, CHOICE), lane(streams, SECOND_WORD))
        _fill(self.vocabulary - self.pairs, table, (lengths, offsets), pair, room, tokens, labels)

    def _solve(self, row: list[int]) -> list[int]:
        keys, values = row[: 2 * self.pairs : 2], row[1 : 2 * self.pairs : 2]
        if len(set(keys)) < self.pairs or not all(1 <= key <= self.keys for key in keys):
            raise InputError(f"The keys {keys[:20]} are wrong. Give different ones from 1 to {self.keys}.")
        if not all(value > self.keys for value in values):
            raise InputError(f"The values {values[:20]} are wrong. They run from {self.keys + 1} on.")
        found = dict(zip(keys, values, strict=True))
        return [IGNORED] * (2 * self.pairs) + [found.get(symbol, IGNORED) for symbol in row[2 * self.pairs :]]

    def _is_well_made(self, row: list[int]) -> bool:
        keys, rest = row[: 2 * self.pairs : 2], row[2 * self.pairs :]
        asked = [symbol for symbol in rest[: len(rest) // 2 * 2 : 2] if symbol in keys]
        return sorted(asked) == sorted(keys) and sum(symbol in keys for symbol in rest) == self.pairs

    def facts(self) -> dict[str, Any]:
        """Symbols, chance, differences from the published task."""
        return {
            "symbols": self.vocabulary,
            "keys": f"1 to {self.keys}",
            "values": f"{self.keys + 1} to {self.vocabulary - 1}",
            "smallest_length": self.shortest,
            "queries": self.pairs,
            "chance": round(1 / self.pairs, 4),
            "chance_note": f"of a guess among the {self.pairs} values of the row",
            "differences": [
                "filler is never a key of the row; there it is any symbol, so that a key may come once more unlabelled",
                "a vocabulary may be smaller than the row, and an odd length has one more position of filler",
            ],
        }


@lru_cache(maxsize=1024)
def _masses(power: float, space: int) -> Array:
    """Running sums of the chances of a row's slots, as whole numbers that end at 2^62, shape (slots,), int64.

    Example:
        >>> (_masses(1.0, 4) / MASS).tolist()
        [0.25, 0.5, 0.75, 1.0]
    """
    sums = _sums(power, 1 << max(0, space - 1).bit_length())[:space]
    return np.array([MASS * part // sums[-1] for part in sums], dtype=np.int64)


@lru_cache(maxsize=64)
def _sums(power: float, space: int) -> list[int]:
    """Running sums of r^(power - 1) for r from 1 on, in units of 10^-40."""
    with localcontext() as context:
        context.prec = 2 * _DIGITS
        scale, exponent = Decimal(10) ** _DIGITS, Decimal(power) - 1
        return list(accumulate(int(scale * Decimal(r) ** exponent) for r in range(1, space + 1)))


@kernel
def _choose(pool: Array, streams: Words, row: int, first: int, swaps: Array, out: Array) -> None:
    """Different members of a pool, one after the other, by a shuffle that is undone; counters from `first` on."""
    for i in range(len(out)):
        j = i + draw_below(streams, row, first + i, len(pool) - i)
        pool[i], pool[j] = pool[j], pool[i]
        out[i], swaps[i] = pool[i], j
    for i in range(len(out) - 1, -1, -1):
        j = swaps[i]
        pool[i], pool[j] = pool[j], pool[i]


@kernel
def _free_slot(masses: Array, taken: Array, count: int, draw: int) -> int:
    """The slot that a draw below the free mass falls into; `taken` holds so many slots, rising."""
    for i in range(count):
        slot = taken[i]
        before = masses[slot - 1] if slot > 0 else 0
        if draw < before:
            break
        draw += masses[slot] - before
    return int(np.searchsorted(masses, draw, side="right"))


@kernel
def _fill(
    instead: int,
    table: tuple[Array, Array, Array],
    rows: tuple[Array, Array],
    streams: tuple[Words, Words],
    room: tuple[Array, Array, Array, Array],
    tokens: Array,
    labels: Array,
) -> None:
    """Row after row: pairs, queries, and filler that is no key.

    Choices take word 0 to choose a length, and from 1 on the keys and values. Filler was drawn from the first V - N
    symbols; where it is the i-th key, it becomes the i-th of the last N symbols, which are values.
    """
    all_masses, starts, ends = table
    lengths, offsets = rows
    keys, values, number, scratch = room
    pairs = scratch.shape[1]
    for row in range(len(lengths)):
        first, begin = offsets[row], offsets[row] + 2 * pairs
        _choose(keys, streams[0], row, 1, scratch[0], scratch[1])
        _choose(values, streams[0], row, 1 + pairs, scratch[0], scratch[2])
        for i in range(pairs):
            number[scratch[1, i]] = i
            tokens[first + 2 * i], tokens[first + 2 * i + 1] = scratch[1, i], scratch[2, i]
        for place in range(begin, first + lengths[row]):
            if number[tokens[place]] >= 0:
                tokens[place] = instead + number[tokens[place]]
        masses, free, taken = all_masses[starts[row] : ends[row]], MASS, scratch[3]
        for i in range(pairs):
            slot = _free_slot(masses, taken, i, draw_below(streams[1], row, i, free))
            free -= masses[slot] - (masses[slot - 1] if slot > 0 else 0)
            tokens[begin + 2 * slot], labels[begin + 2 * slot] = scratch[1, i], scratch[2, i]
            j = i
            while j > 0 and taken[j - 1] > slot:
                taken[j] = taken[j - 1]
                j -= 1
            taken[j] = slot
        for i in range(pairs):
            number[scratch[1, i]] = -1
