"""Kernels on Cayley graphs: strongly connected components, and longest paths in the order they form."""

import numpy as np
import numpy.typing as npt

from seqbench.jit import kernel

IntArray = npt.NDArray[np.int32]


def components(table: IntArray) -> IntArray:
    """The number of every node's strongly connected component, int32 (nodes,); arcs lead to equal or lower numbers.

    Linear in the arcs, five int32 a node. Source: Pearce, "A space-efficient algorithm for finding strongly connected
    components", 2016, which is Tarjan's (1972) with one array for his two.

    Args:
        table: int32 (nodes, arcs), the heads of every node's arcs.

    Example:
        >>> components(np.array([[1, 1], [0, 2], [2, 2]], np.int32)).tolist()
        [1, 1, 0]
    """
    table = np.ascontiguousarray(table).view()
    table.flags.writeable = False
    return _components(table)


@kernel
def depths(arcs: IntArray, nodes: int) -> IntArray:
    """The length of the longest path to every node, int32 (nodes,).

    Args:
        arcs: int32 (number, 2) pairs (tail, head) in topological order.
        nodes: the number of nodes.

    Example:
        >>> depths(np.array([[0, 2], [0, 1], [2, 1]], np.int32), 3).tolist()
        [0, 2, 1]
    """
    depth = np.zeros(nodes, np.int32)
    for i in range(arcs.shape[0]):
        tail, head = arcs[i, 0], arcs[i, 1]
        depth[head] = max(depth[head], depth[tail] + 1)
    return depth


# `low` is 0 for a node not yet entered; on entering its place among the open nodes, counted from 1; then the lowest
# place that is reachable; and in the end the number of its component, counted down from the number of nodes. Such
# numbers are never below the place of an open node, so that arcs to finished components need no test.
@kernel
def _components(table: IntArray) -> IntArray:
    nodes, arcs = table.shape
    low, entered, arc = np.zeros(nodes, np.int32), np.zeros(nodes, np.int32), np.zeros(nodes, np.int32)
    path, waiting = np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    place, found, waits = 1, 0, 0
    for root in range(nodes):
        if low[root] > 0:
            continue
        path[0], length = root, 1
        while length > 0:
            node = path[length - 1]
            if low[node] == 0:
                low[node] = entered[node] = place
                place += 1
            if arc[node] < arcs:
                head = table[node, arc[node]]
                if low[head] == 0:
                    path[length] = head
                    length += 1
                else:
                    low[node] = min(low[node], low[head])
                    arc[node] += 1
            else:
                length -= 1
                waiting[waits] = node
                waits += 1
                if low[node] == entered[node]:
                    closed = _close(node, nodes - found, low, waiting, waits)
                    found, place, waits = found + 1, place - closed, waits - closed
    return np.subtract(nodes, low).astype(np.int32)


@kernel
def _close(node: int, component: int, low: IntArray, waiting: IntArray, waits: int) -> int:
    """Gives the component's number to its nodes, which wait on top of the stack; how many they are."""
    lowest, closed = low[node], 0
    while closed < waits and low[waiting[waits - 1 - closed]] >= lowest:
        low[waiting[waits - 1 - closed]] = component
        closed += 1
    return closed
