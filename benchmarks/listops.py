"""ListOps of an exact length against drawing until the length is right."""

import random
import statistics
import time

import numpy as np

from benchmarks.timing import Result, median_pair
from seqbench.generation import streams as rng
from seqbench.generation.tasks import TASKS
from seqbench.generation.tasks.listops import weights
from seqbench.generation.tasks.task import Task

SHORTEST, LONGEST = 450, 550
MAX_ARGS, MAX_DEPTH, OPERATOR = 10, 10, 0.25  # as in the Long Range Arena
ROWS, REJECTED_ROWS = 4096, 20

Tree = int | tuple[str, list["Tree"]]


def results() -> list[Result]:
    """The rows about ListOps."""
    return [_against_rejection("natural"), _against_rejection("balanced"), _set_up()]


def _task(labels: str) -> Task:
    kind = TASKS["listops"]
    return kind.build(kind.check({"max_args": MAX_ARGS, "max_depth": MAX_DEPTH, "labels": labels}))


def _against_rejection(labels: str) -> Result:
    task = _task(labels)
    lengths = SHORTEST + np.arange(ROWS) % (LONGEST - SHORTEST + 1)
    streams = rng.row_streams(rng.unit_key("benchmark"), np.arange(ROWS))
    generator, tokens = random.Random(0), []  # noqa: S311  # what a peer would use

    def theirs() -> None:
        rows = [_rejected(generator, labels == "balanced") for _ in range(REJECTED_ROWS)]
        tokens.append(sum(len(row) for row, _ in rows))

    ours_seconds, their_seconds = median_pair(lambda: task.draw(lengths, streams), theirs, repeats=5)
    ours, their = lengths.sum() / ours_seconds / 1e6, statistics.median(tokens) / their_seconds / 1e6
    figure = f"{ours / their:.0f} x ({ours:.1f} against {their:.3f} M tokens/s)"
    what = f"ListOps, {SHORTEST}-{LONGEST} tokens, {labels} labels / rejection"
    return Result(what, figure, ">= 50 x", ours / their >= 50)


def _set_up() -> Result:
    """All weights for lengths up to 2000, kernels compiled before."""
    weights.weights((MAX_ARGS, MAX_DEPTH, OPERATOR), 300)
    seconds = []
    for max_args, max_depth in ((10, 10), (5, 20), (15, 9), (3, 14)):
        weights._weights.cache_clear()
        start = time.process_time()
        weights.weights((max_args, max_depth, OPERATOR), 2000)
        seconds.append(time.process_time() - start)
    return Result("ListOps, set-up for 2000 tokens", f"{max(seconds):.2f} s at most", "<= 2 s", max(seconds) <= 2)


def _rejected(generator: random.Random, balanced: bool) -> tuple[list[str], int]:
    """Trees by the node rule until one has the right length, and the asked value where labels are balanced."""
    wanted = generator.randrange(10)
    while True:
        tree, length = _tree(generator, 1)
        if SHORTEST <= length <= LONGEST:
            value = _value(tree)
            if not balanced or value == wanted:
                return _tokens(tree), value


def _tree(generator: random.Random, depth: int) -> tuple[Tree, int]:
    if depth == MAX_DEPTH or generator.random() > OPERATOR:
        return generator.randrange(10), 1
    members = [_tree(generator, depth + 1) for _ in range(generator.randint(2, MAX_ARGS))]
    operator = generator.choice(["MIN", "MAX", "MED", "SM"])
    return (operator, [tree for tree, _ in members]), 2 + sum(length for _, length in members)


def _value(tree: Tree) -> int:
    if isinstance(tree, int):
        return tree
    members = [_value(member) for member in tree[1]]
    if tree[0] == "MED":
        return int(statistics.median(members))
    return {"MIN": min, "MAX": max, "SM": lambda digits: sum(digits) % 10}[tree[0]](members)


def _tokens(tree: Tree) -> list[str]:
    if isinstance(tree, int):
        return [str(tree)]
    return [f"[{tree[0]}", *(token for member in tree[1] for token in _tokens(member)), "]"]
