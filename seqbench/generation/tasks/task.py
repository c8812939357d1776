"""What a task kind is: parameters with their checks, and a task that draws, solves, checks and describes rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.algebra.machine import Machine
from seqbench.algebra.parameters import Parameter
from seqbench.catalogue.reader import Catalogue
from seqbench.catalogue.recipe import Range
from seqbench.errors import InputError, unknown_name
from seqbench.generation import heldout
from seqbench.generation.splits import Identity
from seqbench.generation.streams import Words

Array = npt.NDArray[Any]


class Task(Protocol):
    """A task with its parameters fixed.

    Attributes:
        schema: the columns of its rows.
        label_names: names of the labels where there is a column `label`, else empty.
    """

    schema: pa.Schema
    label_names: tuple[str, ...]

    @property
    def symbol_names(self) -> tuple[str, ...]:
        """Names of the input symbols by id; empty where symbols are numbers without names."""

    @property
    def lengths_hint(self) -> str:
        """A sentence that says which lengths there are."""

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Whether there are examples, by length, shape (longest + 1,)."""

    def sizes(self, longest: int) -> tuple[int, int]:
        """How many input and target symbols there are, up to a length: ids are below; of numbers, how many a step."""

    def draw(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """A column of every name of the schema: one row for each length and stream, shapes (n,) and (5, n)."""

    def solve(self, inputs: Any) -> list[Any]:
        """The right target of each input, for users' own inputs."""

    def check(self, table: pa.Table) -> None:
        """Nothing, if the rows are right by another way of computing them.

        Raises:
            InputError: naming the first row that is wrong.
        """

    def facts(self) -> dict[str, Any]:
        """What `seqbench info` shows besides the recipe, as plain data."""

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """One row as short texts by column, for people."""


@runtime_checkable
class OverMachine(Protocol):
    """A task whose answers are the outputs of a finite automaton, after a word or after each of its prefixes."""

    @property
    def machine(self) -> Machine | None:
        """The automaton; None where there is none: a language that is not regular."""


@runtime_checkable
class HasShortcuts(Protocol):
    """A task that measures what guesses from next to nothing score, besides what is measured of every task."""

    def shortcuts(self, lengths: Sequence[int]) -> dict[str, dict[str, float]]:
        """Scores by rule and length, at some of a dataset's lengths."""


@dataclass(frozen=True)
class Purpose:
    """The split that rows are drawn for, for tasks that care.

    Attributes:
        identity: what keys its rows.
        train_lengths: shortest and longest example of training.
    """

    identity: Identity
    train_lengths: Range

    @property
    def is_training(self) -> bool:
        """Whether it is the split `train`."""
        return self.identity.split == "train"

    def is_held_out(self, tokens: Array, offsets: Array) -> npt.NDArray[np.bool_]:
        """Whether each word is kept from training (see heldout)."""
        key = self.identity
        return heldout.is_held_out(tokens, offsets, key.dataset, key.version, key.seed)


@runtime_checkable
class DrawsBySplit(Protocol):
    """A task whose rows differ by split: a test bank of its own, or words held out of training."""

    def draw_for(self, purpose: Purpose, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """As `Task.draw`; row i of a length has the number ROW_AND_LANE of its stream."""


@dataclass(frozen=True)
class Kind:
    """A task kind: how to build a task from parameters.

    Attributes:
        build: called with the checked parameters, and with the catalogue where `reads_catalogue`.
        parameters: their specification.
        aliases: options that stand for several, each a function from its value to what it stands for.
        presentation: parameters that choose how rows are shown, not which rows: they are no part of the rows' key.
        reads_catalogue: whether its parameters name entries of the catalogue.
    """

    build: Callable[..., Task]
    parameters: tuple[Parameter, ...]
    aliases: Mapping[str, Callable[[Any], dict[str, Any]]]
    presentation: tuple[str, ...] = ()
    reads_catalogue: bool = False

    def make(self, parameters: dict[str, Any], catalogue: Catalogue) -> Task:
        """The task of checked parameters."""
        return self.build(parameters, catalogue) if self.reads_catalogue else self.build(parameters)

    def key(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that rows depend on."""
        return {name: value for name, value in parameters.items() if name not in self.presentation}

    @property
    def parameter_names(self) -> set[str]:
        """Names of all parameters and aliases."""
        return {parameter.name for parameter in self.parameters} | set(self.aliases)

    def expand(self, given: dict[str, Any]) -> dict[str, Any]:
        """The options with aliases replaced by what they stand for; what is given by itself stays."""
        for alias in self.aliases.keys() & given.keys():
            given = self.aliases[alias](given[alias]) | {name: given[name] for name in given if name != alias}
        return given

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters, checked, defaults filled in, in the order of their specification.

        Raises:
            UnknownNameError: an unknown parameter.
            InputError: a missing one, or a value that cannot be used.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                raise unknown_name("parameter", name, known)
        for parameter in known.values():
            if parameter.default is None and parameter.name not in given:
                raise InputError(f"The parameter {parameter.name!r} is missing. {parameter.allowed()}")
        return {name: known[name].check(given.get(name, known[name].default)) for name in known}
