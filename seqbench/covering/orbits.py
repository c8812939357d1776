"""Sequences of sets in which each set determines the next, and which are periodic in the end for that reason."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Orbit:
    """The sets S_0, S_1, ... of a step that leads from each to the next; equal ones are kept once.

    Args:
        first: S_0, bool (elements,).
        step: the next set of a set.

    Example:
        >>> orbit = Orbit(np.array([True, False, False]), lambda here: np.array([False, here[0] | here[2], here[1]]))
        >>> orbit.numbers(6).tolist(), orbit(5).tolist()
        ([0, 1, 2, 1, 2, 1, 2], [False, True, False])
    """

    def __init__(self, first: Array, step: Callable[[Array], Array]) -> None:
        """Knows the first set."""
        self._step, self._sets = step, [first]
        self._known = {first.tobytes(): 0}
        self._loop: int | None = None

    def __call__(self, length: int) -> Array:
        """The set S_length."""
        return self._sets[int(self.numbers(length)[length])]

    def sets(self, longest: int) -> Array:
        """The different sets among S_0 .. S_longest in the order of their coming, bool (sets, elements)."""
        self._extend(longest)
        return np.array(self._sets[: longest + 1])

    def numbers(self, longest: int) -> Array:
        """Which of the different sets each of S_0 .. S_longest is, int64 (longest + 1,)."""
        self._extend(longest)
        every = np.arange(longest + 1)
        if self._loop is None:
            return every
        period = len(self._sets) - self._loop
        return np.where(every < len(self._sets), every, self._loop + (every - self._loop) % period)

    def _extend(self, longest: int) -> None:
        while self._loop is None and len(self._sets) <= longest:
            following = self._step(self._sets[-1])
            self._loop = self._known.get(following.tobytes())
            if self._loop is None:
                self._known[following.tobytes()] = len(self._sets)
                self._sets.append(following)
