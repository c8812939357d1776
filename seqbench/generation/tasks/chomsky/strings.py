"""Reverse, double, sort, sift a word, or find its missing symbol: inputs are independent uniform symbols."""

import math
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from seqbench.algebra.parameters import Parameter
from seqbench.generation.streams import FIRST_WORD, SECOND_WORD, Words, below, draw64, lane
from seqbench.generation.tasks.chomsky.base import LAYOUT, SHOWN_BY, LabelTask, StringTask, digits
from seqbench.generation.tasks.chomsky.rows import Rows, blank
from seqbench.generation.tasks.chomsky.uniform import fill_uniform
from seqbench.generation.tasks.task import Kind
from seqbench.jit import kernel

Array = npt.NDArray[Any]


class WordTask(StringTask):
    """A task from words of independent uniform symbols to words."""

    domain: ClassVar[str] = "An input is any word over the alphabet."

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The task over so many symbols."""
        self.symbols = parameters["symbols"]
        self.alphabet = self.outputs = digits(self.symbols)
        super().__init__(parameters)

    def inputs(self, lengths: Array, streams: Words) -> Rows:
        """Independent uniform symbols."""
        rows = blank(lengths)
        fill_uniform(self.symbols, lengths, rows.offsets[:-1], lane(streams, FIRST_WORD), rows.tokens)
        return rows

    def output_lengths(self, lengths: Array) -> Array:
        """As many symbols as the input."""
        return lengths

    def own_facts(self) -> dict[str, Any]:
        """Every output symbol is uniform."""
        return {"symbols": self.symbols, "chance": 1 / self.symbols}


class Reverse(WordTask):
    """A word of independent uniform symbols, and the same word backwards.

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> Reverse({"symbols": 2, "layout": "separate"}).solve("1101")
        [1, 0, 1, 1]
    """

    def answer(self, rows: Rows) -> tuple[Rows, Array]:
        """Every word backwards."""
        out = np.empty_like(rows.tokens)
        _reverse(rows.tokens, rows.offsets, out)
        return Rows(out, rows.offsets), rows.lengths

    def slow_answer(self, word: list[int]) -> list[int]:
        """Python's own reversal."""
        return word[::-1]


class Duplicate(WordTask):
    """A word w of independent uniform symbols, and ww.

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> Duplicate({"symbols": 2, "layout": "separate"}).solve("110")
        [1, 1, 0, 1, 1, 0]
    """

    def output_lengths(self, lengths: Array) -> Array:
        """Twice the input's."""
        return 2 * lengths

    def answer(self, rows: Rows) -> tuple[Rows, Array]:
        """Every word twice."""
        out = np.empty(2 * len(rows.tokens), np.uint8)
        _duplicate(rows.tokens, rows.offsets, out)
        return Rows(out, 2 * rows.offsets), 2 * rows.lengths

    def slow_answer(self, word: list[int]) -> list[int]:
        """Python's own repetition."""
        return word * 2


class OddsFirst(WordTask):
    """A word of independent uniform symbols; its positions 1, 3, 5, ... (counted from 0), then 0, 2, 4, ...

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> OddsFirst({"symbols": 10, "layout": "separate"}).solve("01234")
        [1, 3, 0, 2, 4]
    """

    differences: ClassVar[tuple[str, ...]] = (
        "None in the data. Where the published text and code disagree, the code is followed: odd positions come first.",
    )

    def answer(self, rows: Rows) -> tuple[Rows, Array]:
        """Every word sifted."""
        out = np.empty_like(rows.tokens)
        _odds_first(rows.tokens, rows.offsets, out)
        return Rows(out, rows.offsets), rows.lengths

    def slow_answer(self, word: list[int]) -> list[int]:
        """Python's own slices."""
        return word[1::2] + word[::2]


class BucketSort(WordTask):
    """A word of independent uniform symbols, and its symbols in rising order.

    Guessing symbol floor(k p / n) at position p of n is right far more often than chance: see `facts`.

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> BucketSort({"symbols": 5, "layout": "separate"}).solve("4021")
        [0, 1, 2, 4]
    """

    def answer(self, rows: Rows) -> tuple[Rows, Array]:
        """Every word sorted."""
        out = np.empty_like(rows.tokens)
        _sort(rows.tokens, rows.offsets, np.zeros(self.symbols, np.int64), out)
        return Rows(out, rows.offsets), rows.lengths

    def slow_answer(self, word: list[int]) -> list[int]:
        """Python's own sorting."""
        return sorted(word)

    def own_facts(self) -> dict[str, Any]:
        """Also how far the position alone goes."""
        scores = {length: round(position_score(self.symbols, length), 3) for length in (40, 500)}
        return {**super().own_facts(), "score_of_guessing_by_position": scores}


