"""What reading the rows of a dataset tells: how many repeat, and how many of a split are in train too."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.generation.base_plan import PlannedSplit
from seqbench.generation.streams import unit_key

Array = npt.NDArray[Any]

MAX_ROWS = 20_000_000
MAX_TOKENS = 1_000_000_000
KEY = unit_key("overlap")
"""The key of the hashes by which words are compared."""


def blocks_read(split: PlannedSplit) -> range:
    """All blocks of a split; of a huge one as many, evenly spread, as can be read in seconds."""
    share = min(1.0, MAX_TOKENS / max(1, split.split.num_tokens), MAX_ROWS / max(1, split.num_examples))
    return range(0, split.num_blocks, max(1, int(1 / share)))


class Repeats:
    """Counts of rows that repeat, split after split, `train` first.

    Words are compared by 64-bit keyed hashes, which differ for different words but for one chance in 2^64 a pair.

    Example:
        >>> repeats = Repeats()
        >>> repeats.of("train", np.array([7, 7, 8])), repeats.of("test", np.array([8, 9]))["in_train"]
        ({'rows_read': 3, 'distinct_words': 2}, 1)
    """

    def __init__(self) -> None:
        """Nothing has been read."""
        self._train: Array | None = None

    def of(self, split: str, hashes: Array) -> dict[str, int]:
        """Rows read, distinct words among them, and how many rows hold a word that `train` holds too."""
        distinct = np.unique(hashes)
        facts = {"rows_read": len(hashes), "distinct_words": len(distinct)}
        if split == "train":
            self._train = distinct
        elif self._train is not None:
            facts["in_train"] = int(np.isin(hashes, self._train).sum())
        return facts
