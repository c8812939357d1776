"""A plan: everything that a dataset is, resolved, before a row is made; and the rows, block by block, on demand."""

import functools
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy.typing as npt
import pyarrow as pa

from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.catalogue import recipe as recipes
from seqbench.catalogue.languages import machine_of_dataset, monoid_of
from seqbench.catalogue.reader import Catalogue, open_catalogue
from seqbench.catalogue.recipe import plain
from seqbench.catalogue.schema import Dataset, TaskDataset
from seqbench.errors import InputError, TooLargeError, quoted, unknown_name
from seqbench.generation.ahead import ahead
from seqbench.generation.arrangement import Arrangement
from seqbench.generation.base_plan import BasePlan, SizedSplit, sentence
from seqbench.generation.blocks import schema_of, to_arrow
from seqbench.generation.sampler import Rows
from seqbench.generation.splits import Split
from seqbench.generation.streams import Words
from seqbench.generation.task_plan import TaskPlan
from seqbench.generation.versions import check_version

Array = npt.NDArray[Any]
Folder = str | os.PathLike[str] | None

NO_MACHINE = (
    "{name!r} is not over a regular language, so it has no machine and no classes. Load it with seqbench.load_dataset, "
    "or name one that is, such as 'dyck_d6'."
)

OPTIONS = frozenset(recipes.OPTIONS)

TOKENS_AT_ONCE = 400_000  # what a group of blocks holds at most: larger arrays leave the caches, and memory stays flat


def dataset_names(catalogue: Folder = None) -> list[str]:
    """Names of all datasets, sorted.

    Example:
        >>> dataset_names()[:2]
        ['binary_addition', 'binary_multiplication']
    """
    return open_catalogue(catalogue).datasets


def language_dataset_names(catalogue: Folder = None) -> list[str]:
    """Names of the datasets over a regular language, sorted.

    Example:
        >>> "dyck_d6" in language_dataset_names(), "reverse_string" in language_dataset_names()
        (True, False)
    """
    opened = open_catalogue(catalogue)
    return [name for name in opened.datasets if isinstance(opened.dataset(name), Dataset)]


def plan(name: str, catalogue: Folder = None, version: object = None, **overrides: Any) -> BasePlan:
    """The plan of a dataset, with some of its options replaced.

    Args:
        name: a dataset.
        catalogue: a folder with definitions of your own; by default SEQBENCH_CATALOGUE.
        version: the data version that is wanted: the present one, or one whose definition is still there.
        overrides: options, see `seqbench.catalogue.recipe.Recipe`.

    Raises:
        SeqbenchError: whatever is wrong with the name, the version or an option.

    Example:
        >>> plan("dyck_d6").splits["train"].num_examples
        100000
    """
    opened = open_catalogue(catalogue)
    if not isinstance(name, str):
        raise unknown_name("dataset", name, opened.datasets, "Give a name as text.")
    asked = name
    name, chosen = opened.resolve(asked)
    defaults = opened.dataset(name, version if version is None or isinstance(version, str) else quoted(version))
    check_version(asked, version, name, defaults)
    if isinstance(defaults, TaskDataset):
        _check_preset(asked, name, chosen, overrides)
        return TaskPlan(name, opened, defaults, chosen | overrides)
    return Plan(name, opened, defaults, recipes.override(defaults, overrides))


def _check_preset(asked: str, name: str, chosen: dict[str, Any], overrides: dict[str, Any]) -> None:
    """Nothing, unless a preset's own option is asked to be otherwise."""
    for key, value in chosen.items():
        if key in overrides and overrides[key] != value:
            raise InputError(
                f"{asked!r} is {name} with {key}={value}, so {key}={overrides[key]!r} cannot be asked for too. "
                f"Name {name!r} and give {key}."
            )


def language_plan(name: str, catalogue: Folder = None, **overrides: Any) -> "Plan":
    """The plan of a dataset over a regular language.

    Raises:
        InputError: the dataset is of another kind.
    """
    opened = open_catalogue(catalogue)
    known = opened.name_of(name)
    if known in opened.datasets and isinstance(opened.dataset(known), TaskDataset):
        raise InputError(NO_MACHINE.format(name=name))
    found = plan(name, catalogue, **overrides)
    if not isinstance(found, Plan):  # a third kind of plans would come here
        raise TypeError(type(found))
    return found


