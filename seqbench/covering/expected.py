"""Expected coverage of a recipe, exactly: how often each composition occurs in a random word, without drawing one.

A node that starts after p symbols and joins blocks of u and v symbols has classes (a, b) with probability

    f_u(a) f_v(b) sum_y phi_p(y) V_n(p + u + v, y ab)

where f_u(a) is the share of words of length u with class a, phi_p(y) that of prefixes that lead to place y, and V_n the
mean weight of the rest of the word (see laws). The sum depends on the product ab alone, and nodes with the same u and v
share one sum, so thousands of nodes cost little more than one.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.halves import add_composition
from seqbench.covering.laws import amounts, end_weights, forward
from seqbench.covering.schedules import check_schedule
from seqbench.covering.sums import by_product, spread
from seqbench.covering.task import MAX_CLASSES, Task, groups_of_nodes
from seqbench.errors import TooLargeError

__all__ = ["MAX_CLASSES", "Task", "expected_counts", "groups_of_nodes"]

Array = npt.NDArray[Any]


def expected_counts(task: Task, weights: Mapping[str, float], lengths: Array, chance: Array) -> dict[int, Array]:
    """Expected number of nodes of each composition in one word: by level, shape (classes, classes), float64.

    Args:
        task: language and schedule.
        weights: of the sampling laws, summing to one; where a law has no word of a length, the others share its weight.
        lengths: shape (k,).
        chance: probability of each length, shape (k,).

    Raises:
        TooLargeError: over 2,000 classes.
        InputError: a law or a length for which it is not known.
    """
    return counts_of(task, amounts(task, weights, lengths, chance), lengths)


def counts_of(task: Task, recipe: Mapping[str, Array], lengths: Array) -> dict[int, Array]:
    """The same, for chances of law and length: by law, shape (lengths,)."""
    check_schedule(task.schedule)
    size = len(task.monoid)
    if size > MAX_CLASSES:
        raise TooLargeError(
            f"Expected coverage of {size:,} classes needs tables of all pairs; the limit is "
            f"{MAX_CLASSES:,} classes. Measure a sample with `seqbench coverage` instead."
        )
    total: dict[int, Array] = defaultdict(lambda: np.zeros((size, size)))
    for law, amount in recipe.items():
        drawn = amount > 0
        if law == "composition":
            add_composition(task, lengths[drawn], amount[drawn], total)
        else:
            _add_law(task, law, lengths[drawn], amount[drawn], total)
    return dict(sorted(total.items()))


def _add_law(task: Task, law: str, lengths: Array, amount: Array, total: Mapping[int, Array]) -> None:
    share = forward(task.monoid.right, int(lengths.max(initial=0)))
    ends = end_weights(task, law, lengths)
    ends = replace(ends, weight=ends.weight * amount[:, None])
    sums = by_product(task.monoid, ends, lambda row: groups_of_nodes(task, int(lengths[row])))
    for (level, left, right), found in sums.items():
        spread(share[left], share[right], found, task.monoid.product_table, total[level])
