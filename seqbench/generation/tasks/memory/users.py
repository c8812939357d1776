"""Users' own inputs, in whatever form they come."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError, quoted

Array = npt.NDArray[Any]


def as_rows(inputs: Any, channels: int) -> tuple[Array, Array, bool]:
    """The signals as float32, flat; their lengths; and whether it was one alone.

    Args:
        inputs: signals as lists, arrays or tensors, each of shape (steps,) or (steps, channels), or one alone.
        channels: numbers a step.

    Raises:
        InputError: no such signals, an empty one, or numbers that are not finite in float32.

    Example:
        >>> as_rows([[1, 2], [3]], 1)[1].tolist(), as_rows([1, 2, 3], 1)[2]
        ([2, 1], True)
    """
    if isinstance(inputs, str) or not hasattr(inputs, "__iter__"):
        raise InputError(f"inputs is {quoted(inputs)}, which is no list of signals. Give lists of numbers.")
    rows = list(inputs)
    depth = _depth(rows)
    wanted = 2 if channels == 1 else 3
    alone = depth == wanted - 1
    found = [_signal(number, row, channels) for number, row in enumerate([rows] if alone else rows)]
    lengths = np.array([len(row) for row in found], np.int64)
    return (np.concatenate([row.ravel() for row in found]) if found else np.empty(0, np.float32)), lengths, alone


def _depth(value: Any) -> int:
    """How many lists lie around the first number."""
    depth = 0
    while not isinstance(value, str) and hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0:
        depth += 1
        if len(value) == 0:
            break
        value = value[0]
    return depth


def _signal(number: int, row: Any, channels: int) -> Array:
    """One signal, shape (steps, channels)."""
    try:
        with np.errstate(over="ignore"):  # infinities are refused below
            signal = np.asarray(row, dtype=np.float64).astype(np.float32)
    except (TypeError, ValueError, RuntimeError):
        raise InputError(f"Input {number}, {quoted(row)}, is no signal. Give a list of numbers.") from None
    if channels == 1 and signal.ndim == 1:
        signal = signal[:, None]
    if signal.ndim != 2 or signal.shape[1] != channels or len(signal) == 0:
        raise InputError(
            f"Input {number} has the shape {np.shape(row)}. Give at least one step of {channels} "
            f"number{'s' if channels > 1 else ''} each."
        )
    if not np.isfinite(signal).all():
        raise InputError(f"Input {number} holds a number that is not finite. Give finite float32 numbers.")
    return signal
