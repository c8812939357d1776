"""Plans of datasets that are not over a language: a task kind makes the rows."""

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.catalogue import recipe as recipes
from seqbench.catalogue.reader import Catalogue
from seqbench.catalogue.schema import TaskDataset, TaskRecipe
from seqbench.errors import InputError, unknown_name
from seqbench.generation.base_plan import BasePlan, SizedSplit, sentence
from seqbench.generation.splits import UNIT_ROWS, Identity, Layout
from seqbench.generation.streams import Words, row_streams
from seqbench.generation.tasks import TASKS
from seqbench.generation.tasks.task import DrawsBySplit, Purpose

if TYPE_CHECKING:
    from seqbench.generation.tasks.task import Task

Array = npt.NDArray[Any]


class TaskPlan(BasePlan):
    """A dataset of a task kind with all options resolved.

    Attributes:
        name: of the dataset.
        recipe: its record, options replaced.
        task: makes the rows.
    """

    recipe: TaskDataset
    _defaults: TaskDataset

    def __init__(self, name: str, catalogue: Catalogue, defaults: TaskDataset, overrides: Mapping[str, Any]) -> None:
        """The plan of a record, with some options and parameters replaced."""
        self.name, self._catalogue, self._given = name, catalogue, (defaults, dict(overrides))
        if defaults.task not in TASKS:
            raise unknown_name(f"task kind (named by the dataset {name!r})", defaults.task, TASKS)
        self._kind = TASKS[defaults.task]
        self._defaults = self._resolve(defaults, {})
        self.recipe = self._resolve(defaults, overrides)
        self.task: Task = self._kind.make(self.recipe.parameters, catalogue)

    def __reduce__(self) -> tuple[Any, ...]:
        """A plan is sent to other processes as what it was made from: tasks hold functions, which cannot be sent."""
        return TaskPlan, (self.name, self._catalogue, *self._given)

    def _resolve(self, record: TaskDataset, overrides: Mapping[str, Any]) -> TaskDataset:
        given = {name: recipes.plain(value) for name, value in self._kind.expand(dict(overrides)).items()}
        known = {*TaskRecipe.__struct_fields__, *self._kind.parameter_names}
        for name in given:
            if name not in known:
                raise unknown_name("option", name, known)
        shared = {name: given[name] for name in given if name in TaskRecipe.__struct_fields__}
        own = {name: given[name] for name in given if name not in shared}
        parameters = self._kind.check(record.parameters | own)
        if "test_lengths" in overrides and "test_lengths_list" not in overrides:
            shared["test_lengths_list"] = None  # a range of the user's replaces the list
        options = recipes.check_options(shared, recipes.TASK_OPTIONS)
        return msgspec.structs.replace(record, parameters=parameters, **options)

    @functools.cached_property
    def splits(self) -> dict[str, "TaskSplit"]:
        """The splits that have rows."""
        recipe = self.recipe
        wanted = {
            "train": (recipe.train_lengths, recipe.train_examples),
            "validation": (recipe.validation_lengths, recipe.validation_examples),
            "validation_long": (recipe.validation_long_lengths, recipe.validation_long_examples),
            "test": (recipe.test_lengths, recipe.test_examples_per_length),
        }
        return {split: self._split(split, *what) for split, what in wanted.items() if what[1] > 0}

    def _split(self, split: str, span: recipes.Range, examples: int) -> "TaskSplit":
        listed = self.recipe.test_lengths_list if split == "test" else None
        wanted = np.arange(span[0], span[1] + 1) if listed is None else np.array(listed)
        admitted = self.task.admits(int(wanted[-1]))[wanted]
        lengths = wanted[admitted]
        if listed is not None and not admitted.all():
            raise InputError(f"{self.name} has no example of length {wanted[~admitted][0]}. {self.task.lengths_hint}")
        if len(lengths) == 0:
            raise InputError(f"{self.name} has no example at any of {split}_lengths {span}. {self.task.lengths_hint}")
        facts: dict[str, Any] = {} if split == "test" else {"lengths": span}
        layout = Layout(self._identity(split, self.recipe.seed, **facts), lengths, examples, per_length=split == "test")
        return TaskSplit(self, layout)

    def _identity(self, split: str, seed: int, **facts: Any) -> Identity:
        """Only what a split's rows depend on is part of their key."""
        text = json.dumps({"parameters": self._kind.key(self.recipe.parameters), **facts}, sort_keys=True)
        return Identity(self.name, self.version, text, seed, split)

    def sample(self, length: int, n: int = 1, seed: int = 0) -> list[dict[str, Any]]:
        """Examples of one length, drawn apart from the splits, as rows.

        Raises:
            InputError: there is none of that length.
        """
        length, n = recipes.whole("length", length, 0, recipes.MAX_LENGTH), recipes.whole("n", n, 0, UNIT_ROWS)
        if not self.task.admits(length)[length]:
            raise InputError(f"{self.name} has no example of length {length}. {self.task.lengths_hint}")
        seed = recipes.whole("seed", seed, 0, 2**64 - 1)
        key = self._identity("sample", seed).key(length)
        columns = self.task.draw(np.full(n, length), row_streams(key, np.arange(n)))
        arrays = [columns[field.name].cast(field.type) for field in self.schema]
        return list(pa.RecordBatch.from_arrays(arrays, schema=self.schema).to_pylist())

    @property
    def description(self) -> str:
        """What is to be learnt."""
        return sentence(self.recipe.title)

    @property
    def schema(self) -> pa.Schema:
        """The columns."""
        return self.task.schema

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of input and target symbols, at any length of the splits."""
        return self.task.sizes(max(int(part.split.lengths[-1]) for part in self.splits.values()))

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of the labels; none where there is no column `label`."""
        return self.task.label_names

    @property
    def symbol_names(self) -> tuple[str, ...]:
        """Names of the input symbols; none where they are numbers."""
        return self.task.symbol_names

    @property
    def _options(self) -> Mapping[str, object]:
        return self.recipe.options() | self.recipe.parameters

    @property
    def recipe_json(self) -> str:
        """The resolved recipe as canonical JSON."""
        return _canonical(self.recipe)

    @property
    def _default_json(self) -> str:
        return _canonical(self._defaults)

    @property
    def _generator(self) -> str:
        # What a task reads from the catalogue has a fingerprint: an edited definition is another generator.
        read = getattr(self.task, "fingerprint", "")
        return f"{self.recipe.task} {json.dumps(self.recipe.parameters, sort_keys=True)} {read}".rstrip()


