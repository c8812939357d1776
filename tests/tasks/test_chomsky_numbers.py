"""Laws and answers of the binary tasks, against enumeration and Python integers, up to 10,000 bits."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

import seqbench
from seqbench.generation.streams import row_streams, unit_key
from seqbench.generation.tasks import TASKS

OPERATIONS = {"binary_addition": int.__add__, "binary_multiplication": int.__mul__}
both = pytest.mark.parametrize("name", OPERATIONS)
lengths_asked = pytest.mark.parametrize("length", [3, 4, 5, 8, 33, 66, 67, 130, 500, 2001, 10_000])


def _drawn(name, length, count, seed=0):
    task = TASKS[name].build(TASKS[name].check({}))
    columns = task.draw(np.full(count, length), row_streams(unit_key("numbers", seed), np.arange(count)))
    return list(zip(*(values.to_pylist() for values in columns.values()), strict=True))


def _number(bits):
    """Least significant first."""
    return sum(bit << place for place, bit in enumerate(bits))


@both
@lengths_asked
def test_results_equal_python_integers(name, length):
    for word, output, mask in _drawn(name, length, 300 if length < 1000 else 6):
        cut = word.index(2)
        result = OPERATIONS[name](_number(word[:cut]), _number(word[cut + 1 :]))
        end = output.index(2)
        assert _number(output[:end]) == result
        assert end == max(1, result.bit_length())
        assert output[end + 1 :] == [0] * (len(output) - end - 1)
        assert len(output) == length + (name == "binary_addition")
        assert mask == [place <= end for place in range(len(output))]


@both
def test_operands_of_zeros_and_ones(name):
    """The extremes, at sizes around the limbs and at 10,000 bits."""
    for one, other in product((1, 2, 31, 32, 33, 63, 64, 65, 4999), (1, 32, 33, 64, 65, 5000)):
        for a, b in product((0, 1), repeat=2):
            result = OPERATIONS[name]((2**one - 1) * a, (2**other - 1) * b)
            size = one + other + 1 + (name == "binary_addition")
            digits = [*map(int, reversed(f"{result:b}")), 2]
            assert seqbench.solve(name, [a] * one + [2] + [b] * other) == digits + [0] * (size - len(digits))


@both
def test_operands_are_uniform(name):
    """Sizes alike, then all bits alike, zero and all ones among them."""
    words = [tuple(word) for word, *_ in _drawn(name, 5, 40_000)]
    words_of = {size: list(product((0, 1), repeat=size)) for size in (1, 2, 3)}
    expected = [(*a, 2, *b) for size in (1, 2, 3) for a in words_of[size] for b in words_of[4 - size]]
    counted = Counter(words)
    assert counted.keys() <= set(expected)
    assert chisquare([counted[word] for word in expected]).pvalue > 1e-6


@pytest.mark.parametrize("length", [1, 2, 3, 8, 40, 61, 62, 63, 64, 65, 66, 127, 500, 2001, 10_000])
def test_roots(length):
    rows = [(word, output) for word, output, _ in _drawn("compute_sqrt", length, 300 if length < 1000 else 6)]
    rows += [([bit] * length, seqbench.solve("compute_sqrt", [bit] * length)) for bit in (0, 1)]
    for word, output in rows:
        number, root = int("".join(map(str, word)), 2), int("".join(map(str, output)), 2)
        assert root**2 <= number < (root + 1) ** 2
        assert len(output) == math.ceil(length / 2)


def test_all_short_roots():
    for length in range(1, 11):
        words = [f"{number:0{length}b}" for number in range(2**length)]
        roots = [int("".join(map(str, output)), 2) for output in seqbench.solve("compute_sqrt", words)]
        assert roots == [max(r for r in range(33) if r * r <= number) for number in range(2**length)]
