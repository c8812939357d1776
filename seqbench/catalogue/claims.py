"""Claims of definitions, recomputed: states, monoid size, aperiodicity, and the label of every example."""

import os
from collections.abc import Iterator

from seqbench.algebra.alphabet import encode_batch
from seqbench.algebra.machine import OUTSIDE, Machine
from seqbench.algebra.structure import is_aperiodic
from seqbench.catalogue.languages import machine_of, monoid_of
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
        for claims in catalogue.automaton(name).all_claims:
            machine = machine_of(catalogue, name, claims.parameters)
            where = f"{name} {claims.parameters}" if claims.parameters else name
            wrong += [f"{where}: {sentence}" for sentence in check_claims(machine, claims)]
    return wrong


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
