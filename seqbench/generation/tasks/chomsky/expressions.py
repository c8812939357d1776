"""Bracketed expressions modulo 5: their value, or the digit that solves an equation."""

import re
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.algebra.parameters import Parameter
from seqbench.generation.streams import FIRST_WORD, SECOND_WORD, Words, below, draw64, lane, tile_buffers
from seqbench.generation.tasks.chomsky import derive
from seqbench.generation.tasks.chomsky.base import LAYOUT, SHOWN_BY, LabelTask, digits
from seqbench.generation.tasks.chomsky.derive import MODULUS
from seqbench.generation.tasks.chomsky.rows import Rows, offsets_of
from seqbench.generation.tasks.chomsky.splits import Splits, make_splits
from seqbench.generation.tasks.task import Kind

Array = npt.NDArray[Any]

_ROLES = {
    **dict.fromkeys("01234", derive.DIGIT),
    "+": derive.PLUS,
    "-": derive.MINUS,
    "*": derive.TIMES,
    "(": derive.OPEN,
    ")": derive.CLOSE,
    "x": derive.UNKNOWN,
    "=": derive.OTHER,
}
_GRAMMAR = "1 symbol d, 2 -d, 3 (d), 4 (-d), longer (L op R), where d is a digit 0 to 4"
_UNIFORM = (
    "Expressions are uniform over all of their length, by counting; sampling='published' draws |L| uniformly at every "
    "level, as the published code does."
)


