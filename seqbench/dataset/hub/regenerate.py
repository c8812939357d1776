"""A split of an exported folder made again, at other lengths if wanted."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets.utils import tqdm

from seqbench.dataset.builder import features_of
from seqbench.dataset.hub.definitions import check_definitions, planned_again
from seqbench.dataset.hub.manifest import ANEW, Manifest, read_manifest
from seqbench.errors import InputError, unknown_name
from seqbench.files import named, new_file, write_whole
from seqbench.generation.base_plan import BasePlan


def regenerate(
    folder: Path,
    split: str,
    *,
    lengths: tuple[int, int] | None = None,
    config: str | None = None,
    out: Path | None = None,
    force: bool = False,
) -> tuple[Path, int]:
    """Writes a split as one Parquet file, from the folder's own recipe and definitions.

    Args:
        folder: an exported folder.
        split: its name.
        lengths: shortest and longest example; as exported by default.
        config: the dataset; may be left out where the folder holds one.
        out: a new file; by default CONFIG-SPLIT[-SHORTEST-LONGEST].parquet in the working directory.
        force: replace a file.

    Returns:
        The file, and the number of its rows.

    Raises:
        UnknownNameError: no such dataset or split.
        InputError: no exported folder, one whose definitions were edited, lengths that cannot be, or a file that
            cannot be written.
    """
    manifest = read_manifest(folder := named(folder))
    check_definitions(folder, manifest)
    name = config if config is not None else _only(manifest)
    planned = planned_again(folder, manifest, name)
    more = {} if lengths is None else {_length_option(planned, split): list(lengths)}
    planned = planned_again(folder, manifest, name, **more)
    if split not in planned.splits:
        raise unknown_name("split", split, planned.splits)
    ending = "" if lengths is None else "-{}-{}".format(*lengths)
    if out is not None and not out.name.endswith(".parquet"):
        raise InputError(f"{str(out)!r} does not end in .parquet, and Parquet is what is written. Name such a file.")
    file = new_file(out or Path(f"{name}-{split}{ending}.parquet"), force=force)
    write_whole(file, lambda temporary: _write(planned, split, temporary))
    return file, planned.splits[split].num_examples


def _only(manifest: Manifest) -> str:
    if len(manifest.configs) > 1:
        names = list(manifest.configs)
        shown = ", ".join(names[:20]) + (", ..." if names[20:] else "")
        raise InputError(f"The folder holds {len(names)} datasets. Name one with --config: {shown}.")
    if not manifest.configs:
        raise InputError(f"The folder holds no dataset. {ANEW}")
    return next(iter(manifest.configs))


def _length_option(planned: BasePlan, split: str) -> str:
    """The option that says which lengths a split has: test_lengths for test_near_miss too."""
    options: dict[str, Any] = planned.recipe.options()
    stems = [key.removesuffix("_lengths") for key in options if key.endswith("_lengths")]
    if split not in planned.splits:
        raise unknown_name("split", split, planned.splits)
    fitting = [stem for stem in stems if split.startswith(stem)]
    if not fitting:
        raise InputError(f"{split!r} of {planned.name} has no option for its lengths. Leave out --lengths.")
    return f"{max(fitting, key=len)}_lengths"


def _write(planned: BasePlan, split: str, file: Path) -> None:
    schema, part = features_of(planned).arrow_schema, planned.splits[split]
    with pq.ParquetWriter(file, schema, compression="zstd", write_page_index=True) as writer:
        blocks = part.blocks(range(part.num_blocks))
        for batch in tqdm(blocks, desc=f"Writing {split}", total=part.num_blocks, unit=" blocks"):
            writer.write_table(pa.Table.from_batches([batch]).cast(schema))
