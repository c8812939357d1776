"""Counts of any size with 128 significant bits: (high, low, exponent) stands for (high * 2^64 + low) * 2^exponent.

Word counts grow like 2^n, and those of rare classes differ from those of common ones by as much, so plain floats
overflow and a scale shared by all loses the rare ones. Here every count has its own exponent. Counts below 2^128 are
exact; above, each addition errs by at most one part in 2^127. Only integer arithmetic: equal on every machine.
"""

import numpy as np

from seqbench.jit import kernel

CERTAIN = np.uint64(0xFFFFFFFFFFFFFFFF)  # the threshold that every draw lies below
_TOP = np.uint64(1 << 63)
_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_S63 = np.uint64(63)
_S32 = np.uint64(32)
_M32 = np.uint64(0xFFFFFFFF)

Scaled = tuple[np.uint64, np.uint64, np.int64]


@kernel
def shift_right(high: np.uint64, low: np.uint64, bits: np.int64) -> tuple[np.uint64, np.uint64]:
    """A 128-bit number divided by 2^bits, rounded down."""
    if bits <= 0:
        return high, low
    if bits >= 128:
        return _ZERO, _ZERO
    if bits >= 64:
        return _ZERO, high >> np.uint64(bits - 64)
    return high >> np.uint64(bits), (low >> np.uint64(bits)) | (high << np.uint64(64 - bits))


@kernel
def add(ah: np.uint64, al: np.uint64, ae: np.int64, bh: np.uint64, bl: np.uint64, be: np.int64) -> Scaled:
    """The sum of two counts; zero has high 0. Nonzero counts keep the top bit of high set."""
    if bh == _ZERO:
        return ah, al, ae
    if ah == _ZERO:
        return bh, bl, be
    if ae < be:
        ah, al, ae, bh, bl, be = bh, bl, be, ah, al, ae
    bh, bl = shift_right(bh, bl, ae - be)
    low = al + bl
    partial = ah + bh
    high = partial + np.uint64(low < al)
    if partial < ah or high < partial:  # the sum passed 2^128
        return (high >> _ONE) | _TOP, (low >> _ONE) | (high << _S63), ae + np.int64(1)
    return high, low, ae


@kernel
def ratio(nh: np.uint64, nl: np.uint64, ne: np.int64, dh: np.uint64, dl: np.uint64, de: np.int64) -> np.uint64:
    """floor(2^64 * numerator / denominator) for numerator <= denominator; CERTAIN where they are equal.

    One step of long division in base 2^64 (Knuth, The Art of Computer Programming 2, section 4.3.1, algorithm D).
    """
    nh, nl = shift_right(nh, nl, de - ne)
    if nh == dh and nl == dl:
        return CERTAIN
    if nh < dh:
        digit, rest = _divide(nh, nl, dh)
    else:
        digit, rest = CERTAIN, nl + dh
        if rest < dh:
            return digit
    high, low = _multiply(digit, dl)
    while high > rest or (high == rest and low > _ZERO):  # at most twice
        digit -= _ONE
        rest += dh
        if rest < dh:
            break
        high -= np.uint64(low < dl)
        low -= dl
    return digit


@kernel
def _divide(high: np.uint64, low: np.uint64, by: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Quotient and rest of a 128-bit number by a 64-bit one with its top bit set, high < by: two digits of 32 bits."""
    first, rest = _digit(high, low >> _S32, by)
    second, rest = _digit(rest, low & _M32, by)
    return (first << _S32) | second, rest


@kernel
def _digit(rest: np.uint64, following: np.uint64, by: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The next 32-bit digit of a quotient, and what is left."""
    upper, lower = by >> _S32, by & _M32
    digit = rest // upper
    left = rest - digit * upper
    while digit > _M32 or digit * lower > ((left << _S32) | following):  # at most twice
        digit -= _ONE
        left += upper
        if left > _M32:
            break
    return digit, (rest << _S32) + following - digit * by


@kernel
def _multiply(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The 128-bit product of two 64-bit numbers."""
    middle = (a >> _S32) * (b & _M32) + ((a & _M32) * (b & _M32) >> _S32)
    crossed = (a & _M32) * (b >> _S32) + (middle & _M32)
    return (a >> _S32) * (b >> _S32) + (middle >> _S32) + (crossed >> _S32), a * b
