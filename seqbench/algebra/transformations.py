"""The kernel that enumerates a monoid of transformations in shortlex order."""

from typing import Any

import numpy as np

from seqbench.jit import kernel


@kernel
def enumerate_transformations(generators: Any, maximum: int) -> Any:
    """All products of the generators: (maps, right, parent, last), or more than `maximum` rows if there are more.

    Breadth first over words, generators in order: so elements appear in the shortlex order of their shortest words.
    A product is looked up in an open-addressing hash table by its whole row: exact, whatever the hash.

    Args:
        generators: int32 (number, points), their images.
        maximum: where to stop.

    Returns:
        maps int32 (elements, points); right int32 (elements, generators), the element after one more generator; parent
        and last int32 (elements,), the tree of shortest words.

    Example:
        >>> enumerate_transformations(np.array([[1, 0], [0, 0]], np.int32), 10)[0].tolist()
        [[0, 1], [1, 0], [0, 0], [1, 1]]
    """
    number, points = generators.shape
    capacity = min(16, maximum + 1)
    maps, right = np.empty((capacity, points), np.int32), np.empty((capacity, number), np.int32)
    parent, last = np.zeros(capacity, np.int32), np.zeros(capacity, np.int32)
    hashes, slots = np.zeros(capacity, np.uint64), np.full(4 * _power_of_two(capacity), -1, np.int32)
    maps[0] = np.arange(points).astype(np.int32)
    hashes[0] = _hash(maps[0])
    _find(maps, hashes, slots, 0)
    count, element = 1, 0
    while element < count <= maximum:
        for letter in range(number):
            if count == capacity:
                capacity = min(2 * capacity, maximum + 1)
                maps, right = _grown(maps, capacity), _grown(right, capacity)
                parent, last, hashes = _grown(parent, capacity), _grown(last, capacity), _grown(hashes, capacity)
                slots = _rehashed(maps, hashes, count, 4 * _power_of_two(capacity))
            for point in range(points):
                maps[count, point] = generators[letter, maps[element, point]]
            hashes[count] = _hash(maps[count])
            found = _find(maps, hashes, slots, count)
            right[element, letter] = found
            if found == count:
                parent[count], last[count] = element, letter
                count += 1
                if count > maximum:
                    break
        element += 1
    return maps[:count].copy(), right[:count].copy(), parent[:count].copy(), last[:count].copy()


@kernel
def _power_of_two(number: int) -> int:
    power = 1
    while power < number:
        power *= 2
    return power


@kernel
def _hash(row: Any) -> Any:
    value = np.uint64(0)
    for entry in row:
        value = (value + np.uint64(entry) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(29)
    return value


@kernel
def _find(maps: Any, hashes: Any, slots: Any, candidate: int) -> int:
    """The element equal to the candidate row; the candidate itself, now entered, if there is none."""
    mask = np.uint64(slots.size - 1)
    slot = hashes[candidate] & mask
    while slots[slot] >= 0:
        other = slots[slot]
        if hashes[other] == hashes[candidate] and np.array_equal(maps[other], maps[candidate]):
            return int(other)
        slot = (slot + np.uint64(1)) & mask
    slots[slot] = candidate
    return candidate


@kernel
def _grown(array: Any, capacity: int) -> Any:
    grown = np.empty((capacity, *array.shape[1:]), array.dtype)
    grown[: array.shape[0]] = array
    return grown


@kernel
def _rehashed(maps: Any, hashes: Any, count: int, size: int) -> Any:
    slots = np.full(size, -1, np.int32)
    for element in range(count):
        _find(maps, hashes, slots, element)
    return slots
