"""Volumes of rare sets in a box: plain Monte Carlo, and multilevel splitting for what it hardly ever hits.

Splitting walks down to the set through a falling sequence of larger ones: those whose hard words are wrong by a level
at most (`Judge`). Particles fill the box; at each level those outside are replaced by copies of those inside, and all
move by Metropolis steps that keep the uniform law on the level. The volume is the product of the shares that were
inside (Kahn, Harris 1951; as subset simulation Au, Beck, Probabilistic Engineering Mechanics 16, 2001).

A first run chooses the levels. They then stay fixed, and with fixed levels the product is unbiased, for any number of
particles and steps (Cerou, Del Moral, Furon, Guyader, Statistics and Computing 22, 2012). So the mean of independent
runs is unbiased, and their spread gives the interval.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from seqbench.generation.streams import below, draw64, row_streams, unit_key
from seqbench.training.volume.verdicts import RIGHT, UNDECIDED, Array

BATCH = 4096  # rows of a unit of random streams
KEPT = 0.25  # share of the particles inside the next level
MOVES = 10
MAX_LEVELS = 60
SCALES = 7  # steps are from the box's width down to 2^-7 of it

Score = Callable[[Array], tuple[Array, Array]]
"""Shares of wrong margins, 0 for all of the set, and verdicts, of parameters (samples, D)."""

Weigh = Callable[[Array], Array]
"""How much each point counts, shape (samples,)."""


@dataclass(frozen=True)
class Box:
    """A uniform law and its random numbers.

    Attributes:
        dimension: D.
        half: B; the box is [-B, B]^D.
        key: what the random numbers are for.
    """

    dimension: int
    half: float
    key: tuple[object, ...]

    def uniforms(self, use: tuple[object, ...], rows: int, columns: int) -> Array:
        """Numbers in [0, 1), multiples of 2^-53, shape (rows, columns), rows at most 4096."""
        streams = row_streams(unit_key(*self.key, *use), np.arange(rows))
        words = np.concatenate([draw64(streams, counter) for counter in range(-(-columns // 2))])
        return np.asarray((words[:columns].T >> np.uint64(11)) * 2.0**-53)

    def points(self, use: tuple[object, ...], rows: int) -> Array:
        """Uniform points of the box, shape (rows, D), rows at most 4096."""
        return np.asarray(self.half * (2 * self.uniforms(use, rows, self.dimension) - 1))

    def moved(self, points: Array, use: tuple[object, ...]) -> Array:
        """A symmetric step of every point, reflected at the walls.

        Each point draws how large its steps are and which share of its coordinates moves, so that some steps fit
        whatever the shape of the set.
        """
        draws = self.uniforms(use, len(points), self.dimension + 2)
        scale, share = 2 * self.half * 2.0 ** (-SCALES * draws[:, :1]), 2.0 ** (-4 * draws[:, 1:2])
        unit = draws[:, 2:] / share  # of a coordinate that moves, uniform in [0, 1)
        steps = np.where(unit < 1, scale * (2 * unit - 1), 0.0)
        folded = np.mod(points + steps + self.half, 4 * self.half)
        return np.asarray(np.minimum(folded, 4 * self.half - folded) - self.half)


def plain(box: Box, score: Score, samples: int) -> Iterator[tuple[int, int, int]]:
    """How many points there were, were right and undecided, batch by batch."""
    for number, begin in enumerate(range(0, samples, BATCH)):
        rows = min(BATCH, samples - begin)
        _, verdicts = score(box.points(("plain", number), rows))
        yield rows, int((verdicts == RIGHT).sum()), int((verdicts == UNDECIDED).sum())


@dataclass
class Swarm:
    """Particles of one run, uniform on a level, with their shares and verdicts.

    Attributes:
        box: where they are.
        score: tells shares and verdicts.
        run: its number, for its random numbers.
        points: shape (particles, D).
        shares: shape (particles,).
        verdicts: shape (particles,).
    """

    box: Box
    score: Score
    run: object
    points: Array
    shares: Array
    verdicts: Array

    @classmethod
    def of(cls, box: Box, score: Score, run: object, particles: int) -> "Swarm":
        """Particles uniform in the box."""
        points = box.points(("start", run), particles)
        return cls(box, score, run, points, *score(points))

    def lower(self, level: float, number: int) -> float:
        """Brings all particles to a level; returns the share that was there. With none there, 0."""
        inside = np.flatnonzero(self.shares <= level)
        if not len(inside):
            return 0.0
        streams = row_streams(unit_key(*self.box.key, "copies", self.run, number), np.arange(len(self.shares)))
        chosen = inside[below(draw64(streams)[0], len(inside))]
        self.points, self.shares, self.verdicts = self.points[chosen], self.shares[chosen], self.verdicts[chosen]
        for move in range(MOVES):
            self._move(level, ("move", self.run, number, move))
        return len(inside) / len(self.shares)

    def _move(self, level: float, use: tuple[object, ...]) -> None:
        tried = self.box.moved(self.points, use)
        shares, verdicts = self.score(tried)
        stays = shares > level
        tried[stays], shares[stays], verdicts[stays] = self.points[stays], self.shares[stays], self.verdicts[stays]
        self.points, self.shares, self.verdicts = tried, shares, verdicts

    def next_level(self) -> float:
        """The level that a quarter of the particles has reached, but lower than the highest share."""
        level = float(np.quantile(self.shares, KEPT, method="higher"))
        lower = self.shares[self.shares < self.shares.max()]
        return level if level < self.shares.max() or not len(lower) else float(lower.max())


def levels_of(box: Box, score: Score, particles: int, done: Callable[[int], object] = int) -> list[float]:
    """Levels down to 0 that a first run found, each told to `done`; an empty list where it came to a stop before."""
    swarm = Swarm.of(box, score, "levels", particles)
    levels: list[float] = []
    while len(levels) < MAX_LEVELS:
        level = swarm.next_level()
        if levels and level >= levels[-1]:
            break
        levels.append(level)
        swarm.lower(level, len(levels))
        done(1)
        if level == 0:
            return levels
    return []


def alike(points: Array) -> Array:
    """The weights of points that all count the same."""
    return np.ones(len(points))


def split(
    box: Box, score: Score, levels: list[float], run: int, particles: int, weigh: Weigh = alike
) -> tuple[float, float]:
    """Unbiased estimates of the volume of what is right, and of what is right or undecided, by one run.

    With weights, of the sums of weights over the box instead.
    """
    swarm, volume = Swarm.of(box, score, run, particles), 1.0
    for number, level in enumerate(levels):
        volume *= swarm.lower(level, number)
        if volume == 0:
            return 0.0, 0.0
    weights = weigh(swarm.points)
    right = float((weights * (swarm.verdicts == RIGHT)).mean())
    return volume * right, volume * (right + float((weights * (swarm.verdicts == UNDECIDED)).mean()))
