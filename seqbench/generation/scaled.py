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

Scaled = tuple[np.uint64, np.uint64, int]


@kernel
def shift_right(high: np.uint64, low: np.uint64, bits: int) -> tuple[np.uint64, np.uint64]:
    """A 128-bit number divided by 2^bits, rounded down."""
    if bits <= 0:
        return high, low
    if bits >= 128:
        return _ZERO, _ZERO
    if bits >= 64:
        return _ZERO, high >> np.uint64(bits - 64)
    return high >> np.uint64(bits), (low >> np.uint64(bits)) | (high << np.uint64(64 - bits))


@kernel
def add(ah: np.uint64, al: np.uint64, ae: int, bh: np.uint64, bl: np.uint64, be: int) -> Scaled:
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
        return (high >> _ONE) | _TOP, (low >> _ONE) | (high << _S63), ae + 1
    return high, low, ae


@kernel
def ratio(nh: np.uint64, nl: np.uint64, ne: int, dh: np.uint64, dl: np.uint64, de: int) -> np.uint64:
    """floor(2^64 * numerator / denominator) for numerator <= denominator; CERTAIN where they are equal."""
    nh, nl = shift_right(nh, nl, de - ne)
    if nh == dh and nl == dl:
        return CERTAIN
    quotient = _ZERO
    for _ in range(64):  # long division, one bit a step, without branches: half of them would be mispredicted
        carry = nh >> _S63
        nh = (nh << _ONE) | (nl >> _S63)
        nl = nl << _ONE
        borrow = np.uint64(nl < dl)
        less = np.uint64(nh < dh) | (np.uint64(nh == dh) & borrow)
        fits = carry | (less ^ _ONE)
        subtract = _ZERO - fits  # all ones or all zeros
        nh -= (dh + borrow) & subtract
        nl -= dl & subtract
        quotient = (quotient << _ONE) | fits
    return quotient
