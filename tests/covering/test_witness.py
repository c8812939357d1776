"""Witnesses: shortest words of the domain that show a composition."""

import itertools
import time

import numpy as np
import pytest

from seqbench.algebra import families
from seqbench.algebra.monoid import Monoid
from seqbench.covering.expected import Task
from seqbench.covering.schedules import SCHEDULES
from seqbench.covering.witness import Witnesses, first_path, shortest_witness
from seqbench.errors import InputError
from tests.covering.oracle import all_words, joins, language, task_of
from tests.covering.test_tally import all_maps

SMALL = ["cycle_navigation", "dyck_d2", "even_pairs", "tomita_4", "tomita_6", "tomita_7", "modular_arithmetic_l2r"]


def shown(name, schedule, min_width, longest):
    """The shortest length of a word of the domain that shows each composition, by listing all words."""
    lang, found = language(name), {}
    for length in range(2, longest + 1):
        symbols = lang.machine.num_symbols
        words = np.array(list(itertools.product(range(symbols), repeat=length)), dtype=np.uint8)
        words = words[all_words(name, length).labels >= 0]
        if not len(words):
            continue
        for _, start, u, v in joins(schedule, length):
            if min(u, v) >= min_width:
                blocks = [
                    np.ascontiguousarray(words[:, start : start + u]),
                    np.ascontiguousarray(words[:, start + u : start + u + v]),
                ]
                pair = [
                    lang.monoid.class_of(block.ravel(), np.arange(len(words) + 1) * block.shape[1]).tolist()
                    for block in blocks
                ]
                for key in set(zip(*pair, strict=True)):
                    found.setdefault(key, length)
    return found


def shows(lang, task, word, left, right):
    classes = [
        (lang.syntactic_class(word[start : start + u]), lang.syntactic_class(word[start + u : start + u + v]))
        for _, start, u, v in joins(task.schedule, len(word))
        if min(u, v) >= task.min_width
    ]
    return (left, right) in classes


@pytest.mark.parametrize("min_width", [1, 2])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", SMALL)
def test_witnesses_are_shortest_words_of_the_domain(name, schedule, min_width):
    lang = language(name)
    machine = lang.machine
    task = Task(machine, lang.monoid, machine.outputs, schedule, min_width)
    longest = {2: 7, 3: 5, 8: 5}[machine.num_symbols]
    found = shown(name, schedule, min_width, longest)
    assert found or (schedule == "left" and min_width == 2)
    for (left, right), length in list(found.items())[:60]:
        word = shortest_witness(task, left, right).tolist()
        assert len(word) == length
        assert lang.label(word) >= 0
        assert shows(lang, task, word, left, right)


@pytest.mark.parametrize("schedule", ["tree", "scan"])
@pytest.mark.parametrize("name", ["dyck_d3", "dyck_d6", "tomita_3"])
def test_long_witnesses_show_their_composition(name, schedule):
    lang, generator = language(name), np.random.default_rng(0)
    task = Task(lang.machine, lang.monoid, lang.machine.outputs, schedule)
    reached = np.flatnonzero(lang.monoid.reach(16))
    for left, right in generator.choice(reached, (12, 2)).tolist():
        word = shortest_witness(task, left, right).tolist()
        assert shows(lang, task, word, left, right)


def test_where_no_word_shows_it_there_is_no_witness():
    lang = language("parity_check")
    task = Task(lang.machine, lang.monoid, lang.machine.outputs, "left", min_width=2)
    assert shortest_witness(task, 1, 1) is None


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", ["dyck_d6", pytest.param("modular_arithmetic_l2r", marks=pytest.mark.slow)])
def test_impossible_compositions_are_found_out_fast(name, schedule):
    """All words up to 16,384 symbols are ruled out in a fraction of a second; walking through them took minutes."""
    lang = language(name)
    found = Witnesses(Task(lang.machine, lang.monoid, lang.machine.outputs, schedule))
    pairs = np.random.default_rng(1).integers(0, len(lang.monoid), (20, 2)).tolist()
    began = time.process_time()
    words = [found.word(left, right) for left, right in pairs]
    assert time.process_time() - began < 20
    assert any(word is None for word in words)
    for left, right in [pair for pair, word in zip(pairs, words, strict=True) if word is None][:5]:
        reach = lang.monoid.reach
        widths = {(u, v) for _, _, u, v in joins(schedule, 200)}
        states = lang.machine.outputs[lang.monoid.maps] >= 0
        blocks = any(reach(u)[left] and reach(v)[right] for u, v in widths)
        assert not blocks or not states.all(), "some word of 200 symbols shows it"


def test_long_witnesses_are_found_and_longer_ones_given_up():
    """Blocks of 4,096 symbols and of 905 are the least that make 0^4096 and 0^905 modulo 5,001."""
    machine = families.build("modular_sum", {"modulus": 5001, "weights": [1]})
    monoid = Monoid.of(machine)
    found = Witnesses(Task(machine, monoid, machine.outputs))
    assert len(found.word(4096, 905)) == 5001
    assert found.word(4097, 905) is None
    scan = Witnesses(Task(machine, monoid, machine.outputs, "scan"))
    assert len(scan.word(4096, 1)) == 4097


def test_witnesses_of_a_large_monoid():
    lang = all_maps()
    found = Witnesses(Task(lang.machine, lang.monoid, lang.machine.outputs))
    for left, right in [(3, 5), (lang.syntactic_class("abca"), lang.syntactic_class("bbac"))]:
        assert shows(
            lang, Task(lang.machine, lang.monoid, lang.machine.outputs), found.word(left, right).tolist(), left, right
        )
    assert Witnesses(Task(lang.machine, lang.monoid, lang.machine.outputs, "left", 2)).word(3, 5) is None


@pytest.mark.parametrize("name", SMALL)
def test_first_paths_are_the_first_of_their_class(name):
    monoid = task_of(name).monoid
    symbols = monoid.right.shape[1]
    for length in range(4 if symbols < 8 else 3):
        firsts = {}
        for word in itertools.product(range(symbols), repeat=length):
            element = 0
            for symbol in word:
                element = int(monoid.right[element, symbol])
            firsts.setdefault(element, list(word))
        for element in range(min(len(monoid), 40)):
            goal = np.arange(len(monoid)) == element
            if element in firsts:
                assert first_path(monoid.right, 0, goal, length).tolist() == firsts[element]
            else:
                with pytest.raises(InputError):
                    first_path(monoid.right, 0, goal, length)
