"""What every plan has, whatever its dataset is about: name, version, recipe, splits, blocks as Arrow."""

import functools
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy.typing as npt
import pyarrow as pa

from seqbench.catalogue.reader import Catalogue
from seqbench.catalogue.schema import Dataset, TaskDataset
from seqbench.errors import unknown_name
from seqbench.generation.splits import Layout
from seqbench.generation.streams import Words
from seqbench.notebook import facts, section, table
from seqbench.spans import spans

Array = npt.NDArray[Any]


class PlannedSplit(Protocol):
    """A split of a plan, with its blocks as Arrow."""

    num_examples: int
    num_blocks: int

    @property
    def split(self) -> Layout:
        """Which rows it has, and what keys them."""

    @property
    def num_bytes(self) -> int:
        """An estimate of its size in Arrow."""

    def block(self, index: int) -> pa.RecordBatch:
        """A block as Arrow."""

    def blocks(self, indices: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """Blocks as Arrow, one after the other."""

    def draw(self, lengths: Array, streams: Words) -> pa.RecordBatch:
        """Rows of these lengths, (n,), from streams of one's own, (5, n), by the law of the split."""

    def at(self, lengths: Array) -> "PlannedSplit":
        """The same split with only some of its lengths; where each length has rows of its own, they are the same."""


class SizedSplit:
    """What the splits of all plans know of their size."""

    def __init__(self, schema: pa.Schema, split: Layout) -> None:
        """A split whose rows have these columns."""
        self._schema = schema
        self.num_examples, self.num_blocks = split.num_examples, split.num_blocks
        self._num_tokens = split.num_tokens

    @property
    def num_bytes(self) -> int:
        """An estimate of its size in Arrow."""
        return arrow_bytes(self._schema, self.num_examples, self._num_tokens)


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
    def symbol_names(self) -> tuple[str, ...]:
        """Names of the input symbols in the order of their ids; none where symbols are numbers without names."""

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, int]:
        """How many input and target symbols there are: ids are below; of numbers, how many a step."""

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

    def command(self, words: str) -> str:
        """A command line about this dataset, for hints: `seqbench WORDS NAME`, with the folder of a user's own."""
        return self._catalogue.command(f"{words} {self.name}", self.name)

    def _repr_html_(self) -> str:
        """The splits and the options in a notebook."""
        rows = [
            (name, f"{part.num_examples:,}", spans(part.split.lengths.tolist())) for name, part in self.splits.items()
        ]
        splits = table([("split", "rows", "lengths"), *rows])
        return section(f"{self.name} {self.version}", [self.recipe.title], splits, facts(self._options))

    @property
    def _options(self) -> Mapping[str, object]:
        """Every option by name, resolved."""
        return self.recipe.options()

    def block(self, split: str, index: int) -> pa.RecordBatch:
        """A block of a split as Arrow.

        Example:
            >>> from seqbench.generation.plan import plan
            >>> plan("dyck_d6").block("test", 0).num_rows
            4096
        """
        return self._part(split).block(index)

    def blocks(self, split: str, indices: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """Blocks of a split as Arrow, one after the other; may be quicker than each alone.

        Example:
            >>> from seqbench.generation.plan import plan
            >>> [batch.num_rows for batch in plan("dyck_d6").blocks("train", [0, 24])]
            [4096, 1696]
        """
        return self._part(split).blocks(indices)

    def _part(self, split: str) -> PlannedSplit:
        if split not in self.splits:
            raise unknown_name("split", split, self.splits)
        return self.splits[split]

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


def sentence(title: str) -> str:
    """A title with its full stop, unless it ends otherwise.

    Example:
        >>> sentence("Sort the symbols"), sentence("Is it sorted?")
        ('Sort the symbols.', 'Is it sorted?')
    """
    return title if title.endswith((".", "?", "!")) else f"{title}."


def arrow_bytes(schema: pa.Schema, rows: int, items: int) -> int:
    """An estimate of the size of rows in Arrow whose lists hold so many items in all.

    Example:
        >>> arrow_bytes(pa.schema({"inputs": pa.list_(pa.list_(pa.float32(), 3)), "label": pa.int64()}), 2, 10)
        144
    """
    kinds = [field.type for field in schema]
    item_bits = sum(_bits(kind.value_type) for kind in kinds if pa.types.is_list(kind))
    row_bits = sum(32 if pa.types.is_list(kind) else _bits(kind) for kind in kinds)
    return items * item_bits // 8 + rows * row_bits // 8


def _bits(kind: pa.DataType) -> int:
    """Width of a number, or of a list of so many."""
    return int(kind.list_size * _bits(kind.value_type) if pa.types.is_fixed_size_list(kind) else kind.bit_width)
