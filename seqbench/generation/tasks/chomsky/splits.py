"""Exact counts of bracketed expressions by length, as thresholds for where an expression splits.

The grammar: 1 symbol d, 2 -d, 3 (d), 4 (-d), from 5 on (L op R) with |L| + |R| = n - 3. It is unambiguous, so with N(n)
expressions of length n there are ops N(l) N(n - 3 - l) that split at |L| = l; N(1) = ... = N(4) = 5. That number is the
same for l and n - 3 - l: tables keep the shorter side only, and a coin says which side it is.

Thresholds are 64-bit, from counts of 128 bits, so a choice is off by at most 2^-64 a split. In total variation a whole
expression of n symbols is off by less than n^2 2^-68: 2^-50 at length 500, 2^-46 at 2,000.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import TooLargeError
from seqbench.generation.scaled import CERTAIN, Scaled, add, ratio
from seqbench.jit import kernel

Array = npt.NDArray[Any]

DIGITS = 5
LONGEST = 30_000
NEAR = 4  # most splits have a side up to this
_ZERO = np.uint64(0)
_S32 = np.uint64(32)
_M32 = np.uint64(0xFFFFFFFF)
_TOP = np.uint64(1 << 63)
_ONE = np.uint64(1)
_S63 = np.uint64(63)


@dataclass(frozen=True, eq=False)
class Splits:
    """Thresholds of the shorter side 1 .. (n - 3) // 2 for every length n >= 5.

    Attributes:
        thresholds: uint64, rising within a length; a draw picks the first that lies above it.
        starts: where each length begins, shape (longest + 2,), int64; every length has at least NEAR places.
    """

    thresholds: Array
    starts: Array

    @property
    def longest(self) -> int:
        """The longest expression that can be drawn."""
        return len(self.starts) - 2

    def of_length(self, length: int) -> Array:
        """The thresholds of a length, shape ((length - 3) // 2,)."""
        return self.thresholds[self.starts[length] :][: (length - 3) // 2]


def make_splits(operators: int, longest: int) -> Splits:
    """The thresholds for all lengths up to the given one.

    Raises:
        TooLargeError: a length beyond 30,000.

    Example:
        >>> splits = make_splits(3, 7)  # length 7: |L| = 1 and 3 as often together as 2 and 2 would be twice
        >>> (splits.of_length(7) / 2**64).round(3).tolist()
        [0.667, 1.0]
    """
    if longest > LONGEST:
        raise TooLargeError(
            f"Uniform expressions of length {longest:,} need tables beyond 2 GiB; the longest is {LONGEST:,}. "
            "Ask for shorter ones, or use sampling='published', which has no limit."
        )
    sides = np.maximum((np.arange(longest + 1) - 3) // 2, NEAR)
    sides[:5] = 0
    starts = np.concatenate([[0], np.cumsum(sides)]).astype(np.int64)
    thresholds = np.full(starts[-1], CERTAIN)
    counts = np.zeros((longest + 1, 3), np.uint64)
    counts[1:5] = _scaled(DIGITS)
    _fill(starts, _scaled(operators), counts, np.zeros((longest + 1, 3), np.uint64), thresholds)
    return Splits(thresholds, starts)


def _scaled(number: int) -> Array:
    """A whole number as a count: high, low, exponent (see scaled)."""
    shift = 64 - number.bit_length()
    return np.array([number << shift, 0, 2**64 - 64 - shift], np.uint64)


@kernel
def wide(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The 128-bit product of two 64-bit numbers, upper and lower half."""
    middle = (a >> _S32) * (b & _M32) + ((a & _M32) * (b & _M32) >> _S32)
    crossed = (a & _M32) * (b >> _S32) + (middle & _M32)
    return (a >> _S32) * (b >> _S32) + (middle >> _S32) + (crossed >> _S32), a * b


@kernel
def times(a: Array, b: Array) -> Scaled:
    """The product of two counts, off by at most 8 parts in 2^127."""
    high, low = wide(a[0], b[0])
    for upper in (wide(a[0], b[1])[0], wide(a[1], b[0])[0]):
        low += upper
        high += np.uint64(low < upper)
    exponent = np.int64(a[2]) + np.int64(b[2]) + np.int64(128)
    if high < _TOP:
        return (high << _ONE) | (low >> _S63), low << _ONE, exponent - np.int64(1)
    return high, low, exponent


@kernel
def _fill(starts: Array, operators: Array, counts: Array, running: Array, thresholds: Array) -> None:
    """Length by length: running sums of the pairs of sides, then their shares of the whole."""
    for n in range(5, len(counts)):
        first, sides = starts[n], (n - 3) // 2
        h, lo, e = _ZERO, _ZERO, np.int64(0)
        for side in range(1, sides + 1):
            ph, pl, pe = times(counts[side], counts[n - 3 - side])
            if 2 * side != n - 3:
                pe += np.int64(1)  # as the left side and as the right one
            h, lo, e = add(h, lo, e, ph, pl, pe)
            running[side, 0], running[side, 1], running[side, 2] = h, lo, np.uint64(e)
        for side in range(1, sides + 1):
            part = running[side]
            thresholds[first + side - 1] = ratio(part[0], part[1], np.int64(part[2]), h, lo, e)
        total = running[sides]
        h, lo, e = times(total, operators)
        counts[n, 0], counts[n, 1], counts[n, 2] = h, lo, np.uint64(e)
