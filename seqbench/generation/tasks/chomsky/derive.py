"""Kernels on bracketed expressions: spelling random ones, and evaluating any."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.counts import pick
from seqbench.generation.streams import TILE, Words, draw_tile, load_tile
from seqbench.generation.tasks.chomsky.splits import NEAR
from seqbench.jit import kernel

Array = npt.NDArray[Any]

DIGIT, PLUS, MINUS, TIMES, OPEN, CLOSE, UNKNOWN, OTHER = range(8)
"""Roles of symbols."""

MODULUS = 5
DIGITS_END = 5  # id of the first operator
_ZERO, _ONE = np.uint64(0), np.uint64(1)  # indices without a sign spare the test for negative ones
_S32 = np.uint64(32)
_M32 = np.uint64(0xFFFFFFFF)

_LEFT, _RIGHT = np.meshgrid(np.arange(MODULUS), np.arange(MODULUS), indexing="ij")
RESULTS = (np.array([_LEFT + _RIGHT, _LEFT - _RIGHT, _LEFT * _RIGHT]) % MODULUS).ravel()
NEGATIVE = -np.arange(MODULUS) % MODULUS


@kernel
def _share(draw: np.uint64, bound: int) -> Any:
    """A whole number below a bound (< 2^32) from a 64-bit word: the upper part of the product."""
    factor = np.uint64(bound)
    return np.int64(((draw >> _S32) * factor + (((draw & _M32) * factor) >> _S32)) >> _S32)


@kernel
def fill_choices(
    indptr: Array, operators: int, streams: Words, buffers: tuple[Words, Words], out: tuple[Array, Array, Array]
) -> None:
    """Random choices number indptr[i] to indptr[i + 1] from stream i: where to split, operator and side, digit.

    Made ahead of the spelling, whose branches nobody can predict: there every step counts that a choice still needs.

    Args:
        indptr: shape (rows + 1,).
        operators: how many operators there are.
        streams: random streams of the rows.
        buffers: room for a tile.
        out: a 64-bit word, 2 * operator + side, and a digit, of each choice; written in place.
    """
    keys, words = buffers
    splits, nodes, leaves = out
    for tile in range(0, len(indptr) - 1, TILE):
        rows = np.arange(tile, min(tile + TILE, len(indptr) - 1))
        load_tile(streams, rows, keys)
        longest = 0
        for row in rows:
            longest = max(longest, indptr[row + 1] - indptr[row])
        for counter in range(longest):
            draw_tile(keys, counter, words)
            for r in range(len(rows)):
                place = indptr[rows[r]] + counter
                if place < indptr[rows[r] + 1]:
                    splits[place] = (np.uint64(words[0, r]) << _S32) | np.uint64(words[1, r])
                    other = (np.uint64(words[2, r]) << _S32) | np.uint64(words[3, r])
                    choice = _share(other, 2 * operators * MODULUS)
                    nodes[place], leaves[place] = choice // MODULUS, choice % MODULUS


@kernel
def _shorter(thresholds: Array, first: int, sides: int, draw: np.uint64) -> int:
    """The length of the shorter side: the first few at once, without branches, then ever longer steps, then halving."""
    side = 1
    for near in range(NEAR):
        side += int(draw >= thresholds[np.uint64(first + near)])
    if side <= min(NEAR, sides):
        return side
    low, high = min(NEAR, sides - 1), 2 * NEAR
    while high < sides and draw >= thresholds[first + high - 1]:
        low, high = high, 2 * high
    return pick(thresholds, first + low, first + min(high, sides), draw) - first + 1


@kernel
def _left(splits: tuple[Array, Array], uniform: bool, length: int, draw: np.uint64, flip: Any) -> Any:
    """The length of the left side of an expression."""
    thresholds, starts = splits
    if not uniform:
        return 1 + _share(draw, length - 4)
    side = _shorter(thresholds, starts[length], (length - 3) // 2, draw)
    return side if flip == 0 else length - 3 - side


@kernel
def spell(
    rows: tuple[Array, Array],
    splits: tuple[Array, Array],
    uniform: bool,
    choices: tuple[Array, Array, Array, Array],
    symbols: tuple[Array, Array, int, int],
    stacks: tuple[Array, Array],
    out: Array,
    values: Array,
) -> None:
    """Writes a random expression of each row's length from left to right, and its value modulo 5.

    Rows are written in order; up to 3 symbols beyond each are overwritten by the next: `out` has as many more.
    A stack entry of an open bracket is 4 * (length of the right side) + operator while the left side is written, then
    minus 1 minus the operator; beside it stands the value of the left side.

    Args:
        rows: lengths, and where the rows begin in `out`.
        splits: thresholds and where each length begins.
        uniform: whether to use them.
        choices: where those of a row begin, and what fill_choices writes.
        symbols: the short expressions by length, shape (5, 4); where each has its digit; open, close.
        stacks: room for open brackets, and for values.
        out: symbol ids, written in place.
        values: shape (rows,), written in place.
    """
    lengths, offsets = rows
    places, words, nodes, leaves = choices
    shapes, digit_places, opening, closing = symbols
    pending, lefts = stacks
    pending[0] = 0  # below all brackets
    for i in range(len(lengths)):
        place, node = np.uint64(offsets[i]), np.uint64(places[i])
        leaf, top, item = node, _ZERO, lengths[i]
        while True:
            while item > 4:
                choice = np.int64(nodes[node])
                left = _left(splits, uniform, item, words[node], choice & 1)
                node += _ONE
                out[place] = opening
                place += _ONE
                top += _ONE
                pending[top] = 4 * (item - 3 - left) + (choice >> 1)
                item = left
            size = np.uint64(item)
            for j in range(4):
                out[place + np.uint64(j)] = shapes[size, np.uint64(j)]
            digit = np.int64(leaves[leaf])
            leaf += _ONE
            out[place + np.uint64(digit_places[size])] = digit
            place += size
            value = digit if item & 1 else NEGATIVE[np.uint64(digit)]
            entry = pending[top]
            while entry < 0:
                out[place] = closing
                place += _ONE
                value = RESULTS[np.uint64(MODULUS * (MODULUS * (-1 - entry) + lefts[top]) + value)]
                top -= _ONE
                entry = pending[top]
            if top == _ZERO:
                break
            operator, item = entry & 3, entry >> 2
            lefts[top] = value
            out[place] = DIGITS_END + operator
            place += _ONE
            pending[top] = -1 - operator
        values[i] = value


@kernel
def _combine(operator: int, left: Array, constant: int, factor: int) -> tuple[int, int]:
    """The value (constant and factor of the unknown, modulo 5) of an operation."""
    if operator == TIMES:
        mixed = left[0] * factor + left[1] * constant  # the product of two unknowns never occurs
        return left[0] * constant % MODULUS, mixed % MODULUS
    sign = 1 if operator == PLUS else MODULUS - 1
    return (left[0] + sign * constant) % MODULUS, (left[1] + sign * factor) % MODULUS


@kernel
def _close(
    tokens: Array, place: int, last: int, roles: Array, frames: Array, top: int, value: Array
) -> tuple[int, int, bool]:
    """Hands a value to the brackets around it as far as they are complete; place, open brackets, whether all is well.

    A frame holds the operator (or -1 before it), then constant and factor of the left side. value: constant, factor.
    """
    plain = True
    while top > 0:
        role = roles[tokens[place]] if place < last else OTHER
        frame = frames[top - 1]
        if frame[0] < 0 and role in (PLUS, MINUS, TIMES):
            frame[0], frame[1], frame[2] = role, value[0], value[1]
            return place + 1, top, True
        if role != CLOSE or (frame[0] < 0 and not plain):
            return place, top, False
        if frame[0] >= 0:
            value[0], value[1] = _combine(frame[0], frame[1:], value[0], value[1])
        plain, place, top = False, place + 1, top - 1
    return place, 0, True


@kernel
def evaluate(
    tokens: Array, firsts: Array, lasts: Array, roles: Array, frames: Array, value: Array, values: Array
) -> None:
    """Parses and evaluates expressions modulo 5, one from each of `firsts` to `lasts` in tokens.

    Writes to `values`, shape (n, 3): constant, factor of the unknown, and the place of the first fault (-1: none).
    """
    for i in range(len(firsts)):
        place, last, top, well = firsts[i], lasts[i], 0, True
        while well:
            while place < last and roles[tokens[place]] == OPEN:
                frames[top, 0] = -1
                top, place = top + 1, place + 1
            sign = 1
            if place < last and roles[tokens[place]] == MINUS:
                sign, place = MODULUS - 1, place + 1
            role = roles[tokens[place]] if place < last else OTHER
            if role not in (DIGIT, UNKNOWN):
                well = False
                break
            known = role == DIGIT
            value[0] = sign * np.int64(tokens[place]) % MODULUS if known else 0
            value[1] = 0 if known else sign
            place, top, well = _close(tokens, place + 1, last, roles, frames, top, value)
            if top == 0:
                break
        values[i, 0], values[i, 1] = value[0], value[1]
        values[i, 2] = -1 if well and place == last else place


@kernel
def count_digits(tokens: Array, firsts: Array, lasts: Array, counts: Array) -> None:
    """Writes the number of digits between firsts[i] and lasts[i]."""
    for i in range(len(firsts)):
        count = 0
        for j in range(firsts[i], lasts[i]):
            count += int(tokens[j] < DIGITS_END)
        counts[i] = count


@kernel
def hide(tokens: Array, firsts: Array, which: Array, unknown: int, hidden: Array) -> None:
    """Replaces digit number `which[i]` from firsts[i] on by the unknown, and writes it to `hidden`."""
    for i in range(len(firsts)):
        place, left = firsts[i], which[i]
        while left > 0 or tokens[place] >= DIGITS_END:
            left -= int(tokens[place] < DIGITS_END)
            place += 1
        hidden[i] = tokens[place]
        tokens[place] = unknown
