"""What would suffice: the training length at which every needed composition can occur, and the number of examples."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from seqbench.catalogue.recipe import length_range
from seqbench.covering.api import tested
from seqbench.covering.bounds import ChanceBounds
from seqbench.covering.laws import KNOWN, admitted, known_laws
from seqbench.covering.possible import possible, union
from seqbench.covering.task import Task
from seqbench.covering.tell import LEAST, aligned, law_text
from seqbench.errors import InputError, named_options, quoted
from seqbench.generation.plan import Folder, Plan
from seqbench.languages import Language
from seqbench.notebook import paragraphs, section
from seqbench.notebook import table as html_table

Array = npt.NDArray[Any]

ROUNDS = 4  # numbers of examples that the search for the best mixture tries
HARDEST = 20_000  # compositions that the search looks at: the rarest under every law


@dataclass(frozen=True, repr=False)
class CoveragePlan:
    """What full coverage of the test's compositions takes.

    Attributes:
        dataset: the task.
        schedule: how a model joins blocks.
        min_width: joins with a narrower block are left out.
        test_lengths: shortest and longest test word.
        needed: how many compositions can occur at the test lengths.
        training_length: the smallest L such that all of them can occur in words of lengths 1 to L.
        train_lengths: shortest and longest training word that the numbers are for; (1, L) unless asked otherwise.
        confidence: chance asked for that a training set shows all of them.
        sufficient: examples (lengths uniform over train_lengths) that suffice, by law: the union bound.
        necessary: examples without which some composition alone is missed too often, by law.
        mixture: weights of the best mixture found of the laws that have words of all training lengths, by law.
        mixture_sufficient: examples that suffice with it.
        bounded: laws whose chances are bounds: more words are sufficient, and fewer are necessary, than in truth.
    """

    dataset: str
    schedule: str
    min_width: int
    test_lengths: tuple[int, int]
    needed: int
    training_length: int
    train_lengths: tuple[int, int]
    confidence: float
    sufficient: dict[str, float]
    necessary: dict[str, float]
    mixture: dict[str, float]
    mixture_sufficient: float
    bounded: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data; None where no number of words suffices."""
        return {key: _finite(value) for key, value in asdict(self).items()}

    def __repr__(self) -> str:
        """The plan in lines that fit a terminal."""
        return "\n".join([*_plan_lines(self), *_plan_head(self), *aligned(_plan_rows(self)), *_plan_notes(self)])

    def _repr_html_(self) -> str:
        """The plan in a notebook."""
        lines, rows = [*_plan_lines(self), " ".join(_plan_head(self))], html_table(_plan_rows(self))
        return section(f"Plan for {self.dataset}", lines, rows, paragraphs(_plan_notes(self)))


def _finite(value: Any) -> Any:
    """Infinity, which JSON lacks, as None."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    return None if isinstance(value, float) and np.isinf(value) else value


@named_options
def coverage_plan(
    name: str | Language,
    *,
    test_lengths: Any = None,
    train_lengths: Any = None,
    confidence: float = 0.99,
    schedule: str = "tree",
    min_width: int = 1,
    catalogue: Folder = None,
) -> CoveragePlan:
    """The training length and the numbers of examples that full coverage of a dataset's test lengths takes.

    Args:
        name: a dataset, or a Language of your own (words by the law uniform, lengths as of a dataset).
        test_lengths: shortest and longest test word; the dataset's by default.
        train_lengths: shortest and longest training word; 1 to the smallest length that can do by default.
        confidence: chance that nothing is missing.
        schedule: how a model joins blocks: "tree", "scan" or "left".
        min_width: leave out joins with a narrower block.
        catalogue: a folder with definitions of your own.

    Raises:
        InputError: a confidence outside (0, 1), or whatever is wrong with the name or lengths.
        TooLargeError: over 2,000 classes.

    Example:
        >>> found = coverage_plan("parity_check", test_lengths=(41, 50))
        >>> found.needed, found.training_length
        (4, 2)
    """
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise InputError(f"confidence is {quoted(confidence)}. Give a number between 0 and 1, for example 0.99.")
    planned, task = tested(name, catalogue, test_lengths, schedule, min_width)
    lengths = planned.splits["test"].split.lengths
    there = possible(task, lengths)
    needed = union(there).keys() if there else np.empty(0, dtype=np.int64)
    longest = smallest_training_length(task, needed, int(lengths[-1]))
    span = (1, longest) if train_lengths is None else length_range("train_lengths", train_lengths)
    numbers = _numbers(task, needed, _within(task, name, planned, span), confidence)
    ends = int(lengths[0]), int(lengths[-1])
    return CoveragePlan(planned.name, schedule, min_width, ends, len(needed), longest, span, confidence, **numbers)


def _within(task: Task, name: str | Language, planned: Plan, span: tuple[int, int]) -> Array:
    """Lengths of training words."""
    lengths = _lengths(task, span[1])
    lengths = lengths[lengths >= span[0]]
    if len(lengths) == 0:
        hint = f"`{planned.command('info')}` shows which lengths have." if isinstance(name, str) else "Give others."
        raise InputError(f"{planned.name} has no word at train_lengths {span}. {hint}")
    return lengths


def _numbers(task: Task, needed: Array, lengths: Array, confidence: float) -> dict[str, Any]:
    """Sufficient and necessary numbers of words by law, and those of the best mixture."""
    spread = np.full(len(lengths), 1 / len(lengths))
    there = {law: admitted(task, law, lengths) for law in known_laws(task)}
    laws = [law for law, has in there.items() if has.any()]
    low, high = ChanceBounds(task, dict.fromkeys(laws, 1.0), lengths, spread).of(needed)
    mixable = [number for number, law in enumerate(laws) if there[law].all()]
    weights = best_mixture(low[mixable], confidence)
    return {
        "sufficient": {law: sufficient_examples(low[i], confidence) for i, law in enumerate(laws)},
        "necessary": {law: necessary_examples(high[i], confidence) for i, law in enumerate(laws)},
        "mixture": {laws[i]: round(float(weight), 3) for i, weight in zip(mixable, weights, strict=True)},
        "mixture_sufficient": sufficient_examples(weights @ low[mixable], confidence),
        "bounded": tuple(law for i, law in enumerate(laws) if not np.array_equal(low[i], high[i])),
    }


def smallest_training_length(task: Task, needed: Array, longest: int) -> int:
    """The smallest L such that every needed composition can occur in a word of length 1 to L.

    Raises:
        InputError: some cannot, however long the words up to the given length.
    """
    missing = needed
    if len(needed) == 0:
        return 1
    for length in _lengths(task, longest).tolist():
        there = possible(task, np.array([length]))
        if there:
            missing = missing[~union(there).contains(missing)]
        if len(missing) == 0:
            return int(length)
    raise InputError(f"{len(missing)} compositions occur in no word of up to {longest} symbols. Raise test_lengths.")


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

    For a given number N the expected number of compositions missed, sum (1 - w p)^N, is convex in the weights w, so
    its minimum is found; N is then the number that these weights need, and so on. The best is kept.

    Args:
        chances: by law and composition, shape (laws, k).
        confidence: in (0, 1).
    """
    pure = list(np.eye(len(chances)))
    if chances.shape[1] == 0:
        return np.asarray(pure[0])
    hardest = chances[:, np.argsort(chances.max(axis=0))[:HARDEST]]
    tried = [np.full(len(chances), 1 / len(chances))]
    for _ in range(ROUNDS):
        number = sufficient_examples(tried[-1] @ hardest, confidence)
        if not np.isfinite(number):
            break
        tried.append(_fewest_missed(hardest, number, tried[-1]))
    return np.array(min([*pure, *tried], key=lambda each: sufficient_examples(each @ chances, confidence)))