class ExpressionTask(LabelTask):
    """A task over expressions of exact length.

    Attributes:
        operators: number of operators.
    """

    operators: ClassVar[int]
    label_names = digits(MODULUS)

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The task with one of the two laws of expressions."""
        super().__init__(parameters)
        self.uniform = parameters["sampling"] == "uniform"
        self.roles = np.array([_ROLES[symbol] for symbol in self.alphabet])
        self._splits: Splits | None = None

    def splits(self, longest: int) -> Splits:
        """Thresholds up to a length at least; empty ones where the law needs none."""
        if not self.uniform:
            return Splits(np.zeros(0, np.uint64), np.zeros(2, np.int64))
        if self._splits is None or self._splits.longest < longest:
            self._splits = make_splits(self.operators, longest)
        return self._splits

    def expressions(self, lengths: Array, room: int, streams: Words) -> tuple[Rows, Array]:
        """Expressions of these lengths, each followed by so many zeros, and their values modulo 5."""
        longest = int(lengths.max(initial=1))
        splits, places = self.splits(longest), offsets_of((lengths + 3) // 4)  # one choice for every digit and pair
        words, (nodes, leaves) = np.empty(places[-1], np.uint64), np.empty((2, places[-1]), np.uint8)
        choices = words, nodes, leaves
        derive.fill_choices(places, self.operators, lane(streams, FIRST_WORD), tile_buffers(), choices)
        offsets = offsets_of(lengths + room)
        tokens, results = np.empty(offsets[-1] + 4, np.uint8), np.empty(len(lengths), np.int64)
        derive.spell(
            (lengths, offsets[:-1]),
            (splits.thresholds, splits.starts),
            self.uniform,
            (places, *choices),
            self._symbols(),
            (np.empty(longest + 2, np.int64), np.empty(longest + 2, np.int64)),
            tokens,
            results,
        )
        return Rows(tokens[:-4], offsets), results

    def _symbols(self) -> tuple[Array, Array, int, int]:
        minus, opening, closing = self._id("-"), self._id("("), self._id(")")
        shapes = [[], [0], [minus, 0], [opening, 0, closing], [opening, minus, 0, closing]]
        padded = np.array([shape + [0] * (4 - len(shape)) for shape in shapes], np.uint8)
        return padded, np.array([0, 0, 1, 1, 2]), opening, closing

    def _id(self, symbol: str) -> int:
        return self.alphabet.index(symbol)

    def values(self, tokens: Array, firsts: Array, lasts: Array) -> Array:
        """Constant, factor of the unknown, and place of the first fault of expressions, shape (n, 3)."""
        longest = int((lasts - firsts).max(initial=1))
        values = np.empty((len(firsts), 3), np.int64)
        frames = np.zeros((longest + 1, 3), np.int64)
        derive.evaluate(tokens, firsts, lasts, self.roles, frames, np.zeros(2, np.int64), values)
        return values

    def parse(self, word: list[int]) -> str | None:
        """What is wrong with an expression, or None."""
        values = self.values(np.array(word, np.uint8), np.array([0]), np.array([len(word)]))
        place = int(values[0, 2])
        return None if place < 0 else f"position {place} does not fit the grammar"


class Brackets(ExpressionTask):
    """An expression with brackets over 0-4, +, -, *, and its value modulo 5.

    The grammar of lengths: 1 d; 2 -d; 3 (d); 4 (-d); else (L op R). Ids: digits 0-4, + 5, - 6, * 7, ( 8, ) 9.
    With sampling="uniform" all expressions of a length are alike (error in splits.py); with "published" |L| is uniform
    in 1 .. n - 4 at every level. Operators and digits are uniform in both, with a bias below 2^-58.

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> Brackets({"layout": "separate", "sampling": "uniform"}).solve(["((-2)*(4+4))", "-1"])
        [4, 4]
    """

    operators: ClassVar[int] = 3
    alphabet = tuple("01234+-*()")
    domain: ClassVar[str] = f"An input is a bracketed expression: {_GRAMMAR}."
    differences: ClassVar[tuple[str, ...]] = (_UNIFORM,)

    def examples(self, lengths: Array, streams: Words) -> tuple[Rows, dict[str, pa.Array]]:
        """Expressions and their values."""
        rows, values = self.expressions(lengths, 0, streams)
        return rows, self.columns_of(values)

    def answer(self, rows: Rows) -> Array:
        """Their values."""
        return self.values(rows.tokens, rows.offsets[:-1], rows.offsets[1:])[:, 0]

    def fault(self, word: list[int]) -> str | None:
        """Whether the word is in the grammar."""
        return self.parse(word)

    def slow(self, word: list[int]) -> Any:
        """The value by rewriting of text."""
        return rewrite("".join(self.alphabet[token] for token in word))

    def own_facts(self) -> dict[str, Any]:
        """How often the value is 0, the most frequent one, at some lengths."""
        return {"chance": {length: round(self._zero(length), 3) for length in (1, 9, 40, 500)}}

    def _zero(self, longest: int) -> float:
        """The chance of value 0 at a length; the other values are alike, by symmetry."""
        zero = np.full(longest + 1, 0.2)
        splits = self.splits(longest)
        for n in range(5, longest + 1):
            sides = np.arange(1, n - 3)
            weights = np.full(n - 4, 1 / (n - 4)) if not self.uniform else _weights(splits, n)
            one, other = zero[sides], zero[n - 3 - sides]
            product, total = one + other - one * other, one * other + (1 - one) * (1 - other) / 4
            zero[n] = weights @ (product + 2 * total) / 3
        return float(zero[longest])


class SolveEquation(ExpressionTask):
    """An expression with one digit replaced by x, '=' and its value modulo 5; the label is that digit.

    The expression has n - 2 symbols, brackets, no '*' (the grammar of `modular_arithmetic_brackets`); x is uniform over
    its digits, so every label has chance 1/5. Ids: digits 0-4, + 5, - 6, ( 7, ) 8, x 9, = 10.

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> SolveEquation({"layout": "separate", "sampling": "uniform"}).solve("(3-(-x))=2")
        4
    """

    smallest: ClassVar[int] = 3
    operators: ClassVar[int] = 2
    alphabet = tuple("01234+-()x=")
    domain: ClassVar[str] = (
        f"An input is a bracketed expression ({_GRAMMAR}) with one digit replaced by x, '=', a digit."
    )
    differences: ClassVar[tuple[str, ...]] = (
        _UNIFORM,
        "x is uniform over the digits of the expression in both; there its place is skewed.",
        "Lengths 1 and 2, where the published code gives constants, have no examples.",
    )

    def examples(self, lengths: Array, streams: Words) -> tuple[Rows, dict[str, pa.Array]]:
        """Expressions, one digit hidden, and their values; the digits."""
        rows, values = self.expressions(lengths - 2, 2, streams)
        firsts, lasts = rows.offsets[:-1], rows.offsets[1:] - 2
        rows.tokens[lasts], rows.tokens[lasts + 1] = self._id("="), values
        counts, hidden = np.empty((2, len(lengths)), np.int64)
        derive.count_digits(rows.tokens, firsts, lasts, counts)
        which = below(draw64(lane(streams, SECOND_WORD))[0], counts)
        derive.hide(rows.tokens, firsts, which, self._id("x"), hidden)
        return rows, self.columns_of(hidden)

    def answer(self, rows: Rows) -> Array:
        """The digits that solve them: the factor of x is 1 or -1, its own inverse."""
        lasts = rows.offsets[1:] - 2
        values = self.values(rows.tokens, rows.offsets[:-1], lasts)
        rights: Array = rows.tokens[lasts + 1].astype(np.int64)
        return (rights - values[:, 0]) * values[:, 1] % MODULUS

    def fault(self, word: list[int]) -> str | None:
        """Whether it is an equation with one x."""
        unknown, equals = self._id("x"), self._id("=")
        if word.count(unknown) != 1:
            return f"it has {word.count(unknown)} symbols x"
        if word[-2] != equals or word.count(equals) != 1 or word[-1] >= MODULUS:
            return "it does not end with '=' and a digit"
        return self.parse(word[:-2])

    def slow(self, word: list[int]) -> Any:
        """The one digit that makes both sides equal, by trying all."""
        text = "".join(self.alphabet[token] for token in word[:-2])
        right = [digit for digit in range(MODULUS) if rewrite(text.replace("x", str(digit))) == word[-1]]
        return right[0] if len(right) == 1 else None

    def own_facts(self) -> dict[str, Any]:
        """The digit is uniform."""
        return {"chance": 1 / MODULUS}


def _weights(splits: Splits, length: int) -> Array:
    """The chance of each length of the left side, shape (length - 4,)."""
    half = np.diff(splits.of_length(length) / 2**64, prepend=0) / 2
    weights = np.zeros(length - 4)
    weights[: len(half)] += half
    weights[len(weights) - len(half) :] += half[::-1]
    return weights


def rewrite(text: str) -> int | None:
    """The value of a bracketed expression modulo 5 by rewriting innermost brackets; None if it is none.

    Example:
        >>> rewrite("((-2)*(4+4))"), rewrite("((1))")
        (4, None)
    """
    side = "(-?[0-4]|[a-e])"  # letters are values of brackets
    once = re.compile(rf"\((?:(-?[0-4])|{side}([-+*]){side})\)")
    before = ""
    while before != text:
        before, text = text, once.sub(_letter, text)
    return _side(text) if re.fullmatch(side, text) else None


def _side(text: str) -> int:
    return "abcde".index(text) if text in "abcde" else int(text) % MODULUS


def _letter(match: re.Match[str]) -> str:
    leaf, one, operator, other = match.groups()
    if leaf:
        return "abcde"[_side(leaf)]
    left, right = _side(one), _side(other)
    return "abcde"[{"+": left + right, "-": left - right, "*": left * right}[operator] % MODULUS]


_SAMPLING = Parameter(
    "sampling",
    "choice",
    "the law of expressions: all of a length alike, or |L| uniform at every level",
    default="uniform",
    choices=("uniform", "published"),
)
KINDS = {
    "modular_arithmetic_brackets": Kind(Brackets, (_SAMPLING, LAYOUT), {}, SHOWN_BY),
    "solve_equation": Kind(SolveEquation, (_SAMPLING, LAYOUT), {}, SHOWN_BY),
}
