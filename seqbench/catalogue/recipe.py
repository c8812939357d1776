"""Recipes: how many words of which lengths a dataset holds, and how they are drawn. Any option can be overridden."""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from seqbench.errors import InputError, nearest, quoted, unknown_name
from seqbench.notebook import facts, section

SAMPLINGS = ("uniform", "balanced", "class", "composition", "near_miss", "member")
TARGETS = ("label", "prefix")
SINGLE_LABEL_LENGTHS = ("keep", "drop")
MAX_LENGTH = 10_000_000
MAX_EXAMPLES = 10**10
WEIGHT_DIGITS = 12  # so that proportional weights come out equal

Range = tuple[int, int]
R = TypeVar("R", bound="Recipe")
Check = Callable[[str, Any], Any]


class Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of a dataset; the keys of its TOML file and the keyword arguments of `load_dataset` alike.

    Attributes:
        train_lengths: shortest and longest word of the training split; lengths are drawn uniformly.
        validation_lengths: the same for validation.
        test_lengths: every length in this range has equally many test words.
        train_examples: number of training words; 0 leaves the split out.
        validation_examples: number of validation words; 0 leaves the split out.
        test_examples_per_length: number of test words of each length; 0 leaves both test splits out.
        sampling: weight of each sampling law (see generation.laws), summing to one.
        seed: whole number; another seed gives independent words.
        targets: "label", or "prefix" for a label and a class after every symbol too.
        held_out: whether validation and test never hold a word that training could hold.
        single_label_lengths: "keep" or "drop" lengths at which all words have one label.
        labels: names or ids of the labels to draw; all where None.
        classes: whether to give the syntactic class of every word.
        near_miss: whether to make the split test_near_miss (of languages with members and non-members).
    """

    train_lengths: Range = (1, 40)
    validation_lengths: Range = (1, 40)
    test_lengths: Range = (41, 500)
    train_examples: int = 100_000
    validation_examples: int = 10_000
    test_examples_per_length: int = 64
    sampling: dict[str, float] = msgspec.field(default_factory=lambda: {"uniform": 1.0})
    seed: int = 0
    targets: str = "label"
    held_out: bool = False
    single_label_lengths: str = "keep"
    labels: tuple[str | int, ...] | None = None
    classes: bool = True
    near_miss: bool = True

    def options(self) -> dict[str, Any]:
        """The options as plain data, in a fixed order."""
        return {name: msgspec.to_builtins(getattr(self, name)) for name in OPTIONS}

    def _repr_html_(self) -> str:
        """The options in a notebook."""
        return section(getattr(self, "title", "Recipe"), [], facts(self.options()))


def check_options(given: Mapping[str, Any], known: Mapping[str, Check] | None = None) -> dict[str, Any]:
    """The options in canonical form: however they are spelled (list, tuple, NumPy), equal options come out equal.

    Args:
        given: values by name.
        known: every option with its check; by default those of datasets over languages.

    Raises:
        UnknownNameError: an option that does not exist.
        InputError: a value that cannot be used.

    Example:
        >>> check_options({"test_lengths": [501, 10_000], "sampling": "balanced"})
        {'test_lengths': (501, 10000), 'sampling': {'balanced': 1.0}}
    """
    known = OPTIONS if known is None else known
    unknown = [name for name in given if name not in known]
    if unknown:
        raise unknown_name("option", unknown[0], known)
    return {name: known[name](name, plain(value)) for name, value in given.items()}


def override(recipe: R, given: Mapping[str, Any]) -> R:
    """The recipe with some options replaced."""
    return msgspec.structs.replace(recipe, **check_options(given))


def canonical(recipe: Recipe) -> str:
    """The recipe as JSON with sorted keys: equal text for equal recipes.

    Example:
        >>> canonical(Recipe()) == canonical(override(Recipe(), {"train_lengths": [1, 40]}))
        True
    """
    return json.dumps(recipe.options(), sort_keys=True)


def plain(value: Any) -> Any:
    """NumPy numbers and arrays and tuples as Python numbers and lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return {key: plain(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def whole(name: str, value: Any, lowest: int, highest: int) -> int:
    """The value if it is a whole number in the range.

    Raises:
        InputError: otherwise.
    """
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(
            f"{name} is {quoted(value)}, which is not a whole number. Give one from {lowest} to {highest:,}."
        )
    if not lowest <= value <= highest:
        raise InputError(f"{name} is {quoted(value)}, out of range. Give a whole number from {lowest} to {highest:,}.")
    return value


def length_range(name: str, value: Any) -> Range:
    """A pair of lengths, shortest first; one number stands for both.

    Raises:
        InputError: not whole, not positive, or reversed.

    Example:
        >>> length_range("test_lengths", [41, 500]), length_range("test_lengths", 12)
        ((41, 500), (12, 12))
    """
    value = plain(value)
    pair = value if isinstance(value, list | tuple) else [value, value]
    if len(pair) != 2 or not all(isinstance(item, int) and not isinstance(item, bool) for item in pair):
        raise InputError(
            f"{name} is {quoted(value)}. Give the shortest and the longest length as whole numbers, "
            "for example (41, 500)."
        )
    if not all(1 <= item <= MAX_LENGTH for item in pair):
        raise InputError(
            f"{name} is {quoted(value)}, out of range. Lengths are whole numbers from 1 to {MAX_LENGTH:,}."
        )
    low, high = pair
    if low > high:
        raise InputError(
            f"{name} is {quoted(value)}, which runs backwards. Give the shorter length first: ({high}, {low})."
        )
    return low, high


def sampling_weights(name: str, value: Any) -> dict[str, float]:
    """Weights of sampling laws that sum to one (each to 12 digits), sorted by name, zeros left out.

    Raises:
        UnknownNameError: a law that does not exist.
        InputError: weights that are negative, not finite, or sum to zero.

    Example:
        >>> sampling_weights("sampling", {"class": 1, "balanced": 3, "uniform": 0})
        {'balanced': 0.75, 'class': 0.25}
    """
    weights = {value: 1.0} if isinstance(value, str) else value
    if not isinstance(weights, Mapping):
        raise InputError(f"{name} is {quoted(value)}. Name a law ({', '.join(SAMPLINGS)}) or give weights by name.")
    numbers = {law: _weight(name, law, weight) for law, weight in weights.items()}
    largest = max(numbers.values(), default=0.0)
    if largest == 0:
        raise InputError(f"{name} is {quoted(value)}, whose weights sum to 0. Give some law a positive weight.")
    shares = {law: number / largest for law, number in numbers.items()}  # cannot overflow
    total = math.fsum(shares.values())
    if abs(total * largest - 1) < 1e-9:  # they sum to one already: dividing again would change the last digit
        shares, total = numbers, 1.0
    rounded = {law: round(shares[law] / total, WEIGHT_DIGITS) for law in sorted(shares)}
    return {law: weight for law, weight in rounded.items() if weight > 0}


def _weight(name: str, law: str, weight: Any) -> float:
    if law not in SAMPLINGS:
        raise unknown_name("sampling law", law, SAMPLINGS)
    try:
        number = float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0:
        raise InputError(f"{name} gives {law!r} the weight {quoted(weight)}. Weights are finite numbers from 0 on.")
    return number


def _one_of(choices: tuple[str, ...]) -> Callable[[str, Any], str]:
    def check(name: str, value: Any) -> str:
        if value in choices:
            return str(value)
        close = nearest(value, choices)
        hint = f"Did you mean {close[0]!r}?" if close else f"Give one of {', '.join(map(repr, choices))}."
        raise InputError(f"{name} is {quoted(value)}, which it cannot be. {hint}")

    return check


def _count(name: str, value: Any) -> int:
    return whole(name, value, 0, MAX_EXAMPLES)


def _seed(name: str, value: Any) -> int:
    return whole(name, value, 0, 2**64 - 1)


def _switch(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise InputError(f"{name} is {quoted(value)}. Give True or False.")


def _labels(name: str, value: Any) -> tuple[str | int, ...] | None:
    if value is None:
        return None
    items = value if isinstance(value, list) else [value]
    if not items or not all(isinstance(item, str | int) and not isinstance(item, bool) for item in items):
        raise InputError(f"{name} is {quoted(value)}. Give label names or ids, for example ['accept'].")
    return tuple(items)


def _listed(name: str, value: Any) -> tuple[int, ...] | None:
    """Lengths one by one, each once, the shortest first."""
    if value is None:
        return None
    items = value if isinstance(value, list) else [value]
    if not items:
        raise InputError(f"{name} is empty. List at least one length, or leave it out.")
    return tuple(sorted({whole(name, item, 1, MAX_LENGTH) for item in items}))


_SHARED: dict[str, Check] = {
    "train_lengths": length_range,
    "validation_lengths": length_range,
    "test_lengths": length_range,
    "train_examples": _count,
    "validation_examples": _count,
    "test_examples_per_length": _count,
    "seed": _seed,
}
OPTIONS: dict[str, Check] = {
    **_SHARED,
    "sampling": sampling_weights,
    "targets": _one_of(TARGETS),
    "held_out": _switch,
    "single_label_lengths": _one_of(SINGLE_LABEL_LENGTHS),
    "labels": _labels,
    "classes": _switch,
    "near_miss": _switch,
}
"""Every option of datasets over languages with its check."""
TASK_OPTIONS: dict[str, Check] = {
    **_SHARED,
    "validation_long_lengths": length_range,
    "validation_long_examples": _count,
    "test_lengths_list": _listed,
}
"""Every option that all datasets of task kinds have, with its check."""
