"""Exact checks of the models whose attention mixes two values only: A lies on the segment from v_0 to v_1.

With the weight t that the ones get, A = v_0 + t (v_1 - v_0), and the margin of 1 over 0 is a piecewise linear function
of that one number, with a kink where a unit of the readout turns on:

    g(t) = sum_i gain_i relu(offset_i + slope_i t) + constant

Words whose label is 0 are the all-zero word with ones put in at free places: t is a sum of weights of free places, at
most `most` of them. Words of label 1 are the same with the bits exchanged, and with f(s) = -g(1 - s) in place of g. So
a model is right exactly if no such sum meets the closed set on which f >= 0, a few spans that the kinks give.

FIRST and INDEX leave every place but the asked one free; MAJORITY all places, at most (n - 1) / 2 of them. Scores of
pos and norm do not depend on bits, so the weights of places are given. Those of gen depend on the bit alone: there t
is a function of the number of ones.
"""

import numpy as np

from seqbench.jit import kernel
from seqbench.training.volume.verdicts import (
    GEN,
    INDEX,
    MAJORITY,
    NORM,
    PARITY,
    RIGHT,
    UNDECIDED,
    WRONG,
    Array,
)

LEAST = 1e-300  # stands for 0 in logarithms
BUDGET = 100_000  # nodes of a search, and words of a parity check, after which a sample counts as undecided


@kernel
def read_lines(theta: Array, start: int, lines: Array) -> float:
    """The constant of g; offsets, slopes and gains of its units go to lines, shape (3, hidden)."""
    hidden = lines.shape[1]
    rise = start + 6
    fall = rise + 3 * hidden
    for i in range(hidden):
        x, y = theta[rise + 2 * i], theta[rise + 2 * i + 1]
        at_zero = x * (theta[start] + theta[start + 4]) + y * (theta[start + 2] + theta[start + 5])
        lines[0, i] = at_zero + theta[rise + 2 * hidden + i]
        lines[1, i] = x * (theta[start + 1] - theta[start]) + y * (theta[start + 3] - theta[start + 2])
        lines[2, i] = theta[fall + hidden + i] - theta[fall + i]
    return float(theta[fall + 2 * hidden + 1] - theta[fall + 2 * hidden])


@kernel
def margin(lines: Array, constant: float, t: float) -> float:
    """g(t)."""
    total = constant
    for i in range(lines.shape[1]):
        total += lines[2, i] * max(lines[0, i] + lines[1, i] * t, 0.0)
    return total


@kernel
def exchange(lines: Array) -> None:
    """Turns g(t) into -g(1 - t), but for the constant: the function of the exchanged bits."""
    for i in range(lines.shape[1]):
        lines[0, i] += lines[1, i]
        lines[1, i] *= -1
        lines[2, i] *= -1


@kernel
def wrong_spans(lines: Array, constant: float, spans: Array) -> int:
    """The number of spans of [0, 1] on which g >= 0; they go to spans, shape (hidden + 2, 2), in rising order."""
    kinks = np.empty(lines.shape[1] + 2)
    kinks[0], kinks[1], size = 0.0, 1.0, 2
    for i in range(lines.shape[1]):
        if lines[1, i] != 0 and 0 < -lines[0, i] / lines[1, i] < 1:
            kinks[size] = -lines[0, i] / lines[1, i]
            size += 1
    kinks = falling(kinks[:size])[::-1]
    count, before = 0, margin(lines, constant, 0.0)
    for i in range(size - 1):
        left, right, after = kinks[i], kinks[i + 1], margin(lines, constant, kinks[i + 1])
        if before >= 0 or after >= 0:
            zero = left + (right - left) * before / (before - after) if (before < 0) != (after < 0) else left
            begin, end = (zero if before < 0 else left), (zero if after < 0 else right)
            if count and spans[count - 1, 1] == begin:
                spans[count - 1, 1] = end
            else:
                spans[count, 0], spans[count, 1] = begin, end
                count += 1
        before = after
    return count


@kernel
def falling(values: Array) -> Array:
    """The values in falling order, by insertion: they are few, and it compiles in a tenth of the time of np.sort."""
    ordered = values.copy()
    for i in range(1, len(ordered)):
        value, j = ordered[i], i
        while j and ordered[j - 1] < value:
            ordered[j] = ordered[j - 1]
            j -= 1
        ordered[j] = value
    return ordered


@kernel
def meets(spans: Array, low: float, high: float, step: float) -> int:
    """Whether sums from `low` to `high` that rise by at most `step` meet a span: RIGHT never, WRONG surely."""
    found = RIGHT
    for left, right in spans:
        if right < low or left > high:
            continue
        if left <= low or high <= right or step <= right - left:
            return WRONG
        found = UNDECIDED
    return found


