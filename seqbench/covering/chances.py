"""The chance that a random word shows a composition, exactly, for the balanced reduction.

A word of n symbols is the join of its first 2^k symbols with the rest, and given their classes the two are independent.
So, for one composition (a, b), the share B_n(x) of words of length n that have class x and show it follows from those
of the two parts:

    B_n(x) = sum over cd = x of (B_l(c) f_r(d) + (f_l(c) - B_l(c)) B_r(d)), plus (f_l - B_l)(a) (f_r - B_r)(b) if ab = x

B is zero outside the classes that contain the composition, which keeps this cheap: rare compositions have few.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.expected import Task, meeting
from seqbench.covering.laws import check_laws, class_weights, forward, label_weights
from seqbench.errors import InputError
from seqbench.generation.composition import left_length
from seqbench.jit import kernel
from seqbench.progress import progress

Array = npt.NDArray[Any]

BATCH = 8192  # compositions between two steps of the progress bar


@dataclass(frozen=True, eq=False)
class Shapes:
    """Widths of the blocks that words of some lengths are joined from, narrow ones first.

    Attributes:
        widths: shape (k,), int64.
        left: index of the left part's width, shape (k,); -1 for single symbols.
        right: index of the right part's width.
        counted: whether the join counts (neither part is narrower than the task's least width).
    """

    widths: Array
    left: Array
    right: Array
    counted: Array


def shapes(lengths: Array, min_width: int = 1) -> Shapes:
    """The widths that words of these lengths need.

    Example:
        >>> shapes(np.array([7])).widths.tolist()
        [1, 2, 3, 4, 7]
    """
    needed, waiting = {1}, [int(n) for n in lengths]
    while waiting:
        width = waiting.pop()
        if width not in needed:
            needed.add(width)
            cut = int(left_length(np.array([width]))[0])
            waiting += [cut, width - cut]
    widths = np.array(sorted(needed))
    cuts = left_length(np.maximum(widths, 2))
    left, right = np.searchsorted(widths, cuts), np.searchsorted(widths, widths - cuts)
    single = widths == 1
    counted = ~single & (np.minimum(cuts, widths - cuts) >= min_width)
    return Shapes(widths, np.where(single, -1, left), np.where(single, -1, right), counted)


class Chances:
    """Chances under each of several laws, for words whose lengths are drawn with given chances."""

    def __init__(self, task: Task, weights: Mapping[str, float], lengths: Array, chance: Array) -> None:
        """Chances for a mixture of laws; each law's share is kept apart, so that mixtures can be compared.

        Raises:
            InputError: a schedule other than tree.
        """
        if task.schedule != "tree":
            raise InputError(
                f"Chances of compositions are known for the schedule 'tree' only, not {task.schedule!r}. "
                "Measure a sample with `seqbench coverage` instead."
            )
        check_laws(weights)
        self.task, self.weights, self.lengths, self.chance = task, dict(weights), lengths, chance
        self.shapes = shapes(lengths, task.min_width)
        self.share = forward(task.monoid.right, int(lengths.max()))[self.shapes.widths]

    @cached_property
    def _ends(self) -> Array:
        """Chance of a word by law, width and class, times symbols^width; zero for composition, which goes by halves."""
        task, monoid = self.task, self.task.monoid
        ends = np.zeros((len(self.weights), len(self.shapes.widths), len(monoid)))
        rows = np.searchsorted(self.shapes.widths, self.lengths)
        for number, law in enumerate(self.weights):
            if law == "composition":
                continue
            if law == "class":
                weight = class_weights(monoid, task.outputs, self.lengths).weight
            else:
                by_state = label_weights(task.machine, monoid, task.outputs, self.lengths, law).weight
                weight = by_state[:, monoid.maps[:, 0]]
            ends[number, rows] = weight * self.chance[:, None]
        return ends

    @cached_property
    def _roots(self) -> tuple[Array, Array, Array, Array]:
        """Halves under composition: which pairs; chances of each, of each left, of each right half; by length."""
        monoid, number = self.task.monoid, len(self.lengths) if "composition" in self.weights else 0
        inside = self.task.outputs[monoid.maps[:, 0]] >= 0
        pairs = np.zeros((number, len(monoid), len(monoid)), dtype=np.bool_)
        for row in range(number):
            length = int(self.lengths[row])
            if length > 1:
                cut = int(left_length(np.array([length]))[0])
                pairs[row] = meeting(monoid, inside, cut, length - cut)
        each = self.chance[:number] / np.maximum(pairs.sum(axis=(1, 2)), 1)
        return pairs, each, pairs.sum(axis=2) * each[:, None], pairs.sum(axis=1) * each[:, None]

    def of(self, keys: Array) -> Array:
        """Chance that a word shows each composition, by law, shape (laws, keys); keys are a * classes + b."""
        plan, laws = self.shapes, list(self.weights)
        rows = np.searchsorted(plan.widths, self.lengths)
        out = np.zeros((len(laws), len(keys)))
        composition = laws.index("composition") if "composition" in laws else -1
        alive = np.argsort(self.share == 0, axis=1, kind="stable").astype(np.int32)  # classes there are, first
        blocks = (self.share, alive, (self.share > 0).sum(axis=1), self.task.monoid.product_table)
        shape = (plan.left, plan.right, plan.counted)
        for first in progress(range(0, len(keys), BATCH), "Chances of compositions"):
            part = slice(first, first + BATCH)
            _chances(keys[part], shape, blocks, self._ends, rows, self._roots, composition, out[:, part])
        return out

    def mixed(self, keys: Array) -> Array:
        """Chance that a word of the mixture shows each composition, shape (keys,)."""
        return np.array(list(self.weights.values())) @ self.of(keys)

    def all_among(self, allowed: Array) -> Array:
        """Chance that all compositions of a word are among the allowed ones, by length, shape (lengths,).

        Args:
            allowed: shape (classes, classes), bool.
        """
        plan, table = self.shapes, self.task.monoid.product_table
        clean = self.share.copy()
        for row in range(len(plan.widths)):
            if plan.left[row] >= 0:
                left, right = plan.left[row], plan.right[row]
                clean[row] = _join(clean[left], clean[right], table, allowed | ~plan.counted[row])
        rows = np.searchsorted(plan.widths, self.lengths)
        total = np.zeros(len(self.lengths))
        for (law, weight), ends in zip(self.weights.items(), self._ends, strict=True):
            if law == "composition":
                total += weight * self._clean_roots(clean, allowed)
            else:
                total += weight * (clean[rows] * ends[rows]).sum(axis=1) / self.chance
        return total

    def _clean_roots(self, clean: Array, allowed: Array) -> Array:
        plan, found = self.shapes, np.ones(len(self.lengths))  # a single symbol has no composition
        ratio = np.divide(clean, self.share, out=np.zeros_like(clean), where=self.share > 0)
        for number, row in enumerate(np.searchsorted(plan.widths, self.lengths)):
            if plan.left[row] >= 0:
                pairs = self._roots[0][number]
                kept = pairs & (allowed | ~plan.counted[row])
                found[number] = ratio[plan.left[row]] @ kept @ ratio[plan.right[row]] / pairs.sum()
        return found


@kernel
def _join(left: Array, right: Array, table: Array, allowed: Array) -> Array:
    """Shares of joined words by class, where only allowed pairs meet."""
    out = np.zeros(len(left))
    for a in range(len(left)):
        if left[a] > 0:
            for b in range(len(right)):
                if right[b] > 0 and allowed[a, b]:
                    out[table[a, b]] += left[a] * right[b]
    return out


@kernel
def _add(x: int, amount: float, found: Array, listed: Array, count: int) -> int:
    """Adds to found[x] and lists x when it is new; returns how many are listed."""
    if found[x] == 0.0 and amount > 0.0:
        listed[count] = x
        count += 1
    found[x] += amount
    return count


@kernel
def _show(
    a: int,
    b: int,
    shape: tuple[Array, Array, Array],
    blocks: tuple[Array, Array, Array, Array],
    found: Array,
    listed: Array,
    count: Array,
) -> None:
    """Fills found[w] with the share of words of each width and class that show (a, b); lists where it is not zero."""
    left, right, counted = shape
    share, alive, living, table = blocks
    for w in range(len(left)):
        count[w] = 0
        if left[w] < 0:
            continue
        p, q, n = left[w], right[w], 0
        for i in range(count[p]):
            c = listed[p, i]
            for j in range(living[q]):
                d = alive[q, j]
                n = _add(table[c, d], found[p, c] * share[q, d], found[w], listed[w], n)
        for j in range(count[q]):
            d = listed[q, j]
            for i in range(living[p]):
                c = alive[p, i]
                n = _add(table[c, d], max(share[p, c] - found[p, c], 0.0) * found[q, d], found[w], listed[w], n)
        if counted[w]:
            both = max(share[p, a] - found[p, a], 0.0) * max(share[q, b] - found[q, b], 0.0)
            n = _add(table[a, b], both, found[w], listed[w], n)
        count[w] = n


@kernel
def _chances(
    keys: Array,
    shape: tuple[Array, Array, Array],
    blocks: tuple[Array, Array, Array, Array],
    ends: Array,
    rows: Array,
    roots: tuple[Array, Array, Array, Array],
    composition: int,
    out: Array,
) -> None:
    """For each key the chance under each law: the shares of `_show`, weighed by where words end or by their halves."""
    share = blocks[0]
    size = share.shape[1]
    found, listed = np.zeros(share.shape), np.empty(share.shape, dtype=np.int32)
    count = np.zeros(len(share), dtype=np.int64)
    for k in range(len(keys)):
        a, b = keys[k] // size, keys[k] % size
        _show(a, b, shape, blocks, found, listed, count)
        for law in range(len(ends)):
            for number in range(len(rows)):
                w = rows[number]
                if law == composition:
                    out[law, k] += _root(a, b, number, w, roots, shape, share, (found, listed, count))
                    continue
                for i in range(count[w]):
                    out[law, k] += found[w, listed[w, i]] * ends[law, w, listed[w, i]]
        for w in range(len(share)):
            for i in range(count[w]):
                found[w, listed[w, i]] = 0.0


@kernel
def _root(
    a: int,
    b: int,
    number: int,
    w: int,
    roots: tuple[Array, Array, Array, Array],
    shape: tuple[Array, Array, Array],
    share: Array,
    shown: tuple[Array, Array, Array],
) -> float:
    """Chance that the root or a half drawn by class shows (a, b): left or right, less both, plus the root."""
    pairs, each, lefts, rights = roots
    found, listed, count = shown
    p, q, total = shape[0][w], shape[1][w], 0.0
    if p < 0:
        return total
    for i in range(count[p]):
        c = listed[p, i]
        one = found[p, c] / share[p, c]
        total += lefts[number, c] * one
        for j in range(count[q]):
            d = listed[q, j]
            if pairs[number, c, d]:
                total -= each[number] * one * found[q, d] / share[q, d]
    for j in range(count[q]):
        d = listed[q, j]
        total += rights[number, d] * found[q, d] / share[q, d]
    if shape[2][w] and pairs[number, a, b]:
        total += each[number] * (1.0 - found[p, a] / share[p, a]) * (1.0 - found[q, b] / share[q, b])
    return total
