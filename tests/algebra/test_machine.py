import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.algebra.alphabet import encode_batch
from seqbench.algebra.explore import explore
from seqbench.algebra.machine import OUTSIDE, Machine
from seqbench.errors import DefinitionError, TooLargeError
from tests.algebra.strategies import acceptors, all_words, machines, outputs_of, tables, walk


@given(tables())
def test_build_keeps_every_label_and_completes_with_a_sink(table):
    symbols, transitions, outputs, initial, labels = table
    names = [f"label {label}" for label in range(labels)]
    machine = Machine.build([str(a) for a in range(symbols)], transitions, outputs, initial=initial, labels=names)
    words = all_words(symbols, 8 if symbols < 3 else 6)
    expected = [walk(transitions, outputs, initial, word) for word in words]
    assert outputs_of(machine, words) == [OUTSIDE if output is None else output for output in expected]


@given(machines())
def test_build_is_reachable_breadth_first_and_minimal(machine):
    first_visits = list(dict.fromkeys([0, *machine.transitions.reshape(-1).tolist()]))
    assert first_visits == list(range(machine.num_states))
    # Two states differ after some word shorter than the number of states (Moore).
    pairs = {(p, q) for p in range(machine.num_states) for q in range(p)}
    apart = {(p, q) for p, q in pairs if machine.outputs[p] != machine.outputs[q]}
    for _ in range(machine.num_states):
        for p, q in pairs - apart:
            targets = zip(machine.transitions[p].tolist(), machine.transitions[q].tolist(), strict=True)
            if any((max(pair), min(pair)) in apart for pair in targets):
                apart.add((p, q))
    assert apart == pairs


@given(tables(partial=False), st.randoms(use_true_random=False))
def test_renumbering_the_states_changes_nothing(table, random):
    symbols, transitions, outputs, initial, labels = table
    names, alphabet = [str(label) for label in range(labels)], [str(a) for a in range(symbols)]
    order = list(range(len(outputs)))
    random.shuffle(order)
    new = {old: number for number, old in enumerate(order)}
    moved = [[new[target] for target in transitions[old]] for old in order]
    one = Machine.build(alphabet, transitions, outputs, initial=initial, labels=names)
    two = Machine.build(alphabet, moved, [outputs[old] for old in order], initial=new[initial], labels=names)
    assert one == two
    assert hash(one) == hash(two)


@given(acceptors())
def test_minimisation_agrees_with_automata_lib(machine):
    dfa = pytest.importorskip("automata.fa.dfa")
    names = dict(enumerate(machine.alphabet))
    table = {q: {names[a]: t for a, t in enumerate(row)} for q, row in enumerate(machine.transitions.tolist())}
    final = set(np.flatnonzero(machine.outputs == 1).tolist())
    states = set(range(machine.num_states))
    other = dfa.DFA(
        states=states, input_symbols=set(machine.alphabet), transitions=table, initial_state=0, final_states=final
    )
    assert len(other.minify().states) == machine.num_states


def test_trace_and_run_agree():
    machine = Machine.build("01", [[0, 1], [2, 0], [2, 2]], [0, 1, 0])
    tokens, offsets = encode_batch("01", ["0110", "1", "10"])
    assert machine.trace(tokens, offsets)[offsets[1:] - 1].tolist() == machine.run(tokens, offsets).tolist()


def test_long_chains_and_many_states_are_minimised_fast():
    count = 100_000
    chain = np.minimum(np.arange(count) + 1, count - 1)[:, None]
    started = time.perf_counter()
    machine = Machine.build("a", chain, (np.arange(count) == count - 1).astype(int))
    assert machine.num_states == count
    cycle = (np.arange(count)[:, None] + [1, 7]) % count
    assert Machine.build("ab", cycle, np.arange(count) % 10 // 9).num_states == 10
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("01", [], []), "no state"),
        (("01", [[0]], [0]), "State 0 has 1 transitions"),
        (("01", [[0, 1]], [0]), "transition 1 is out of range. It lies from -1 to 0"),
        (("01", [[0, -2]], [0]), "transition -2"),
        (("01", [[0, 0.5]], [0]), "no integer"),
        (("01", [[0, 0]], [2]), "output 2"),
        (("01", [[0, 0]], [0, 0]), "2 outputs for 1 states"),
        (("00", [[0, 0]], [0]), "twice"),
    ],
)
def test_bad_tables(arguments, text):
    with pytest.raises(DefinitionError, match=text):
        Machine.build(*arguments)


def test_bad_options():
    with pytest.raises(DefinitionError, match="initial state 1"):
        Machine.build("0", [[0]], [0], initial=1)
    with pytest.raises(DefinitionError, match="labels"):
        Machine.build("0", [[0]], [0], labels=["a", "a"])
    with pytest.raises(DefinitionError, match="sink output 7"):
        Machine.build("0", [[None]], [0], sink_output=7)


def test_arrays_are_read_only_and_owned():
    table = np.array([[0, 1], [1, 0]], np.int32)
    machine = Machine(("0", "1"), table, np.array([0, 1], np.int32))
    table[0, 0] = 1
    assert machine.transitions[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        machine.transitions[0, 0] = 1


def test_exploration_stops_at_the_limit():
    with pytest.raises(TooLargeError, match="100,000 states"):
        Machine.explore("0", 0, lambda state, _: state + 1, lambda _: 0)
    with pytest.raises(TooLargeError, match="at least 11 states"):
        explore(0, lambda state: [state + 1], limit=10)
    with pytest.raises(TooLargeError):
        Machine.build("0", np.zeros((100_001, 1), int), np.zeros(100_001, int))


def test_fingerprint_tells_labels_and_alphabets_apart():
    table, outputs = [[0, 1], [1, 0]], [0, 1]
    kinds = [Machine.build("01", table, outputs), Machine.build("ab", table, outputs)]
    kinds.append(Machine.build("01", table, outputs, labels=["even", "odd"]))
    assert len({machine.fingerprint for machine in kinds}) == 3
    assert kinds[0] != "a machine"
