"""Datasets as one Hub-ready folder, written whole or not at all."""

import json
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from seqbench.catalogue.reader import Catalogue, open_catalogue
from seqbench.catalogue.recipe import plain
from seqbench.dataset.hub.croissant import croissant
from seqbench.dataset.hub.definitions import write_definitions
from seqbench.dataset.hub.difference import differences
from seqbench.dataset.hub.manifest import (
    FORMAT,
    NAME,
    Config,
    Manifest,
    encode,
    foreign,
    missing_and_edited,
    read_manifest,
    sealed,
)
from seqbench.dataset.hub.page import eval_yaml, readme
from seqbench.dataset.hub.shards import SHARD_BYTES, write_split
from seqbench.errors import InputError, unknown_name
from seqbench.files import named, put_in_place, sha256_of, workplace
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import Folder, plan

_LIBRARIES = ("seqbench", "datasets", "pyarrow", "numpy")


def export(  # the command's options, each of its own
    out: Path,
    names: Iterable[str] = (),
    *,
    catalogue: Folder = None,
    force: bool = False,
    shard_bytes: int = SHARD_BYTES,
    **options: Any,
) -> tuple[Manifest, list[str]]:
    """Writes datasets as a folder that `datasets.load_dataset` reads without seqbench, and that the Hub shows.

    Args:
        out: a new or empty folder, or an older export.
        names: the datasets; all by default.
        catalogue: a folder with definitions of your own.
        force: replace an older export.
        shard_bytes: size of a Parquet file's rows in memory, about.
        **options: of the datasets.

    Returns:
        What the folder holds, and how it differs from the export that it replaced.

    Raises:
        UnknownNameError: for a dataset or option that does not exist.
        InputError: the folder holds an older export and `force` is not given, holds something else or files that were
            edited, or cannot be written. In no case is anything lost.

    Example:
        >>> import tempfile
        >>> small = {"train_examples": 10, "validation_examples": 0, "test_examples_per_length": 0}
        >>> manifest, _ = export(Path(tempfile.mkdtemp()) / "hub", ["parity_check"], **small)
        >>> manifest.rows
        10
    """
    out, opened = named(out), open_catalogue(catalogue)
    options = {key: plain(value) for key, value in options.items()}
    plans = {name: plan(name, catalogue, **options) for name in _chosen(list(names), opened)}
    try:
        old, lost = _older(out)
        if old is not None and not force and (found := differences(old, _outline(plans, opened, options)) + lost):
            raise _refusal(out, found)  # known before any row is made
        with workplace(out) as place:
            (place / "whole").mkdir()
            manifest = _write(place / "whole", plans, opened, options, shard_bytes)
            found = lost + ([] if old is None else differences(old, manifest))
            if old is None or force or found:
                _put(place / "whole", out, found, force=force)
    except OSError as error:
        raise InputError(
            f"{str(out)!r} cannot be written: {error.strerror or error}. Nothing was changed; name another folder."
        ) from error
    return manifest, found


def _chosen(names: list[str], catalogue: Catalogue) -> list[str]:
    for name in names:
        if name not in catalogue.names:
            raise unknown_name("dataset", name, catalogue.names, f"`{catalogue.command('list')}` shows all.")
    return list(dict.fromkeys(names)) or catalogue.datasets


def _older(out: Path) -> tuple[Manifest | None, list[str]]:
    """The manifest of an export that lies there, and what it has lost; None for a new or empty folder.

    Raises:
        InputError: a link, a file, or a folder that holds anything that is not as an export wrote it.
    """
    if out.is_symlink():
        raise InputError(f"{str(out)!r} is a link, and links are never followed. Name the folder itself.")
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return None, []
    if not (out / NAME).exists():
        raise InputError(
            f"{str(out)!r} is there already and is no export: nothing of yours is ever replaced. Name a new folder."
        )
    old = read_manifest(out)
    missing, edited = missing_and_edited(out, old)
    for what, others in (("seqbench did not write", foreign(out, old.all_files)), ("was changed since", edited)):
        if others:
            raise InputError(
                f"{str(out)!r} holds what {what} ({', '.join(others[:3])}{', ...' if others[3:] else ''}): nothing of "
                "yours is ever replaced. Move these files away, or name a new folder; --force makes lost files again."
            )
    return old, [f"file {path} is missing" for path in missing]


def _outline(plans: Mapping[str, BasePlan], opened: Catalogue, options: dict[str, Any]) -> Manifest:
    """The manifest without rows: what is known before any is made."""
    configs = {
        name: Config(
            version=planned.version,
            config_id=planned.config_id,
            built_in=opened.is_built_in(name),
            recipe=_resolved(planned),
            splits={},
        )
        for name, planned in plans.items()
    }
    made_with = {library: version(library) for library in _LIBRARIES}
    return Manifest(format=FORMAT, made_with=made_with, options=options, configs=configs, files={})


def _resolved(planned: BasePlan) -> dict[str, Any]:
    return dict(json.loads(planned.recipe_json))


def _write(
    folder: Path, plans: Mapping[str, BasePlan], opened: Catalogue, options: dict[str, Any], shard_bytes: int
) -> Manifest:
    manifest, configs = _outline(plans, opened, options), {}
    for name, planned in plans.items():
        if not planned.splits:
            raise InputError(f"{name} has no row to write: all numbers of examples are 0. Raise one of them.")
        write_definitions(opened, name, planned.version, folder)
        parts = {split: write_split(name, planned, split, folder, shard_bytes) for split in planned.splits}
        configs[name] = msgspec.structs.replace(manifest.configs[name], splits=parts)
    manifest = msgspec.structs.replace(manifest, configs=configs)
    texts = {
        "README.md": readme(plans, manifest, opened),
        "croissant.json": croissant(plans, manifest),
        "eval.yaml": eval_yaml(plans, manifest),
    }
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8", newline="\n")
    shards = {shard.file for _, _, shard in manifest.shards()}
    others = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    files = {file: sha256_of(folder / file) for file in others if file not in shards}
    manifest = sealed(msgspec.structs.replace(manifest, files=files))
    (folder / NAME).write_bytes(encode(manifest))
    return manifest


def _put(new: Path, out: Path, found: list[str], *, force: bool) -> None:
    """Puts the new folder in place, unless another process has put something there meanwhile."""
    older, _ = _older(out)
    if older is not None and not force:
        raise _refusal(out, found)
    put_in_place(new, out)


def _refusal(out: Path, found: list[str]) -> InputError:
    lines = "".join(f"\n  {line}" for line in found)
    return InputError(
        f"{str(out)!r} holds an older export{', which differs:' if found else '.'}{lines}\n"
        "Nothing was changed. Add --force to replace it, or name a new folder."
    )
