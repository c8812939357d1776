"""Trees: a root above its children, leaves evenly spaced in their order."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from seqbench.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STEP, DROP, MARGIN = 0.4, 0.5, 0.3
NODE = 0.14  # from the middle of a node to its edge


@dataclass(frozen=True)
class Tree:
    """A node and what hangs from it.

    Attributes:
        text: what stands in the node.
        children: from left to right.
    """

    text: str
    children: tuple["Tree", ...] = ()

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return sum(child.leaves for child in self.children) or 1

    @property
    def height(self) -> int:
        """Number of levels."""
        return 1 + max((child.height for child in self.children), default=0)


def tree(root: Tree) -> "Figure":
    """The picture of a tree; nodes with children are shaded.

    Raises:
        InputError: no matplotlib.

    Example:
        >>> figure = tree(Tree("MAX = 7", (Tree("7"), Tree("2"))))
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['7', '2', 'MAX = 7']
    """
    step = max(STEP, *_widths(root))
    width, height = root.leaves * step + 2 * MARGIN, (root.height - 1) * DROP + 2 * MARGIN
    with style.look():
        figure, axes = style.canvas(width, height)
        _draw(axes, root, MARGIN, height - MARGIN, step)
    return figure


def _widths(node: Tree) -> list[float]:
    """How much room the text of each node takes for each leaf below it, in inches."""
    own = (len(node.text) * style.EM * style.SMALL + 0.12) / node.leaves
    return [own, *(width for child in node.children for width in _widths(child))]


def _draw(axes: "Axes", node: Tree, left: float, y: float, step: float) -> float:
    """Draws a node and what hangs from it, from a left edge on; where its middle is."""
    x, start = left + node.leaves * step / 2, left
    for child in node.children:
        below = _draw(axes, child, start, y - DROP, step)
        axes.plot([x, below], [y - NODE, y - DROP + NODE], color=style.GREY, linewidth=0.8, zorder=1)
        start += child.leaves * step
    colour = style.BLUE if node.children else "white"
    box = {"boxstyle": "round,pad=0.25", "facecolor": colour, "edgecolor": style.RULE, "linewidth": 0.8}
    axes.text(x, y, node.text, fontsize=style.SMALL, ha="center", va="center", bbox=box, parse_math=False)
    return x
