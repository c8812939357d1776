"""Encoders of one's own: `FILE.py:CLASS` in place of a model's name."""

import importlib.util
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import cast

import torch

from seqbench.errors import InputError, SeqbenchError, quoted, unknown_name
from seqbench.models.frame import Encoder, Model

RESERVED = {"name", "vocabulary", "classes", "d_in", "head"}
"""What `create` and `matched_width` call something else."""


def class_of(file: Path, name: str) -> type[Encoder]:
    """The encoder class of a file.

    Raises:
        InputError: no such file, one that cannot be run, or a class that is no Encoder.
        UnknownNameError: no such class; the nearest that there are.
    """
    if not file.is_file():
        raise InputError(f"There is no file {str(file)!r}. Name a model, or a class in a file: mine.py:Mine.")
    module = _module(file, file.stat().st_mtime_ns)
    there = {key: value for key, value in vars(module).items() if isinstance(value, type)}
    encoders = [key for key, value in there.items() if issubclass(value, Encoder) and value is not Encoder]
    if name not in there:
        raise unknown_name(f"class of {str(file)!r} called", name, encoders)
    found = there[name]
    if not issubclass(found, Encoder):
        raise InputError(f"{name} of {str(file)!r} is no Encoder. Derive it from Encoder of seqbench.models.frame.")
    _check_options(found, name)
    return found


@lru_cache(maxsize=16)
def _module(file: Path, changed: int) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"seqbench_own_{file.stem}_{changed}", file)
    if spec is None or spec.loader is None:
        raise InputError(f"{str(file)!r} cannot be read as Python.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses and pickle look there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever a file of a user does
        del sys.modules[module.__name__]
        raise InputError(f"{str(file)!r} cannot be run: {type(error).__name__}: {error}.") from error
    return module


def _check_options(found: type[Encoder], name: str) -> None:
    """Nothing, if all options have defaults that a result file can hold, and names of their own."""
    for option in inspect.signature(found).parameters.values():
        if option.kind not in (option.POSITIONAL_OR_KEYWORD, option.KEYWORD_ONLY) or option.default is option.empty:
            raise InputError(
                f"The option {str(option)!r} of {name} has no default. Write each as name=value: width=64."
            )
        if option.name in RESERVED:
            raise InputError(f"The option {option.name!r} of {name} means something else to every model. Rename it.")
        if not isinstance(option.default, bool | int | float | str | list | tuple | dict | None):
            raise InputError(
                f"The option {option.name!r} of {name} is {quoted(option.default)} by default, which no result file "
                "can hold. Take a number, or a text."
            )


@contextmanager
def kept(name: str) -> Iterator[None]:
    """Whatever goes wrong within is told as a fault of the encoder.

    Raises:
        InputError: it does not do what an Encoder does.
    """
    try:
        yield
    except SeqbenchError:
        raise
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else "no reason given"
        raise InputError(
            f"{name} does not do what an Encoder does ({type(error).__name__}: {reason}). It maps vectors (batch, "
            "longest, width_in) to states (batch, longest, width): see docs/howto-model.md."
        ) from error


def probe(model: Model, name: str) -> None:
    """Nothing, if a new model answers two short words as it should.

    Raises:
        InputError: it does not.
    """
    if any(weight.is_meta for weight in model.parameters()):
        return
    if model.vocabulary:
        words = torch.arange(10).view(2, 5) % model.vocabulary  # the last symbol too
    else:
        words = torch.zeros(2, 5, cast("torch.nn.Linear", model.embedding).in_features)
    classes = model.readout.out_features
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        found = model(words, torch.tensor([5, 3]))
        wanted = (2, 5, classes) if model.head == "positions" else (2, classes)
        if tuple(found.shape) != wanted or found.dtype != torch.float32:
            raise InputError(
                f"{name} leads to answers of shape {tuple(found.shape)} and type {found.dtype}, not {wanted} and "
                "torch.float32. Its states are (batch, longest, width) of the type that it is given."
            )
