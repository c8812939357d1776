"""The results of several runs as one table."""

import math
from collections.abc import Iterable
from typing import Any

UNVARIED = ("task", "steps", "seed", "data_seed", "selection")
"""What the result says of training that is no setting, or is told in a column of its own."""


def table(results: Iterable[dict[str, Any]]) -> str:
    """What counts on the test split, by task, model and whatever else the grid varies: over seeds, as Markdown.

    The mean, the lowest and the highest, and what chance would have; shares in %.
    """
    results = list(results)
    vary = _varied(results)
    found: dict[tuple[str, ...], list[float]] = {}
    chance = {}
    for facts in results:
        measure = facts["metrics"]["measure"]
        value = facts["metrics"]["test"][measure]["value"]
        others = [str(_flat(facts).get(name, "")) for name in vary]
        key = facts["task"]["id"], facts["model"]["family"], *others, measure
        found.setdefault(key, []).append(math.nan if value is None else value)
        chance[key] = facts["task"]["chance"]
    head = ["task", "model", *vary, "measure", "seeds", "mean", "lowest", "highest", "chance"]
    lines = [f"| {' | '.join(head)} |", "| --- " * len(head) + "|"]
    for key, scores in found.items():
        *names, measure = key
        figures = (sum(scores) / len(scores), min(scores), max(scores), chance[key])
        cells = [f"{each:.4g}" if measure == "relative_mse" else f"{100 * each:.2f}" for each in figures]
        lines.append(f"| {' | '.join([*names, measure.replace('_', ' '), str(len(scores)), *cells])} |")
    return "\n".join(lines)


def _flat(facts: dict[str, Any]) -> dict[str, Any]:
    """All that a grid may vary, besides task, model and seeds, by name."""
    flat = {name: value for name, value in facts["training"].items() if name not in UNVARIED}
    for whose, table in (("dataset", flat.pop("recipe")), ("model", facts["model"]["config"])):
        flat |= {f"{name} of the {whose}" if name in flat else name: value for name, value in table.items()}
    return flat


def _varied(results: list[dict[str, Any]]) -> list[str]:
    """Names of settings that differ between runs of the same task and model."""
    values: dict[tuple[str, str], dict[str, set[str]]] = {}
    for facts in results:
        here = values.setdefault((facts["task"]["id"], facts["model"]["family"]), {})
        for name, value in _flat(facts).items():
            here.setdefault(name, set()).add(str(value))
    return list(dict.fromkeys(name for here in values.values() for name, found in here.items() if len(found) > 1))
