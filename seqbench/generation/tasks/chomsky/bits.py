"""Kernels of binary arithmetic on rows of bits."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.jit import kernel

Array = npt.NDArray[Any]

LIMB = 32  # bits of a digit of a long number: products of digits and carries fit 64 bits
WORD = 64
_OPERATOR, _END = 2, 2
_MASK = np.uint64(0xFFFFFFFF)
_SHIFT = np.uint64(32)
_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@kernel
def _finish(out: Array, first: int, size: int) -> int:
    """Drops leading zeros of a number of so many bits, sets the end symbol; the number of symbols that count."""
    while size > 1 and out[first + size - 1] == 0:
        size -= 1
    out[first + size] = _END
    return size + 1


@kernel
def _operator(tokens: Array, first: int) -> int:
    """Where the operator stands."""
    cut = first
    while tokens[cut] != _OPERATOR:
        cut += 1
    return cut


@kernel
def add(tokens: Array, offsets: Array, out: Array, out_offsets: Array, counts: Array) -> None:
    """Writes the sum of each row's operands, bit by bit with a carry; `out` holds zeros before."""
    for i in range(len(counts)):
        first, last = offsets[i], offsets[i + 1]
        cut, place = _operator(tokens, first), out_offsets[i]
        second = cut + 1
        short, longer = min(cut - first, last - second), first
        size = max(cut - first, last - second)
        if last - second > cut - first:
            longer = second
        carry = np.int64(0)
        for j in range(short):
            total = np.int64(tokens[first + j]) + np.int64(tokens[second + j]) + carry
            out[place + j] = total & 1
            carry = total >> 1
        for j in range(short, size):
            total = np.int64(tokens[longer + j]) + carry
            out[place + j] = total & 1
            carry = total >> 1
        out[place + size] = carry
        counts[i] = _finish(out, place, size + 1)


@kernel
def _pack(tokens: Array, first: int, last: int, limbs: Array) -> int:
    """Gathers bits, least significant first, to limbs; how many."""
    count = (last - first + LIMB - 1) // LIMB
    for k in range(count):
        limb = _ZERO
        start = first + k * LIMB
        for j in range(min(LIMB, last - start)):
            limb |= np.uint64(tokens[start + j]) << np.uint64(j)
        limbs[k] = limb
    return count


@kernel
def multiply(tokens: Array, offsets: Array, limbs: Array, out: Array, counts: Array) -> None:
    """Writes the product of each row's operands: schoolbook multiplication of limbs of 32 bits."""
    one, other, product = limbs[0], limbs[1], limbs[2]
    for i in range(len(counts)):
        first, last = offsets[i], offsets[i + 1]
        cut = _operator(tokens, first)
        m, n = _pack(tokens, first, cut, one), _pack(tokens, cut + 1, last, other)
        product[: m + n] = _ZERO
        for j in range(m):
            carry = _ZERO
            for k in range(n):
                total = one[j] * other[k] + product[j + k] + carry
                product[j + k] = total & _MASK
                carry = total >> _SHIFT
            product[j + n] = carry
        size = last - first - 1  # bits of both operands: the product has no more
        for j in range(size):
            out[first + j] = (product[j // LIMB] >> np.uint64(j % LIMB)) & _ONE
        counts[i] = _finish(out, first, size)


@kernel
def small_roots(tokens: Array, offsets: Array, out: Array, out_offsets: Array) -> None:
    """Writes the square root of each row of up to 64 bits: two bits of the number give one of the root."""
    for i in range(len(offsets) - 1):
        length = offsets[i + 1] - offsets[i]
        if length > WORD:
            continue
        rest, root = _ZERO, _ZERO
        place, read = out_offsets[i], offsets[i]
        for j in range((length + 1) // 2):
            for _ in range(1 if j == 0 and length % 2 == 1 else 2):
                rest = (rest << _ONE) | np.uint64(tokens[read])
                read += 1
            trial = (root << np.uint64(2)) | _ONE
            bit = np.uint64(rest >= trial)
            rest -= trial * bit
            root = (root << _ONE) | bit
            out[place + j] = bit
