"""From a language's record to its machine and monoid, made once a process."""

import functools
import itertools
import json
from typing import Any

from seqbench.algebra import families
from seqbench.algebra.grammar import Grammar, parse
from seqbench.algebra.machine import OUTSIDE, Machine
from seqbench.algebra.monoid import Monoid
from seqbench.algebra.regex import compile_regex
from seqbench.catalogue.reader import Catalogue
from seqbench.catalogue.recipe import plain
from seqbench.catalogue.schema import Automaton, Dataset
from seqbench.errors import DefinitionError, InputError, SeqbenchError, quoted, unknown_name

NONE = "{}"
"""No parameters, as JSON."""
LONGEST_LISTED, MOST_LISTED = 16, 20_000
"""How far words are listed to find a grammar ambiguous: up to this length, and no more words than these."""


def machine_of(catalogue: Catalogue, name: str, parameters: dict[str, Any] | None = None) -> Machine:
    """The canonical machine of a language.

    Raises:
        SeqbenchError: whatever is wrong with the name, the parameters or the definition.

    Example:
        >>> from seqbench.catalogue.reader import open_catalogue
        >>> machine_of(open_catalogue(), "dyck", {"depth": 6}).num_states
        8
    """
    try:
        text = json.dumps(plain(parameters or {}), sort_keys=True)
    except (TypeError, ValueError):  # what JSON cannot write, no parameter can be
        raise InputError(
            f"The parameters {quoted(parameters)} of {name!r} cannot be used. They are numbers, text, or lists of them."
        ) from None
    return _machine(catalogue, name, text)


@functools.lru_cache(maxsize=256)
def _machine(catalogue: Catalogue, name: str, parameters: str) -> Machine:
    automaton = catalogue.automaton(name)
    try:
        return build_machine(automaton, json.loads(parameters))
    except SeqbenchError as error:
        if automaton.family is not None or parameters != NONE:
            raise  # what is wrong are the parameters, and they are not of this file
        raise type(error)(f"{catalogue.file_of(name)}: {error}") from None


def machine_of_dataset(catalogue: Catalogue, name: str, dataset: Dataset) -> Machine:
    """The canonical machine of a dataset's language.

    Raises:
        SeqbenchError: whatever is wrong with the dataset's parameters, which names its file, or with the language.
    """
    if not dataset.parameters:
        return machine_of(catalogue, dataset.automaton)
    try:
        return machine_of(catalogue, dataset.automaton, dataset.parameters)
    except SeqbenchError as error:
        raise type(error)(f"{catalogue.file(name)}: {error}") from None


def build_machine(automaton: Automaton, parameters: dict[str, Any]) -> Machine:
    """The canonical machine of a record."""
    if automaton.family is not None:
        return families.build(automaton.family, parameters)
    if automaton.grammar is not None:
        raise InputError(
            f"{automaton.title!r} is given by a grammar, so it has no machine and no classes. A dataset of it has "
            'task = "grammar" and parameters = { language = NAME }, the name of its file in automata/.'
        )
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
def grammar_of(catalogue: Catalogue, name: str) -> Grammar:
    """The checked grammar of an entry of automata/.

    Raises:
        DefinitionError: no grammar, or one that is empty, endless, or ambiguous at some length that was looked at.

    Example:
        >>> from seqbench.catalogue.reader import open_catalogue
        >>> grammar_of(open_catalogue(), "nested_lists").counts(5)
        [0, 1, 1, 1, 2, 4]
    """
    automaton = catalogue.automaton(name)
    try:
        if automaton.grammar is None:
            raise DefinitionError("It has no `grammar`: it is given in another way.")
        grammar = parse(automaton.grammar, automaton.alphabet)
        grammar.check_unambiguous(_listable(grammar))
    except SeqbenchError as error:
        raise type(error)(f"{catalogue.file_of(name)}: {error}") from None
    return grammar


def _listable(grammar: Grammar) -> int:
    """The greatest length up to which all words can be listed in a moment."""
    sums = itertools.accumulate(grammar.counts(LONGEST_LISTED))
    return next((length - 1 for length, words in enumerate(sums) if words > MOST_LISTED), LONGEST_LISTED)


@functools.lru_cache(maxsize=64)
def monoid_of(machine: Machine, max_size: int = 1_000_000) -> Monoid:
    """The syntactic monoid of a machine.

    Raises:
        TooLargeError: more elements than `max_size`.
    """
    return Monoid.of(machine, max_size)
