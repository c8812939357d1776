"""Kernels on transition tables: breadth-first order, and the coarsest partition that minimises a machine."""

import numpy as np
import numpy.typing as npt

from seqbench.jit import kernel

IntArray = npt.NDArray[np.int32]


@kernel
def breadth_first(table: IntArray, initial: int) -> IntArray:
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
    block_of = np.unique(outputs, return_inverse=True)[1].astype(np.int32)
    members = np.argsort(block_of, kind="stable").astype(np.int32)
    size = np.bincount(block_of, minlength=len(table)).astype(np.int32)
    first = (np.cumsum(size) - size).astype(np.int32)
    _refine(*_inverse(table), block_of, members, np.argsort(members).astype(np.int32), first, size)
    return block_of


def _inverse(table: IntArray) -> tuple[IntArray, IntArray]:
    """The predecessors of each state by symbol: those of q under a are sources[a, starts[a, q]:starts[a, q + 1]]."""
    states, symbols = table.shape
    starts, sources = np.zeros((symbols, states + 1), np.int32), np.empty((symbols, states), np.int32)
    for a in range(symbols):
        sources[a] = np.argsort(table[:, a], kind="stable")
        np.cumsum(np.bincount(table[:, a], minlength=states), out=starts[a, 1:])
    return starts, sources


@kernel
def _mark(state: int, members: IntArray, place: IntArray, block: int, first: IntArray, marked: IntArray) -> bool:
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
def _split(
    block: int, new: int, members: IntArray, block_of: IntArray, first: IntArray, size: IntArray, marked: IntArray
) -> bool:
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
def _refine(
    starts: IntArray,
    sources: IntArray,
    block_of: IntArray,
    members: IntArray,
    place: IntArray,
    first: IntArray,
    size: IntArray,
) -> None:
    """Refines in place: block b holds members[first[b]:first[b] + size[b]], and members[place[q]] is q."""
    symbols, states = sources.shape
    marked, touched = np.zeros(states, np.int32), np.empty(states, np.int32)
    splitter, waiting = np.empty(states, np.int32), np.empty(states, np.int32)
    blocks = 0
    while blocks < states and size[blocks] > 0:
        waiting[blocks] = blocks
        blocks += 1
    # Splitters wait on a stack. After a split the smaller part is the new block and goes on it: if the old block is
    # still waiting then both are, and if not then the smaller one is enough (Hopcroft).
    top = blocks
    while top > 0:
        top -= 1
        block = waiting[top]
        length = size[block]
        for i in range(length):
            splitter[i] = members[first[block] + i]
        for a in range(symbols):
            count = 0
            for i in range(length):
                for j in range(starts[a, splitter[i]], starts[a, splitter[i] + 1]):
                    block = block_of[sources[a, j]]
                    if _mark(sources[a, j], members, place, block, first, marked):
                        touched[count] = block
                        count += 1
            for i in range(count):
                if _split(touched[i], blocks, members, block_of, first, size, marked):
                    waiting[top] = blocks
                    top += 1
                    blocks += 1
