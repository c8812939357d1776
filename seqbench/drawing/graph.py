"""Draws a transition graph: circles for states, bent arrows for arcs, loops, an arrow into the initial state."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from seqbench.drawing import layout, style
from seqbench.drawing.layout import Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RADIUS = 0.26
MARGIN = 0.3
LOOP = 0.34
ENTRY = 0.35
LEAST_WIDTH = 3.2
OFF = 0.13
"""How far the middle of a label lies from its arc, in inches like all of these."""


@dataclass(frozen=True)
class Node:
    """A state as drawn.

    Attributes:
        text: what stands in the circle.
        accepting: whether the circle is double.
        faint: whether the state is of less interest: a pale circle.
    """

    text: str
    accepting: bool = False
    faint: bool = False


def graph(nodes: list[Node], arcs: dict[tuple[int, int], str], note: str = "") -> "Figure":
    """The picture of a transition graph whose initial state is node 0; belongs inside `style.look()`.

    Args:
        nodes: the states.
        arcs: the label of every arc by its source and target.
        note: a line below.

    Example:
        >>> with style.look():
        ...     figure = graph([Node("a"), Node("b", accepting=True)], {(0, 1): "x", (1, 1): "y"})
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['x', 'y', 'a', 'b']
    """
    pairs = [arc for arc in arcs if arc[0] != arc[1]]
    points = layout.positions(len(nodes), pairs)
    bends = layout.bends(points, pairs)
    paths = [layout.curve(points[a], points[b], bend) for (a, b), bend in zip(pairs, bends, strict=True)]
    taken = _directions(points, pairs, bends)
    entry = layout.free_angle(taken[0], np.pi)
    taken[0].append(entry)
    loops = {a: layout.free_angle(taken[a], np.pi / 2) for a, b in arcs if a == b}
    tips = [points[a] + (RADIUS + LOOP + 0.1) * _towards(angle) for a, angle in loops.items()]
    tips.append(points[0] + (RADIUS + ENTRY - 0.1) * _towards(entry))
    figure, axes, shift = _page(np.concatenate([points - RADIUS, points + RADIUS, *paths, tips]), note)
    points, paths = points + shift, [path + shift for path in paths]
    _arrow(axes, points[0] + (RADIUS + ENTRY) * _towards(entry), points[0], 0.0, gap=0)
    for (a, b), bend in zip(pairs, bends, strict=True):
        _arrow(axes, points[a], points[b], bend)
    _write(axes, points, paths, bends, [arcs[pair] for pair in pairs])
    for state, angle in loops.items():
        _loop(axes, points[state], angle, arcs[state, state])
    for node, point in zip(nodes, points, strict=True):
        _circle(axes, node, point)
    return figure


def _page(everything: Points, note: str) -> tuple["Figure", "Axes", Points]:
    """A figure with axes in inches that hold all points, and how far to move them."""
    low, high = everything.min(axis=0), everything.max(axis=0)
    width, height = high - low + 2 * MARGIN
    foot = 0.25 if note else 0.0
    page = max(width, LEAST_WIDTH, len(note) * style.EM * style.SMALL)
    figure, axes = style.canvas(page, height + foot)
    if note:
        axes.text(page / 2, 0.12, note, fontsize=style.SMALL, color=style.GREY, ha="center")
    return figure, axes, np.array([(page - width) / 2, foot]) + MARGIN - low


def _arrow(axes: "Axes", start: Points, end: Points, bend: float, gap: float = RADIUS) -> None:
    from matplotlib.patches import FancyArrowPatch

    axes.add_patch(
        FancyArrowPatch(
            (start[0], start[1]),
            (end[0], end[1]),
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=9,
            shrinkA=gap * 72,
            shrinkB=RADIUS * 72 + 1,
            color=style.INK,
            linewidth=0.9,
        )
    )


def _loop(axes: "Axes", point: Points, angle: float, label: str) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    def at(turn: float, distance: float) -> tuple[float, float]:
        x, y = point + distance * _towards(angle + turn)
        return float(x), float(y)

    # A cubic curve reaches three quarters of the way to its two control points.
    far = RADIUS + LOOP * 4 / 3
    corners = [at(-0.45, RADIUS), at(-0.5, far), at(0.5, far), at(0.45, RADIUS + 0.015)]
    path = Path(corners, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    axes.add_patch(
        FancyArrowPatch(path=path, arrowstyle="-|>", mutation_scale=9, color=style.INK, linewidth=0.9, capstyle="butt")
    )
    x, y = at(0.0, RADIUS + LOOP + 0.06)
    reach = 0.06 + abs(np.cos(angle)) * max(_width(label) / 2 - 0.03, 0)
    x, y = x + reach * np.cos(angle), y + reach * np.sin(angle)
    axes.text(x, y, label, ha="center", va="center", parse_math=False, zorder=4)


def _circle(axes: "Axes", node: Node, point: Points) -> None:
    from matplotlib.patches import Circle

    edge, face = (style.GREY, style.PALE) if node.faint else (style.INK, style.BLUE if node.accepting else "white")
    centre = float(point[0]), float(point[1])
    axes.add_patch(Circle(centre, RADIUS, facecolor=face, edgecolor=edge, linewidth=1.1, zorder=3))
    if node.accepting:
        axes.add_patch(Circle(centre, RADIUS - 0.05, facecolor="none", edgecolor=edge, linewidth=0.9, zorder=3))
    lines = node.text.split("\n")
    size = min(style.FONT_SIZE, 1.7 * RADIUS / style.EM / max(map(len, lines)), 1.3 * RADIUS * 72 / len(lines))
    axes.text(*centre, node.text, fontsize=size, ha="center", va="center", linespacing=1.0, parse_math=False, zorder=4)


def _write(axes: "Axes", points: Points, paths: list[Points], bends: list[float], labels: list[str]) -> None:
    """Writes each arc's label beside it, where it is furthest from states, other arcs and earlier labels."""
    written = np.empty((0, 2))
    for number, (path, bend, label) in enumerate(zip(paths, bends, labels, strict=True)):
        others = np.concatenate([*paths[:number], *paths[number + 1 :], np.empty((0, 2))])
        half = _width(label) / 2
        best, where = -np.inf, path[0]
        for place in _places(path, bend, half):
            free = min(
                _near(points, place) - RADIUS - half / 2, _near(written, place) - half - 0.1, _near(others, place)
            )
            # Halfway is best if there is room.
            score = min(free, 0.2) - 0.1 * float(np.linalg.norm(place - path[len(path) // 2]))
            if score > best:
                best, where = score, place
        written = np.vstack([written, where])
        axes.text(where[0], where[1], label, ha="center", va="center", parse_math=False, zorder=4)


def _places(path: Points, bend: float, half: float) -> Points:
    """Where the label of a path may stand: on the outer side of a bent one, on either side of a straight one."""
    middle = path[3 * len(path) // 10 : 7 * len(path) // 10 + 1]
    x, y = (path[-1] - path[0]) / np.linalg.norm(path[-1] - path[0])
    right = np.array([y, -x])
    off = OFF + abs(right[0]) * max(half - 0.04, 0)
    sides = [-1.0, 1.0] if bend == 0 else [np.sign(bend)]
    return np.concatenate([middle + side * off * right for side in sides])


def _near(points: Points, place: Points) -> float:
    return float(np.linalg.norm(points - place, axis=1).min()) if len(points) else np.inf


def _directions(points: Points, pairs: list[tuple[int, int]], bends: list[float]) -> list[list[float]]:
    """The angles at which arcs touch each state."""
    taken: list[list[float]] = [[] for _ in points]
    for (a, b), bend in zip(pairs, bends, strict=True):
        x, y = points[b] - points[a]
        slope, turn = np.arctan2(y, x), np.arctan(2 * bend)
        taken[a].append(float(slope - turn))
        taken[b].append(float(slope + np.pi + turn))
    return taken


def _towards(angle: float) -> Points:
    return np.array([np.cos(angle), np.sin(angle)])


def _width(label: str) -> float:
    return len(label) * style.EM * style.FONT_SIZE
