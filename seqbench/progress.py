"""Progress bars that obey the switches of the datasets library, without importing it."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


def progress(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, with a bar on standard error that says what is done and how far.

    Off where `datasets.disable_progress_bars()`, HF_DATASETS_DISABLE_PROGRESS_BARS=1 or TQDM_DISABLE=1 says so.

    Example:
        >>> list(progress([1, 2], "Counting"))
        [1, 2]
    """
    yield from _bar(items, desc=what, total=total)


@contextmanager
def counting(what: str, unit: str, total: int | None = None) -> Iterator[Callable[[int], object]]:
    """A bar for work whose steps are of different sizes: call what comes with the number that one step did.

    Example:
        >>> with counting("Reading", "words", total=3) as done:
        ...     _ = done(2), done(1)
    """
    with _bar(desc=what, total=total, unit=f" {unit}") as bar:
        yield bar.update


def _bar(*items: Any, **how: Any) -> Any:
    if "datasets" in sys.modules:
        return sys.modules["datasets"].utils.tqdm(*items, **how)
    from tqdm import tqdm

    off = os.environ.get("HF_DATASETS_DISABLE_PROGRESS_BARS", "").upper() in {"1", "ON", "YES", "TRUE"}
    return tqdm(*items, **how, **({"disable": True} if off else {}))  # else TQDM_DISABLE decides
