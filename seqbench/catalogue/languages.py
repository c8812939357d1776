"""From a language's record to its machine and monoid, made once a process."""

import functools
import json
from typing import Any

from seqbench.algebra import families
from seqbench.algebra.machine import OUTSIDE, Machine
from seqbench.algebra.monoid import Monoid
from seqbench.algebra.regex import compile_regex
from seqbench.catalogue.reader import Catalogue
from seqbench.catalogue.recipe import plain
from seqbench.catalogue.schema import Automaton
from seqbench.errors import DefinitionError, InputError, SeqbenchError, unknown_name


def machine_of(catalogue: Catalogue, name: str, parameters: dict[str, Any] | None = None) -> Machine:
    """The canonical machine of a language.

    Raises:
        SeqbenchError: whatever is wrong with the name, the parameters or the definition.

    Example:
        >>> from seqbench.catalogue.reader import open_catalogue
        >>> machine_of(open_catalogue(), "dyck", {"depth": 6}).num_states
        8
    """
    return _machine(catalogue, name, json.dumps(plain(parameters or {}), sort_keys=True))


@functools.lru_cache(maxsize=256)
def _machine(catalogue: Catalogue, name: str, parameters: str) -> Machine:
    automaton = catalogue.automaton(name)
    try:
        return build_machine(automaton, json.loads(parameters))
    except SeqbenchError as error:
        raise type(error)(f"{catalogue.file_of(name)}: {error}") from None


def build_machine(automaton: Automaton, parameters: dict[str, Any]) -> Machine:
    """The canonical machine of a record."""
    if automaton.family is not None:
        return families.build(automaton.family, parameters)
    if parameters:
        raise InputError(
            f"{automaton.title!r} takes no parameters, but {sorted(parameters)} were given. Leave them out."
        )
    alphabet = automaton.alphabet or ()
    if automaton.regex is not None:
        return compile_regex(automaton.regex, alphabet)
    return _from_table(automaton, alphabet)


def _from_table(automaton: Automaton, alphabet: tuple[str, ...]) -> Machine:
    rows = automaton.table or ()
    number = {row.state: index for index, row in enumerate(rows)}
    if not rows:
        raise DefinitionError("The table has no state. Give every state one row; the first is the initial state.")
    if len(number) < len(rows):
        twice = next(row.state for index, row in enumerate(rows) if number[row.state] != index)
        raise DefinitionError(f"The table names the state {twice!r} twice. Give every state one row.")
    for row in rows:
        for symbol, state in row.next.items():
            if symbol not in alphabet:
                raise unknown_name(f"symbol (named in state {row.state!r})", symbol, alphabet)
            if state not in number:
                raise unknown_name("state", state, number)
        if row.label is not None and row.label not in automaton.labels:
            raise unknown_name("label", row.label, automaton.labels)
    transitions = [[number.get(row.next.get(symbol, ""), -1) for symbol in alphabet] for row in rows]
    outputs = [OUTSIDE if row.label is None else automaton.labels.index(row.label) for row in rows]
    return Machine.build(alphabet, transitions, outputs, labels=automaton.labels)


@functools.lru_cache(maxsize=64)
def monoid_of(machine: Machine, max_size: int = 1_000_000) -> Monoid:
    """The syntactic monoid of a machine.

    Raises:
        TooLargeError: more elements than `max_size`.
    """
    return Monoid.of(machine, max_size)
