"""What coverage is about: a language, the schedule that joins its words, and the nodes of each length in groups."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.covering.schedules import Nodes, nodes

Array = npt.NDArray[Any]
Group = tuple[tuple[int, int, int], Array]

MAX_CLASSES = 2000  # a table of floats over all pairs, one a level


@dataclass(frozen=True, eq=False)
class Task:
    """A language and how its words are joined.

    Attributes:
        machine: of the language.
        monoid: of the language.
        outputs: label of every state, -1 for words that are never drawn.
        schedule: tree, scan or left.
        min_width: nodes with a narrower child are left out.
    """

    machine: Machine
    monoid: Monoid
    outputs: Array
    schedule: str = "tree"
    min_width: int = 1


def groups_of_nodes(task: Task, length: int) -> Iterator[Group]:
    """The nodes of a length that have the same level and widths, with their starts."""
    return grouped(nodes(task.schedule, length, task.min_width))


def grouped(found: Nodes) -> Iterator[Group]:
    """Nodes that have the same level and widths, with their starts.

    Example:
        >>> [(key, start.tolist()) for key, start in grouped(nodes("tree", 5))]
        [((1, 1, 1), [0, 2]), ((3, 4, 1), [0]), ((2, 2, 2), [0])]
    """
    keys = np.stack([found.level, found.left, found.right])
    order = np.lexsort(keys)
    keys, start = keys[:, order], found.start[order]
    edges = np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0)) + 1
    for first, last in zip([0, *edges], [*edges, len(start)], strict=True):
        if last > first:
            level, left, right = keys[:, first].tolist()
            yield (level, left, right), start[first:last]
