"""Cases of a property over a whole catalogue: a few in every run, all of them in `make test-all`."""

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(cases: Iterable[Any], every: int = 4) -> list[Any]:
    """All cases, of which only every so many-th is not slow."""
    return [pytest.param(case, marks=[pytest.mark.slow] * (place % every > 0)) for place, case in enumerate(cases)]
