"""Words, labels and classes against kernels that do less."""

from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.timing import Result, median_pair
from seqbench.algebra.machine import Machine
from seqbench.catalogue.languages import machine_of, monoid_of
from seqbench.catalogue.reader import open_catalogue
from seqbench.generation import streams as rng
from seqbench.generation.sampler import Sampler
from seqbench.jit import kernel

Array = npt.NDArray[Any]
BLOCK = 4096
BLOCKS = 5


def results() -> list[Result]:
    """The rows about sampling."""
    return [_dyck_against_bare_walk(), _parity_against_numpy()]


def _sampler(name: str, law: str) -> Sampler:
    catalogue = open_catalogue()
    dataset = catalogue.dataset(name)
    machine = machine_of(catalogue, dataset.automaton, dataset.parameters)
    return Sampler(machine, monoid_of(machine), {law: 1.0})


def _draw(sampler: Sampler, length: int, rows: int) -> None:
    for block in range(0, rows, BLOCK):
        streams = rng.row_streams(rng.unit_key("benchmark", block), np.arange(BLOCK))
        sampler.sample(np.full(BLOCK, length), streams)


def _dyck_against_bare_walk() -> Result:
    sampler, length = _sampler("dyck_d6", "balanced"), 500
    thresholds = _forward_thresholds(sampler.machine, length)
    out = np.empty((BLOCK, length), dtype=np.uint8)
    labels = np.arange(BLOCK) % 2

    def bare() -> None:
        for block in range(BLOCKS):
            _bare_walk(sampler.machine.transitions, thresholds, labels, np.uint64(block), out)

    ours, theirs = median_pair(lambda: _draw(sampler, length, BLOCK * BLOCKS), bare)
    tokens = BLOCK * BLOCKS * length / 1e6
    figure = f"{theirs / ours:.2f} x ({tokens / ours:.0f} against {tokens / theirs:.0f} M tokens/s)"
    return Result("dyck_d6, length 500, with label and class / bare walk", figure, ">= 0.5 x", theirs / ours >= 0.5)


def _parity_against_numpy() -> Result:
    sampler, length, blocks = _sampler("parity_check", "uniform"), 40, 50
    generator = np.random.default_rng(0)

    def bare() -> None:
        for _ in range(blocks):
            generator.integers(0, 2, BLOCK * length, dtype=np.uint8)

    ours, theirs = median_pair(lambda: _draw(sampler, length, BLOCK * blocks), bare)
    tokens = BLOCK * blocks * length / 1e6
    figure = f"{theirs / ours:.2f} x ({tokens / ours:.0f} against {tokens / theirs:.0f} M tokens/s)"
    return Result("parity_check, length 40 / Generator.integers(0, 2)", figure, ">= 0.5 x", theirs / ours >= 0.5)


def _forward_thresholds(machine: Machine, length: int) -> Array:
    """Probability of symbol 0 by label, remaining length and state, in 2^-64ths: the usual backward counts."""
    thresholds = np.zeros((2, length + 1, machine.num_states), dtype=np.uint64)
    for label in range(2):
        count = [int(output == label) for output in machine.outputs]
        for t in range(1, length + 1):
            zero = [count[machine.transitions[q, 0]] for q in range(machine.num_states)]
            both = [zero[q] + count[machine.transitions[q, 1]] for q in range(machine.num_states)]
            for q in range(machine.num_states):
                thresholds[label, t, q] = min((zero[q] << 64) // both[q], 2**64 - 1) if both[q] else 0
            count = both
    return thresholds


@kernel
def _bare_walk(transitions: Array, thresholds: Array, labels: Array, seed: np.uint64, out: Array) -> None:
    """Only walks the machine and chooses letters, with an xorshift generator: no streams, no label, no class."""
    word = seed * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)
    length = out.shape[1]
    for i in range(out.shape[0]):
        state = 0
        table = thresholds[labels[i]]
        for t in range(length, 0, -1):
            word ^= word << np.uint64(13)
            word ^= word >> np.uint64(7)
            word ^= word << np.uint64(17)
            letter = np.int64(word >= table[t, state])
            out[i, length - t] = letter
            state = transitions[state, letter]
