"""In-context recall: which value came with this key before?"""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError
from seqbench.generation.streams import CHOICE, FIRST_WORD, SECOND_WORD, Words, lane
from seqbench.generation.tasks.letters import fill_letters
from seqbench.generation.tasks.recall.rows import IGNORED, Positional, draw_below
from seqbench.jit import kernel

Array = npt.NDArray[Any]

_NOISE_STEPS = 1 << 53


class InContextRecall(Positional):
    """Pairs of a key and its value, then a key that came before: the label there is its value.

    Of the V symbols the last is the marker (queries = "last" alone), those before it are noise, and of the others the
    first half are keys and the rest values. A row has m pairs and then the key that is asked for, uniform over the keys
    that came. Each pair's key is uniform; its value is uniform where the key is new, and else the one it came with
    before. With queries = "all" (n = 2 m + 1) every key that came before has its value as the label, in the pairs too.
    With "last" (n = 2 m + 2) the marker stands before the last key, and that alone is labelled. A label stands at its
    key, where the value comes next; every other position has -100. With `noise` p a pair is two uniform noise symbols
    with probability p, but for one pair, at a uniform place, which never is.

    Each choice is off by less than 2^-64 times the number of outcomes; for symbols see `letters`.

    Source: MAD: Poli et al., "Mechanistic design and scaling of hybrid architectures", ICML 2024 (16 symbols, 128
    positions with the last value; noisy: 16 noise symbols of 32, p = 0.2).

    Example:
        >>> task = InContextRecall({"vocabulary": 8, "queries": "all", "noise": 0.0, "noise_symbols": 0})
        >>> task.solve([1, 6, 3, 4, 1, 6, 3])
        [-100, -100, -100, -100, 6, -100, 4]
    """

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The task over a vocabulary.

        Raises:
            InputError: no key and value are left, or noise without symbols.
        """
        self.every, self.noise = parameters["queries"] == "all", parameters["noise"]
        super().__init__(parameters["vocabulary"], shortest=3 if self.every else 4)
        used = self.vocabulary - parameters["noise_symbols"] - (not self.every)
        if used < 2:
            raise InputError(
                f"Of {self.vocabulary} symbols {parameters['noise_symbols']} are noise: no key and value are left. "
                "Give a larger vocabulary or fewer noise_symbols."
            )
        if self.noise and not parameters["noise_symbols"]:
            raise InputError(f"noise is {self.noise}, but noise_symbols is 0. Give some noise_symbols, or noise=0.")
        self.keys, self.used, self.noise_symbols = used // 2, used, parameters["noise_symbols"]
        self.lengths_hint = f"Every {'odd' if self.every else 'even'} length from {self.shortest} on has examples."

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Every second length from the shortest on."""
        lengths = np.arange(longest + 1)
        return np.asarray((lengths >= self.shortest) & (lengths % 2 == self.every))

    def _fill(self, lengths: Array, offsets: Array, streams: Words, tokens: Array, labels: Array) -> None:
        pairs = (lengths - 1) // 2
        starts = np.cumsum(pairs) - pairs
        keys = np.empty(int(pairs.sum()), dtype=self.dtype)
        fill_letters(self.keys, pairs, starts, lane(streams, FIRST_WORD), keys)
        values = np.empty((len(lengths), self.keys), dtype=self.dtype)
        begins = np.arange(len(lengths)) * self.keys
        each = np.full(len(lengths), self.keys)
        fill_letters(self.used - self.keys, each, begins, lane(streams, SECOND_WORD), values.ravel())
        marker = -1 if self.every else self.vocabulary - 1
        _write(keys, starts, pairs, values, marker, offsets, tokens)
        if self.noise:
            threshold = round(self.noise * _NOISE_STEPS)
            _disturb(threshold, self.used, self.noise_symbols, pairs, lane(streams, CHOICE, 1), offsets, tokens)
        _ask(self.every, self.keys, pairs, values, lane(streams, CHOICE), offsets, tokens, labels)

    def _solve(self, row: list[int]) -> list[int]:
        fault = self._fault(row)
        if fault:
            raise InputError(f"The row {row[:20]} cannot be used: {fault}.")
        found: dict[int, int] = {}
        labels = [IGNORED] * len(row)
        for place in range(0, len(row) - 2, 2):
            key, value = row[place], row[place + 1]
            if key < self.keys:
                if self.every and key in found:
                    labels[place] = value
                found[key] = value
        labels[-1] = found[row[-1]]
        return labels

    def _fault(self, row: list[int]) -> str | None:
        """What is wrong with a row, or None."""
        if not self.admits(len(row))[len(row)]:
            return f"its length is {len(row)}. {self.lengths_hint[:-1]}"
        body = row[:-1] if self.every else row[:-2]
        if not self.every and row[-2] != self.vocabulary - 1:
            return f"the marker {self.vocabulary - 1} does not stand before the last key"
        found: dict[int, int] = {}
        for key, value in zip(body[::2], body[1::2], strict=True):
            is_pair = key < self.keys <= value < self.used
            is_noise = min(key, value) >= self.used and max(key, value) < self.used + self.noise_symbols
            if not is_pair and not is_noise:
                return f"{key}, {value} is no pair of a key (below {self.keys}) and a value (below {self.used})"
            if is_pair and found.setdefault(key, value) != value:
                return f"the key {key} comes with the values {found[key]} and {value}"
        return None if row[-1] in found else f"the last key {row[-1]} did not come before"

    def facts(self) -> dict[str, Any]:
        """Symbols, chance, differences from the published task."""
        return {
            "symbols": self.vocabulary,
            "keys": f"0 to {self.keys - 1}",
            "values": f"{self.keys} to {self.used - 1}",
            "smallest_length": self.shortest,
            "chance": round(1 / (self.used - self.keys), 4),
            "differences": [
                "Training rows have the labels of test rows; there every next symbol is a target in training.",
                "The place that never is noise is one of the row's pairs; there it may be the last key's.",
            ],
        }


