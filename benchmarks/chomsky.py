"""Tasks of the Chomsky-hierarchy benchmark against loops over examples, and against NumPy's integers."""

import bisect
import functools
import itertools
import random
import time
from typing import Any

import numpy as np

from benchmarks.timing import Result, median_pair
from seqbench.generation import streams as rng
from seqbench.generation.tasks import TASKS
from seqbench.generation.tasks.chomsky.splits import make_splits
from seqbench.generation.tasks.task import Task

BLOCK = 4096
SYMBOLS = {
    "reverse_string": 2,
    "duplicate_string": 2,
    "odds_first": 2,
    "bucket_sort": 5,
    "missing_duplicate": 2,
    "compute_sqrt": 2,
}


def results() -> list[Result]:
    """The rows about these tasks."""
    lengths = (40, 500)
    loops = [_against_loop(name, length) for name in LOOPS for length in lengths]
    words = [_against_integers(name, length) for name in SYMBOLS for length in lengths]
    return [*loops, *words, _set_up(2000)]


def _task(name: str) -> Task:
    return TASKS[name].build(TASKS[name].check({}))


def _against_loop(name: str, length: int) -> Result:
    task, examples = _task(name), max(20, 8000 // length)
    generator = random.Random(0)  # noqa: S311 - the loop is to be as fast as Python allows
    rows = BLOCK if length < 100 else BLOCK // 2
    streams, lengths = rng.row_streams(rng.unit_key("benchmark"), np.arange(rows)), np.full(rows, length)

    def loop() -> None:
        for _ in range(examples):
            LOOPS[name](length, generator)

    ours, theirs = median_pair(lambda: task.draw(lengths, streams), loop)
    ours, theirs = ours / (rows * length), theirs / (examples * length)
    figure = f"{theirs / ours:.0f} x ({1e-6 / ours:.0f} against {1e-6 / theirs:.2f} M tokens/s)"
    return Result(f"{name}, length {length} / loop over examples", figure, ">= 30 x", theirs / ours >= 30)


def _against_integers(name: str, length: int) -> Result:
    """For square roots the inputs alone: their answers are no words of independent symbols."""
    task, blocks = _task(name), 1 + 800 // length
    streams, lengths = rng.row_streams(rng.unit_key("benchmark"), np.arange(BLOCK)), np.full(BLOCK, length)
    generator = np.random.default_rng(0)
    make: Any = task.inputs if name == "compute_sqrt" else task.draw  # type: ignore[attr-defined]

    def ours_all() -> None:
        for _ in range(blocks):
            make(lengths, streams)

    def bare() -> None:
        for _ in range(blocks):
            generator.integers(0, SYMBOLS[name], BLOCK * length, dtype=np.uint8)

    ours, theirs = median_pair(ours_all, bare)
    tokens = BLOCK * blocks * length / 1e6
    figure = f"{theirs / ours:.2f} x ({tokens / ours:.0f} against {tokens / theirs:.0f} M tokens/s)"
    what = f"{name}{' inputs' if name == 'compute_sqrt' else ''}, length {length} / Generator.integers"
    return Result(what, figure, ">= 0.3 x", theirs / ours >= 0.3)


def _set_up(longest: int) -> Result:
    make_splits(3, 10)  # compiled
    start = time.process_time()
    make_splits(3, longest)
    seconds = time.process_time() - start
    return Result(f"tables of expressions up to length {longest}", f"{seconds:.2f} s", "<= 2 s", seconds <= 2)


@functools.cache
def _count(length: int) -> int:
    return 5 if length <= 4 else 3 * _cumulated(length)[-1]


@functools.cache
def _cumulated(length: int) -> list[int]:
    """Running sums of the numbers of pairs of sides, by the length of the left one."""
    sides = range(1, length - 3)
    return list(itertools.accumulate(_count(side) * _count(length - 3 - side) for side in sides))


def _loop_brackets(length: int, generator: random.Random) -> tuple[list[int], int]:
    """A uniform expression by recursion as ids, with its value."""
    if length <= 4:
        digit = generator.randrange(5)
        word = ([], [digit], [6, digit], [8, digit, 9], [8, 6, digit, 9])[length]
        return word, (-digit if length in (2, 4) else digit) % 5
    cumulated = _cumulated(length)
    left = 1 + bisect.bisect_right(cumulated, generator.randrange(cumulated[-1]))
    one, a = _loop_brackets(left, generator)
    other, b = _loop_brackets(length - 3 - left, generator)
    operator = generator.randrange(3)
    value = (a + b, a - b, a * b)[operator]
    return [8, *one, 5 + operator, *other, 9], value % 5


def _loop_stack(length: int, generator: random.Random) -> tuple[list[int], list[int], list[bool]]:
    """Bits and actions, the stack that is left, the mask, one symbol after the other."""
    size = generator.randint(1, length - 1)
    stack = [generator.randrange(2) for _ in range(size)]
    word = stack.copy()
    for _ in range(length - size):
        action = generator.randint(2, 4)
        word.append(action)
        if action > 2:
            stack.append(action - 3)
        elif stack:
            stack.pop()
    return word, *_padded(stack[::-1], length + 1)


def _loop_addition(length: int, generator: random.Random) -> tuple[list[int], list[int], list[bool]]:
    """Two numbers and their sum as bits, the mask."""
    size = generator.randint(1, length - 2)
    one, other = generator.getrandbits(size), generator.getrandbits(length - 1 - size)
    first, second = f"{one:b}".zfill(size)[::-1], f"{other:b}".zfill(length - 1 - size)[::-1]
    word = [*map(int, first), 2, *map(int, second)]
    return word, *_padded([*map(int, f"{one + other:b}"[::-1])], length + 1)


def _padded(output: list[int], length: int) -> tuple[list[int], list[bool]]:
    rest = length - len(output) - 1
    return [*output, 2] + [0] * rest, [True] * (len(output) + 1) + [False] * rest


LOOPS: dict[str, Any] = {
    "stack_manipulation": _loop_stack,
    "modular_arithmetic_brackets": _loop_brackets,
    "binary_addition": _loop_addition,
}
