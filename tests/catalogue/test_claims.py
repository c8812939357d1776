"""What the automata files claim, recomputed; and which languages and datasets there are."""

import pytest

from seqbench.algebra import families
from seqbench.algebra.alphabet import encode
from seqbench.algebra.machine import OUTSIDE
from seqbench.algebra.structure import is_aperiodic
from seqbench.catalogue.languages import machine_of, monoid_of
from seqbench.catalogue.reader import open_catalogue
from seqbench.catalogue.schema import Dataset

CATALOGUE = open_catalogue()

# The 21 regular tasks of arXiv 2605.26035 and four more, by name: what each must be.
TASKS = {
    "even_pairs": ("even_pairs", {}),
    "parity_check": ("modular_sum", {"modulus": 2, "weights": [0, 1]}),
    "cycle_navigation": ("modular_sum", {"modulus": 5, "weights": [-1, 0, 1]}),
    "modular_arithmetic_l2r": ("left_to_right_arithmetic", {"modulus": 5}),
    **{f"tomita_{k}": (f"tomita_{k}", {}) for k in (3, 4, 5, 6, 7)},
    **{f"prefix_p{p}_q{q}": ("prefix", {"length": p, "alphabet_size": q}) for p in (1, 2, 4) for q in (2, 4)},
    **{f"dyck_d{n}": ("dyck", {"depth": n}) for n in (2, 3, 4, 6, 8, 12)},
}
MORE = {
    "tomita_1": ("tomita_1", {}),
    "tomita_2": ("tomita_2", {}),
    "dyck_d1": ("dyck", {"depth": 1}),
    "modular_arithmetic": ("arithmetic", {"modulus": 5}),
}


def label_of(machine, word):
    """The name of a word's label by a plain walk, None outside the domain."""
    state = 0
    for symbol in encode(machine.alphabet, word).tolist():
        state = machine.transitions[state, symbol]
    output = machine.outputs[state]
    return None if output == OUTSIDE else machine.labels[output]


def test_there_are_21_tasks():
    assert len(TASKS) == 21


@pytest.mark.parametrize("name", [*TASKS, *MORE])
def test_tasks_are_there_and_are_what_their_names_say(name):
    dataset = CATALOGUE.dataset(name)
    automaton, parameters = (TASKS | MORE)[name]
    assert machine_of(CATALOGUE, dataset.automaton, dataset.parameters) == machine_of(CATALOGUE, automaton, parameters)


def test_states(claim):
    name, claims = claim
    assert machine_of(CATALOGUE, name, claims.parameters).num_states == claims.states


def test_monoid_size(claim):
    name, claims = claim
    assert len(monoid_of(machine_of(CATALOGUE, name, claims.parameters))) == claims.monoid


def test_aperiodicity(claim):
    name, claims = claim
    assert is_aperiodic(monoid_of(machine_of(CATALOGUE, name, claims.parameters))) is claims.aperiodic


def test_examples(claim):
    name, claims = claim
    machine = machine_of(CATALOGUE, name, claims.parameters)
    expected = dict.fromkeys(claims.accepts, "accept") | dict.fromkeys(claims.rejects, "reject")
    expected |= {word: label for label, words in claims.labelled.items() for word in words}
    expected |= dict.fromkeys(claims.outside)
    assert expected, "a claim shows no word"
    assert {word: label_of(machine, word) for word in expected} == expected


def test_no_word_is_claimed_twice(claim):
    _, claims = claim
    words = [*claims.accepts, *claims.rejects, *claims.outside, *(w for ws in claims.labelled.values() for w in ws)]
    assert len(words) == len(set(words))


@pytest.mark.parametrize("name", [name for name in CATALOGUE.datasets if isinstance(CATALOGUE.dataset(name), Dataset)])
def test_every_dataset_of_a_language_has_claims(name):
    record = CATALOGUE.dataset(name)
    machine = machine_of(CATALOGUE, record.automaton, record.parameters)
    claims = CATALOGUE.automaton(record.automaton).all_claims
    assert machine in [machine_of(CATALOGUE, record.automaton, claim.parameters) for claim in claims]


def test_every_family_has_a_language():
    used = {CATALOGUE.automaton(name).family for name in CATALOGUE.automata}
    assert used >= set(families.FAMILIES)


def test_members_are_called_accept(claim):
    name, claims = claim
    machine = machine_of(CATALOGUE, name, claims.parameters)
    assert machine.is_acceptor == bool(claims.accepts)
    assert machine.is_acceptor == bool(claims.rejects)
