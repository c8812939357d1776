"""Sums, products and square roots in binary: x+y=z, x*y=z, x=z, least significant bit first, zeros at the end allowed.

Products and roots are computed one example at a time on Python's integers: no array library has integers of
10,000 bits, and rounding is what they must not do.
"""

import bisect
import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np

from seqbench.algebra.machine import Machine
from seqbench.generation.laws import LAWS
from seqbench.generation.streams import CHOICE, FIRST_WORD, SECOND_WORD, Words, below, draw64, lane
from seqbench.generation.tasks.flare.language import Array, Base, Mask, evenly, log2_accepted, log2_exact, split
from seqbench.jit import kernel

Column = tuple[int, int, int, int]

ZERO_SHARE = 16  # one product in so many has a factor of zero


class Arithmetic(Base):
    """Words of bits between marks: what the three share. The marks are the last symbols of the alphabet, in order."""

    alphabet: tuple[str, ...]
    smallest: int

    def members(self, longest: int) -> Mask:
        """Every length from the smallest on."""
        return np.arange(longest + 1) >= self.smallest

    def contains(self, tokens: Array, offsets: Array) -> Mask:
        """Well-formed words first, then the arithmetic of those."""
        marks = len(self.alphabet) - 2
        places = np.empty((len(offsets) - 1, marks), dtype=np.int64)
        inside = np.zeros(len(offsets) - 1, dtype=bool)
        _find_marks(tokens, offsets, places, inside)
        rows = np.flatnonzero(inside)
        inside[rows] = self._holds(tokens, offsets[rows], offsets[rows + 1], places[rows])
        return inside

    def _holds(self, tokens: Array, first: Array, last: Array, places: Array) -> Mask:
        numbers = (
            [_number(tokens[a:b]) for a, b in itertools.pairwise([start - 1, *marks, end]) for a in [a + 1]]
            for start, end, marks in zip(first.tolist(), last.tolist(), places.tolist(), strict=True)
        )
        return np.fromiter((self._right(*each) for each in numbers), dtype=bool, count=len(first))

    def slowly(self, word: Sequence[str]) -> bool:
        """By splitting the text and reading each part backwards in base two."""
        parts, rest = [], "".join(word)
        for mark in self.alphabet[2:]:
            part, _, rest = rest.partition(mark)
            parts.append(part)
        parts.append(rest)
        if len(word) != sum(map(len, parts)) + len(parts) - 1 or not all(p and set(p) <= {"0", "1"} for p in parts):
            return False
        return self._right(*(int(part[::-1], 2) for part in parts))

    def _right(self, *numbers: int) -> bool:
        raise NotImplementedError


@kernel
def _find_marks(tokens: Array, offsets: Array, places: Array, good: Mask) -> None:
    """Where the marks stand; good only where each stands once, in order, with bits before, between and after."""
    for i in range(len(offsets) - 1):
        found, last, fits = 0, offsets[i] - 1, True
        for place in range(offsets[i], offsets[i + 1]):
            if tokens[place] > 1:
                fits = found < places.shape[1] and tokens[place] == 2 + found and place - last > 1
                if not fits:
                    break
                places[i, found] = place
                found, last = found + 1, place
        good[i] = fits and found == places.shape[1] and offsets[i + 1] - last > 1


