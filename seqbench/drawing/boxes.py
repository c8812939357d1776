"""Egg-boxes: the J-classes of a monoid from the top of their order to the bottom, rows R-, columns L-classes."""

import textwrap
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from seqbench.algebra.monoid import Monoid
from seqbench.algebra.structure import Structure
from seqbench.drawing import style
from seqbench.drawing.painters import LARGEST_EDGE, LINE, PAD, Names, Painter, Shades

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_NAMED = 150
MAX_NAME = 14
MAX_SHADED = 60

MAX_INCHES = 14.0
MARGIN, GAP, LEAST_WIDTH = 0.25, 0.3, 2.6
EDGES = (LARGEST_EDGE, 0.1, 0.06)
"""The edges of shaded cells, of which the first that fits the page is taken."""


def egg_box(monoid: Monoid) -> "Figure":
    """The egg-box picture of a monoid: its J-classes as boxes, the larger ideals above, lines where one covers another.

    The rows of a box are R-classes, the columns L-classes, the cells H-classes; shaded cells are groups. Up to 150
    elements each is written, as its shortest word with powers, and idempotents have a star. Beyond that cells are only
    shaded, with numbers beside them. Of monoids with many J-classes a chart shows how many elements lie at each depth.

    Source: Clifford and Preston, "The algebraic theory of semigroups", 1961, section 2.1.

    Raises:
        InputError: no matplotlib.

    Example:
        >>> from seqbench.algebra import families
        >>> figure = egg_box(Monoid.of(families.build("dyck", {"depth": 1})))
        >>> [text.get_text() for text in figure.axes[0].texts][1:]
        ['⋆ε', '⋆01', '0', '1', '⋆10', '⋆00']
    """
    structure = Structure(monoid)
    with style.look():
        for painter in _painters(structure):
            page = _Page(structure, painter)
            if max(page.width, page.height) <= MAX_INCHES:
                return page.draw()
        return _chart(structure)


def _painters(structure: Structure) -> list[Painter]:
    """The ways to draw the boxes, the most telling first."""
    painters: list[Painter] = []
    if len(structure.monoid) <= MAX_NAMED and (names := Names(structure)).longest <= MAX_NAME:
        painters.append(names)
    if structure.num_j_classes <= MAX_SHADED:
        painters += [Shades(structure, edge) for edge in EDGES]
    return painters


@dataclass(frozen=True)
class _Place:
    """Where a box stands, in inches: its left and upper corner, its size."""

    left: float
    top: float
    width: float
    height: float


class _Page:
    """All boxes of a monoid, level by level of the J-order."""

    def __init__(self, structure: Structure, painter: Painter) -> None:
        self._structure, self._painter = structure, painter
        self._levels = _levels(structure)
        self._widths = [self._level_width(level) for level in self._levels]
        self._heights = [max(painter.size(j)[1] for j in level) for level in self._levels]
        self.width = max(*self._widths, LEAST_WIDTH) + 2 * MARGIN
        legend = f"{len(structure.monoid):,} elements, J-classes: {structure.num_j_classes}. {painter.legend}"
        self._legend = textwrap.fill(legend, int((self.width - 2 * MARGIN) / style.EM / style.SMALL))
        self._foot = 2 * MARGIN + LINE * (1 + self._legend.count("\n"))
        self.height = sum(self._heights) + GAP * (len(self._levels) - 1) + MARGIN + self._foot

    def draw(self) -> "Figure":
        """The figure: the boxes with their captions, the lines of the J-order, the legend."""
        figure, axes = style.canvas(self.width, self.height)
        places = self._places()
        look: dict[str, Any] = {"fontsize": style.SMALL, "color": style.GREY, "zorder": 5, "parse_math": False}
        axes.text(MARGIN, MARGIN, self._legend, va="bottom", **look)
        for j, place in places.items():
            self._painter.paint(axes, j, place.left, place.top)
            x, y = place.left + place.width + PAD, place.top - place.height / 2
            if caption := self._painter.caption(j):
                axes.text(x, y, caption, va="center", **look)
        for upper, lower in self._structure.j_covers.tolist():
            _line(axes, places[upper], places[lower])
        return figure

    def _places(self) -> dict[int, _Place]:
        top = self.height - MARGIN
        places = {}
        for level, width, height in zip(self._levels, self._widths, self._heights, strict=True):
            left = (self.width - width) / 2 + self._caption_width(level[-1])
            for j in level:
                size = self._painter.size(j)
                places[j] = _Place(left, top - (height - size[1]) / 2, *size)
                left += size[0] + self._caption_width(j) + GAP
            top -= height + GAP
        return places

    def _level_width(self, level: list[int]) -> float:
        """As much room before the first box as the last caption takes, so that boxes stand in the middle."""
        boxes = sum(self._painter.size(j)[0] + self._caption_width(j) + GAP for j in level) - GAP
        return boxes + self._caption_width(level[-1])

    def _caption_width(self, j_class: int) -> float:
        longest = max(map(len, self._painter.caption(j_class).split("\n")))
        return longest * style.EM * style.SMALL + PAD if longest else 0.0


def _line(axes: "Axes", upper: _Place, lower: _Place) -> None:
    xs = [upper.left + upper.width / 2, lower.left + lower.width / 2]
    axes.plot(xs, [upper.top - upper.height, lower.top], color=style.GREY, linewidth=0.8, zorder=1)


def _levels(structure: Structure) -> list[list[int]]:
    """The J-classes by their depth, each level ordered by where the classes above stand."""
    depths = structure.j_depths.tolist()
    uppers: list[list[int]] = [[] for _ in depths]
    for above, below in structure.j_covers.tolist():
        uppers[below].append(above)
    place: dict[int, float] = {}
    levels = []
    for _, members in groupby(sorted(range(len(depths)), key=depths.__getitem__), depths.__getitem__):
        level = sorted(members, key=lambda j: sum(place[i] for i in uppers[j]) / max(len(uppers[j]), 1))
        place |= {j: (number + 0.5) / len(level) for number, j in enumerate(level)}
        levels.append(level)
    return levels


def _chart(structure: Structure) -> "Figure":
    """The number of elements at each depth of the J-order, those of regular J-classes apart."""
    from matplotlib.ticker import MaxNLocator

    depths, regular = structure.j_depths, structure.regular
    bins = int(depths.max()) + 1
    inside, outside = (np.bincount(depths[kind], structure.j_sizes[kind], bins) for kind in (regular, ~regular))
    with style.look():
        figure, axes = style.plot(5.6, min(1.4 + 0.2 * bins, 8))
        axes.barh(range(bins), inside, color=style.CYCLE[0], label="in regular J-classes")
        if not regular.all():
            axes.barh(range(bins), outside, left=inside, color=style.RULE, label="in other J-classes")
        axes.set(xlabel="elements", ylabel="depth in the J-order", ylim=(bins - 0.4, -0.6))
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        count = f"{structure.num_j_classes:,} J-classes ({int(regular.sum()):,} regular)"
        axes.set_title(f"{len(structure.monoid):,} elements, {count}", loc="left")
        figure.legend(loc="outside right upper")
    return figure