class MissingDuplicate(LabelTask):
    """A word w of floor(n/2) uniform symbols, twice, one of its positions replaced by a hole; the missing symbol.

    The position is uniform; an odd length ends with a padding symbol. Ids: symbols 0 .. k - 1, hole k, padding k + 1.

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> MissingDuplicate({"symbols": 2, "layout": "separate"}).solve(["01_1", [1, 0, 1, 2, 3]])
        [0, 0]
    """

    smallest: ClassVar[int] = 2
    domain: ClassVar[str] = (
        "An input is a word written twice with one position replaced by the hole '_', and '#' after it if the length "
        "is odd."
    )
    differences: ClassVar[tuple[str, ...]] = ("Length 1, where the published code gives a constant, has no examples.",)

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The task over so many symbols."""
        self.symbols = parameters["symbols"]
        self.label_names = digits(self.symbols)
        self.alphabet = (*self.label_names, "_", "#")
        super().__init__(parameters)

    def inputs(self, lengths: Array, streams: Words) -> Rows:
        """Doubled words with a hole."""
        rows, half = blank(lengths), lengths // 2
        fill_uniform(self.symbols, half, rows.offsets[:-1], lane(streams, FIRST_WORD), rows.tokens)
        holes = below(draw64(lane(streams, SECOND_WORD))[0], 2 * half)
        _punch(rows.offsets, holes, self.symbols, rows.tokens)
        return rows

    def answer(self, rows: Rows) -> Array:
        """The symbol in the other half."""
        holes = np.flatnonzero(rows.tokens == self.symbols)
        half = rows.lengths // 2
        second = holes - rows.offsets[:-1] >= half
        labels: Array = rows.tokens[np.where(second, holes - half, holes + half)].astype(np.int64)
        return labels

    def fault(self, word: list[int]) -> str | None:
        """Whether there is one hole in a doubled word."""
        hole, padding = self.symbols, self.symbols + 1
        half = len(word) // 2
        if word.count(hole) != 1:
            return f"it has {word.count(hole)} holes"
        if word[2 * half :] != [padding] * (len(word) % 2) or padding in word[: 2 * half]:
            return "the padding symbol '#' stands at the end of words of odd length, and only there"
        pairs = list(zip(word[:half], word[half:], strict=False))
        wrong = [place for place, pair in enumerate(pairs) if pair[0] != pair[1] and hole not in pair]
        return f"positions {wrong[0]} and {wrong[0] + half} differ" if wrong else None

    def slow(self, word: list[int]) -> Any:
        """The symbol that makes the word a doubled one."""
        whole = word[: len(word) // 2 * 2]
        for symbol in range(self.symbols):
            filled = [symbol if token == self.symbols else token for token in whole]
            if filled[: len(filled) // 2] == filled[len(filled) // 2 :]:
                return symbol
        return None

    def own_facts(self) -> dict[str, Any]:
        """The label is uniform."""
        return {"symbols": self.symbols, "chance": 1 / self.symbols}


def position_score(symbols: int, length: int) -> float:
    """How often symbol floor(k p / n) stands at position p of n sorted uniform symbols, on average over p.

    The symbol at position p is at most v where more than p of the n are.

    Example:
        >>> round(position_score(2, 2), 6)
        0.75
    """
    return sum(_chance(symbols, length, p, symbols * p // length) for p in range(length)) / length


def _chance(symbols: int, length: int, position: int, symbol: int) -> float:
    at_most = [_more(length, position, count, symbols) for count in (symbol, symbol + 1)]
    return at_most[1] - at_most[0]


def _more(length: int, position: int, favourable: int, symbols: int) -> float:
    """The chance that more than `position` of `length` uniform symbols are among so many favourable ones."""
    if favourable in (0, symbols):
        return float(favourable > 0)
    p, q = math.log(favourable / symbols), math.log(1 - favourable / symbols)
    terms = (
        math.lgamma(length + 1) - math.lgamma(m + 1) - math.lgamma(length - m + 1) + m * p + (length - m) * q
        for m in range(position + 1, length + 1)
    )
    return math.fsum(map(math.exp, terms))


@kernel
def _reverse(tokens: Array, offsets: Array, out: Array) -> None:
    for i in range(len(offsets) - 1):
        first, last = offsets[i], offsets[i + 1] - 1
        for j in range(last - first + 1):
            out[first + j] = tokens[last - j]


@kernel
def _duplicate(tokens: Array, offsets: Array, out: Array) -> None:
    for i in range(len(offsets) - 1):
        first, length = offsets[i], offsets[i + 1] - offsets[i]
        for j in range(length):
            out[2 * first + j] = tokens[first + j]
        for j in range(length):
            out[2 * first + length + j] = tokens[first + j]


@kernel
def _odds_first(tokens: Array, offsets: Array, out: Array) -> None:
    for i in range(len(offsets) - 1):
        first, length = offsets[i], offsets[i + 1] - offsets[i]
        odds = length // 2
        for j in range(odds):
            out[first + j] = tokens[first + 2 * j + 1]
        for j in range(length - odds):
            out[first + odds + j] = tokens[first + 2 * j]


@kernel
def _sort(tokens: Array, offsets: Array, counts: Array, out: Array) -> None:
    for i in range(len(offsets) - 1):
        counts[:] = 0
        for j in range(offsets[i], offsets[i + 1]):
            counts[tokens[j]] += 1
        place = offsets[i]
        for symbol in range(len(counts)):
            for _ in range(counts[symbol]):
                out[place] = symbol
                place += 1


@kernel
def _punch(offsets: Array, holes: Array, symbols: int, tokens: Array) -> None:
    """Copies first halves to second ones, sets holes and padding."""
    for i in range(len(holes)):
        first, length = offsets[i], offsets[i + 1] - offsets[i]
        half = length // 2
        for j in range(half):
            tokens[first + half + j] = tokens[first + j]
        tokens[first + holes[i]] = symbols
        if length % 2 == 1:
            tokens[first + length - 1] = symbols + 1


def _symbols(default: int) -> tuple[Parameter, ...]:
    return (Parameter("symbols", "integer", "symbols of the alphabet", 2, 250, default=default), LAYOUT)


KINDS = {
    "reverse_string": Kind(Reverse, _symbols(2), {}, SHOWN_BY),
    "duplicate_string": Kind(Duplicate, _symbols(2), {}, SHOWN_BY),
    "odds_first": Kind(OddsFirst, _symbols(2), {}, SHOWN_BY),
    "bucket_sort": Kind(BucketSort, _symbols(5), {}, SHOWN_BY),
    "missing_duplicate": Kind(MissingDuplicate, _symbols(2), {}, SHOWN_BY),
}
