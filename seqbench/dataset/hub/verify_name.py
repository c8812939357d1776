"""Whether this installation makes a dataset as released, and whether its prepared files are what they should be."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from datasets.utils import tqdm

from seqbench.catalogue.reader import open_catalogue
from seqbench.dataset.builder import Seqbench
from seqbench.dataset.golden import ROWS, digests_of
from seqbench.dataset.hub.compare import Expected, Finding, compared
from seqbench.dataset.hub.verify import Report
from seqbench.errors import InputError
from seqbench.generation.plan import Folder, plan


def verify_golden(name: str, catalogue: Folder = None) -> Report:
    """Checks that the first rows of every split have the digests that came with this release.

    Raises:
        UnknownNameError: no such dataset.
        InputError: a dataset of one's own, which has none.

    Example:
        >>> verify_golden("parity_check").findings
        ()
    """
    opened = open_catalogue(catalogue)
    planned, golden = plan(name, catalogue), opened.digests
    if chosen := opened.resolve(name)[1]:
        options = ", ".join(f"{key}={value}" for key, value in chosen.items())
        raise InputError(
            f"There is no golden digest of {name!r}: it is {planned.name} with {options}. "
            f"Verify {planned.name}, or what was made of it: --cache, or an exported folder."
        )
    if planned.name not in golden or not opened.is_built_in(planned.name):
        raise InputError(
            f"There is no golden digest of {name!r}: it is not one of seqbench's own. "
            f"Export it, and verify the folder: {planned.command('export DIR --config')}."
        )
    right, made = golden[planned.name], digests_of(planned)
    findings = [
        Finding(
            what=f"{name}, split {split}: its first rows have the digest {found}, not {expected}. Reinstall.",
            config=name,
            split=split,
            found=str(found),
            expected=str(expected),
        )
        for split in dict.fromkeys([*right["splits"], *made["splits"]])
        if (found := made["splits"].get(split)) != (expected := right["splits"].get(split))
    ]
    rows = sum(min(ROWS, part.num_examples) for part in planned.splits.values())
    return Report(checked=f"golden digests of {name} {planned.version}", rows=rows, findings=tuple(findings))


def verify_cache(name: str, *, cache_dir: str | None = None, catalogue: Folder = None, **options: Any) -> Report:
    """Checks every row of a dataset's prepared files in the cache of the datasets library.

    Raises:
        InputError: this recipe was never prepared.
    """
    if cache_dir is not None and not Path(cache_dir).expanduser().is_dir():  # or the library would make it
        raise InputError(f"There is no cache folder {cache_dir!r}. Name one that load_dataset was given as cache_dir=.")
    builder = Seqbench(config_name=name, cache_dir=cache_dir, catalogue=catalogue, **options)
    folder = Path(builder.cache_dir)
    if not folder.is_dir():
        raise InputError(
            f"The cache holds no files of {name!r} with these options ({str(folder)!r} is not there). "
            f'Make them with seqbench.load_dataset("{name}", ...), or name another folder with --cache-dir.'
        )
    findings: list[Finding] = []
    rows = 0
    for split in builder.config.plan.splits:
        read, found = _split(builder, split)
        rows, findings = rows + read, findings + found
    return Report(checked=str(folder), rows=rows, findings=tuple(findings))


def _split(builder: Seqbench, split: str) -> tuple[int, list[Finding]]:
    planned = builder.config.plan
    part, rows = planned.splits[split], 0
    where: dict[str, Any] = {"config": planned.name, "split": split}
    expected = Expected(planned.schema, part.blocks(range(part.num_blocks)))
    try:
        loaded = builder.as_dataset(split)
        file = loaded.cache_files[0]["filename"]
        with tqdm(total=part.num_examples, desc=f"Verifying {planned.name} {split}", unit=" rows") as bar:
            for number, finding in compared(expected, _batches(loaded), file, where):
                rows += number
                bar.update(number)
                if finding is not None:
                    return rows, [finding]
    except (OSError, pa.ArrowException, ValueError, IndexError) as error:
        what = f"{planned.name}, split {split}: its prepared files cannot be read: {error}"
        return rows, [Finding(what=what, **where)]
    if rows < part.num_examples:
        what = f"{planned.name}, split {split}: the rows from {rows} to {part.num_examples - 1} are not there."
        return rows, [Finding(what=what, **where, row=rows)]
    return rows, []


def _batches(loaded: Any) -> Iterator[pa.RecordBatch]:
    for table in loaded.with_format("arrow").iter(batch_size=65_536):
        yield from table.to_batches()
