"""What a family's parameter may be: integers in a range, lists of them, permutations, choices."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from seqbench.errors import InputError, nearest, quoted

REQUIRED = None
"""The default of a parameter that has none."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a family: its name, kind, range and default.

    Attributes:
        name: the keyword.
        kind: "integer", "integers" (a list), "number" (a float), "permutations" (lists of images) or "choice".
        summary: what it means.
        minimum: the least integer, in lists too.
        maximum: the greatest integer, in lists too.
        default: the value if none is given; REQUIRED if one must be.
        choices: the allowed values of a choice.
    """

    name: str
    kind: Literal["integer", "integers", "number", "permutations", "choice"]
    summary: str
    minimum: float = 0
    maximum: float = 0
    default: float | str | None = REQUIRED
    choices: tuple[str, ...] = ()

    def check(self, value: Any) -> Any:
        """The value, lists as tuples.

        Raises:
            InputError: a value of another kind or out of range.

        Example:
            >>> Parameter("depth", "integer", "the depth", 1, 100).check(6)
            6
        """
        checked = _CHECKS[self.kind](self, value)
        if checked is None:
            close = nearest(value, self.choices)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise InputError(f"The value {quoted(value)} of {self.name!r} cannot be used. {self.allowed()}{hint}")
        return checked

    def allowed(self) -> str:
        """The allowed values in one sentence.

        Example:
            >>> Parameter("depth", "integer", "the depth", 1, 100).allowed()
            'It is an integer from 1 to 100: the depth.'
        """
        kind = {
            "integer": f"an integer from {self.minimum} to {self.maximum}",
            "number": f"a number from {self.minimum} to {self.maximum}",
            "integers": f"a list of 1 or more integers from {self.minimum} to {self.maximum}",
            "permutations": "a list of 1 or more permutations, each a list of the images of 0, 1, 2, ...",
            "choice": " or ".join(map(repr, self.choices)),
        }[self.kind]
        return f"It is {kind}: {self.summary}."


@dataclass(frozen=True)
class Name(Parameter):
    """A parameter that is text."""

    def check(self, value: Any) -> Any:
        """The text."""
        if not isinstance(value, str) or not value:
            raise InputError(f"The value {quoted(value)} of {self.name!r} cannot be used. {self.allowed()}")
        return value

    def allowed(self) -> str:
        """The allowed values in one sentence."""
        return f"It is text: {self.summary}."


def _integer(parameter: Parameter, value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and parameter.minimum <= value <= parameter.maximum else None


def _integers(parameter: Parameter, value: Any) -> tuple[int, ...] | None:
    good = isinstance(value, list | tuple) and value and all(_integer(parameter, item) is not None for item in value)
    return tuple(value) if good else None


def _number(parameter: Parameter, value: Any) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and parameter.minimum <= value <= parameter.maximum else None


def _permutations(_: Parameter, value: Any) -> tuple[tuple[int, ...], ...] | None:
    good = isinstance(value, list | tuple) and value and all(map(_is_permutation, value))
    return tuple(tuple(item) for item in value) if good else None


def _is_permutation(item: Any) -> bool:
    whole = isinstance(item, list | tuple) and all(type(image) is int for image in item)
    return whole and sorted(item) == list(range(len(item)))


def _choice(parameter: Parameter, value: Any) -> str | None:
    return value if value in parameter.choices else None


_CHECKS: dict[str, Callable[[Parameter, Any], Any]] = {
    "integer": _integer,
    "integers": _integers,
    "number": _number,
    "permutations": _permutations,
    "choice": _choice,
}
