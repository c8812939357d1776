"""Medians of CPU time, and rows of the table that `make bench` prints."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """One row: what was measured, the figure, the bound it must keep, and whether it does."""

    what: str
    figure: str
    bound: str
    holds: bool


def median_pair(one: Callable[[], object], other: Callable[[], object], repeats: int = 7) -> tuple[float, float]:
    """Median CPU seconds of two functions, run in turns so that both meet the same noise; both are warmed up first."""
    one()
    other()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for function, seconds in zip((one, other), times, strict=True):
            start = time.process_time()
            function()
            seconds.append(time.process_time() - start)
    return statistics.median(times[0]), statistics.median(times[1])
