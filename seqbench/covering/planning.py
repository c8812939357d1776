"""What would suffice: the training length at which every needed composition can occur, and the number of examples."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.catalogue.recipe import length_range
from seqbench.covering.api import task_of
from seqbench.covering.chances import Chances
from seqbench.covering.expected import MAX_CLASSES, Task
from seqbench.covering.possible import possible, union
from seqbench.errors import InputError, TooLargeError
from seqbench.generation.plan import Folder, language_plan

Array = npt.NDArray[Any]

LAWS = ("balanced", "class", "composition")
ROUNDS = 60  # steps of the search for the best mixture
HARDEST = 20_000  # compositions that the search looks at: the rarest under every law


@dataclass(frozen=True)
class CoveragePlan:
    """What full coverage of the test's compositions takes, under the balanced reduction.

    Attributes:
        dataset: the task.
        test_lengths: shortest and longest test word.
        needed: how many compositions can occur at the test lengths.
        training_length: the smallest L such that all of them can occur in words of lengths 1 to L.
        train_lengths: shortest and longest training word that the numbers are for; (1, L) unless asked otherwise.
        confidence: chance asked for that a training set shows all of them.
        sufficient: examples (lengths uniform over train_lengths) that suffice, by law: the union bound.
        necessary: examples without which some composition alone is missed too often, by law.
        mixture: weights of the best mixture found, by law.
        mixture_sufficient: examples that suffice with it.
    """

    dataset: str
    test_lengths: tuple[int, int]
    needed: int
    training_length: int
    train_lengths: tuple[int, int]
    confidence: float
    sufficient: dict[str, float]
    necessary: dict[str, float]
    mixture: dict[str, float]
    mixture_sufficient: float

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data; None where no number of words suffices."""
        return {key: _finite(value) for key, value in asdict(self).items()}


