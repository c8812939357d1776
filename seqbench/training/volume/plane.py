"""Checks of sin, whose values depend on places, so that A moves in the plane.

With x_j(w) = exp(ln(n) q . k_j), the weight before it is normalised, place j with the bit w adds to the sum of unit i

    x_j(w) (W_1 v_j(w) + b_1)_i,

and to the last sum x_j(w) times the constant of the readout. The margin of 1 over 0, times all weights of the word, is
sum_i gain_i relu(sum_i) + sum_constant: convex or concave pieces of linear sums over places. Over all words of one
label each sum has a least and a greatest value, and between these a relu lies under its chord and over a line through
0. That bounds the margin by one linear sum, whose greatest value is exact: a proof where it is below 0, and its word
an attack where it is not (as in CROWN: Zhang, Weng, Chen, Hsieh, Daniel, NeurIPS 2018). What neither settles is
decided word by word up to n = 16, and counts as undecided beyond.
"""

import numpy as np

from seqbench.jit import kernel
from seqbench.training.volume.hard import tally, wrong_share
from seqbench.training.volume.segment import falling
from seqbench.training.volume.verdicts import FIRST, INDEX, MAJORITY, PARITY, RIGHT, UNDECIDED, WRONG, Array

EXHAUSTIVE = 16  # bits of a word up to which all words are looked at
ROUNDING = 1e-12  # of all that a bound adds up: closer to 0 its sign may be that of a rounding error

_QUERY, _KEY, _VALUE = 0, 10, 20  # where the maps from 4 features to 2 begin: weights by rows, then biases


@kernel
def affine(theta: Array, start: int, row: int, bit: int, wave: Array) -> float:
    """A row of an affine map of [e_bit; sin; cos]; bit -1 stands for [0; 0; sin; cos]."""
    total = theta[start + 8 + row] + theta[start + 4 * row + 2] * wave[0] + theta[start + 4 * row + 3] * wave[1]
    return total + (theta[start + 4 * row + bit] if bit >= 0 else 0.0)


@kernel
def fill(theta: Array, asked: int, rows: Array, gains: Array) -> None:
    """Rows, shape (hidden + 2, n, 2), of an index (0 for none), and gains, shape (hidden,).

    By place and bit: what every unit reads, then the constant of the readout, then the logarithm of the weight.
    """
    hidden, n = rows.shape[0] - 2, rows.shape[1]
    rise, query, wave = _VALUE + 10, np.empty(2), np.zeros(2)
    fall = rise + 3 * hidden
    if asked:
        wave[0], wave[1] = np.sin(asked), np.cos(asked)
    for i in range(2):
        query[i] = affine(theta, _QUERY, i, -1, wave)
    for j in range(n):
        wave[0], wave[1] = np.sin(j + 1), np.cos(j + 1)
        for bit in range(2):
            score = query[0] * affine(theta, _KEY, 0, bit, wave) + query[1] * affine(theta, _KEY, 1, bit, wave)
            rows[hidden + 1, j, bit] = np.log(n) * score
            x, y = affine(theta, _VALUE, 0, bit, wave), affine(theta, _VALUE, 1, bit, wave)
            for i in range(hidden):
                rows[i, j, bit] = theta[rise + 2 * i] * x + theta[rise + 2 * i + 1] * y + theta[rise + 2 * hidden + i]
    rows[hidden] = theta[fall + 2 * hidden + 1] - theta[fall + 2 * hidden]
    for i in range(hidden):
        gains[i] = theta[fall + hidden + i] - theta[fall + i]


@kernel
def margin_of(rows: Array, gains: Array, word: Array) -> float:
    """The margin of 1 over 0 of a word of bits, shape (n,).

    Weights are relative to the greatest of this word: beside that of another word all of them might vanish.
    """
    hidden, n, peak, whole = len(gains), len(word), -np.inf, 0.0
    weights = np.empty(n)
    for j in range(n):
        weights[j] = rows[-1, j, word[j]]
        peak = max(peak, weights[j])
    for j in range(n):
        weights[j] = np.exp(weights[j] - peak)
        whole += weights[j]
    total = rows[hidden, 0, 0]
    for i in range(hidden):
        row = 0.0
        for j in range(n):
            row += weights[j] * rows[i, j, word[j]]
        total += gains[i] * max(row / whole, 0.0)
    return float(total)


@kernel
def tally_plane(rows: Array, gains: Array, task: int, asked: int, sums: Array) -> None:
    """Hard words: as for the models on a segment, with places by falling and by rising weight of a zero."""
    n = rows.shape[1]
    word = np.zeros(n, np.int64)
    if task in (FIRST, INDEX):
        for label in (1, 0):
            word[:] = 1 - label
            word[asked - 1] = label
            tally(margin_of(rows, gains, word), label, sums)
        return
    ordered = falling(rows[-1, :, 0])
    for bound in ordered:
        for turn in range(2):
            ones = 0
            for j in range(n):
                word[j] = rows[-1, j, 0] <= bound if turn else rows[-1, j, 0] >= bound
                ones += word[j]
            tally(margin_of(rows, gains, word), ones % 2 if task == PARITY else 2 * ones > n, sums)


