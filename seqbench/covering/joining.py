"""Shares of blocks that show each of many compositions, width by width: the arithmetic behind the exact chances.

For one composition (a, b), the share B_n(x) of blocks of n symbols that have class x and show it follows from those of
the two parts, l symbols and r symbols, which are independent given their classes:

    B_n(x) = sum over cd = x of (B_l(c) f_r(d) + f_l(c) B_r(d) - B_l(c) B_r(d)),
             plus (f_l - B_l)(a) (f_r - B_r)(b) where x = ab

Nothing is lost to cancellation: the product is at most either of the other terms. B is zero outside the ideal of the
classes that contain ab. Compositions with the same ideal go together, side by side in memory: the first two terms are
then sums over few (c, x), prepared once, and only the product needs all pairs of the ideal.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.shapes import Shapes
from seqbench.jit import kernel

Array = npt.NDArray[Any]

TILE = 64  # compositions whose shares stay in the cache together


@dataclass(frozen=True, eq=False)
class Join:
    """How the shares of one width follow from those of its parts, within an ideal.

    Attributes:
        row, left, right: of the shapes.
        table: index of the product within the width's classes, by the parts' classes, shape (left, right).
        from_left: terms (left class, product, share of the right blocks), as indices.
        from_right: terms (right class, product, share of the left blocks).
        kinds: where few left classes tell right classes apart, what they tell apart (see `_kinds`); else empty.
    """

    row: int
    left: int
    right: int
    table: Array
    from_left: tuple[Array, Array, Array]
    from_right: tuple[Array, Array, Array]
    kinds: tuple[Array, Array, Array]


class Ideal:
    """The joins of all widths that are parts of others, for compositions whose products lie in an ideal."""

    def __init__(self, mask: Array, plan: Shapes, share: Array, table: Array) -> None:
        """Joins within the classes of the mask; `share` by width and class."""
        self.plan, self.share = plan, share
        self.classes = [np.flatnonzero(mask & (share[row] > 0)) for row in range(len(plan.widths))]
        place = np.full((len(plan.widths), share.shape[1]), -1, dtype=np.int32)
        for row, classes in enumerate(self.classes):
            place[row, classes] = np.arange(len(classes))
        self.place = place
        parts = sorted({*plan.left[plan.left >= 0].tolist(), *plan.right[plan.right >= 0].tolist()})
        self.joins = [self._join(row, mask, table) for row in parts if plan.left[row] >= 0]

    def _join(self, row: int, mask: Array, table: Array) -> Join:
        left, right = int(self.plan.left[row]), int(self.plan.right[row])
        lefts, rights, place = self.classes[left], self.classes[right], self.place[row]
        from_left = _terms(lefts, self.share[right], table, place, mask)
        from_right = _terms(rights, self.share[left], table.T, place, mask)
        products = place[table[np.ix_(lefts, rights)]]
        return Join(row, left, right, products, from_left, from_right, _kinds(products))

    def shown(self, a: Array, b: Array, product: Array) -> "Shown":
        """Shares of the blocks of all widths that show each composition (a, b)."""
        shown = Shown(self, a, b)
        for join in self.joins:
            here, left, right = (shown.found[row] for row in (join.row, join.left, join.right))
            _combine(left, right, join.table, join.from_left, join.from_right, join.kinds, here)
            if self.plan.counted[join.row]:
                hit = shown.absent("a", join.left) * shown.absent("b", join.right)
                there = np.flatnonzero(hit > 0)
                here[self.place[join.row, product[there]], there] += hit[there]
        return shown


class Shown:
    """Shares of blocks that show each of some compositions (a, b), by width; filled from narrow to wide.

    Attributes:
        a, b: the compositions.
        found: by width, shape (classes of the ideal, compositions).
    """

    def __init__(self, ideal: Ideal, a: Array, b: Array) -> None:
        """Nothing shown yet."""
        self.ideal, self.a, self.b = ideal, a, b
        self.found = [np.zeros((len(classes), len(a))) for classes in ideal.classes]
        self._absent: dict[tuple[str, int], Array] = {}

    def absent(self, side: str, row: int) -> Array:
        """Share of the blocks of a width that have the class a (or b) of each composition and do not show it."""
        if (side, row) not in self._absent:
            classes = self.a if side == "a" else self.b
            amount, place = self.ideal.share[row, classes].copy(), self.ideal.place[row, classes]
            inside = np.flatnonzero(place >= 0)
            amount[inside] -= self.found[row][place[inside], inside]
            self._absent[side, row] = np.maximum(amount, 0.0)
        return self._absent[side, row]


def _kinds(products: Array) -> tuple[Array, Array, Array]:
    """Left classes that join alike: the kind of each; groups of right classes by kind; product by left class and group.

    Empty where left classes tell most right classes apart: then there is nothing to gain.
    """
    group, product, numbers = _groups(products)
    if products.size == 0 or 16 * int(numbers.sum()) > products.size:
        return np.empty(0, dtype=np.int64), group, product
    partitions, kind = np.unique(group, axis=0, return_inverse=True)
    return kind.ravel().astype(np.int64), np.ascontiguousarray(partitions), product


@kernel
def _groups(products: Array) -> tuple[Array, Array, Array]:
    """For each row: groups of columns with equal entries, numbered as they come; the entry of each; how many."""
    group, entry = np.zeros(products.shape, dtype=np.int32), np.zeros(products.shape, dtype=np.int32)
    numbers = np.zeros(len(products), dtype=np.int64)
    known = np.full(products.max() + 1 if products.size else 1, -1)
    for c in range(len(products)):
        for d in range(products.shape[1]):
            x = products[c, d]
            if known[x] < 0:
                known[x] = numbers[c]
                entry[c, numbers[c]] = x
                numbers[c] += 1
            group[c, d] = known[x]
        for g in range(numbers[c]):
            known[entry[c, g]] = -1
    return group, entry, numbers


@kernel
def _terms(classes: Array, other: Array, table: Array, place: Array, mask: Array) -> tuple[Array, Array, Array]:
    """For each class and product the share of the other part's blocks that lead there."""
    size = len(other)
    room = len(classes) * min(size, int(mask.sum()))
    whence, where = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
    amount, total, filled = np.empty(room), np.zeros(size), 0
    for i in range(len(classes)):
        for d in range(size):
            if other[d] > 0:
                total[table[classes[i], d]] += other[d]
        for x in range(size):
            if total[x] > 0:
                whence[filled], where[filled], amount[filled] = i, place[x], total[x]
                filled += 1
                total[x] = 0.0
    return whence[:filled].copy(), where[:filled].copy(), amount[:filled].copy()


