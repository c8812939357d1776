"""Encoders of one's own: `FILE.py:CLASS` in place of a model's name."""

import importlib.util
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from seqbench.errors import InputError, unknown_name
from seqbench.models.frame import Encoder


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
    return found


@lru_cache(maxsize=16)
def _module(file: Path, changed: int) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"seqbench_own_{file.stem}_{changed}", file)
    if spec is None or spec.loader is None:
        raise InputError(f"{str(file)!r} cannot be read as Python.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # whatever a file of a user does
        raise InputError(f"{str(file)!r} cannot be run: {type(error).__name__}: {error}.") from error
    return module
