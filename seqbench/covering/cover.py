"""A small training set that shows every composition that words of bounded length can show: greedy set cover.

The best word of a length is found by dynamic programming over the balanced reduction: for every width and class, the
most still-needed compositions that a block of that width and class can show. What a word can gain only falls as the
need shrinks, so lengths are looked at again only when they could be best (lazy greedy: Minoux, "Accelerated greedy
algorithms for maximizing submodular set functions", 1978).
"""

import heapq
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from seqbench.algebra.alphabet import token_dtype
from seqbench.catalogue.recipe import whole
from seqbench.covering.api import task_of
from seqbench.covering.chances import Shapes, shapes
from seqbench.covering.expected import MAX_CLASSES, Task
from seqbench.covering.possible import possible, union
from seqbench.covering.schedules import nodes
from seqbench.errors import InputError, TooLargeError
from seqbench.files import write_whole
from seqbench.generation.blocks import schema_of, to_arrow
from seqbench.generation.plan import Folder, language_plan
from seqbench.generation.sampler import Rows
from seqbench.jit import kernel
from seqbench.progress import progress

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Cover:
    """Words that together show every coverable composition.

    Attributes:
        words: symbol ids of each word.
        covered: number of compositions that words of up to the given length can show; all are shown.
        times: how often at least.
        lower_bound: no fewer words could do.
        uncoverable: compositions needed at the test lengths that no such word can show, as a * classes + b.
        task: the language and its schedule.
    """

    words: list[Array]
    covered: int
    times: int
    lower_bound: int
    uncoverable: Array
    task: Task

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data, with at most 20 of the compositions that cannot be covered."""
        monoid = self.task.monoid
        pairs = [divmod(int(key), len(monoid)) for key in self.uncoverable[:20]]
        return {
            "words": len(self.words),
            "lower_bound": self.lower_bound,
            "covered": self.covered,
            "times": self.times,
            "num_uncoverable": len(self.uncoverable),
            "uncoverable": [{"left": monoid.name(a), "right": monoid.name(b)} for a, b in pairs],
        }


def cover(
    name: str,
    *,
    max_length: int,
    times: int = 1,
    test_lengths: Any = None,
    min_width: int = 1,
    catalogue: Folder = None,
) -> Cover:
    """A greedy training set of words of up to `max_length` symbols that shows each coverable composition `times` times.

    Raises:
        InputError: a length or number that cannot be used.
        TooLargeError: over 2,000 classes.

    Example:
        >>> found = cover("parity_check", max_length=8)
        >>> found.covered, len(found.words), found.lower_bound, len(found.uncoverable)
        (4, 2, 1, 0)
    """
    max_length, times = whole("max_length", max_length, 2, 4096), whole("times", times, 1, 10**6)
    options = {} if test_lengths is None else {"test_lengths": test_lengths}
    planned = language_plan(name, catalogue, near_miss=False, **options)
    task = task_of(planned, "tree", min_width)
    if len(task.monoid) > MAX_CLASSES:
        raise TooLargeError(f"{name} has {len(task.monoid):,} classes; covers are made for {MAX_CLASSES:,} at most.")
    lengths = _lengths(task, max_length)
    by_level = possible(task, np.array(lengths))
    coverable, needed = union(by_level), union(possible(task, planned.splits["test"].split.lengths))
    keys, wanted = (each.keys() if each.size else np.empty(0, dtype=np.int64) for each in (coverable, needed))
    need = np.zeros(len(task.monoid) ** 2, dtype=np.int64)
    need[keys] = times
    words = _without_redundant(task, _greedy(task, lengths, need.reshape(len(task.monoid), -1)), keys, times)
    bound = _lower_bound(by_level, max_length, times)
    return Cover(words, len(keys), times, bound, np.setdiff1d(wanted, keys, assume_unique=True), task)


def _lengths(task: Task, longest: int) -> list[int]:
    inside = task.outputs[task.monoid.maps[:, 0]] >= 0
    found = [n for n in range(2, longest + 1) if (task.monoid.reach(n) & inside).any()]
    if not found:
        raise InputError(f"There is no word of 2 to {longest} symbols in the domain. Raise max_length.")
    return found


def _lower_bound(by_level: dict[int, Any], longest: int, times: int) -> int:
    """Compositions that occur only at level k or above need words, each of which has few nodes there."""
    bound, seen = 0, 0
    size = max((each.size for each in by_level.values()), default=0)
    earlier = np.zeros(size * size, dtype=bool)
    total = len(union(by_level))
    for level, compositions in by_level.items():
        nodes_there = -(-longest // (1 << level - 1)) - 1
        bound = max(bound, -(-(total - seen) * times // nodes_there))
        earlier[compositions.keys()] = True
        seen = int(earlier.sum())
    return bound


def _greedy(task: Task, lengths: list[int], need: Array) -> list[Array]:
    searches = {n: _Search(task, n) for n in lengths}
    heap = [(-(n - 1), -n) for n in lengths]  # a word of n symbols has n - 1 nodes: no gain is larger
    heapq.heapify(heap)
    words: list[Array] = []
    total = int((need > 0).sum())
    steps = iter(progress(range(total), "Covering", total=total))
    next(steps, None)
    while heap:
        _, negative = heapq.heappop(heap)
        gain, word = searches[-negative].best(need)
        if gain == 0:
            continue
        if heap and gain < -heap[0][0]:
            heapq.heappush(heap, (-gain, negative))
            continue
        words.append(word)
        for _ in range(_show(task, word, need)):
            next(steps, None)
        heapq.heappush(heap, (-gain, negative))
    return words


def _show(task: Task, word: Array, need: Array) -> int:
    """Lowers the need by what a word shows; returns how many compositions are now met."""
    met = 0
    for key in _keys(task, word):
        met += need.flat[key] == 1
        need.flat[key] = max(0, need.flat[key] - 1)
    return int(met)


def _keys(task: Task, word: Array) -> list[int]:
    """The compositions that a word shows, as a * classes + b, one a node."""
    found = nodes("tree", len(word), task.min_width)
    ends = np.stack([found.start, found.start + found.left, found.start + found.left + found.right], axis=1)
    tokens, right = word.tolist(), task.monoid.right.tolist()
    keys = []
    for start, middle, end in ends.tolist():
        a, b = 0, 0
        for symbol in tokens[start:middle]:
            a = right[a][symbol]
        for symbol in tokens[middle:end]:
            b = right[b][symbol]
        keys.append(a * len(right) + b)
    return keys


def _without_redundant(task: Task, words: list[Array], keys: Array, times: int) -> list[Array]:
    """The words that are needed: later ones may show all that an earlier one was taken for."""
    shown = [_keys(task, word) for word in words]
    counts = np.zeros(len(task.monoid) ** 2, dtype=np.int64)
    for each in shown:
        np.add.at(counts, each, 1)
    wanted = np.zeros(len(counts), dtype=bool)
    wanted[keys] = True
    kept = []
    for word, each in zip(words, shown, strict=True):
        np.subtract.at(counts, each, 1)
        if (counts[each] < times)[wanted[each]].any():
            np.add.at(counts, each, 1)
            kept.append(word)
    return kept


class _Search:
    """The best word of one length."""

    def __init__(self, task: Task, length: int) -> None:
        self.task, self.shapes = task, shapes(np.array([length]), task.min_width)
        size, widths = len(task.monoid), len(self.shapes.widths)
        self.value = np.empty((widths, size), dtype=np.int64)
        self.back = np.empty((widths, size, 2), dtype=np.int32)
        self.alive = np.array([task.monoid.reach(int(width)) for width in self.shapes.widths])
        inside = task.outputs[task.monoid.maps[:, 0]] >= 0
        self.ends = np.flatnonzero(self.alive[-1] & inside)

    def best(self, need: Array) -> tuple[int, Array]:
        """The most needed compositions that a word can show (one shown twice counts twice), and such a word."""
        plan: Shapes = self.shapes
        _fill(
            (plan.left, plan.right, plan.counted),
            self.task.monoid.product_table,
            self.alive,
            need,
            self.value,
            self.back,
        )
        end = int(self.ends[np.argmax(self.value[-1, self.ends])])
        gain = int(self.value[-1, end])
        return gain, self._word(len(plan.widths) - 1, end) if gain > 0 else np.empty(0, dtype=np.int64)

    def _word(self, row: int, element: int) -> Array:
        if self.shapes.left[row] < 0:
            return np.array([int(np.argmax(self.task.monoid.right[0] == element))])
        c, d = self.back[row, element]
        return np.concatenate([self._word(self.shapes.left[row], int(c)), self._word(self.shapes.right[row], int(d))])


@kernel
def _fill(
    shape: tuple[Array, Array, Array], table: Array, alive: Array, need: Array, value: Array, back: Array
) -> None:
    left, right, counted = shape
    size = alive.shape[1]
    for w in range(len(left)):
        if left[w] < 0:
            for x in range(size):
                value[w, x] = 0
            continue
        for x in range(size):
            value[w, x] = -1
        for c in range(size):
            if alive[left[w], c]:
                for d in range(size):
                    if alive[right[w], d]:
                        gain = value[left[w], c] + value[right[w], d] + np.int64(counted[w] and need[c, d] > 0)
                        x = table[c, d]
                        if gain > value[w, x]:
                            value[w, x] = gain
                            back[w, x, 0], back[w, x, 1] = c, d


def cover_text(found: Cover, out: str) -> str:
    """The numbers in lines that fit a terminal."""
    size, bound = f"{len(found.words):,} words", f"{found.lower_bound:,} words"
    shown = f"all {found.covered:,} coverable compositions, each {found.times} times or more"
    lines = [f"{out}: {size} show {shown}; no set of fewer than {bound} could."]
    if len(found.uncoverable):
        facts = found.to_dict()
        names = [f"({each['left'] or 'empty'}, {each['right'] or 'empty'})" for each in facts["uncoverable"]]
        more = ", ..." if facts["num_uncoverable"] > len(facts["uncoverable"]) else ""
        lines.append(
            f"{facts['num_uncoverable']:,} that the test needs occur in no such word: {', '.join(names)}{more}"
        )
    return "\n".join(lines)


def write_cover(found: Cover, path: Path) -> None:
    """Writes the words as Parquet with the columns of a dataset, whole or not at all.

    Raises:
        InputError: the file is there already, or cannot be written.
    """
    path = path.expanduser().absolute()
    if path.exists() or path.is_symlink():
        raise InputError(f"{str(path)!r} is there already. Name a new file.")
    machine, monoid = found.task.machine, found.task.monoid
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in found.words])]).astype(np.int64)
    tokens = np.concatenate([np.empty(0, np.int64), *found.words]).astype(token_dtype(machine.alphabet))
    classes = monoid.class_of(tokens, offsets)
    rows = Rows(tokens, offsets, monoid.labels[classes], classes)
    batch = to_arrow(rows, schema_of(machine, classes=True, prefix=False), machine, monoid)
    write_whole(path, lambda temporary: pq.write_table(pa.Table.from_batches([batch]), temporary))
