"""Text classification: labelled texts in the shape of a dataset, so that all that trains and measures can use them."""

import functools
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.dataset.texts import Texts, read_texts
from seqbench.dataset.tokens import TOKENIZERS, BytePairs, Bytes, Tokenizer
from seqbench.errors import InputError, unknown_name
from seqbench.generation.base_plan import BasePlan
from seqbench.training.epochs import shuffled

Array = npt.NDArray[Any]

HELD_OUT = 0.1
"""Share of the training texts that is held out where the dataset has no split for that; at most MOST_HELD_OUT texts."""
MOST_HELD_OUT = 5000

VOCABULARY = 8000
"""Tokens of "bpe" at most, by default."""


class TextData(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which texts a run reads, and as what.

    Attributes:
        path: of a dataset: on the Hub, a folder or a file.
        config: its configuration, where it has several.
        columns: the text columns, joined in this order.
        label: the column of labels.
        tokenizer: "bytes", or "bpe": byte pairs learnt from the training texts.
        vocabulary: of "bpe", at most so many tokens.
        longest: tokens a row; the rest is cut off.
    """

    path: str
    config: str | None = None
    columns: tuple[str, ...] = ("text",)
    label: str = "label"
    tokenizer: str = "bytes"
    vocabulary: int = VOCABULARY
    longest: int = 512


class _Recipe(msgspec.Struct, frozen=True):
    """What a plan says of itself; texts have no data version of ours."""

    title: str
    source: str
    version: str = "1.0.0"


class _Rows:
    """How the rows of a text split lie: all count as one length, so that a measure is over all of them."""

    per_length = False

    def __init__(self, rows: int, longest: int) -> None:
        self.lengths, self._rows = np.array([longest]), rows

    def block(self, index: int) -> tuple[Array]:
        """The length that each row counts as."""
        del index
        return (np.full(self._rows, self.lengths[0]),)


class TextSplit:
    """A split of texts as token ids, shortest first.

    Attributes:
        rows: columns `input_ids` and `label`.
        sizes: tokens a row.
    """

    num_blocks = 1

    def __init__(self, ids: pa.ListArray, labels: Array, longest: int) -> None:
        """Of all rows of a split."""
        sizes = ids.value_lengths().to_numpy()
        order = np.argsort(sizes, kind="stable")
        self.rows = pa.RecordBatch.from_arrays(
            [ids.take(pa.array(order)), pa.array(labels[order])], ["input_ids", "label"]
        )
        self.sizes, self.num_examples, self.num_bytes = sizes[order], len(labels), self.rows.nbytes
        self.split: Any = _Rows(len(labels), longest)

    def block(self, index: int) -> pa.RecordBatch:
        """All rows."""
        del index
        return self.rows

    def blocks(self, indices: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """All rows."""
        return iter([self.rows for _ in indices])


class TextPlan(BasePlan):
    """Labelled texts as a dataset: splits `train`, `validation` and `test`.

    Without a split `test` with labels, `validation` is it; a tenth of `train` is held out for what is still missing.
    """

    def __init__(self, data: TextData) -> None:
        """The texts of a dataset, read and tokenized.

        Raises:
            InputError: whatever cannot be read or used.
        """
        _check(data)
        self.name, self.data = data.path, data
        self.recipe: Any = _Recipe(f"Text classification: {data.path}", data.path)
        self._texts = _parts(read_texts(data.path, data.columns, data.label, data.config))
        self._tokenizer = _tokenizer(data, self._texts["train"])

    @functools.cached_property
    def splits(self) -> dict[str, TextSplit]:  # type: ignore[override]  # texts are drawn otherwise than words
        """The splits, tokenized."""
        return {
            name: TextSplit(part.encoded(self._tokenizer, self.data.longest), part.labels, self.data.longest)
            for name, part in self._texts.items()
        }

    @property
    def schema(self) -> pa.Schema:
        """The columns."""
        return self.splits["train"].rows.schema

    @property
    def symbol_names(self) -> tuple[str, ...]:
        """None: ids are bytes, or tokens of a tokenizer."""
        return ()

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of the labels."""
        return self._texts["train"].names

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of tokens and of labels."""
        return self._tokenizer.size, len(self.label_names)

    @property
    def description(self) -> str:
        """What is to be learnt."""
        return self.recipe.title

    @property
    def recipe_json(self) -> str:
        """How the texts are read, as canonical JSON."""
        return msgspec.json.encode(self.data, order="deterministic").decode()

    _default_json = recipe_json

    @property
    def _generator(self) -> str:
        return self.recipe_json

    @functools.cached_property
    def fingerprint(self) -> str:
        """A digest of all tokens and labels, in 64 digits."""
        state = hashlib.sha256()
        for part in self.splits.values():
            for column in (part.rows["input_ids"].flatten(), part.sizes, part.rows["label"]):
                state.update(np.ascontiguousarray(column).tobytes())
        return state.hexdigest()


@functools.lru_cache(maxsize=2)
def text_plan(data: TextData) -> TextPlan:
    """The plan of texts; read once, for training and for looks at validation."""
    return TextPlan(data)


def _check(data: TextData) -> None:
    if data.tokenizer not in TOKENIZERS:
        raise unknown_name("tokenizer", data.tokenizer, TOKENIZERS)
    if data.tokenizer != "bpe" and data.vocabulary != VOCABULARY:
        raise InputError(
            f"--vocabulary {data.vocabulary} is for bpe, and the tokenizer is {data.tokenizer!r}. "
            "Leave it out, or add --tokenizer bpe."
        )
    if data.longest < 1:
        raise InputError(f"--max-tokens {data.longest} leaves nothing to read. Give 1 or more.")
    if not data.columns:
        raise InputError("No column of texts is named. Name one or two: --text-column text.")


def _parts(found: dict[str, Texts]) -> dict[str, Texts]:
    """The splits to train, validate and test on."""
    others = {name: found[name] for name in found if name != "train"}
    test = next((name for name in others if name.startswith("test")), None)
    validation = next((name for name in others if name.startswith(("validation", "dev"))), None)
    test, validation = (test, validation) if test else (validation, None)
    train = found["train"]
    parts: dict[str, Texts] = {}
    for part, split in (("test", test), ("validation", validation)):
        if split is None:
            train, parts[part] = _held_out(train, part)
        else:
            parts[part] = found[split]
    return {"train": train, "validation": parts["validation"], "test": parts["test"]}


def _held_out(train: Texts, part: str) -> tuple[Texts, Texts]:
    count = len(train.labels)
    if count < 2:
        raise InputError(f"The split 'train' has too few rows with labels to hold some out for {part}. Give more.")
    size = max(1, min(MOST_HELD_OUT, int(HELD_OUT * count)))
    order = shuffled(count, part)
    return train.take(np.sort(order[size:])), train.take(np.sort(order[:size]))


def _tokenizer(data: TextData, train: Texts) -> Tokenizer:
    if data.tokenizer == "bytes":
        return Bytes()
    return BytePairs.learnt((column.to_pylist() for column in train.columns), data.vocabulary)
