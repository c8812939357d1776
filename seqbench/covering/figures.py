"""The pictures of a coverage report: heat maps of compositions, and the curve of words fully covered."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.structure import Structure
from seqbench.covering.expected import MAX_CLASSES
from seqbench.errors import InputError, unknown_name

if TYPE_CHECKING:
    from seqbench.covering.report import CoverageReport

Array = npt.NDArray[Any]


def picture(report: "CoverageReport", kind: str, by: str = "j_class") -> Any:
    """One picture of a report; see CoverageReport.plot."""
    from seqbench.drawing import curve

    if kind == "curve":
        if not has_curve(report):
            raise InputError("The curve needs test words, or the schedule 'tree'. Give a test set.")
        ylabel = "share of words with every composition seen"
        return curve(
            *_lines(report), spans=_spans(report), xlabel="length of test words", ylabel=ylabel, limits=(0, 1.02)
        )
    if kind != "maps":
        raise unknown_name("kind of picture", kind, ("maps", "curve"))
    return _maps(report, by)


def _maps(report: "CoverageReport", by: str) -> Any:
    from seqbench.drawing import composition_maps
    from seqbench.drawing.painters import shortest_name

    monoid = report.train.monoid
    if len(monoid) > MAX_CLASSES:
        raise InputError(f"A map of {len(monoid):,} classes has too many cells; {MAX_CLASSES:,} at most.")
    if by not in {"j_class", "shortlex"}:
        raise unknown_name("order of classes", by, ("j_class", "shortlex"))
    groups = Structure(monoid).j_classes if by == "j_class" else None
    alphabet = report.language.alphabet
    names = [shortest_name(monoid.word(element).tolist(), alphabet, powers=True) for element in range(len(monoid))]
    pairs, need = report.train.pairs(), report.pooled_need
    test = _matrix(report, need.keys, need.weight) if report.need else None
    return composition_maps(_matrix(report, pairs.keys, pairs.counts), test, groups, names)


def has_curve(report: "CoverageReport") -> bool:
    """Whether there is a test length to draw."""
    return report.curve is not None and len(report.curve[0]) > 0


def _lines(report: "CoverageReport") -> tuple[Array, dict[str, Array]]:
    """The curve, as a line for each residue of the length where the classes reached depend on it."""
    lengths, shares = report.curve or (np.empty(0), np.empty(0))
    period = report.train.monoid.reach_period[1]
    if not 1 < period <= 4:
        return lengths, {"all words": shares}
    every = np.arange(lengths[0], lengths[-1] + 1)
    by_length = np.full(len(every), np.nan)
    by_length[lengths - lengths[0]] = shares
    lines = {}
    for rest in range(period):
        at = every % period == rest
        if np.isfinite(by_length[at]).any():
            name = ("even lengths", "odd lengths")[rest] if period == 2 else f"lengths {rest} modulo {period}"
            lines[name] = np.interp(every, every[at], by_length[at])
    return every, lines


def _spans(report: "CoverageReport") -> dict[str, tuple[float, float]]:
    lengths = np.flatnonzero(report.train.lengths)
    return {"training lengths": (float(lengths.min()), float(lengths.max()))} if len(lengths) else {}


def _matrix(report: "CoverageReport", keys: Array, values: Array) -> Array:
    size = len(report.train.monoid)
    cells = np.zeros(size * size)
    cells[keys] = values
    return cells.reshape(size, size)


def kinds(report: "CoverageReport") -> list[str]:
    """The pictures that can be drawn of a report."""
    maps = ["maps"] if len(report.train.monoid) <= MAX_CLASSES else []
    return [*maps, *(["curve"] if has_curve(report) else [])]


def embedded(report: "CoverageReport", kind: str) -> str:
    """A picture as a data URI: maps as PNG, since browsers blur small cells of SVG, curves as SVG.

    Raises:
        InputError: no matplotlib.
    """
    from seqbench.drawing.style import data_uri

    return data_uri(picture(report, kind), ".png" if kind == "maps" else ".svg")
