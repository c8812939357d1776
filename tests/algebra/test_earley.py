"""The parser in bulk against the recogniser of one word, and its sets against prefixes of listed words."""

import itertools

import numpy as np
import pytest

from seqbench.algebra.earley import Parser
from seqbench.algebra.grammar import parse
from seqbench.errors import TooLargeError

GRAMMARS = [
    "S -> ( S ) S |",
    "E -> E + T | T\nT -> T * F | F\nF -> ( E ) | a",
    "S -> 0 S 0 | 1 S 1 | 0 | 1 |",
    "S -> A B\nA -> a A | C\nC -> |\nB -> b B | D D\nD -> d |",
    "S -> A A a | b\nA -> B |\nB -> A c |",
    "S -> X S Y |\nX -> | a\nY -> b | Y b",
    "S -> S S | ( S ) |",
]


def batch(rows, length):
    return np.array(rows, np.uint8).ravel(), length * np.arange(len(rows) + 1)


@pytest.mark.parametrize("text", GRAMMARS)
def test_words_are_recognised_ambiguous_or_not(text):
    grammar = parse(text)
    parser, symbols = Parser(grammar), range(len(grammar.terminals))
    for length in range(7 if len(symbols) < 4 else 5):
        rows = list(itertools.product(symbols, repeat=length))
        one_by_one = [grammar.contains([grammar.terminals[i] for i in row]) for row in rows]
        assert parser.contains(*batch(rows, length)).tolist() == one_by_one


@pytest.mark.parametrize("text", GRAMMARS[:4])
def test_what_may_follow_is_what_members_go_on_with(text):
    grammar = parse(text)
    members = {word for n in range(14) for word in grammar.words(n)}
    following = {}
    for word in members:
        for t in range(len(word) + 1):
            following.setdefault(word[:t], set()).add(word[t : t + 1])
    rows = list(itertools.product(range(len(grammar.terminals)), repeat=4))
    found = Parser(grammar).next_sets(*batch(rows, 4)).reshape(len(rows), 5, -1)
    signs = [*((symbol,) for symbol in grammar.terminals), ()]
    for row, sets in zip(rows, found, strict=True):
        word = tuple(grammar.terminals[i] for i in row)
        for t in range(5):
            assert {signs[i] for i in np.flatnonzero(sets[t])} == following.get(word[:t], set())


def test_words_longer_than_a_machine_word():
    parser = Parser(parse("S -> a S b |"))
    rows = [[0] * n + [1] * m for n, m in [(63, 63), (64, 64), (65, 65), (100, 100), (100, 99), (64, 65)]]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    assert parser.contains(np.concatenate(rows).astype(np.uint8), offsets).tolist() == [True] * 4 + [False] * 2


def test_words_too_long_to_parse_are_refused():
    with pytest.raises(TooLargeError, match="1 GiB"):
        Parser(parse("S -> a S b |")).contains(np.zeros(200_000, np.uint8), np.array([0, 200_000]))
