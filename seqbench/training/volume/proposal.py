"""Importance sampling for INDEX under pos and norm, whose right models lie in a thin layer of the box.

Attention has to peak at the asked place k for every k. The slope of the score there, (a.r + 2 b.s) k + b.r + 2 a.s k^2
under pos, must stay small beside its bend, so a.s must be of the order of n^-2 and a.r + 2 b.s of n^-1: that is where
the n^-3 of the theory comes from (Zhu, Chiang 2026). Under norm F(ak), which tends to a / |a|, stands for ak beside s,
and only a.r + 2 (b + F(an)).s is narrow.

So one component of s and one of r are drawn denser where these sums vanish: half of the time uniformly in the box,
else around the value that makes the sum 0, at a distance x of density 1 / (|x| + width), which has points of every
order of magnitude. The uniform half keeps every weight at 4 at most and leaves out no part of the box (a defensive
mixture: Hesterberg, Technometrics 37, 1995), so that estimates are unbiased whatever the right models look like.
"""

from dataclasses import dataclass

import numpy as np

from seqbench.training.volume.judge import Judge
from seqbench.training.volume.verdicts import INDEX, NORM, POS, WRONG, Array

A, R, S, B = slice(0, 2), slice(2, 4), slice(4, 6), slice(6, 8)  # where these are among the parameters
FINE = 10  # the width is this much below where the volume's order in n comes from


def has_proposal(judge: Judge) -> bool:
    """Whether it is known where the right models of a question lie."""
    return judge.task == INDEX and judge.model in {POS, NORM}


@dataclass(frozen=True)
class Proposal:
    """Points of the box as coordinates of parameters that are drawn from the proposal.

    Attributes:
        judge: what is asked of the parameters.
        half: B; points and parameters are in [-B, B]^D.
    """

    judge: Judge
    half: float

    def __call__(self, points: Array) -> tuple[Array, Array]:
        """What the judge says of the parameters of points; those outside of the box are infinitely wrong."""
        parameters, weights = self.parameters(points)
        outside = weights == 0
        parameters[outside] = 0
        shares, verdicts = self.judge(parameters)
        shares[outside], verdicts[outside] = np.inf, WRONG
        return shares, verdicts

    def weights(self, points: Array) -> Array:
        """The density of the box over that of the proposal, at the parameters of points; 0 outside of the box."""
        return self.parameters(points)[1]

    def parameters(self, points: Array) -> tuple[Array, Array]:
        """The parameters of points, shape (samples, D), and their weights, shape (samples,).

        Example:
            >>> proposal = Proposal(Judge(INDEX, POS, n=9, hidden=1), half=1.0)
            >>> parameters, weights = proposal.parameters(np.full((1, proposal.judge.dimension), 0.5))
            >>> float(parameters[0, A] @ parameters[0, S])  # the middle of the dense half
            0.0
            >>> weights.round(5).tolist()
            [0.00198]
        """
        theta, n = points.copy(), self.judge.n
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # where a is 0: outside
            if self.judge.model == POS:
                weights = self._tilt(theta, S, np.zeros(len(theta)), self.half / (FINE * n**2))
                far = theta[:, B]
            else:
                weights, turned = np.ones(len(theta)), n * theta[:, A]
                far = theta[:, B] + turned / np.sqrt(1 + (turned**2).sum(axis=1, keepdims=True))
            rate = 2 * (far * theta[:, S]).sum(axis=1)
            weights *= self._tilt(theta, R, rate, self.half / (FINE * n))
        inside = (np.abs(theta) <= self.half).all(axis=1)
        return theta, np.where(inside, weights, 0.0)

    def _tilt(self, theta: Array, vector: slice, rest: Array, width: float) -> Array:
        """Puts the component of a vector along which a is longer near where a.vector + rest = 0; the weights."""
        rows, pivot = np.arange(len(theta)), np.abs(theta[:, A]).argmax(axis=1)
        place, other = vector.start + pivot, vector.start + 1 - pivot
        middle = -(rest + theta[rows, 1 - pivot] * theta[rows, other]) / theta[rows, pivot]
        drawn, reach = theta[rows, place] / self.half, np.log1p(2 * self.half / width)
        side = 2 * drawn - 1  # of the dense half: uniform in [-1, 1)
        near = middle + np.sign(side) * width * np.expm1(np.abs(side) * reach)
        theta[rows, place] = np.where(drawn < 0, self.half * (2 * drawn + 1), near)
        away = np.abs(theta[rows, place] - middle)
        dense = np.where(away <= 2 * self.half, 1 / (2 * (away + width) * reach), 0.0)
        return np.asarray(2 / (1 + 2 * self.half * dense))
