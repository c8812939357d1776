"""What a run is: the dataset, the model, the optimiser, the seeds. One record, one file, one run folder."""

import hashlib
import os
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatch
from importlib.resources import files
from pathlib import Path, PurePath
from typing import Any

import msgspec

from seqbench.catalogue.reader import open_catalogue, own_folder
from seqbench.catalogue.recipe import MAX_EXAMPLES, MAX_LENGTH
from seqbench.errors import InputError, quoted, unknown_name
from seqbench.files import sha256_of
from seqbench.training.texts import TextData
from seqbench.training.words import WordData

ALSO = ("syntactic_class", "node_classes")
TIERS = ("quick", "paper")
MERGED = ("options", "recipe")
ELSEWHERE = "Options of the dataset stand in `recipe` (--recipe KEY=VALUE)."
"""What to tell of an option that the model does not have."""
RANGES = (
    ("associativity", 0, 10**6),
    ("steps", 1, 10**12),
    ("batch", 1, 10_000_000),
    ("learning_rate", 1e-12, 10**6),
    ("warmup", 0, 1),
    ("weight_decay", 0, 10**6),
    ("clip", 1e-12, 10**12),
    ("seed", 0, 2**63 - 1),
    ("data_seed", 0, 2**63 - 1),
    ("check_every", 1, 10**12),
    ("patience", 0, 10**12),
    ("test_lengths", 0, MAX_LENGTH),
    ("test_words", 1, MAX_EXAMPLES),
)
"""The settings that are any number of a range, ends included."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run, resolved.

    Attributes:
        task: a dataset.
        model: a name of `seqbench.models`, or `FILE.py:CLASS`.
        model_sha256: of the file of a model of one's own.
        options: the model's own options.
        catalogue: a folder with definitions of your own, where the dataset is one of them.
        recipe: options of the dataset, as for `load_dataset`; training draws without end by its lengths and laws.
        sampling: weights of the laws that draw training words; those of the dataset where empty.
        words: words of a file to train on, in place of drawn ones.
        texts: texts to classify instead of a dataset of seqbench; `task` is then their path.
        also: further targets: `syntactic_class` (of the word), `node_classes` (of every block of the reduction).
        associativity: weight of the associativity regulariser of a tree model's operator.
        tier: the preset that the rest began as.
        steps: batches at most.
        batch: sequences a batch, all of one length.
        learning_rate: after the warm-up.
        warmup: share of the steps in which the rate rises from zero.
        schedule: `constant` or `cosine` (down to 2 %).
        optimiser: `adamw` or `amsgrad`.
        weight_decay: of all weights.
        clip: largest norm of a gradient.
        centralise: whether gradients of matrices lose their mean (gradient centralisation).
        seed: of the model's initial weights and dropout.
        data_seed: of the training words.
        check_every: steps between looks at the validation split.
        patience: looks in a row with nothing wrong after which training stops early; 0 for never. Regression never is
            without an error.
        test_lengths: how many lengths of the test split are looked at in the end; 0 for all.
        test_words: sequences a length.
        precision: `fp32`, `bf16` or `fp64`.
    """

    task: str
    model: str
    model_sha256: str | None = None
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    catalogue: str | None = None
    recipe: dict[str, Any] = msgspec.field(default_factory=dict)
    sampling: dict[str, float] = msgspec.field(default_factory=dict)
    words: WordData | None = None
    texts: TextData | None = None
    also: tuple[str, ...] = ()
    associativity: float = 0.0
    tier: str = "quick"
    steps: int = 2000
    batch: int = 128
    learning_rate: float = 1e-3
    warmup: float = 0.05
    schedule: str = "constant"
    optimiser: str = "adamw"
    weight_decay: float = 0.01
    clip: float = 1.0
    centralise: bool = False
    seed: int = 0
    data_seed: int = 0
    check_every: int = 100
    patience: int = 3
    test_lengths: int = 24
    test_words: int = 128
    precision: str = "fp32"

    @property
    def run_id(self) -> str:
        """A name that tells this run from all others: equal settings, equal names.

        Example:
            >>> Settings(task="parity_check", model="ldru").run_id[:22]
            'parity_check-ldru-s0-0'
        """
        digest = hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:8]
        model = PurePath(self.model).name.replace(".py:", "-")
        return f"{PurePath(self.task).stem}-{model}-s{self.seed}-{self.data_seed}-{digest}"


