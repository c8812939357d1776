"""Words that make labels alike frequent: what covers all compositions may be nearly all of one label."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.alphabet import token_dtype
from seqbench.covering.task import Task
from seqbench.generation.sampler import Rows, Sampler
from seqbench.generation.splits import UNIT_ROWS
from seqbench.generation.streams import Words, row_streams, unit_key

Array = npt.NDArray[Any]


def classified(task: Task, words: list[Array]) -> Rows:
    """The words in flat form, with their labels and syntactic classes."""
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in words])]).astype(np.int64)
    tokens = np.concatenate([np.empty(0, np.int64), *words]).astype(token_dtype(task.machine.alphabet))
    classes = task.monoid.class_of(tokens, offsets)
    return Rows(tokens, offsets, task.monoid.labels[classes], classes)


def balancing(task: Task, words: list[Array], longest: int) -> list[Array]:
    """Further words, after which all labels are as frequent as the most frequent is.

    They are drawn uniformly among the words of their label and length. Their lengths are those of the words of the most
    frequent label, or the nearest that the label has, so that lengths do not tell labels apart more than they must.

    Example:
        >>> import seqbench
        >>> found = seqbench.cover("dyck_d2", max_length=40)
        >>> more = balancing(found.task, found.words, 40)
        >>> np.bincount(classified(found.task, found.words + more).labels).tolist()
        [34, 34]
    """
    labels = classified(task, words).labels
    counts = np.bincount(labels, minlength=task.machine.num_labels)
    lengths = np.sort([len(word) for word, label in zip(words, labels, strict=True) if label == counts.argmax()])
    added: list[Array] = []
    for label in range(len(counts)):
        short = int(counts.max() - counts[label])
        added += _drawn(task, label, lengths[np.arange(short) * len(lengths) // max(short, 1)], longest)
    return added


def _drawn(task: Task, label: int, wanted: Array, longest: int) -> list[Array]:
    """A word of the label of each length or the nearest that has one; none where no length up to the longest has."""
    sampler = Sampler(task.machine, None, {"uniform": 1.0}, (label,))
    there = np.flatnonzero(sampler.admits(longest)[1:]) + 1
    if not len(there) or not len(wanted):
        return []
    lengths = there[np.abs(there[None] - wanted[:, None]).argmin(axis=1)]
    rows = sampler.sample(lengths, _streams(len(lengths), task.machine.fingerprint, "cover", label))
    return np.split(rows.tokens, rows.offsets[1:-1])


def _streams(count: int, *key: object) -> Words:
    """A random stream of its own for each of so many words, unit by unit: a unit has room for so many rows only."""
    unit, row = np.divmod(np.arange(count), UNIT_ROWS)
    keys = np.stack([unit_key(*key, number) for number in range(int(unit[-1]) + 1)], axis=1)
    return row_streams(keys[:, unit], row)
