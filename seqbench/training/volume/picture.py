"""The picture of volumes against length, beside what the theory says."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from seqbench.drawing import save, style
from seqbench.errors import InputError
from seqbench.training.volume.estimate import Estimate, best
from seqbench.training.volume.verdicts import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Theory = tuple[str, Callable[[Array], Array]]

THEORY: dict[tuple[str, str], Theory] = {
    ("first", "a_pos"): ("constant", lambda n: np.ones(len(n))),
    ("index", "a_pos"): ("n^-3", lambda n: n**-3.0),
    ("index", "a_norm"): ("n^-1", lambda n: n**-1.0),
    ("majority", "a_gen"): ("1 / (n log n)", lambda n: 1 / (n * np.log(n))),
    ("majority", "a_sin"): ("1 / (n^3 log n)", lambda n: 1 / (n**3 * np.log(n))),
}
"""How the volume falls with n, up to a constant, by task and model (Zhu, Chiang 2026)."""


def slope(found: Sequence[Estimate]) -> float:
    """The slope of log V against log n through the estimates above 0, weighted by their effective hits.

    Example:
        >>> round(slope([Estimate(n, "plain", n**-2.0, 0, 1, 100.0, 1) for n in (5, 9, 17)]), 6)
        -2.0
    """
    there = [each for each in best(found) if each.volume > 0]
    if len(there) < 2:
        return float("nan")
    logs = np.log([(each.n, each.volume) for each in there])
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1, w=np.sqrt([each.effective for each in there]))[0])


def draw(found: Sequence[Estimate], task: str, model: str, path: str | Path) -> None:
    """Saves estimates with intervals against n, both axes logarithmic, and the theory's slope through the last one.

    Where nothing was hit, a triangle is at the upper end of the interval.

    Raises:
        InputError: every volume is proved to be 0, which has no place on a logarithmic axis.
    """
    open_ = [each for each in best(found) if each.method != "proved"]
    if not open_:
        raise InputError(
            f"All volumes of {task} under {model} are proved to be 0 here. There is nothing to draw: leave out --png."
        )
    there, missed = ([each for each in open_ if (each.volume > 0) == hit] for hit in (True, False))
    with style.look():
        figure, axes = style.plot(5.6, 3.6)
        if there:
            _draw_estimates(axes, there, THEORY.get((task, model)))
        if missed:
            bounds = [each.n for each in missed], [each.high for each in missed]
            axes.plot(*bounds, "v", color=style.CYCLE[2], markersize=5, label="no hit: below this (95 %)")
        n = np.array([each.n for each in open_])
        axes.set(xscale="log", yscale="log", xlabel="length n", ylabel="share of the box that is right on all words")
        low, high = axes.get_ylim()
        if high < 10 * low:  # a decade at least, so that what is nearly constant looks it
            axes.set_ylim((low * high / 10) ** 0.5, (low * high * 10) ** 0.5)
        axes.set_title(f"{task}, {model}")
        axes.set_xticks(n, [str(each) for each in n])
        axes.xaxis.minorticks_off()
        axes.legend()
    save(figure, path)


def _draw_estimates(axes: "Axes", there: Sequence[Estimate], theory: Theory | None) -> None:
    n, volume, low, high = np.array([(each.n, each.volume, each.low, each.high) for each in there]).T
    errors = np.abs(np.array([low, high]) - volume)
    axes.errorbar(n, volume, errors, fmt="o", color=style.CYCLE[0], markersize=4, capsize=3, label="estimate")
    if theory is not None and n.max() > 1:
        name, shape = theory
        fine = np.geomspace(max(2, n.min()), max(3, n.max()), 50)
        line = volume[-1] / shape(n[-1:])[0] * shape(fine)
        axes.plot(fine, line, "--", color=style.CYCLE[1], linewidth=1.4, label=f"slope of the theory: {name}")
