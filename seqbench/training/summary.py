"""A result file in lines that fit a terminal."""

from typing import Any

APART = ("members", "random_non_members", "non_members", "near_misses")
"""Sequences of one label that are measured apart, where the labels are those of a language."""


def summary(facts: dict[str, Any]) -> str:
    """The measures in lines that fit a terminal."""
    metrics, model, timing = facts["metrics"], facts["model"], facts["timing"]["training"]
    measure = metrics["measure"]
    found = {f"test, {name.replace('_', ' ')}": (name, value) for name, value in metrics["test"].items()}
    apart = {key.replace("_", " "): (measure, metrics[key][measure]) for key in APART if key in metrics}
    each = list(metrics["test"][measure]["per_length"].items())
    some = {f"length {length}": (measure, value) for length, value in each[:: max(1, len(each) // 8)]}
    lines = {"in distribution": (measure, metrics["in_distribution"][measure]), **found, **apart, **some}
    speed = (
        f"{timing['sequences_per_second']:,.0f} sequences/s; {100 * timing['waiting']:.1f} % of the time without data"
    )
    head = [
        f"{facts['task']['id']}, {model['family']} with {model['parameters']:,} parameters",
        f"  {facts['training']['steps']:,} steps in {timing['seconds']:.0f} s, {speed}",
    ]
    rows = [f"  {name:24}{_shown(*value)}" for name, value in lines.items()]
    return "\n".join([*head, *rows, f"  {'chance':24}{_figure(measure, facts['task']['chance'])}"])


def _shown(measure: str, found: dict[str, Any]) -> str:
    low, high = (_figure(measure, end).strip() for end in found["interval"])
    return f"{_figure(measure, found['value'])}  ({low} to {high}, {found['n']:,} sequences)"


def _figure(measure: str, value: float | None) -> str:
    """A share in per cent, an error as it is."""
    if value is None:
        return "unknown"
    return f"{value:9.4g}" if measure == "relative_mse" else f"{100 * value:7.2f} %"
