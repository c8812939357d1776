"""Grammars: tables for long words, and the parser of any grammar against the parser written for one."""

import time

import numpy as np

from benchmarks.timing import Result, median_pair
from seqbench.algebra.earley import Parser
from seqbench.generation import streams as rng
from seqbench.generation.tasks.flare import counting

LONGEST, LENGTH, WORDS = 2000, 500, 200


def results() -> list[Result]:
    """The rows about grammars."""
    return [_set_up(), _parser()]


def _set_up() -> Result:
    """The dearest grammar of the catalogue."""
    counting.stack_manipulation().members(10)  # compiled
    counting.stack_manipulation.cache_clear()
    start = time.process_time()
    counting.stack_manipulation().members(LONGEST)
    seconds = time.process_time() - start
    return Result(f"tables of stack manipulation up to {LONGEST}", f"{seconds:.2f} s", "<= 2 s", seconds <= 2)


def _parser() -> Result:
    """Members of one length, the longest way through both."""
    language = counting.brackets(2)
    parser, offsets = Parser(language.grammar), LENGTH * np.arange(WORDS + 1)
    tokens = np.empty(LENGTH * WORDS, np.uint8)
    streams = rng.row_streams(rng.unit_key("benchmark"), np.arange(WORDS))
    language.propose(np.full(WORDS, LENGTH), offsets[:-1], streams, tokens)
    ours, theirs = median_pair(
        lambda: parser.contains(tokens, offsets), lambda: language.contains(tokens, offsets), repeats=3
    )
    figure = f"{1e3 * ours / WORDS:.2f} ms a word (the stack machine: {1e3 * theirs / WORDS:.4f} ms)"
    return Result(f"Earley's parser, brackets, length {LENGTH}", figure, "<= 5 ms", ours / WORDS <= 5e-3)
