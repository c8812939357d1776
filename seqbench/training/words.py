"""Training words of one's own: those of a file, labelled by the language, as rows of its dataset."""

import hashlib
from collections.abc import Iterator
from os.path import abspath, expanduser
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.algebra.machine import OUTSIDE
from seqbench.algebra.monoid import Monoid
from seqbench.covering.inputs import Chunk, read_words
from seqbench.covering.readers import find_files
from seqbench.covering.tally import Tally
from seqbench.errors import InputError
from seqbench.files import sha256_of
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.blocks import to_arrow
from seqbench.generation.plan import Plan
from seqbench.generation.sampler import Rows

Array = npt.NDArray[Any]


class WordData(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which words a run trains on.

    Attributes:
        path: of a file, or a glob, as `seqbench.coverage` takes it; absolute.
        column: which column holds the words; None for "input_ids", or the only one that could.
        sha256: of the files' bytes, so that a run never goes on with other words.
    """

    path: str
    column: str | None = None
    sha256: str

    @classmethod
    def of(cls, path: str, column: str | None = None) -> "WordData":
        """The words of a file as it is now.

        Raises:
            InputError: there is no such file, or it cannot be read.
        """
        path = abspath(expanduser(path))  # noqa: PTH100, PTH111 -- a glob is no path, and links are not followed
        return cls(path=path, column=column, sha256=_digest(path))


def _digest(path: str) -> str:
    state = hashlib.sha256()
    for file in find_files(path):
        if not file.is_file():
            raise InputError(f"{str(file)!r} is no file. Give a file of words, or a glob such as 'data/*.parquet'.")
        try:
            state.update(sha256_of(file).encode())
        except OSError as error:
            raise InputError(f"{str(file)!r} cannot be read: {error.strerror or error}.") from None
    return state.hexdigest()


def labelled(data: WordData, planned: BasePlan) -> pa.RecordBatch:
    """The words as rows of a dataset: labels and classes are the language's, whatever else the file says.

    Raises:
        InputError: the file has changed or cannot be read, holds no word or one that no row can be, or the dataset is
            not over a language.
    """
    if not isinstance(planned, Plan):
        raise InputError(
            f"{planned.name} is not over a regular language, so words alone have no answers. Leave out --train."
        )
    machine, monoid = planned.machine, planned.monoid
    chunks = list(_checked(data, planned))
    if not chunks:
        raise InputError(f"{data.path!r} holds no word. Give at least one.")
    tokens = np.concatenate([chunk[0] for chunk in chunks])
    sizes = np.concatenate([np.diff(chunk[1]) for chunk in chunks])
    offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    if offsets[-1] >= 2**31:
        raise InputError(f"{data.path!r} holds {offsets[-1]:,} symbols, and 2,147,483,647 is the most. Give fewer.")
    classes = None if monoid is None else monoid.class_of(tokens, offsets)
    rows = Rows(tokens, offsets, machine.outputs[machine.run(tokens, offsets)], classes)
    return to_arrow(rows, planned.schema, machine, monoid)


def _checked(data: WordData, planned: Plan) -> Iterator[Chunk]:
    """The words chunk by chunk; an empty one, and one outside the domain, is named by its row."""
    for chunk in _chunks(data, planned):
        tokens, offsets = chunk
        empty = np.diff(offsets) == 0
        outside = planned.machine.outputs[planned.machine.run(tokens, offsets)] == OUTSIDE
        for wrong, what in ((empty, "is empty, which no model reads"), (outside, "is outside the domain")):
            if wrong.any():
                row = getattr(chunk, "row", 0) + int(np.argmax(wrong))
                file = getattr(chunk, "where", "") or data.path
                raise InputError(f"{file}: Row {row}: the word {what}. Leave it out.")
        yield chunk


def _chunks(data: WordData, planned: Plan) -> Iterator[Chunk]:
    if _digest(data.path) != data.sha256:
        raise InputError(
            f"{data.path!r} is not as it was when this run was begun. Bring the old file back, or begin a new run."
        )
    return read_words(data.path, planned.machine.alphabet, data.column)


def compositions(data: WordData, planned: Plan, monoid: Monoid) -> tuple[Array, int]:
    """The compositions that the words show in a balanced tree, as a * classes + b, rising; and how many words."""
    tally = Tally(monoid).add_all(_chunks(data, planned))
    return tally.pairs().keys, tally.words
