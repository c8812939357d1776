"""One definition: a TOML file read as a checked record."""

import re
import tomllib
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import msgspec

from seqbench.catalogue.recipe import OPTIONS, TASK_OPTIONS, check_options
from seqbench.catalogue.schema import Automaton, Change, Claims, Dataset, State, TaskDataset
from seqbench.errors import DefinitionError, SeqbenchError, nearest, quoted

T = TypeVar("T", Automaton, Dataset, TaskDataset)

NAME = re.compile(r"[a-z][a-z0-9_]*")
VERSION = re.compile(r"\d+\.\d+\.\d+")
_WORDS = {"Object": "The table",
          "`object`": "a table", "`array`": "a list", "`str`": "text", "`int`": "a whole number",
          "`bool`": "true or false", "`array | null`": "a list", "`object | array`": "a table or a list of tables",
          "`str | null`": "text", "`int | null`": "a whole number", "`bool | null`": "true or false",
          " - at `$.": " at `"}  # fmt: skip
_EXAMPLES = {
    "title": 'title = "Is the number of 1s odd?"',
    "source": 'source = "the paper that it comes from"',
    "automaton": 'automaton = "tomita_3"',
    "task": 'task = "reverse_string"',
    "version": 'version = "1.0.0"',
    "history": 'history = [{ version = "1.0.0", change = "First release." }]',
    "change": 'change = "First release."',
    "state": 'state = "even"',
}
"""A line for each key that cannot be left out."""
_PARTS: dict[str, type[msgspec.Struct]] = {"claims": Claims, "table": State, "history": Change}


def read_automaton(file: Traversable) -> Automaton:
    """The checked language of a file anywhere.

    Raises:
        DefinitionError: naming the file, the key and the nearest valid word.
    """
    return _read(file, Automaton)


def read_dataset(file: Traversable) -> Dataset | TaskDataset:
    """A dataset over a language, or of a task kind where the file has the key `task`."""
    is_task = file.is_file() and re.search(r"^task\s*=", file.read_bytes().decode(errors="replace"), re.MULTILINE)
    return _read(file, TaskDataset) if is_task else _read(file, Dataset)


def read_older(file: Traversable, present: Dataset | TaskDataset) -> Dataset | TaskDataset:
    """The dataset of a file NAME@VERSION.toml, which the history of the present one must know."""
    found, (name, version) = read_dataset(file), file.name.removesuffix(".toml").split("@")
    if found.version != version:
        raise DefinitionError(f"{file}: its version is {found.version!r}, its name says {version!r}. Rename the file.")
    if version not in (known := [entry.version for entry in present.history]):
        raise DefinitionError(
            f"{file}: the [[history]] of {name}.toml has no version {version!r}, but {', '.join(known)}. "
            "Add it there, or remove this file."
        )
    return found


def _read(file: Traversable, record: type[T]) -> T:
    """The checked record of a file.

    Raises:
        DefinitionError: naming the file, the key and the nearest valid word.
    """
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        if record is not Automaton:
            known = OPTIONS if record is Dataset else TASK_OPTIONS
            options = check_options({key: value for key, value in data.items() if key in known}, known)
            data |= {key: msgspec.to_builtins(value) for key, value in options.items()}
        checked = msgspec.convert(data, record)
        _CHECKS[record](checked)
    except msgspec.ValidationError as error:
        raise DefinitionError(f"{file}: {_explain(str(error), record)}") from None
    except tomllib.TOMLDecodeError as error:
        raise DefinitionError(
            f"{file}: it is not TOML: {error}. Mend it there; https://toml.io has the rules."
        ) from None
    except UnicodeDecodeError as error:
        raise DefinitionError(
            f"{file}: it is not text in UTF-8 (byte {error.object[error.start]:#04x} at position {error.start}). "
            "Save it as UTF-8, or move it out of the catalogue."
        ) from None
    except (OSError, SeqbenchError) as error:
        raise DefinitionError(f"{file}: {error}") from None
    except RecursionError:
        raise DefinitionError(f"{file}: it is nested too deeply. A definition has two levels at most.") from None
    return checked


def _explain(message: str, record: type[Any]) -> str:
    """The validation message; of a key that does not exist the nearest one, of one that is missing an example."""
    if missing := re.fullmatch(r"Object missing required field `(\w+)`(?: - at `\$\.(.+)`)?", message):
        key, part = missing.groups()
        where = f" in `{part}`" if part else ""
        return f"The key `{key}` is needed{where}, and is not there. Add it, for example: {_EXAMPLES[key]}"
    unknown, place = re.search(r"unknown field `([^`]+)`", message), re.search(r"at `\$\.(\w+)", message)
    keys = _PARTS.get(place[1] if place else "", record).__struct_fields__
    close = nearest(unknown[1], keys) if unknown else []
    hint = f" Did you mean {close[0]!r}?" if close else ""
    for theirs, ours in _WORDS.items():
        message = message.replace(theirs, ours)
    return message.rstrip(".") + "." + hint


def _check_automaton(automaton: Automaton) -> None:
    given = [key for key in ("regex", "table", "grammar", "family") if getattr(automaton, key) is not None]
    if len(given) != 1:
        found = " and ".join(given) or "no definition"
        raise DefinitionError(f"It has {found}. Give exactly one of regex, table, grammar, family.")
    if automaton.family is None and automaton.alphabet is None:
        raise DefinitionError(f"A {given[0]} needs `alphabet`, the list of its symbols.")
    _check_title(automaton.title)
    for claims in automaton.all_claims:
        _check_claims(claims, automaton.grammar is not None)


def _check_title(title: str) -> None:
    if not title.isprintable():  # it stands in the front matter of pages and in pictures
        raise DefinitionError(f"The title {quoted(title)} cannot be used. Write one line of characters that print.")


def _check_claims(claims: Claims, of_grammar: bool) -> None:
    """A machine's facts for what has a machine, a grammar's for a grammar."""
    machine = {key: getattr(claims, key) for key in ("states", "monoid", "aperiodic")}
    if not of_grammar and (None in machine.values() or claims.counts):
        raise DefinitionError("[claims] of a regular language needs states, monoid and aperiodic, and has no counts.")
    if of_grammar and (set(machine.values()) != {None} or claims.parameters or claims.labelled or claims.outside):
        raise DefinitionError("[claims] of a grammar has counts, accepts and rejects only. Leave out what else it has.")


def _check_dataset(dataset: Dataset | TaskDataset) -> None:
    for version in (dataset.version, *(entry.version for entry in dataset.history)):
        if not VERSION.fullmatch(version):
            raise DefinitionError(f"The version {version!r} cannot be used. Write x.y.z, for example '1.0.0'.")
    if not dataset.history or dataset.history[-1].version != dataset.version:
        raise DefinitionError(f"The last entry of [[history]] must be that of version {dataset.version!r}. Add it.")
    _check_title(dataset.title)
    for name in (*getattr(dataset, "aliases", ()), *getattr(dataset, "presets", ())):
        if not NAME.fullmatch(name):
            raise DefinitionError(f"The name {name!r} cannot be used. Use a-z, 0-9 and _, a letter first.")


_CHECKS: dict[type, Any] = {Automaton: _check_automaton, Dataset: _check_dataset, TaskDataset: _check_dataset}
