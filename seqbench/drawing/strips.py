"""Strips: words as rows of cells, one below the other, so that an input stands over its target."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seqbench.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CELL = 0.26
MARGIN, PAD = 0.12, 0.08


@dataclass(frozen=True)
class Strip:
    """A word as drawn.

    Attributes:
        name: what stands at its left.
        cells: what stands in its cells.
        marked: the places of cells in another colour.
    """

    name: str
    cells: tuple[str, ...]
    marked: frozenset[int] = frozenset()


def strips(rows: Sequence[Strip]) -> "Figure":
    """The picture of words, cell by cell; empty cells have no frame.

    Raises:
        InputError: no matplotlib.

    Example:
        >>> figure = strips([Strip("input", ("a", "b"), frozenset({1})), Strip("target", ("", "c"))])
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['target', 'c', 'input', 'a', 'b']
    """
    left = max(len(row.name) for row in rows) * style.EM * style.FONT_SIZE + MARGIN + PAD
    longest = max((len(cell) for row in rows for cell in row.cells), default=1)
    wide = max(CELL, longest * style.EM * style.SMALL + PAD)
    width = left + max(len(row.cells) for row in rows) * wide + MARGIN
    with style.look():
        figure, axes = style.canvas(width, len(rows) * (CELL + PAD) + 2 * MARGIN - PAD)
        for number, row in enumerate(reversed(rows)):
            _draw(axes, row, left, MARGIN + number * (CELL + PAD), wide)
    return figure


def _draw(axes: "Axes", row: Strip, left: float, bottom: float, wide: float) -> None:
    from matplotlib.patches import Rectangle

    middle = bottom + CELL / 2
    axes.text(left - PAD, middle, row.name, color=style.GREY, ha="right", va="center", parse_math=False)
    for place, cell in enumerate(row.cells):
        x = left + place * wide
        if cell:
            colour = style.BLUE if place in row.marked else style.PALE
            axes.add_patch(Rectangle((x, bottom), wide, CELL, facecolor=colour, edgecolor=style.RULE, linewidth=0.8))
            axes.text(x + wide / 2, middle, cell, fontsize=style.SMALL, ha="center", va="center", parse_math=False)
