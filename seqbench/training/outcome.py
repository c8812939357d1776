"""What a model did on a split, gathered length by length."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.training.measures import Tally, by_length, counted
from seqbench.training.targets import Batch, Targets

Array = npt.NDArray[Any]


@dataclass(eq=False)
class Outcome:
    """What a model did on a split.

    Attributes:
        targets: what was asked for.
        tallies: by length.
        labels: of the sequences by length, where they have one label each.
        counts: how often each label or symbol was the answer.
        sequences, symbols, seconds: how much the model read, and how long that took.
    """

    targets: Targets
    tallies: dict[int, Tally] = field(default_factory=dict)
    labels: dict[int, Array] = field(default_factory=dict)
    counts: Array = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    sequences: int = 0
    symbols: int = 0
    seconds: float = 0.0

    def add(self, length: int, batch: Batch, found: Tally, seconds: float) -> None:
        """Adds the sequences of a length."""
        self.tallies[length] = found
        if self.targets.kind == "label":
            self.labels[length] = batch.targets.numpy()
        if not self.targets.vectors:
            self.counts = self.counts + counted(self.targets, batch)
        self.sequences, self.symbols = self.sequences + len(batch.lengths), self.symbols + batch.symbols
        self.seconds += seconds

    @property
    def chance(self) -> float:
        """What the most frequent label, or symbol over all that count, would score; in regression 0 has 1."""
        return 1.0 if self.targets.vectors else float(self.counts.max() / self.counts.sum())

    def measures(self, label: int | None = None) -> dict[str, Any]:
        """All measures, over the lengths and at each; of one label's sequences where it is given; {} of none."""
        chosen = self.tallies
        if label is not None:
            with_it = {length: labels == label for length, labels in self.labels.items()}
            chosen = {length: self.tallies[length][which] for length, which in with_it.items() if which.any()}
        return by_length(self.targets.kind, chosen) if chosen else {}
