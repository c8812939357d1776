"""Plots of numbers: heat maps of pairs of classes, and curves with bands."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqbench.drawing import style
from seqbench.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_PIXELS = 1_000
MAX_NAMES = 24
MAX_BOUNDARIES = 60


def heat_map(
    matrix: npt.ArrayLike,
    *,
    groups: Sequence[int] | npt.NDArray[np.integer[Any]] | None = None,
    names: Sequence[str] | None = None,
    xlabel: str = "second class",
    ylabel: str = "first class",
    value: str = "count",
) -> "Figure":
    """A heat map with logarithmic colours; zeros are white.

    Args:
        matrix: (rows, columns), finite and not negative. Beyond 1,000 rows or columns a pixel shows the greatest of its
            cells, so that none is lost.
        groups: the group of every row and of the same column, such as the J-class of every element. Then rows and
            columns are ordered by group, and lines separate the groups if there are at most 60.
        names: of rows and columns, in the order of the matrix; at most 24 are written.
        xlabel: what the columns are.
        ylabel: what the rows are.
        value: what the colours mean.

    Raises:
        InputError: no matrix of such numbers; groups or names that do not fit it; no matplotlib.

    Example:
        >>> figure = heat_map([[0, 3], [100, 1]], groups=[0, 1], names=["", "a"], value="pairs")
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['first class', 'pairs']
    """
    cells = _checked(matrix)
    order = _order(cells, groups, names)
    if groups is not None:
        cells = cells[np.ix_(order, order)]
    with style.look():
        figure, axes = style.plot(5.6, 4.7)
        image(figure, axes, cells, value)
        if groups is not None:
            boundaries(axes, np.asarray(groups)[order])
        _name_ticks(axes, cells, [names[i] for i in order] if names is not None else None)
        axes.set(xlabel=xlabel, ylabel=ylabel)
    return figure


def curve(
    x: npt.ArrayLike,
    lines: Mapping[str, npt.ArrayLike],
    *,
    bands: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]] | None = None,
    spans: Mapping[str, tuple[float, float]] | None = None,
    xlabel: str = "length",
    ylabel: str = "accuracy",
    log: str = "",
    limits: tuple[float, float] | None = None,
) -> "Figure":
    """Lines over a common x, with bands around them and shaded spans of x.

    Args:
        x: (points,).
        lines: y (points,) by name; NaN leaves a gap.
        bands: the lower and upper edge (points,) by the name of a line, such as a confidence interval.
        spans: the first and last x of shaded ranges by name, such as the lengths of training.
        xlabel: what x is.
        ylabel: what y is.
        log: the logarithmic axes: "", "x", "y" or "xy".
        limits: the lowest and highest y.

    Raises:
        InputError: lines or bands of another shape than x; a band without its line; no matplotlib.

    Example:
        >>> figure = curve([1, 2, 4], {"LSTM": [1, 0.9, 0.5]}, bands={"LSTM": ([1, 0.8, 0.4], [1, 1, 0.6])})
        >>> figure.axes[0].get_xlabel()
        'length'
    """
    bands, spans = bands or {}, spans or {}
    points = np.asarray(x, np.float64)
    _check_lines(points, lines, bands)
    with style.look():
        figure, axes = style.plot(5.6, 3.6)
        for shade, (name, (low, high)) in enumerate(spans.items()):
            axes.axvspan(low, high, color=style.RULE, alpha=0.4 / (1 + shade), linewidth=0, label=name)
        for number, (name, y) in enumerate(lines.items()):
            colour = style.CYCLE[number % len(style.CYCLE)]
            dash = ("-", "--", ":", "-.")[number // len(style.CYCLE) % 4]
            axes.plot(points, np.asarray(y, np.float64), dash, color=colour, linewidth=1.6, label=name)
            if name in bands:
                low_edge, high_edge = (np.asarray(edge, np.float64) for edge in bands[name])
                axes.fill_between(points, low_edge, high_edge, color=colour, alpha=0.18, linewidth=0)
        axes.set(
            xlabel=xlabel,
            ylabel=ylabel,
            xscale="log" if "x" in log else "linear",
            yscale="log" if "y" in log else "linear",
        )
        axes.set_ylim(limits)
        axes.margins(x=0.02)
        axes.grid(axis="y", color=style.RULE, linewidth=0.5, alpha=0.6)
        if len(lines) + len(spans) > 1:
            figure.legend(loc="outside right upper")
    return figure


def scatter(
    points: npt.ArrayLike,
    classes: npt.ArrayLike,
    names: Sequence[str],
    *,
    xlabel: str = "first direction",
    ylabel: str = "second direction",
    title: str = "",
    most: int = 5000,
) -> "Figure":
    """Points in the plane, coloured by class: up to six in a legend, of more the most frequent named at their middles.

    Args:
        points: (n, 2).
        classes: the class of each point, shape (n,).
        names: of the classes.
        xlabel: what the first coordinate is.
        ylabel: what the second is.
        title: what the points are.
        most: points drawn, evenly chosen.

    Raises:
        InputError: no points in the plane, or no matplotlib.

    Example:
        >>> figure = scatter([[0, 0], [1, 1]], [0, 1], ["even", "odd"])
        >>> [text.get_text() for text in figure.legends[0].get_texts()]
        ['even', 'odd']
    """
    place, of = np.asarray(points, np.float64), np.asarray(classes)
    if place.ndim != 2 or place.shape[1] != 2 or len(of) != len(place):
        raise InputError(f"Points of shape {place.shape} with {len(of)} classes cannot be drawn. Give (n, 2) and n.")
    shown = slice(None, None, max(1, len(place) // most))
    with style.look():
        figure, axes = style.plot(5.6, 4.7)
        if len(np.unique(of)) <= len(style.CYCLE):
            _in_legend(figure, axes, place[shown], of[shown], names)
        else:
            axes.scatter(place[shown, 0], place[shown, 1], c=of[shown], cmap="turbo", s=5, linewidths=0, alpha=0.6)
            _at_middles(axes, place, of, names)
        axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    return figure


def _in_legend(
    figure: "Figure", axes: "Axes", place: npt.NDArray[Any], of: npt.NDArray[Any], names: Sequence[str]
) -> None:
    for number, colour in zip(np.unique(of), style.CYCLE, strict=False):
        x, y = place[of == number].T
        axes.scatter(x, y, color=colour, s=5, linewidths=0, alpha=0.6, label=clipped(names[number]))
    figure.legend(loc="outside right upper", markerscale=2.5)


def _at_middles(axes: "Axes", place: npt.NDArray[Any], of: npt.NDArray[Any], names: Sequence[str]) -> None:
    numbers, counts = np.unique(of, return_counts=True)
    for number in np.sort(numbers[np.argsort(-counts, kind="stable")][:MAX_NAMES]):
        x, y = np.median(place[of == number], axis=0)
        axes.text(x, y, clipped(names[number]), size=style.SMALL, ha="center", va="center")


def _checked(matrix: npt.ArrayLike) -> npt.NDArray[np.float64]:
    cells = np.asarray(matrix, np.float64)
    if cells.ndim != 2 or not cells.size:
        raise InputError(f"An array of shape {cells.shape} is no matrix. Give rows and columns, at least one of each.")
    if not (np.isfinite(cells) & (cells >= 0)).all():
        raise InputError("The matrix holds a number that is negative or not finite. Heat maps show counts or weights.")
    return cells


def _order(
    cells: npt.NDArray[np.float64], groups: Sequence[int] | npt.NDArray[Any] | None, names: Sequence[str] | None
) -> list[int]:
    """The rows ordered by group."""
    size = len(cells)
    for what, values in (("groups", groups), ("names", names)):
        if values is not None and (len(values) != size or cells.shape != (size, size)):
            raise InputError(
                f"There are {len(values)} {what} for a matrix of shape {cells.shape}. "
                "They are for square matrices, one a row."
            )
    return list(range(size)) if groups is None else np.argsort(groups, kind="stable").tolist()


def image(
    figure: "Figure",
    axes: "Axes",
    cells: npt.NDArray[np.float64],
    value: str,
    extent: tuple[float, float, float, float] | None = None,
    span: npt.NDArray[np.float64] | None = None,
) -> None:
    """Draws cells in logarithmic colours with a colour bar; zeros show the ground.

    `extent`: left, right, bottom, top. `span`: numbers that the colours should reach too, as those of a twin picture.
    """
    from matplotlib.colors import LinearSegmentedColormap, LogNorm
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    rows, columns = cells.shape
    for axis in (0, 1):
        # The nearest pixel alone would lose single cells of a large matrix.
        step = -(-cells.shape[axis] // MAX_PIXELS)
        cells = np.maximum.reduceat(cells, np.arange(0, cells.shape[axis], step), axis=axis)
    all_ = cells if span is None else np.append(cells, span)
    positive = all_[all_ > 0]
    low, high = (float(positive.min()), float(positive.max())) if positive.size else (1.0, 1.0)
    low = min(low, max(high / 10, 1) if low >= 1 else high / 10)  # small differences look small, counts begin at 1
    high = high if high > low else 10 * low
    colours = LinearSegmentedColormap.from_list("seqbench", ["#cfe3f5", "#4a90c4", "#15508c", "#0a1f44"])
    image = axes.imshow(
        np.ma.masked_equal(cells, 0),
        cmap=colours,
        norm=LogNorm(low, high),
        extent=extent or (-0.5, columns - 0.5, rows - 0.5, -0.5),
        interpolation="nearest",
        aspect="auto" if rows != columns else "equal",
    )
    axes.spines[["top", "right"]].set_visible(True)
    bar = figure.colorbar(image, ax=axes, label=value, shrink=0.9)
    if high < 1000 * low:
        bar.locator, bar.formatter, bar.minorlocator = (
            LogLocator(subs=(1, 2, 5)),
            StrMethodFormatter("{x:g}"),
            NullLocator(),
        )
        bar.update_ticks()


def boundaries(axes: "Axes", groups: npt.NDArray[Any]) -> None:
    """Draws lines between groups of rows and columns, unless there are too many."""
    edges = np.flatnonzero(np.diff(groups)) + 0.5
    if len(edges) <= MAX_BOUNDARIES:
        for edge in edges:
            axes.axhline(edge, color=style.CYCLE[1], linewidth=0.6)
            axes.axvline(edge, color=style.CYCLE[1], linewidth=0.6)


def _name_ticks(axes: "Axes", cells: npt.NDArray[np.float64], names: Sequence[str] | None) -> None:
    if names is None:
        return
    ticks = range(0, len(cells), -(-len(cells) // MAX_NAMES))
    labels = [clipped(names[tick]) for tick in ticks]
    axes.set_xticks(ticks, labels, rotation=90 if max(map(len, labels)) > 2 else 0, parse_math=False)
    axes.set_yticks(ticks, labels, parse_math=False)


def clipped(name: str) -> str:
    """The name as a tick: the empty word as epsilon, a long one cut.

    Example:
        >>> clipped(""), clipped("0011"), clipped("0" * 20)
        ('ε', '0011', '00000000000…')
    """
    return "\u03b5" if not name else name if len(name) <= 12 else name[:11] + "\u2026"


def _check_lines(
    points: npt.NDArray[np.float64],
    lines: Mapping[str, npt.ArrayLike],
    bands: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]],
) -> None:
    edges = [(f"band of {name!r}", edge) for name, pair in bands.items() for edge in pair]
    for what, values in [*((f"line {name!r}", y) for name, y in lines.items()), *edges]:
        if np.shape(values) != points.shape or points.ndim != 1:
            raise InputError(
                f"The {what} has the shape {np.shape(values)}, but x has {points.shape}. Give one number for every x."
            )
    for name in bands:
        if name not in lines:
            raise InputError(f"There is a band {name!r} without a line of that name. Lines: {', '.join(lines)}.")
