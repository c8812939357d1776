"""Inference time and memory against length, each model and length in turn (the figure of the PR-LSTM paper)."""

import math
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from seqbench.catalogue.recipe import MAX_LENGTH, whole
from seqbench.drawing import curve, save
from seqbench.errors import InputError, quoted
from seqbench.models import create
from seqbench.progress import progress
from seqbench.training.machine import enough_memory

VOCABULARY, CLASSES = 2, 2
MAX_BATCH = 10_000_000


def profile(
    models: Sequence[str],
    lengths: Sequence[int],
    *,
    batch: int = 16,
    limit: float = 5.0,
    repeats: int = 3,
    device: torch.device | None = None,
) -> list[dict[str, Any]]:
    """Seconds and peak memory of a forward pass, one record a model and length, lengths rising.

    A model is left out at lengths beyond the first at which a pass took longer than the limit.

    Args:
        models: names of reference models, at their defaults.
        lengths: of the words.
        batch: words in a pass.
        limit: seconds.
        repeats: passes, of which the median is taken, after one that warms up.
        device: the CPU where None.

    Raises:
        UnknownNameError: no such model.
        InputError: a length that is out of range, a limit that is not above 0, or too little memory.

    Example:
        >>> [row["length"] for row in profile(["gru"], [8, 4], batch=2)]
        [4, 8]
    """
    whole("batch", batch, 1, MAX_BATCH)
    for length in lengths:
        whole("length", length, 1, MAX_LENGTH)
    if not limit > 0:
        raise InputError(f"limit is {quoted(limit)}. Give a number of seconds above 0, such as 5.")
    where = device or torch.device("cpu")
    rows: list[dict[str, Any]] = []
    made = {name: create(name, vocabulary=VOCABULARY, classes=CLASSES) for name in models}  # a bad name ends at once
    for name, fresh in made.items():
        model = fresh.to(where).eval()
        for length in progress(sorted(lengths), f"Profiling {name}", len(lengths)):
            what = f"{batch} words of length {length} and the model {name}"
            with enough_memory(where, what, "Give a smaller --batch, or shorter lengths."):
                measured = _pass(model, batch, length, where, repeats, limit)
            rows.append({"model": name, "length": length, "batch": batch, **measured})
            if measured["seconds"] > limit:
                break
    return rows


def _pass(
    model: torch.nn.Module, batch: int, length: int, device: torch.device, repeats: int, limit: float
) -> dict[str, float]:
    tokens = (torch.arange(batch * length, device=device) * 7 % 11 % VOCABULARY).view(batch, length)
    lengths = torch.full((batch,), length)
    seconds = []
    with torch.inference_mode():
        for _ in range(repeats + 1):
            _wait(device)
            start = time.perf_counter()
            model(tokens, lengths)
            _wait(device)
            seconds.append(time.perf_counter() - start)
            if seconds[-1] > limit:  # left out from here on: no need to know it better
                break
        memory = _peak(model, tokens, lengths, device)
    return {"seconds": statistics.median(seconds[1:] or seconds), "megabytes": memory}


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _peak(model: torch.nn.Module, tokens: torch.Tensor, lengths: torch.Tensor, device: torch.device) -> float:
    """Peak megabytes of tensors that a pass makes: the allocator's on a GPU, torch's own profiler on a CPU."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
        model(tokens, lengths)
        return (torch.cuda.max_memory_allocated(device) - before) / 2**20
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, profile_memory=True) as seen:
        model(tokens, lengths)
    held = peak = 0
    for event in sorted(seen.profiler.kineto_results.events(), key=lambda each: each.start_ns()):
        if event.name() == "[memory]":
            held += event.nbytes()
            peak = max(peak, held)
    return peak / 2**20


def text(rows: Sequence[dict[str, Any]]) -> str:
    """The records as a table: seconds and megabytes by model and length."""
    lengths = sorted({row["length"] for row in rows})
    lines = ["| model | " + " | ".join(f"{length:,}" for length in lengths) + " |", "| --- " * (len(lengths) + 1) + "|"]
    for name in dict.fromkeys(row["model"] for row in rows):
        found = {row["length"]: row for row in rows if row["model"] == name}
        cells = [_cell(found[length]) if length in found else "" for length in lengths]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(row: dict[str, Any]) -> str:
    return f"{1000 * row['seconds']:.1f} ms, {row['megabytes']:.1f} MB"


def draw(rows: Sequence[dict[str, Any]], path: str | Path) -> None:
    """Saves seconds against length, both logarithmic, one line a model."""
    lengths = sorted({row["length"] for row in rows})
    lines = {}
    for name in dict.fromkeys(row["model"] for row in rows):
        found = {row["length"]: row["seconds"] for row in rows if row["model"] == name}
        lines[name] = [found.get(length, math.nan) for length in lengths]
    save(curve(lengths, lines, xlabel="length", ylabel="seconds a pass", log="xy"), path)
