"""Normal variates and tanh from sums, products and square roots alone, so that every machine gives the same bits.

The mathematical library's logarithm, sine and exponential differ between machines in the last bit; the few lines here
do not, and the compiler can run them on many numbers at once. Relative error below 1e-14.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.streams import KEY_HIGH, KEY_LOW, ROW_AND_LANE, UNIT_HIGH, UNIT_LOW, Words, philox
from seqbench.jit import kernel

Array = npt.NDArray[Any]

STEP = 64  # counters worked on together: their words stay in the fastest cache

_ONE = np.uint64(0x3FF0000000000000)
_S12, _S32, _S52 = np.uint64(12), np.uint64(32), np.uint64(52)
_MANTISSA = np.uint64(0x000FFFFFFFFFFFFF)
_BELOW_ROOT_HALF = np.uint64(0x3FF0000000000000 - 0x3FE6A09E667F3BCD)
_ROOT_HALF = np.uint64(0x3FE6A09E667F3BCD)
_LN2, _LN2_HIGH, _LN2_LOW, _PER_LN2 = (
    0.6931471805599453,
    0.6931471803691238,
    1.9082149292705877e-10,
    1.4426950408889634,
)


@kernel
def _log(m: float, exponent: float) -> float:
    """ln(m 2^exponent) for m in [sqrt(1/2), sqrt(2)): the series of 2 artanh((m - 1) / (m + 1))."""
    s = np.divide(m - 1.0, m + 1.0)  # tests for no zero, unlike `/`, so that loops can be vectorised
    z = s * s
    tail = 1 / 19
    tail = tail * z + 1 / 17
    tail = tail * z + 1 / 15
    tail = tail * z + 1 / 13
    tail = tail * z + 1 / 11
    tail = tail * z + 1 / 9
    tail = tail * z + 1 / 7
    tail = tail * z + 1 / 5
    tail = tail * z + 1 / 3
    logarithm: float = exponent * _LN2 + 2.0 * s * (tail * z + 1.0)
    return logarithm


@kernel
def _sine(r: float) -> float:
    """sin(pi r / 2) for r in [-1/2, 1/2]."""
    z = r * r
    tail = -6.688035109811468e-10
    tail = tail * z + 5.692172921967927e-08
    tail = tail * z - 3.598843235212085e-06
    tail = tail * z + 0.00016044118478735983
    tail = tail * z - 0.004681754135318688
    tail = tail * z + 0.07969262624616705
    tail = tail * z - 0.6459640975062463
    return r * (tail * z + 1.5707963267948966)


@kernel
def _cosine(r: float) -> float:
    """cos(pi r / 2) for r in [-1/2, 1/2]."""
    z = r * r
    tail = 6.565963114979473e-11
    tail = tail * z - 6.386603083791852e-09
    tail = tail * z + 4.710874778818172e-07
    tail = tail * z - 2.5202042373060607e-05
    tail = tail * z + 0.0009192602748394266
    tail = tail * z - 0.02086348076335296
    tail = tail * z + 0.25366950790104803
    tail = tail * z - 1.2337005501361697
    return tail * z + 1.0


Buffers = tuple[Array, Array, Array, Array]


def buffers() -> Buffers:
    """Room for the random bits of STEP radii (as whole numbers and as floats), of STEP angles, and for radii."""
    bits = np.empty(STEP, np.uint64)
    return bits, bits.view(np.float64), np.empty(STEP, np.uint64), np.empty(STEP, np.float64)


def room(count: int) -> Array:
    """Room for so many variates and what is made besides, float64."""
    return np.empty(-(-count // (2 * STEP)) * 2 * STEP, np.float64)


@kernel
def fill_normals(streams: Words, row: int, count: int, buffer: Buffers, out: Array) -> None:
    """Fills out[:count] with independent standard normal variates, float64: Box and Muller (1958).

    A counter's four 32-bit words give two: 52 bits the radius sqrt(-2 ln u), u in (0, 1] (so at most 8.49), and 52 bits
    an angle within a quarter turn, which two further bits put on one of the four. Variate i depends on i alone.

    Args:
        streams: shape (5, n), moved to their lane.
        row: which of them.
        count: how many variates.
        buffer: see `buffers`.
        out: see `room`.
    """
    bits, numbers, angle_bits, radii = buffer
    for base in range(0, (count + 1) // 2, STEP):
        _draw(streams, row, base, bits, angle_bits)
        _radii(bits, numbers, radii)
        _turn(bits, numbers, angle_bits, radii, out[2 * base : 2 * (base + STEP)])


@kernel
def _draw(streams: Words, row: int, base: int, radius_bits: Array, angle_bits: Array) -> None:
    """The 64-bit words of STEP counters; those for the radii as numbers in [1, 2)."""
    low, high, lane_of_row = (
        np.uint64(streams[KEY_LOW, row]),
        np.uint64(streams[KEY_HIGH, row]),
        streams[ROW_AND_LANE, row],
    )
    c1, c2, c3 = np.uint64(lane_of_row), np.uint64(streams[UNIT_LOW, row]), np.uint64(streams[UNIT_HIGH, row])
    for j in range(STEP):
        a, b, c, d = philox(np.uint64(base + j), c1, c2, c3, low, high)
        radius_bits[j] = ((a << _S32 | b) >> _S12) | _ONE
        angle_bits[j] = c << _S32 | d


@kernel
def _radii(bits: Array, numbers: Array, radii: Array) -> None:
    """sqrt(-2 ln u) for u = 2 - the number in [1, 2) that the bits spell; bits and numbers share memory."""
    for j in range(STEP):
        numbers[j] = 2.0 - numbers[j]
    for j in range(STEP):
        shifted = bits[j] + _BELOW_ROOT_HALF
        radii[j] = np.float64(shifted >> _S52) - 1023.0
        bits[j] = (shifted & _MANTISSA) + _ROOT_HALF
    for j in range(STEP):
        radii[j] = math.sqrt(-2.0 * _log(numbers[j], radii[j]))


@kernel
def _turn(bits: Array, numbers: Array, angle_bits: Array, radii: Array, out: Array) -> None:
    """Both coordinates of STEP points at given radii; bits and numbers share memory."""
    for j in range(STEP):
        bits[j] = (angle_bits[j] >> _S12) | _ONE
    for j in range(STEP):
        r = numbers[j] - 1.5
        x, y = _cosine(r), _sine(r)
        swap, flip = angle_bits[j] & np.uint64(1), angle_bits[j] & np.uint64(2)
        radius = -radii[j] if flip else radii[j]
        out[2 * j] = radius * (y if swap else x)
        out[2 * j + 1] = radius * (x if swap else y)


@kernel
def tanh(z: float) -> float:
    """The hyperbolic tangent, to about 1e-15.

    Example:
        >>> round(float(tanh(0.5)), 12)
        0.46211715726
    """
    size = min(abs(z), 20.0)
    s = size * size
    small = size * (1.0 + s * (-1 / 3 + s * (2 / 15 + s * (-17 / 315 + s * (62 / 2835)))))
    large = 1.0 - np.divide(2.0, _exp(2.0 * size) + 1.0)
    found: float = small if size < 0.05 else large  # both are computed, so that loops can be vectorised
    return found if z > 0.0 else -found


@kernel
def _exp(x: float) -> float:
    """e^x for x in [0, 40]: 2^k times the series of the exponential at the rest, at most ln(2) / 2."""
    k = np.int32(x * _PER_LN2 + 0.5)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    total = 1 / 6227020800
    total = total * r + 1 / 479001600
    total = total * r + 1 / 39916800
    total = total * r + 1 / 3628800
    total = total * r + 1 / 362880
    total = total * r + 1 / 40320
    total = total * r + 1 / 5040
    total = total * r + 1 / 720
    total = total * r + 1 / 120
    total = total * r + 1 / 24
    total = total * r + 1 / 6
    total = total * r + 0.5
    return ((total * r + 1.0) * r + 1.0) * np.float64(np.int64(1) << np.int64(k))
