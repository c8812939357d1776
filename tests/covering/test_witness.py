"""Witnesses: shortest words of the domain that show a composition."""

import itertools

import numpy as np
import pytest

from seqbench.covering.expected import Task
from seqbench.covering.schedules import SCHEDULES
from seqbench.covering.witness import first_path, shortest_witness
from seqbench.errors import InputError
from tests.covering.oracle import all_words, joins, language, task_of

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


def test_no_witness_is_said():
    lang = language("parity_check")
    task = Task(lang.machine, lang.monoid, lang.machine.outputs, "left", min_width=2)
    with pytest.raises(InputError, match="joins the classes 1 and 1"):
        shortest_witness(task, 1, 1)


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
