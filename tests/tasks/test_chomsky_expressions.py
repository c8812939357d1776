"""Bracketed expressions: exact counts, both laws and the values, against enumeration, fractions and Python's eval."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

import seqbench
from seqbench.errors import TooLargeError
from seqbench.generation.plan import plan
from seqbench.generation.streams import row_streams, unit_key
from seqbench.generation.tasks import TASKS
from seqbench.generation.tasks.chomsky.splits import make_splits

BRACKETS, EQUATIONS = "modular_arithmetic_brackets", "solve_equation"


@cache
def count(operators, length):
    if length < 5:
        return 5
    return operators * sum(count(operators, i) * count(operators, length - 3 - i) for i in range(1, length - 3))


@cache
def every(operators, length):
    """All expressions of a length as text, each with its chance under the published law."""
    if length < 5:
        shape = {1: "{}", 2: "-{}", 3: "({})", 4: "(-{})"}[length]
        return {shape.format(digit): Fraction(1, 5) for digit in range(5)}
    out = {}
    for left in range(1, length - 3):
        pairs = product(every(operators, left).items(), operators, every(operators, length - 3 - left).items())
        for (one, p), operator, (other, q) in pairs:
            out[f"({one}{operator}{other})"] = p * q / len(operators) / (length - 4)
    return out


def _texts(name, length, number, sampling, seed=0):
    task = TASKS[name].build(TASKS[name].check({"sampling": sampling}))
    columns = task.draw(np.full(number, length), row_streams(unit_key("law", seed), np.arange(number)))
    words = ["".join(task.alphabet[token] for token in word) for word in columns["input_ids"].to_pylist()]
    return words, columns["label"].to_pylist()


@pytest.mark.parametrize("operators", [2, 3])
def test_thresholds_are_exact(operators):
    """Against Python integers: each within 2 of the 64-bit threshold."""
    splits = make_splits(operators, 320)
    for length in (*range(5, 60), 200, 319, 320):
        sides = range(1, (length - 3) // 2 + 1)
        pairs = [count(operators, i) * count(operators, length - 3 - i) * (1 + (2 * i != length - 3)) for i in sides]
        assert operators * sum(pairs) == count(operators, length)
        exact = [(sum(pairs[: i + 1]) << 64) // sum(pairs) for i in range(len(pairs))]
        ours = splits.of_length(length).tolist()
        assert len(ours) == len(exact)
        assert all(abs(a - b) <= 2 for a, b in zip(ours, exact, strict=True))


def test_rows_of_tables_do_not_depend_on_the_longest():
    small, large = make_splits(3, 50), make_splits(3, 90)
    assert np.array_equal(small.thresholds, large.thresholds[: len(small.thresholds)])


def test_counts_agree_with_enumeration():
    for length in range(1, 12):
        assert len(every("+-*", length)) == count(3, length)
        assert abs(sum(every("+-", length).values()) - 1) == 0


@pytest.mark.parametrize("sampling", ["uniform", "published"])
@pytest.mark.parametrize("length", [1, 4, 5, 6, 7, 8, 9])
def test_law_of_expressions(length, sampling):
    expected = every("+-*", length)
    texts, _ = _texts(BRACKETS, length, 60_000, sampling)
    counted = Counter(texts)
    assert counted.keys() <= expected.keys()
    shares = [1 / len(expected) if sampling == "uniform" else float(p) for p in expected.values()]
    assert chisquare([counted[text] for text in expected], np.array(shares) * 60_000).pvalue > 1e-6


@pytest.mark.parametrize("sampling", ["uniform", "published"])
@pytest.mark.parametrize("length", [14, 40, 203])
def test_law_of_left_sides(length, sampling):
    """How long the left side is, where expressions are too many to list."""
    lefts = [_left(text) for text in _texts(BRACKETS, length, 8192, sampling)[0]]
    sizes = range(1, length - 3)
    weights = [count(3, i) * count(3, length - 3 - i) if sampling == "uniform" else 1 for i in sizes]
    expected = np.array([float(Fraction(weight, sum(weights))) for weight in weights]) * len(lefts)
    observed = np.bincount(lefts, minlength=length - 3)[1:]
    rare = expected < 5
    observed, expected = (np.append(each[~rare], each[rare].sum()) for each in (observed, expected))
    keep = expected > 0
    assert observed[~keep].sum() == 0
    assert chisquare(observed[keep], expected[keep]).pvalue > 1e-6


def _left(text):
    """Symbols of the left side: up to the first operator outside inner brackets, past a sign."""
    depth = 0
    for place, symbol in enumerate(text):
        if depth == 1 and symbol in "+-*" and text[place - 1] in "01234)":
            return place - 1
        depth += (symbol == "(") - (symbol == ")")
    raise AssertionError(text)


@pytest.mark.parametrize("sampling", ["uniform", "published"])
@pytest.mark.parametrize("length", [*range(1, 12), 40, 120])
def test_values_equal_python(length, sampling):
    """Python's own evaluation; deeper brackets than it takes are left out."""
    texts, labels = _texts(BRACKETS, length, 300, sampling)
    assert {len(text) for text in texts} == {length}
    shallow = [(text, label) for text, label in zip(texts, labels, strict=True) if text.count("(") < 90]
    assert len(shallow) > 250
    assert all(eval(text) % 5 == label for text, label in shallow)


