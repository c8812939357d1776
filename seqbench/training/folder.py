"""A run's folder: its settings, the lines of its metrics, and a lock, so that one process at a time trains in it."""

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from seqbench.errors import InputError
from seqbench.files import locked
from seqbench.training.settings import Settings, read

METRICS = "metrics.jsonl"


def claim(settings: Settings, out: Path, *, resume: bool) -> bool:
    """Makes the folder, or checks that it holds this very run; whether it was made.

    Raises:
        InputError: it holds something else, or a run although `resume` is not given, or cannot be written.
    """
    if (out / "settings.json").exists():
        if not resume:
            done = (out / "result.json").exists()
            step = "Measure it (seqbench evaluate)" if done else "Go on with it (--resume)"
            what = "a finished run" if done else "a run"
            raise InputError(f"{str(out)!r} holds {what} already. {step}, or name a new folder.")
        if read(out) != settings:
            raise InputError(f"{str(out)!r} holds a run of other settings. Name a new folder for these.")
        return False
    if out.exists() and any(out.iterdir()):
        raise InputError(f"{str(out)!r} is not empty and holds no run. Name a new folder.")
    temporary = out / ".settings.json"
    try:
        out.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(settings), indent=1))
        temporary.replace(out / "settings.json")
    except OSError as error:
        raise InputError(
            f"The folder {str(out)!r} cannot be made: {error.strerror or error}. Name another place."
        ) from None
    return True


@contextmanager
def held(out: Path, wanted: bool = True) -> Iterator[None]:
    """The folder for this process alone; the lock goes with the process, however it ends.

    Raises:
        InputError: another process trains in it.
    """
    if not wanted:
        yield
        return
    with locked(out) as free:
        if not free:
            raise InputError(f"{str(out)!r} is being trained in by another process. Wait for it, or name a new folder.")
        yield


def note(out: Path, facts: dict[str, Any]) -> None:
    """Adds a line to the metrics, on the disk when this returns."""
    with (out / METRICS).open("a", encoding="utf-8") as file:
        file.write(json.dumps(facts, allow_nan=False) + "\n")
        file.flush()
        os.fsync(file.fileno())


def cut(out: Path, step: int) -> None:
    """Leaves out what a stopped run wrote to its metrics after its last checkpoint."""
    path = out / METRICS
    if path.exists():
        kept = [line for line in path.read_text(encoding="utf-8").splitlines() if _step(line) <= step]
        temporary = path.with_suffix(".tmp")
        temporary.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        temporary.replace(path)


def _step(line: str) -> float:
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return math.inf  # a line that was cut off


def last_look(out: Path) -> dict[str, Any]:
    """The last line of the metrics.

    Raises:
        InputError: the run stopped before its first look, or the file is damaged.
    """
    path = out / METRICS
    if not path.exists():
        raise InputError(
            f"{str(out)!r} has no {METRICS}: it was stopped before its first look at validation, or the file "
            "was lost. Go on with it (--resume); if it is finished, train again in a new folder."
        )
    try:
        found = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
        return {"step": found["step"], "validation": dict(found["validation"])}
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        raise InputError(f"The last line of {str(path)!r} cannot be read. Train again in a new folder.") from None
