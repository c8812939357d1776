"""Sets of whole numbers, such as the lengths of a split, in a few words that leave none out and add none."""

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise

FEW = 8  # numbers that are listed one by one
EXCEPTIONS = 4  # missing numbers that are named
SHORTEST_RUN = 3  # numbers that make a range with a step


def spans(numbers: Iterable[int]) -> str:
    """Exactly these numbers: a range, a range in steps, one with exceptions, a list, or several of these.

    Example:
        >>> spans([256]), spans(range(1, 41)), spans(range(2, 41, 2))
        ('256', '1-40', '2-40 in steps of 2')
        >>> spans([4, 5, *range(7, 101)]), spans([63, 127, 255, 511, 1023])
        ('4-100 but not 6', '63, 127, 255, 511, 1023')
        >>> spans([*range(1, 41), *range(50, 501, 50)]), spans([])
        ('1-40, 50-500 in steps of 50', 'none')
    """
    there = sorted(set(map(int, numbers)))
    if not there:
        return "none"
    step = math.gcd(*(b - a for a, b in pairwise(there))) or 1
    missing = sorted(set(range(there[0], there[-1], step)) - set(there)) if _is_dense(there, step) else None
    if missing == [] and (len(there) >= SHORTEST_RUN or step == 1):
        return _run(there)
    if len(there) <= FEW:
        return ", ".join(map(str, there))
    if missing is not None:
        return f"{there[0]}-{there[-1]}{_steps(step)} but not {', '.join(map(str, missing))}"
    return ", ".join(map(_run, _runs(there)))


def _is_dense(there: list[int], step: int) -> bool:
    """Whether few numbers are missing; asked before they are listed, for gaps may be huge."""
    return (there[-1] - there[0]) // step + 1 - len(there) <= EXCEPTIONS


def _run(numbers: list[int]) -> str:
    """Evenly spaced numbers."""
    if len(numbers) == 1:
        return str(numbers[0])
    return f"{numbers[0]}-{numbers[-1]}{_steps(numbers[1] - numbers[0])}"


def _steps(step: int) -> str:
    return "" if step == 1 else f" in steps of {step}"


def _runs(there: list[int]) -> Iterator[list[int]]:
    """Maximal runs of evenly spaced numbers, from the first on; a number alone where none begins."""
    start = 0
    while start < len(there):
        end = start + 1
        while end < len(there) and there[end] - there[end - 1] == there[start + 1] - there[start]:
            end += 1
        end = end if end - start >= SHORTEST_RUN else start + 1
        yield there[start:end]
        start = end
