"""Many words through one transition table: kernels that serve machines and Cayley graphs alike."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.alphabet import Offsets, Tokens
from seqbench.errors import InputError
from seqbench.jit import kernel

IntArray = npt.NDArray[np.int32]


def final_states(table: IntArray, start: int | IntArray, tokens: Tokens, offsets: Offsets) -> IntArray:
    """The state reached by every word, shape (number of words,), int32.

    Args:
        table: int32 (states, symbols); entry (q, a) is the state after reading a in state q.
        start: the state in which every word starts, or one state a word.
        tokens: the ids of all words, flat.
        offsets: int64 (number of words + 1); word i is tokens[offsets[i]:offsets[i+1]].

    Raises:
        InputError: a token outside the table, a start outside it, offsets that do not fit the tokens.

    Example:
        >>> swap = np.array([[0, 1], [1, 0]], np.int32)
        >>> final_states(swap, 0, np.array([1, 1, 1], np.uint8), np.array([0, 2, 3])).tolist()
        [0, 1]
    """
    return _final_states(*_checked(table, start, tokens, offsets))


def all_states(table: IntArray, start: int | IntArray, tokens: Tokens, offsets: Offsets) -> IntArray:
    """The state after every token, shape (offsets[-1] - offsets[0],), int32; arguments and errors as in `final_states`.

    Example:
        >>> swap = np.array([[0, 1], [1, 0]], np.int32)
        >>> all_states(swap, 0, np.array([1, 1, 1], np.uint8), np.array([0, 2, 3])).tolist()
        [1, 0, 1]
    """
    return _all_states(*_checked(table, start, tokens, offsets))


def _checked(
    table: IntArray, start: int | IntArray, tokens: Tokens, offsets: Offsets
) -> tuple[IntArray, IntArray, Tokens, Offsets]:
    """The arguments as the kernels need them; after this no index can leave an array."""
    table, tokens, offsets = _frozen(table, np.int32), _frozen(tokens), _frozen(offsets, np.int64)
    if tokens.dtype not in (np.uint8, np.uint16):
        raise InputError(
            f"Tokens of type {tokens.dtype} cannot be read. They are uint8 or uint16: see alphabet.encode."
        )
    if not _offsets_fit(offsets, tokens.size):
        raise InputError(
            f"The offsets do not fit {tokens.size} tokens. They rise from 0 or more to at most that number."
        )
    if tokens.size and int(tokens.max()) >= table.shape[1]:
        raise InputError(
            f"The tokens hold {tokens.max()}, but there are {table.shape[1]} symbols: 0 to {table.shape[1] - 1}."
        )
    starts = np.empty(offsets.size - 1, np.int32)
    starts[:] = start
    if starts.size and not 0 <= starts.min() <= starts.max() < len(table):
        raise InputError(f"A start state lies outside 0 to {len(table) - 1}: from {starts.min()} to {starts.max()}.")
    return table, _frozen(starts), tokens, offsets


def _offsets_fit(offsets: Offsets, size: int) -> bool:
    if offsets.ndim != 1 or offsets.size == 0:
        return False
    return bool(offsets[0] >= 0 and offsets[-1] <= size and (offsets[1:] >= offsets[:-1]).all())


def _frozen(array: npt.NDArray[Any], dtype: Any = None) -> npt.NDArray[Any]:
    """A read-only contiguous view: numba types read-only arrays apart, so that each kernel is compiled once."""
    view = np.ascontiguousarray(array, dtype).view()
    view.flags.writeable = False
    return view


@kernel
def _walk(table: Any, state: Any, tokens: Any, begin: int, end: int) -> Any:
    for i in range(begin, end):
        state = table[np.uint64(state), np.uint64(tokens[i])]
    return state


# Each step waits for the one before it (about 9 cycles), so four words are read side by side in independent variables:
# up to the length of the shortest together, the rest one by one. Unsigned indices spare numba's test for negative ones.
@kernel
def _final_states(table: IntArray, starts: IntArray, tokens: Tokens, offsets: Offsets) -> IntArray:
    rows = starts.size
    finals = np.empty(rows, np.int32)
    for row in range(0, rows - 3, 4):
        a, b, c, d = offsets[row], offsets[row + 1], offsets[row + 2], offsets[row + 3]
        p, q, r, s = starts[row], starts[row + 1], starts[row + 2], starts[row + 3]
        common = min(b - a, c - b, d - c, offsets[row + 4] - d)
        for i in range(common):
            p = table[np.uint64(p), np.uint64(tokens[np.uint64(a + i)])]
            q = table[np.uint64(q), np.uint64(tokens[np.uint64(b + i)])]
            r = table[np.uint64(r), np.uint64(tokens[np.uint64(c + i)])]
            s = table[np.uint64(s), np.uint64(tokens[np.uint64(d + i)])]
        finals[row] = _walk(table, p, tokens, a + common, b)
        finals[row + 1] = _walk(table, q, tokens, b + common, c)
        finals[row + 2] = _walk(table, r, tokens, c + common, d)
        finals[row + 3] = _walk(table, s, tokens, d + common, offsets[row + 4])
    for row in range(rows - rows % 4, rows):
        finals[row] = _walk(table, starts[row], tokens, offsets[row], offsets[row + 1])
    return finals


@kernel
def _trace(table: Any, state: Any, tokens: Any, begin: int, end: int, states: Any, shift: int) -> None:
    for i in range(begin, end):
        state = table[np.uint64(state), np.uint64(tokens[i])]
        states[i - shift] = state


@kernel
def _all_states(table: IntArray, starts: IntArray, tokens: Tokens, offsets: Offsets) -> IntArray:
    rows = starts.size
    shift = offsets[0]
    states = np.empty(offsets[rows] - shift, np.int32)
    for row in range(0, rows - 3, 4):
        a, b, c, d = offsets[row], offsets[row + 1], offsets[row + 2], offsets[row + 3]
        p, q, r, s = starts[row], starts[row + 1], starts[row + 2], starts[row + 3]
        common = min(b - a, c - b, d - c, offsets[row + 4] - d)
        for i in range(common):
            p = table[np.uint64(p), np.uint64(tokens[np.uint64(a + i)])]
            q = table[np.uint64(q), np.uint64(tokens[np.uint64(b + i)])]
            r = table[np.uint64(r), np.uint64(tokens[np.uint64(c + i)])]
            s = table[np.uint64(s), np.uint64(tokens[np.uint64(d + i)])]
            states[np.uint64(a + i - shift)] = p
            states[np.uint64(b + i - shift)] = q
            states[np.uint64(c + i - shift)] = r
            states[np.uint64(d + i - shift)] = s
        _trace(table, p, tokens, a + common, b, states, shift)
        _trace(table, q, tokens, b + common, c, states, shift)
        _trace(table, r, tokens, c + common, d, states, shift)
        _trace(table, s, tokens, d + common, offsets[row + 4], states, shift)
    for row in range(rows - rows % 4, rows):
        _trace(table, starts[row], tokens, offsets[row], offsets[row + 1], states, shift)
    return states
