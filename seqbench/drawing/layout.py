"""Where the states of a transition graph stand: the best of a few layouts, and arcs that keep clear of the states."""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
Arcs = list[tuple[int, int]]

SPACING = 1.25
CLEARANCE = 0.42
"""The least distance between states, and between a state and an arc of others; a state has the radius 0.26."""

BENDS = (0.0, 0.22, -0.22, 0.4, -0.4, 0.6, -0.6, 0.85, -0.85)


def positions(states: int, arcs: Arcs) -> Points:
    """The points (states, 2) of the layout with the least clutter, state 0 on the left; distances of 1.25 and more.

    Layers from the initial state, a circle, and springs compete.

    Args:
        states: their number.
        arcs: pairs of different states.

    Example:
        >>> positions(3, [(0, 1), (1, 2)]).round(2).tolist()
        [[0.0, 0.0], [1.25, 0.0], [2.5, 0.0]]
    """
    candidates = [_spaced(points) for points in (_layers(states, arcs), _circle(states), _springs(states, arcs))]
    best = min(candidates, key=lambda points: clutter(points, arcs))
    corner: Points = best - best.min(axis=0)
    return corner


def clutter(points: Points, arcs: Arcs) -> float:
    """How bad a layout is: arcs that cross, states on arcs of others, and a little for the area.

    Example:
        >>> square = np.array([[0, 0], [2, 0], [2, 2], [0, 2]], float)
        >>> clutter(square, [(0, 2), (1, 3)]) > clutter(square, [(0, 1), (2, 3)])
        True
    """
    edges = sorted({(min(arc), max(arc)) for arc in arcs})
    crossings = sum(_cross(points, *first, *second) for first, second in combinations(edges, 2))
    covered = sum(clearance(points, curve(points[a], points[b], 0.0), {a, b}) < CLEARANCE for a, b in edges)
    return float(crossings + 2 * covered + 0.05 * np.prod(np.ptp(points, axis=0) + 1))


def curve(start: Points, end: Points, bend: float, samples: int = 25) -> Points:
    """Points (samples, 2) of the quadratic curve that bends to the right by `bend` of its length, halfway by half.

    Example:
        >>> curve(np.array([0.0, 0.0]), np.array([2.0, 0.0]), 0.5, 3).tolist()
        [[0.0, 0.0], [1.0, -0.5], [2.0, 0.0]]
    """
    x, y = end - start
    control = (start + end) / 2 + bend * np.array([y, -x])
    t = np.linspace(0, 1, samples)[:, None]
    return (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end


def clearance(points: Points, path: Points, besides: Iterable[int]) -> float:
    """The least distance of the path from any point but those; infinite if there is no other.

    Example:
        >>> clearance(np.array([[0, 0], [1, 1], [2, 0]], float), np.array([[0, 0], [1, 0], [2, 0]], float), {0, 2})
        1.0
    """
    others = np.delete(points, list(besides), axis=0)
    return float(np.linalg.norm(others[:, None] - path, axis=2).min()) if len(others) else np.inf


def bends(points: Points, arcs: Arcs) -> list[float]:
    """How much each arc bends: least for which it keeps clear of other states and of the arc back, if there is one.

    Example:
        >>> bends(np.array([[0, 0], [1.25, 0], [2.5, 0]]), [(0, 1), (0, 2), (1, 0)])
        [0.22, 0.4, 0.22]
    """
    known = set(arcs)
    chosen = []
    for source, target in arcs:
        # An arc and the arc back both bend to their right: so they part.
        allowed = [bend for bend in BENDS if bend > 0] if (target, source) in known else list(BENDS)
        paths = {bend: curve(points[source], points[target], bend) for bend in allowed}
        free = {bend: clearance(points, path, {source, target}) for bend, path in paths.items()}
        clear = [bend for bend in allowed if free[bend] >= CLEARANCE]
        chosen.append(clear[0] if clear else max(allowed, key=free.__getitem__))
    return chosen


def free_angle(taken: Iterable[float], preferred: float) -> float:
    """The direction in radians, of 24, that is furthest from those taken; a right angle is enough, near the preferred.

    Example:
        >>> round(free_angle([0.0, np.pi], np.pi / 2), 3)
        1.571
    """
    angles = preferred + np.linspace(0, 2 * np.pi, 24, endpoint=False)
    apart = np.full(24, np.pi)
    for angle in taken:
        apart = np.minimum(apart, np.abs((angles - angle + np.pi) % (2 * np.pi) - np.pi))
    from_preferred = np.abs((angles - preferred + np.pi) % (2 * np.pi) - np.pi)
    return float(angles[np.argmax(np.minimum(apart, np.pi / 2) - 0.05 * from_preferred)])


def _layers(states: int, arcs: Arcs) -> Points:
    """By the distance from state 0, each layer ordered by the mean height of its neighbours in the layer before."""
    neighbours: list[set[int]] = [set() for _ in range(states)]
    for source, target in arcs:
        neighbours[source].add(target)
    layer, layers = {0}, list[list[int]]()
    height, seen = {0: 0.0}, {0}
    while layer:
        layers.append(sorted(layer, key=lambda state: (height[state], state)))
        height |= {state: number - (len(layer) - 1) / 2 for number, state in enumerate(layers[-1])}
        following: dict[int, list[float]] = {}
        for state in layers[-1]:
            for target in neighbours[state] - seen:
                following.setdefault(target, []).append(height[state])
        height |= {state: float(np.mean(heights)) for state, heights in following.items()}
        layer = set(following)
        seen |= layer
    points = np.zeros((states, 2))
    for x, members in enumerate(layers):
        for state in members:
            points[state] = 1.15 * x, -height[state]
    return points


def _circle(states: int) -> Points:
    """In the order of the states, clockwise from the left."""
    angles = np.pi - 2 * np.pi * np.arange(states) / states
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _springs(states: int, arcs: Arcs) -> Points:
    """Fruchterman and Reingold's layout (1991), turned so that state 0 lies on the left of the centre."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(states))
    graph.add_edges_from(arcs)
    start = dict(enumerate(_circle(states)))
    found = nx.spring_layout(graph, pos=start, iterations=300, seed=0)
    points = np.array([found[state] for state in range(states)])
    x, y = points[0] - points.mean(axis=0)
    angle = np.pi - np.arctan2(y, x)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    turned: Points = points @ turn
    return turned


def _spaced(points: Points) -> Points:
    """The points scaled so that the least distance is SPACING."""
    distances = [float(np.linalg.norm(p - q)) for p, q in combinations(points, 2)]
    return points * (SPACING / max(min(distances, default=SPACING), 1e-6))


def _cross(points: Points, a: int, b: int, c: int, d: int) -> bool:
    """Whether the open segments ab and cd cross."""
    if len({a, b, c, d}) < 4:
        return False

    def side(p: int, q: int, r: int) -> float:
        (x, y), (u, v) = points[q] - points[p], points[r] - points[p]
        return float(x * v - y * u)

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
