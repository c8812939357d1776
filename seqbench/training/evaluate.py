"""Evaluation of a run: per length, members, random non-members and near misses apart; one result file."""

import json
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

import seqbench
from seqbench.files import write_whole
from seqbench.generation.plan import Plan, language_plan
from seqbench.progress import progress
from seqbench.training import checkpoint
from seqbench.training.data import by_length
from seqbench.training.loop import METRICS, device_of
from seqbench.training.measures import Score, chance, scores_by_label, total
from seqbench.training.settings import Settings, read
from seqbench.training.targets import Learner

RESULT = "result.json"
SOLVED = (0.9, 1.0)


def evaluate(
    run: Path, *, lengths: tuple[int, int] | None = None, words: int | None = None, device: str = "auto"
) -> dict[str, Any]:
    """The measures of a run's last checkpoint, as plain data.

    Args:
        run: a folder that `train` made.
        lengths: test lengths instead of the dataset's; all of them are looked at.
        words: words a length.
        device: where to compute.

    Raises:
        InputError: no run, no checkpoint, or a dataset whose data have another version now.
    """
    settings = read(run)
    where = device_of(device)
    learner, state = learner_of(run, settings, where)
    planned = _plan(settings, lengths, words)
    number = 0 if lengths is not None else settings.test_lengths
    start = time.perf_counter()
    splits: dict[str, Any] = {
        split: _split(learner, planned, split, number, where)
        for split in ("test", "test_near_miss")
        if split in planned.splits
    }
    return {
        "task": {"id": planned.name, "version": planned.version, "config": planned.config_id},
        "model": _model_facts(settings, learner),
        "training": _training_facts(run, settings, state),
        "metrics": _metrics(planned, splits),
        "environment": {
            "seqbench": seqbench.__version__,
            "torch": torch.__version__,
            "python": platform.python_version(),
            "device": str(where),
        },
        "timing": {
            "training_seconds": round(state["seconds"], 2),
            "evaluation_seconds": round(time.perf_counter() - start, 2),
        },
        "provenance": {"command": command(settings), "verified": "none"},
    }