@kernel
def avoided(weights: Array, most: int, spans: Array) -> int:
    """Whether no sum of at most so many weights lies in a span: branch and bound, exact unless the budget ends.

    A node has chosen among the largest weights. All sums below it lie between its own and that with the next largest
    ones put in too; putting these in one by one rises by the next weight at most, so a wider span cannot be missed.
    """
    if meets(spans, 0.0, weights.sum(), np.inf) == RIGHT:
        return RIGHT
    size, ordered = len(weights), falling(weights)
    sums = np.zeros(size + 1)
    for i in range(size):
        sums[i + 1] = sums[i] + ordered[i]
    place, used, total = np.zeros(size + 2, np.int64), np.zeros(size + 2, np.int64), np.zeros(size + 2)
    top = 0
    for _ in range(BUDGET):
        if top < 0:
            return RIGHT
        i, u, s = place[top], used[top], total[top]
        top -= 1
        found = meets(spans, s, s + sums[min(size, i + most - u)] - sums[i], ordered[i] if i < size else 0.0)
        if found == WRONG:
            return WRONG
        if found == UNDECIDED:
            place[top + 1], used[top + 1], total[top + 1] = i + 1, u, s
            place[top + 2], used[top + 2], total[top + 2] = i + 1, u + 1, s + ordered[i]
            top += 2
    return UNDECIDED


@kernel
def attend(theta: Array, model: int, asked: int, weights: Array) -> float:
    """The log odds of the asked place (the first where asked is 0); weights, shape (n,), are those of pos and norm.

    The part of the score that is the same for all places, that of c_K, cancels in the softmax.
    """
    n, turned = len(weights), np.empty(2)
    near = far = 0.0
    turned[0], turned[1] = theta[0] * asked, theta[1] * asked
    shrink = np.sqrt(1 + turned[0] ** 2 + turned[1] ** 2) if model == NORM else 1.0
    for i in range(2):
        near += (turned[i] + theta[6 + i]) * theta[2 + i]
        far += (turned[i] / shrink + theta[6 + i]) * theta[4 + i]
    for j in range(n):
        weights[j] = near * (j + 1) + far * (j + 1) ** 2
    peak, scale, own, others = weights.max(), np.log(n), max(asked - 1, 0), 0.0
    below = scale * (weights[own] - peak)
    for j in range(n):
        weights[j] = np.exp(scale * (weights[j] - peak))
        others += weights[j] if j != own else 0.0
    total = others + weights[own]
    for j in range(n):
        weights[j] /= total
    return below - np.log(max(others, LEAST))  # where the asked weight vanishes, others >= 1 and this is exact


@kernel
def share_of_ones(theta: Array, n: int, ones: int) -> float:
    """The weight t of so many ones among n bits under gen."""
    if ones in (0, n):  # whatever the scores, even where the only weights there are vanish
        return 1.0 if ones else 0.0
    bend = 0.0
    for i in range(2):
        bend += theta[4 + i] * (theta[6 + 2 * i] - theta[7 + 2 * i])
    return float(ones / (ones + (n - ones) * np.exp(np.log(n) * bend)))


@kernel
def every_word(theta: Array, model: int, task: int, n: int, lines: Array, constant: float) -> int:
    """Whether all words are right, for parameters whose hard words are. Lines are exchanged on the way."""
    if model == GEN:
        return RIGHT  # the hard words are all there is
    weights = np.empty(n)
    if task == PARITY:
        attend(theta, model, 0, weights)
        return every_parity(lines, constant, weights)
    spans, found = np.empty((lines.shape[1] + 2, 2)), RIGHT
    for _ in range(2):
        count = wrong_spans(lines, constant, spans)
        for asked in range(1, n + 1 if task == INDEX else 2):
            attend(theta, model, asked if task == INDEX else 0, weights)
            if task != MAJORITY:
                weights[asked - 1] = 0.0  # the asked place is not free
            verdict = avoided(weights, (n - 1) // 2 if task == MAJORITY else n, spans[:count])
            if verdict == WRONG:
                return WRONG
            found = max(found, verdict)
        exchange(lines)
        constant = -constant
    return found


@kernel
def every_parity(lines: Array, constant: float, weights: Array) -> int:
    """Whether all words have the right parity, word by word."""
    n = len(weights)
    for word in range(min(2**n, BUDGET)):
        t, ones = 0.0, 0
        for j in range(n):
            if word >> j & 1:
                t += weights[j]
                ones += 1
        if (margin(lines, constant, t) > 0) != (ones % 2 == 1):
            return WRONG
    return RIGHT if 2**n <= BUDGET else UNDECIDED