@kernel
def hard_plane(theta: Array, task: int, n: int, quick: bool, rows: Array, gains: Array) -> float:
    """The wrong share of the margins of a few words, as `hard_words` for the models on a segment.

    Quick: 1 where a constant word is wrong.
    """
    sums = np.zeros(2)
    for asked in range(1, n + 1 if task == INDEX else 2):
        fill(theta, asked if task == INDEX else 0, rows, gains)
        for bit in range(1 if task == PARITY else 2):
            tally(margin_of(rows, gains, np.full(n, bit)), bit, sums)
        if quick and sums[0] > 0:
            return 1.0
        tally_plane(rows, gains, task, asked, sums)
    return wrong_share(sums)


@kernel
def every_plane(theta: Array, task: int, n: int, rows: Array, gains: Array) -> int:
    """Whether all words are right, for parameters whose hard words are."""
    found = RIGHT
    for asked in range(1, n + 1 if task == INDEX else 2):
        fill(theta, asked if task == INDEX else 0, rows, gains)
        for label in range(2):
            verdict = bounded(rows, gains, task, asked - 1, label)
            if verdict == UNDECIDED and n <= EXHAUSTIVE:
                verdict = each_plane(rows, gains, task, asked - 1)
            if verdict == WRONG:
                return WRONG
            found = max(found, verdict)
    return found


@kernel
def bounded(rows: Array, gains: Array, task: int, own: int, label: int) -> int:
    """Whether all words of a label are right, by the linear bound and the word at which it is greatest."""
    if task == PARITY:
        return UNDECIDED
    hidden, n, parts = len(gains), rows.shape[1], weighted(rows)
    sign = 1.0 if label == 0 else -1.0
    most = (n - 1) // 2 if task == MAJORITY else n
    total, size, slopes, change = 0.0, 0.0, np.zeros(n), np.zeros(n)
    for i in range(hidden + 1):
        base = 0.0
        for j in range(n):
            base += parts[i, j, label]
            change[j] = 0.0 if task != MAJORITY and j == own else parts[i, j, 1 - label] - parts[i, j, label]
        slope, lift, factor = 1.0, 0.0, sign
        if i < hidden:
            factor = sign * gains[i]
            slope, lift = line_over(base + greatest(change, most, 1.0), base - greatest(change, most, -1.0), factor)
        total += factor * (slope * base + lift)
        size += abs(factor) * np.abs(parts[i]).sum()
        for j in range(n):
            slopes[j] += factor * slope * change[j]
    if total + greatest(slopes, most, 1.0) < -ROUNDING * size:
        return RIGHT
    return WRONG if sign * margin_of(rows, gains, attack(slopes, most, label)) >= 0 else UNDECIDED


@kernel
def weighted(rows: Array) -> Array:
    """What every place with every bit adds to the sums of the units and of the constant, shape (hidden + 1, n, 2)."""
    parts, weights = rows[:-1].copy(), np.exp(rows[-1] - rows[-1].max())
    for i in range(len(parts)):
        parts[i] *= weights
    return parts


@kernel
def attack(slopes: Array, most: int, label: int) -> Array:
    """The word at which a linear sum over its changed bits, so many at most, is greatest."""
    n = len(slopes)
    word = np.full(n, label)
    bound = falling(slopes)[min(most, n) - 1] if most else np.inf
    for j in range(n):
        if slopes[j] >= bound and slopes[j] > 0 and most:
            word[j] = 1 - label
            most -= 1
    return word


@kernel
def line_over(high: float, low: float, gain: float) -> tuple[float, float]:
    """Slope and lift of a line that bounds gain * relu from above between two values."""
    if low >= 0:
        return 1.0, 0.0
    if high <= 0:
        return 0.0, 0.0
    if gain > 0:
        return high / (high - low), -low * high / (high - low)
    return (1.0 if high > -low else 0.0), 0.0


@kernel
def greatest(values: Array, most: int, sign: float) -> float:
    """The greatest sum of at most so many of the values times the sign."""
    ordered, total = falling(values), 0.0
    for i in range(min(most, len(values))):
        total += max(ordered[i] if sign > 0 else -ordered[len(values) - 1 - i], 0.0)
    return total


@kernel
def each_plane(rows: Array, gains: Array, task: int, own: int) -> int:
    """Whether all words are right, one after the other."""
    n = rows.shape[1]
    word = np.empty(n, np.int64)
    for number in range(2**n):
        ones = 0
        for j in range(n):
            word[j] = number >> j & 1
            ones += word[j]
        label = 2 * ones > n if task == MAJORITY else ones % 2 == 1 if task == PARITY else word[own] == 1
        m = margin_of(rows, gains, word)
        if not (m > 0 if label else m < 0):
            return WRONG
    return RIGHT
