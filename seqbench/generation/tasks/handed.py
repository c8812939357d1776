"""Words that users hand in: one alone, or many."""

from collections.abc import Callable
from typing import Any

import numpy as np

from seqbench.errors import InputError, quoted


def each_word(solve: Callable[[Any], Any], inputs: Any) -> Any:
    """The answer to each word; of one word alone (text, or a flat list of ids) its answer.

    Raises:
        InputError: no list of words, or whatever `solve` raises.

    Example:
        >>> each_word(len, ["01", [1, 1, 0]]), each_word(len, [1, 1, 0]), each_word(len, "01")
        ([2, 3], 3, 2)
    """
    if isinstance(inputs, str):
        return solve(inputs)
    if not hasattr(inputs, "__len__") or not hasattr(inputs, "__iter__"):
        raise InputError(f"{quoted(inputs)} is no list of words. Give words as text or as lists of symbol ids.")
    alone = isinstance(next(iter(inputs), None), int | np.integer)
    return solve(inputs) if alone else [solve(word) for word in inputs]
