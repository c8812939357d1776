"""Heat maps of compositions side by side: what training shows, what the test needs, and the ratio of the two."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqbench.drawing import plots, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MISSING = "#d6264a"
EMPTY = "#dedede"  # white is a ratio of one
MAX_CELLS = 500  # of a side; with more, a cell of the picture stands for several
ROOM = 22  # labels that fit along a side
Array = npt.NDArray[Any]


def composition_maps(
    train: Array,
    test: Array | None = None,
    groups: Array | None = None,
    names: Sequence[str] | None = None,
) -> "Figure":
    """Compositions of classes (row: left block, column: right block), coloured by the logarithm of their share.

    Up to 22 classes are named one by one; of more, their groups are, by number and the name of their first class, as
    far as there is room. Beyond 500 classes a cell shows the sum of several compositions.

    Args:
        train: counts of the training data, shape (classes, classes).
        test: counts or expected counts of the test; adds its map, in the same colours, and that of the ratio, where
            compositions that the test needs and training never showed are red.
        groups: group of each class, such as its J-class, by which classes are ordered; lines mark the groups.
        names: of the classes.

    Example:
        >>> figure = composition_maps(np.array([[3, 0], [1, 2]]), np.array([[1, 1], [0, 2]]), names=["", "1"])
        >>> [axes.get_title() for axes in figure.axes][:3]
        ['train (grey: none)', 'test (grey: none)', 'train / test (red: never seen)']
        >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
        ['ε', '1']
    """
    order = np.arange(len(train)) if groups is None else np.argsort(groups, kind="stable")
    panels = {"train": (train / max(train.sum(), 1))[np.ix_(order, order)]}
    if test is not None:
        panels["test"] = (test / max(test.sum(), 1e-300))[np.ix_(order, order)]
    from matplotlib.figure import Figure

    with style.look():
        number = len(panels) + (test is not None)
        figure = Figure(figsize=(4.6 * number, 4.3), layout="constrained")
        axes = np.atleast_1d(figure.subplots(1, number))
        shares = {name: _summed(share) for name, share in panels.items()}
        both = np.concatenate([share.ravel() for share in shares.values()])  # one scale, so that they can be compared
        for each, (name, share) in zip(axes, shares.items(), strict=False):
            plots.image(figure, each, share, "share of compositions", _extent(order), both)
            each.set_title(f"{name} (grey: none)")
        if test is not None:
            _ratio(figure, axes[-1], panels["train"], panels["test"])
        for each in axes:
            each.set_facecolor(EMPTY)
            _label(each, order, groups, names)
        _name_axes(axes, len(train), groups is not None)
    return figure


def _summed(cells: Array) -> Array:
    """At most 500 rows and columns: neighbours are added up."""
    starts = np.arange(0, len(cells), -(-len(cells) // MAX_CELLS))
    return np.asarray(np.add.reduceat(np.add.reduceat(cells, starts, axis=0), starts, axis=1))


def _extent(classes: Array) -> tuple[float, float, float, float]:
    """Where the picture of all pairs of classes stands, so that a class is at its number."""
    return (-0.5, len(classes) - 0.5, len(classes) - 0.5, -0.5)


def _ratio(figure: "Figure", axes: "Axes", train: Array, test: Array) -> None:
    from matplotlib.colors import ListedColormap, LogNorm

    missing = np.ma.masked_equal(_summed(((test > 0) & (train == 0)).astype(float)) > 0, False)
    extent, (train, test) = _extent(train), (_summed(train), _summed(test))
    both = (train > 0) & (test > 0)
    ratio = np.ma.masked_array(np.divide(train, test, out=np.ones_like(test, dtype=float), where=both), ~both)
    span = float(np.exp(np.abs(np.log(ratio.compressed())).max())) if both.any() else 10.0
    norm = LogNorm(1 / max(span, 10.0), max(span, 10.0))
    shown = axes.imshow(ratio, cmap="PuOr", norm=norm, extent=extent, interpolation="nearest")
    axes.imshow(missing, cmap=ListedColormap([MISSING]), extent=extent, interpolation="nearest")
    axes.spines[["top", "right"]].set_visible(True)
    axes.set_title("train / test (red: never seen)")
    figure.colorbar(shown, ax=axes, label="ratio of shares", shrink=0.9)


def _label(axes: "Axes", order: Array, groups: Array | None, names: Sequence[str] | None) -> None:
    """Lines between groups, and ticks: classes by name, or groups by number and first class."""
    ordered = None if groups is None else np.asarray(groups)[order]
    if ordered is not None:
        plots.boundaries(axes, ordered)
    if names is None:
        return
    if len(order) <= ROOM or ordered is None:
        places: Array = np.arange(0, len(order), -(-len(order) // ROOM))
        labels = [plots.clipped(names[order[place]]) for place in places.tolist()]
    else:
        first = np.flatnonzero(np.append(True, np.diff(ordered)))
        size = np.diff(np.append(first, len(order)))
        middle = first + (size - 1) / 2
        shown = _apart(middle, size, len(order) / ROOM)
        places = middle[shown]
        labels = [f"J{ordered[first[i]]}  {plots.clipped(names[order[first[i]]])}" for i in shown]
    turned = 90 if max(map(len, labels)) > 2 else 0
    axes.set_xticks(places, labels, rotation=turned, parse_math=False)
    axes.set_yticks(places, labels, parse_math=False)


def _apart(places: Array, sizes: Array, distance: float) -> list[int]:
    """The groups whose labels do not touch, the large ones first."""
    shown: list[int] = []
    for i in np.argsort(-sizes, kind="stable").tolist():
        if all(abs(places[i] - places[other]) >= distance for other in shown):
            shown.append(i)
    return sorted(shown)


def _name_axes(axes: Array, classes: int, grouped: bool) -> None:
    which = " (J-class, its shortest word)" if grouped and classes > ROOM else ""
    for each in axes:
        each.set_xlabel(f"class of the right block{which}")
    axes[0].set_ylabel(f"class of the left block{which}")
