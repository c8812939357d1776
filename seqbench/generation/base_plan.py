"""What every plan has, whatever its dataset is about: name, version, recipe, splits, blocks as Arrow."""

import functools
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Protocol

import pyarrow as pa

from seqbench.catalogue.reader import Catalogue
from seqbench.catalogue.schema import Dataset, TaskDataset
from seqbench.errors import unknown_name
from seqbench.generation.splits import Layout


class PlannedSplit(Protocol):
    """A split of a plan, with its blocks as Arrow."""

    split: Layout
    num_examples: int
    num_blocks: int

    @property
    def num_bytes(self) -> int:
        """An estimate of its size in Arrow."""

    def block(self, index: int) -> pa.RecordBatch:
        """A block as Arrow."""


class BasePlan(ABC):
    """A dataset with all options resolved.

    Attributes:
        name: of the dataset.
        recipe: its record, options replaced.
    """

    name: str
    recipe: Dataset | TaskDataset
    _catalogue: Catalogue
    _defaults: Dataset | TaskDataset

    @property
    @abstractmethod
    def splits(self) -> Mapping[str, PlannedSplit]:
        """Split plans by name, in order: train, validation, test, ... (some may be absent)."""

    @property
    @abstractmethod
    def schema(self) -> pa.Schema:
        """The columns."""

    @property
    @abstractmethod
    def label_names(self) -> tuple[str, ...]:
        """Names of the labels in the order of their ids; none where there is no column `label`."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What is to be learnt."""

    @property
    @abstractmethod
    def recipe_json(self) -> str:
        """The resolved recipe as canonical JSON."""

    @property
    @abstractmethod
    def _default_json(self) -> str:
        """The recipe of the file as canonical JSON."""

    @property
    @abstractmethod
    def _generator(self) -> str:
        """What identifies the generator besides name, version and digests."""

    def block(self, split: str, index: int) -> pa.RecordBatch:
        """A block of a split as Arrow.

        Example:
            >>> from seqbench.generation.plan import plan
            >>> plan("dyck_d6").block("test", 0).num_rows
            4096
        """
        if split not in self.splits:
            raise unknown_name("split", split, self.splits)
        return self.splits[split].block(index)

    @property
    def version(self) -> str:
        """Version of the data."""
        return self.recipe.version

    @property
    def citation(self) -> str:
        """The paper that defined the task."""
        return self.recipe.source

    @property
    def homepage(self) -> str:
        """Where seqbench lives."""
        return "https://pypi.org/project/seqbench/"

    @property
    def license(self) -> str:
        """The data's licence."""
        return "apache-2.0"

    @property
    def config_id(self) -> str:
        """The name; with the recipe's hash where an option differs from the file."""
        if self.recipe_json == self._default_json:
            return self.name
        return f"{self.name}-{hashlib.sha256(self.recipe_json.encode()).hexdigest()[:16]}"

    @functools.cached_property
    def fingerprint(self) -> str:
        """Identity of the generator: what it is, data version, and the digests that pin what the engine makes."""
        parts = [self.name, self.version, self._generator, self.digests_text]
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()

    @property
    def digests_text(self) -> str:
        """This dataset's golden digests; for a user's own dataset those of all built-in ones stand for the engine."""
        digests = self._catalogue.digests
        return json.dumps(digests.get(self.name, digests), sort_keys=True)


def arrow_bytes(schema: pa.Schema, rows: int, items: int) -> int:
    """An estimate of the size of rows in Arrow whose lists hold so many items in all."""
    kinds = [field.type for field in schema]
    item_bytes = sum(kind.value_type.bit_width for kind in kinds if pa.types.is_list(kind)) // 8
    row_bytes = sum(4 if pa.types.is_list(kind) else kind.bit_width // 8 for kind in kinds)
    return items * int(item_bytes) + rows * int(row_bytes)