def resolve(task: str, model: str, tier: str = "quick", **changes: Any) -> Settings:
    """The settings of a tier for a kind of task and a model, with the changes on top.

    Tables (`options`, `recipe`) are merged key by key. `words` may be the path of a file.

    Raises:
        UnknownNameError: no such dataset, tier, setting or further target.
        InputError: a value that cannot be used.

    Example:
        >>> resolve("parity_check", "ldru", "quick", steps=300).steps
        300
    """
    if tier not in TIERS:
        raise unknown_name("tier", tier, TIERS)
    known = set(Settings.__struct_fields__)
    for key in changes:
        if key not in known:
            raise unknown_name("setting", key, sorted(known))
    if ".py:" in model:
        model = os.path.abspath(os.path.expanduser(model))  # noqa: PTH100, PTH111 -- a class stands behind the path
        changes["model_sha256"] = model_digest(model)
    if isinstance(changes.get("words"), str):
        changes["words"] = WordData.of(changes["words"])
    texts = changes.get("texts")
    if not texts and (folder := own_folder(task, changes.get("catalogue"))) is not None:
        changes["catalogue"] = folder
    for key in {"test_words", "test_lengths"} & changes.keys() if texts else ():
        raise InputError(f"{key} is for datasets of seqbench: of texts, all that can be tested on are. Leave it out.")
    values: dict[str, Any] = {}
    kind = "texts" if texts else _kind(task, changes.get("catalogue"))
    for layer in (*_presets(tier, {"task": kind, "name": task, "model": model}), changes):
        merged = {key: values.get(key, {}) | layer[key] for key in MERGED if isinstance(layer.get(key), dict)}
        values |= layer | merged
    settings = _convert({**values, "task": task, "model": model, "tier": tier})
    _check(settings)
    return settings


def model_digest(model: str) -> str:
    """SHA-256 of the file of a model `FILE.py:CLASS`.

    Raises:
        InputError: there is no such file.
    """
    file = Path(model.rpartition(":")[0])
    try:
        if not file.is_file() and file.exists():  # to open a pipe would wait for ever
            raise OSError(0, "it is no file")
        return sha256_of(file)
    except OSError as error:
        raise InputError(f"{str(file)!r} cannot be read: {error.strerror or error}. Name FILE.py:CLASS.") from None


def _presets(tier: str, of: dict[str, str]) -> list[dict[str, Any]]:
    """The tables of a tier that apply to a kind of task, a dataset and a model, in order, without their patterns."""
    text = (files("seqbench.training") / "presets" / f"{tier}.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)["preset"]
    fitting = [each for each in tables if all(fnmatch(what, each.get(key, "*")) for key, what in of.items())]
    return [{key: value for key, value in each.items() if key not in of} for each in fitting]


def _kind(task: str, catalogue: str | None) -> str:
    """The kind of task of a dataset; "language" for one over a regular language."""
    opened = open_catalogue(catalogue)
    return getattr(opened.dataset(opened.name_of(task)), "task", "language")


def _convert(values: Mapping[str, Any]) -> Settings:
    try:
        return msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise InputError(f"A setting cannot be used: {error}. `seqbench train --help` lists them.") from None


def _check(settings: Settings) -> None:
    _check_texts(settings)
    if settings.words is not None and settings.sampling:
        raise InputError("sampling says how training words are drawn, and the words of a file are given. Leave it out.")
    for name in settings.also:
        if name not in ALSO:
            raise unknown_name("further target", name, ALSO)
    for key, choices in {
        "schedule": ("constant", "cosine"),
        "optimiser": ("adamw", "amsgrad"),
        "precision": ("fp32", "bf16", "fp64"),
    }.items():
        if getattr(settings, key) not in choices:
            raise unknown_name(key, getattr(settings, key), choices)
    for key, low, high in RANGES:
        if not low <= getattr(settings, key) <= high:  # NaN is in no range
            raise InputError(
                f"{key}={quoted(getattr(settings, key))} cannot be used. Give a number from {low:,} to {high:,}."
            )


def _check_texts(settings: Settings) -> None:
    for name in ("catalogue", "recipe", "sampling", "words", "also"):
        if settings.texts is not None and getattr(settings, name):
            raise InputError(
                f"{name} is {quoted(getattr(settings, name))}, which is not for texts but for datasets of seqbench. "
                "Leave it out."
            )


def read(path: Path) -> Settings:
    """The settings of a run folder.

    Raises:
        InputError: no run folder, or settings of another release.
    """
    try:
        settings = msgspec.json.decode((path / "settings.json").read_bytes(), type=Settings)
        _check(settings)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            f"{str(path)!r} holds no run: settings.json is not there. Name a folder that `seqbench train` made."
        ) from None
    except (msgspec.MsgspecError, RecursionError) as error:
        raise InputError(
            f"{str(path / 'settings.json')!r} cannot be read: {error}. Was it written by another release?"
        ) from None
    if settings.catalogue is not None and not Path(settings.catalogue).is_dir():
        raise InputError(
            f"The catalogue folder {settings.catalogue!r} of {str(path)!r} is not there any more. Bring it back, or "
            "write its new place into settings.json."
        )
    return settings
