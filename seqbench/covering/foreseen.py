"""Test words all of whose compositions a random training set will show: two bounds on their share, by length."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.bounds import ChanceBounds

Array = npt.NDArray[Any]

SLIP = np.exp(-18.0)  # chance that a Poisson number of words passes the number that it stands for: see `seen_at_least`
STEPS = (0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.97, 0.995, 1.0)


def seen(chance: Array, words: float) -> Array:
    """Chance that so many independent words show each composition, given the chance that one does.

    Example:
        >>> seen(np.array([0.5, 1.0]), 2).tolist()
        [0.75, 1.0]
    """
    return np.asarray(-np.expm1(words * np.log1p(-np.minimum(chance, 1 - 1e-16))))


def seen_at_least(chance: Array, words: int) -> Array:
    """Chance that a Poisson number of words, which passes the given number with chance below e^-18, shows each.

    The mean lies six standard deviations below the number (Bernstein's inequality).
    """
    return np.asarray(-np.expm1(-max(0.0, words - 6 * words**0.5) * chance))


def fully_covered(test: ChanceBounds, keys: Array, bounds: Array, words: int) -> tuple[Array, Array]:
    """Bounds on the expected share of test words all of whose compositions training shows, by length.

    At least: in a Poisson number of words, the numbers of words of each kind are independent, and that a composition is
    seen is an increasing event; so all of a word's compositions are seen with at least the product of their chances
    (Harris 1960). At most: all are seen no more often than the rarest of them.

    Args:
        test: the test words' lengths and laws.
        keys: compositions that training can show.
        bounds: least and largest chance that a training word shows each, shape (2, keys).
        words: number of training words.
    """
    size = len(test.task.monoid)
    table = np.zeros(size * size)
    table[keys] = seen_at_least(bounds[0], words)
    low = np.maximum(test.all_among(table.reshape(size, size)) - SLIP, 0.0)
    table[keys] = seen(bounds[1], words)
    high = np.zeros(len(low))
    for before, step in pairwise(STEPS):
        high += (step - before) * test.all_among(table.reshape(size, size) > before)
    return np.minimum(low, high), np.minimum(high, 1.0)
