"""Targets from inputs: convolution with rho by FFT in float64, activations, noise, one rounding to float32.

The result is the same whatever rows share a transform, whichever release of SciPy makes it: where float64 leaves open
to which float32 number a target rounds (a few in a million), it is summed directly in a fixed order.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.tasks.memory.normals import tanh
from seqbench.jit import kernel

Array = npt.NDArray[Any]

ACTIVATIONS = ("identity", "tanh", "relu", "square")
CHUNK = 1 << 16  # float64 numbers of signals transformed together: they stay in the cache
MAX_TAPS = 8  # of a rho with so few numbers that are not 0 the sum is taken directly: an impulse is an exact shift
ACCUMULATORS = 8
_EPSILON = 2.0**-53


@dataclass(frozen=True, eq=False)
class Response:
    """y(t) = sigma_2(sum over s <= t of rho(s) M sigma_1(x(t-s))).

    Attributes:
        matrix: the M, shape (outputs, channels).
        inner: sigma_1, one of ACTIVATIONS.
        outer: sigma_2, likewise.
    """

    matrix: Array
    inner: str = "identity"
    outer: str = "identity"

    def apply(
        self, rho: Array, x: Array, lengths: Array, rows: Array, starts: Array, noise: "Noise", out: Array
    ) -> None:
        """Writes the targets of some rows.

        Args:
            rho: at least as long as the longest row, float64.
            x: float32 signals of all rows, channels side by side, flat.
            lengths: steps of every row.
            rows: which rows to do; best of like lengths.
            starts: the step at which each row begins.
            noise: what to add.
            out: float32, outputs side by side, flat, written in place.
        """
        outputs = len(self.matrix)
        longest = int(lengths[rows].max(initial=0))
        support = int(np.flatnonzero(rho[:longest]).max(initial=0)) + 1
        taps = np.flatnonzero(rho[:support])
        direct = len(taps) <= MAX_TAPS
        size = longest if direct else _size(longest + support - 1)
        at_once = max(1, CHUNK // (size * outputs))
        spectrum = None if direct else _transform(rho[None, :support], size)
        scale = 0.0 if direct else _error(rho[:support], size)
        buffer = np.zeros((min(at_once, len(rows)) * outputs, size))
        for first in range(0, len(rows), at_once):
            chosen = rows[first : first + at_once]
            work = buffer[: len(chosen) * outputs]
            _signals(x, self.matrix, ACTIVATIONS.index(self.inner), lengths, starts, chosen, work)
            if spectrum is None:
                y = np.zeros_like(work)
                _sum_taps(work, taps, rho[taps], y)
            else:
                y = _convolve(work, spectrum, size)
            what = (lengths, starts, chosen, rho[:support])
            _finish(work, y, what, ACTIVATIONS.index(self.outer), scale, (noise.snr, noise.variates), out)


@dataclass(frozen=True, eq=False)
class Noise:
    """Observation noise.

    Attributes:
        snr: mean square of a row's targets over the noise's variance in that row; infinite for none.
        variates: float32 standard normal variates, as many as targets; none if there is no noise.
    """

    snr: float = np.inf
    variates: Array = field(default_factory=lambda: np.empty(0, np.float32))


def _error(rho: Array, size: int) -> float:
    """A bound, for signals of norm 1, on the errors of the transforms (over ten standard deviations) and of sums."""
    spread = np.log2(size) * np.abs(rho).sum() / np.sqrt(size)
    return float(16 * _EPSILON * (spread + np.linalg.norm(rho)))


def _size(least: int) -> int:
    from scipy.fft import next_fast_len

    return int(next_fast_len(least, real=True))


def _transform(signals: Array, size: int) -> Array:
    from scipy.fft import rfft

    return np.asarray(rfft(signals, size, axis=-1))


def _convolve(signals: Array, spectrum: Array, size: int) -> Array:
    from scipy.fft import irfft

    transformed = _transform(signals, size)
    transformed *= spectrum
    return np.asarray(irfft(transformed, size, axis=-1, overwrite_x=True))


@kernel
def _activate(kind: int, z: float) -> float:
    if kind == 0:
        return z
    if kind == 1:
        return tanh(z)
    if kind == 2:
        return max(z, 0.0)
    return z * z


@kernel
def _activate_all(kind: int, source: Array, out: Array) -> None:
    """The same for a line; a loop for each kind, so that each can be vectorised."""
    if kind == 1:
        for t in range(len(source)):
            out[t] = tanh(np.float64(source[t]))
    elif kind == 2:
        for t in range(len(source)):
            out[t] = max(np.float64(source[t]), 0.0)
    elif kind == 3:
        for t in range(len(source)):
            out[t] = np.float64(source[t]) * np.float64(source[t])
    else:
        for t in range(len(source)):
            out[t] = np.float64(source[t])


@kernel
def _signals(x: Array, matrix: Array, inner: int, lengths: Array, starts: Array, rows: Array, work: Array) -> None:
    """M sigma_1(x), one line an output, zeros from the row's end on."""
    outputs, channels = matrix.shape
    inputs = np.empty(work.shape[1] * channels)
    for r in range(len(rows)):
        n, base = lengths[rows[r]], starts[rows[r]] * channels
        _activate_all(inner, x[base : base + n * channels], inputs[: n * channels])
        for i in range(outputs):
            line = work[r * outputs + i]
            line[:] = 0.0
            for j in range(channels):
                weight = matrix[i, j]
                for t in range(n):
                    line[t] += weight * inputs[t * channels + j]


