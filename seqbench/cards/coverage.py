"""The section of a card on coverage: what the default training set shows of the compositions that the test needs."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.api import coverage
from seqbench.covering.expectation import ExpectedCoverage, expected_coverage
from seqbench.dataset.markdown import table
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import Plan

Array = npt.NDArray[Any]

ROUNDING = 1e-9  # of sums of chances

NONE = "Not measured: coverage counts products of syntactic classes, and the rows of this dataset carry none.\n"


def coverage_section(planned: BasePlan) -> str:
    """Compositions needed, shown and expected, and the test words that hold none unseen, at three lengths."""
    if not isinstance(planned, Plan):
        return NONE
    report, expected = coverage(planned.name), expected_coverage(planned.name)
    needed = len(report.pooled_need.keys)
    shown = needed - report.num_missing
    rows = [
        ("compositions that the test needs", f"{needed:,}"),
        ("shown by the training words", f"{shown:,} ({_percent(shown / needed)})"),
        ("expected to be shown by such a set", _expected(expected, report.pooled_need.keys)),
        ("share of the test's compositions, counted as often as they occur", _percent(report.test_mass_covered)),
        *_words(report.curve),
    ]
    more = f"Schedule `tree`; more by `seqbench coverage {planned.name}`; what it means: [docs](../docs/coverage.md)."
    return f"{table(('fact', 'value'), rows)}\n{more}\n"


def _expected(expected: ExpectedCoverage, needed: Array) -> str:
    """The expected number of compositions among those needed, exact where chances are."""
    seen = float(expected.seen[np.isin(expected.keys, needed)].sum())
    return f"{'' if expected.is_exact else 'at least '}{seen:,.1f} ({_percent(seen / len(needed))})"


def _words(curve: tuple[Array, Array] | None) -> list[tuple[str, str]]:
    """The share of test words that hold nothing unseen at the first, a middle and the last length that has words."""
    if curve is None:
        return []
    lengths, shares = curve
    return [
        (f"test words of length {lengths[i]} that hold nothing unseen", _percent(float(shares[i])))
        for i in dict.fromkeys((0, len(lengths) // 2, len(lengths) - 1))
    ]


def _percent(share: float) -> str:
    """A share in per cent; 100 % only where nothing is missing but by rounding."""
    return f"{share if share > 1 - ROUNDING else min(share, 0.999):.1%}"
