"""Expected coverage of a recipe, exactly: how often each composition occurs in a random word, without drawing one.

A node that starts after p symbols and joins blocks of u and v symbols has classes (a, b) with probability

    f_u(a) f_v(b) sum_y phi_p(y) V_n(p + u + v, y ab)

where f_u(a) is the share of words of length u with class a, phi_p(y) that of prefixes that lead to place y, and V_n the
mean weight of the rest of the word (see laws). The sum depends on the product ab alone, and nodes with the same u and v
share one sum, so thousands of nodes cost little more than one.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.covering.laws import EndWeights, backward, check_laws, class_weights, forward, label_weights
from seqbench.covering.schedules import check_schedule, nodes
from seqbench.errors import InputError, TooLargeError
from seqbench.generation.composition import left_length
from seqbench.jit import kernel

Array = npt.NDArray[Any]

MAX_CLASSES = 2000  # a table of floats over all pairs, one a level


@dataclass(frozen=True, eq=False)
class Task:
    """A language and how its words are joined.

    Attributes:
        machine: of the language.
        monoid: of the language.
        outputs: label of every state, -1 for words that are never drawn.
        schedule: tree, scan or left.
        min_width: nodes with a narrower child are left out.
    """

    machine: Machine
    monoid: Monoid
    outputs: Array
    schedule: str = "tree"
    min_width: int = 1


def expected_counts(task: Task, weights: Mapping[str, float], lengths: Array, chance: Array) -> dict[int, Array]:
    """Expected number of nodes of each composition in one word: by level, shape (classes, classes), float64.

    Args:
        task: language and schedule.
        weights: of the sampling laws, summing to one.
        lengths: shape (k,).
        chance: probability of each length, shape (k,).

    Raises:
        TooLargeError: over 2,000 classes.
        InputError: a law or a length for which it is not known.
    """
    check_schedule(task.schedule)
    check_laws(weights)
    if len(task.monoid) > MAX_CLASSES:
        raise TooLargeError(
            f"Expected coverage of {len(task.monoid):,} classes needs tables of all pairs; the limit is "
            f"{MAX_CLASSES:,} classes. Measure a sample with `seqbench coverage` instead."
        )
    size = len(task.monoid)
    total: dict[int, Array] = defaultdict(lambda: np.zeros((size, size)))
    share = forward(task.monoid.right, int(lengths.max()))
    for law, weight in weights.items():
        if law == "composition":
            parts = _composition(task, lengths, weight * chance, total)
        else:
            parts = [(_end_weights(task, law, lengths), weight * chance)]
        for ends, amounts in parts:
            for (level, left, right), by_product in _products(task, ends, amounts).items():
                _spread(share[left], share[right], by_product, task.monoid.product_table, total[level])
    return dict(sorted(total.items()))


def _end_weights(task: Task, law: str, lengths: Array) -> EndWeights:
    if law == "class":
        return class_weights(task.monoid, task.outputs, lengths)
    return label_weights(task.machine, task.monoid, task.outputs, lengths, law)


def _products(task: Task, ends: EndWeights, amounts: Array) -> dict[tuple[int, int, int], Array]:
    """For every level and pair of widths the sum over nodes of what depends on the product, shape (classes,)."""
    places, size = len(ends.step), len(task.monoid)
    prefix = forward(ends.step, int(ends.lengths.max()))
    many: dict[tuple[int, int, int], Array] = defaultdict(lambda: np.zeros((places, places)))
    found: dict[tuple[int, int, int], Array] = defaultdict(lambda: np.zeros(size))
    for length, weight, amount in zip(ends.lengths.tolist(), ends.weight, amounts, strict=True):
        if amount == 0:
            continue
        rest = backward(ends.step, weight * amount, length)
        for key, start in groups_of_nodes(task, length):
            after = length - start - key[1] - key[2]
            if len(start) > 1:
                before = np.flatnonzero(prefix[start].any(axis=0))  # often half of the places, or fewer
                behind = np.flatnonzero(rest[after].any(axis=0))
                many[key][np.ix_(before, behind)] += prefix[np.ix_(start, before)].T @ rest[np.ix_(after, behind)]
            else:
                before = np.flatnonzero(prefix[start[0]])
                blocks = np.flatnonzero(task.monoid.reach(key[1] + key[2]))
                found[key][blocks] += rest[after[0]][ends.act[np.ix_(blocks, before)]] @ prefix[start[0], before]
    for key, joint in many.items():
        found[key] += joint[np.arange(places), ends.act].sum(axis=1)
    return found


def groups_of_nodes(task: Task, length: int) -> Iterator[tuple[tuple[int, int, int], Array]]:
    """The nodes of a length that have the same level and widths, with their starts."""
    found = nodes(task.schedule, length, task.min_width)
    keys = np.stack([found.level, found.left, found.right])
    order = np.lexsort(keys)
    keys, start = keys[:, order], found.start[order]
    edges = np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0)) + 1
    for first, last in zip([0, *edges], [*edges, len(start)], strict=True):
        if last > first:
            level, left, right = keys[:, first].tolist()
            yield (level, left, right), start[first:last]


@kernel
def _spread(left: Array, right: Array, by_product: Array, table: Array, total: Array) -> None:
    """Adds left(a) right(b) by_product(ab) to total(a, b)."""
    for a in range(len(left)):
        if left[a] > 0:
            for b in range(len(right)):
                if right[b] > 0:
                    total[a, b] += left[a] * right[b] * by_product[table[a, b]]


def _composition(task: Task, lengths: Array, amounts: Array, total: dict[int, Array]) -> list[tuple[EndWeights, Array]]:
    """Root compositions are added to the total; what is left are halves whose class has a known chance."""
    if task.schedule != "tree":
        raise InputError(
            f"Expected coverage of the law 'composition' is known for the schedule 'tree' only, not {task.schedule!r}. "
            "Measure a sample with `seqbench coverage` instead."
        )
    monoid = task.monoid
    share = forward(monoid.right, int(lengths.max()))
    halves = np.zeros((int(lengths.max()) + 1, len(monoid)))
    inside = task.outputs[monoid.maps[:, 0]] >= 0
    for length, amount in zip(lengths.tolist(), amounts, strict=True):
        if length < 2:
            continue  # a single symbol has no node
        cut = int(left_length(np.array([length]))[0])
        pairs = meeting(monoid, inside, cut, length - cut)
        chance = pairs * (amount / pairs.sum())
        if min(cut, length - cut) >= task.min_width:
            total[cut.bit_length()] += chance
        for width, marginal in ((cut, chance.sum(axis=1)), (length - cut, chance.sum(axis=0))):
            halves[width] += np.divide(marginal, share[width], out=np.zeros(len(monoid)), where=marginal > 0)
    used = np.flatnonzero(halves.any(axis=1))
    if len(used) == 0:
        return []
    ends = EndWeights(monoid.right, np.ascontiguousarray(monoid.product_table.T), halves[used], used)
    return [(ends, np.ones(len(used)))]


def meeting(monoid: Monoid, inside: Array, left: int, right: int) -> Array:
    """Which classes of blocks of two widths make a word of the domain, shape (classes, classes), bool.

    Raises:
        InputError: none do.
    """
    pairs = np.outer(monoid.reach(left), monoid.reach(right)) & inside[monoid.product_table]
    if not pairs.any():
        raise InputError(f"There is no word to draw at length {left + right}. Leave that length out.")
    return np.asarray(pairs)