def _canonical(recipe: TaskDataset) -> str:
    return json.dumps({**recipe.options(), "parameters": recipe.parameters}, sort_keys=True)


class TaskSplit(SizedSplit):
    """A split of a task's plan, with its blocks as Arrow."""

    def __init__(self, owner: TaskPlan, split: Layout) -> None:
        """A split of a plan."""
        super().__init__(owner.schema, split)
        self._owner, self.split = owner, split

    def block(self, index: int) -> pa.RecordBatch:
        """A block as Arrow."""
        lengths, streams, _ = self.split.block(index)
        return self.draw(lengths, streams)

    def draw(self, lengths: Array, streams: Words) -> pa.RecordBatch:
        """Rows of these lengths from these streams, by the law of the split."""
        task, schema = self._owner.task, self._owner.schema
        if isinstance(task, DrawsBySplit):
            purpose = Purpose(self.split.identity, self._owner.recipe.train_lengths)
            columns = task.draw_for(purpose, lengths, streams)
        else:
            columns = task.draw(lengths, streams)
        return pa.RecordBatch.from_arrays([columns[field.name].cast(field.type) for field in schema], schema=schema)

    def at(self, lengths: Array) -> "TaskSplit":
        """The same split with only some of its lengths."""
        return TaskSplit(self._owner, replace(self.split, lengths=lengths))

    def blocks(self, indices: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """Blocks as Arrow, one after the other."""
        return map(self.block, indices)  # in this thread: tasks are free to keep what they have computed