def _fewest_missed(chances: Array, number: float, start: Array) -> Array:
    """Weights at which so many examples miss the fewest compositions in expectation; in logarithms, against underflow.

    Sequential least squares (Kraft, "A software package for sequential quadratic programming", 1988).
    """

    def missed(weights: Array) -> tuple[float, Array]:
        shown = np.minimum(weights @ chances, 1 - 1e-12)
        logs = number * np.log1p(-shown)
        most = logs.max()
        shares = np.exp(logs - most)
        gradient = -number * (chances @ (shares / (1 - shown))) / shares.sum()
        return float(most + np.log(shares.sum())), gradient

    simplex = {"type": "eq", "fun": lambda weights: weights.sum() - 1, "jac": np.ones_like}
    bounds = [(0.0, 1.0)] * len(start)
    found = minimize(missed, start, jac=True, method="SLSQP", bounds=bounds, constraints=[simplex])
    weights = np.clip(found.x, 0, 1)
    return np.asarray(weights / weights.sum())


def table(plans: Mapping[str, CoveragePlan]) -> str:
    """Plans as a Markdown table; a dash where a task lacks a law."""
    head = ["dataset", "compositions needed", "training length", *KNOWN, "best mixture"]
    rows = [head, ["---"] * len(head)]
    for name, found in plans.items():
        numbers = [_number(found.sufficient[law]) if law in found.sufficient else "-" for law in KNOWN]
        finite = np.isfinite(found.mixture_sufficient)
        best = _number(found.mixture_sufficient) + (f" ({law_text(found.mixture)})" if finite else "")
        rows.append([name, f"{found.needed:,}", str(found.training_length), *numbers, best])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _plan_lines(found: CoveragePlan) -> list[str]:
    first, last = found.test_lengths
    how = f"schedule {found.schedule}, children of width {found.min_width} or more"
    return [
        f"{found.dataset}, test lengths {first} to {last}: {found.needed:,} compositions can occur ({how}).",
        f"All of them can occur in training words of lengths 1 to {found.training_length}; shorter words miss some.",
    ]


def _plan_head(found: CoveragePlan) -> list[str]:
    """What the table after it shows."""
    shortest, end = found.train_lengths
    return [
        f"Training words (lengths uniform from {shortest} to {end}; longer ones may need fewer: --train-lengths)",
        f"that show all with chance {found.confidence}:",
    ]


def _plan_rows(found: CoveragePlan) -> list[tuple[str, ...]]:
    rows = [("sampling", "sufficient", "necessary")]
    rows += [(law, _number(number), _number(found.necessary[law])) for law, number in found.sufficient.items()]
    return [*rows, ("best mixture", _number(found.mixture_sufficient), "")]


def _plan_notes(found: CoveragePlan) -> list[str]:
    best = f"Best mixture of the laws that have words of all these lengths: {law_text(found.mixture)}."
    notes = [
        best if np.isfinite(found.mixture_sufficient) else "No mixture of the laws shows all at these lengths.",
        "The law near_miss is not compared: no exact chance is known for it.",
    ]
    return [*notes, f"{LEAST} That is so for: {', '.join(found.bounded)}."] if found.bounded else notes


def _number(value: float) -> str:
    if np.isinf(value):
        return "none do"
    if value < 1e7:
        return f"{value:,.0f}"
    digits, _, power = f"{value:.2e}".partition("e")
    return f"{digits}e{int(power)}"
