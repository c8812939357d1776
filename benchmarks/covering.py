"""Measuring coverage against a loop that only gathers products and counts; expected coverage of a large language."""

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.timing import Result, median_pair
from seqbench.algebra.families import build
from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.covering.expected import expected_counts
from seqbench.covering.tally import Tally
from seqbench.generation.plan import plan
from seqbench.jit import kernel

Array = npt.NDArray[Any]
WORDS = 1_000_000


def results() -> list[Result]:
    """The rows about coverage."""
    return [_tally_against_bare_loop(), _expected(), *_large_monoids()]


def _tally_against_bare_loop() -> Result:
    planned = plan("dyck_d12", train_examples=WORDS, near_miss=False)
    part = planned.splits["train"]
    rows = [part.split.rows(index) for index in range(part.num_blocks)]
    monoid = planned.monoid
    if monoid is None:
        raise ValueError
    size = len(monoid)
    counts, room = np.zeros(size * size, dtype=np.int64), np.empty(64, dtype=np.int64)

    def ours() -> None:
        tally = Tally(monoid)
        for each in rows:
            tally.add((each.tokens, each.offsets))

    def bare() -> None:
        for each in rows:
            _gather_and_count(monoid.product_table, monoid.right[0], each.tokens, each.offsets, room, counts)

    seconds, least = median_pair(ours, bare, repeats=3)
    tokens = sum(len(each.tokens) for each in rows) / 1e6
    figure = f"{least / seconds:.2f} x ({tokens / seconds:.0f} against {tokens / least:.0f} M tokens/s)"
    return Result("coverage of 1,000,000 dyck_d12 words / bare loop", figure, ">= 0.4 x", least / seconds >= 0.4)


@kernel
def _gather_and_count(
    table: Array, letters: Array, tokens: Array, offsets: Array, classes: Array, counts: Array
) -> None:
    """Reduces every word and counts pairs of classes: no levels, no classes of nodes or words, no checks."""
    size = len(table)
    for word in range(len(offsets) - 1):
        begin, count = offsets[word], offsets[word + 1] - offsets[word]
        for i in range(count):
            classes[i] = letters[tokens[begin + i]]
        while count > 1:
            half = count >> 1
            for i in range(half):
                a, b = np.uint64(classes[np.uint64(2 * i)]), np.uint64(classes[np.uint64(2 * i + 1)])
                counts[a * np.uint64(size) + b] += 1
                classes[np.uint64(i)] = table[a, b]
            if count & 1:
                classes[half] = classes[count - 1]
            count = half + (count & 1)


def _expected() -> Result:
    from seqbench.covering.api import task_of

    task, lengths = task_of(plan("dyck_d12", near_miss=False)), np.arange(1, 501)
    start = time.process_time()
    expected_counts(task, {"balanced": 1.0}, lengths, np.full(len(lengths), 1 / len(lengths)))
    seconds = time.process_time() - start
    return Result("expected coverage of dyck_d12, lengths 1 to 500", f"{seconds:.1f} s", "< 10 s", seconds < 10)


def _large_monoids() -> list[Result]:
    """Monoids beyond a product table (T_6: 46,656 maps) and large ones (S_7): words a second, and peak memory."""
    maps = [[1, 2, 3, 4, 5, 0], [1, 0, 2, 3, 4, 5], [0, 0, 2, 3, 4, 5]]
    table = [[each[q] for each in maps] for q in range(6)]
    machines = {
        "T_6": Machine.build("abc", table, range(6), labels=[str(q) for q in range(6)]),
        "S_7": build("permutation_group", {"degree": 7, "generators": [[1, 2, 3, 4, 5, 6, 0], [1, 0, 2, 3, 4, 5, 6]]}),
    }
    return [_large(name, machine) for name, machine in machines.items()]


def _large(name: str, machine: Machine) -> Result:
    monoid, words = Monoid.of(machine), 100_000
    tokens = np.random.default_rng(0).integers(0, machine.num_symbols, words * 40).astype(np.uint8)
    offsets = np.arange(words + 1) * 40
    tally = Tally(monoid)
    tally.add((tokens[: 40 * 100], offsets[:101]))
    start = time.process_time()
    tally.add((tokens, offsets))
    seconds = time.process_time() - start
    figure = f"{seconds:.2f} s for {words:,} words of 40: {len(tally.pairs()):,} of its compositions seen"
    return Result(f"coverage of {name}, {len(monoid):,} classes", figure, "shown", holds=True)
