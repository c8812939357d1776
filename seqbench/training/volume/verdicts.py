"""What a check says of one set of parameters, and the numbers by which compiled kernels know tasks and models."""

from typing import Any

import numpy.typing as npt

Array = npt.NDArray[Any]

WRONG, RIGHT, UNDECIDED = range(3)
FIRST, MAJORITY, INDEX, PARITY = range(4)
GEN, SIN, POS, NORM = range(4)

TASKS = {"first": FIRST, "majority": MAJORITY, "index": INDEX, "parity": PARITY}
MODELS = {"a_gen": GEN, "a_sin": SIN, "a_pos": POS, "a_norm": NORM}

VALUES = (12, 20, 10, 10)
"""Where the value map begins in the parameters of each model: before it stand those of query and key."""

BIT_FEATURES = (2, 4, 2, 2)
"""The width of what each model's value map reads."""


def dimension(model: int, hidden: int) -> int:
    """The number of parameters, D.

    They are in the order of the parameters of `seqbench.models.nesv.Attention`.

    Example:
        >>> [dimension(model, 8) for model in (GEN, SIN, POS, NORM)]
        [60, 72, 58, 58]
    """
    return VALUES[model] + 2 * BIT_FEATURES[model] + 2 + 5 * hidden + 2