@pytest.mark.parametrize("sampling", ["uniform", "published"])
@pytest.mark.parametrize("length", [*range(3, 13), 40, 120])
def test_equations_have_one_solution(length, sampling):
    texts, labels = _texts(EQUATIONS, length, 200, sampling)
    for text, label in zip(texts, labels, strict=True):
        left, right = text.split("=")
        assert [x for x in range(5) if eval(left, {"x": x}) % 5 == int(right)] == [label]
        assert "*" not in text
        assert len(text) == length


@pytest.mark.parametrize("sampling", ["uniform", "published"])
@pytest.mark.parametrize("length", [3, 6, 9, 10])
def test_law_of_equations(length, sampling):
    """Every expression by its law, and x at each of its digits alike."""
    expected = Counter()
    expressions = every("+-", length - 2)
    for text, chance in expressions.items():
        places = [place for place, symbol in enumerate(text) if symbol.isdigit()]
        share = float(chance) if sampling == "published" else 1 / len(expressions)
        for place in places:
            word = f"{text[:place]}x{text[place + 1 :]}={eval(text) % 5}"
            expected[word] += share / len(places)
    counted = Counter(_texts(EQUATIONS, length, 40_000, sampling)[0])
    assert counted.keys() <= expected.keys()
    shares = np.array(list(expected.values())) * 40_000
    assert chisquare([counted[word] for word in expected], shares).pvalue > 1e-6


@pytest.mark.parametrize("sampling", ["uniform", "published"])
def test_hidden_digit_is_uniform_at_every_length(sampling):
    for length in (3, 7, 41, 100):
        assert chisquare(np.bincount(_texts(EQUATIONS, length, 10_000, sampling)[1], minlength=5)).pvalue > 1e-6


@pytest.mark.parametrize("sampling", ["uniform", "published"])
def test_chance_of_zero(sampling):
    """The stated chance of value 0, and that other values are alike."""
    stated = TASKS[BRACKETS].build(TASKS[BRACKETS].check({"sampling": sampling})).facts()["chance"]
    expected = every("+-*", 9)
    share = sum(p for text, p in expected.items() if eval(text) % 5 == 0)
    if sampling == "uniform":
        share = Fraction(sum(eval(text) % 5 == 0 for text in expected), len(expected))
    assert stated[9] == round(float(share), 3)
    values = np.bincount(_texts(BRACKETS, 40, 40_000, sampling)[1])
    assert abs(values[0] / 40_000 - stated[40]) < 0.015
    assert chisquare(values[1:]).pvalue > 1e-6


def test_membership_by_enumeration():
    """Words of up to 5 symbols over a small alphabet: solve takes the grammar's and refuses all others."""
    members = {text for length in range(1, 6) for text in every("+-*", length)}
    for length in range(1, 6):
        for word in map("".join, product("1-*()", repeat=length)):
            try:
                value = seqbench.solve(BRACKETS, word)
            except seqbench.errors.InputError:
                value = None
            assert value == (eval(word) % 5 if word in members else None), word


def test_deep_and_long_expressions():
    """Two thousand brackets, by hand and drawn."""
    deep = "(" * 2000 + "1" + "+1)" * 2000
    assert seqbench.solve(BRACKETS, deep) == 2001 % 5
    right = "(4-" * 1501 + "x" + ")" * 1501 + "=2"
    assert seqbench.solve(EQUATIONS, right) == 2
    planned = plan(BRACKETS, test_lengths=(2000, 2000), test_examples_per_length=3)
    planned.task.check(planned.block("test", 0))


def test_too_long_uniform_expressions_are_refused():
    with pytest.raises(TooLargeError, match="published"):
        plan(BRACKETS).sample(40_000)
    assert len(plan(BRACKETS, sampling="published").sample(40_000)[0]["input_ids"]) == 40_000
