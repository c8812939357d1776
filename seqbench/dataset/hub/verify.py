"""Whether an exported folder holds what its definitions say, to the last bit."""

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from datasets.utils import tqdm

from seqbench.dataset.hub.compare import Expected, Finding, compared
from seqbench.dataset.hub.definitions import other_version, planned_again
from seqbench.dataset.hub.manifest import (
    NAME,
    Config,
    Manifest,
    Part,
    Shard,
    foreign,
    missing_and_edited,
    read_manifest,
)
from seqbench.dataset.logical import LogicalDigest
from seqbench.errors import SeqbenchError, quoted
from seqbench.files import named
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import Folder
from seqbench.notebook import section, table

FROM_THE_HUB = {".gitattributes"}  # which the Hub adds to every repository


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a check found.

    Attributes:
        checked: what was checked.
        rows: rows read.
        findings: all that is wrong; nothing if all is right.
    """

    checked: str
    rows: int
    findings: tuple[Finding, ...]

    @property
    def summary(self) -> str:
        """How much was read, and whether all is right."""
        number = len(self.findings)
        verdict = f"{number} {'thing is' if number == 1 else 'things are'} wrong" if number else "all is right"
        return f"{self.checked}: {self.rows:,} rows read; {verdict}."

    def __str__(self) -> str:
        """One line a finding, and a summary."""
        return "\n".join([*(each.what for each in self.findings), self.summary])

    def _repr_html_(self) -> str:
        """The summary in a notebook, with a row a finding."""
        rows = [(each.config, each.split, each.file, each.what) for each in self.findings]
        head = [("dataset", "split", "file", "what is wrong")] if rows else []
        return section("Check", [self.summary], table(head + rows))


def verify_folder(folder: Path, catalogue: Folder = None) -> Report:
    """Checks every file of an exported folder, and every row against the same row made again.

    Raises:
        InputError: the folder is no exported one.

    Example:
        >>> import tempfile
        >>> from seqbench.dataset.hub.folder import export
        >>> folder = Path(tempfile.mkdtemp()) / "hub"
        >>> small = {"train_examples": 10, "validation_examples": 0, "test_examples_per_length": 0}
        >>> _ = export(folder, ["parity_check"], **small)
        >>> print(verify_folder(folder).findings, verify_folder(folder).rows)
        () 10
    """
    folder = named(folder)
    manifest = read_manifest(folder)
    of_files, of_rows = [*check_files(folder, manifest)], list[Finding]()
    rows = 0
    for name, config in manifest.configs.items():
        read, found = _check_config(folder, manifest, name, config, catalogue)
        rows += read
        of_rows += found
    told = {each.file for each in of_rows if each.row is not None}  # a row that differs says more than bytes do
    findings = [each for each in of_files if each.file not in told] + of_rows
    return Report(checked=str(folder), rows=rows, findings=tuple(findings))


def check_files(folder: Path, manifest: Manifest) -> Iterator[Finding]:
    """What is wrong with the files of a folder as such: missing, foreign, other bytes."""
    missing, edited = missing_and_edited(folder, manifest)
    yield from (
        Finding(what=f"{path} does not belong here: the export does not know it.", file=path)
        for path in foreign(folder, manifest.all_files | FROM_THE_HUB)
    )
    yield from (Finding(what=f"{path} is missing.", file=path) for path in missing)
    for path in edited:
        why = "." if path == NAME else ": its bytes have another SHA-256."
        yield Finding(what=f"{path} is not as it was written{why}", file=path)


def _check_config(
    folder: Path, manifest: Manifest, name: str, config: Config, catalogue: Folder
) -> tuple[int, list[Finding]]:
    if other := other_version(name, config, catalogue):
        return 0, [Finding(what=other, config=name)]
    try:
        planned = planned_again(folder, manifest, name)
        splits = planned.splits
    except SeqbenchError as error:
        return 0, [Finding(what=f"{name}: its rows cannot be made again. {error}", config=name)]
    findings = [*_other_recipe(name, manifest, planned)]
    rows = 0
    for split in dict.fromkeys([*config.splits, *splits]):
        if split not in config.splits or split not in splits:
            findings.append(
                Finding(what=f"{name}: only one of files and recipe knows {split}.", config=name, split=split)
            )
            continue
        blocks = splits[split].blocks(range(splits[split].num_blocks))
        checker = _Checker(folder, Expected(planned.schema, blocks), {"config": name, "split": split})
        findings += checker.check(config.splits[split], splits[split].num_examples)
        rows += checker.rows
    return rows, findings


def _other_recipe(name: str, manifest: Manifest, planned: BasePlan) -> Iterator[Finding]:
    """What the manifest says of a dataset otherwise than its definition and options do.

    A later release may know more options, which are as they were by default, and name recipes in another way.
    """
    config, recipe = manifest.configs[name], json.loads(planned.recipe_json)
    facts: dict[str, tuple[Any, Any]] = {
        "recipe": (config.recipe, {key: recipe[key] for key in config.recipe if key in recipe})
    }
    if manifest.made_with.get("seqbench") == version("seqbench"):
        facts["config_id"] = config.config_id, planned.config_id
    for fact, (found, expected) in facts.items():
        if found != expected:
            what = f"{name}: {NAME} has another {fact} than its definition and options make."
            yield Finding(what=what, config=name, file=NAME, found=quoted(found), expected=quoted(expected))


class _Checker:
    """Reads the files of one split beside the rows that they should hold."""

    def __init__(self, folder: Path, expected: Expected, where: dict[str, Any]) -> None:
        self._folder, self._expected, self._where, self.rows = folder, expected, where, 0
        self._whole = LogicalDigest(expected.schema)

    def check(self, part: Part, total: int) -> list[Finding]:
        """What is wrong with the shards of a split; `total` rows are expected."""
        findings: list[Finding] = []
        with tqdm(total=total, desc=f"Verifying {self._where['config']} {self._where['split']}", unit=" rows") as bar:
            for shard in part.shards:
                findings += self._shard(shard, bar)
        if self._expected.taken < total:
            row, text = self._expected.taken, f"{self._where['config']}, split {self._where['split']}"
            findings.append(
                Finding(what=f"{text}: the rows from {row} to {total - 1} are not there.", **self._where, row=row)
            )
        whole = all((self._folder / shard.file).is_file() for shard in part.shards)
        return findings if findings or not whole else [*self._other_facts(part)]

    def _other_facts(self, part: Part) -> Iterator[Finding]:
        """What the manifest says of a split otherwise than its rows do, where all of these are right."""
        right = {"rows": self._whole.rows, "digest": self._whole.hexdigest(), "memory": self._expected.memory}
        sizes = {shard.file: (self._folder / shard.file).stat().st_size for shard in part.shards}
        facts = {fact: (getattr(part, fact), value) for fact, value in right.items()}
        facts |= {f"size of {shard.file}": (shard.size, sizes[shard.file]) for shard in part.shards}
        for fact, (found, expected) in facts.items():
            if found != expected:
                what = (
                    f"{self._where['config']}, split {self._where['split']}: {NAME} has another {fact} than its rows."
                )
                yield Finding(what=what, **self._where, found=quoted(found), expected=quoted(expected))

    def _shard(self, shard: Shard, bar: Any) -> Iterator[Finding]:
        """The first difference of a file, unless it is missing, which `check_files` says."""
        start, first = self._expected.taken, None
        if (self._folder / shard.file).is_file():  # to open a pipe would wait for ever
            first = self._first(shard, start, bar)
        self._expected.take(max(0, start + shard.rows - self._expected.taken))  # the next file starts where it should
        return iter([] if first is None else [first])

    def _first(self, shard: Shard, start: int, bar: Any) -> Finding | None:
        """The first difference of a file; its digest only if no row differs, since then the manifest is wrong."""
        where, first = {**self._where, "file": shard.file}, None
        try:
            with pq.ParquetFile(self._folder / shard.file) as file:
                digest = LogicalDigest(file.schema_arrow)
                whole = [self._whole] if file.schema_arrow.names == self._expected.schema.names else []
                batches = _taken_in(file.iter_batches(), digest, *whole)
                for rows, finding in compared(self._expected, batches, shard.file, self._where):
                    first = first or finding
                    self.rows += rows
                    bar.update(rows)
            row, end = self._expected.taken, start + shard.rows
            if first is None and row < end:
                first = Finding(what=f"{shard.file}: the rows from {row} to {end - 1} are not there.", **where, row=row)
            if first is None and digest.hexdigest() != shard.digest:
                first = Finding(what=f"{shard.file}: the rows are right, but {NAME} has another digest.", **where)
        except (OSError, pa.ArrowException, SeqbenchError) as error:
            row = self._expected.taken
            first = first or Finding(what=f"{shard.file} cannot be read from row {row} on: {error}", **where, row=row)
        return first


def _taken_in(batches: Iterator[pa.RecordBatch], *digests: LogicalDigest) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for digest in digests:
            digest.update(batch)
        yield batch
