"""Finite permutation groups: is a group solvable, and if not, in which perfect group does its derived series end."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.transformations import enumerate_transformations

IntArray = npt.NDArray[np.int32]


def solvable_by_order(order: int) -> bool:
    """Whether every group of this order is solvable because the order is odd or has at most two prime divisors.

    Sources: Feit and Thompson, "Solvability of groups of odd order", 1963; Burnside, "On groups of order p^a q^b",
    1904.

    Example:
        >>> [order for order in range(1, 100) if not solvable_by_order(order)]
        [30, 42, 60, 66, 70, 78, 84, 90]
    """
    return order % 2 == 1 or len(_prime_divisors(order)) <= 2


def perfect_order(elements: IntArray) -> int:
    """The order of the last term of the group's derived series; 1 iff the group is solvable.

    Args:
        elements: int32 (order, points), all permutations of the group, each once.

    Example:
        >>> from itertools import permutations
        >>> [perfect_order(np.array(list(permutations(range(points))), np.int32)) for points in (3, 4, 5)]
        [1, 1, 60]
    """
    order = len(elements)
    generators, _ = _generate(elements, order=order)
    while not solvable_by_order(order):
        generators, derived = derived_subgroup(generators)
        if derived == order:
            return order
        order = derived
    return 1


def derived_subgroup(generators: list[IntArray]) -> tuple[list[IntArray], int]:
    """Generators of the commutator subgroup, and its order: the normal closure of the generators' commutators.

    Example:
        >>> derived_subgroup([np.array([1, 0, 2], np.int32), np.array([1, 2, 0], np.int32)])[1]
        3
    """
    commutators = (_product(np.argsort(b[a]), a[b]) for a in generators for b in generators)
    return _generate(commutators, conjugators=generators)


def _generate(
    candidates: Iterable[IntArray], conjugators: Iterable[IntArray] = (), order: int | None = None
) -> tuple[list[IntArray], int]:
    """A few generators of the candidates' group, closed under conjugation, and its order.

    A permutation is taken only if it is new, so that each one at least doubles the group: there are few.

    Args:
        candidates: permutations.
        conjugators: the generators of the group in which the result is to be normal.
        order: the order of the result, if known: where to stop.
    """
    queue, taken = list(candidates), list[IntArray]()
    members = {np.arange(len(queue[0]), dtype=np.int32).tobytes()}
    for permutation in queue:
        if len(members) == order:
            break
        if permutation.tobytes() not in members:
            taken.append(permutation)
            elements = enumerate_transformations(np.stack(taken), np.iinfo(np.int32).max >> 3)[0]
            members = {row.tobytes() for row in elements}
            queue.extend(_product(np.argsort(g), _product(permutation, g)) for g in conjugators)
    return taken, len(members)


def _product(first: npt.NDArray[np.integer[Any]], second: IntArray) -> IntArray:
    """The first permutation, then the second."""
    product: IntArray = second[first]
    return product


def _prime_divisors(number: int) -> list[int]:
    divisors, candidate = [], 2
    while candidate * candidate <= number:
        if number % candidate == 0:
            divisors.append(candidate)
            while number % candidate == 0:
                number //= candidate
        candidate += 1
    return divisors + [number] * (number > 1)
