"""Judges sets of parameters: how wrong a few hard words are, and whether every word of a length is right."""

from dataclasses import dataclass

import numpy as np

from seqbench.jit import kernel
from seqbench.training.volume.hard import hard_words
from seqbench.training.volume.plane import every_plane, hard_plane
from seqbench.training.volume.segment import every_word, margin, read_lines
from seqbench.training.volume.verdicts import PARITY, SIN, VALUES, Array, dimension


@dataclass(frozen=True)
class Judge:
    """The question that is asked of parameters.

    Attributes:
        task: a number of TASKS.
        model: a number of MODELS.
        n: the length.
        hidden: h, the width of the readout.
    """

    task: int
    model: int
    n: int
    hidden: int

    def __call__(self, parameters: Array, quick: bool = False) -> tuple[Array, Array]:
        """How wrong the hard words are, shape (samples,), and the verdicts on all words, int8.

        A verdict other than WRONG needs the number 0, which needs all hard words to be right.

        Args:
            parameters: shape (samples, D), float64.
            quick: whether any number above 0 will do where the constant words are wrong, the end of most parameters.

        Example:
            >>> judge = Judge(task=0, model=0, n=1, hidden=1)
            >>> shares, verdicts = judge(np.zeros((1, judge.dimension)))  # no margin at all is wrong
            >>> shares.tolist(), verdicts.tolist()
            ([1.0], [0])
        """
        shares, verdicts = np.empty(len(parameters)), np.zeros(len(parameters), np.int8)
        rest = (self.task, self.n, self.hidden, quick, shares, verdicts)
        if self.model == SIN:
            _judge_plane(parameters, *rest)
        else:
            _judge_segment(parameters, self.model, *rest)
        return shares, verdicts

    @property
    def dimension(self) -> int:
        """D, the number of parameters."""
        return dimension(self.model, self.hidden)


@kernel
def _judge_segment(
    parameters: Array, model: int, task: int, n: int, hidden: int, quick: bool, shares: Array, verdicts: Array
) -> None:
    lines, start = np.empty((3, hidden)), VALUES[model]
    for sample in range(len(parameters)):
        theta = parameters[sample]
        constant = read_lines(theta, start, lines)
        if quick and (margin(lines, constant, 0.0) >= 0 or (task != PARITY and margin(lines, constant, 1.0) <= 0)):
            shares[sample] = 1.0
            continue
        shares[sample] = hard_words(theta, model, task, n, lines, constant)
        if shares[sample] == 0:
            verdicts[sample] = every_word(theta, model, task, n, lines, constant)


@kernel
def _judge_plane(
    parameters: Array, task: int, n: int, hidden: int, quick: bool, shares: Array, verdicts: Array
) -> None:
    rows, gains = np.empty((hidden + 2, n, 2)), np.empty(hidden)
    for sample in range(len(parameters)):
        shares[sample] = hard_plane(parameters[sample], task, n, quick, rows, gains)
        if shares[sample] == 0:
            verdicts[sample] = every_plane(parameters[sample], task, n, rows, gains)