@kernel
def _sum_taps(work: Array, taps: Array, weights: Array, y: Array) -> None:
    for r in range(len(work)):
        for k in range(len(taps)):
            for t in range(taps[k], work.shape[1]):
                y[r, t] += weights[k] * work[r, t - taps[k]]


@kernel
def _direct(line: Array, rho: Array, t: int) -> float:
    """The sum of rho(s) line(t - s), in ACCUMULATORS interleaved sums."""
    count = min(t + 1, len(rho))
    sums = np.zeros(ACCUMULATORS)
    whole = count // ACCUMULATORS * ACCUMULATORS
    for s in range(0, whole, ACCUMULATORS):
        for k in range(ACCUMULATORS):
            sums[k] += rho[s + k] * line[t - s - k]
    total = 0.0
    for s in range(whole, count):
        total += rho[s] * line[t - s]
    for k in range(ACCUMULATORS):
        total += sums[k]
    return total


@kernel
def _finish(
    work: Array,
    y: Array,
    what: tuple[Array, Array, Array, Array],
    outer: int,
    scale: float,
    noise: tuple[float, Array],
    out: Array,
) -> None:
    """sigma_2, noise and rounding of every line; what lies too near a rounding boundary is summed directly."""
    lengths, starts, rows, rho = what
    snr, variates = noise
    outputs = len(work) // len(rows)
    for r in range(len(rows)):
        n, base = lengths[rows[r]], starts[rows[r]] * outputs
        for i in range(outputs):
            line, found = work[r * outputs + i, :n], y[r * outputs + i, :n]
            slack = scale * _norm(line)
            place = out[base + i : base + n * outputs : outputs]
            if outer == 0 and snr == np.inf:
                _round(line, found, rho, slack, place)
            else:
                added = variates[base + i : base + n * outputs : outputs] if snr < np.inf else variates[:0]
                _finish_line(line, found, rho, slack, outer, snr, added, place)


@kernel
def _round(line: Array, found: Array, rho: Array, slack: float, place: Array) -> None:
    """The sums to float32."""
    for t in range(len(line)):
        place[t] = np.float32(found[t] - slack)
    if slack > 0.0:
        for t in range(len(line)):
            if place[t] != np.float32(found[t] + slack):
                place[t] = np.float32(_direct(line, rho, t))


@kernel
def _finish_line(
    line: Array, found: Array, rho: Array, slack: float, outer: int, snr: float, variates: Array, place: Array
) -> None:
    """sigma_2 and noise of one line, to float32."""
    values = np.empty(len(line))
    _activate_all(outer, found, values)
    deviation = _deviation(values, snr) if len(variates) > 0 else 0.0
    for t in range(len(line)):
        added = deviation * np.float64(variates[t]) if len(variates) > 0 else 0.0
        value, doubt = values[t], slack
        if outer == 2 and found[t] < -slack:
            doubt = 0.0
        elif outer == 3:
            doubt = slack * (2.0 * abs(found[t]) + slack)
        place[t] = np.float32(value - doubt + added)
        if place[t] != np.float32(value + doubt + added):
            place[t] = np.float32(_activate(outer, _direct(line, rho, t)) + added)


@kernel
def _norm(line: Array) -> float:
    total = 0.0
    for t in range(len(line)):
        total += line[t] * line[t]
    return float(np.sqrt(total))


@kernel
def _deviation(values: Array, snr: float) -> float:
    """The noise's standard deviation, rounded to float32 so that the transform's last bits do not matter."""
    total = 0.0
    for t in range(len(values)):
        total += values[t] * values[t]
    return float(np.float32(np.sqrt(total / len(values) / snr)))
