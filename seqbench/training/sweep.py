"""Sweeps: a grid file becomes independent run folders with settled names; finished ones are skipped.

`python -m seqbench.training.sweep FOLDER` makes one run: what a cluster's scheduler starts.
"""

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from seqbench.errors import InputError, SeqbenchError
from seqbench.progress import progress
from seqbench.training.grid import check, grid
from seqbench.training.table import table

RESULT = "result.json"
ERROR = "Error: "


def claimed(path: Path, out: Path) -> list[Path]:
    """The folders of all runs of a grid, made where they are not there, once nothing is wrong with any run.

    Raises:
        SeqbenchError: whatever is wrong with the file, an option of a model, a recipe or a folder.
    """
    from seqbench.training.folder import claim

    runs = grid(path)
    check(runs)
    folders = [out / settings.run_id for settings in runs]
    for settings, folder in zip(runs, folders, strict=True):
        claim(settings, folder, resume=True)
    return folders


def sweep(path: Path, out: Path, jobs: int = 1) -> list[dict[str, Any]]:
    """Makes all runs of a grid that have no result yet, in processes of one thread each; their result files.

    An interrupt ends the processes, which leave checkpoints; the same call goes on.

    Raises:
        SeqbenchError: a run failed; what it said. The others go on first.
    """
    folders = claimed(path, out)
    left = [folder for folder in folders if not (folder / RESULT).exists()]
    failed = [message for message in _make_all(left, jobs) if message]
    if failed:
        raise SeqbenchError(f"{len(failed)} of {len(folders)} runs failed. The first: {failed[0]}")
    return [_result(folder) for folder in folders]


def _result(folder: Path) -> dict[str, Any]:
    path = folder / RESULT
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        table([found])  # has all that is told of it
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"{str(path)!r} cannot be read: it is damaged. Remove it; the same command makes it again."
        ) from None
    return found


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
