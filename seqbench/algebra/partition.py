"""Kernels on transition tables: breadth-first order, and the coarsest partition that minimises a machine."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.jit import kernel

IntArray = npt.NDArray[np.int32]


@kernel
def breadth_first(table: Any, initial: int) -> Any:
    """The states reachable from the initial one, int32, in breadth-first order, symbols in alphabet order.

    Example:
        >>> breadth_first(np.array([[2, 2], [0, 0], [2, 0]], np.int32), 0).tolist()
        [0, 2]
    """
    order = np.empty(table.shape[0], np.int32)
    seen = np.zeros(table.shape[0], np.bool_)
    order[0], seen[initial], count, done = initial, True, 1, 0
    while done < count:
        for target in table[order[done]]:
            if not seen[target]:
                seen[target] = True
                order[count] = target
                count += 1
        done += 1
    return order[:count]


def coarsest_partition(table: IntArray, outputs: IntArray) -> IntArray:
    """The block of every state, int32 (states,): two states share a block iff they label every further word equally.

    Hopcroft's partition refinement (1971), O(states * symbols * log states).

    Args:
        table: int32 (states, symbols), complete.
        outputs: int32 (states,).

    Example:
        >>> coarsest_partition(np.array([[1], [2], [1]], np.int32), np.array([0, 1, 0], np.int32)).tolist()
        [0, 1, 0]
    """
    first_blocks = np.unique(outputs, return_inverse=True)[1].astype(np.int32)
    members = np.argsort(first_blocks, kind="stable").astype(np.int32)
    block_of: IntArray = _refine(np.ascontiguousarray(table), first_blocks, members)
    return block_of


@kernel
def _inverse(table: Any) -> Any:
    """The predecessors of each state by symbol: those of q under a are sources[a, starts[a, q]:starts[a, q + 1]]."""
    states, symbols = table.shape
    starts = np.zeros((symbols, states + 1), np.int32)
    sources = np.empty((symbols, states), np.int32)
    for a in range(symbols):
        for q in range(states):
            starts[a, table[q, a] + 1] += 1
        starts[a] = np.cumsum(starts[a])
        fill = starts[a].copy()
        for q in range(states):
            sources[a, fill[table[q, a]]] = q
            fill[table[q, a]] += 1
    return starts, sources


@kernel
def _mark(state: int, members: Any, place: Any, block: int, first: Any, marked: Any) -> bool:
    """Moves a state into the marked front part of its block; whether it is the first one there."""
    here, there = place[state], first[block] + marked[block]
    if here < there:
        return False
    other = members[there]
    members[here], members[there] = other, state
    place[other], place[state] = here, there
    marked[block] += 1
    return bool(marked[block] == 1)


@kernel
def _split(block: int, new: int, members: Any, block_of: Any, first: Any, size: Any, marked: Any) -> bool:
    """Splits a block into marked and unmarked states, the smaller part being the new block; whether both exist."""
    count = marked[block]
    marked[block] = 0
    if count == size[block]:
        return False
    if 2 * count <= size[block]:
        first[new], size[new] = first[block], count
        first[block] += count
    else:
        first[new], size[new] = first[block] + count, size[block] - count
    size[block] -= size[new]
    for i in range(first[new], first[new] + size[new]):
        block_of[members[i]] = new
    return True


@kernel
def _refine(table: Any, block_of: Any, members: Any) -> Any:
    states, symbols = table.shape
    starts, sources = _inverse(table)
    place = np.empty(states, np.int32)
    place[members] = np.arange(states).astype(np.int32)
    blocks = block_of.max() + 1
    size = np.zeros(states, np.int32)
    for q in range(states):
        size[block_of[q]] += 1
    first = (np.cumsum(size) - size).astype(np.int32)
    marked = np.zeros(states, np.int32)
    touched = np.empty(states, np.int32)
    # Splitters wait on a stack. After a split the smaller part is the new block and goes on it: if the old block is
    # still waiting then both are, and if not then the smaller one is enough (Hopcroft).
    waiting = np.arange(states).astype(np.int32)
    top = blocks
    while top > 0:
        top -= 1
        splitter = members[first[waiting[top]] : first[waiting[top]] + size[waiting[top]]].copy()
        for a in range(symbols):
            count = 0
            for q in splitter:
                for i in range(starts[a, q], starts[a, q + 1]):
                    block = block_of[sources[a, i]]
                    if _mark(sources[a, i], members, place, block, first, marked):
                        touched[count] = block
                        count += 1
            for block in touched[:count]:
                if _split(block, blocks, members, block_of, first, size, marked):
                    waiting[top] = blocks
                    top += 1
                    blocks += 1
    return block_of
