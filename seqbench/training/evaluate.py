"""Evaluation of a run: its last checkpoint on the test splits, length by length."""

import shlex
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import torch

from seqbench.errors import InputError
from seqbench.generation.base_plan import BasePlan
from seqbench.progress import progress
from seqbench.training import checkpoint
from seqbench.training.data import by_length, lengths_of, plan_of
from seqbench.training.learner import Learner
from seqbench.training.machine import enough_memory
from seqbench.training.measures import tally
from seqbench.training.outcome import Outcome
from seqbench.training.parallel import device_of
from seqbench.training.result import Trained, coverage_of, facts_of
from seqbench.training.settings import Settings, read
from seqbench.training.targets import Targets


def evaluate(
    run: Path,
    *,
    task: str | None = None,
    lengths: tuple[int, int] | None = None,
    words: int | None = None,
    number: int | None = None,
    device: str = "auto",
    coverage: bool = False,
) -> dict[str, Any]:
    """The measures of a run's last checkpoint: the result file as plain data (see `result.schema`).

    Args:
        run: a folder that `train` made.
        task: another dataset with the same symbols and labels, such as a length test of the one that was trained on;
            without the run's recipe.
        lengths: test lengths instead of the dataset's.
        words: sequences a length.
        number: how many of the lengths are looked at, evenly spread; 0 for all, as many as the run's settings say
            where None.
        device: where to compute.
        coverage: whether to say what of the test's compositions the training words show: up to half a minute.

    Raises:
        InputError: no run, no checkpoint, a dataset that asks for something else, or lengths that the dataset or the
            model does not have.
    """
    settings = read(run)
    asked_for = options_of(task, lengths, words, number)
    if settings.texts is not None and any(value is not None for value in asked_for.values()):
        raise InputError(
            f"{str(run)!r} was trained on texts: all its test texts are measured. Leave out {', '.join(asked_for)}."
        )
    where = device_of(device)
    learner, state = learner_of(run, settings, where)
    asked = settings if task is None else msgspec.structs.replace(settings, task=task, recipe={})
    planned = _plan(asked, lengths, words)
    _check(planned, learner)
    number = settings.test_lengths if number is None else number
    splits = {
        split: _split(learner, planned, split, number, where)
        for split in ("test", "test_near_miss")
        if split == "test" or split in planned.splits
    }
    shown = coverage_of(settings, state["step"]) if coverage else None
    facts = facts_of(Trained(run, settings, learner, state, where), planned, splits, shown)
    facts["provenance"]["evaluation"] = _command(run, asked_for)
    return facts


def options_of(
    task: str | None, lengths: tuple[int, int] | None, words: int | None, number: int | None
) -> dict[str, Any]:
    """What is asked for otherwise than the run says, by the names of the command's options."""
    return {"task": task, "lengths": lengths, "words": words, "test-lengths": number}


def file_of(run: Path, asked_for: Mapping[str, Any]) -> Path:
    """Where an evaluation is kept: a file of the run's folder, of its own for whatever else is asked for.

    Example:
        >>> file_of(Path("run"), {"lengths": (501, 600), "words": None}).as_posix()
        'run/evaluations/lengths-501-600.json'
    """
    given = {name: _values(value) for name, value in asked_for.items() if value is not None}
    name = "_".join("-".join([name, *map(str, values)]) for name, values in given.items())
    return run / "evaluations" / f"{name or 'as-trained'}.json"


def check_free(path: Path) -> None:
    """Nothing, if an evaluation can be kept there: to be asked before long work.

    Raises:
        InputError: a link or something of another kind is in the way.
    """
    for there, fits in ((path.parent, path.parent.is_dir()), (path, path.is_file())):
        if there.is_symlink() or (there.exists() and not fits):
            raise InputError(f"{str(there)!r} is in the way of the result. Move it away.")


def _values(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple | list) else [value]


def _command(run: Path, asked_for: dict[str, Any]) -> str | None:
    """The command line that evaluates a run so; None where it is as `seqbench train` does."""
    parts = ["seqbench", "evaluate", str(run)]
    for option, value in asked_for.items():
        parts += ["--" + option, *map(str, _values(value))] if value is not None else []
    return shlex.join(parts) if len(parts) > 3 else None


def learner_of(run: Path, settings: Settings, device: torch.device) -> tuple[Learner, dict[str, Any]]:
    """The trained model of a run, ready to be asked, and the state of its checkpoint."""
    state, planned = checkpoint.load_state(run), plan_of(settings)
    checkpoint.check_data(run, state, planned)
    learner = Learner(settings, planned)
    checkpoint.load_weights(run, learner)
    return learner.to(device).eval(), state


def _check(planned: BasePlan, learner: Learner) -> None:
    """Nothing, if a model can be asked what a dataset asks for."""
    known, asked = learner.targets, Targets.of(planned)
    if asked.inputs > known.inputs:
        raise InputError(
            f"{planned.name} has {asked.inputs} input symbols here, and the model knows {known.inputs}. "
            "Ask for shorter lengths, or train with these test lengths."
        )
    if replace(asked, inputs=known.inputs) != known:
        raise InputError(
            f"{planned.name} asks for {asked.kind} with {asked.outputs} values, and {learner.settings.task} for "
            f"{known.kind} with {known.outputs}. Name a dataset with the same symbols and labels."
        )


def _plan(settings: Settings, lengths: tuple[int, int] | None, words: int | None) -> BasePlan:
    own: dict[str, Any] = {} if words is None else {"test_examples_per_length": words}
    if lengths is None:
        return plan_of(settings, **own)
    recipe = {name: value for name, value in settings.recipe.items() if name != "test_lengths_list"}
    return plan_of(msgspec.structs.replace(settings, recipe=recipe), **own, test_lengths=lengths)


def _split(learner: Learner, planned: BasePlan, split: str, number: int, device: torch.device) -> Outcome:
    """What the model does on so many lengths of a split."""
    lengths = lengths_of(planned, split, number)
    outcome = Outcome(learner.targets)
    for length, batch in progress(by_length(planned, split, lengths), f"Evaluating {split}", len(lengths)):
        start = time.perf_counter()
        with enough_memory(device, f"words of length {length}", "Give shorter lengths, or a smaller model."):
            found = tally(learner.model, learner.targets, batch, device)
        outcome.add(length, batch, found, time.perf_counter() - start)
    return outcome
