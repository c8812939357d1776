"""Product tables of groups and monoids: which element is the product of two."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqbench.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_WRITTEN = 12  # elements whose names stand in the cells
MAX_SHOWN = 120  # elements of which the table is drawn
ROOM = 8  # symbols of a name that fit
CELL, SIDE = 0.44, 3.4  # of a written cell, and of a table without names, in inches


def product_table(products: npt.NDArray[Any], names: Sequence[str]) -> "Figure":
    """The picture of a product table, a colour for each element: row times column.

    Up to 12 elements are written; of more than 120 only the products of the first 120 are drawn.

    Args:
        products: shape (elements, elements), or (elements, letters) where not all are right factors.
        names: of the elements.

    Raises:
        InputError: no matplotlib.

    Example:
        >>> figure = product_table(np.array([[0, 1], [1, 0]]), ["e", "a"])
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['e', 'a', 'a', 'e']
    """
    shown = products[:MAX_SHOWN, :MAX_SHOWN]
    from matplotlib.ticker import MaxNLocator

    square = products.shape[0] == products.shape[1]
    written = square and len(products) <= MAX_WRITTEN and max(map(len, names)) <= ROOM
    side = 0.9 + CELL * len(shown) if written else SIDE
    with style.look():
        figure, axes = style.plot(side, side)
        look: dict[str, Any] = {"cmap": "Blues", "vmax": 1.6 * len(products)} if written else {"cmap": "viridis"}
        axes.imshow(shown, vmin=-0.2 * len(products), interpolation="none", aspect="auto", **look)
        axes.set(xlabel="right factor" if square else "letter", ylabel="left factor")
        if written:
            _write(axes, shown, names)
        else:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        if len(shown) < len(products):
            axes.set_title(f"the first {len(shown)} of {len(products)} elements", loc="left")
    return figure


def _write(axes: "Axes", shown: npt.NDArray[Any], names: Sequence[str]) -> None:
    for (row, column), element in np.ndenumerate(shown):
        axes.text(column, row, names[element], fontsize=style.SMALL, ha="center", va="center", parse_math=False)
    axes.set_xticks(range(len(names)), names, parse_math=False)
    axes.set_yticks(range(len(names)), names, parse_math=False)
