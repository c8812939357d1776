"""How wrong a few hard words are: what rejects most parameters early, and what splitting descends by.

All of these words are among those that have to be right, so the number 0, which says that they are, holds for every
right model.
"""

import numpy as np

from seqbench.jit import kernel
from seqbench.training.volume.segment import LEAST, attend, exchange, falling, margin, share_of_ones, wrong_spans
from seqbench.training.volume.verdicts import GEN, INDEX, MAJORITY, PARITY, Array

CONSTANT_WRONG = 1e6  # more than most log odds; how well splitting descends depends on it, and no verdict does


@kernel
def tally(m: float, label: float, sums: Array) -> None:
    """Adds a margin of 1 over 0: sums[0] of wrong margins, sums[1] of all, both as positive numbers."""
    wrong = m if label == 0 else -m
    if wrong >= 0:
        sums[0] += max(wrong, LEAST)  # no margin at all is wrong too
    sums[1] += max(abs(m), LEAST)


@kernel
def wrong_share(sums: Array) -> float:
    """The wrong margins as a share of all; 0 only where none is wrong, however small."""
    return float(max(sums[0] / sums[1], LEAST)) if sums[0] > 0 else 0.0


@kernel
def tally_counts(lines: Array, constant: float, task: int, weights: Array, sums: Array) -> None:
    """The hard words of MAJORITY and PARITY: ones at the heaviest places, then, for MAJORITY, zeros there."""
    n, t = len(weights), 0.0
    ordered = falling(weights)
    for ones in range(n + 1):
        if task == PARITY:
            tally(margin(lines, constant, t), ones % 2, sums)
        elif 2 * ones < n:
            tally(margin(lines, constant, t), 0, sums)
            tally(margin(lines, constant, 1 - t), 1, sums)
        t += ordered[ones] if ones < n else 0.0


@kernel
def tally_gen(theta: Array, lines: Array, constant: float, task: int, n: int, sums: Array) -> None:
    """A word of every number of ones: all that gen tells apart. FIRST and INDEX ask both labels of a mixed word."""
    for ones in range(n + 1):
        m = margin(lines, constant, share_of_ones(theta, n, ones))
        if task == PARITY:
            tally(m, ones % 2, sums)
        elif task == MAJORITY or ones in (0, n):
            tally(m, 2 * ones > n, sums)
        else:
            tally(m, 0, sums)
            tally(m, 1, sums)


@kernel
def hard_words(theta: Array, model: int, task: int, n: int, lines: Array, constant: float) -> float:
    """How wrong a few words are: 0 only if all of them are right. Lines may be exchanged on the way.

    For MAJORITY, PARITY and gen the wrong share of their margins, sum max(0, -m) / sum |m|, in which the scale of the
    readout does not matter. For FIRST and INDEX see `far_off`.
    """
    sums, weights = np.zeros(2), np.empty(n)
    tally(margin(lines, constant, 0.0), 0, sums)
    if task != PARITY:
        tally(margin(lines, constant, 1.0), 1, sums)
    if model == GEN:
        tally_gen(theta, lines, constant, task, n, sums)
    elif task in (MAJORITY, PARITY):
        attend(theta, model, 0, weights)
        tally_counts(lines, constant, task, weights, sums)
    elif sums[0] == 0:
        return far_off(theta, model, task, lines, constant, weights)
    else:
        return CONSTANT_WRONG + wrong_share(sums)
    return wrong_share(sums)


@kernel
def far_off(theta: Array, model: int, task: int, lines: Array, constant: float, weights: Array) -> float:
    """How far attention is from right words of FIRST and INDEX: a mean over indices and words of log odds.

    The words: all other bits against the asked one, the heaviest other one alone, all but that. A word is as far off
    as the log odds of its sum must change to leave the span in which it is wrong. In scores, which are log odds, the
    way is straight even where the softmax is flat.
    """
    n, total = len(weights), 0.0
    spans, count = np.empty((2, lines.shape[1] + 2, 2)), np.empty(2, np.int64)
    for label in range(2):
        count[label] = wrong_spans(lines, constant, spans[label])
        exchange(lines)
        constant = -constant
    words = n if task == INDEX else 1
    for asked in range(1, words + 1):
        odds = attend(theta, model, asked if task == INDEX else 0, weights)
        own, weights[asked - 1] = weights[asked - 1], 0.0
        top = weights.max()
        for label in range(2):
            here = spans[label, : count[label]]
            total += way_out(here, 1 - own, -odds) + way_out(here, top, log_odds(top))
            total += way_out(here, 1 - own - top, log_odds(1 - own - top))
    return total / words


@kernel
def log_odds(t: float) -> float:
    """log(t / (1 - t)), cut where t or 1 - t vanishes."""
    return float(np.log(max(t, LEAST)) - np.log(max(1 - t, LEAST)))


@kernel
def way_out(spans: Array, t: float, odds: float) -> float:
    """How far the log odds of t are from leaving the wrong span it is in, more than 0; 0 if it is in none."""
    for left, right in spans:
        if left <= t <= right:
            up = log_odds(right) - odds if right < 1 else np.inf
            down = odds - log_odds(left) if left > 0 else np.inf
            return max(min(up, down), LEAST)
    return 0.0
