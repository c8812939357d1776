"""Shortest words that show a composition."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.expected import Task
from seqbench.covering.possible import open_states
from seqbench.covering.schedules import nodes
from seqbench.errors import InputError

Array = npt.NDArray[Any]

LONGEST = 2048  # no search beyond words of so many symbols


def shortest_witness(task: Task, left: int, right: int) -> Array:
    """A shortest word of the domain that shows a composition under the task's schedule, shape (length,), int64.

    Raises:
        InputError: no word of up to 2,048 symbols does.

    Example:
        >>> from seqbench.algebra import families
        >>> from seqbench.algebra.monoid import Monoid
        >>> machine = families.build("modular_sum", {"modulus": 2, "weights": [0, 1]})
        >>> shortest_witness(Task(machine, Monoid.of(machine), machine.outputs), 1, 1).tolist()
        [1, 1]
    """
    monoid, reach = task.monoid, task.monoid.reach
    product = monoid.maps[monoid.multiply(left, right)]
    longest = 1
    before, onwards = open_states(task, longest)
    for length in range(2, LONGEST + 1):
        if length > longest:
            longest *= 2
            before, onwards = open_states(task, longest)
        found = nodes(task.schedule, length, task.min_width)
        for start, u, v in zip(found.start.tolist(), found.left.tolist(), found.right.tolist(), strict=True):
            if reach(u)[left] and reach(v)[right]:
                rest = length - start - u - v
                states = np.flatnonzero(before[start] & onwards[rest][product])
                if len(states):
                    return _spell(task, (left, u), (right, v), (int(states[0]), start), rest)
    raise InputError(f"No word of up to {LONGEST} symbols joins the classes {left} and {right}.")


def _spell(task: Task, left: tuple[int, int], right: tuple[int, int], prefix: tuple[int, int], rest: int) -> Array:
    """Prefix to a state, both blocks, and a way on into the domain."""
    step, monoid = task.machine.transitions, task.monoid
    state, start = prefix
    goal = np.arange(task.machine.num_states) == state
    after = int(monoid.maps[monoid.multiply(left[0], right[0]), state])
    blocks = [first_path(monoid.right, 0, np.arange(len(monoid)) == element, width) for element, width in (left, right)]
    return np.concatenate([first_path(step, 0, goal, start), *blocks, first_path(step, after, task.outputs >= 0, rest)])


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