def _finite(value: Any) -> Any:
    """Infinity, which JSON lacks, as None."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return None if isinstance(value, float) and np.isinf(value) else value


def coverage_plan(
    name: str,
    *,
    test_lengths: Any = None,
    train_lengths: Any = None,
    confidence: float = 0.99,
    min_width: int = 1,
    catalogue: Folder = None,
) -> CoveragePlan:
    """The training length and the numbers of examples that full coverage of a dataset's test lengths takes.

    Raises:
        InputError: a confidence outside (0, 1), or whatever is wrong with the name or lengths.
        TooLargeError: over 2,000 classes.

    Example:
        >>> found = coverage_plan("parity_check", test_lengths=(41, 50))
        >>> found.needed, found.training_length
        (4, 2)
    """
    if not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise InputError(f"confidence is {confidence!r}. Give a number between 0 and 1, for example 0.99.")
    options = {} if test_lengths is None else {"test_lengths": test_lengths}
    planned = language_plan(name, catalogue, near_miss=False, **options)
    task = task_of(planned, "tree", min_width)
    if len(task.monoid) > MAX_CLASSES:
        raise TooLargeError(f"{name} has {len(task.monoid):,} classes; plans are made for {MAX_CLASSES:,} at most.")
    tested = planned.splits["test"].split.lengths
    needed = union(possible(task, tested)).keys()
    longest = smallest_training_length(task, needed, int(tested[-1]))
    span = (1, longest) if train_lengths is None else length_range("train_lengths", train_lengths)
    lengths = _lengths(task, span[1])
    lengths = lengths[lengths >= span[0]]
    if len(lengths) == 0:
        raise InputError(
            f"{name} has no word at train_lengths {span}. `seqbench info {name}` shows which lengths have."
        )
    chances = Chances(task, dict.fromkeys(LAWS, 1.0), lengths, np.full(len(lengths), 1 / len(lengths))).of(needed)
    weights = best_mixture(chances, confidence)
    return CoveragePlan(
        name,
        (int(tested[0]), int(tested[-1])),
        len(needed),
        longest,
        span,
        confidence,
        {law: sufficient_examples(chances[i], confidence) for i, law in enumerate(LAWS)},
        {law: necessary_examples(chances[i], confidence) for i, law in enumerate(LAWS)},
        dict(zip(LAWS, (round(float(weight), 3) for weight in weights), strict=True)),
        sufficient_examples(weights @ chances, confidence),
    )


def smallest_training_length(task: Task, needed: Array, longest: int) -> int:
    """The smallest L such that every needed composition can occur in a word of length 1 to L.

    Raises:
        InputError: some cannot, however long the words up to the given length.
    """
    missing = needed
    for length in _lengths(task, longest).tolist():
        there = possible(task, np.array([length]))
        if there:
            missing = missing[~union(there).contains(missing)]
        if len(missing) == 0:
            return int(length)
    raise InputError(f"{len(missing)} compositions occur in no word of up to {longest} symbols.")


def _lengths(task: Task, longest: int) -> Array:
    """Lengths up to the longest that have words in the domain."""
    inside = task.outputs[task.monoid.maps[:, 0]] >= 0
    return np.array([n for n in range(1, longest + 1) if (task.monoid.reach(n) & inside).any()])


def sufficient_examples(chance: Array, confidence: float) -> float:
    """The least N with sum (1 - p)^N <= 1 - confidence, so that all are seen with that confidence (union bound).

    Args:
        chance: that an example shows each composition, shape (k,).
        confidence: in (0, 1).

    Example:
        >>> sufficient_examples(np.array([0.5, 0.5]), 0.74)
        3.0
    """
    if len(chance) == 0:
        return 0.0
    if (chance <= 0).any():
        return np.inf
    misses = np.log1p(-np.minimum(chance, 1 - 1e-16))
    low, high = 0, 1
    while np.exp(high * misses).sum() > 1 - confidence:
        low, high = high, 2 * high
    while high - low > max(1, high // 10**6):  # exact below a million, six digits beyond
        middle = (low + high) // 2
        if np.exp(middle * misses).sum() > 1 - confidence:
            low = middle
        else:
            high = middle
    return float(high)


def necessary_examples(chance: Array, confidence: float) -> float:
    """The N below which the rarest composition alone is missed with more than 1 - confidence.

    Example:
        >>> necessary_examples(np.array([0.5, 0.9]), 0.75)
        2.0
    """
    if len(chance) == 0:
        return 0.0
    rarest = float(chance.min())
    return np.inf if rarest <= 0 else float(np.ceil(np.log1p(-confidence) / np.log1p(-min(rarest, 1 - 1e-16))))


def best_mixture(chances: Array, confidence: float) -> Array:
    """Weights of laws that make the sufficient number of examples small, shape (laws,).

    Multiplicative steps along the gradient of log sum (1 - w p)^N, a convex function of w; the best is kept.

    Args:
        chances: by law and composition, shape (laws, k).
        confidence: in (0, 1).
    """
    hardest = chances[:, np.argsort(chances.max(axis=0))[:HARDEST]]
    weights = np.full(len(chances), 1 / len(chances))
    best, best_number = weights, np.inf
    for turn in range(ROUNDS):
        mixed = weights @ hardest
        number = sufficient_examples(mixed, confidence)
        if number < best_number:
            best, best_number = weights, number
        if not np.isfinite(number):
            break
        miss = np.exp(number * np.log1p(-np.minimum(mixed, 1 - 1e-16)))
        gain = (hardest / mixed) @ (miss / miss.sum())  # how much each law helps where misses lie, mean 1
        weights = weights * gain ** (1 / (1 + turn / 10))
        weights = weights / weights.sum()
    pure = list(np.eye(len(chances)))
    return np.asarray(min([best, *pure], key=lambda each: sufficient_examples(each @ chances, confidence)))


def table(plans: Mapping[str, CoveragePlan]) -> str:
    """Plans as a Markdown table."""
    lines = [
        "| dataset | compositions needed | training length | balanced | class | composition | best mixture |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, found in plans.items():
        numbers = [_number(found.sufficient[law]) for law in LAWS]
        mixture = ", ".join(f"{law} {weight:g}" for law, weight in found.mixture.items() if weight >= 0.001)
        lines.append(
            f"| {name} | {found.needed:,} | {found.training_length} | {' | '.join(numbers)} | "
            f"{_number(found.mixture_sufficient)} ({mixture}) |"
        )
    return "\n".join(lines) + "\n"


def plan_text(found: CoveragePlan) -> str:
    """The plan in lines that fit a terminal."""
    first, last = found.test_lengths
    longest = found.training_length
    shortest, end = found.train_lengths
    lines = [
        f"{found.dataset}, test lengths {first} to {last}: {found.needed:,} compositions can occur.",
        f"All of them can occur in training words of lengths 1 to {longest}; shorter words miss some.",
        f"Training words (lengths uniform from {shortest} to {end}; longer ones may need fewer: --train-lengths)",
        f"that show all with chance {found.confidence}:",
    ]
    for law in LAWS:
        enough, least = _number(found.sufficient[law]), _number(found.necessary[law])
        lines.append(f"  {law:12} {enough} suffice, {least} are necessary")
    mixture = ", ".join(f"{law} {weight:g}" for law, weight in found.mixture.items() if weight >= 0.001)
    lines.append(f"  {'best mixture':12} {_number(found.mixture_sufficient)} suffice ({mixture})")
    return "\n".join(lines)


def _number(value: float) -> str:
    return "no number of words" if np.isinf(value) else f"{value:,.0f}" if value < 1e7 else f"{value:.2e}"
