"""Splits as Parquet files, written whole or not at all."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets.utils import tqdm

from seqbench.dataset.builder import features_of
from seqbench.errors import InputError, unknown_name
from seqbench.files import named, put_in_place, sha256_of, workplace
from seqbench.generation.base_plan import BasePlan

ROW_GROUP = 4096 * 16
RECIPE = "recipe.json"


def generate(planned: BasePlan, out: Path, *, splits: Iterable[str] = (), force: bool = False) -> dict[str, Any]:
    """Writes a dataset's splits as `SPLIT.parquet` and its recipe as `recipe.json`; returns the recipe and sizes.

    Args:
        planned: the dataset.
        out: a new or empty folder; made with its parents.
        splits: only these; all by default.
        force: replace a folder that an earlier call wrote.

    Raises:
        UnknownNameError: no such split.
        InputError: the folder holds anything else, or a file that was edited since, or it cannot be written.

    Example:
        >>> import tempfile
        >>> from seqbench.generation.plan import plan
        >>> folder = Path(tempfile.mkdtemp()) / "data"
        >>> facts = generate(plan("parity_check", train_examples=10), folder, splits=["train"])
        >>> facts["splits"], pq.read_table(folder / "train.parquet").num_rows
        ({'train': 10}, 10)
    """
    chosen = list(splits) or list(planned.splits)
    for split in chosen:
        if split not in planned.splits:
            raise unknown_name("split", split, planned.splits)
    if not chosen:
        raise InputError(f"{planned.name} has no row to write: all numbers of examples are 0. Raise one of them.")
    out = named(out)
    try:
        _check_target(out, force=force)
        return _write(planned, out, chosen, force=force)
    except OSError as error:
        raise InputError(
            f"{str(out)!r} cannot be written: {error.strerror or error}. Nothing was left there; name another folder."
        ) from error


def _check_target(out: Path, *, force: bool) -> None:
    """Nothing if the folder is new, empty, or (with force) holds just what an earlier call wrote."""
    if not out.is_symlink() and (not out.exists() or (out.is_dir() and not any(out.iterdir()))):
        return
    if not _is_ours(out):
        raise InputError(
            f"{str(out)!r} is there already and holds what seqbench did not write. Name a new folder: nothing of yours "
            "is ever replaced."
        )
    if not force:
        raise InputError(f"{str(out)!r} holds a generated dataset already. Name a new folder, or add --force.")


def _is_ours(out: Path) -> bool:
    """Whether a folder holds a recipe of ours, the files that it names, as they were written, and nothing else."""
    entries = {entry.name: entry for entry in out.iterdir()} if out.is_dir() else {}
    if out.is_symlink() or any(entry.is_symlink() or not entry.is_file() for entry in entries.values()):
        return False
    try:
        files = dict(json.loads((out / RECIPE).read_text(encoding="utf-8"))["sha256"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
    return entries.keys() == {RECIPE, *files} and all(sha256_of(entries[file]) == files[file] for file in files)


def _write(planned: BasePlan, out: Path, splits: list[str], *, force: bool) -> dict[str, Any]:
    """Writes to a temporary folder beside the wanted one, then renames it."""
    facts = {
        "dataset": planned.name,
        "version": planned.version,
        "recipe": planned.recipe.options(),
        "splits": {split: planned.splits[split].num_examples for split in splits},
    }
    with workplace(out) as place:
        temporary = place / "whole"
        temporary.mkdir()
        files = [temporary / f"{split}.parquet" for split in splits]
        for split, file in zip(splits, files, strict=True):
            _write_split(planned, split, file)
        facts["sha256"] = {file.name: sha256_of(file) for file in files}
        (temporary / RECIPE).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
        _check_target(out, force=force)  # another process may have been faster
        put_in_place(temporary, out)
    return facts


def _write_split(planned: BasePlan, split: str, path: Path) -> None:
    schema = features_of(planned).arrow_schema  # holds the library's own note, so that label names survive
    part = planned.splits[split]
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=1) as writer:
        blocks = part.blocks(range(part.num_blocks))
        for batch in tqdm(blocks, desc=f"Writing {split}", total=part.num_blocks, unit=" blocks"):
            writer.write_table(pa.Table.from_batches([batch]).cast(schema), row_group_size=ROW_GROUP)