class Plan(BasePlan):
    """A dataset of words of a language with all options resolved.

    Attributes:
        name: of the dataset.
        recipe: its record, options replaced.
        machine: its language.
        splits: split plans by name, in order: train, validation, test, test_near_miss (some may be absent).
    """

    recipe: Dataset
    _defaults: Dataset

    def __init__(
        self, name: str, catalogue: Catalogue, defaults: Dataset, recipe: Dataset, machine: Machine | None = None
    ) -> None:
        """The plan of a record of a catalogue, as its file has it in `defaults`; or of a machine that is in none."""
        self.name, self._catalogue, self._defaults = name, catalogue, defaults
        if machine is None and recipe.automaton not in catalogue.automata:
            what = f"language (named by {catalogue.file(name)})"
            raise unknown_name(what, recipe.automaton, catalogue.automata)
        self.machine = machine or machine_of_dataset(catalogue, name, recipe)
        self.labels = self._label_ids(recipe)
        names = None if self.labels is None else tuple(self.machine.labels[label] for label in self.labels)
        self.recipe = msgspec.structs.replace(recipe, labels=names)  # one spelling, whether ids or names were given

    @functools.cached_property
    def monoid(self) -> Monoid | None:
        """The syntactic monoid, unless classes are left out."""
        if not self.recipe.classes:
            return None
        try:
            return monoid_of(self.machine)
        except TooLargeError as error:
            raise TooLargeError(f"{error} Or leave classes out: classes=False.") from None

    @functools.cached_property
    def splits(self) -> dict[str, "SplitPlan"]:
        """The splits that have rows."""
        return {name: SplitPlan(self, split) for name, split in self._arrangement.splits().items()}

    def num_labels(self, longest: int) -> npt.NDArray[Any]:
        """Number of labels that have words, by length up to the longest.

        Example:
            >>> plan("dyck_d6").num_labels(4).tolist()
            [1, 1, 2, 1, 2]
        """
        return self._arrangement.by_label.num_open(longest)

    @functools.cached_property
    def _arrangement(self) -> Arrangement:
        return Arrangement(self.name, self.recipe, self.machine, self.monoid, self.labels)

    @property
    def description(self) -> str:
        """What is to be learnt."""
        automaton = self._catalogue.automaton(self.recipe.automaton)
        return f"{sentence(self.recipe.title)} {sentence(automaton.title)}"

    @property
    def default_sampling(self) -> dict[str, float]:
        """The sampling weights of the dataset's file, whatever was asked for."""
        return self._defaults.sampling

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of the labels, in the order of their ids."""
        return self.machine.labels

    @property
    def symbol_names(self) -> tuple[str, ...]:
        """The alphabet."""
        return self.machine.alphabet

    @property
    def recipe_json(self) -> str:
        """The resolved recipe as canonical JSON."""
        return recipes.canonical(self.recipe)

    @property
    def _default_json(self) -> str:
        return recipes.canonical(self._defaults)

    @property
    def _generator(self) -> str:
        return self.machine.fingerprint

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of symbols and of labels."""
        return self.machine.num_symbols, self.machine.num_labels

    @functools.cached_property
    def schema(self) -> pa.Schema:
        """The columns."""
        return schema_of(self.machine, classes=self.recipe.classes, prefix=self.recipe.targets == "prefix")

    def _label_ids(self, recipe: Dataset) -> tuple[int, ...] | None:
        if recipe.labels is None:
            return None
        chosen = tuple(sorted({label_id(self.machine, label) for label in recipe.labels}))
        return None if len(chosen) == self.machine.num_labels else chosen  # all of them: the same as not asking


class SplitPlan(SizedSplit):
    """A split of a plan, with its blocks as Arrow."""

    def __init__(self, owner: Plan, split: Split) -> None:
        """A split of a plan."""
        super().__init__(owner.schema, split)
        self._owner, self.split = owner, split

    def block(self, index: int) -> pa.RecordBatch:
        """A block as Arrow."""
        return self._batch([index])

    def blocks(self, indices: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """Blocks as Arrow, one after the other, made several at a time: small ones alone are mostly overhead."""
        size = max(1, TOKENS_AT_ONCE * self.num_blocks // (self.split.num_tokens + 1))
        groups = [indices[first : first + size] for first in range(0, len(indices), size)]
        for group, batch in ahead(self._batch, groups):
            first = 0
            for rows in map(self.split.num_rows, group):
                yield batch.slice(first, rows)
                first += rows

    def draw(self, lengths: Array, streams: Words) -> pa.RecordBatch:
        """Rows of these lengths from these streams, by the law of the split."""
        return self._arrow(self.split.draw(lengths, streams))

    def at(self, lengths: Array) -> "SplitPlan":
        """The same split with only some of its lengths."""
        return SplitPlan(self._owner, replace(self.split, lengths=lengths))

    def _batch(self, indices: Sequence[int]) -> pa.RecordBatch:
        return self._arrow(self.split.rows(*indices))

    def _arrow(self, rows: Rows) -> pa.RecordBatch:
        owner = self._owner
        return to_arrow(rows, owner.schema, owner.machine, owner.monoid)


def label_id(machine: Machine, label: int | str) -> int:
    """The id of a label given by name or id; text that is no name may be an id, as on the command line.

    Raises:
        InputError: no such label.

    Example:
        >>> from seqbench.languages import language
        >>> [label_id(language("prefix_p2_q2").machine, label) for label in ("10", 3, "4")]
        [2, 3, 4]
    """
    if isinstance(label, str):
        if label in machine.labels:  # names first: "10" may be a name, and id 10 another label
            return machine.labels.index(label)
        if not (label.isascii() and label.isdecimal() and len(label) < 10):
            raise unknown_name("label", label, machine.labels)
        label = int(label)
    number = plain(label)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < machine.num_labels:
        raise InputError(f"The label {quoted(label)} is not there. Labels run from 0 to {machine.num_labels - 1}.")
    return number
