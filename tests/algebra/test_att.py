import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.algebra import families
from seqbench.algebra.att import from_att, to_att
from seqbench.algebra.machine import Machine
from seqbench.algebra.regex import compile_regex
from seqbench.errors import DefinitionError, InputError
from tests.algebra.strategies import acceptors, all_words, outputs_of

TABLE = "<eps>\t0\na\t97\nb\t98\n"


@given(acceptors(symbols=3))
def test_round_trip(machine):
    text, symbols = to_att(machine)
    assert from_att(text, symbols) == machine
    assert from_att(text, machine.alphabet) == machine
    assert to_att(from_att(text, symbols)) == (text, symbols)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \t\r\n"), min_size=1, max_size=6))
def test_round_trip_of_any_symbols(text):
    alphabet = sorted(set(text))
    machine = Machine.build(alphabet, [[1 % len(alphabet)] * len(alphabet)] * 2, [0, 1])
    assert from_att(*to_att(machine)) == machine


@pytest.mark.parametrize("alphabet", [["<eps>", "a"], ["0", "1"], ["push", "pop"], ["<eps>", "<<eps>>"]])
def test_epsilon_never_hides_a_symbol(alphabet):
    machine = Machine.build(alphabet, [[1, 0], [1, 0]], [0, 1])
    assert from_att(*to_att(machine)) == machine
    assert from_att(to_att(machine)[0], alphabet) == machine


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 2, st.sampled_from(["", "a", "b"])), max_size=12), st.data())
def test_any_automaton_accepts_what_its_paths_read(arcs, data):
    final = data.draw(st.sets(st.integers(0, 4)))
    start = data.draw(st.integers(0, 4))
    lines = [f"{source} {target} {symbol or '<eps>'}" for source, target, symbol in arcs if source == start]
    lines += [f"{source} {target} {symbol or '<eps>'}" for source, target, symbol in arcs if source != start]
    lines += [str(state) for state in final]
    if not lines or not lines[0].startswith(str(start)):
        lines.insert(0, f"{start} {start} <eps>")
    machine = from_att("\n".join(lines), TABLE)

    def closed(states):
        while more := {t for s, t, symbol in arcs if s in states and not symbol} - states:
            states |= more
        return states

    for word in all_words(2, 4):
        states = closed({start})
        for symbol in word:
            states = closed({t for s, t, label in arcs if s in states and label == "ab"[symbol]})
        assert outputs_of(machine, [word]) == [int(bool(states & final))]


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("0 1 a\n1 0 b\n0\n", "(ab)*"),
        ("7\t3\ta\ta\r\n\r\n3\r\n", "a"),
        ("0\n", "()"),
        ("0 0 a", "a & b"),
        ("0 0 a\n0 0 b\n0 1 a\n1", ".*a"),
        ("0 1 <eps>\n1 1 a\n01", "a*"),
        ("1 0 a\n0", "a"),
    ],
)
def test_reading(text, pattern):
    assert from_att(text, TABLE) == compile_regex(pattern, "ab")
    assert from_att(text, ["a", "b"]) == compile_regex(pattern, "ab")


def test_alphabet_is_the_table_in_its_order():
    assert from_att("0 0 a\n0", "b 2\n<EPS> 0\nc 9\na 1").alphabet == ("b", "c", "a")


@pytest.mark.parametrize(
    ("text", "symbols", "words"),
    [
        ("", TABLE, ["no line", "initial state"]),
        (" \n\n", TABLE, ["no line"]),
        ("0 1 a\n\n1 0.5", TABLE, ["Line 3", "'1 0.5'", "weight"]),
        ("0 1 a a 0.5", TABLE, ["Line 1", "5 fields"]),
        ("0 1 a\n1 1 a a", TABLE, ["Line 2", "4 fields"]),
        ("0 1 a b", TABLE, ["Line 1", "'a'", "'b'", "Transducers"]),
        ("0 1 c", TABLE, ["Line 1", "'c'", "{'a', 'b'}"]),
        ("0 1 <epsilon>", TABLE, ["Line 1", "'<epsilon>'"]),
        ("0 -1 a", TABLE, ["Line 1", "'-1'"]),
        ("x 1 a", TABLE, ["Line 1", "'x'"]),
        ("0 1 a\n1", "a 1\nb", ["Line 2 of the symbol table", "'b'"]),
        ("0 1 a\n1", "a 1\nb -2", ["Line 2", "'b -2'"]),
        ("0 1 a\n1", "a 1\nb 1", ["Line 2", "'b 1'"]),
        ("0 1 a\n1", "a 1\na 2", ["Line 2", "'a 2'"]),
        ("0 1 a\n1", "<eps> 0", ["alphabet of 0 symbols"]),
    ],
)
def test_errors_name_the_line(text, symbols, words):
    with pytest.raises(DefinitionError) as caught:
        from_att(text, symbols)
    for word in words:
        assert re.search(re.escape(word), str(caught.value))


def test_what_cannot_be_written():
    with pytest.raises(InputError, match="acceptors only"):
        to_att(families.build("arithmetic", {"modulus": 2}))
    with pytest.raises(InputError, match="White space"):
        to_att(Machine.build([" ", "a"], [[0, 0]], [1]))
