"""A split as Parquet shards that are quick to open, to page through and to check."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from datasets.utils import tqdm

from seqbench.dataset.builder import features_of
from seqbench.dataset.hub.manifest import Part, Shard
from seqbench.dataset.logical import LogicalDigest
from seqbench.files import sha256_of
from seqbench.generation.base_plan import BasePlan

SHARD_BYTES = 500_000_000
"""Size of a shard's rows in memory at most (one block more at worst); its file is several times smaller."""

# A viewer reads whole row groups to show a hundred rows of them.
_GROUP_ROWS = 65_536
_GROUP_BYTES = 32_000_000


def write_split(name: str, planned: BasePlan, split: str, folder: Path, limit: int = SHARD_BYTES) -> Part:
    """Writes a split as `NAME/SPLIT-00000-of-0000N.parquet` into a folder; returns rows and digests.

    Where a shard ends depends on the rows alone, never on how well they compress.

    Example:
        >>> import tempfile
        >>> from seqbench.generation.plan import plan
        >>> part = write_split("few", plan("parity_check", train_examples=10), "train", Path(tempfile.mkdtemp()))
        >>> part.rows, part.shards[0].file
        (10, 'few/train-00000-of-00001.parquet')
    """
    (folder / name).mkdir(exist_ok=True)
    whole, memory = LogicalDigest(planned.schema), 0
    shards: list[tuple[Path, LogicalDigest]] = []
    for batches in _in_shards(planned, split, limit):
        digest, written = LogicalDigest(planned.schema), folder / name / f"{split}.part{len(shards)}"
        memory += _write(features_of(planned).arrow_schema, batches, written, (digest, whole))
        shards.append((written, digest))
    files = [f"{name}/{split}-{i:05d}-of-{len(shards):05d}.parquet" for i in range(len(shards))]
    for (written, _), file in zip(shards, files, strict=True):
        written.rename(folder / file)
    done = tuple(_shard(folder, file, digest) for file, (_, digest) in zip(files, shards, strict=True))
    return Part(rows=whole.rows, digest=whole.hexdigest(), memory=memory, shards=done)


def _shard(folder: Path, name: str, digest: LogicalDigest) -> Shard:
    file = folder / name
    size = file.stat().st_size
    return Shard(file=name, rows=digest.rows, digest=digest.hexdigest(), size=size, sha256=sha256_of(file))


def _in_shards(planned: BasePlan, split: str, limit: int) -> Iterator[Iterator[pa.RecordBatch]]:
    """The blocks of a split, shard by shard; each must be read to its end before the next."""
    part = planned.splits[split]
    blocks = part.blocks(range(part.num_blocks))
    bar = tqdm(blocks, desc=f"Writing {planned.name} {split}", total=part.num_blocks, unit=" blocks")
    batches = iter(bar)

    def shard(first: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        size = first.nbytes
        yield first
        while size < limit and (batch := next(batches, None)) is not None:
            size += batch.nbytes
            yield batch

    while (first := next(batches, None)) is not None:
        yield shard(first)


def _write(schema: pa.Schema, batches: Iterator[pa.RecordBatch], file: Path, digests: tuple[LogicalDigest, ...]) -> int:
    """Writes batches as one file and takes them into the digests; returns their size in memory."""
    size = 0
    with pq.ParquetWriter(file, schema, compression="zstd", write_page_index=True) as writer:
        for group in _in_groups(batches):
            for batch in group:
                size += batch.nbytes
                for digest in digests:
                    digest.update(batch)
            writer.write_table(pa.Table.from_batches(group).cast(schema), row_group_size=_GROUP_ROWS)
    return size


def _in_groups(batches: Iterator[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    group: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        if group and (rows + batch.num_rows > _GROUP_ROWS or size + batch.nbytes > _GROUP_BYTES):
            yield group
            group, rows, size = [], 0, 0
        group.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
    if group:
        yield group
