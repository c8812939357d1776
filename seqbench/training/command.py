"""The command that repeats a run, with every setting that is not what its tier says anyway."""

import json
import shlex
from typing import Any

from seqbench.training.settings import Settings, resolve
from seqbench.training.texts import TextData

TEXTS = {
    "config": "--hf-config",
    "columns": "--text-column",
    "label": "--label-column",
    "tokenizer": "--tokenizer",
    "vocabulary": "--vocabulary",
    "longest": "--max-tokens",
}
"""The options of the command line that say which texts are read, and as what."""

APART = ("task", "catalogue", "words", "texts", "model", "model_sha256", "tier")
"""Settings that stand first in the command, or that others imply."""

TABLES = {"options": "--set", "recipe": "--recipe"}
"""Settings that are given one key at a time."""


def command(settings: Settings) -> str:
    """The command line that repeats a run: its settings, parsed again, are equal.

    Example:
        >>> command(resolve("parity_check", "ldru", steps=300, sampling={"class": 0.5, "balanced": 0.5}))
        'seqbench train parity_check --model ldru --tier quick --sampling class=0.5 --sampling balanced=0.5 --steps 300'
    """
    plain = resolve(settings.task, settings.model, settings.tier, texts=settings.texts, catalogue=settings.catalogue)
    what = [settings.task] if settings.texts is None else _texts(settings.texts)
    where = [] if settings.catalogue is None else ["--catalogue", settings.catalogue]
    if (words := settings.words) is not None:
        where += ["--train", words.path, *([] if words.column is None else ["--column", words.column])]
    parts = ["seqbench", "train", *what, *where, "--model", settings.model, "--tier", settings.tier]
    for name in Settings.__struct_fields__:
        value = getattr(settings, name)
        if name not in APART and value != getattr(plain, name):
            parts += _option(name, value, getattr(plain, name))
    return shlex.join(parts)


def _texts(data: TextData) -> list[str]:
    """The options that name texts; those that are as by default are left out."""
    parts = ["--hf-dataset", data.path]
    for name, option in TEXTS.items():
        value, plain = getattr(data, name), getattr(TextData(path=data.path), name)
        for each in value if isinstance(value, tuple) else (value,):
            parts += [option, str(each)] if value != plain else []
    return parts


def _option(name: str, value: Any, plain: Any) -> list[str]:
    option = TABLES.get(name, "--" + name.replace("_", "-"))
    if name in TABLES:
        pairs = [f"{key}={_text(each)}" for key, each in value.items() if key not in plain or plain[key] != each]
        return [part for pair in pairs for part in (option, pair)]
    if name == "sampling":
        return [part for law, weight in value.items() for part in (option, f"{law}={weight!r}")]
    if name == "also":
        return [part for target in value for part in (option, target)]
    return [option, str(value)]


def _text(value: Any) -> str:
    """JSON, or plain text where that cannot be mistaken for JSON."""
    return value if isinstance(value, str) and _is_plain(value) else json.dumps(value)


def _is_plain(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return bool(text)
    return False
