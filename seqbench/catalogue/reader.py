"""The catalogue: TOML files in automata/ and generators/ read as checked records."""

import functools
import json
import os
import re
import shlex
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from seqbench.catalogue.citations import Citation, parse_bibtex
from seqbench.catalogue.definitions import NAME, VERSION, read_automaton, read_dataset, read_older
from seqbench.catalogue.descriptions import Description, Group, describe, parse_groups
from seqbench.catalogue.schema import Automaton, Dataset, TaskDataset
from seqbench.errors import DefinitionError, SeqbenchError, UnknownNameError, quoted, unknown_name

VARIABLE = "SEQBENCH_CATALOGUE"
_OLDER = re.compile(rf"({NAME.pattern})@({VERSION.pattern})")  # NAME@1.0.0.toml: how an older data version was made


class Catalogue:
    """The languages and datasets of one or more folders; a later folder's names hide an earlier one's.

    A file `NAME@1.0.0.toml` is the definition that an older data version of NAME had.
    """

    def __init__(self, *roots: Traversable) -> None:
        """A catalogue of folders that hold automata/ and generators/, sub-folders included."""
        self._automata = _index(roots, "automata")
        files = _index(roots, "generators")
        self._datasets = {stem: file for stem, file in files.items() if "@" not in stem}
        self._older = {stem: file for stem, file in files.items() if "@" in stem}
        self._own = str(roots[-1]) if len(roots) > 1 else None
        self.digests_file = roots[0] / "generators" / "digests.json"
        self.cards = roots[0] / "cards"

    @property
    def automata(self) -> list[str]:
        """Names of all languages."""
        return sorted(self._automata)

    @property
    def datasets(self) -> list[str]:
        """Names of all datasets."""
        return sorted(self._datasets)

    @property
    def older(self) -> list[tuple[str, str]]:
        """Names and data versions of all definitions of older versions that are kept."""
        return [(name, version) for name, _, version in (stem.partition("@") for stem in sorted(self._older))]

    def file_of(self, name: str) -> str:
        """Where a language's definition lies."""
        return str(self._automata[name])

    @functools.cached_property
    def digests(self) -> dict[str, Any]:
        """Golden digests of the built-in datasets by name (see dataset.golden)."""
        file = self.digests_file
        return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else {}

    @functools.cached_property
    def citations(self) -> tuple[Citation, ...]:
        """The papers that built-in datasets come from."""
        file = self.cards / "sources.bib"
        return parse_bibtex(file.read_text(encoding="utf-8")) if file.is_file() else ()

    @functools.cached_property
    def groups(self) -> tuple[Group, ...]:
        """The groups of built-in datasets, with what each dataset is."""
        file = self.cards / "definitions.toml"
        return parse_groups(file.read_text(encoding="utf-8")) if file.is_file() else ()

    def is_built_in(self, dataset: str) -> bool:
        """Whether the definition of a dataset is seqbench's own."""
        return Path(str(self.digests_file)).parent in Path(self.file(self.name_of(dataset))).parents

    def command(self, words: str, dataset: str | None = None) -> str:
        """A command line for hints; it names the user's own folder, unless it is about a built-in dataset.

        Example:
            >>> open_catalogue().command("draw dyck_d6", "dyck_d6")
            'seqbench draw dyck_d6'
        """
        own = self._own is not None and (dataset is None or not self.is_built_in(dataset))
        return f"seqbench {words}" + (f" --catalogue {shlex.quote(str(self._own))}" if own else "")

    def describe(self, dataset: str, parameters: Mapping[str, Any]) -> Description:
        """What a dataset is in words; of a user's own, its title.

        Example:
            >>> open_catalogue().describe("tomita_4", {}).definition
            'All words over 0 and 1 without the block 000.'
        """
        found = describe(dataset, parameters, self.groups) if self.is_built_in(dataset) else None
        return found or Description("", self.dataset(dataset).title, ())

    @functools.cache  # noqa: B019 -- catalogues are few and live as long as the process
    def automaton(self, name: str) -> Automaton:
        """The language of a name.

        Raises:
            UnknownNameError: no such language.
            DefinitionError: its file cannot be used.
        """
        if name not in self._automata:
            raise unknown_name("language", name, self._automata)
        return read_automaton(self._automata[name])

    def file(self, dataset: str, version: str | None = None) -> str:
        """The file that defines a dataset, as it is or as a data version was."""
        return str(self._older.get(f"{dataset}@{version}", self._datasets[dataset]))

    @functools.cached_property
    def _others(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """Aliases and presets, with what they stand for; only files that speak of them are parsed."""
        found: dict[str, tuple[str, dict[str, Any]]] = {}
        for name, file in self._datasets.items():
            if re.search(rb"^(aliases|\[?presets)", file.read_bytes(), re.MULTILINE):
                record = self.dataset(name)
                found |= {alias: (name, {}) for alias in getattr(record, "aliases", ())}
                found |= {preset: (name, chosen) for preset, chosen in getattr(record, "presets", {}).items()}
        return found

    @property
    def names(self) -> list[str]:
        """All names that stand for a dataset: its own, its aliases, its presets."""
        return sorted({*self._datasets, *self._others})

    def resolve(self, name: str) -> tuple[str, dict[str, Any]]:
        """The dataset that a name stands for, and the options that a preset chooses; unknown names as they are.

        Example:
            >>> open_catalogue().resolve("memory_airy_a04")
            ('memory_airy', {'alpha': 0.4})
        """
        return (name, {}) if name in self._datasets else self._others.get(name, (name, {}))

    def name_of(self, name: str) -> str:
        """The name of the dataset that a name stands for; unknown names as they are.

        Example:
            >>> open_catalogue().name_of("missing_duplicate_string")
            'missing_duplicate'
        """
        return self.resolve(name)[0] if isinstance(name, str) else name

    @functools.cache  # noqa: B019 -- catalogues are few and live as long as the process
    def dataset(self, name: str, version: str | None = None) -> Dataset | TaskDataset:
        """The dataset of a name: as it is, or as an older data version was if its definition is still there.

        Raises:
            UnknownNameError: no such dataset.
            DefinitionError: its file cannot be used.
        """
        older = self._older.get(f"{name}@{version}")
        if name not in self._datasets:
            if older is not None:
                raise DefinitionError(f"{older}: there is no {name}.toml that it belongs to. Add that, or remove this.")
            raise unknown_name("dataset", name, self.names, f"`{self.command('list')}` shows all.")
        if older is not None:
            return read_older(older, self.dataset(name))
        found = read_dataset(self._datasets[name])
        if twin := self._older.get(f"{name}@{found.version}"):
            raise DefinitionError(
                f"{twin}: version {found.version!r} is that of {self._datasets[name]}, and one version has one file. "
                "Remove one of them."
            )
        if found.superseded_by is not None and found.superseded_by not in self._datasets:
            error = unknown_name("dataset (named by `superseded_by`)", found.superseded_by, self._datasets)
            raise DefinitionError(f"{self._datasets[name]}: {error}")
        return found


def open_catalogue(folder: str | os.PathLike[str] | None = None) -> Catalogue:
    """The built-in catalogue, with a user's own folder (by default the one SEQBENCH_CATALOGUE names) on top.

    Raises:
        UnknownNameError: the folder does not exist.
        DefinitionError: the folder holds neither automata/ nor generators/.

    Example:
        >>> "dyck_d6" in open_catalogue().datasets
        True
    """
    folder = folder if folder is not None else os.environ.get(VARIABLE) or None
    if folder is None:
        return _open(None, ())
    path = _place(folder)
    try:
        return _open(str(path), _state(path))
    except OSError as error:
        if isinstance(error, SeqbenchError):
            raise
        raise DefinitionError(f"The catalogue folder {folder!r} cannot be read: {error}.") from None


def own_folder(name: str, folder: str | os.PathLike[str] | None = None) -> str | None:
    """The absolute path of the folder to read for a name: the given one, or where it defines the name that of VARIABLE.

    So a run or a report can say where its dataset came from. None for a built-in dataset.
    """
    if folder is not None:
        return str(_place(folder))
    own = os.environ.get(VARIABLE)
    if not own or open_catalogue().name_of(name) in _open(None, ()).datasets:
        return None
    return str(_place(own))


def _place(folder: str | os.PathLike[str]) -> Path:
    """The absolute path of a catalogue folder.

    Raises:
        DefinitionError: no path, an empty one, or one with an unknown user.
    """
    try:
        if not os.fspath(folder):
            raise ValueError("it is empty")
        return Path(folder).expanduser().resolve()
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise DefinitionError(
            f"The catalogue folder {quoted(folder)} cannot be read: {error}. Give the path of a folder."
        ) from None


def _state(folder: Path) -> tuple[tuple[str, int], ...]:
    """All definitions with their times of change: an edited file is read again, in a notebook too."""
    files = [file for part in ("automata", "generators") for file in (folder / part).rglob("*.toml")]
    return tuple(sorted((str(file), file.stat().st_mtime_ns) for file in files))


@functools.lru_cache(maxsize=64)
def _open(folder: str | None, state: tuple[tuple[str, int], ...]) -> Catalogue:
    del state
    built_in = files("seqbench") / "_catalogue"
    if not built_in.is_dir():  # a source tree: the folders lie beside the package
        built_in = Path(str(files("seqbench"))).parent
    if folder is None:
        return Catalogue(built_in)
    root = Path(folder)
    if not root.is_dir():
        raise UnknownNameError(
            f"There is no catalogue folder {folder!r}. Give a folder with automata/ and generators/."
        )
    if not any((root / part).is_dir() for part in ("automata", "generators")):
        raise DefinitionError(
            f"The folder {folder!r} holds neither automata/ nor generators/. Make at least one of them."
        )
    return Catalogue(built_in, root)


def _index(roots: tuple[Traversable, ...], part: str) -> dict[str, Traversable]:
    """All TOML files of a part by stem."""
    names: dict[str, Traversable] = {}
    for root in roots:
        here: dict[str, Traversable] = {}
        for file in _toml_files(root / part):
            stem = file.name.removesuffix(".toml")
            if not NAME.fullmatch(stem) and not (part == "generators" and _OLDER.fullmatch(stem)):
                raise DefinitionError(f"{file}: the name {stem!r} cannot be used. Use a-z, 0-9 and _, a letter first.")
            if stem in here:
                raise DefinitionError(f"{file}: the name {stem!r} is taken by {here[stem]}. Rename one of the files.")
            here[stem] = file
        # A name hides its older versions too: they are of another dataset.
        names = {stem: file for stem, file in names.items() if stem.partition("@")[0] not in here} | here
    return names


def _toml_files(folder: Traversable) -> list[Traversable]:
    if not folder.is_dir():
        return []
    found: list[Traversable] = []
    try:
        entries = sorted(folder.iterdir(), key=lambda each: each.name)
    except OSError as error:
        raise DefinitionError(f"{folder}: it cannot be read: {error.strerror or error}.") from None
    for entry in entries:
        if entry.is_dir():
            found += _toml_files(entry)
        elif entry.name.endswith(".toml"):
            if not entry.is_file():  # a dangling link, a pipe: reading it would fail or never end
                raise DefinitionError(f"{entry}: it is not a regular file. Remove it or rename it.")
            found.append(entry)
    return found
