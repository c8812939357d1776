"""The TOML files that made an exported folder, kept in it: with them it can be made again, longer too."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from seqbench.catalogue.reader import Catalogue, open_catalogue
from seqbench.dataset.hub.manifest import ANEW, NAME, Config, Manifest, missing_and_edited
from seqbench.errors import InputError, unknown_name
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import Folder, plan

FOLDER = "definitions"


def write_definitions(catalogue: Catalogue, name: str, version: str, folder: Path) -> None:
    """Copies a dataset's definition, and those of the languages that it names, into a folder's definitions/.

    That of an older data version goes with the present one, whose history it belongs to.
    """
    name = catalogue.name_of(name)
    names = set(_texts(msgspec.to_builtins(catalogue.dataset(name, version))))
    sources = {catalogue.file(name), catalogue.file(name, version)}
    files = {f"generators/{Path(source).name}": source for source in sources}
    files |= {f"automata/{each}.toml": catalogue.file_of(each) for each in catalogue.automata if each in names}
    for path, source in files.items():
        target = folder / FOLDER / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(Path(source).read_bytes())


def _texts(value: Any) -> Iterator[str]:
    """All texts in nested data: a language's name is among them, whatever key holds it."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def planned_again(folder: Path, manifest: Manifest, name: str, **more: Any) -> BasePlan:
    """The plan of a dataset of an exported folder, from the folder's own definitions and options.

    Raises:
        InputError: this release makes another version of its data.
        SeqbenchError: its definition is gone or cannot be used.
    """
    if name not in manifest.configs:
        raise unknown_name("dataset in this folder", name, manifest.configs)
    config = manifest.configs[name]
    if other := other_version(name, config):
        raise InputError(other)
    if reserved := [key for key in ("name", "catalogue") if key in manifest.options]:
        raise InputError(f"{NAME} holds the option {reserved[0]!r}, which no dataset has. {ANEW}")
    stem = open_catalogue().name_of(name)
    if not (folder / FOLDER / "generators" / f"{stem}.toml").is_file():
        raise InputError(f"{FOLDER}/generators/{stem}.toml is missing, so the rows cannot be made again. {ANEW}")
    found = plan(name, folder / FOLDER, **(manifest.options | more))
    if found.version != config.version:
        raise InputError(
            f"{name}: the manifest says data version {config.version}, the definition in the folder {found.version}. "
            f"One of them was edited. {ANEW}"
        )
    return found


def check_definitions(folder: Path, manifest: Manifest) -> None:
    """Nothing, if the definitions of a folder and its manifest are as they were exported.

    Raises:
        InputError: one of them is missing or was edited.
    """
    missing, edited = missing_and_edited(folder, manifest, under=f"{FOLDER}/")
    if damaged := missing + edited:
        raise InputError(f"{damaged[0]} is not as it was exported. {ANEW}")


def other_version(name: str, config: Config, catalogue: Folder = None) -> str:
    """What is wrong if this release makes another version of a built-in dataset; nothing if it makes the same."""
    opened = open_catalogue(catalogue)
    if not config.built_in or name not in opened.names:
        return ""
    here = opened.dataset(opened.name_of(name), config.version).version
    if here == config.version:
        return ""
    return (
        f"The folder holds data version {config.version} of {name}; this release of seqbench makes {here}. "
        "Install the release that made the folder (see `made_with` in seqbench.json), or export it again."
    )
