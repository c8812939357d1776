"""Input signals: white normal, white uniform, AR(1), random walk; one row from one stream, whole blocks at a time."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.streams import Words, draw32
from seqbench.generation.tasks.memory.normals import Buffers, buffers, fill_normals, room
from seqbench.jit import kernel

Array = npt.NDArray[Any]

LAWS = ("normal", "uniform", "ar1", "walk")
"""White N(0, 1); white, uniform on the multiples of 2^-24 in [0, 1); AR(1) of unit variance; sums of N(0, 1) steps."""

MEANS = {"normal": 0.0, "uniform": 0.5}
VARIANCES = {"normal": 1.0, "uniform": 1 / 12}
"""Of the white laws."""

_PER_24 = 2.0**-24


def fill(law: str, phi: float, lengths: Array, channels: int, streams: Words, out: Array) -> None:
    """Fills `out` with signals, one after the other, channels side by side, computed in float64 and rounded once.

    Step t of channel j takes variate t * channels + j of the row, so that a shorter row is the start of a longer one.

    Args:
        law: one of LAWS.
        phi: coefficient of `ar1`: x(t) = phi x(t-1) + sqrt(1 - phi^2) e(t), x(0) = e(0).
        lengths: steps of each row, shape (n,).
        channels: numbers a step.
        streams: random streams of the rows, moved to their lane, shape (5, n).
        out: float32, shape (sum(lengths) * channels,), written in place.
    """
    starts = np.concatenate([[0], np.cumsum(lengths * channels)])
    variates = room(int(lengths.max(initial=0)) * channels)
    keep = np.array([phi, np.sqrt(1 - phi * phi)])
    _fill(LAWS.index(law), keep, starts, channels, streams, buffers(), variates, out)


@kernel
def _fill(
    law: int, keep: Array, starts: Array, channels: int, streams: Words, buffer: Buffers, variates: Array, out: Array
) -> None:
    for row in range(len(starts) - 1):
        x = out[starts[row] : starts[row + 1]]
        if law == 1:
            _uniform(streams, row, x)
            continue
        fill_normals(streams, row, len(x), buffer, variates)
        if law == 2:
            for i in range(channels, len(x)):
                variates[i] = keep[0] * variates[i - channels] + keep[1] * variates[i]
        elif law == 3:
            for i in range(channels, len(x)):
                variates[i] += variates[i - channels]
        for i in range(len(x)):
            x[i] = np.float32(variates[i])


@kernel
def _uniform(streams: Words, row: int, x: Array) -> None:
    """One 32-bit word a number: its upper 24 bits, which float32 holds exactly."""
    shift = np.uint64(8)
    whole = len(x) // 4
    for c in range(whole):
        words = draw32(streams, row, c)
        for k in range(4):
            x[4 * c + k] = np.float32(np.float64(words[k] >> shift) * _PER_24)
    if 4 * whole < len(x):
        words = draw32(streams, row, whole)
        for k in range(len(x) - 4 * whole):
            x[4 * whole + k] = np.float32(np.float64(words[k] >> shift) * _PER_24)
