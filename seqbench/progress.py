"""Progress bars that obey the switches of the datasets library, without importing it."""

import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


def progress(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, with a bar on standard error that says what is done and how far.

    Off where `datasets.disable_progress_bars()`, HF_DATASETS_DISABLE_PROGRESS_BARS=1 or TQDM_DISABLE=1 says so.

    Example:
        >>> list(progress([1, 2], "Counting"))
        [1, 2]
    """
    if "datasets" in sys.modules:
        bar: Any = sys.modules["datasets"].utils.tqdm
        yield from bar(items, desc=what, total=total)
        return
    from tqdm import tqdm

    off = os.environ.get("HF_DATASETS_DISABLE_PROGRESS_BARS", "").upper() in {"1", "ON", "YES", "TRUE"}
    yield from tqdm(items, desc=what, total=total, **({"disable": True} if off else {}))  # else TQDM_DISABLE decides
