"""The two parts of a whole word: how likely a word is, given the classes of its parts, and what follows for chances."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.halves import meeting
from seqbench.covering.joining import Ideal, Shown
from seqbench.covering.laws import check_share, end_weights
from seqbench.covering.shapes import Shapes
from seqbench.covering.task import Task

Array = npt.NDArray[Any]

PIECE = 1 << 18  # multiplications that BLAS does on one thread
KEPT = 1 << 18  # cells of a table of weights that is kept; larger ones are made again


@dataclass(frozen=True, eq=False)
class Root:
    """How likely a word of one length is under a law, given the classes c and d of its two parts.

    The probability of one word, times symbols^length and the chance of law and length, is

        scale(c) ends(act(d, place(c))) right_scale(d)

    Attributes:
        number: of the length.
        row: of the length in the shapes.
        place: where a left part of each class leads, shape (classes,).
        scale: shape (classes,).
        ends: shape (places,).
        act: place after a right part of each class, shape (classes, places).
        right_scale: shape (classes,).
    """

    number: int
    row: int
    place: Array
    scale: Array
    ends: Array
    act: Array
    right_scale: Array

    def rights(self, classes: Array, places: Array | None = None) -> Array:
        """Weight by place and class of the right part, shape (places, classes)."""
        act = self.act[classes] if places is None else self.act[np.ix_(classes, places)]
        return np.asarray(self.ends[act].T * self.right_scale[classes])


def roots_of(task: Task, recipe: Mapping[str, Array], lengths: Array, plan: Shapes, share: Array) -> list[Root]:
    """The roots of all lengths from 2 on.

    Args:
        task: language and schedule.
        recipe: chance of law and length, by law, shape (lengths,).
        lengths: shape (k,).
        plan: widths that words of these lengths are joined from.
        share: of the words of each width that have each class, shape (widths, classes).
    """
    found = []
    for names in (("uniform", "balanced", "member"), ("class",)):
        used = {law: recipe[law] for law in names if law in recipe}
        found += _roots_by_end(task, used, lengths, plan) if used else []
    if "composition" in recipe:
        found += _roots_by_halves(task, recipe["composition"], lengths, plan, share)
    return sorted(found, key=lambda root: root.number)


def _roots_by_end(task: Task, used: Mapping[str, Array], lengths: Array, plan: Shapes) -> list[Root]:
    """Laws whose words are weighed by the place where they end."""
    weight: Any = 0.0
    for law, amount in used.items():
        drawn = amount > 0
        found = end_weights(task, law, lengths[drawn])
        whole = np.zeros((len(lengths), len(found.step)))
        whole[drawn] = found.weight * amount[drawn, None]
        weight = weight + whole
    one = np.ones(len(task.monoid))
    place = np.arange(len(one)) if "class" in used else task.monoid.maps[:, 0]
    rows = plan.rows(lengths)
    return [
        Root(number, int(rows[number]), place, one, weight[number], found.act, one)
        for number in range(len(lengths))
        if lengths[number] > 1 and weight[number].any()
    ]


def _roots_by_halves(task: Task, amount: Array, lengths: Array, plan: Shapes, share: Array) -> list[Root]:
    """The law composition: a pair of classes uniformly among those that meet, then a word of each."""
    found, rows = [], plan.rows(lengths)
    inside = task.outputs >= 0
    for number in np.flatnonzero((amount > 0) & (lengths > 1)).tolist():
        row = int(rows[number])
        pairs = meeting(task, int(lengths[number]))
        scales = []
        for part, used in ((plan.left[row], pairs.any(axis=1)), (plan.right[row], pairs.any(axis=0))):
            check_share(share[part][used], int(plan.widths[part]))
            scales.append(np.divide(1.0, share[part], out=np.zeros(share.shape[1]), where=used))
        ends = inside * (amount[number] / pairs.sum())
        found.append(Root(number, row, task.monoid.maps[:, 0], scales[0], ends, task.monoid.maps, scales[1]))
    return found


class WeighedRoots:
    """Chances of words of a recipe, from the shares of the parts of its words."""

    def __init__(self, ideal: Ideal, roots: list[Root]) -> None:
        """The roots, for compositions whose products lie in the ideal."""
        self.parts = [_Part(ideal, root) for root in roots]

    def chance(self, shown: Shown) -> Array:
        """Chance that a word shows each composition, given the shares of blocks that do."""
        total = np.zeros(len(shown.a))
        for part in self.parts:
            total += part.chance(shown)
        return total


class _Part:
    """One root: sums over the classes of one part, prepared for the other."""

    def __init__(self, ideal: Ideal, root: Root) -> None:
        self.root, self.counted = root, bool(ideal.plan.counted[root.row])
        self.left, self.right = int(ideal.plan.left[root.row]), int(ideal.plan.right[root.row])
        lefts, self.rights = ideal.classes[self.left], ideal.classes[self.right]
        self.places, place = np.unique(root.place[lefts], return_inverse=True)
        everything = np.flatnonzero(ideal.share[self.right] > 0)
        ahead = root.rights(everything, self.places) @ ideal.share[self.right, everything]
        self.of_left = root.scale[lefts] * ahead[place]
        amount = np.bincount(root.place, weights=root.scale * ideal.share[self.left], minlength=len(root.ends))
        behind: Array = np.flatnonzero(amount)
        self.of_right = amount[behind] @ root.rights(self.rights, behind)
        self.kept: Array | None = None
        if len(place) and len(self.places) * len(self.rights) <= KEPT:
            rows, alike = np.unique(self._table(), axis=0, return_inverse=True)
            few = 4 * len(rows) <= len(lefts)  # left classes that all right parts weigh alike are summed first
            self.kept, place = (rows, alike.ravel()[place]) if few else (self._table(), place)
        self.scale, self.place = root.scale[lefts][:, None], place
        self.gather: Array | None = None
        if self.kept is not None and 4 * len(self.kept) <= len(lefts):
            self.gather = np.zeros((len(self.kept), len(lefts)))
            self.gather[place, np.arange(len(lefts))] = root.scale[lefts]

    def _table(self) -> Array:
        return self.root.rights(self.rights, self.places)

    def chance(self, shown: Shown) -> Array:
        """Left part or right part, less both, plus the join where neither shows it."""
        root, left, right = self.root, shown.found[self.left], shown.found[self.right]
        total = np.einsum("i,ij->j", self.of_left, left) + np.einsum("i,ij->j", self.of_right, right)
        if len(left) and len(right):
            after = times(self._table() if self.kept is None else self.kept, right)
            if self.gather is None:
                total -= np.einsum("ij,ij->j", self.scale * left, after[self.place])
            else:
                total -= np.einsum("ij,ij->j", times(self.gather, left), after)
        if self.counted:
            hit = shown.absent("a", self.left) * shown.absent("b", self.right)
            weight = root.scale[shown.a] * root.right_scale[shown.b]
            total += hit * weight * root.ends[root.act[shown.b, root.place[shown.a]]]
        return np.asarray(total)


def times(table: Array, shares: Array) -> Array:
    """The matrix product, in pieces so small that BLAS keeps to one thread: on a busy machine threads wait for others.

    Example:
        >>> times(np.eye(2), np.array([[1.0], [2.0]])).tolist()
        [[1.0], [2.0]]
    """
    out = np.empty((len(table), shares.shape[1]))
    rows = max(1, PIECE // (64 * len(shares)))
    columns = max(64, PIECE // (len(shares) * len(table)))
    for i in range(0, len(table), rows):
        for j in range(0, shares.shape[1], columns):
            np.matmul(table[i : i + rows], shares[:, j : j + columns], out=out[i : i + rows, j : j + columns])
    return out
