"""Kernels that walk words by a schedule: products of blocks and the pairs of classes that meet.

`found` holds counts of the classes of joined blocks and of whole words, each of shape (classes,).

Every kernel counts into `counts`, shape (levels, classes^2), or, where that is too large, writes keys to `keys`,
shape (nodes,), level by level mixed, as (level * classes + a) * classes + b.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.jit import kernel

Array = npt.NDArray[Any]


@kernel
def product(table: Array, right: Array, a: int, b: int, tokens: Array, first: int, last: int) -> int:
    """Class a times the class b of tokens[first:last]: from the table where there is one, else by walking."""
    if len(table) > 0:
        return int(table[np.uint64(a), np.uint64(b)])
    for i in range(first, last):
        a = right[np.uint64(a), np.uint64(tokens[np.uint64(i)])]
    return a


@kernel
def note(level: int, a: int, b: int, size: int, counts: Array, keys: Array, filled: int) -> int:
    """Counts one composition; returns the number of keys written."""
    if len(keys) > 0:
        keys[filled] = (level * size + a) * size + b
        return filled + 1
    counts[np.uint64(level), np.uint64(a) * np.uint64(size) + np.uint64(b)] += 1
    return filled


@kernel
def tree(
    monoid: tuple[Array, Array],
    words: tuple[Array, Array],
    min_width: int,
    classes: Array,
    found: tuple[Array, Array],
    counts: Array,
    keys: Array,
) -> int:
    """The balanced reduction of every word; `classes` is room for the longest word. Returns the keys written."""
    table, right = monoid
    tokens, offsets = words
    node_classes, word_classes = found
    size, filled = len(right), 0
    for word in range(len(offsets) - 1):
        begin, length = offsets[word], offsets[word + 1] - offsets[word]
        for i in range(length):
            classes[np.uint64(i)] = right[0, tokens[np.uint64(begin + i)]]
        count, width, level = length, 1, 0
        while count > 1:
            half, odd = count >> 1, count & 1
            last_width = length - (count - 1) * width  # the last block may be narrower
            for i in range(half):
                a, b = classes[np.uint64(2 * i)], classes[np.uint64(2 * i + 1)]
                right_width = last_width if 2 * i + 2 == count else width
                if right_width >= min_width and width >= min_width:
                    filled = note(level, a, b, size, counts, keys, filled)
                first = begin + (2 * i + 1) * width
                joined = product(table, right, a, b, tokens, first, first + right_width)
                classes[np.uint64(i)] = joined
                node_classes[np.uint64(joined)] += 1
            if odd:
                classes[half] = classes[count - 1]
            count, width, level = half + odd, 2 * width, level + 1
        word_classes[np.uint64(classes[0] if length > 0 else 0)] += 1
    return filled


@kernel
def left(
    monoid: tuple[Array, Array],
    words: tuple[Array, Array],
    min_width: int,
    classes: Array,  # noqa: ARG001 -- all schedules take the same arguments
    found: tuple[Array, Array],
    counts: Array,
    keys: Array,
) -> int:
    """Every word one symbol after the other."""
    _, right = monoid
    tokens, offsets = words
    node_classes, word_classes = found
    size, filled = len(right), 0
    for word in range(len(offsets) - 1):
        begin, end = offsets[word], offsets[word + 1]
        if begin == end:
            word_classes[0] += 1
            continue
        a = int(right[0, tokens[begin]])
        for i in range(begin + 1, end):
            b = right[0, tokens[i]]
            if min_width == 1:
                filled = note(0, a, b, size, counts, keys, filled)
            a = right[np.uint64(a), np.uint64(tokens[i])]
            node_classes[a] += 1
        word_classes[a] += 1
    return filled


@kernel
def scan(
    monoid: tuple[Array, Array],
    words: tuple[Array, Array],
    min_width: int,
    classes: Array,
    found: tuple[Array, Array],
    counts: Array,
    keys: Array,
) -> int:
    """The associative scan of every word: levels of the reduction first, then the same number on the way down.

    Level l of the way down is counted at l plus half of the levels of `counts` (of the key space, where keys are kept).
    """
    table, right = monoid
    tokens, offsets = words
    node_classes, word_classes = found
    size, filled, down = len(right), 0, len(counts) >> 1
    for word in range(len(offsets) - 1):
        begin, length = offsets[word], offsets[word + 1] - offsets[word]
        for i in range(length):
            classes[i] = right[0, tokens[begin + i]]
        base, count, width, level = 0, length, 1, 0
        while count > 1:  # up: every level is kept behind the one before
            above = base + count
            for i in range(count >> 1):
                a, b = classes[base + 2 * i], classes[base + 2 * i + 1]
                first = begin + (2 * i + 1) * width
                if width >= min_width:
                    filled = note(level, a, b, size, counts, keys, filled)
                joined = product(table, right, a, b, tokens, first, first + width)
                classes[above + i] = joined
                node_classes[joined] += 1
            base, count, width, level = above, count >> 1, 2 * width, level + 1
        while level > 0:  # down: classes of blocks become classes of prefixes, in place
            level, width = level - 1, width >> 1
            count = length // width
            below = base - count
            for i in range(count - 1, 0, -1):
                if i & 1:
                    classes[below + i] = classes[base + (i >> 1)]
                    continue
                a, b = classes[base + (i >> 1) - 1], classes[below + i]
                first = begin + i * width
                if width >= min_width:
                    filled = note(down + level, a, b, size, counts, keys, filled)
                joined = product(table, right, a, b, tokens, first, first + width)
                classes[below + i] = joined
                node_classes[joined] += 1
            base = below
        word_classes[np.uint64(classes[length - 1] if length > 0 else 0)] += 1
    return filled


KERNELS = {"tree": tree, "scan": scan, "left": left}
