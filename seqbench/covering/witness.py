"""Shortest words that show a composition."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.monoid import Monoid
from seqbench.errors import InputError

Array = npt.NDArray[Any]

LONGEST = 4096  # no search beyond this many symbols a block


def shortest_witness(monoid: Monoid, left: int, right: int, schedule: str = "tree") -> Array:
    """The first of the shortest words whose first node of a level, or whose root, joins a left and a right class.

    Under the schedule tree the left block has a power of two symbols and the right one no more than that.

    Raises:
        InputError: no such word.

    Example:
        >>> from seqbench.algebra import families
        >>> monoid = Monoid.of(families.build("modular_sum", {"modulus": 2, "weights": [0, 1]}))
        >>> shortest_witness(monoid, 1, 1).tolist()
        [1, 1]
    """
    best: tuple[int, int] | None = None
    for width in _left_widths(schedule):
        if best is not None and width >= sum(best):
            break
        if monoid.reach(width)[left]:
            most = {"tree": width, "left": 1, "scan": LONGEST}[schedule]
            there = next((n for n in range(1, most + 1) if monoid.reach(n)[right]), None) if most <= LONGEST else None
            if there is not None and (best is None or width + there < sum(best)):
                best = width, there
    if best is None:
        raise InputError(f"No word joins the classes {left} and {right} under the schedule {schedule!r}.")
    return np.concatenate([first_word(monoid, left, best[0]), first_word(monoid, right, best[1])])


def _left_widths(schedule: str) -> list[int]:
    if schedule == "left":
        return list(range(1, LONGEST + 1))
    return [1 << k for k in range(LONGEST.bit_length())]


def first_word(monoid: Monoid, element: int, length: int) -> Array:
    """The alphabetically first word of a length and class, shape (length,), int64.

    Raises:
        InputError: there is none.

    Example:
        >>> from seqbench.algebra import families
        >>> monoid = Monoid.of(families.build("dyck", {"depth": 3}))
        >>> first_word(monoid, monoid.class_of(np.array([0, 1], np.uint8), np.array([0, 2]))[0], 4).tolist()
        [0, 1, 0, 1]
    """
    if not monoid.reach(length)[element]:
        raise InputError(f"No word of length {length} has the class {element}.")
    # leads[t]: classes from which t more symbols can lead to the element
    leads = np.zeros((length + 1, len(monoid)), dtype=bool)
    leads[0, element] = True
    for t in range(length):
        leads[t + 1] = leads[t][monoid.right].any(axis=1)
    word, here = np.empty(length, dtype=np.int64), 0
    for t in range(length - 1, -1, -1):
        word[length - 1 - t] = int(np.argmax(leads[t][monoid.right[here]]))
        here = int(monoid.right[here, word[length - 1 - t]])
    return word