def _number(bits: Array) -> int:
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _bits(number: int, count: int) -> Array:
    raw = np.frombuffer(number.to_bytes(-(-count // 8), "little"), dtype=np.uint8)
    return np.unpackbits(raw, count=count, bitorder="little")


class Addition(Arithmetic):
    """x+y=z.

    The bits of x, y and z of one weight form a column; words of columns, each symbol saying whose bit it is, are a
    regular language (the state: which numbers have not ended, the carry, the column so far), so exact counts of paths
    draw them evenly; sorting the symbols of a word by whose they are gives a member, one to one.

    Example:
        >>> Addition().solve_text("11+1=001")
        True
    """

    alphabet: tuple[str, ...] = ("0", "1", "+", "=")
    shape = "aabc"
    smallest = 5
    member_law = "uniform among the members of the length"

    def __init__(self) -> None:
        """The language."""
        machine = self._columns = columns()
        self._law = LAWS["member"](machine, None, machine.outputs)

    def solve_text(self, text: str) -> bool:
        """Whether a text is a member."""
        return self.slowly(text)

    def log2_members(self, longest: int) -> Array:
        """By counting words of columns, which lack both marks."""
        counts = np.full(longest + 1, -np.inf)
        counts[2:] = log2_accepted(self._columns, longest)[: max(0, longest - 1)]
        return counts

    def propose(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> Mask:
        """Columns, taken apart."""
        begin = split(lengths - 2)
        mixed = np.empty(begin[-1], dtype=np.uint8)
        self._law.fill(lengths - 2, begin, streams, mixed)
        _take_apart(mixed, begin, offsets, out)
        return np.ones(len(lengths), dtype=bool)

    def _holds(self, tokens: Array, first: Array, last: Array, places: Array) -> Mask:
        inside = np.empty(len(first), dtype=bool)
        _adds_up(tokens, first, last, places, inside)
        return inside

    def _right(self, *numbers: int) -> bool:
        x, y, z = numbers
        return x + y == z


def columns() -> Machine:
    """The columns of sums: symbols x0, x1, y0, y1, z0, z1; a number that lacks a column has ended.

    Example:
        >>> columns().alphabet
        ('x0', 'x1', 'y0', 'y1', 'z0', 'z1')
    """

    # State: numbers that may still have bits, numbers in this column, sum so far of x, y and carry, bit of z; or None.
    def close(state: Column) -> int | None:
        """The carry after a column, None where the column is wrong."""
        _, _, total, bit = state
        return total >> 1 if total & 1 == bit else None

    def step(state: Column | None, symbol: int) -> Column | None:
        if state is None:
            return None
        owner, bit = divmod(symbol, 2)
        alive, seen, total, z = state
        if seen >> owner:  # it or a later one has had its turn: a new column begins
            carry = close(state)
            if carry is None or (alive == 8 and seen != 7):
                return None
            alive, seen, total, z = seen, 0, carry, 0
        if owner != seen.bit_count() if alive == 8 else not alive >> owner & 1:
            return None
        return alive, seen | 1 << owner, total + (bit if owner < 2 else 0), z | (bit if owner == 2 else 0)

    def accepts(state: Column | None) -> int:
        return int(state is not None and not (state[0] == 8 and state[1] != 7) and close(state) == 0)

    names = [name + bit for name in "xyz" for bit in "01"]
    start: Column | None = (8, 0, 0, 0)  # 8: the first column, which has all three
    return Machine.explore(names, start, step, accepts)


@kernel
def _take_apart(mixed: Array, begin: Array, offsets: Array, out: Array) -> None:
    for i in range(len(offsets)):
        first, last = begin[i], begin[i + 1]
        place = offsets[i]
        for owner in range(3):
            for j in range(first, last):
                if mixed[j] >> 1 == owner:
                    out[place] = mixed[j] & 1
                    place += 1
            if owner < 2:
                out[place] = 2 + owner
                place += 1


@kernel
def _adds_up(tokens: Array, first: Array, last: Array, places: Array, inside: Mask) -> None:
    for i in range(len(first)):
        x, y, z = first[i], places[i, 0] + 1, places[i, 1] + 1
        nx, ny, nz = places[i, 0] - x, places[i, 1] - y, last[i] - z
        carry, good = 0, True
        for j in range(max(nx, ny, nz)):
            total = carry
            if j < nx:
                total += tokens[x + j]
            if j < ny:
                total += tokens[y + j]
            good = (total & 1) == (tokens[z + j] if j < nz else 0)
            carry = total >> 1
            if not good:
                break
        inside[i] = good and carry == 0


class Multiplication(Arithmetic):
    """x*y=z.

    Uniform members would be sums of zeros: 0*y=0 with y as long as there is room makes up all but about 2^-(n/2) of
    them. So one member in 16 has a factor of zero: lengths of the three numbers uniform, a factor by a coin, the bits
    of the other fair. The others are uniform among the members of the length with factors above zero: the sum s of
    the factors' lengths without their padding is drawn by (s - 1) 2^(s - 2) C(p + 2, 2), where p = n - 1 - 2 s is the
    padding if the product has s - 1 bits; then their lengths and bits, all alike; where the product has s bits, the
    padding is one less, and the row is kept with probability p / (p + 2) (it is drawn again at most every second
    time or so); the padding is shared out evenly.
    """

    alphabet: tuple[str, ...] = ("0", "1", "*", "=")
    shape = "aabc"
    smallest = 5
    member_law = (
        "15 in 16 uniform among the members of the length with factors above zero, one in 16 with a factor of zero, "
        "lengths of the three numbers uniform (uniform over all members, nearly every one would be 0*y=0)"
    )

    def log2_members(self, longest: int) -> Array:
        """Those without a factor of zero."""
        return log2_exact(sum(_size_weights(n)) for n in range(longest + 1))

    def propose(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> Mask:
        """One product at a time."""
        lanes = (CHOICE, FIRST_WORD)
        draws = np.concatenate([draw64(lane(streams, each), counter) for each in lanes for counter in (0, 1)])
        noise = np.empty(int(lengths.sum()), dtype=np.uint8)
        begin = split(lengths)
        evenly(2, lengths, begin[:-1], lane(streams, SECOND_WORD), noise)
        zero = below(draws[0], ZERO_SHARE) == 0
        done = np.ones(len(lengths), dtype=bool)
        for i, n in enumerate(lengths.tolist()):
            bits = noise[begin[i] : begin[i + 1]]
            parts = _zero_product(n, draws[:, i], bits) if zero[i] else _product(n, draws[:, i], bits)
            done[i] = parts is not None
            if parts is not None:
                x, y, z = parts
                out[offsets[i] : offsets[i] + n] = np.concatenate([x, [2], y, [3], z])
        return done

    def _right(self, *numbers: int) -> bool:
        x, y, z = numbers
        return x * y == z


def _thirds(room: int, draw_a: Array, draw_b: Array) -> tuple[int, int, int]:
    """Three whole numbers from 0 on that sum to `room`, all such triples alike."""
    a, b = int(below(draw_a, room + 2)), int(below(draw_b, room + 1))
    b += b >= a
    low, high = min(a, b), max(a, b)
    return low, high - low - 1, room + 1 - high


def _zero_product(n: int, draws: Array, bits: Array) -> tuple[Array, Array, Array]:
    first, second, third = (part + 1 for part in _thirds(n - 5, draws[1], draws[2]))
    x, y = np.zeros(first, dtype=np.uint8), bits[:second]
    if int(draws[3]) >> 63:
        x, y = bits[:first], np.zeros(second, dtype=np.uint8)
    return x, y, np.zeros(third, dtype=np.uint8)


def _product(n: int, draws: Array, bits: Array) -> tuple[Array, Array, Array] | None:
    total = 2 + bisect.bisect_right(_size_thresholds(n), int(draws[1]))
    width = 1 + int(below(draws[2], total - 1))
    x = _number(bits[: width - 1]) | 1 << (width - 1)
    y = _number(bits[width - 1 : total - 2]) | 1 << (total - width - 1)
    z, room = x * y, n - 1 - 2 * total
    if z.bit_length() == total:
        if int(draws[3]) * (room + 2) >= room << 64:
            return None
        room -= 1
    pads = _thirds(room, draws[4], draws[5])
    sizes = (width, total - width, z.bit_length())
    a, b, c = (_bits(k, size + pad) for k, size, pad in zip((x, y, z), sizes, pads, strict=True))
    return a, b, c


@functools.lru_cache(maxsize=4096)
def _size_thresholds(n: int) -> list[int]:
    """Thresholds of s = 2, 3, ...: a draw below the first takes 2, and so on."""
    return _cumulative(_size_weights(n))


def _size_weights(n: int) -> list[int]:
    """How many products there are of s = 2, 3, ..."""
    return [(s - 1) * 2 ** (s - 2) * math.comb(n + 1 - 2 * s, 2) for s in range(2, (n - 1) // 2 + 1)]


def _cumulative(weights: Sequence[int]) -> list[int]:
    """The running shares of weights times 2^64, without the last, which is certain."""
    whole = sum(weights)
    return [(part << 64) // whole for part in itertools.accumulate(weights)][:-1]


class SquareRoot(Arithmetic):
    """x=z, z the square root of x rounded down.

    With k bits for z and m = n - 1 - k for x there is a member for every x below 2^min(m, 2k): k is drawn by those
    numbers, then x evenly. Its root is exact (the published code rounds through a float).
    """

    alphabet: tuple[str, ...] = ("0", "1", "=")
    shape = "aab"
    smallest = 3
    member_law = "uniform among the members of the length"

    def log2_members(self, longest: int) -> Array:
        """By the lengths of the root."""
        return log2_exact(sum(_root_weights(n)) for n in range(longest + 1))

    def propose(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> Mask:
        """One root at a time."""
        draws = draw64(lane(streams, CHOICE))
        evenly(2, lengths, offsets, lane(streams, FIRST_WORD), out)
        for i, n in enumerate(lengths.tolist()):
            word = out[offsets[i] : offsets[i] + n]
            k = 1 + bisect.bisect_right(_root_thresholds(n), int(draws[0, i]))
            m = n - 1 - k
            word[min(m, 2 * k) : m] = 0
            word[m] = 2
            word[m + 1 :] = _bits(math.isqrt(_number(word[:m])), k)
        return np.ones(len(lengths), dtype=bool)

    def _right(self, *numbers: int) -> bool:
        x, z = numbers
        return z * z <= x < (z + 1) ** 2


@functools.lru_cache(maxsize=4096)
def _root_thresholds(n: int) -> list[int]:
    return _cumulative(_root_weights(n))


def _root_weights(n: int) -> list[int]:
    """How many numbers have a root of k = 1, 2, ... bits."""
    return [1 << min(n - 1 - k, 2 * k) for k in range(1, n - 1)]
