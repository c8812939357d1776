"""The label of every short word of every language, against predicates written from the definitions and nothing else."""

import functools
import itertools
import re

import numpy as np
import pytest

from seqbench.algebra.machine import OUTSIDE
from seqbench.catalogue.languages import machine_of
from seqbench.catalogue.reader import open_catalogue

CATALOGUE = open_catalogue()
MAX_LENGTH = {2: 10, 3: 6, 4: 5, 8: 5}
EXPRESSION = re.compile(r"[0-9]([-+*][0-9])*")


def accept(member):
    return "accept" if member else "reject"


def even_pairs(word):
    return accept(sum(a != b for a, b in itertools.pairwise(word)) % 2)


def modular_sum(word, modulus, weights):
    total = sum(weights[int(symbol)] for symbol in word) % modulus
    return accept(total) if modulus == 2 else str(total)


def arithmetic(word, modulus):
    return str(eval(word) % modulus) if EXPRESSION.fullmatch(word) else None


def left_to_right_arithmetic(word, modulus):
    if not EXPRESSION.fullmatch(word):
        return None
    value = int(word[0])
    for operator, digit in zip(word[1::2], word[2::2], strict=True):
        value = {"+": value + int(digit), "-": value - int(digit), "*": value * int(digit)}[operator] % modulus
    return str(value)


def prefix(word, length, alphabet_size):
    assert all(int(symbol) < alphabet_size for symbol in word)
    return word[:length] if len(word) >= length else "short"


@functools.cache
def dyck_pattern(depth, kinds):
    """D_n = (open D_{n-1} close)*, D_0 = the empty word, as a pattern of Python's own."""

    def inside(n):
        pairs = ["01"] if kinds == 1 else ["()", "[]", "{}", "<>"][:kinds]
        each = (f"{re.escape(a)}{inside(n - 1)}{re.escape(b)}" for a, b in pairs)
        return f"(?:{'|'.join(each)})*" if n else ""

    return re.compile(inside(depth))


def dyck(word, depth, kinds=1):
    return accept(dyck_pattern(depth, kinds).fullmatch(word))


def permutation_group(word, degree, generators, track="point"):
    images = list(range(degree))
    for symbol in word:  # the first symbol acts first
        images = [generators[int(symbol)][image] for image in images]
    return str(images[0]) if track == "point" else " ".join(map(str, images))


def tomita_3(word):
    runs = [(symbol, len(list(run))) for symbol, run in itertools.groupby(word)]
    return accept(not any(a == "1" and m % 2 and n % 2 for (a, m), (_, n) in itertools.pairwise(runs)))


PREDICATES = {
    "even_pairs": even_pairs,
    "modular_sum": modular_sum,
    "arithmetic": arithmetic,
    "left_to_right_arithmetic": left_to_right_arithmetic,
    "prefix": prefix,
    "dyck": dyck,
    "permutation_group": permutation_group,
    "tomita_1": lambda word: accept("0" not in word),
    "tomita_2": lambda word: accept(word == "10" * (len(word) // 2)),
    "tomita_3": tomita_3,
    "tomita_4": lambda word: accept("000" not in word),
    "tomita_5": lambda word: accept(word.count("0") % 2 == 0 and word.count("1") % 2 == 0),
    "tomita_6": lambda word: accept((word.count("0") - word.count("1")) % 3 == 0),
    "tomita_7": lambda word: accept(re.fullmatch("0*1*0*1*", word)),
}


def test_every_language_has_a_predicate():
    assert set(PREDICATES) == {name for name in CATALOGUE.automata if CATALOGUE.automaton(name).grammar is None}


def test_labels_of_all_short_words(claim):
    name, claims = claim
    machine = machine_of(CATALOGUE, name, claims.parameters)
    predicate = functools.partial(PREDICATES[name], **claims.parameters)
    names = {OUTSIDE: None} | dict(enumerate(machine.labels))
    for length in range(MAX_LENGTH[machine.num_symbols] + 1):
        ids = np.array(list(itertools.product(range(machine.num_symbols), repeat=length)), dtype=np.uint8)
        offsets = np.arange(len(ids) + 1) * length
        labels = [names[output] for output in machine.outputs[machine.run(ids.reshape(-1), offsets)].tolist()]
        words = ["".join(machine.alphabet[symbol] for symbol in word) for word in ids.tolist()]
        wrong = [(w, label) for w, label in zip(words, labels, strict=True) if label != predicate(w)]
        assert not wrong


@pytest.mark.parametrize(
    ("name", "word", "label"),
    [
        ("modular_arithmetic", "1+2*3", "2"),
        ("modular_arithmetic_l2r", "1+2*3", "4"),
        ("even_pairs", "0", "reject"),  # odd is accepted: one symbol has no pair
        ("parity_check", "0111", "accept"),  # odd is accepted
        ("cycle_navigation", "0", "4"),  # symbol a moves by a - 1
        ("prefix_p2_q4", "310", "31"),
        ("prefix_p4_q2", "010", "short"),
        ("dyck_d2", "0011", "accept"),
        ("dyck_d2", "000111", "reject"),
    ],
)
def test_worked_examples_of_the_conventions(name, word, label):
    dataset = CATALOGUE.dataset(name)
    machine = machine_of(CATALOGUE, dataset.automaton, dataset.parameters)
    ids = np.array([machine.alphabet.index(symbol) for symbol in word], dtype=np.uint8)
    assert machine.labels[machine.outputs[machine.run(ids, np.array([0, len(ids)]))[0]]] == label
