"""Expressions of exact lengths in bulk: the node rule, conditioned on the number of tokens, expanded in pre-order."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.streams import FIRST_WORD, SECOND_WORD, Words, draw32, lane
from seqbench.generation.tasks.listops.values import CLOSE, COLUMNS, FIRST_OPERATOR, value_of
from seqbench.generation.tasks.listops.weights import Weights, add, multiply
from seqbench.jit import kernel

Array = npt.NDArray[Any]
Doubles = tuple[Array, Array]
Draw = tuple[np.uint64, Words, int, int]
"""64 random bits, and where 64 more are: a stream's array, row and counter."""

ANY = -1  # no value is asked for
MARGIN = 2.0**-36  # draws this close to a boundary are decided by 106 bits and doubled floats
_S32, _S22, _S11, _S42 = np.uint64(32), np.uint64(22), np.uint64(11), np.uint64(42)
_M11, _M32 = np.uint64(2047), np.uint64(0xFFFFFFFF)
_THREE, _TEN = np.uint64(3), np.uint64(10)


def expand(
    made: Weights,
    lengths: Array,
    offsets: Array,
    streams: Words,
    wanted: Array,
    out: Array,
    margin: float = MARGIN,
) -> Array:
    """Fills `out` with expressions of exact lengths and gives their values, shape (n,), int64.

    Every expression comes with its chance under the node rule given its length, and given its value where one is
    wanted: expressions are drawn until one has it.

    Args:
        made: the rule's weights, at least up to the longest length.
        lengths: shape (n,); each must have an expression.
        offsets: where each expression begins in `out`, shape (n,).
        streams: random streams of the rows, shape (5, n).
        wanted: the value of each, shape (n,), or -1 for any.
        out: token ids, uint8, written in place.
        margin: how close to a boundary doubled floats decide; the expressions do not depend on it.
    """
    labels = np.empty(len(lengths), dtype=np.int64)
    levels = len(made.high)
    room = (np.zeros((levels + 1, 3), dtype=np.int64), np.zeros((levels + 1, COLUMNS), dtype=np.int64))
    rows = (lengths.astype(np.int64), offsets.astype(np.int64), wanted.astype(np.int64))
    pair = (lane(streams, FIRST_WORD), lane(streams, SECOND_WORD))
    _expand((made.high, made.low), rows, pair, margin, room, out, labels)
    return labels


@kernel
def _expand(
    tables: Doubles,
    rows: tuple[Array, Array, Array],
    streams: tuple[Words, Words],
    margin: float,
    room: tuple[Array, Array],
    out: Array,
    labels: Array,
) -> None:
    """Row after row; the counter of a row's draws runs on from attempt to attempt."""
    lengths, offsets, wanted = rows
    for row in range(len(lengths)):
        tokens = out[offsets[row] : offsets[row] + lengths[row]]
        counter = 0
        while True:
            counter = _fill(tables, tokens, streams, row, counter, margin, room[0])
            labels[row] = value_of(tokens, room[1])
            if wanted[row] == ANY or labels[row] == wanted[row]:
                break


@kernel
def _fill(
    tables: Doubles, out: Array, streams: tuple[Words, Words], row: int, counter: int, margin: float, stack: Array
) -> int:
    """One expression in pre-order; gives the next free counter.

    An entry of the stack is a list under way: levels that its members may hold, members left, tokens left.
    """
    depth, place = 0, 0
    size, free = len(out), len(tables[0])
    while True:  # a subtree of `size` tokens with `free` levels comes next
        a, b, c, d = draw32(streams[0], row, counter)
        if size == 1:
            out[place] = np.uint8(_below_ten((c << _S32) | d))
        else:
            out[place] = np.uint8(FIRST_OPERATOR + np.int64(d & _THREE))
            draw = ((a << _S32) | b, streams[1], row, counter)
            stack[depth, 0], stack[depth, 2] = free - 1, size - 2
            stack[depth, 1] = _pick_members(tables, free - 1, size - 2, draw, margin)
            depth += 1
        counter += 1
        place += 1
        while depth > 0 and stack[depth - 1, 1] == 0:
            out[place] = np.uint8(CLOSE)
            place += 1
            depth -= 1
        if depth == 0:
            return counter
        free, members, total = stack[depth - 1, 0], stack[depth - 1, 1], stack[depth - 1, 2]
        size = total
        if total == members:
            size = 1
        elif members > 1:
            a, b, c, d = draw32(streams[0], row, counter)
            size = _pick_size(tables, free, members, total, ((a << _S32) | b, streams[1], row, counter), margin)
            counter += 1
        stack[depth - 1, 1], stack[depth - 1, 2] = members - 1, total - size


