"""Random machines and regular expressions, and slow oracles that are plainly right."""

from itertools import product

import numpy as np
from hypothesis import strategies as st

from seqbench.algebra.alphabet import encode_batch
from seqbench.algebra.machine import OUTSIDE, Machine


def all_words(symbols, longest):
    """All words as tuples of ids, in shortlex order."""
    return [word for length in range(longest + 1) for word in product(range(symbols), repeat=length)]


def walk(transitions, outputs, initial, word):
    """The output of a partial table by definition; None if a transition is missing."""
    state = initial
    for symbol in word:
        state = transitions[state][symbol]
        if state is None or state < 0:
            return None
    return outputs[state]


def outputs_of(machine, words):
    return machine.outputs[machine.run(*encode_batch(machine.alphabet, words))].tolist()


def language(machine, longest):
    """The accepted words up to a length, as strings."""
    words = all_words(machine.num_symbols, longest)
    accepted = np.array(outputs_of(machine, words)) == 1
    return {"".join(machine.alphabet[a] for a in word) for word, yes in zip(words, accepted, strict=True) if yes}


@st.composite
def tables(draw, max_states=8, partial=True, num_labels=None):
    """(symbols, transitions, outputs, initial, number of labels); -1 for a missing transition."""
    states, symbols = draw(st.integers(1, max_states)), draw(st.integers(1, 3))
    labels = num_labels or draw(st.integers(1, 3))
    targets = st.integers(-1 if partial else 0, states - 1)
    transitions = draw(
        st.lists(st.lists(targets, min_size=symbols, max_size=symbols), min_size=states, max_size=states)
    )
    lowest = 0 if num_labels else OUTSIDE
    outputs = draw(st.lists(st.integers(lowest, labels - 1), min_size=states, max_size=states))
    return symbols, transitions, outputs, draw(st.integers(0, states - 1)), labels


@st.composite
def acceptors(draw, symbols=2, max_states=6):
    states = draw(st.integers(1, max_states))
    row = st.lists(st.integers(-1, states - 1), min_size=symbols, max_size=symbols)
    transitions = draw(st.lists(row, min_size=states, max_size=states))
    outputs = draw(st.lists(st.integers(0, 1), min_size=states, max_size=states))
    return Machine.build([str(a) for a in range(symbols)], transitions, outputs)


@st.composite
def machines(draw, **options):
    symbols, transitions, outputs, initial, labels = draw(tables(**options))
    names = [f"label {label}" for label in range(labels)]
    alphabet = [str(a) for a in range(symbols)]
    return Machine.build(alphabet, transitions, outputs, initial=initial, labels=names)


def common_regexes():
    """Patterns over 0 and 1 that Python's re reads alike."""
    atoms = st.sampled_from(["0", "1", ".", "[01]", "[^0]", "(01)", "()"])
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.builds(lambda a, b: f"({a}|{b})", inner, inner),
            st.builds(lambda a, b: f"{a}{b}", inner, inner),
            st.builds(
                lambda a, r: f"({a}){r}",
                inner,
                st.sampled_from(["*", "+", "?", "{2}", "{1,}", "{0,2}", "{0}", "{1,3}"]),
            ),
        ),
        max_leaves=8,
    )
