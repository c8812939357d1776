"""Heat maps of compositions side by side: what training shows, what the test needs, and the ratio of the two."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqbench.drawing import plots, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MISSING = "#d6264a"
Array = npt.NDArray[Any]


def composition_maps(train: Array, test: Array | None = None, groups: Array | None = None) -> "Figure":
    """Compositions of classes (row: left block, column: right block), coloured by the logarithm of their share.

    Args:
        train: counts of the training data, shape (classes, classes).
        test: counts or expected counts of the test; adds its map and that of the ratio, where compositions that the
            test needs and training never showed are red.
        groups: group of each class, by which classes are ordered; lines mark the groups.

    Example:
        >>> figure = composition_maps(np.array([[3, 0], [1, 2]]), np.array([[1, 1], [0, 2]]))
        >>> [axes.get_title() for axes in figure.axes][:3]
        ['train', 'test', 'train / test (red: never seen)']
    """
    order = np.arange(len(train)) if groups is None else np.argsort(groups, kind="stable")
    panels = {"train": train / max(train.sum(), 1)}
    if test is not None:
        panels["test"] = test / max(test.sum(), 1e-300)
    from matplotlib.figure import Figure

    with style.look():
        number = len(panels) + (test is not None)
        figure = Figure(figsize=(4.4 * number, 3.9), layout="constrained")
        axes = np.atleast_1d(figure.subplots(1, number))
        for each, (name, share) in zip(axes, panels.items(), strict=False):
            plots.image(figure, each, share[np.ix_(order, order)], "share of compositions")
            each.set_title(name)
        if test is not None:
            _ratio(figure, axes[-1], panels["train"][np.ix_(order, order)], panels["test"][np.ix_(order, order)])
        for each in axes:
            if groups is not None:
                plots.boundaries(each, np.asarray(groups)[order])
            each.set_xlabel("class of the right block")
        axes[0].set_ylabel("class of the left block")
    return figure


def _ratio(figure: "Figure", axes: "Axes", train: Array, test: Array) -> None:
    from matplotlib.colors import ListedColormap, LogNorm

    both = (train > 0) & (test > 0)
    ratio = np.ma.masked_array(np.divide(train, test, out=np.ones_like(test, dtype=float), where=both), ~both)
    span = float(np.exp(np.abs(np.log(ratio.compressed())).max())) if both.any() else 10.0
    extent = (-0.5, len(train) - 0.5, len(train) - 0.5, -0.5)
    missing = np.ma.masked_equal((test > 0) & (train == 0), False)
    axes.imshow(missing, cmap=ListedColormap([MISSING]), extent=extent, interpolation="nearest")
    norm = LogNorm(1 / max(span, 10.0), max(span, 10.0))
    shown = axes.imshow(ratio, cmap="PuOr", norm=norm, extent=extent, interpolation="nearest")
    axes.spines[["top", "right"]].set_visible(True)
    axes.set_title("train / test (red: never seen)")
    figure.colorbar(shown, ax=axes, label="ratio of shares", shrink=0.9)
