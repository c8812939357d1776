"""A group's elements in order, its letters, and the table of products by a letter."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.explore import explore
from seqbench.errors import InputError, TooLargeError
from seqbench.generation.tasks.groups.elements import Element, Group
from seqbench.generation.tasks.groups.formula import MAX_ORDER, parse

MAX_ENTRIES = 1 << 24  # 64 MiB of int32

IntArray = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Table:
    """Products by a letter.

    Attributes:
        group: the group.
        elements: its elements in sorted order; element 0 is the identity.
        letters: element of each letter, shape (letters,).
        products: int32 (elements, letters): the element after a letter.
    """

    group: Group
    elements: list[Element]
    letters: IntArray
    products: IntArray


@functools.lru_cache(maxsize=4)
def table_of(formula: str, letters: str, composition: str) -> Table:
    """The table of a group.

    Args:
        formula: the group, see `formula.parse`.
        letters: "all" elements, or the identity and the "generators".
        composition: "left_to_right" for x * letter, "right_to_left" for letter * x.

    Raises:
        TooLargeError: more than MAX_ENTRIES products: with all letters at most 4,096 elements.

    Example:
        >>> table_of("Z3", "all", "left_to_right").products.tolist()
        [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    """
    group = parse(formula)
    if letters == "all" and group.order is not None:
        _check_size(group.name, group.order)
    found, rows = explore(
        group.identity,
        lambda a: [group.multiply(a, g) for g in group.generators],
        what=f"group {group.name}",
        limit=MAX_ORDER,
    )
    elements = sorted(found)
    if len(elements) < 2:
        raise InputError(f"The group {group.name} has one element only. Give a generator that moves something.")
    place = {element: number for number, element in enumerate(elements)}
    number = np.array([place[element] for element in found])
    right = np.empty((len(found), len(group.generators)), dtype=np.int32)
    right[number] = number[np.array(rows)]
    if letters == "all":
        _check_size(group.name, len(found))
        used = np.arange(len(elements))
        products = _all_products(right, np.array(rows), number)
        if composition == "right_to_left":
            products = np.ascontiguousarray(products.T)
    else:
        used = np.array([place[element] for element in (group.identity, *group.generators)])
        if composition == "right_to_left":
            left = [[place[group.multiply(g, a)] for g in group.generators] for a in elements]
            right = np.array(left, dtype=np.int32)
        products = np.column_stack([np.arange(len(elements), dtype=np.int32), right])
    return Table(group, elements, used, np.ascontiguousarray(products, dtype=np.int32))


def _check_size(name: str, order: int) -> None:
    if order * order > MAX_ENTRIES:
        raise TooLargeError(
            f"{name} has {order:,} elements; with all of them as letters its table would have {order * order:,} "
            f"entries, and the limit is {MAX_ENTRIES:,} (4,096 elements). Use letters='generators'."
        )


def _all_products(right: IntArray, rows: IntArray, number: IntArray) -> IntArray:
    """All products a * b, from products by generators: b is found first as (an element before it) * (a generator)."""
    order = len(number)
    products = np.empty((order, order), dtype=np.int32)  # row b, column a: whole rows are written
    products[0] = np.arange(order)
    seen = 1
    for parent in range(order):  # in the order of the search, so a parent's row is there before its children's
        for generator, child in enumerate(rows[parent].tolist()):
            if child == seen:
                products[number[child]] = right[products[number[parent]], generator]
                seen += 1
    return np.ascontiguousarray(products.T)
