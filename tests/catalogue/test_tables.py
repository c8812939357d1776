"""Languages that a file gives as a table of states."""

import itertools

import pytest

from seqbench.catalogue.languages import machine_of, monoid_of
from seqbench.catalogue.reader import open_catalogue
from seqbench.errors import DefinitionError, InputError, UnknownNameError

HEAD = """
title = "A traffic light"
alphabet = ["go", "stop", "wait"]
labels = ["red", "green"]
source = "none"
"""
TABLE = """
table = [
    { state = "off", next = { go = "green", stop = "red" } },
    { state = "green", label = "green", next = { stop = "red", wait = "green" } },
    { state = "red", label = "red", next = { go = "green", wait = "red" } },
]
[claims]
states = 4
monoid = 8
aperiodic = true
outside = [""]
"""


def expected(word):
    """The label of the traffic light from its rules, None outside."""
    if not word or word[0] == "wait":
        return None
    decided = [symbol for symbol in word if symbol != "wait"]
    if any(a == b for a, b in itertools.pairwise(decided)):
        return None
    return "green" if decided[-1] == "go" else "red"


def label(machine, word):
    state = 0
    for symbol in word:
        state = machine.transitions[state, machine.alphabet.index(symbol)]
    return None if machine.outputs[state] < 0 else machine.labels[machine.outputs[state]]


def test_a_table_with_labels_and_missing_transitions(folder):
    catalogue = open_catalogue(folder({"automata/light.toml": HEAD + TABLE}))
    machine = machine_of(catalogue, "light")
    for length in range(6):
        for word in itertools.product(machine.alphabet, repeat=length):
            assert label(machine, word) == expected(word), word
    assert machine.num_states == 4  # the sink is the fourth
    assert not machine.is_acceptor
    assert monoid_of(machine).names[1:4] == ("go", "stop", "wait")


def test_missing_transitions_of_an_acceptor_lead_to_a_rejecting_sink(folder):
    text = """
    title = "Only a"
    alphabet = ["a", "b"]
    table = [{ state = "start", label = "accept", next = { a = "start" } }]
    source = "none"
    claims = { states = 2, monoid = 2, aperiodic = true }
    """
    machine = machine_of(open_catalogue(folder({"automata/only_a.toml": text})), "only_a")
    assert [label(machine, word) for word in ("", "a", "b", "ba")] == ["accept", "accept", "reject", "reject"]
    assert machine.is_acceptor


@pytest.mark.parametrize(
    ("old", "new", "error", "words"),
    [
        ('next = { go = "green", stop', 'next = { goo = "green", stop', UnknownNameError, "'go'"),
        ('stop = "red", wait', 'stop = "rad", wait', UnknownNameError, "'red'"),
        ('label = "green"', 'label = "grean"', UnknownNameError, "'green'"),
        ('state = "red"', 'state = "green"', DefinitionError, "twice"),
    ],
)
def test_mistakes_in_a_table_are_named(old, new, error, words, folder):
    assert old in TABLE
    text = HEAD + TABLE.replace(old, new)
    catalogue = open_catalogue(folder({"automata/light.toml": text}))
    with pytest.raises(error) as caught:
        machine_of(catalogue, "light")
    assert words in str(caught.value)


def test_an_empty_table_is_refused(folder):
    text = HEAD + "table = []\nclaims = { states = 1, monoid = 1, aperiodic = true }"
    with pytest.raises(DefinitionError, match="no state"):
        machine_of(open_catalogue(folder({"automata/light.toml": text})), "light")


def test_only_families_take_parameters(folder):
    catalogue = open_catalogue(folder({"automata/light.toml": HEAD + TABLE}))
    with pytest.raises(InputError, match="depth"):
        machine_of(catalogue, "light", {"depth": 2})


def test_a_foreign_parameter_of_a_family_is_named():
    with pytest.raises(UnknownNameError, match="Did you mean 'depth'"):
        machine_of(open_catalogue(), "dyck", {"deph": 2})
