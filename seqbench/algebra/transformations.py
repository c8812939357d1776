"""Enumerates a monoid of transformations in shortlex order."""

import numpy as np
import numpy.typing as npt

from seqbench.jit import kernel

IntArray = npt.NDArray[np.int32]


def enumerate_transformations(generators: IntArray, maximum: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """All products of the generators: (maps, right, parent, last); more than `maximum` rows tell that there are more.

    Breadth first over words, generators in order: so elements appear in the shortlex order of their shortest words.
    A product is looked up by its whole row in a hash table: exact, whatever the hash.

    Args:
        generators: int32 (number, points), their images, distinct.
        maximum: where to stop.

    Returns:
        maps int32 (elements, points); right int32 (elements, number), the element after one more generator; parent and
        last int32 (elements,), the tree of shortest words.

    Example:
        >>> enumerate_transformations(np.array([[1, 0], [0, 0]], np.int32), 10)[0].tolist()
        [[0, 1], [1, 0], [0, 0], [1, 1]]
    """
    number, points = generators.shape
    maps, right = np.arange(points, dtype=np.int32)[None], np.zeros((1, number), np.int32)
    parent, last = np.zeros(1, np.int32), np.zeros(1, np.int32)
    done, count = 0, 1
    while done < count <= maximum:
        capacity = min(2 * (count + number), maximum + number)
        maps, right, parent, last = (_grown(array, count, capacity) for array in (maps, right, parent, last))
        slots = np.full(1 << (2 * capacity).bit_length(), -1, np.int32)
        _enter_all(maps, slots, count)
        done, count = _expand(generators, maps, right, parent, last, slots, done, count)
    return maps[:count].copy(), right[:count].copy(), parent[:count].copy(), last[:count].copy()


def _grown(array: IntArray, count: int, capacity: int) -> IntArray:
    grown = np.empty((capacity, *array.shape[1:]), np.int32)
    grown[:count] = array[:count]
    return grown


@kernel
def _enter(maps: IntArray, slots: IntArray, candidate: int) -> int:
    """The element equal to the candidate row; the candidate itself, now entered, if there is none."""
    points = maps.shape[1]
    value = np.uint64(0)
    for point in range(points):
        value = (value + np.uint64(maps[candidate, point] + 1)) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(29)
    mask = np.uint64(slots.size - 1)
    slot = value & mask
    while slots[slot] >= 0:
        other, point = slots[slot], 0
        while point < points and maps[other, point] == maps[candidate, point]:
            point += 1
        if point == points:
            return int(other)
        slot = (slot + np.uint64(1)) & mask
    slots[slot] = candidate
    return candidate


@kernel
def _enter_all(maps: IntArray, slots: IntArray, count: int) -> None:
    for element in range(count):
        _enter(maps, slots, element)


@kernel
def _expand(
    generators: IntArray,
    maps: IntArray,
    right: IntArray,
    parent: IntArray,
    last: IntArray,
    slots: IntArray,
    done: int,
    count: int,
) -> tuple[int, int]:
    """Multiplies elements by all generators while there is room; the new numbers of elements done and known."""
    number, points = generators.shape
    while done < count <= maps.shape[0] - number:
        for letter in range(number):
            for point in range(points):
                maps[count, point] = generators[letter, maps[done, point]]
            found = _enter(maps, slots, count)
            right[done, letter] = found
            if found == count:
                parent[count], last[count] = done, letter
                count += 1
        done += 1
    return done, count
