"""Random edits that keep the length: substitution, swap and move, as many as a geometric law says."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.streams import Words, draw32
from seqbench.generation.tasks.flare.language import bounded
from seqbench.jit import kernel

Array = npt.NDArray[Any]

MAX_EDITS = 16


@kernel
def edit(classes: Array, kinds: int, offsets: Array, streams: Words, tokens: Array) -> None:
    """Edits every word K times, P(K = k) = 2^-k for k < 16, the rest of the weight at 16.

    Each edit is of one of the first `kinds` of three kinds, alike: a uniform position takes one of the other symbols of
    the same class, alike; the symbols of a uniform pair of positions trade places, if they are of one class; the symbol
    of one position is taken out and put back at another, both uniform. An edit that cannot be made is left out. In a
    word all of whose symbols are alone in their classes, every symbol may take the place of every other.

    Args:
        classes: the class of every symbol.
        kinds: 3, or 2 to keep the shape of the word: without taking out and putting back.
        offsets: where the words begin and end.
        streams: random streams of the words.
        tokens: the words, written in place.
    """
    for i in range(len(offsets) - 1):
        first, n = offsets[i], offsets[i + 1] - offsets[i]
        word, _, _, _ = draw32(streams, i, 0)
        edits = 1
        while edits < MAX_EDITS and (word >> np.uint64(edits - 1)) & np.uint64(1):
            edits += 1
        bound = _is_bound(classes, tokens[first : first + n])
        for e in range(edits):
            a, b, c, d = draw32(streams, i, 1 + 2 * e)
            f, g, _, _ = draw32(streams, i, 2 + 2 * e)
            kind = bounded(a, b, np.uint64(kinds))
            x = first + bounded(c, d, np.uint64(n))
            if kind == 0:
                tokens[x] = _other(classes, bound, tokens[x], f, g)
            elif n > 1:
                y = first + bounded(f, g, np.uint64(n - 1))
                y += y >= x
                if kind == 2:
                    _move(tokens, x, y)
                elif bound or classes[tokens[x]] == classes[tokens[y]]:
                    tokens[x], tokens[y] = tokens[y], tokens[x]


@kernel
def _is_bound(classes: Array, word: Array) -> bool:
    """Whether every symbol of the word is alone in its class."""
    for symbol in word:
        size = 0
        for other in classes:
            size += other == classes[symbol]
        if size > 1:
            return False
    return True


@kernel
def _other(classes: Array, bound: bool, symbol: int, high: np.uint64, low: np.uint64) -> int:
    """Another symbol of the same class (of any class where the word is bound), all alike; itself where it is alone."""
    size = 0
    for each in range(len(classes)):
        size += each != symbol and (bound or classes[each] == classes[symbol])
    if size == 0:
        return symbol
    left = bounded(high, low, np.uint64(size))
    for each in range(len(classes)):
        if each != symbol and (bound or classes[each] == classes[symbol]):
            if left == 0:
                return each
            left -= 1
    return symbol


@kernel
def _move(tokens: Array, x: int, y: int) -> None:
    """Takes the symbol at x out and puts it back so that it stands at y."""
    symbol = tokens[x]
    step = 1 if y > x else -1
    while x != y:
        tokens[x] = tokens[x + step]
        x += step
    tokens[y] = symbol
