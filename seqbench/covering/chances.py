"""The chance that a random word shows a composition, and that all its compositions are among some, exactly.

A word is the join of two parts, which are independent given their classes. So shares of blocks that show a composition
follow from narrower blocks (see joining), and the chance for words of one length is a sum over the classes (c, d) of
the parts of the whole word, weighed by the probability of a word whose parts have these classes (see roots).
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.structure import Structure
from seqbench.covering.joining import Ideal
from seqbench.covering.laws import admitted, amounts, check_laws, forward, no_word
from seqbench.covering.roots import Root, WeighedRoots, roots_of
from seqbench.covering.shapes import Shapes, shapes
from seqbench.covering.task import Task
from seqbench.errors import InputError
from seqbench.jit import kernel
from seqbench.progress import counting

Array = npt.NDArray[Any]

BATCH = 512  # compositions looked at together
FEWEST = 2048  # compositions for which joins are worth preparing; smaller ideals are put together


class Chances:
    """Chances under a mixture of laws, for words whose lengths are drawn with given chances.

    Under the schedule scan they are those of the brackets around the whole word: see scans for its other prefixes.
    """

    def __init__(self, task: Task, weights: Mapping[str, float], lengths: Array, chance: Array) -> None:
        """Chances for a mixture of laws; at lengths that a law lacks the others share its weight, as the sampler does.

        Raises:
            InputError: the law composition and another schedule than tree: its halves are not parts of the brackets.
        """
        check_laws(weights)
        if task.schedule != "tree" and "composition" in weights:
            raise InputError(
                "Exact chances under the law 'composition' are known for the schedule 'tree' only, not "
                f"{task.schedule!r}. Bounds come from `seqbench expect --schedule {task.schedule}`; or use another law."
            )
        self.task, self.weights, self.lengths, self.chance = task, dict(weights), lengths, chance
        self.shapes = shapes(lengths, task.min_width, task.schedule)
        self.share = forward(task.monoid.right, int(lengths.max()))[self.shapes.widths]

    def of(self, keys: Array) -> Array:
        """Chance that a word of each law alone shows each composition, shape (laws, keys); keys are a * classes + b.

        A law alone leaves out the lengths that it lacks.
        """
        return self.shown(keys, [{law: alone(self.task, law, self.lengths, self.chance)} for law in self.weights])

    def mixed(self, keys: Array) -> Array:
        """Chance that a word of the mixture shows each composition, shape (keys,)."""
        return np.asarray(self.shown(keys, [self._amounts])[0])

    @cached_property
    def _amounts(self) -> dict[str, Array]:
        return amounts(self.task, self.weights, self.lengths, self.chance)

    def shown(self, keys: Array, recipes: list[dict[str, Array]]) -> Array:
        """Chance that a word of each recipe shows each composition, shape (recipes, keys).

        Args:
            keys: a * classes + b.
            recipes: chances of law and length, by law, shape (lengths,); an empty one shows nothing.
        """
        roots = [self._roots(recipe) for recipe in recipes]
        out = np.zeros((len(recipes), len(keys)))
        with counting("Chances", "compositions", len(keys)) as done:
            for mask, chosen in self._groups(keys):
                ideal = Ideal(mask, self.shapes, self.share, self.task.monoid.product_table)
                weighed = [WeighedRoots(ideal, each) for each in roots]
                for first in range(0, len(chosen), BATCH):
                    part = chosen[first : first + BATCH]
                    out[:, part] = self._batch(keys[part], ideal, weighed)
                    done(len(part))
        return out

    def _batch(self, keys: Array, ideal: Ideal, weighed: list[WeighedRoots]) -> Array:
        a, b = np.divmod(keys, len(self.task.monoid))
        shown = ideal.shown(a, b, self.task.monoid.product_table[a, b])
        return np.array([each.chance(shown) for each in weighed])

    def _roots(self, recipe: Mapping[str, Array]) -> list[Root]:
        return roots_of(self.task, recipe, self.lengths, self.shapes, self.share)

    def _groups(self, keys: Array) -> Iterator[tuple[Array, Array]]:
        """The compositions by the ideal of their product, small ones together: its mask, and which they are."""
        if len(keys) == 0:
            return
        monoid, size = self.task.monoid, len(self.task.monoid)
        j_class = Structure(monoid).j_classes[monoid.product_table[keys // size, keys % size]]
        order = np.argsort(j_class, kind="stable")
        present, first = np.unique(j_class[order], return_index=True)
        ends = [*first[1:].tolist(), len(keys)]
        mask, begin = np.zeros(size, dtype=bool), 0
        for each, end in zip(present.tolist(), ends, strict=True):
            mask |= _ideal(monoid.product_table, int(np.argmax(Structure(monoid).j_classes == each)))
            if end - begin >= FEWEST or end == len(keys):
                yield mask, order[begin:end]
                mask, begin = np.zeros(size, dtype=bool), end

    def all_among(self, allowed: Array) -> Array:
        """Mean over words of the product of what is allowed for each of its joins, by length, shape (lengths,).

        For zeros and ones: the chance that all compositions of a word are among the allowed ones.

        Args:
            allowed: shape (classes, classes), in [0, 1].
        """
        plan, clean = self.shapes, self._clean(np.asarray(allowed, dtype=np.float64))
        total = np.zeros(len(self.lengths))
        for root in self._roots(self._amounts):
            left, right = plan.left[root.row], plan.right[root.row]
            rights = root.rights(np.arange(len(self.task.monoid)))[root.place] * clean[right]
            weight = allowed if plan.counted[root.row] else 1.0
            total[root.number] += (clean[left] * root.scale) @ (rights * weight).sum(axis=1)
        single = self.lengths == 1
        return np.where(single, 1.0, total / np.where(self.chance > 0, self.chance, 1.0))

    def _clean(self, allowed: Array) -> Array:
        """Shares of blocks by width and class, each block times what is allowed for its joins."""
        plan, table = self.shapes, self.task.monoid.product_table
        clean = self.share.copy()
        for row in part_rows(plan):
            left, right = plan.left[row], plan.right[row]
            clean[row] = _join(clean[left], clean[right], table, allowed, bool(plan.counted[row]))
        return clean


def alone(task: Task, law: str, lengths: Array, chance: Array) -> Array:
    """Chance of each length for words of one law, which leaves out the lengths that it lacks, shape (lengths,).

    Raises:
        InputError: it lacks all of them.
    """
    there = admitted(task, law, lengths)
    if not there.any():
        raise no_word(int(lengths[0]))
    return np.asarray(np.where(there, chance, 0.0) / chance[there].sum())


def part_rows(plan: Shapes) -> list[int]:
    """Rows of the widths that are joins and parts of wider blocks, narrow ones first."""
    parts = {*plan.left.tolist(), *plan.right.tolist()} - {-1}
    return [row for row in sorted(parts) if plan.left[row] >= 0]


def _ideal(table: Array, element: int) -> Array:
    """The classes of words with a block of one class, bool."""
    mask = np.zeros(len(table), dtype=bool)
    mask[table[np.unique(table[:, element])]] = True
    return mask


@kernel
def _join(left: Array, right: Array, table: Array, allowed: Array, counted: bool) -> Array:
    """Shares of joined words by class, each pair times what is allowed for it."""
    out = np.zeros(len(left))
    for a in range(len(left)):
        if left[a] > 0:
            for b in range(len(right)):
                if right[b] > 0:
                    out[table[a, b]] += left[a] * right[b] * (allowed[a, b] if counted else 1.0)
    return out
