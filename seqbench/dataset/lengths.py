"""The lengths of a split as facts."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.spans import spans


def length_facts(lengths: npt.NDArray[Any]) -> dict[str, Any]:
    """First and last length, how many there are, what all gaps are multiples of, and exactly which ones there are.

    Args:
        lengths: all lengths of a split, rising, shape (n,).

    Example:
        >>> length_facts(np.array([63, 127, 255]))
        {'lengths': [63, 255], 'num_lengths': 3, 'length_step': 64, 'which_lengths': '63, 127, 255'}
    """
    return {
        "lengths": [int(lengths[0]), int(lengths[-1])],
        "num_lengths": len(lengths),
        "length_step": int(np.gcd.reduce(np.diff(lengths))) if len(lengths) > 1 else 1,
        "which_lengths": spans(lengths.tolist()),
    }
