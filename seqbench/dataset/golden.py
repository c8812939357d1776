"""Golden digests: the first rows of every split of every built-in dataset, pinned.

`make golden` (`python -m seqbench.dataset.golden`) writes them, after it has checked that the rows are right, and only
where a dataset is new or its data version has been raised.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from seqbench.catalogue.reader import Catalogue, open_catalogue
from seqbench.errors import SeqbenchError
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import Plan, plan
from seqbench.generation.task_plan import TaskPlan

ROWS = 2000
FLOAT_STEPS = 1e4
COMMAND = "make golden"

Digests = dict[str, dict[str, Any]]


class GoldenError(SeqbenchError):
    """Data that changed though its version did not, or that breaks an invariant."""


def digest(batches: Iterable[pa.RecordBatch], rows: int) -> str:
    """SHA-256 of the first rows' logical content: column names, list lengths and values, not the bytes of any file.

    Example:
        >>> batch = pa.RecordBatch.from_pydict({"input_ids": [[0, 1], [1]], "label": [1, 0]})
        >>> digest([batch], 2) == digest([batch.slice(0, 1), batch.slice(1, 1)], 2)
        True
    """
    table = _first(batches, rows)
    state = hashlib.sha256()
    for name in table.schema.names:
        column = table.column(name).combine_chunks()
        state.update(f"{name}:{len(column)}:".encode())
        if pa.types.is_list(column.type):
            state.update(np.asarray(column.value_lengths(), dtype="<i8").tobytes())
            column = column.flatten()
        if pa.types.is_fixed_size_list(column.type):  # several numbers a step
            column = column.flatten()
        values = np.asarray(column)
        if values.dtype.kind == "f":  # the last bits of floats differ from machine to machine
            values = np.round(values.astype(np.float64) * FLOAT_STEPS)
        state.update(values.astype("<i8").tobytes())
    return state.hexdigest()


def _first(batches: Iterable[pa.RecordBatch], rows: int) -> pa.Table:
    taken: list[pa.RecordBatch] = []
    for batch in batches:
        taken.append(batch.slice(0, rows - sum(map(len, taken))))
        if sum(map(len, taken)) >= rows:
            break
    return pa.Table.from_batches(taken)


def first_rows(planned: BasePlan, split: str) -> pa.Table:
    """The rows of a split that its digest covers."""
    part = planned.splits[split]
    return _first((part.block(index) for index in range(part.num_blocks)), ROWS)


def digests_of(planned: BasePlan) -> dict[str, Any]:
    """Version and digests of a dataset as the golden file holds them."""
    splits = {split: digest(first_rows(planned, split).to_batches(), ROWS) for split in planned.splits}
    return {"version": planned.version, "splits": splits}


def check_rows(planned: BasePlan, split: str) -> None:
    """Nothing, if the first rows' labels, classes and lengths are what a plain walk of the machine gives.

    Raises:
        GoldenError: naming the first row that is wrong.
    """
    if isinstance(planned, TaskPlan):
        planned.task.check(first_rows(planned, split))
    elif isinstance(planned, Plan):
        _check_words(planned, split)


def _check_words(planned: Plan, split: str) -> None:
    machine, monoid = planned.machine, planned.monoid
    table, lengths = first_rows(planned, split), set(planned.splits[split].split.lengths.tolist())
    for number, row in enumerate(table.to_pylist()):
        state, element = 0, 0
        for token in row["input_ids"]:
            state = machine.transitions[state, token]
            element = element if monoid is None else monoid.right[element, token]
        right = row["label"] == machine.outputs[state] and row.get("syntactic_class", element) == element
        if not right or len(row["input_ids"]) not in lengths:
            raise GoldenError(f"Row {number} of {planned.name}/{split} is wrong: {row}. Mend the generator.")


def update(catalogue: Catalogue) -> tuple[Digests, list[str]]:
    """The digests as they should stand, and the names of the datasets whose digests are new.

    Raises:
        GoldenError: data changed under an old version, or rows are wrong.
    """
    found: Digests = {}
    changed = []
    for name in catalogue.datasets:
        planned = plan(name)
        found[name] = digests_of(planned)
        old = catalogue.digests.get(name)
        if found[name] == old:
            continue
        if old is not None and old["version"] == planned.version:
            raise GoldenError(
                f"The data of {name} changed, but its version is still {planned.version}. Raise `version` in "
                f"generators/{name}.toml, add a [[history]] entry, then run `{COMMAND}` again."
            )
        for split in planned.splits:
            check_rows(planned, split)
        changed.append(name)
    return found, changed


def write(digests: Digests, path: Path) -> None:
    """Writes the golden file, whole or not at all."""
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    temporary.replace(path)


def main() -> int:
    """Updates the golden file of the source tree; the exit code."""
    os.environ.pop("SEQBENCH_CATALOGUE", None)
    catalogue = open_catalogue()
    try:
        digests, changed = update(catalogue)
    except SeqbenchError as error:
        print(error, file=sys.stderr)  # noqa: T201 -- a command's message
        return 1
    write(digests, Path(str(catalogue.digests_file)))
    print(f"{len(digests)} datasets, new digests: {', '.join(changed) or 'none'}")  # noqa: T201 -- a command's message
    return 0


if __name__ == "__main__":
    sys.exit(main())
