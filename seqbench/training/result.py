"""The result file of a run: what it holds, its schema, and how it is written."""

import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path, PurePath
from typing import Any

import msgspec
import numpy as np
import torch

from seqbench.errors import SeqbenchError
from seqbench.files import write_whole
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import Plan, language_plan
from seqbench.training.command import command
from seqbench.training.folder import last_look
from seqbench.training.learner import Learner
from seqbench.training.machine import commit, environment, peak_megabytes
from seqbench.training.measures import first_measure
from seqbench.training.outcome import Outcome
from seqbench.training.settings import Settings
from seqbench.training.words import compositions

RESULT = "result.json"
SOLVED = (0.9, 1.0)


@dataclass(frozen=True, eq=False)
class Trained:
    """A run that was trained: its folder, settings, model, the state of its checkpoint, and where it is evaluated."""

    run: Path
    settings: Settings
    learner: Learner
    state: dict[str, Any]
    device: torch.device


def facts_of(
    trained: Trained, planned: BasePlan, splits: dict[str, Outcome], coverage: dict[str, Any] | None
) -> dict[str, Any]:
    """The result file as plain data; see `schema` for what each key means."""
    test, settings, learner = splits["test"], trained.settings, trained.learner
    return {
        "task": {
            "id": planned.name,
            "version": planned.version,
            "digest": planned.fingerprint,
            "config": planned.config_id,
            "targets": learner.targets.kind,
            "chance": round(test.chance, 6),
        },
        "split": {"name": "test", "lengths": list(test.tallies), "sequences": test.sequences},
        "model": {
            "family": PurePath(settings.model).name,
            "sha256": settings.model_sha256,
            "parameters": sum(value.numel() for value in learner.model.parameters()),
            "config": learner.config,
        },
        "training": _training(settings, trained.state),
        "metrics": _metrics(last_look(trained.run)["validation"], planned, splits),
        "coverage": coverage,
        "environment": environment(trained.device, trained.state["processes"]),
        "timing": _timing(settings, trained.state, list(splits.values())),
        "memory": {
            "training_mb": _mb(trained.state["megabytes"]),
            "evaluation_mb": _mb(peak_megabytes(trained.device)),
        },
        "provenance": {"commit": commit(), "command": command(settings), "verified": "none"},
    }


def _training(settings: Settings, state: dict[str, Any]) -> dict[str, Any]:
    """Every setting but those of the model, the steps that were done, and which checkpoint is reported."""
    every = json.loads(msgspec.json.encode(settings))
    rest = {name: value for name, value in every.items() if name not in ("model", "model_sha256", "options", "steps")}
    return {"steps": state["step"], "most_steps": settings.steps, **rest, "selection": "last"}


def _metrics(validation: dict[str, Any], planned: BasePlan, splits: dict[str, Outcome]) -> dict[str, Any]:
    test = splits["test"]
    measure, measures = first_measure(test.targets.kind), test.measures()
    value = measures[measure]["value"]
    facts = {"measure": measure, "in_distribution": validation, "test": measures}
    facts["solved"] = {} if test.targets.vectors else {f"{bound:.2f}": value >= bound for bound in SOLVED}
    if test.targets.kind == "label" and planned.label_names == ("reject", "accept"):
        others = "random_non_members" if isinstance(planned, Plan) else "non_members"
        apart = {"members": test.measures(label=1), others: test.measures(label=0)}
        if "test_near_miss" in splits:
            apart["near_misses"] = splits["test_near_miss"].measures(label=0)
        facts |= {name: found for name, found in apart.items() if found}
    return facts


def _timing(settings: Settings, state: dict[str, Any], splits: list[Outcome]) -> dict[str, Any]:
    """Seconds and throughput; training's with the time that it waited for data."""
    seconds = state["seconds"] + state["waited"]
    evaluation = sum(each.seconds for each in splits)
    read = sum(each.sequences for each in splits), sum(each.symbols for each in splits)
    training = _speed(seconds, state["step"] * settings.batch, state["symbols"])
    return {
        "training": training | {"waiting": round(state["waited"] / max(seconds, 1e-9), 4)},
        "evaluation": _speed(evaluation, *read),
    }


def _speed(seconds: float, sequences: int, symbols: int) -> dict[str, float]:
    span = max(seconds, 1e-9)
    return {
        "seconds": round(seconds, 3),
        "sequences_per_second": round(sequences / span, 1),
        "symbols_per_second": round(symbols / span, 1),
    }


def _mb(megabytes: float | None) -> float | None:
    return None if megabytes is None else round(megabytes, 1)


def coverage_of(settings: Settings, steps: int) -> dict[str, Any] | None:
    """What of the compositions of classes that the test needs so many batches are expected to show, for a tree.

    Of words of a file, what they do show. None where there are no classes to compose, where they are too many, or where
    a recipe's coverage is not known.
    """
    from seqbench.covering.expectation import expected_coverage

    sampling = {"sampling": settings.sampling} if settings.sampling else {}
    examples = {"train_examples": steps * settings.batch, "test_examples_per_length": 1}
    options = {**settings.recipe, **sampling, **examples}
    try:
        found = expected_coverage(settings.task, catalogue=settings.catalogue, **options)
    except SeqbenchError:
        return None
    if not found.is_quick:
        return None
    keys, chances, words = found.keys, found.seen, found.examples
    if settings.words is not None:
        planned = language_plan(settings.task, settings.catalogue, **settings.recipe)
        keys, words = compositions(settings.words, planned, found.task.monoid)
        chances = np.ones(len(keys))
    need = found.test_need.ravel()
    needed, shown = int((need > 0).sum()), float(chances[need[keys] > 0].sum())
    return {
        "schedule": "tree",
        "words": words,
        "needed": needed,
        "expected": round(shown, 2),
        "value": round(shown / max(needed, 1), 6),
        "by_occurrence": round(float((need[keys] * chances).sum() / need.sum()), 6) if needed else 1.0,
    }


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of result files.

    Example:
        >>> schema()["$schema"]
        'https://json-schema.org/draft/2020-12/schema'
    """
    file = files("seqbench.training") / "result.schema.json"
    return dict(json.loads(file.read_text(encoding="utf-8")))


def write(run: Path, facts: dict[str, Any], path: Path | None = None) -> Path:
    """Writes the result file of a run, or one of another path, whole or not at all."""
    path = path or run / RESULT
    text = json.dumps(facts, indent=1, allow_nan=False) + "\n"
    write_whole(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))
    return path
