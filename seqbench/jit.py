"""The one door to numba: compiled on first use, cached on disk, typed for the checker."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """The function compiled by numba; machine code is cached on disk, so that a second process starts at once.

    Kernels take NumPy arrays of fixed types only, so that each compiles once. Integer overflow wraps, floats follow
    IEEE 754 (no fastmath): equal results on every machine.
    """
    return cast("Function", numba.njit(cache=True, nogil=True)(function))
