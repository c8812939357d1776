"""Claims of definitions, recomputed: states, monoid size, aperiodicity, and the label of every example."""

import os
from collections.abc import Iterator

from seqbench.algebra.alphabet import encode, encode_batch
from seqbench.algebra.grammar import Grammar
from seqbench.algebra.machine import OUTSIDE, Machine
from seqbench.algebra.structure import is_aperiodic
from seqbench.catalogue.languages import grammar_of, machine_of, monoid_of
from seqbench.catalogue.reader import open_catalogue
from seqbench.catalogue.schema import Claims


def check_all(folder: str | os.PathLike[str] | None = None) -> list[str]:
    """What is wrong with the claims of all languages of a catalogue, one sentence each; empty where all hold.

    Example:
        >>> check_all()
        []
    """
    catalogue = open_catalogue(folder)
    wrong: list[str] = []
    for name in catalogue.automata:
        automaton = catalogue.automaton(name)
        if automaton.grammar is not None:
            grammar_of(catalogue, name)  # a bad one is refused, with claims or without
        for claims in automaton.all_claims:
            where = f"{name} {claims.parameters}" if claims.parameters else name
            if automaton.grammar is None:
                sentences = check_claims(machine_of(catalogue, name, claims.parameters), claims)
            else:
                sentences = check_grammar(grammar_of(catalogue, name), claims)
            wrong += [f"{where}: {sentence}" for sentence in sentences]
    return wrong


def check_grammar(grammar: Grammar, claims: Claims) -> Iterator[str]:
    """A sentence for every claim about a grammar that does not hold."""
    for length, (claimed, found) in enumerate(zip(claims.counts, grammar.counts(len(claims.counts)), strict=False)):
        if claimed != found:
            yield f"claims {claimed} words of length {length}, found {found}."
    for word in (*claims.accepts, *claims.rejects):
        accepted = grammar.contains([grammar.terminals[symbol] for symbol in encode(grammar.terminals, word)])
        if accepted != (word in claims.accepts):
            yield f"claims that {word!r} is {'rejected' if accepted else 'accepted'}, found that it is not."


def check_claims(machine: Machine, claims: Claims) -> Iterator[str]:
    """A sentence for every claim about a machine that does not hold."""
    monoid = monoid_of(machine)
    facts = {
        "states": (claims.states, machine.num_states),
        "monoid": (claims.monoid, len(monoid)),
        "aperiodic": (claims.aperiodic, is_aperiodic(monoid)),
    }
    for key, (claimed, found) in facts.items():
        if claimed != found:
            yield f"claims {key} = {claimed}, found {found}."
    yield from _check_words(machine, claims)


def _check_words(machine: Machine, claims: Claims) -> Iterator[str]:
    words = [(word, "accept") for word in claims.accepts] + [(word, "reject") for word in claims.rejects]
    words += [(word, label) for label, group in claims.labelled.items() for word in group]
    words += [(word, "no label") for word in claims.outside]
    if not words:
        return
    tokens, offsets = encode_batch(machine.alphabet, [word for word, _ in words])
    outputs = machine.outputs[machine.run(tokens, offsets)]
    for (word, claimed), output in zip(words, outputs.tolist(), strict=True):
        found = "no label" if output == OUTSIDE else machine.labels[output]
        if claimed != found:
            yield f"claims that {word!r} has {claimed!r}, found {found!r}."
