"""The exact-solution volume V_B(n): the share of [-B, B]^D whose model is strictly right on every word of length n."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from seqbench.catalogue.recipe import whole
from seqbench.errors import InputError, unknown_name
from seqbench.progress import counting, progress
from seqbench.training.intervals import clopper_pearson
from seqbench.training.volume.judge import Judge
from seqbench.training.volume.proposal import Proposal, has_proposal
from seqbench.training.volume.splitting import MOVES, Box, Score, Weigh, alike, levels_of, plain, split
from seqbench.training.volume.verdicts import FIRST, GEN, INDEX, MODELS, PARITY, SIN, TASKS, Array

BOXES = 1e-3, 1e6  # of B: margins grow like B^4, and vanish like it beside the constant of the readout, like B
MAX_SAMPLES = 10**12
RUNS = 16
PILOT = 2000  # particles of the run that chooses the levels
ENOUGH = 100  # hits, from which on plain Monte Carlo alone is precise enough: 10 % of standard error
LEAST_EFFECTIVE = 20.0  # with fewer effective hits the interval is that of plain Monte Carlo


@dataclass(frozen=True)
class Estimate:
    """An estimate of V_B(n).

    Attributes:
        n: the length.
        method: "proved", "plain", "splitting", or "importance": splitting in the coordinates of a proposal.
        volume: the share of the box that is right.
        low: the lower end of its 95 % interval.
        high: the upper end; undecided samples count as right here.
        effective: as many hits of plain Monte Carlo have the same relative error; infinite where proved.
        samples: how many sets of parameters were judged.
        undecided: the share of the box that the check left undecided.
        warning: why it cannot be trusted, or "".
    """

    n: int
    method: str
    volume: float
    low: float
    high: float
    effective: float
    samples: int
    undecided: float = 0.0
    warning: str = ""


def volumes(
    task: str,
    model: str,
    lengths: Sequence[int],
    *,
    box: float = 1.0,
    samples: int = 1_000_000,
    hidden: int = 8,
    seed: int = 0,
) -> list[Estimate]:
    """Estimates of V_B(n), in the order of the lengths: plain Monte Carlo, and another too below 100 hits.

    The other is splitting; for INDEX under A_pos and A_norm together with importance sampling (see `proposal`).

    Args:
        task: first, majority, index or parity.
        model: a_gen, a_sin, a_pos or a_norm.
        lengths: numbers of bits n.
        box: B, from 0.001 to 1,000,000.
        samples: sets of parameters that each of the two methods judges, about.
        hidden: h, the width of the readout.
        seed: another seed gives independent samples.

    Raises:
        UnknownNameError: no such task or model.
        InputError: a number out of its range, or an even n for majority.

    Example:
        >>> [(each.method, each.volume) for each in volumes("first", "a_gen", [2], samples=1000)]
        [('proved', 0.0)]
    """
    for kind, name, known in (("task", task, TASKS), ("model", model, MODELS)):
        if name not in known:
            raise unknown_name(kind, name, known)
    whole("samples", samples, 1, MAX_SAMPLES)
    if not BOXES[0] <= box <= BOXES[1]:
        raise InputError(
            f"The box [-B, B] has B = {box!r}. Give a number from {BOXES[0]:g} to {BOXES[1]:,.0f}, such as 1: "
            "beyond, sums and products of parameters leave what floating-point numbers tell apart."
        )
    whole("seed", seed, 0, 2**64 - 1)
    asked = [
        Judge(TASKS[task], MODELS[model], _length(task, n), whole("hidden", hidden, 1, 256))
        for n in dict.fromkeys(lengths)
    ]
    found = []
    for judge in asked:
        cube = Box(judge.dimension, box, ("nesv", task, model, hidden, float(box), judge.n, seed))
        found += [_proved(judge)] if is_proved(judge) else _estimates(judge, cube, samples)
    return found


def _length(task: str, n: int) -> int:
    whole("n", n, 1, 1000)
    if task == "majority" and n % 2 == 0:
        raise InputError(f"n = {n} is even, and a majority needs an odd number of bits. Take {n - 1 or 1} or {n + 1}.")
    return n


def is_proved(judge: Judge) -> bool:
    """Whether the volume is 0 for a reason.

    gen sees the number of ones only, and FIRST and INDEX differ between words of one number. Under gen, pos and norm
    A moves along a segment as ones are put in one by one; PARITY changes sign n times on the way, and a readout with h
    kinks changes sign h + 1 times at most.
    """
    if judge.model == GEN and judge.task in {FIRST, INDEX}:
        return judge.n > 1
    return judge.task == PARITY and judge.model != SIN and judge.n > judge.hidden + 1


def _proved(judge: Judge) -> Estimate:
    return Estimate(judge.n, "proved", 0.0, 0.0, 0.0, math.inf, 0)


def _estimates(judge: Judge, box: Box, samples: int) -> list[Estimate]:
    first = _plain(judge, box, samples)
    if first.effective >= ENOUGH:
        return [first]
    rare = _rare(judge, box, samples)
    if rare.effective < LEAST_EFFECTIVE:  # what such runs say of their own error is not to be trusted
        rare = replace(rare, low=first.low, high=max(first.high, rare.volume))
    return [first, rare]


def _plain(judge: Judge, box: Box, samples: int) -> Estimate:
    total = np.zeros(3, np.int64)
    with counting(f"n = {judge.n}, plain", "samples", samples) as done:
        for counts in plain(box, lambda points: judge(points, quick=True), samples):
            total += counts
            done(counts[0])
    _, right, undecided = total.tolist()
    low, high = clopper_pearson(right, samples)[0], clopper_pearson(right + undecided, samples)[1]
    return Estimate(judge.n, "plain", right / samples, low, high, float(right), samples, undecided / samples)


def _rare(judge: Judge, box: Box, samples: int) -> Estimate:
    method, score, weigh = _approach(judge, box.half)
    what = f"n = {judge.n}, {method}"
    with counting(what, "levels") as done:
        levels = levels_of(box, score, min(PILOT, max(100, samples // 100)), done)
    if not levels:
        stopped = "Splitting came to a stop on its way: no right model was found. Only the bound of plain holds."
        return Estimate(judge.n, method, 0.0, 0.0, 1.0, 0.0, 0, warning=stopped)
    each = 1 + MOVES * len(levels)
    particles = min(4096, max(50, samples // (RUNS * each)))
    runs = range(max(RUNS, samples // (particles * each)))
    pairs = np.array([split(box, score, levels, run, particles, weigh) for run in progress(runs, what, len(runs))])
    return replace(of_runs(judge.n, pairs), method=method, samples=len(runs) * particles * each)


def _approach(judge: Judge, half: float) -> tuple[str, Score, Weigh]:
    """How a volume that plain hardly ever hits is estimated: the method, what splitting descends by, the weights."""
    if has_proposal(judge):
        proposal = Proposal(judge, half)
        return "importance", proposal, proposal.weights
    return "splitting", judge, alike


def of_runs(n: int, pairs: Array) -> Estimate:
    """The mean of independent unbiased estimates, shape (runs, 2): of what is right, and of right or undecided.

    The interval is Student's, of the logarithm, whose error is the relative one.

    Example:
        >>> found = of_runs(5, np.array([[0.01, 0.01], [0.012, 0.012], [0.008, 0.008]]))
        >>> round(found.low, 4), round(found.volume, 4), round(found.high, 4), round(found.effective)
        (0.0061, 0.01, 0.0164, 75)
    """
    from scipy.special import stdtrit

    mean, above = pairs.mean(axis=0).tolist()
    error, wide = (pairs.std(axis=0, ddof=1) / math.sqrt(len(pairs))).tolist()
    if above == 0:
        return Estimate(n, "splitting", 0.0, 0.0, 1.0, 0.0, 0, warning="No run of splitting came to a right model.")
    t = float(stdtrit(len(pairs) - 1, 0.975))
    low = mean * math.exp(-t * error / mean) if mean else 0.0
    high = min(1.0, above * math.exp(min(t * wide / above, 700.0)))
    effective = (mean / error) ** 2 if error else 0.0
    few = f"Effective hits are few ({effective:.1f}): the interval is plain's. Take more samples."
    return Estimate(
        n, "splitting", mean, low, high, effective, 0, above - mean, few if effective < LEAST_EFFECTIVE else ""
    )


def best(found: Iterable[Estimate]) -> list[Estimate]:
    """One estimate a length: that with the most effective hits."""
    chosen: dict[int, Estimate] = {}
    for each in found:
        if each.n not in chosen or each.effective > chosen[each.n].effective:
            chosen[each.n] = each
    return list(chosen.values())


def facts(found: Iterable[Estimate]) -> list[dict[str, Any]]:
    """The estimates as plain data; what is infinite is None."""
    return [{key: None if value == math.inf else value for key, value in asdict(each).items()} for each in found]


def table(found: Iterable[Estimate]) -> str:
    """The estimates in lines that fit a terminal, warnings below."""
    lines = [f"{'n':>5}  {'estimate':>9}  {'95 % interval':>22}  {'method':10}  {'effective hits':>14}"]
    notes = []
    for each in found:
        interval = "exact" if each.method == "proved" else f"{each.low:.3g} to {each.high:.3g}"
        hits = "" if each.method == "proved" else f"{each.effective:,.0f}"
        lines.append(f"{each.n:>5}  {each.volume:>9.3g}  {interval:>22}  {each.method:10}  {hits:>14}")
        if each.undecided:
            notes.append(f"n = {each.n}, {each.method}: undecided, and counted in the upper end: {each.undecided:.3g}.")
        if each.warning:
            notes.append(f"n = {each.n}: {each.warning}")
    return "\n".join(lines + notes)
