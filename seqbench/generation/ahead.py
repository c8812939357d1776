"""Work made ahead of its use: the next pieces grow in threads while one is used."""

import collections
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

THREADS = 2


def ahead(make: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[tuple[Item, Made]]:
    """Each item with what `make` makes of it, in order; two more are made while one is used.

    Worth while where `make` spends its time in kernels, which let other threads run.

    Example:
        >>> list(ahead(lambda number: number**2, [1, 2, 3]))
        [(1, 1), (2, 4), (3, 9)]
    """
    waiting: collections.deque[tuple[Item, Future[Made]]] = collections.deque()
    with ThreadPoolExecutor(THREADS) as pool:
        for item in items:
            waiting.append((item, pool.submit(make, item)))
            if len(waiting) > THREADS:
                first, made = waiting.popleft()
                yield first, made.result()
        for first, made in waiting:
            yield first, made.result()