@kernel
def _below_ten(word: np.uint64) -> np.uint64:
    """A digit from 64 bits: the upper part of ten times the word; off, in total variation, by less than 2^-62."""
    return ((word >> _S32) * _TEN + ((word & _M32) * _TEN >> _S32)) >> _S32


@kernel
def _pick_members(tables: Doubles, free: int, total: int, draw: Draw, margin: float) -> int:
    """How many arguments an operator has whose arguments hold `total` tokens in all."""
    high = tables[0][free]
    whole = 0.0
    for k in range(2, len(high)):
        whole += high[k, total]
    target, slack, reached = np.float64(draw[0] >> _S11) * 2.0**-53 * whole, margin * whole, 0.0
    for k in range(2, len(high)):
        reached += high[k, total]
        if reached > target + slack:
            return k
        if reached >= target - slack:
            break
    return exact_members(high, tables[1][free], total, draw[0], _second_half(draw))


@kernel
def _pick_size(tables: Doubles, free: int, members: int, total: int, draw: Draw, margin: float) -> int:
    """How many tokens the first of some subtrees has that hold `total` tokens in all.

    Sizes are tried from both ends in turn, so that a split costs no more than twice its smaller part, and a whole
    expression O(n log n) at worst (Flajolet, Zimmermann, Van Cutsem, "A calculus for the random generation of
    labelled combinatorial structures", Theoretical Computer Science 132, 1994).
    """
    one, rest = tables[0][free, 1], tables[0][free, members - 1]
    whole = tables[0][free, members, total]
    target, slack, reached = np.float64(draw[0] >> _S11) * 2.0**-53 * whole, margin * whole, 0.0
    low, high = 1, total - members + 1
    while low <= high:
        reached += one[low] * rest[total - low]
        if reached > target + slack:
            return low
        if reached >= target - slack:
            break
        if high > low:
            reached += one[high] * rest[total - high]
            if reached > target + slack:
                return high
            if reached >= target - slack:
                break
        low += 1
        high -= 1
    return exact_size(tables[0][free], tables[1][free], members, total, draw[0], _second_half(draw))


@kernel
def _second_half(draw: Draw) -> np.uint64:
    """64 more bits of a draw."""
    a, b, _, _ = draw32(draw[1], draw[2], draw[3])
    return (a << _S32) | b


@kernel
def _fraction(draw: np.uint64, more: np.uint64) -> tuple[float, float]:
    """The upper 106 of 128 bits as a doubled float in [0, 1)."""
    rest = ((draw & _M11) << _S42) | (more >> _S22)
    return np.float64(draw >> _S11) * 2.0**-53, np.float64(rest) * 2.0**-106


@kernel
def exact_members(high: Array, low: Array, total: int, draw: np.uint64, more: np.uint64) -> int:
    """How many arguments an operator has, by 106 bits and doubled floats."""
    h, lo = 0.0, 0.0
    for k in range(2, len(high)):
        h, lo = add(h, lo, high[k, total], low[k, total])
    part, rest = _fraction(draw, more)
    target, finer = multiply(part, rest, h, lo)
    h, lo, last = 0.0, 0.0, 2
    for k in range(2, len(high)):
        if high[k, total] > 0.0:
            h, lo = add(h, lo, high[k, total], low[k, total])
            last = k
            if h > target or (h == target and lo > finer):
                break
    return last


@kernel
def exact_size(high: Array, low: Array, members: int, total: int, draw: np.uint64, more: np.uint64) -> int:
    """How many tokens the first of some subtrees has, by 106 bits and doubled floats."""
    part, rest = _fraction(draw, more)
    target, finer = multiply(part, rest, high[members, total], low[members, total])
    h, lo, last = 0.0, 0.0, 0
    count = total - members + 1
    for i in range(count):
        size = 1 + i // 2 if i % 2 == 0 else count - i // 2
        left = total - size
        if high[1, size] > 0.0 and high[members - 1, left] > 0.0:
            x, y = multiply(high[1, size], low[1, size], high[members - 1, left], low[members - 1, left])
            h, lo = add(h, lo, x, y)
            last = size
            if h > target or (h == target and lo > finer):
                break
    return last
