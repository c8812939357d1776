"""Expected counts of words that the law `composition` draws: two halves of given classes, each a uniform word.

The halves are the blocks at the root of the balanced reduction. Under the schedules scan and left, too, every node
lies in one half, or joins a prefix that reaches beyond the cut with a block of the right half. Such a prefix has class
c y, where c is the left half's class and y that of what follows it; which words may follow depends on c only through
the state that c leads to, so left halves are taken together state by state.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.covering.laws import EndWeights, backward, check_share, forward, no_word
from seqbench.covering.schedules import Nodes, nodes
from seqbench.covering.sums import add_joint, by_product, spread
from seqbench.covering.task import Group, Task, grouped, groups_of_nodes
from seqbench.generation.composition import left_length
from seqbench.jit import kernel

Array = npt.NDArray[Any]


def cut_of(length: int) -> int:
    """Symbols left of the root of the balanced reduction."""
    return int(left_length(np.array([length]))[0])


def meeting(task: Task, length: int) -> Array:
    """Which classes of the halves of a word make a word of the domain, shape (classes, classes), bool.

    Raises:
        InputError: none do.
    """
    monoid, cut = task.monoid, cut_of(length)
    inside = task.outputs[monoid.maps[:, 0]] >= 0
    pairs = np.outer(monoid.reach(cut), monoid.reach(length - cut)) & inside[monoid.product_table]
    if not pairs.any():
        raise no_word(length)
    return np.asarray(pairs)


def add_composition(task: Task, lengths: Array, chance: Array, total: Mapping[int, Array]) -> None:
    """Adds the expected number of nodes of words drawn by composition to the totals, level by level."""
    long = (lengths > 1) & (chance > 0)  # a single symbol has no node
    lengths, chance = lengths[long], chance[long]
    if len(lengths) == 0:
        return
    share = forward(task.monoid.right, int(lengths.max()))
    lefts, rights = _halves(task, lengths, chance, share, total)
    sums = (
        by_product(task.monoid, lefts, lambda row: groups_of_nodes(task, int(lefts.lengths[row]))),
        by_product(task.monoid, rights, lambda row: _blocks_behind(task, int(lengths[row]))),
    )
    for (level, left, right), found in itertools.chain(*(each.items() for each in sums)):
        spread(share[left], share[right], found, task.monoid.product_table, total[level])
    if task.schedule != "tree":
        for cut in np.unique(left_length(lengths)).tolist():
            here = left_length(lengths) == cut
            _add_prefixes(task, cut, lengths[here], chance[here], share, total)


def _halves(
    task: Task, lengths: Array, chance: Array, share: Array, total: Mapping[int, Array]
) -> tuple[EndWeights, EndWeights]:
    """Chances of the halves' classes; the root's composition, where it is a node, is added to the total."""
    monoid = task.monoid
    weight = np.zeros((2, len(lengths), len(monoid)))
    cuts = left_length(lengths)
    for row, (length, cut) in enumerate(zip(lengths.tolist(), cuts.tolist(), strict=True)):
        pairs = meeting(task, length)
        each = pairs * (chance[row] / pairs.sum())
        if task.schedule == "tree" and length - cut >= task.min_width:
            total[cut.bit_length()] += each
        for side, (width, marginal) in enumerate([(cut, each.sum(axis=1)), (length - cut, each.sum(axis=0))]):
            check_share(share[width][marginal > 0], width)
            np.divide(marginal, share[width], out=weight[side, row], where=marginal > 0)
    act = np.ascontiguousarray(monoid.product_table.T)
    few, row_of = np.unique(cuts, return_inverse=True)
    by_cut = np.zeros((len(few), len(monoid)))
    np.add.at(by_cut, row_of, weight[0])
    return EndWeights(monoid.right, act, by_cut, few), EndWeights(monoid.right, act, weight[1], lengths - cuts)


def _blocks_behind(task: Task, length: int) -> Iterator[Group]:
    """The nodes of a word that lie in its right half, which starts at the cut."""
    found, cut = nodes(task.schedule, length, task.min_width), cut_of(length)
    kept = found.start >= cut
    return grouped(Nodes(found.level[kept], found.start[kept] - cut, found.left[kept], found.right[kept]))


def _add_prefixes(
    task: Task, cut: int, lengths: Array, chance: Array, share: Array, total: Mapping[int, Array]
) -> None:
    """Adds the nodes that join a prefix of at least `cut` symbols with a block of the right half."""
    monoid = task.monoid
    lefts = np.flatnonzero(monoid.reach(cut))
    states = monoid.maps[lefts, 0]
    pairs = {n: meeting(task, n) for n in lengths.tolist()}
    for state in np.unique(states).tolist():
        same = lefts[states == state]
        joints: dict[tuple[int, int], Array] = defaultdict(lambda: np.zeros((len(monoid), len(monoid))))
        for length, amount in zip(lengths.tolist(), chance.tolist(), strict=True):
            may = pairs[length][same[0]]
            if may.any():
                each = amount / pairs[length].sum()
                end = np.divide(each, share[length - cut], out=np.zeros(len(monoid)), where=may)
                rest = backward(monoid.right, end, length - cut)
                for level, width, before in _prefixes(task, length, cut):
                    add_joint(joints[level, width], share[before], rest[length - cut - before - width])
        for (level, width), joint in joints.items():
            _spread_prefixes(same, share[width], joint, monoid.product_table, total[level])


def _prefixes(task: Task, length: int, cut: int) -> Iterator[tuple[int, int, Array]]:
    """Level and width of the blocks that join a prefix beyond the cut, and how far beyond it each prefix reaches."""
    found = nodes(task.schedule, length, task.min_width)
    far = (found.start == 0) & (found.left >= cut)
    for level, width in sorted(set(zip(found.level[far].tolist(), found.right[far].tolist(), strict=True))):
        yield level, width, found.left[far & (found.level == level) & (found.right == width)] - cut


@kernel
def _spread_prefixes(lefts: Array, blocks: Array, joint: Array, table: Array, total: Array) -> None:
    """Adds blocks(b) joint(y, yb) to total(cy, b) for all left halves c."""
    for y in range(len(joint)):
        for b in range(len(blocks)):
            amount = blocks[b] * joint[y, table[y, b]]
            if amount > 0:
                for i in range(len(lefts)):
                    total[table[lefts[i], y], b] += amount