def write(run: Path, facts: dict[str, Any]) -> Path:
    """Writes the result file of a run, whole or not at all."""
    path = run / RESULT
    write_whole(path, lambda temporary: temporary.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8"))
    return path


def command(settings: Settings) -> str:
    """The command that repeats a run.

    Example:
        >>> command(Settings(task="parity_check", model="ldru"))
        'seqbench train parity_check --model ldru --tier quick --seed 0 --data-seed 0'
    """
    plain = Settings(task=settings.task, model=settings.model)
    parts = [f"seqbench train {settings.task} --model {settings.model} --tier {settings.tier}"]
    parts.append(f"--seed {settings.seed} --data-seed {settings.data_seed}")
    parts += [f"--set {key}={value}" for key, value in settings.options.items()]
    parts += [f"--also {name}" for name in settings.also]
    if settings.steps != plain.steps:
        parts.append(f"--steps {settings.steps}")
    return " ".join(parts)


def learner_of(run: Path, settings: Settings, device: torch.device) -> tuple[Learner, dict[str, Any]]:
    """The trained model of a run, ready to be asked, and the state of its checkpoint."""
    learner = Learner(settings, language_plan(settings.task, **settings.recipe))
    checkpoint.load_weights(run, learner)
    return learner.to(device).eval(), checkpoint.load_state(run)


def _plan(settings: Settings, lengths: tuple[int, int] | None, words: int | None) -> Plan:
    options = dict(settings.recipe) | {"test_examples_per_length": words or settings.test_words}
    if lengths is not None:
        options["test_lengths"] = lengths
    return language_plan(settings.task, **options)


def _split(
    learner: Learner, planned: Plan, split: str, number: int, device: torch.device
) -> dict[int, dict[int, Score]]:
    """Scores by length and label at so many lengths."""
    batches = by_length(planned, split, _some(planned, split, number))
    bar = progress(batches.items(), f"Evaluating {split}", len(batches))
    return {length: scores_by_label(learner.model, batch, device) for length, batch in bar}


def _some(planned: Plan, split: str, number: int) -> set[int]:
    """So many lengths of a split, evenly spread, the first and the last among them; all where the number is 0."""
    lengths = planned.splits[split].split.lengths
    if number == 0 or number >= len(lengths):
        return set(lengths.tolist())
    return set(lengths[np.linspace(0, len(lengths) - 1, number).round().astype(int)].tolist())


def _model_facts(settings: Settings, learner: Learner) -> dict[str, Any]:
    number = sum(value.numel() for value in learner.model.parameters())
    return {"family": settings.model, "parameters": number, "config": settings.options}


def _training_facts(run: Path, settings: Settings, state: dict[str, Any]) -> dict[str, Any]:
    last = json.loads((run / METRICS).read_text(encoding="utf-8").splitlines()[-1])
    return {
        "steps": state["step"],
        "batch": settings.batch,
        "optimiser": settings.optimiser,
        "learning_rate": settings.learning_rate,
        "seed": settings.seed,
        "data_seed": settings.data_seed,
        "tier": settings.tier,
        "selection": "last",
        "also": list(settings.also),
        "sampling": settings.sampling,
        "validation": last["validation"],
        "waiting_for_data": last["waiting"],
    }


def _metrics(
    planned: Plan,
    splits: dict[str, dict[int, dict[int, Score]]],
) -> dict[str, Any]:
    test = {length: total(scores) for length, scores in splits["test"].items()}
    mean = float(np.mean([score.accuracy for score in test.values()]))
    facts: dict[str, Any] = {
        "ood": total(test).facts() | {"mean_over_lengths": round(mean, 6)},
        "solved": {f"{bound:.2f}": bool(mean >= bound) for bound in SOLVED},
        "chance": round(chance(splits["test"].values()), 4),
        "per_length": {str(length): score.facts() for length, score in test.items()},
    }
    for name, label in {"members": 1, "random_non_members": 0}.items():
        if planned.label_names == ("reject", "accept"):
            facts[name] = _only(splits["test"], label)
    if "test_near_miss" in splits:
        facts["near_misses"] = _only(splits["test_near_miss"], 0)
    return facts


def _only(scores: dict[int, dict[int, Score]], label: int) -> dict[str, Any]:
    """The score of one label's words, over all lengths and at each."""
    found = {length: by_label[label] for length, by_label in scores.items() if label in by_label}
    return total(found).facts() | {"per_length": {str(length): score.accuracy for length, score in found.items()}}


def summary(facts: dict[str, Any]) -> str:
    """The measures in lines that fit a terminal."""
    metrics, training, model = facts["metrics"], facts["training"], facts["model"]
    waiting = f"{100 * training['waiting_for_data']:.1f} % of it waiting for data"
    lines = [
        f"{facts['task']['id']}, {model['family']} with {model['parameters']:,} parameters",
        f"  {training['steps']:,} steps in {facts['timing']['training_seconds']:.0f} s, {waiting}",
        f"  in distribution       {_share(training['validation'])}",
        f"  beyond it             {_share(metrics['ood'])}, chance {metrics['chance']:.3f}",
    ]
    apart = [key for key in ("members", "random_non_members", "near_misses") if key in metrics]
    lines += [f"    {key.replace('_', ' '):20}{_share(metrics[key])}" for key in apart]
    for length, score in list(metrics["per_length"].items())[:: max(1, len(metrics["per_length"]) // 8)]:
        lines.append(f"    length {length:>6}       {_share(score)}")
    return "\n".join(lines)


def _share(score: dict[str, Any]) -> str:
    low, high = score["interval"]
    return f"{100 * score['accuracy']:6.2f} %  ({100 * low:.1f} to {100 * high:.1f}, {score['words']:,} words)"
