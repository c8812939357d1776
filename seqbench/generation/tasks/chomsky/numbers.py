"""Arithmetic of binary numbers: sum and product (little endian), square root (big endian), of any size."""

import math
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from seqbench.generation.streams import FIRST_WORD, SECOND_WORD, Words, below, draw64, lane
from seqbench.generation.tasks.chomsky import bits
from seqbench.generation.tasks.chomsky.base import LAYOUT, SHOWN_BY, StringTask
from seqbench.generation.tasks.chomsky.rows import Rows, blank
from seqbench.generation.tasks.task import Kind
from seqbench.generation.words import fill_fair

Array = npt.NDArray[Any]

OPERATOR, END = 2, 2

_OPERANDS = (
    "Operands are uniform over all words of bits of their size: zero and all ones are drawn, the published code never "
    "draws zero, nor all ones at sizes up to 2."
)


class TwoOperands(StringTask):
    """Two binary operands of a together given length, and the result of an operation.

    The first operand's size is uniform in 1 .. n - 2, all bits are fair.
    """

    smallest: ClassVar[int] = 3
    masked: ClassVar[bool] = True
    outputs = ("0", "1", "$")

    def inputs(self, lengths: Array, streams: Words) -> Rows:
        """Fair bits with an operator among them."""
        rows = blank(lengths)
        fill_fair(1, lengths, rows.offsets[:-1], lane(streams, FIRST_WORD), rows.tokens)
        sizes = 1 + below(draw64(lane(streams, SECOND_WORD))[0], lengths - 2)
        rows.tokens[rows.offsets[:-1] + sizes] = OPERATOR
        return rows

    def fault(self, word: list[int]) -> str | None:
        """Whether one operator stands between two operands."""
        if word.count(OPERATOR) != 1:
            return f"it has {word.count(OPERATOR)} operators"
        return "an operand is missing" if OPERATOR in (word[0], word[-1]) else None

    def slow_operands(self, word: list[int]) -> tuple[int, int]:
        """The operands as Python integers."""
        cut = word.index(OPERATOR)
        return _little(word[:cut]), _little(word[cut + 1 :])

    def own_facts(self) -> dict[str, Any]:
        """A guessed bit is right half the time."""
        return {"chance": 0.5, "chance_note": "of a bit that counts; the end symbol can be placed by its position only"}


class Addition(TwoOperands):
    """Two binary operands, least significant bit first; their sum without leading zeros, an end symbol, zeros.

    Ids: bits 0 and 1, '+' 2; the end symbol of the output is 2 ('$' as text) and the last that counts; the output has
    n + 1 symbols. The sum 0 is written 0. The first operand's size is uniform in 1 .. n - 2, all bits are fair.

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> Addition({"layout": "separate"}).solve("11+01")  # 3 + 2 = 5
        [1, 0, 1, 2, 0, 0]
    """

    alphabet = ("0", "1", "+")
    domain: ClassVar[str] = "An input is two words of bits with '+' (id 2) between them."
    differences: ClassVar[tuple[str, ...]] = (_OPERANDS,)

    def output_lengths(self, lengths: Array) -> Array:
        """One more than the input's."""
        return lengths + 1

    def answer(self, rows: Rows) -> tuple[Rows, Array]:
        """The sums."""
        out, counts = blank(rows.lengths + 1), np.empty(len(rows.lengths), np.int64)
        bits.add(rows.tokens, rows.offsets, out.tokens, out.offsets, counts)
        return out, counts

    def slow_answer(self, word: list[int]) -> list[int]:
        """Python's own sum."""
        return [*map(int, f"{sum(self.slow_operands(word)):b}"[::-1]), END]


