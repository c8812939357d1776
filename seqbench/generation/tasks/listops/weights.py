"""How likely the node rule is to make subtrees and lists of subtrees of each length, to 100 bits and more.

Write q and p for the chances of a digit and of an operator, A for the most arguments. With x marking tokens, subtrees
that may hold d levels have the generating function T_1 = x, T_d = q x + p x^2 / (A - 1) (T^2 + ... + T^A) with
T = T_{d-1}: an operator costs two tokens, its name and the closing bracket. Lists of k such subtrees have T_d^k.

Weights are doubled floats: the unevaluated sum of a high and a low float (Dekker, "A floating-point technique for
extending the available precision", Numerische Mathematik 18, 1971), summed as in Ogita, Rump, Oishi, "Accurate sum and
dot product", SIAM J. Sci. Comput. 26, 2005. All terms are positive, so a convolution over n terms is off by at most
n 2^-104 relative, and a weight of length n, a sum of products of at most n of them, by at most n^2 2^-104. Multiplying
every weight by t^length changes no distribution within a length; t is chosen so that weights stay far from overflow and
underflow, which is checked.
"""

import functools
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import TooLargeError
from seqbench.jit import kernel

Array = npt.NDArray[Any]
Rule = tuple[int, int, float]
"""Most arguments, most levels, chance of an operator."""

MAX_LENGTH = 10_000
TILT_LENGTH = 2000  # the weights are kept flat up to about this length
TILT_STEPS = 1 << 20
LEAST, MOST = 1e-150, 1e100  # of the weights that matter
_SPLITTER = 134217729.0  # 2^27 + 1


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights for every length up to a longest one.

    Attributes:
        high, low: of lists of k subtrees of at most d levels, shape (levels, arguments + 1, lengths), at [d, k].
        trees: of whole expressions by length, high parts, shape (lengths,); zero where there is none.
    """

    high: Array
    low: Array
    trees: Array


def weights(rule: Rule, longest: int) -> Weights:
    """The weights of a node rule for all lengths up to a longest one (and some more).

    Raises:
        TooLargeError: beyond 10,000 tokens, or where doubled floats could not hold them.

    Example:
        >>> trees = weights((2, 2, 0.25), 10).trees
        >>> np.flatnonzero(trees).tolist()  # one digit, or an operator, two digits and the bracket
        [1, 4]
    """
    if longest > MAX_LENGTH:
        raise TooLargeError(
            f"ListOps expressions of {longest:,} tokens would need too large tables. "
            f"The longest length is {MAX_LENGTH:,}."
        )
    size = 256
    while size < longest:
        size += min(size, 1024)
    made = _weights(rule, size)
    small = np.flatnonzero((made.trees[: longest + 1] > 0) & (made.trees[: longest + 1] < LEAST))
    if len(small):
        raise TooLargeError(
            f"Expressions of {longest:,} tokens with max_args {rule[0]} and max_depth {rule[1]} are too rare to be "
            f"counted. The longest length is {small[0] - 1:,}; raise max_args or max_depth for longer ones."
        )
    return made


@functools.lru_cache(maxsize=8)
def _weights(rule: Rule, longest: int) -> Weights:
    max_args, levels, chance = rule
    tilt = Fraction(_tilt(rule), TILT_STEPS)
    digit = _doubled((1 - Fraction(chance)) * tilt)
    operator = _doubled(Fraction(chance) * tilt**2 / (max_args - 1))
    high, low = np.zeros((2, levels, max_args + 1, longest + 1))
    tree = np.zeros((2, longest + 1))
    tree[:, 1] = _doubled(tilt)
    for d in range(1, levels):
        high[d, 1], low[d, 1] = tree
        for k in range(2, max_args + 1):
            convolve((high[d, 1], low[d, 1]), (high[d, k - 1], low[d, k - 1]), (high[d, k], low[d, k]))
        tree = np.zeros((2, longest + 1))
        _operator(high[d], low[d], operator, tree)
        tree[:, 1] = digit
    if max(high.max(initial=0.0), tree.max()) > MOST:
        raise TooLargeError(
            f"ListOps with max_args {max_args} and max_depth {levels} is too large to be counted. Lower either."
        )
    return Weights(high, low, tree[0])


def _tilt(rule: Rule) -> int:
    """The largest t, in steps of 2^-20, with a mean length of at most 2000 of expressions weighted by t^length."""
    low, high = 1, 4 * TILT_STEPS
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _mean_length(rule, middle / TILT_STEPS) <= TILT_LENGTH else (low, middle - 1)
    return low


def _mean_length(rule: Rule, tilt: float) -> float:
    """Mean length of expressions weighted by tilt^length: t T'(t) / T(t); huge where it cannot be told."""
    max_args, levels, chance = rule
    value, slope, share = tilt, 1.0, chance / (max_args - 1)
    for _ in range(1, levels):
        total, gain, power = 0.0, 0.0, value
        for k in range(2, max_args + 1):
            gain += k * power
            power *= value
            total += power
        slope = 1 - chance + share * (2 * tilt * total + tilt**2 * gain * slope)
        value = (1 - chance) * tilt + share * tilt**2 * total
        if value > 1e12:
            return float(MAX_LENGTH**2)
    return tilt * slope / value


def _doubled(number: Fraction) -> tuple[float, float]:
    high = float(number)
    return high, float(number - Fraction(high))


@kernel
def split(a: float) -> tuple[float, float]:
    """Two halves of a float with 26 bits each."""
    t = _SPLITTER * a
    high = t - (t - a)
    return high, a - high


@kernel
def add(ah: float, al: float, bh: float, bl: float) -> tuple[float, float]:
    """The sum of two doubled floats."""
    s = ah + bh
    z = s - ah
    low = (ah - (s - z)) + (bh - z) + (al + bl)
    high = s + low
    return high, low - (high - s)


@kernel
def multiply(ah: float, al: float, bh: float, bl: float) -> tuple[float, float]:
    """The product of two doubled floats."""
    p = ah * bh
    a1, a2 = split(ah)
    b1, b2 = split(bh)
    low = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2 + (ah * bl + al * bh)
    high = p + low
    return high, low - (high - p)


@kernel
def convolve(one: tuple[Array, Array], other: tuple[Array, Array], out: tuple[Array, Array]) -> None:
    """Writes the product of two power series with positive terms, cut off at the length of `out`."""
    high, low = out
    bh, bl = other
    last = 0
    for j in range(len(high)):
        if bh[j] != 0.0:
            last = j
    for m in range(len(high)):
        ah, al = one[0][m], one[1][m]
        if ah == 0.0:
            continue
        a1, a2 = split(ah)
        for j in range(min(len(high) - m, last + 1)):
            b = bh[j]
            p = ah * b
            t = _SPLITTER * b
            b1 = t - (t - b)
            b2 = b - b1
            error = ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2 + (ah * bl[j] + al * b)
            s = high[m + j] + p
            z = s - high[m + j]
            low[m + j] += (high[m + j] - (s - z)) + (p - z) + error
            high[m + j] = s
    for n in range(len(high)):
        s = high[n] + low[n]
        low[n] -= s - high[n]
        high[n] = s


@kernel
def _operator(high: Array, low: Array, share: tuple[float, float], tree: Array) -> None:
    """Writes the weights of expressions that begin with an operator, from those of their lists of arguments."""
    for n in range(4, tree.shape[1]):
        h, lo = 0.0, 0.0
        for k in range(2, len(high)):
            h, lo = add(h, lo, high[k, n - 2], low[k, n - 2])
        tree[0, n], tree[1, n] = multiply(h, lo, share[0], share[1])
