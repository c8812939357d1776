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

from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.errors import InputError
from seqbench.jit import kernel

Array = npt.NDArray[Any]

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


def label_weights(machine: Machine, monoid: Monoid, outputs: Array, lengths: Array, law: str) -> EndWeights:
    """The laws uniform, balanced and member: places are states."""
    groups = {"uniform": np.where(outputs >= 0, 0, -1), "member": np.where(outputs == 1, 0, -1), "balanced": outputs}[
        law
    ]
    share = forward(machine.transitions, int(lengths.max()))[lengths]
    return EndWeights(machine.transitions, monoid.maps, _weights(monoid, groups, share, lengths), lengths)


def class_weights(monoid: Monoid, outputs: Array, lengths: Array) -> EndWeights:
    """The law class: places are classes."""
    share = forward(monoid.right, int(lengths.max()))[lengths]
    inside = outputs[monoid.maps[:, 0]] >= 0
    groups = np.where(inside, np.arange(len(monoid)), -1)
    return EndWeights(
        monoid.right, np.ascontiguousarray(monoid.product_table.T), _weights(monoid, groups, share, lengths), lengths
    )


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
            raise InputError(f"There is no word to draw at length {length}. Leave that length out.")
        if (mass[there] < SMALLEST).any():
            raise InputError(
                f"Some words of length {length} are so rare that float64 loses them. Expected coverage works for "
                "shorter words; measure a sample of longer ones with `seqbench coverage`."
            )
        chance = np.where(there, 1 / np.where(there, mass, 1.0), 0.0) / there.sum()
        weight[row, groups >= 0] = chance[groups[groups >= 0]]
    return weight


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
