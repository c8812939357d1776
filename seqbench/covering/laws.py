"""Sampling laws as the probability of a word: how likely a word is, given its length and where it ends.

Every law but composition draws an end (a label's states, a class) and then a word uniformly among those that end
there, so a word's probability depends on its end alone: `end_weights[n]`, over states of the machine or over classes.
All counts of words are divided by (number of symbols)^length: they are probabilities under independent fair symbols.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.monoid import Monoid
from seqbench.covering.task import Task
from seqbench.errors import InputError
from seqbench.jit import kernel

Array = npt.NDArray[Any]

KNOWN = ("uniform", "balanced", "class", "composition", "member")
SMALLEST = 1e-290  # probabilities below this would be lost in float64


@dataclass(frozen=True, eq=False)
class EndWeights:
    """Where words may be on their way, and how likely a word is by its end.

    Attributes:
        step: next place after each symbol, shape (places, symbols): the machine's or the right Cayley graph's table.
        act: place after a block of each class, shape (classes, places).
        weight: probability of one word, times symbols^length, by length and end place, shape (lengths, places).
        lengths: the lengths that `weight` is for.
    """

    step: Array
    act: Array
    weight: Array
    lengths: Array


def forward(step: Array, longest: int) -> Array:
    """Share of the words of each length that reach each place, shape (longest + 1, places).

    Example:
        >>> forward(np.array([[0, 1], [1, 1]]), 2).tolist()
        [[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]]
    """
    share = np.zeros((longest + 1, len(step)))
    share[0, 0] = 1
    flat, symbols = step.ravel(), step.shape[1]
    for t in range(longest):
        share[t + 1] = np.bincount(flat, weights=np.repeat(share[t] / symbols, symbols), minlength=len(step))
    return share


def backward(step: Array, end: Array, length: int) -> Array:
    """Mean end weight of the words that go on from each place, by symbols left, shape (length + 1, places).

    Example:
        >>> backward(np.array([[0, 1], [1, 1]]), np.array([1.0, 0.0]), 2).tolist()
        [[1.0, 0.0], [0.5, 0.0], [0.25, 0.0]]
    """
    value = np.empty((length + 1, len(step)))
    value[0] = end
    _go_back(step, value)
    return value


@kernel
def _go_back(step: Array, value: Array) -> None:
    for t in range(len(value) - 1):
        for place in range(step.shape[0]):
            total = 0.0
            for symbol in range(step.shape[1]):
                total += value[t, step[place, symbol]]
            value[t + 1, place] = total / step.shape[1]


def end_weights(task: Task, law: str, lengths: Array) -> EndWeights:
    """Where words drawn by a law other than composition end, at lengths that the law admits.

    Raises:
        InputError: a length without a word, or whose words float64 loses.
    """
    machine, monoid, outputs = task.machine, task.monoid, task.outputs
    if law == "class":
        groups = np.where(outputs[monoid.maps[:, 0]] >= 0, np.arange(len(monoid)), -1)
        step: Array = monoid.right
        act: Array = np.ascontiguousarray(monoid.product_table.T)
    else:
        groups = {
            "uniform": np.where(outputs >= 0, 0, -1),
            "member": np.where(outputs == 1, 0, -1),
            "balanced": outputs,
        }[law]
        step, act = machine.transitions, monoid.maps
    share = forward(step, int(lengths.max(initial=0)))[lengths]
    return EndWeights(step, act, _weights(monoid, groups, share, lengths), lengths)


def _weights(monoid: Monoid, groups: Array, share: Array, lengths: Array) -> Array:
    """Weight of each place: groups with words of the length alike, words of a group alike."""
    number = int(groups.max()) + 1
    of_class = groups[monoid.maps[:, 0]] if len(groups) != len(monoid) else groups
    weight = np.zeros(share.shape)
    for row, length in enumerate(lengths):
        there = np.zeros(number, dtype=bool)
        there[of_class[monoid.reach(int(length)) & (of_class >= 0)]] = True  # exact, where shares could underflow
        mass = np.bincount(groups[groups >= 0], weights=share[row, groups >= 0], minlength=number)
        if not there.any():
            raise no_word(int(length))
        check_share(mass[there], int(length))
        chance = np.where(there, 1 / np.where(there, mass, 1.0), 0.0) / there.sum()
        weight[row, groups >= 0] = chance[groups[groups >= 0]]
    return weight


def no_word(length: int) -> InputError:
    """The error where nothing can be drawn."""
    return InputError(f"There is no word to draw at length {length}. Leave that length out.")


def check_share(share: Array, length: int) -> None:
    """Nothing, if float64 holds shares of words of a length.

    Raises:
        InputError: some are too small.
    """
    if (share < SMALLEST).any():
        raise InputError(
            f"Some words of length {length} are so rare that float64 loses them. Expected coverage works for "
            "shorter words; measure a sample of longer ones with `seqbench coverage`."
        )


def amounts(task: Task, weights: Mapping[str, float], lengths: Array, chance: Array) -> dict[str, Array]:
    """Chance that a word is drawn by each law and has each length, by law, each of shape (lengths,).

    As the sampler does: at a length where a law has no word, the other laws share its weight in proportion to theirs.

    Args:
        task: the language.
        weights: of the sampling laws.
        lengths: shape (k,).
        chance: probability of each length, shape (k,).

    Raises:
        InputError: a length at which no law has a word, or the law near_miss.
    """
    check_laws(weights)
    used = {law: weight for law, weight in weights.items() if weight > 0}
    table = np.array([weight * admitted(task, law, lengths) for law, weight in used.items()])
    total = table.sum(axis=0)
    if (total == 0).any():
        raise no_word(int(lengths[np.argmin(total)]))
    return dict(zip(used, table * (chance / total), strict=True))


def admitted(task: Task, law: str, lengths: Array) -> Array:
    """Whether a law has a word of each length, shape (lengths,), bool."""
    outputs = task.outputs[task.monoid.maps[:, 0]]
    wanted = outputs == 1 if law == "member" else outputs >= 0
    return np.array([bool((task.monoid.reach(int(length)) & wanted).any()) for length in lengths], dtype=bool)


def known_laws(task: Task) -> tuple[str, ...]:
    """The sampling laws that the task admits and whose chances are known: all but near_miss."""
    return tuple(law for law in KNOWN if law != "member" or task.machine.is_acceptor)


def check_laws(weights: Mapping[str, float]) -> None:
    """Nothing, if the expected coverage of all laws is known.

    Raises:
        InputError: near_miss is among them, whose words have no simple weight.
    """
    if "near_miss" in weights:
        raise InputError(
            "Expected coverage is not known for the sampling law 'near_miss'. "
            "Measure a sample with `seqbench coverage`."
        )
