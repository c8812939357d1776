"""Words that users hand in: one alone, or many."""

from collections.abc import Callable
from typing import Any

import numpy as np

from seqbench.errors import InputError, quoted


def as_words(inputs: Any) -> tuple[Any, bool]:
    """The words as a list, and whether it was one alone (text, or a flat list of ids).

    Raises:
        InputError: no list of words.

    Example:
        >>> as_words("01"), as_words([1, 1, 0]), as_words(["01", [1, 1, 0]])
        ((['01'], True), ([[1, 1, 0]], True), (['01', [1, 1, 0]], False))
    """
    if isinstance(inputs, str):
        return [inputs], True
    if not hasattr(inputs, "__len__") or not hasattr(inputs, "__iter__"):
        raise InputError(f"{quoted(inputs)} is no list of words. Give words as text or as lists of symbol ids.")
    alone = isinstance(next(iter(inputs), None), int | np.integer)
    return ([inputs] if alone else inputs), alone


def each_word(solve: Callable[[Any], Any], inputs: Any) -> Any:
    """The answer to each word; of one word alone (text, or a flat list of ids) its answer.

    Raises:
        InputError: no list of words, or whatever `solve` raises.

    Example:
        >>> each_word(len, ["01", [1, 1, 0]]), each_word(len, [1, 1, 0]), each_word(len, "01")
        ([2, 3], 3, 2)
    """
    words, alone = as_words(inputs)
    answers = [solve(word) for word in words]
    return answers[0] if alone else answers
