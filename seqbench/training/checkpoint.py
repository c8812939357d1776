"""Checkpoints: a folder that is there whole or not at all, and all that a run needs to go on as if never stopped."""

import pickle
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from seqbench.errors import InputError
from seqbench.generation.base_plan import BasePlan

FOLDER = "checkpoint"
FORMAT = 2
"""Of what a checkpoint holds; one of another release is not guessed at."""
KEYS = {"step", "optimiser", "random", "data", "good", "symbols", "seconds", "waited", "megabytes", "processes"}
"""What a checkpoint holds besides the weights."""


def save(run: Path, step: int, model: torch.nn.Module, optimiser: torch.optim.Optimizer, more: dict[str, Any]) -> None:
    """Writes weights, optimiser, random state and step; the checkpoint before it stays until this one is whole.

    Raises:
        InputError: the folder cannot be written; the checkpoint before stays.
    """
    temporary, old = run / f".{FOLDER}.new", run / f".{FOLDER}.old"
    if old.exists() and not (run / FOLDER).exists():  # a process was killed between the two renames below
        old.rename(run / FOLDER)
    state = {"format": FORMAT, "step": step, "optimiser": optimiser.state_dict(), "random": _random_state(), **more}
    try:
        _write(temporary, model, state)
    except (OSError, RuntimeError, SafetensorError) as error:  # the libraries know no better names for a full disk
        shutil.rmtree(temporary, ignore_errors=True)
        reason = str(error).splitlines()[0]
        raise InputError(
            f"The checkpoint of step {step} cannot be written to {str(run)!r}: {reason}. "
            "The one before stays, if there was one. Make room, then go on with --resume."
        ) from None
    shutil.rmtree(old, ignore_errors=True)
    if (run / FOLDER).exists():
        (run / FOLDER).rename(old)
    temporary.rename(run / FOLDER)
    shutil.rmtree(old, ignore_errors=True)


def _write(folder: Path, model: torch.nn.Module, state: dict[str, Any]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    save_file({name: value.contiguous() for name, value in model.state_dict().items()}, folder / "model.safetensors")
    torch.save(state, folder / "state.pt")


def load_weights(run: Path, model: torch.nn.Module) -> None:
    """Puts the weights of a run into a model.

    Raises:
        InputError: no checkpoint, or one of another model.
    """
    path = _folder(run) / "model.safetensors"
    try:
        weights = load_file(path)
    except (OSError, SafetensorError) as error:
        raise InputError(f"{str(path)!r} cannot be read: {str(error).splitlines()[0]}. Train again.") from None
    try:
        model.load_state_dict(weights)
    except RuntimeError as error:
        raise InputError(
            f"{str(path)!r} does not fit the model: {str(error).splitlines()[-1].strip()} "
            "Was it written for other settings, or by another release?"
        ) from None


def load_state(run: Path) -> dict[str, Any]:
    """Step, optimiser, random state and what else was saved.

    Raises:
        InputError: no checkpoint, or one of another release.
    """
    path = _folder(run) / "state.pt"
    try:
        state = torch.load(path, weights_only=True)
    except (OSError, RuntimeError, EOFError, ValueError, pickle.UnpicklingError):
        raise InputError(f"{str(path)!r} cannot be read: it is damaged. Train again in a new folder.") from None
    if not isinstance(state, dict) or state.get("format") != FORMAT or not state.keys() >= KEYS:
        raise InputError(
            f"{str(path)!r} was written by another release of seqbench. Use that release, or train again: "
            f"the command is in {str(run / 'result.json')!r}."
        )
    return dict(state)


def check_data(run: Path, state: dict[str, Any], planned: BasePlan) -> None:
    """Nothing, if the data that a run was trained on are those that this release makes.

    Raises:
        InputError: they have another version, or their generator was changed.
    """
    if state["data"] == data_of(planned):
        return
    was, now = state["data"]["version"], planned.version
    change = f"data version {was}; it has version {now} here" if was != now else "data that are made otherwise here"
    raise InputError(
        f"{str(run)!r} was trained on {planned.name} with {change}. Use the release of then, or train again."
    )


def data_of(planned: BasePlan) -> dict[str, str]:
    """What tells the data of a run from other data."""
    return {"version": planned.version, "digest": planned.fingerprint}


def exists(run: Path) -> bool:
    """Whether a run has a checkpoint; one that was cut off between two renames counts."""
    return any((run / name / "state.pt").is_file() for name in (FOLDER, f".{FOLDER}.old"))


def restore_random(state: dict[str, Any]) -> None:
    """Sets torch's random state."""
    torch.set_rng_state(state["cpu"])
    if state["cuda"] and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(state["cuda"])


def _random_state() -> dict[str, Any]:
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return {"cpu": torch.get_rng_state(), "cuda": cuda}


def _folder(run: Path) -> Path:
    for name in (FOLDER, f".{FOLDER}.old"):
        if (run / name / "state.pt").is_file():
            return run / name
    raise InputError(f"{str(run)!r} holds no checkpoint. Train first: seqbench train ... --out {run}.")
