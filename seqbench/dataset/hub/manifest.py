"""seqbench.json: what an exported folder holds and what made it, so that anyone can check it and make it again."""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from datasets.utils import tqdm

from seqbench.errors import InputError, quoted
from seqbench.files import sha256_of

NAME = "seqbench.json"
FORMAT = 1
HUB_CACHE = ".cache/huggingface"
"""Where the Hub's own tools note what they have up- or downloaded."""
_NOTES = re.compile(rf"{re.escape(HUB_CACHE)}/(\.gitignore|CACHEDIR\.TAG|(up|down)load/.*\.(metadata|lock|incomplete))")
_LONGEST_NAME = 255  # bytes, on every file system there is
_DEEPEST = 8  # folders within each other, more than an export or the Hub's tools make
ANEW = "Move the folder away, and export anew."


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
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{str(file)!r} cannot be read: {error}. {ANEW}") from None
    if manifest.format != FORMAT:
        made_by = quoted(manifest.made_with.get("seqbench", "unknown"))
        raise InputError(
            f"{str(file)!r} has format {quoted(manifest.format)}; this release reads format {FORMAT}. Use the release "
            f"that made it; it gives its version as {made_by}."
        )
    for path in manifest.all_files:
        if not _is_plain(path):
            raise InputError(f"{str(file)!r} names the file {quoted(path)}, which no export holds. {ANEW}")
    return manifest


def _is_plain(path: str) -> bool:
    """Whether a path can be that of a file within a folder: not absolute, without parts such as `..`, printable.

    Example:
        >>> [_is_plain(path) for path in ("a/train.parquet", "a/../../b", "/etc/passwd", "a" * 256)]
        [True, False, False, False]
    """
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or "\\" in path or ".." in parts or not path.isprintable():
        return False
    return len(parts) <= _DEEPEST and all(len(part.encode()) <= _LONGEST_NAME for part in parts)


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


def missing_and_edited(folder: Path, manifest: Manifest, under: str = "") -> tuple[list[str], list[str]]:
    """The files of an exported folder that are not there, and those with other bytes.

    Args:
        folder: where it is.
        manifest: what it should hold; a file too.
        under: the beginning of the paths that are looked at, besides the manifest.
    """
    files = manifest.files | {shard.file: shard.sha256 for _, _, shard in manifest.shards()}
    wanted = {path: sha256 for path, sha256 in files.items() if path.startswith(under)}
    missing, edited = [], []
    if encode(manifest) != (folder / NAME).read_bytes() or sealed(manifest).seal != manifest.seal:
        edited.append(NAME)
    for path, sha256 in tqdm(wanted.items(), desc="Checking files", unit=" files"):
        file = folder / path
        if file.is_symlink() or not file.is_file():
            missing.append(path)
        elif sha256_of(file) != sha256:
            edited.append(path)
    return missing, edited


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
    return sorted(path for path, fits in _walk(folder, "", known, folders) if not fits)


def _walk(folder: Path, prefix: str, known: set[str], folders: set[str]) -> Iterator[tuple[str, bool]]:
    """All paths, with whether they belong there; nothing below a folder that does not."""
    with os.scandir(folder / prefix) as entries:
        for entry in entries:
            path = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                fits = path in folders or _is_noted(f"{path}/")
                yield path, fits
                yield from _walk(folder, f"{path}/", known, folders) if fits else ()
            else:
                yield path, not entry.is_symlink() and (path in known or _NOTES.fullmatch(path) is not None)


def _is_noted(path: str) -> bool:
    """Whether a folder is one of the Hub's tools' own."""
    below = path.startswith((f"{HUB_CACHE}/upload/", f"{HUB_CACHE}/download/")) and path.count("/") <= _DEEPEST
    return below or f"{HUB_CACHE}/".startswith(path)