@kernel
def _combine(
    left: Array,
    right: Array,
    table: Array,
    from_left: tuple[Array, Array, Array],
    from_right: tuple[Array, Array, Array],
    kinds: tuple[Array, Array, Array],
    out: Array,
) -> None:
    """Fills in the shares of a width, but for the join itself, tile by tile of compositions."""
    for first in range(0, out.shape[1], TILE):
        last = min(first + TILE, out.shape[1])
        lefts, rights = left[:, first:last].copy(), right[:, first:last].copy()  # side by side, to stay in the cache
        sums = np.zeros((len(out), last - first))
        _add(from_left, lefts, sums)
        _add(from_right, rights, sums)
        if len(kinds[0]):
            _subtract_kinds(lefts, rights, kinds, sums)
        else:
            _subtract(lefts, rights, table, sums)
        out[:, first:last] = sums


@kernel
def _add(terms: tuple[Array, Array, Array], part: Array, sums: Array) -> None:
    for i in range(len(terms[0])):
        source, goal, amount = part[terms[0][i]], sums[terms[1][i]], terms[2][i]
        for k in range(sums.shape[1]):
            goal[k] += amount * source[k]


@kernel
def _subtract(lefts: Array, rights: Array, table: Array, sums: Array) -> None:
    """Takes away what both parts show; classes that show nothing are left out."""
    used = np.zeros(len(rights), dtype=np.bool_)
    for d in range(len(rights)):
        used[d] = rights[d].any()
    for c in range(len(lefts)):
        if lefts[c].any():
            one = lefts[c]
            for d in range(len(rights)):
                if used[d]:
                    goal, other = sums[table[c, d]], rights[d]
                    for k in range(sums.shape[1]):
                        goal[k] -= one[k] * other[k]


@kernel
def _subtract_kinds(lefts: Array, rights: Array, kinds: tuple[Array, Array, Array], sums: Array) -> None:
    """The same, where right classes that a kind of left classes does not tell apart are summed first."""
    kind, partition, product = kinds
    size = sums.shape[1]
    for each in range(len(partition)):
        number = partition[each].max() + 1
        grouped = np.zeros((number, size))
        for d in range(len(rights)):
            goal, other = grouped[partition[each, d]], rights[d]
            for k in range(size):
                goal[k] += other[k]
        for c in range(len(lefts)):
            if kind[c] == each:
                one = lefts[c]
                for g in range(number):
                    goal, other = sums[product[c, g]], grouped[g]
                    for k in range(size):
                        goal[k] -= one[k] * other[k]
