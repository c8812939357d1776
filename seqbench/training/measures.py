"""Measures of a trained model: shares of right answers and relative errors, each with a 95 % interval, by length."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from seqbench.generation.blocks import IGNORED
from seqbench.training.intervals import Z, wilson
from seqbench.training.targets import Batch, Targets

Array = npt.NDArray[Any]

CHUNK_SYMBOLS = 1 << 18  # symbols in one forward pass: memory stays flat at any length
CHUNK_LOGITS = 1 << 26  # numbers that one forward pass gives


@dataclass(frozen=True, eq=False)
class Tally:
    """What a model did on some sequences, one number a sequence.

    Attributes:
        part: the symbols (or labels) answered rightly; in regression the sum of squared errors.
        whole: the symbols (or labels) asked for; in regression the sum of squared targets.
    """

    part: Array
    whole: Array

    def __getitem__(self, which: Array) -> "Tally":
        """Some of the sequences."""
        return Tally(self.part[which], self.whole[which])

    @classmethod
    def of(cls, parts: Iterable["Tally"]) -> "Tally":
        """Several together."""
        found = list(parts)
        return cls(np.concatenate([each.part for each in found]), np.concatenate([each.whole for each in found]))

    @property
    def faultless(self) -> bool:
        """Whether everything was answered rightly."""
        return bool((self.part == self.whole).all())


@dataclass(frozen=True)
class Measure:
    """A figure with its uncertainty.

    Attributes:
        value: a share of right answers, or a relative error.
        n: the number of sequences.
        interval: 95 %.
    """

    value: float
    n: int
    interval: tuple[float, float]

    def facts(self) -> dict[str, Any]:
        """As plain data.

        Example:
            >>> token_accuracy(Tally(np.array([3, 4]), np.array([4, 4]))).facts()
            {'value': 0.875, 'n': 2, 'interval': [0.264054, 0.992731]}
        """
        return {"value": _short(self.value), "n": self.n, "interval": [_short(end) for end in self.interval]}


def token_accuracy(tally: Tally) -> Measure:
    """The share of symbols that are right, of those that count.

    The symbols of a sequence are not independent. The Wilson interval is that of as many shares as there are sequences:
    a share per sequence lies in [0, 1], so its variance is at most p (1 - p), and the interval is never too narrow.
    """
    return share(float(tally.part.sum() / tally.whole.sum()), len(tally.part))


def sequence_accuracy(tally: Tally) -> Measure:
    """The share of sequences in which everything that counts is right."""
    return share(float((tally.part == tally.whole).mean()), len(tally.part))


def share(value: float, n: int) -> Measure:
    """A share of n sequences with its Wilson interval."""
    return Measure(value, n, wilson(value * n, n))


def relative_mse(tally: Tally) -> Measure:
    """The sum of squared errors over that of squared targets; saying 0 always has 1.

    The interval is that of a ratio of means over sequences (Cochran, Sampling techniques, 1977, section 2.11).

    Example:
        >>> relative_mse(Tally(np.array([1.0, 3.0]), np.array([4.0, 4.0]))).value
        0.5
    """
    value = float(tally.part.sum() / tally.whole.sum())
    rest = tally.part - value * tally.whole
    return _around(value, len(rest), math.sqrt(_variance(rest)) / float(tally.whole.sum()))


def _variance(rest: Array) -> float:
    """Of the sum of numbers of mean 0; infinite where there is one alone."""
    return float((rest**2).sum()) * len(rest) / (len(rest) - 1) if len(rest) > 1 else math.inf


def _around(value: float, n: int, error: float) -> Measure:
    return Measure(value, n, (max(0.0, value - Z * error), value + Z * error))


def mean(measures: Iterable[Measure], shares: bool) -> Measure:
    """The mean over lengths of measures of independent sequences, with the interval of that mean.

    Example:
        >>> mean([share(1.0, 50), share(0.9, 50)], shares=True).value
        0.95
    """
    found = list(measures)
    value, n = sum(each.value for each in found) / len(found), sum(each.n for each in found)
    if shares:
        return share(value, n)
    errors = [(each.interval[1] - each.value) / Z for each in found]
    return _around(value, n, math.sqrt(sum(error * error for error in errors)) / len(found))


MEASURES: dict[str, dict[str, Callable[[Tally], Measure]]] = {
    "label": {"accuracy": sequence_accuracy},
    "positions": {"token_accuracy": token_accuracy, "sequence_accuracy": sequence_accuracy},
    "string": {"token_accuracy": token_accuracy, "sequence_accuracy": sequence_accuracy},
    "numbers": {"relative_mse": relative_mse},
}
"""What is measured, by the kind of targets; the first is what counts."""


def first_measure(kind: str) -> str:
    """The measure that counts.

    Example:
        >>> first_measure("string")
        'token_accuracy'
    """
    return next(iter(MEASURES[kind]))


def measured(kind: str, tally: Tally) -> dict[str, Any]:
    """All measures of some sequences, as plain data."""
    return {name: measure(tally).facts() for name, measure in MEASURES[kind].items()}


def by_length(kind: str, tallies: Mapping[int, Tally]) -> dict[str, Any]:
    """All measures of sequences by length: the mean over the lengths, as published, and each length's own."""
    found = {}
    for name, measure in MEASURES[kind].items():
        each = {length: measure(tally) for length, tally in tallies.items()}
        own = {str(length): part.facts() for length, part in each.items()}
        found[name] = mean(each.values(), kind != "numbers").facts() | {"per_length": own}
    return found


def counted(targets: Targets, batch: Batch) -> Array:
    """How often each label or symbol is the answer, (outputs,)."""
    wanted = batch.targets[batch.targets != IGNORED].numpy()
    return np.bincount(wanted, minlength=targets.outputs)


def tally(model: torch.nn.Module, targets: Targets, batch: Batch, device: torch.device) -> Tally:
    """What a model does on a batch, in parts that fit the memory; sequences that are asked nothing are left out."""
    longest = max(1, batch.inputs.shape[1])
    size = max(1, min(CHUNK_SYMBOLS, CHUNK_LOGITS // targets.outputs) // longest)
    found = []
    with torch.inference_mode():
        for part in batch.split(size):
            inputs, wanted = part.on(device, next(model.parameters()).dtype)
            found.append(_compared(targets, model(inputs, part.lengths), wanted))
    both = Tally.of(found)
    return both[both.whole > 0]


def _compared(targets: Targets, given: Tensor, wanted: Tensor) -> Tally:
    if targets.vectors:
        parts = (given - wanted).square(), wanted.square()
        part, whole = (each.double().flatten(1).sum(1) for each in parts)
    else:
        counts = (wanted != IGNORED).reshape(len(wanted), -1)
        right = (given.argmax(-1) == wanted).reshape(len(wanted), -1) & counts
        part, whole = right.sum(1), counts.sum(1)
    return Tally(part.cpu().numpy(), whole.cpu().numpy())


def _short(value: float) -> float | None:
    """Six significant digits; None for what JSON has no number for: unknown, or diverged."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
