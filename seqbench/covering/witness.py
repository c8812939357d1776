"""Shortest words that show a composition.

Which nodes there are does not depend on the word, which classes a block can have depends on its width alone, and which
states a prefix can reach on its length alone. So the nodes of all lengths up to some bound stand in one table, and the
one in the shortest word of the domain is found by looking things up.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.expected import Task
from seqbench.covering.orbits import Orbit
from seqbench.covering.schedules import node_table
from seqbench.errors import InputError, TooLargeError

Array = npt.NDArray[Any]

LONGEST = 1 << 14  # symbols of the longest word that is looked for
STEPS = (1 << 6, 1 << 10, LONGEST)
MAX_WORK = 1 << 32  # cells that one look-up may touch


def shortest_witness(task: Task, left: int, right: int) -> Array | None:
    """A shortest word of the domain that shows a composition under the task's schedule, shape (length,), int64.

    None where no word of up to 16,384 symbols does, or where the machine is too large to look that far.

    Example:
        >>> from seqbench.algebra import families
        >>> from seqbench.algebra.monoid import Monoid
        >>> machine = families.build("modular_sum", {"modulus": 2, "weights": [0, 1]})
        >>> shortest_witness(Task(machine, Monoid.of(machine), machine.outputs), 1, 1).tolist()
        [1, 1]
    """
    return Witnesses(task).word(left, right)


class Witnesses:
    """Shortest words for one composition after the other; what they have in common is computed once."""

    def __init__(self, task: Task) -> None:
        """For the compositions of a task, with its domain and schedule."""
        self._task = task
        step, states = task.machine.transitions, np.arange(task.machine.num_states)
        self._before = Orbit(states == 0, lambda here: np.isin(states, step[here]))
        self._onwards = Orbit(task.outputs >= 0, lambda there: np.asarray(there[step].any(axis=1)))
        self._widths: dict[tuple[int, int], Array] = {}
        self._blocks: dict[tuple[int, int], Array] = {}

    def word(self, left: int, right: int) -> Array | None:
        """A shortest word that shows a composition, or None: see `shortest_witness`."""
        try:
            for longest in STEPS:
                found = self._node(left, right, longest)
                if found is not None:
                    return self._spell(left, right, *found)
        except TooLargeError:  # the sets of classes that the widths reach take too much memory
            pass
        return None

    def _node(self, left: int, right: int, longest: int) -> tuple[int, int, int, int] | None:
        """Start, widths and number of symbols after the node in the shortest word, if that is short enough."""
        start, u, v, lasts = node_table(self._task.schedule, longest, self._task.min_width)
        fits = self._has(left, longest)[u] & self._has(right, longest)[v]
        start, u, v, lasts = start[fits], u[fits], v[fits], lasts[fits]
        rest = self._rests(start, int(self._task.monoid.multiply(left, right)), longest)
        length = start + u + v + np.where(lasts | (rest == 0), rest, longest)
        if length.min(initial=longest + 1) > longest:
            return None
        best = int(np.argmin(length))
        return int(start[best]), int(u[best]), int(v[best]), int(rest[best])

    def _has(self, element: int, longest: int) -> Array:
        """For each width up to the longest whether a block of it can have the class, bool."""
        if (element, longest) not in self._widths:
            reach = self._task.monoid.reach
            self._widths[element, longest] = np.array([reach(width)[element] for width in range(longest + 1)])
        return self._widths[element, longest]

    def _rests(self, start: Array, product: int, longest: int) -> Array:
        """For each start the least number of symbols after the node that end in the domain; too many if none does."""
        numbers, place = np.unique(self._before.numbers(longest)[start], return_inverse=True)
        before, after = self._before.sets(longest), self._onwards.sets(longest)[:, self._task.monoid.maps[product]]
        if len(numbers) * after.size > MAX_WORK:
            raise TooLargeError("Too many sets of states are reached to look for a word.")
        open_after = [(after & before[number]).any(axis=1) for number in numbers]
        least = np.array([np.argmax(found) if found.any() else longest for found in open_after], dtype=np.int64)
        return np.asarray(least[place])

    def _spell(self, left: int, right: int, start: int, u: int, v: int, rest: int) -> Array:
        """Prefix to a state, both blocks, and a way on into the domain."""
        task, step = self._task, self._task.machine.transitions
        product = task.monoid.maps[task.monoid.multiply(left, right)]
        state = int(np.argmax(self._before(start) & self._onwards(rest)[product]))
        prefix = first_path(step, 0, np.arange(len(step)) == state, start)
        suffix = first_path(step, int(product[state]), task.outputs >= 0, rest)
        return np.concatenate([prefix, self._block(left, u), self._block(right, v), suffix])

    def _block(self, element: int, width: int) -> Array:
        """The first word of a class and a width."""
        if (element, width) not in self._blocks:
            right = self._task.monoid.right
            if right.size * width > MAX_WORK:
                raise TooLargeError("The classes are too many to spell so long a block.")
            self._blocks[element, width] = first_path(right, 0, np.arange(len(right)) == element, width)
        return self._blocks[element, width]


def first_path(table: Array, start: int, goal: Array, length: int) -> Array:
    """The alphabetically first word of a length that leads from a place to a goal, shape (length,), int64.

    Args:
        table: next place by place and symbol.
        start: place to start from.
        goal: which places will do, bool.
        length: of the word.

    Raises:
        InputError: there is none.

    Example:
        >>> first_path(np.array([[0, 1], [1, 0]]), 0, np.array([False, True]), 3).tolist()
        [0, 0, 1]
    """
    leads = np.zeros((length + 1, len(table)), dtype=bool)
    leads[0] = goal
    for t in range(length):
        leads[t + 1] = leads[t][table].any(axis=1)
    if not leads[length, start]:
        raise InputError(f"No word of length {length} leads there.")
    word, here = np.empty(length, dtype=np.int64), start
    for t in range(length - 1, -1, -1):
        word[length - 1 - t] = int(np.argmax(leads[t][table[here]]))
        here = int(table[here, word[length - 1 - t]])
    return word
