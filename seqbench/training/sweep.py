"""Sweeps: a grid file becomes independent run folders with settled names; finished ones are skipped.

`python -m seqbench.training.sweep FOLDER` makes one run: what a cluster's scheduler starts.
"""

import itertools
import json
import math
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from seqbench.errors import InputError, SeqbenchError, quoted, unknown_name
from seqbench.models import check_options
from seqbench.progress import progress
from seqbench.training.settings import ELSEWHERE, Settings, resolve

RESULT = "result.json"
ERROR = "Error: "


def grid(path: Path) -> list[Settings]:
    r"""The settings of a grid file: all choices of its [grid], with its [settings] alike for all.

    Raises:
        InputError: a file that cannot be read, without a grid, or with an empty list.
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
    choices, common = (_table(path, data, name) for name in ("grid", "settings"))
    if not {"task", "model"} <= choices.keys():
        raise InputError(
            f"{str(path)!r} has no list of tasks and models. Write [grid], task = [...] and model = [...]."
        )
    lists = [_choices(path, name, value) for name, value in choices.items()]
    return [_settings(common | dict(zip(choices, each, strict=True))) for each in itertools.product(*lists)]


def _table(path: Path, data: dict[str, Any], name: str) -> dict[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"{name} of {str(path)!r} is {quoted(table)}, which is no table. Write it once, as [{name}].")
    return table


def _choices(path: Path, name: str, value: Any) -> list[Any]:
    if value == []:
        raise InputError(f"{name} of {str(path)!r} is an empty list. Give one value or more, or leave it out.")
    return value if isinstance(value, list) else [value]


def _settings(values: dict[str, Any]) -> Settings:
    names = {"tier": "quick"} | values
    task, model, tier = (_name(key, names.pop(key)) for key in ("task", "model", "tier"))
    settings = resolve(task, model, tier, **names)
    check_options(model, settings.options, ELSEWHERE)  # what no model knows is refused before any folder is made
    return settings


def _name(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{key} is {quoted(value)}, which is no name. Write names in quotation marks.")
    return value


def sweep(path: Path, out: Path, jobs: int = 1) -> list[dict[str, Any]]:
    """Makes all runs of a grid that have no result yet, in processes of one thread each; their result files.

    An interrupt ends the processes, which leave checkpoints; the same call goes on.

    Raises:
        SeqbenchError: a run failed; what it said. The others go on first.
    """
    from seqbench.training.folder import claim

    runs = grid(path)
    folders = [out / settings.run_id for settings in runs]
    for settings, folder in zip(runs, folders, strict=True):
        claim(settings, folder, resume=True)
    left = [folder for folder in dict.fromkeys(folders) if not (folder / RESULT).exists()]
    failed = [message for message in _make_all(left, jobs) if message]
    if failed:
        raise SeqbenchError(f"{len(failed)} of {len(runs)} runs failed. The first: {failed[0]}")
    return [json.loads((folder / RESULT).read_text(encoding="utf-8")) for folder in folders]


def _make_all(folders: list[Path], jobs: int) -> list[str]:
    processes = _Processes()
    with ThreadPoolExecutor(jobs) as pool:
        made = [pool.submit(processes.make, folder) for folder in folders]
        try:
            return [each.result() for each in progress(as_completed(made), "Runs", len(made))]
        finally:
            processes.stop()


class _Processes:
    """Runs on their way, each in a process of its own, that end together."""

    def __init__(self) -> None:
        self._lock, self._stopped = threading.Lock(), False
        self._running: set[subprocess.Popen[str]] = set()

    def make(self, folder: Path) -> str:
        """Makes one run; what it said if it failed. After `stop`, nothing."""
        with self._lock:
            if self._stopped:
                return ""
            # Ctrl-C reaches a whole group at once; in one of its own a run is asked once, by `stop`.
            process = subprocess.Popen(
                command(folder), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, process_group=0
            )
            self._running.add(process)
        _, said = process.communicate()
        with self._lock:
            self._running.remove(process)
        return f"{folder}: {_reason(said)}" if process.returncode else ""

    def stop(self) -> None:
        """Asks all runs to end, which leaves their checkpoints, and starts no more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.terminate()


def _reason(said: str) -> str:
    """The last line that a run said, which is its error."""
    lines = said.strip().splitlines()
    return lines[-1].removeprefix(ERROR) if lines else "it ended without a message."


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
        sys.exit(f"{ERROR}{problem}")
    except KeyboardInterrupt:  # asked to stop, with a checkpoint left
        sys.exit(130)
