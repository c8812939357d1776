"""Schedules: the order in which a model that composes blocks joins them.

tree    the balanced reduction: neighbours are joined level by level, a left-over passes on to the next level
scan    the associative scan (Blelloch, "Prefix sums and their applications", 1990; as in JAX): the reduction without
        left-overs on the way up, then every prefix from a shorter prefix and a block on the way down
left    one symbol after the other: a class and a letter, as a recurrent network sees them

A node joins a left block [start, start + left) and a right block [start + left, start + left + right).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import unknown_name

Array = npt.NDArray[Any]

DOWN = 64  # levels on the way down of a scan are numbered from here


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of one length, in the order of evaluation within each level; every array has shape (nodes,), int64."""

    level: Array
    start: Array
    left: Array
    right: Array


def nodes(schedule: str, length: int, min_width: int = 1) -> Nodes:
    """The nodes of words of a length.

    Args:
        schedule: "tree", "scan" or "left".
        length: of the word.
        min_width: leaves out nodes with a child of fewer symbols (2: the figure of the LDRU study).

    Example:
        >>> found = nodes("tree", 5)
        >>> list(zip(found.level.tolist(), found.start.tolist(), found.left.tolist(), found.right.tolist()))
        [(1, 0, 1, 1), (1, 2, 1, 1), (2, 0, 2, 2), (3, 0, 4, 1)]
        >>> found = nodes("scan", 4)
        >>> list(zip(found.level.tolist(), found.start.tolist(), found.left.tolist(), found.right.tolist()))
        [(1, 0, 1, 1), (1, 2, 1, 1), (2, 0, 2, 2), (65, 0, 2, 1)]
    """
    parts = SCHEDULES[check_schedule(schedule)](length)
    columns = [np.concatenate(column) if column else np.empty(0, dtype=np.int64) for column in zip(*parts, strict=True)]
    found = Nodes(*columns) if columns else Nodes(*(np.empty(0, dtype=np.int64) for _ in range(4)))
    if min_width == 1:
        return found
    kept = np.minimum(found.left, found.right) >= min_width
    return Nodes(found.level[kept], found.start[kept], found.left[kept], found.right[kept])


def check_schedule(schedule: str) -> str:
    """The schedule, if there is one of that name.

    Raises:
        UnknownNameError: otherwise.
    """
    if schedule not in SCHEDULES:
        raise unknown_name("schedule", schedule, SCHEDULES)
    return schedule


def level_name(schedule: str, level: int) -> str:
    """What a level is called in reports.

    Example:
        >>> level_name("tree", 3), level_name("scan", 65), level_name("left", 1)
        ('blocks of 4 with up to 4', 'prefixes with 1', 'prefixes with a letter')
    """
    if schedule == "left":
        return "prefixes with a letter"
    if level > DOWN:
        return f"prefixes with {1 << level - DOWN - 1}"
    width = 1 << level - 1
    return f"blocks of {width} with {'up to ' if schedule == 'tree' and width > 1 else ''}{width}"


Part = tuple[Array, Array, Array, Array]


def _level(level: int, start: Array, left: Array | int, right: Array | int) -> Part:
    size = len(start)
    return np.full(size, level), start, np.broadcast_to(left, size), np.broadcast_to(right, size)


def _tree(length: int) -> list[Part]:
    parts, level = [], 1
    while 1 << level - 1 < length:
        width = 1 << level - 1
        start = np.arange(0, length - width, 2 * width)
        parts.append(_level(level, start, width, np.minimum(width, length - start - width)))
        level += 1
    return parts


def _scan(length: int) -> list[Part]:
    up, down, level = [], [], 1
    while length >> level - 1 > 1:
        width, count = 1 << level - 1, length >> level - 1  # blocks of this width
        up.append(_level(level, np.arange(count // 2) * 2 * width, width, width))
        prefix = np.arange(1, (count + 1) // 2) * 2 * width  # every second prefix is there, these follow from it
        down.append(_level(DOWN + level, np.zeros(len(prefix), dtype=np.int64), prefix, width))
        level += 1
    return [*up, *reversed(down)]


def _left(length: int) -> list[Part]:
    prefix = np.arange(1, length)
    return [_level(1, np.zeros(len(prefix), dtype=np.int64), prefix, 1)] if length > 1 else []


SCHEDULES = {"tree": _tree, "scan": _scan, "left": _left}


@lru_cache(maxsize=16)
def node_table(schedule: str, longest: int, min_width: int = 1) -> tuple[Array, Array, Array, Array]:
    """All nodes of words of up to so many symbols: start, left and right width, and whether it lasts.

    A node that lasts is there in every word that is long enough; of the others, left-overs of the tree, each is there
    only in words that end with it. By level, then by start.

    Example:
        >>> [column.tolist() for column in node_table("tree", 3)]
        [[0, 0], [1, 2], [1, 1], [True, False]]
    """
    start, left, right = (
        np.concatenate(column) for column in zip(*TABLES[check_schedule(schedule)](longest), strict=True)
    )
    lasts = left == right if schedule == "tree" else np.ones(len(start), dtype=bool)
    kept = (np.minimum(left, right) >= min_width) & (start + left + right <= longest)
    return start[kept], left[kept], right[kept], lasts[kept]


Joins = tuple[Array, Array, Array]


def _widths(longest: int) -> list[int]:
    return [1 << level for level in range(max(1, longest.bit_length()))]


def _tree_table(longest: int) -> list[Joins]:
    parts = []
    for width in _widths(longest):
        start, right = np.meshgrid(np.arange(0, longest, 2 * width), np.arange(width, 0, -1), indexing="ij")
        parts.append((start.ravel(), np.full(start.size, width), right.ravel()))
    return parts


def _scan_table(longest: int) -> list[Joins]:
    parts = []
    for width in _widths(longest):
        start = np.arange(0, longest, 2 * width)
        parts.append((start, np.full(len(start), width), np.full(len(start), width)))
        prefix = np.arange(2 * width, longest, 2 * width)
        parts.append((np.zeros(len(prefix), dtype=np.int64), prefix, np.full(len(prefix), width)))
    return parts


def _left_table(longest: int) -> list[Joins]:
    prefix = np.arange(1, max(longest, 1))
    return [(np.zeros(len(prefix), dtype=np.int64), prefix, np.ones(len(prefix), dtype=np.int64))]


TABLES = {"tree": _tree_table, "scan": _scan_table, "left": _left_table}
