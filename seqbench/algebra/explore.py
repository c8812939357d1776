"""The one way in which infinite descriptions become finite tables: explore the states from a start, with a limit."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from seqbench.errors import TooLargeError

MAX_STATES = 100_000

State = TypeVar("State", bound=Hashable)


def explore(
    start: State, successors: Callable[[State], Iterable[State]], *, what: str = "machine", limit: int = MAX_STATES
) -> tuple[list[State], list[list[int]]]:
    """The states reachable from the start in breadth-first order, and the numbers of each one's successors.

    Args:
        start: any hashable value.
        successors: the next state for every symbol, in alphabet order.
        what: what is being built, for the error.
        limit: the greatest number of states.

    Raises:
        TooLargeError: as soon as there are more states than the limit.

    Example:
        >>> explore(0, lambda state: [state, (state + 1) % 3])
        ([0, 1, 2], [[0, 1], [1, 2], [2, 0]])
    """
    numbers = {start: 0}
    order = [start]
    rows = []
    for state in order:
        row = []
        for successor in successors(state):
            number = numbers.setdefault(successor, len(order))
            if number == len(order):
                order.append(successor)
            row.append(number)
        rows.append(row)
        check_size(len(order), what, limit)
    return order, rows


def check_size(count: int, what: str = "machine", limit: int = MAX_STATES) -> None:
    """Nothing, if the count of states is within the limit.

    Raises:
        TooLargeError: it is not.

    Example:
        >>> check_size(100)
    """
    if count > limit:
        raise TooLargeError(
            f"The {what} has at least {count:,} states before it is minimised. The limit is {limit:,} states. "
            "Use smaller parameters or bounds."
        )
