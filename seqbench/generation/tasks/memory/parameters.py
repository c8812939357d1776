"""Parameters of the memory tasks, and what their values mean."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.parameters import Parameter
from seqbench.catalogue.recipe import MAX_LENGTH, whole
from seqbench.errors import InputError, quoted
from seqbench.generation.tasks.memory.families import FAMILIES, LEGACY, MIN_HORIZON
from seqbench.generation.tasks.memory.inputs import LAWS
from seqbench.generation.tasks.memory.response import ACTIVATIONS

Array = npt.NDArray[Any]

MAX_CHANNELS = 16
MATRICES = ("sum", "identity", "mix")
HORIZON_MODES = ("fixed", "cut", "rescaled")
WANTED = ("steps", "last")


@dataclass(frozen=True)
class NumberOrWord(Parameter):
    """A number in a range, or a word that stands for none.

    Attributes:
        word: the word; None and, where it is the maximum, infinity mean the same.
    """

    word: str = "auto"

    def check(self, value: Any) -> Any:
        """The number, or the word.

        Example:
            >>> NumberOrWord("shift", "number", "steps", 0, 10, "auto").check(3)
            3.0
        """
        return self.word if value is None or value == self.word or value == float("inf") else super().check(value)

    def allowed(self) -> str:
        """The allowed values in one sentence."""
        return f"It is {self.word!r} or {super().allowed().removeprefix('It is ')}"


@dataclass(frozen=True)
class Matrix(Parameter):
    """A named matrix, or one of the user's own: a list of rows of numbers, none of them all 0."""

    def check(self, value: Any) -> Any:
        """The name, or the rows.

        Example:
            >>> Matrix("matrix", "choice", "M", default="sum", choices=MATRICES).check([[1, 2]])
            [[1.0, 2.0]]
        """
        if not isinstance(value, list | tuple):
            return super().check(value)
        rows = [list(row) if isinstance(row, list | tuple) else None for row in value]
        if not 1 <= len(rows) <= MAX_CHANNELS or not all(_is_row(row) for row in rows):
            raise InputError(f"The value {quoted(value)} of {self.name!r} cannot be used. {self.allowed()}")
        return [[float(number) for number in row] for row in rows if row is not None]

    def allowed(self) -> str:
        """The allowed values in one sentence."""
        choices = ", ".join(map(repr, self.choices))
        return f"It is one of {choices} or a list of 1 to {MAX_CHANNELS} rows of numbers, one a channel, not all 0."


def _is_row(row: list[Any] | None) -> bool:
    numbers = bool(row) and all(isinstance(n, int | float) and not isinstance(n, bool) for n in row or [])
    return numbers and bool(np.isfinite(row).all() and np.any(row))  # type: ignore[arg-type]  # a list by now


def matrix_of(value: str | list[list[float]], channels: int) -> Array:
    """The memory matrix M, rows of unit norm, shape (outputs, channels).

    Example:
        >>> matrix_of([[3, 4]], 2).tolist()
        [[0.6, 0.8]]
    """
    if isinstance(value, str):
        made = {"sum": np.ones((1, channels)), "identity": np.eye(channels), "mix": _cosines(channels)}[value]
    else:
        made = np.array(value) if all(len(row) == channels for row in value) else np.empty((0, 0))
        if made.size == 0:
            raise InputError(
                f"The rows of the matrix have {sorted({len(row) for row in value})} numbers, but there are {channels} "
                f"channels. Give {channels} numbers a row, or another d_in."
            )
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True))


def _cosines(n: int) -> Array:
    """The orthogonal matrix of the discrete cosine transform: every output hears every channel."""
    return np.cos(np.pi * np.arange(n)[:, None] * (np.arange(n) + 0.5) / n).round(15)


PHI = 0.9
ALPHA = "strength of temporal dependence"
_SHIFT = NumberOrWord(
    "shift", "number", "delay in steps of impulse and airy, in place of alpha's", 0, MAX_LENGTH, "auto"
)
_WIDTH = NumberOrWord("width", "number", "width of airy in steps, in place of T/32", 0.01, MAX_LENGTH, "auto")
_LAM = Parameter("lam", "number", "share of the first function", 0, 1, 0.5)

SHARED = (
    Parameter("memory_length", "integer", "the T of rho", MIN_HORIZON, MAX_LENGTH, 256),
    Parameter(
        "memory",
        "choice",
        "rho of T at all lengths; the same, 0 from T on; or rho of each example's own length",
        default="fixed",
        choices=HORIZON_MODES,
    ),
    Parameter("normalise", "choice", "unit: E[y(T-1)^2] = 1 for white input", default="unit", choices=("unit", "none")),
    Parameter("input_law", "choice", "law of the inputs", default="normal", choices=LAWS),
    Parameter("phi", "number", "coefficient of the input law ar1", -0.9999, 0.9999, PHI),
    Parameter("sigma_1", "choice", "activation of the inputs", default="identity", choices=ACTIVATIONS),
    Parameter("sigma_2", "choice", "activation of the sum", default="identity", choices=ACTIVATIONS),
    NumberOrWord("snr", "number", "mean square of targets over variance of noise", 1e-9, 1e12, "none", word="none"),
    Parameter("d_in", "integer", "channels of the input", 1, MAX_CHANNELS, 1),
    Matrix("matrix", "choice", "M in y = sum of rho(s) M x(t-s)", default="sum", choices=MATRICES),
    Parameter("targets", "choice", "one target a step, or the last alone", default="steps", choices=WANTED),
)

ONE = (
    Parameter("family", "choice", "formula of rho", default="exp", choices=FAMILIES),
    Parameter("alpha", "number", ALPHA, 0, 1, 0.5),
    _SHIFT,
    _WIDTH,
)
HYBRID = (
    Parameter("first", "choice", "formula of the first function", default="exp", choices=FAMILIES),
    Parameter("second", "choice", "formula of the second function", default="impulse", choices=FAMILIES),
    Parameter("first_alpha", "number", f"{ALPHA} of the first", 0, 1, 0.5),
    Parameter("second_alpha", "number", f"{ALPHA} of the second", 0, 1, 0.5),
    _LAM,
)
OLDER = (Parameter("family", "choice", "formula of rho", default="legacy_exp", choices=LEGACY),)


def length_options(value: Any) -> dict[str, Any]:
    """What `length=T` stands for: every split has length T, and rho is that of T.

    Raises:
        InputError: no whole number from 2 on.
    """
    length = whole("length", value, MIN_HORIZON, MAX_LENGTH)
    pair = (length, length)
    return {"train_lengths": pair, "validation_lengths": pair, "test_lengths": pair, "memory_length": length}


def alpha_options(value: Any) -> dict[str, Any]:
    """What `alpha` stands for in a mixture: the alpha of both."""
    return {"first_alpha": value, "second_alpha": value}
