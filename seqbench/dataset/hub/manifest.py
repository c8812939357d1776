"""seqbench.json: what an exported folder holds and what made it, so that anyone can check it and make it again."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from seqbench.errors import InputError, quoted

NAME = "seqbench.json"
FORMAT = 1
HUB_CACHE = ".cache/huggingface"  # where the Hub's own tools note what they have up- or downloaded
_CHUNK = 1 << 20


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """One Parquet file.

    Attributes:
        file: its path in the folder.
        rows: how many it holds.
        digest: logical digest of its rows.
        size: in bytes.
        sha256: of its bytes.
    """

    file: str
    rows: int
    digest: str
    size: int
    sha256: str


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One split: rows, logical digest, size of the rows in memory, files in order."""

    rows: int
    digest: str
    memory: int
    shards: tuple[Shard, ...]


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """One dataset.

    Attributes:
        version: of its data.
        config_id: tells its recipe from others of the same dataset.
        built_in: whether a release of seqbench defines it; otherwise its definition is a user's own.
        recipe: all options, resolved.
        splits: by name.
    """

    version: str
    config_id: str
    built_in: bool
    recipe: dict[str, Any]
    splits: dict[str, Part]

    @property
    def digest(self) -> str:
        """Digest of all rows of all splits."""
        text = "\n".join(f"{name} {part.digest}" for name, part in self.splits.items())
        return hashlib.sha256(text.encode()).hexdigest()


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """All of seqbench.json.

    Attributes:
        format: of this file.
        made_with: versions of seqbench and the libraries under it.
        options: what was asked for, otherwise than the definitions say.
        configs: the datasets by name.
        files: SHA-256 of every file that is neither Parquet nor this one, by path.
        seal: SHA-256 of this file with an empty seal.
    """

    format: int
    made_with: dict[str, str]
    options: dict[str, Any]
    configs: dict[str, Config]
    files: dict[str, str]
    seal: str = ""

    def shards(self) -> Iterator[tuple[str, str, Shard]]:
        """All Parquet files, with the names of their dataset and split."""
        for name, config in self.configs.items():
            for split, part in config.splits.items():
                yield from ((name, split, shard) for shard in part.shards)

    @property
    def all_files(self) -> set[str]:
        """Paths of all files of the folder."""
        return {NAME, *self.files, *(shard.file for _, _, shard in self.shards())}

    @property
    def rows(self) -> int:
        """Rows in all."""
        return sum(shard.rows for _, _, shard in self.shards())


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an exported folder.

    Raises:
        InputError: the folder is not there or was not exported, or its manifest cannot be read.
    """
    if not folder.is_dir():
        raise InputError(f"There is no folder {str(folder)!r}. Name one that `seqbench export` made.")
    file = folder / NAME
    if file.is_symlink() or not file.is_file():
        raise InputError(
            f"{str(folder)!r} holds no {NAME}, so it is no exported folder. Make one: seqbench export DIR."
        )
    try:
        manifest = msgspec.json.decode(file.read_bytes(), type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"{str(file)!r} cannot be read: {error}. Export the folder again.") from None
    if manifest.format != FORMAT:
        raise InputError(
            f"{str(file)!r} has format {manifest.format}; this release reads format {FORMAT}. "
            f"Use seqbench {manifest.made_with.get('seqbench', 'of another release')}."
        )
    for path in manifest.all_files:
        if _leads_out(path):
            raise InputError(
                f"{str(file)!r} names the file {quoted(path)}, which lies outside the folder. Export the folder again."
            )
    return manifest


def _leads_out(path: str) -> bool:
    """Whether a path within a folder is no plain one: absolute, or with parts such as `..`.

    Example:
        >>> _leads_out("a/train.parquet"), _leads_out("a/../../b"), _leads_out("/etc/passwd")
        (False, True, True)
    """
    parts = PurePosixPath(path).parts
    return not parts or path.startswith("/") or "\\" in path or ".." in parts or "\0" in path


def encode(manifest: Manifest) -> bytes:
    """The text of seqbench.json."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"


def sealed(manifest: Manifest) -> Manifest:
    """The manifest with its seal.

    Example:
        >>> empty = Manifest(format=1, made_with={}, options={}, configs={}, files={})
        >>> len(sealed(empty).seal), sealed(sealed(empty)) == sealed(empty)
        (64, True)
    """
    bare = msgspec.structs.replace(manifest, seal="")
    return msgspec.structs.replace(bare, seal=hashlib.sha256(encode(bare)).hexdigest())


def sha256_of(file: Path) -> str:
    """SHA-256 of a file's bytes."""
    state = hashlib.sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            state.update(chunk)
    return state.hexdigest()


def foreign(folder: Path, known: set[str]) -> list[str]:
    """What lies in a folder besides the known files and their folders; links are foreign and never followed.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "a").write_text("1"), (folder / "b").write_text("2")
        >>> foreign(folder, {"a"})
        ['b']
    """
    folders = {parent.as_posix() for file in known for parent in Path(file).parents}
    found = []
    for path, entry in _walk(folder, ""):
        fits = path in folders if entry.is_dir(follow_symlinks=False) else path in known
        if entry.is_symlink() or not fits:
            found.append(path)
    return sorted(found)


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder / prefix) as entries:
        for entry in entries:
            path = f"{prefix}{entry.name}"
            if path == HUB_CACHE.split("/", maxsplit=1)[0] and _only_hub_cache(folder):
                continue
            yield path, entry
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(folder, f"{path}/")


def _only_hub_cache(folder: Path) -> bool:
    outer = folder / HUB_CACHE.split("/", maxsplit=1)[0]
    return not outer.is_symlink() and [entry.name for entry in outer.iterdir()] == [HUB_CACHE.split("/")[1]]
