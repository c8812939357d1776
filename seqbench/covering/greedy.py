"""Greedy search for words that show what is still needed.

For every width and class the most still-needed compositions that a block can show follow from narrower blocks: a
maximum in place of the sum of the exact chances. One pass gives the best word for every length and end. What a word can
gain only falls as the need shrinks, so a word that still gains the maximum after others were taken is a best one, too:
all of them are taken before the next pass.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.schedules import nodes
from seqbench.covering.shapes import shapes
from seqbench.covering.tally import Tally
from seqbench.covering.task import Task
from seqbench.covering.witness import Witnesses
from seqbench.jit import kernel
from seqbench.progress import counting

Array = npt.NDArray[Any]

ROOM = 1 << 20  # symbols of the words taken after one pass


class Greedy:
    """The search over words of some lengths."""

    def __init__(self, task: Task, lengths: list[int]) -> None:
        """Words of the domain of these lengths, which all have some."""
        self.task, self.monoid = task, task.monoid
        self.shapes = shapes(np.array(lengths), task.min_width, task.schedule)
        widths, size = len(self.shapes.widths), len(task.monoid)
        self.value = np.empty((widths, size), dtype=np.int32)
        self.back = np.zeros((widths, size, 2), dtype=np.int32)
        reach = np.array([task.monoid.reach(int(width)) for width in self.shapes.widths])
        self.alive = np.argsort(~reach, axis=1, kind="stable").astype(np.int32)  # classes there are, first
        self.living = reach.sum(axis=1)
        self.ends = task.outputs[task.monoid.maps[:, 0]] >= 0
        self.rows = self.shapes.rows(np.array(sorted(lengths, reverse=True)))
        self.letters = np.array([np.argmax(task.monoid.right[0] == x) for x in range(size)], dtype=np.int32)

    def cover(self, keys: Array, times: int) -> list[Array]:
        """Words that show each composition a * classes + b so often at least."""
        size = len(self.monoid)
        self.need = np.zeros((size, size), dtype=np.int32)
        self.need.ravel()[keys] = times
        left, words = len(keys), list[Array]()
        with counting("Covering", "compositions", left) as done:
            for found in self._search():
                words += found
                left, before = int(np.count_nonzero(self.need)), left
                done(before - left)
        return self._without_redundant(words, keys, times)

    def _search(self) -> Iterator[list[Array]]:
        """Words that lower the need, until nothing can."""
        while found := self._best_words():
            yield found
        witnesses = Witnesses(self.task)
        for key in np.flatnonzero(self.need).tolist():  # under scan only
            word = witnesses.word(*divmod(key, len(self.monoid)))
            while word is not None and self.need.flat[key] > 0:
                self._show([word])
                yield [word]

    def _best_words(self) -> list[Array]:
        plan = self.shapes
        shape = plan.left, plan.right, plan.counted
        _fill(shape, self.monoid.product_table, (self.alive, self.living), self.need, self.value, self.back)
        most = int(plan.widths[-1])
        tokens, ends = np.empty(ROOM, dtype=np.int32), np.empty(len(self.rows) * len(self.ends), dtype=np.int64)
        room = np.empty((2 * most + 2, 2), dtype=np.int32), np.empty((most, 2), dtype=np.int32)
        walk = shape, self.back, self.letters, *room
        before = self.need.copy() if self.task.schedule == "scan" else self.need
        count = _take(walk, (self.rows, plan.widths[self.rows], self.ends), self.value, self.need, tokens, ends)
        if count == 0:
            return []
        starts = [0, *ends[: count - 1].tolist()]
        words = [tokens[i:j].astype(np.int64) for i, j in zip(starts, ends[:count].tolist(), strict=True)]
        if before is not self.need:  # words show more than their brackets, by which the need was lowered
            self.need = before
            self._show(words)
        return words

    def _show(self, words: list[Array]) -> None:
        """Lowers the need by what words show."""
        keys, _ = self._keys(words)
        np.subtract.at(self.need.reshape(-1), keys, 1)
        np.maximum(self.need, 0, out=self.need)

    def _keys(self, words: list[Array]) -> tuple[Array, Array]:
        """The compositions that words show, one a node, and how many each word shows."""
        tally = Tally(self.monoid, self.task.schedule, self.task.min_width)
        offsets = np.concatenate([[0], np.cumsum([len(word) for word in words])]).astype(np.int64)
        return tally.keys_of((np.concatenate(words), offsets)), self._numbers(np.diff(offsets))

    def _numbers(self, lengths: Array) -> Array:
        number = {int(n): len(nodes(self.task.schedule, int(n), self.task.min_width).level) for n in np.unique(lengths)}
        return np.array([number[n] for n in lengths.tolist()], dtype=np.int64)

    def _without_redundant(self, words: list[Array], keys: Array, times: int) -> list[Array]:
        """The words that are needed: later ones may show all that an earlier one was taken for."""
        shown, numbers = self._keys(words)
        counts = np.bincount(shown, minlength=self.need.size)
        spare = np.full(self.need.size, np.iinfo(np.int64).max)
        spare[keys] = counts[keys] - times
        kept = _needed(shown, numbers, spare)
        return [word for word, needed in zip(words, kept.tolist(), strict=True) if needed]


@kernel
def _needed(shown: Array, numbers: Array, spare: Array) -> Array:
    """Which words cannot go, looked at in turn; `spare` says how many more there are of each than needed."""
    kept, first = np.ones(len(numbers), dtype=np.bool_), 0
    for word in range(len(numbers)):
        last = first + numbers[word]
        lacks = False
        for i in range(first, last):
            spare[shown[i]] -= 1
            lacks = lacks or spare[shown[i]] < 0
        if lacks:
            for i in range(first, last):
                spare[shown[i]] += 1
        kept[word] = lacks
        first = last
    return kept


@kernel
def _fill(
    shape: tuple[Array, Array, Array],
    table: Array,
    classes: tuple[Array, Array],
    need: Array,
    value: Array,
    back: Array,
) -> None:
    """The most that a block of each width and class can gain, and the classes of the parts that gain it."""
    left, right, counted = shape
    alive, living = classes
    for w in range(len(left)):
        value[w, :] = 0 if left[w] < 0 else -1
        if left[w] >= 0:
            p, q = left[w], right[w]
            for i in range(living[p]):
                c = alive[p, i]
                for j in range(living[q]):
                    d = alive[q, j]
                    gain = value[p, c] + value[q, d] + np.int32(counted[w] and need[c, d] > 0)
                    x = table[c, d]
                    if gain > value[w, x]:
                        value[w, x] = gain
                        back[w, x, 0], back[w, x, 1] = c, d


@kernel
def _take(
    walk: tuple[tuple[Array, Array, Array], Array, Array, Array, Array],
    tops: tuple[Array, Array, Array],
    value: Array,
    need: Array,
    tokens: Array,
    ends: Array,
) -> int:
    """Writes all words that gain the best, one after the other; returns how many there are."""
    rows, lengths, inside = tops
    best, count, first = 0, 0, 0
    for attempt in range(2):  # the best gain first, as words may show a composition twice; then all that still gain it
        for number in range(len(rows)):
            for x in range(len(inside)):
                room = first + lengths[number] <= len(tokens)
                if inside[x] and room and value[rows[number], x] >= max(best, 1):
                    gain = _spell(walk, rows[number], x, need, tokens[first:])
                    if attempt == 0 or gain < best:
                        _restore(walk[4], gain, need)
                        best = max(best, gain)
                    else:
                        first += lengths[number]
                        ends[count] = first
                        count += 1
    return count


@kernel
def _restore(met: Array, number: int, need: Array) -> None:
    for i in range(number):
        need[met[i, 0], met[i, 1]] += 1


@kernel
def _spell(
    walk: tuple[tuple[Array, Array, Array], Array, Array, Array, Array], row: int, x: int, need: Array, tokens: Array
) -> int:
    """Writes the best word of a width and class and lowers the need; returns how much of it the word meets."""
    (left, right, counted), back, letters, stack, met = walk
    stack[0, 0], stack[0, 1] = row, x
    depth, filled, gain = 1, 0, 0
    while depth > 0:
        depth -= 1
        w, y = stack[depth, 0], stack[depth, 1]
        if left[w] < 0:
            tokens[filled] = letters[y]
            filled += 1
            continue
        c, d = back[w, y, 0], back[w, y, 1]
        if counted[w] and need[c, d] > 0:
            need[c, d] -= 1
            met[gain, 0], met[gain, 1] = c, d
            gain += 1
        stack[depth, 0], stack[depth, 1] = right[w], d
        stack[depth + 1, 0], stack[depth + 1, 1] = left[w], c
        depth += 2
    return gain
