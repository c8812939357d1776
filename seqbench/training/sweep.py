"""Sweeps: a grid file becomes independent run folders with settled names; finished ones are skipped.

`python -m seqbench.training.sweep FOLDER` makes one run: what a cluster's scheduler starts.
"""

import itertools
import json
import math
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from seqbench.errors import InputError, SeqbenchError, unknown_name
from seqbench.progress import progress
from seqbench.training.settings import Settings, resolve

RESULT = "result.json"


def grid(path: Path) -> list[Settings]:
    r"""The settings of a grid file: all choices of its [grid], with its [settings] alike for all.

    Raises:
        InputError: a file that cannot be read, or without a grid.
        SeqbenchError: a setting that cannot be used.

    Example:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "grid.toml"
        >>> _ = file.write_text('[grid]\ntask = ["parity_check"]\nmodel = ["ldru", "lstm"]\nseed = [0, 1]\n')
        >>> [(each.model, each.seed) for each in grid(file)]
        [('ldru', 0), ('ldru', 1), ('lstm', 0), ('lstm', 1)]
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!r} cannot be read: {error}. It is a TOML file with a table [grid].") from None
    for key in data:
        if key not in {"grid", "settings"}:
            raise unknown_name(f"table of {str(path)!r}", key, ["grid", "settings"])
    choices = data.get("grid", {})
    if not {"task", "model"} <= choices.keys():
        raise InputError(
            f"{str(path)!r} has no list of tasks and models. Write [grid], task = [...] and model = [...]."
        )
    lists = [value if isinstance(value, list) else [value] for value in choices.values()]
    return [
        _settings(dict(zip(choices, each, strict=True)), data.get("settings", {})) for each in itertools.product(*lists)
    ]


def _settings(chosen: dict[str, Any], common: dict[str, Any]) -> Settings:
    values = common | chosen
    return resolve(values.pop("task"), values.pop("model"), values.pop("tier", "quick"), **values)


def sweep(path: Path, out: Path, jobs: int = 1) -> list[dict[str, Any]]:
    """Makes all runs of a grid that have no result yet, in processes of one thread each; their result files.

    Raises:
        SeqbenchError: a run failed; what it said. The others go on first.
    """
    from seqbench.training.folder import claim

    runs = grid(path)
    folders = [out / settings.run_id for settings in runs]
    for settings, folder in zip(runs, folders, strict=True):
        claim(settings, folder, resume=True)
    left = [folder for folder in folders if not (folder / RESULT).exists()]
    failed = [message for message in _make_all(left, jobs) if message]
    if failed:
        raise SeqbenchError(f"{len(failed)} of {len(runs)} runs failed. The first: {failed[0]}")
    return [json.loads((folder / RESULT).read_text(encoding="utf-8")) for folder in folders]


def _make_all(folders: list[Path], jobs: int) -> Iterator[str]:
    with ThreadPoolExecutor(jobs) as pool:
        made = [pool.submit(_make, folder) for folder in folders]
        for each in progress(as_completed(made), "Runs", len(made)):
            yield each.result()


def _make(folder: Path) -> str:
    """One run in a process of its own; what it said if it failed."""
    done = subprocess.run([*command(folder)], capture_output=True, text=True, check=False)
    return f"{folder}: {done.stderr.strip().splitlines()[-1:] or ['no message']}" if done.returncode else ""


def command(folder: Path) -> list[str]:
    """The command that makes one run."""
    return [sys.executable, "-m", "seqbench.training.sweep", str(folder)]


def table(results: Iterable[dict[str, Any]]) -> str:
    """What counts on the test split, by task and model: mean over seeds, lowest, highest; shares in %; as Markdown."""
    found: dict[tuple[str, str, str], list[float]] = {}
    for facts in results:
        measure = facts["metrics"]["measure"]
        value = facts["metrics"]["test"][measure]["value"]
        key = facts["task"]["id"], facts["model"]["family"], measure
        found.setdefault(key, []).append(math.nan if value is None else value)
    lines = ["| task | model | measure | seeds | mean | lowest | highest |", "| --- " * 7 + "|"]
    for (task, model, measure), scores in found.items():
        figures = (sum(scores) / len(scores), min(scores), max(scores))
        cells = [f"{each:.4g}" if measure == "relative_mse" else f"{100 * each:.2f}" for each in figures]
        lines.append(f"| {task} | {model} | {measure.replace('_', ' ')} | {len(scores)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(folder: Path) -> None:
    """Makes the run of a folder that has settings: trains, evaluates, writes the result."""
    import torch

    from seqbench.training.evaluate import evaluate
    from seqbench.training.loop import train
    from seqbench.training.result import write
    from seqbench.training.settings import read

    torch.set_num_threads(1)
    run = train(read(folder), folder, resume=True)
    write(run, evaluate(run, coverage=True))


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except SeqbenchError as problem:
        sys.exit(f"Error: {problem}")
