"""Slow answers that are plainly right: all words of a length, their probabilities, and the joins that they show.

A block's class is found by running the block from every state of the machine and looking the map up among the
monoid's; sampling laws are written down from their one-line definitions; joins come from reducing a list of blocks.
"""

import functools
import itertools
import json

import numpy as np

import seqbench
from seqbench.algebra.alphabet import encode_batch
from seqbench.covering.expected import Task
from seqbench.generation.plan import plan

LAWS = ("uniform", "balanced", "class", "composition", "member")
DOWN = 64


@functools.cache
def task_of(name, schedule="tree", min_width=1):
    """The task of a dataset; one monoid for all schedules."""
    lang = language(name)
    return Task(lang.machine, lang.monoid, lang.machine.outputs, schedule, min_width)


@functools.cache
def language(name):
    found = seqbench.language(name)
    _ = found.monoid
    return found


def planned(name, **options):
    return plan(name, near_miss=False, **options)


def chunk(words, alphabet=("0", "1")):
    return encode_batch(alphabet, words)


def tree_joins(length):
    """(level, start, left, right) of the balanced reduction: neighbours are joined, a left-over passes on."""
    blocks, found, level = [(i, 1) for i in range(length)], [], 1
    while len(blocks) > 1:
        joined = []
        for i in range(0, len(blocks) - 1, 2):
            (start, left), (_, right) = blocks[i], blocks[i + 1]
            found.append((level, start, left, right))
            joined.append((start, left + right))
        blocks, level = joined + (blocks[-1:] if len(blocks) % 2 else []), level + 1
    return found


def associative_scan(combine, items, depth=1):
    """The recursion of `jax.lax.associative_scan`, on lists; `combine` gets a level too, 64 more on the way down."""
    if len(items) < 2:
        return items
    reduced = [combine(a, b, depth) for a, b in zip(items[:-1:2], items[1::2], strict=True)]
    odd = associative_scan(combine, reduced, depth + 1)
    before = odd[:-1] if len(items) % 2 == 0 else odd
    even = [items[0], *(combine(a, b, DOWN + depth) for a, b in zip(before, items[2::2], strict=True))]
    return [each for pair in itertools.zip_longest(even, odd) for each in pair if each is not None]


def scan_joins(length):
    found = []

    def combine(a, b, level):
        assert sum(a) == b[0]  # the blocks touch
        found.append((level, a[0], a[1], b[1]))
        return a[0], a[1] + b[1]

    prefixes = associative_scan(combine, [(i, 1) for i in range(length)])
    assert prefixes == [(0, i + 1) for i in range(length)]
    return found


def left_joins(length):
    return [(1, 0, i, 1) for i in range(1, length)]


JOINS = {"tree": tree_joins, "scan": scan_joins, "left": left_joins}


def joins(schedule, length, min_width=1):
    return [each for each in JOINS[schedule](length) if min(each[2:]) >= min_width]


def root_cut(length):
    """Symbols left of the root of the balanced reduction."""
    cut = 1
    while 2 * cut < length:
        cut *= 2
    return cut


class AllWords:
    """All words of one length, in alphabetical order."""

    def __init__(self, task, length):
        self.task, self.length, self.symbols = task, length, task.machine.num_symbols
        self.number = self.symbols**length
        self.classes = self.block(0, length)
        self.labels = task.outputs[task.monoid.maps[self.classes, 0]]

    def block(self, start, end):
        """Class of each word's block."""
        of_block = _classes_of_all(self.task.machine, self.task.monoid, end - start)
        behind = self.symbols ** (self.length - end)
        index = np.arange(self.number) // behind % self.symbols ** (end - start)
        return of_block[index]

    def keys(self, schedule, min_width=1):
        """Levels of the joins, and the composition that each word shows there, shape (joins, words)."""
        found = joins(schedule, self.length, min_width)
        size = len(self.task.monoid)
        rows = [self.block(s, s + u) * size + self.block(s + u, s + u + v) for _, s, u, v in found]
        return [each[0] for each in found], np.array(rows, dtype=np.int64).reshape(len(found), self.number)

    def chance(self, law):
        """Probability of each word under a law; all zero where there is nothing to draw."""
        if law == "uniform":
            return _alike(np.where(self.labels >= 0, 0, -1))
        if law == "member":
            return _alike(np.where(self.labels == 1, 0, -1))
        if law == "balanced":
            return _alike(self.labels)
        if law == "class" or self.length < 2:
            return _alike(np.where(self.labels >= 0, self.classes, -1))
        cut = root_cut(self.length)
        pairs = self.block(0, cut) * len(self.task.monoid) + self.block(cut, self.length)
        return _alike(np.where(self.labels >= 0, pairs, -1))


def _alike(groups):
    """A group uniformly among those there are (-1: none), then a word uniformly."""
    there, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    real = there >= 0
    return np.where(real, 1 / (max(real.sum(), 1) * sizes), 0.0)[place]


@functools.cache
def _classes_of_all(machine, monoid, width):
    """Class of every word of a width, in alphabetical order."""
    number = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(monoid.maps))}
    maps = np.arange(machine.num_states, dtype=monoid.maps.dtype)[None]
    for _ in range(width):
        maps = np.swapaxes(machine.transitions[maps], 1, 2).reshape(-1, machine.num_states)
    return np.array([number[row.tobytes()] for row in np.ascontiguousarray(maps)], dtype=np.int64)


@functools.cache
def all_words(name, length):
    return AllWords(task_of(name), length)


def lengths_of(name):
    """Lengths at which all words can be listed, among them powers of two and their neighbours."""
    if len(language(name).monoid) > 600:
        return 1, 2, 3, 5, 8, 9
    return {2: (1, 2, 3, 4, 5, 6, 7, 8, 9), 3: (1, 2, 3, 4, 5, 6), 4: (1, 2, 3, 4, 5), 8: (1, 3, 5)}[
        language(name).machine.num_symbols
    ]


def laws_of(name):
    """The laws that every length of `lengths_of` admits."""
    found = language(name)
    members = found.machine.is_acceptor and all(
        (all_words(name, length).labels == 1).any() for length in lengths_of(name)
    )
    return LAWS if members else LAWS[:-1]


def table_of(machine):
    """A machine as the table of a definition."""
    rows = [f"alphabet = {json.dumps(machine.alphabet)}", f"labels = {json.dumps(machine.labels)}"]
    for state, (output, after) in enumerate(zip(machine.outputs.tolist(), machine.transitions.tolist(), strict=True)):
        steps = ", ".join(f'{json.dumps(a)} = "{target}"' for a, target in zip(machine.alphabet, after, strict=True))
        label = f"label = {json.dumps(machine.labels[output])}" if output >= 0 else ""
        rows += ["[[table]]", f'state = "{state}"', label, f"next = {{ {steps} }}"]
    return "\n".join(rows)
