"""A result file in lines that fit a terminal."""

from typing import Any

APART = ("members", "random_non_members", "non_members", "near_misses")
"""Sequences of one label that are measured apart, where the labels are those of a language."""

SHOWN = 8
"""Lengths that are shown."""


def summary(facts: dict[str, Any]) -> str:
    """The measures in lines that fit a terminal."""
    metrics, model, timing = facts["metrics"], facts["model"], facts["timing"]["training"]
    measure = metrics["measure"]
    found = {f"test, {name.replace('_', ' ')}": (name, value) for name, value in metrics["test"].items()}
    apart = {key.replace("_", " "): (measure, metrics[key][measure]) for key in APART if key in metrics}
    each = list(metrics["test"][measure]["per_length"].items())
    shown = [each[len(each) * place // (SHOWN - 1) - (place > 0)] for place in range(SHOWN)] if each[SHOWN:] else each
    some = {f"length {length}": (measure, value) for length, value in shown} if len(each) > 1 else {}
    lines = {f"in distribution{_elsewhere(facts)}": (measure, metrics["in_distribution"][measure]), **found, **apart}
    speed = (
        f"{timing['sequences_per_second']:,.0f} sequences/s; {100 * timing['waiting']:.1f} % of the time without data"
    )
    head = [
        f"{facts['task']['id']}, {model['family']} with {model['parameters']:,} parameters",
        f"  {facts['training']['steps']:,} steps{_elsewhere(facts)} in {timing['seconds']:,.1f} s, {speed}",
    ]
    rows = [f"  {name:24}{_shown(*value)}" for name, value in (lines | some).items()]
    note = [f"  ({SHOWN} of {len(each)} lengths; all are in the result)"] if each[SHOWN:] else []
    return "\n".join([*head, *rows, *note, f"  {'chance':24}{_figure(measure, facts['task']['chance'])}"])


def _elsewhere(facts: dict[str, Any]) -> str:
    """The dataset of the training, where the test is of another."""
    trained = facts["training"]["task"]
    return "" if trained == facts["task"]["id"] else f" on {trained}"


def _shown(measure: str, found: dict[str, Any]) -> str:
    low, high = (_figure(measure, end).strip() for end in found["interval"])
    return f"{_figure(measure, found['value'])}  ({low} to {high}, {found['n']:,} sequences)"


def _figure(measure: str, value: float | None) -> str:
    """A share in per cent, an error as it is."""
    if value is None:
        return "unknown"
    return f"{value:9.4g}" if measure == "relative_mse" else f"{100 * value:7.2f} %"
