"""Prints which model learnt which task, of all the runs in a folder, as a Markdown table.

    seqbench sweep benchmarks/learnability/labels.toml --out runs/learnability --jobs 2
    seqbench sweep benchmarks/learnability/sequences.toml --out runs/learnability --jobs 2
    seqbench sweep benchmarks/learnability/memory.toml --out runs/learnability --jobs 2
    python -m benchmarks.learnability runs/learnability

A cell has the measure in distribution, beyond the lengths of training, and for near misses alone where the task has
them: per cent, or relative MSE.
"""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any


def cell(facts: dict[str, Any]) -> str:
    """The measures of one run."""
    metrics = facts["metrics"]
    measure = metrics["measure"]
    parts = [metrics[name] for name in ("in_distribution", "test", "near_misses") if name in metrics]
    return " / ".join(_figure(measure, part[measure]["value"]) for part in parts)


def _figure(measure: str, value: float | None) -> str:
    if value is None:
        return "diverged"
    # rounded down, so that 100 says that all were right
    return f"{value:.2g}" if measure == "relative_mse" else f"{int(1000 * value) / 10:g}"


def table(results: list[dict[str, Any]]) -> str:
    """The Markdown table of runs, a row a model and a column a task; the first seed of several."""
    found = {(each["model"]["family"], each["task"]["id"]): each for each in reversed(results)}
    tasks, models = (_ordered(key, {names[place] for names in found}) for place, key in ((1, "task"), (0, "model")))
    rows = [["model", *(f"`{task}`" for task in tasks)], ["---"] * (len(tasks) + 1)]
    for model in models:
        runs = (found.get((model, task)) for task in tasks)
        rows.append([f"`{model}`", *(cell(run) if run else "" for run in runs)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _ordered(key: str, names: set[str]) -> list[str]:
    """The names in the order of the grids; what is in none comes last."""
    files = sorted(Path(__file__).parent.glob("*.toml"))
    grids = [tomllib.loads(file.read_text(encoding="utf-8"))["grid"] for file in files]
    known = dict.fromkeys(name for grid in grids for name in grid[key])
    return [*(name for name in known if name in names), *sorted(names - known.keys())]


def main(folder: Path) -> None:
    """Prints the table of the runs in a folder."""
    results = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*/result.json"))]
    print(table(sorted(results, key=lambda each: each["training"]["seed"])))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
