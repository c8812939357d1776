"""Splits as text files: one word a line, or the Abbadingo format of grammatical inference."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
from datasets.utils import tqdm

from seqbench.algebra.alphabet import separator
from seqbench.errors import InputError, unknown_name
from seqbench.files import new_file, write_whole
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import Plan
from seqbench.generation.task_plan import TaskPlan


def write_text(planned: BasePlan, split: str, kind: str, out: Path, *, force: bool = False) -> dict[str, Any]:
    """Writes a split as a text file; returns its path, format and number of words.

    Args:
        planned: the dataset; its rows need a column `input_ids`.
        split: which split.
        kind: `words` (a word's symbols on a line, with spaces between them where a symbol has several characters) or
            `abbadingo` (a head with numbers of words and symbols; then a line a word: label, length, symbol ids).
        out: a new file.
        force: replace a file.

    Raises:
        UnknownNameError: no such split or format.
        InputError: rows that are no words or have no label, or a file that cannot be written.

    Example:
        >>> import tempfile
        >>> from seqbench.generation.plan import plan
        >>> out = Path(tempfile.mkdtemp()) / "train.txt"
        >>> facts = write_text(plan("tomita_1", train_examples=3, seed=5), "train", "abbadingo", out)
        >>> out.read_text().splitlines()[0]
        '3 2'
    """
    if kind not in FORMATS:
        raise unknown_name("format", kind, FORMATS)
    if split not in planned.splits:
        raise unknown_name("split", split, planned.splits)
    for column in FORMATS[kind][1]:
        if column not in planned.schema.names:
            raise InputError(
                f"{planned.name} has no column {column!r}, which the format {kind!r} needs. "
                f"Its columns are {', '.join(planned.schema.names)}; take a dataset of labelled words."
            )
    path = new_file(out, force=force)
    write_whole(path, lambda temporary: _write(planned, split, kind, temporary))
    return {"out": str(path), "format": kind, "rows": planned.splits[split].num_examples}


def _write(planned: BasePlan, split: str, kind: str, file: Path) -> None:
    part = planned.splits[split]
    blocks = part.blocks(range(part.num_blocks))
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        for batch in tqdm(blocks, desc=f"Writing {split}", total=part.num_blocks, unit=" blocks"):
            stream.writelines(line + "\n" for line in FORMATS[kind][0](planned, batch, stream, part.num_examples))


def _words(planned: BasePlan, batch: pa.RecordBatch, stream: TextIO, rows: int) -> Iterator[str]:
    """Words as people read them, as in `seqbench show`."""
    del stream, rows
    if isinstance(planned, TaskPlan):
        yield from (planned.task.show(row)["input_ids"] for row in batch.to_pylist())
    elif isinstance(planned, Plan):
        symbols = planned.machine.alphabet
        between = separator(symbols)
        yield from (between.join([symbols[i] for i in word]) for word in batch.column("input_ids").to_pylist())


def _abbadingo(planned: BasePlan, batch: pa.RecordBatch, stream: TextIO, rows: int) -> Iterator[str]:
    """The labels are ids: 1 accepts and 0 rejects where there are two."""
    if stream.tell() == 0:
        stream.write(f"{rows} {planned.sizes[0]}\n")
    for label, word in zip(batch.column("label").to_pylist(), batch.column("input_ids").to_pylist(), strict=True):
        yield " ".join(map(str, [label, len(word), *word]))


Lines = Callable[[BasePlan, pa.RecordBatch, TextIO, int], Iterator[str]]
FORMATS: dict[str, tuple[Lines, tuple[str, ...]]] = {
    "abbadingo": (_abbadingo, ("input_ids", "label")),
    "words": (_words, ("input_ids",)),
}
"""Formats by name, each with the columns that it needs."""
