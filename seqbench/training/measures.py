"""Measures of a trained model, length by length: right words with Wilson intervals, members and non-members apart."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from seqbench.training.data import Batch
from seqbench.training.intervals import wilson

CHUNK_TOKENS = 1 << 18  # symbols in one forward pass: memory stays flat at any length


@dataclass(frozen=True)
class Score:
    """How many of some words were answered rightly.

    Attributes:
        right: number answered rightly.
        words: number of words.
    """

    right: int
    words: int

    @property
    def accuracy(self) -> float:
        """The share that is right; NaN where there is no word."""
        return self.right / self.words if self.words else float("nan")

    def __add__(self, other: "Score") -> "Score":
        """Both together."""
        return Score(self.right + other.right, self.words + other.words)

    def facts(self) -> dict[str, Any]:
        """The share with its 95 % interval as plain data.

        Example:
            >>> Score(9, 10).facts()
            {'accuracy': 0.9, 'interval': [0.5958, 0.9821], 'right': 9, 'words': 10}
        """
        low, high = wilson(self.right, self.words)
        return {
            "accuracy": round(self.accuracy, 6),
            "interval": [round(low, 4), round(high, 4)],
            "right": self.right,
            "words": self.words,
        }


def predictions(model: torch.nn.Module, batch: Batch, device: torch.device) -> torch.Tensor:
    """The label ids that a model gives the words of a batch, shape (batch,), on the CPU."""
    size = max(1, CHUNK_TOKENS // max(1, batch.tokens.shape[1]))
    with torch.inference_mode():
        found = [
            model(tokens.to(device), lengths.to(device)).argmax(dim=-1).cpu()
            for tokens, lengths in zip(batch.tokens.split(size), batch.lengths.split(size), strict=True)
        ]
    return torch.cat(found)


def scores_by_label(model: torch.nn.Module, batch: Batch, device: torch.device) -> dict[int, Score]:
    """The score of the words of each label that the batch holds."""
    right = predictions(model, batch, device) == batch.labels
    return {
        int(label): Score(int(right[batch.labels == label].sum()), int((batch.labels == label).sum()))
        for label in batch.labels.unique()
    }


def total(scores: Mapping[Any, Score]) -> Score:
    """All scores together."""
    return sum(scores.values(), Score(0, 0))


def chance(scores: Iterable[Mapping[int, Score]]) -> float:
    """What the most frequent label alone would score on the words of some scores by label.

    Example:
        >>> chance([{0: Score(1, 3), 1: Score(0, 1)}, {1: Score(2, 4)}])
        0.625
    """
    counts: Counter[int] = Counter()
    for by_label in scores:
        counts.update({label: score.words for label, score in by_label.items()})
    return max(counts.values()) / counts.total()