@kernel
def _write(keys: Array, starts: Array, pairs: Array, values: Array, marker: int, offsets: Array, tokens: Array) -> None:
    """The pairs and, where there is one, the marker."""
    first_value = values.shape[1]
    for row in range(len(pairs)):
        place = offsets[row]
        for i in range(pairs[row]):
            key = keys[starts[row] + i]
            tokens[place], tokens[place + 1] = key, first_value + values[row, key]
            place += 2
        if marker >= 0:
            tokens[place] = marker


@kernel
def _disturb(
    threshold: int, first: int, symbols: int, pairs: Array, streams: Words, offsets: Array, tokens: Array
) -> None:
    """Some pairs become noise; never the one at a uniform place."""
    for row in range(len(pairs)):
        kept = draw_below(streams, row, 0, pairs[row])
        for i in range(pairs[row]):
            if i != kept and draw_below(streams, row, 3 * i + 1, _NOISE_STEPS) < threshold:
                for j in range(2):
                    tokens[offsets[row] + 2 * i + j] = first + draw_below(streams, row, 3 * i + 2 + j, symbols)


@kernel
def _ask(
    every: bool, keys: int, pairs: Array, values: Array, streams: Words, offsets: Array, tokens: Array, labels: Array
) -> None:
    """The last key and the labels; draw 1 of the choices, since draw 0 may have chosen the length."""
    came, distinct = np.full(keys, -1), np.empty(keys, dtype=np.int64)
    for row in range(len(pairs)):
        count, place = 0, offsets[row]
        for _ in range(pairs[row]):
            key = np.int64(tokens[place])
            if key < keys and came[key] == row:
                if every:
                    labels[place] = keys + values[row, key]
            elif key < keys:
                came[key], distinct[count] = row, key
                count += 1
            place += 2
        if not every:
            place += 1
        asked = distinct[draw_below(streams, row, 1, count)]
        tokens[place], labels[place] = asked, keys + values[row, asked]
