"""Sums over nodes: thousands of nodes of equal widths cost little more than one (see expected)."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.monoid import Monoid
from seqbench.covering.laws import EndWeights, backward, forward
from seqbench.covering.task import Group
from seqbench.jit import kernel

Array = npt.NDArray[Any]
Key = tuple[int, int, int]


def by_product(monoid: Monoid, ends: EndWeights, nodes_of: Callable[[int], Iterable[Group]]) -> dict[Key, Array]:
    """For every level and pair of widths the sum over nodes of what depends on the product, shape (classes,).

    Args:
        monoid: the classes.
        ends: where words end.
        nodes_of: the nodes of a row, by its number.
    """
    places, size = len(ends.step), len(monoid)
    prefix = forward(ends.step, int(ends.lengths.max(initial=0)))
    many: dict[Key, Array] = defaultdict(lambda: np.zeros((places, places)))
    found: dict[Key, Array] = defaultdict(lambda: np.zeros(size))
    for row, (length, weight) in enumerate(zip(ends.lengths.tolist(), ends.weight, strict=True)):
        rest = backward(ends.step, weight, length)
        for key, start in nodes_of(row):
            after = length - start - key[1] - key[2]
            if len(start) > 1:
                add_joint(many[key], prefix[start], rest[after])
            else:
                before = np.flatnonzero(prefix[start[0]])
                blocks = np.flatnonzero(monoid.reach(key[1] + key[2]))
                found[key][blocks] += rest[after[0]][ends.act[np.ix_(blocks, before)]] @ prefix[start[0], before]
    for key, joint in many.items():
        found[key] += joint[np.arange(places), ends.act].sum(axis=1)
    return found


def add_joint(joint: Array, before: Array, behind: Array) -> None:
    """Adds the products of the rows of two tables, shape (places, places); places that never occur cost nothing."""
    rows, columns = np.flatnonzero(before.any(axis=0)), np.flatnonzero(behind.any(axis=0))
    joint[np.ix_(rows, columns)] += before[:, rows].T @ behind[:, columns]


@kernel
def spread(left: Array, right: Array, by_product: Array, table: Array, total: Array) -> None:
    """Adds left(a) right(b) by_product(ab) to total(a, b)."""
    for a in range(len(left)):
        if left[a] > 0:
            for b in range(len(right)):
                if right[b] > 0:
                    total[a, b] += left[a] * right[b] * by_product[table[a, b]]