class Multiplication(TwoOperands):
    """Two binary operands, least significant bit first; their product without leading zeros, an end symbol, zeros.

    Ids: bits 0 and 1, '*' 2; the end symbol of the output is 2 ('$' as text) and the last that counts; the output has
    n symbols. The product 0 is written 0. The first operand's size is uniform in 1 .. n - 2, all bits are fair.

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> Multiplication({"layout": "separate"}).solve("11*011")  # 3 * 6 = 18
        [0, 1, 0, 0, 1, 2]
    """

    alphabet = ("0", "1", "*")
    domain: ClassVar[str] = "An input is two words of bits with '*' (id 2) between them."
    differences: ClassVar[tuple[str, ...]] = (_OPERANDS, "Products of any size are right; there, 32 bits overflow.")

    def output_lengths(self, lengths: Array) -> Array:
        """The input's."""
        return lengths

    def answer(self, rows: Rows) -> tuple[Rows, Array]:
        """The products."""
        out, counts = blank(rows.lengths), np.empty(len(rows.lengths), np.int64)
        limbs = np.zeros((3, int(rows.lengths.max(initial=0)) // bits.LIMB + 2), np.uint64)
        bits.multiply(rows.tokens, rows.offsets, limbs, out.tokens, counts)
        return out, counts

    def slow_answer(self, word: list[int]) -> list[int]:
        """Python's own product."""
        one, other = self.slow_operands(word)
        return [*map(int, f"{one * other:b}"[::-1]), END]


class SquareRoot(StringTask):
    """A binary number of n fair bits, most significant first; the ceil(n/2) bits of its root, rounded down.

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> SquareRoot({"layout": "separate"}).solve("11010")  # 26, root 5
        [1, 0, 1]
    """

    alphabet = outputs = ("0", "1")
    domain: ClassVar[str] = "An input is any word of bits."
    differences: ClassVar[tuple[str, ...]] = ("All numbers of n bits are drawn alike, zero and all ones too.",)

    def inputs(self, lengths: Array, streams: Words) -> Rows:
        """Fair bits."""
        rows = blank(lengths)
        fill_fair(1, lengths, rows.offsets[:-1], lane(streams, FIRST_WORD), rows.tokens)
        return rows

    def output_lengths(self, lengths: Array) -> Array:
        """Half the input's, rounded up."""
        return (lengths + 1) // 2

    def answer(self, rows: Rows) -> tuple[Rows, Array]:
        """The roots: numbers up to 64 bits in a kernel, longer ones by `math.isqrt`.

        That loops over rows, for it takes divisions of long numbers: a kernel that finds bit after bit needs quadratic
        time and is ten times slower at 10,000 bits.
        """
        out = blank((rows.lengths + 1) // 2)
        bits.small_roots(rows.tokens, rows.offsets, out.tokens, out.offsets)
        for row in np.flatnonzero(rows.lengths > bits.WORD).tolist():
            source = rows.tokens[rows.offsets[row] : rows.offsets[row + 1]]
            target = out.tokens[out.offsets[row] : out.offsets[row + 1]]
            spare = -len(source) % 8
            root = math.isqrt(int.from_bytes(np.packbits(source).tobytes(), "big") >> spare)
            target[:] = _big_endian(root, len(target))
        return out, out.lengths

    def slow_answer(self, word: list[int]) -> list[int]:
        """The greatest number of so many bits whose square is not above, found bit by bit."""
        number, root = int("".join(map(str, word)), 2), 0
        places = (len(word) + 1) // 2
        for place in reversed(range(places)):
            if (root | 1 << place) ** 2 <= number:
                root |= 1 << place
        return [*map(int, f"{root:0{places}b}")]

    def own_facts(self) -> dict[str, Any]:
        """A guessed bit is right half the time, but leading bits are not fair."""
        return {"chance": 0.5, "chance_note": "of the low bits; the leading bits of a root are more often 1"}


def _big_endian(number: int, size: int) -> Array:
    spare = -size % 8
    return np.unpackbits(np.frombuffer(number.to_bytes((size + spare) // 8, "big"), np.uint8))[spare:]


def _little(word: list[int]) -> int:
    return int("".join(map(str, reversed(word))), 2)


KINDS = {
    "binary_addition": Kind(Addition, (LAYOUT,), {}, SHOWN_BY),
    "binary_multiplication": Kind(Multiplication, (LAYOUT,), {}, SHOWN_BY),
    "compute_sqrt": Kind(SquareRoot, (LAYOUT,), {}, SHOWN_BY),
}
