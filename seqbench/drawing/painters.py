"""How the box of one J-class is drawn: with every element written, or with shaded cells and numbers."""

from itertools import groupby
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from seqbench.algebra.alphabet import Alphabet, separator
from seqbench.algebra.structure import Structure
from seqbench.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLAIN_NAME = 6
"""Longer words are written with powers."""

LINE, PAD = 0.145, 0.06
LARGEST_EDGE, LARGEST_BOX = 0.16, 2.6
"""In inches: the height of a line of text, the room around it, the greatest edge of a shaded cell and of a box."""

SUPERSCRIPTS = str.maketrans("0123456789", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
STAR = "\u22c6"


class Painter(Protocol):
    """Draws the box of one J-class."""

    legend: str

    def size(self, j_class: int) -> tuple[float, float]:
        """Width and height in inches."""

    def caption(self, j_class: int) -> str:
        """What stands beside the box."""

    def paint(self, axes: "Axes", j_class: int, left: float, top: float) -> None:
        """Draws it."""


class Names:
    """Boxes in which every element is written.

    Attributes:
        longest: the number of characters of the longest name.

    Example:
        >>> from seqbench.algebra import families
        >>> from seqbench.algebra.monoid import Monoid
        >>> names = Names(Structure(Monoid.of(families.build("dyck", {"depth": 4}))))
        >>> names.longest  # a star, and 0, 1, 0 with powers
        7
    """

    def __init__(self, structure: Structure) -> None:
        """Names all elements."""
        self._structure, monoid = structure, structure.monoid
        words = [monoid.word(element).tolist() for element in range(len(monoid))]
        powers = max(map(len, words)) > PLAIN_NAME
        stars = set(structure.idempotents.tolist())
        self._names = [
            STAR * (element in stars) + shortest_name(word, monoid.machine.alphabet, powers=powers)
            for element, word in enumerate(words)
        ]
        self._stars = stars
        self.longest = max(map(len, self._names))
        self.legend = f"Rows: R-classes. Columns: L-classes. Shaded: groups. {STAR}:\u00a0idempotents."

    def size(self, j_class: int) -> tuple[float, float]:
        """Width and height in inches."""
        width, height = self._cell(j_class)
        return width * int(self._structure.j_columns[j_class]), height * int(self._structure.j_rows[j_class])

    def caption(self, j_class: int) -> str:
        """What stands beside the box."""
        order = int(self._structure.group_orders[j_class])
        return f"group of\norder {order}" if order > 1 else ""

    def paint(self, axes: "Axes", j_class: int, left: float, top: float) -> None:
        """Draws it."""
        width, height = self._cell(j_class)
        for row, line in enumerate(arranged(self._structure, j_class).tolist()):
            for column, elements in enumerate(line):
                x, y = left + column * width, top - (row + 1) * height
                shade = style.BLUE if self._stars.intersection(elements) else "white"
                _rectangle(axes, x, y, width, height, shade)
                text = self._text(elements)
                axes.text(x + width / 2, y + height / 2, text, ha="center", va="center_baseline", parse_math=False)

    def _cell(self, j_class: int) -> tuple[float, float]:
        """Width and height of an H-class."""
        structure = self._structure
        size = int(structure.j_sizes[j_class] // (structure.j_rows[j_class] * structure.j_columns[j_class]))
        across = _across(size)
        return across * (self.longest * style.EM * style.FONT_SIZE + PAD) + PAD, -(-size // across) * LINE + 2 * PAD

    def _text(self, elements: list[int]) -> str:
        across = _across(len(elements))
        rows = [elements[i : i + across] for i in range(0, len(elements), across)]
        return "\n".join("  ".join(self._names[element] for element in row) for row in rows)


class Shades:
    """Boxes in which groups are shaded, with their numbers beside them.

    Args:
        structure: of the monoid.
        edge: the edge of a cell in inches, if the box has room for it.

    Example:
        >>> from seqbench.algebra import families
        >>> from seqbench.algebra.monoid import Monoid
        >>> shades = Shades(Structure(Monoid.of(families.build("dyck", {"depth": 4}))), 0.1)
        >>> [round(inches, 2) for inches in shades.size(2)]
        [0.3, 0.3]
    """

    legend = "Rows: R-classes. Columns: L-classes. Shaded cells: groups."

    def __init__(self, structure: Structure, edge: float) -> None:
        """Draws nothing yet."""
        self._structure, self._edge = structure, edge

    def size(self, j_class: int) -> tuple[float, float]:
        """Width and height in inches."""
        rows, columns = int(self._structure.j_rows[j_class]), int(self._structure.j_columns[j_class])
        edge = min(self._edge, LARGEST_BOX / max(rows, columns))
        return max(columns * edge, LARGEST_EDGE), max(rows * edge, LARGEST_EDGE)

    def caption(self, j_class: int) -> str:
        """What stands beside the box."""
        structure = self._structure
        rows, columns, size = structure.j_rows[j_class], structure.j_columns[j_class], structure.j_sizes[j_class]
        order = int(size // (rows * columns))
        if size == 1:
            word = structure.monoid.word(int(structure.egg_box(j_class)[0, 0, 0])).tolist()
            return shortest_name(word, structure.monoid.machine.alphabet, powers=len(word) > PLAIN_NAME)
        if not structure.regular[j_class]:
            cells = f"\nno group, cells of {order:,}" if order > 1 else "\nno group"
        else:
            cells = f"\ngroups of order {order:,}" if order > 1 else ""
        return f"{rows:,} \u00d7 {columns:,}{cells}"

    def paint(self, axes: "Axes", j_class: int, left: float, top: float) -> None:
        """Draws it."""
        from matplotlib.colors import ListedColormap

        box = arranged(self._structure, j_class)
        groups = np.isin(box, self._structure.idempotents).any(axis=2)
        width, height = self.size(j_class)
        axes.imshow(
            groups,
            cmap=ListedColormap(["white", style.BLUE]),
            vmin=0,
            vmax=1,
            extent=(left, left + width, top - height, top),
            aspect="auto",
            interpolation="nearest",
            zorder=2,
        )
        if height / box.shape[0] >= 0.05:
            xs, ys = (np.linspace(0, 1, count + 1)[1:-1] for count in box.shape[1::-1])
            axes.vlines(left + xs * width, top - height, top, color=style.RULE, linewidth=0.5, zorder=3)
            axes.hlines(top - ys * height, left, left + width, color=style.RULE, linewidth=0.5, zorder=3)
        _rectangle(axes, left, top - height, width, height, "none")


def arranged(structure: Structure, j_class: int) -> npt.NDArray[np.int32]:
    """The egg-box with its columns in the order of their first groups: idempotents come near the diagonal.

    Example:
        >>> from seqbench.algebra import families
        >>> from seqbench.algebra.monoid import Monoid
        >>> arranged(Structure(Monoid.of(families.build("dyck", {"depth": 1}))), 1).tolist()
        [[[4], [1]], [[2], [5]]]
    """
    box = structure.egg_box(j_class)
    groups = np.isin(box, structure.idempotents).any(axis=2)
    columns: npt.NDArray[np.int32] = box[:, np.argsort(groups.argmax(axis=0), kind="stable")]
    return columns


def _rectangle(axes: "Axes", x: float, y: float, width: float, height: float, shade: str) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x, y), width, height, facecolor=shade, edgecolor=style.INK, linewidth=0.8, zorder=3))


def _across(size: int) -> int:
    """How many of the names in a cell stand side by side."""
    return int(np.ceil(np.sqrt(size / 2.5)))


def shortest_name(word: list[int], alphabet: Alphabet, *, powers: bool) -> str:
    """The word, repeated symbols as powers if asked for; epsilon if it is empty.

    Example:
        >>> shortest_name([0, 0, 0, 1], ("0", "1"), powers=True), shortest_name([], ("0", "1"), powers=False)
        ('0³1', 'ε')
    """
    runs = [(alphabet[symbol], len(list(run))) for symbol, run in groupby(word)]
    if not powers:
        runs = [(alphabet[symbol], 1) for symbol in word]
    shown = (symbol + (str(count).translate(SUPERSCRIPTS) if count > 1 else "") for symbol, count in runs)
    return separator(alphabet).join(shown) or "\u03b5"
