"""A user's handle on one memory function: rho, its complexity, its targets for any input, a picture."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqbench.drawing.pictures import shown
from seqbench.errors import InputError, quoted, unknown_name
from seqbench.generation.tasks.memory import KINDS, measures
from seqbench.generation.tasks.memory.families import FAMILIES, LEGACY
from seqbench.generation.tasks.memory.measures import Predictor, relative_mse
from seqbench.generation.tasks.memory.task import Memory
from seqbench.notebook import facts, section

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = npt.NDArray[Any]

ALPHAS = tuple(tenth / 10 for tenth in range(11))
"""The grid of alpha on which figures and tables are made: 0, 0.1, ..., 1."""

RANDOM = frozenset({"input_law", "phi", "snr"})
"""Parameters of the datasets that a memory function does not have."""

__all__ = ["ALPHAS", "MemoryFunction", "Predictor", "memory", "relative_mse"]


class MemoryFunction:
    """A memory function rho over T steps.

    Attributes:
        name: its family.
        length: T.
        parameters: all of its parameters.
    """

    def __init__(self, name: str, task: Memory) -> None:
        """The memory function of a task."""
        self.name, self.parameters, self._task = name, task.parameters, task
        self.length: int = task.parameters["memory_length"]

    def __repr__(self) -> str:
        """One line of facts."""
        return (
            f"<MemoryFunction {self.name}, T = {self.length}: area {self.area:.4g}, shift {self.shift}, "
            f"mean delay {self.mean_delay:.4g}>"
        )

    def _repr_html_(self) -> str:
        """The facts in a notebook, with a picture of rho and its tail energy."""
        values = self.parameters | {"area": f"{self.area:.4g}", "shift": self.shift}
        picture = shown(self.plot, f"\u03c1 and tail energy of {self.name} over {self.length} steps")
        return section(f"Memory function {self.name}, T = {self.length}", [], facts(values), picture)

    @functools.cached_property
    def rho(self) -> Array:
        """The weights at delays 0 to T - 1, as the targets use them: float32 numbers in float64, of unit energy."""
        return self._task.function.values(self.length)

    @property
    def constant(self) -> float:
        """What the formula was multiplied by to have unit energy."""
        return self._task.function.constant

    @property
    def area(self) -> float:
        """The sum of the formula over T steps, before it was scaled: the memory mass in steps.

        Example:
            >>> round(memory("poly", alpha=0.5, length=200).area, 9)
            10.0
        """
        return float(self._task.function.formula(self.length).sum())

    @property
    def shift(self) -> int:
        """The delay at which |rho| is largest.

        Example:
            >>> memory("impulse", alpha=0.4, length=256).shift
            102
        """
        return measures.delay(self.rho)

    @property
    def mean_delay(self) -> float:
        """The mean delay, weighted by rho squared."""
        return measures.centre(self.rho)

    def tail_energy(self, s: Any = None) -> Any:
        """C(rho, s), the share of energy at delays from s on; without s for all s from 0 to T, shape (T + 1,).

        Example:
            >>> memory("impulse", alpha=0.4, length=256).tail_energy([102, 103]).tolist()
            [1.0, 0.0]
        """
        return measures.tail_energy(self.rho, np.arange(self.length + 1) if s is None else np.asarray(s))

    @functools.cached_property
    def effective_rank(self) -> float:
        """The exponential of the entropy of the normalised singular values of the T x T causal Toeplitz matrix.

        Raises:
            InputError: T is over 4,096.
        """
        return measures.effective_rank(self.rho)

    def prony_order(self, error: float = 0.01, most: int = measures.MOST_EXPONENTIALS) -> int | None:
        """How many exponentials fit rho to a relative error; None if `most` do not.

        Example:
            >>> memory("exp", alpha=0.5).prony_order(), memory("impulse", alpha=0.5).prony_order()
            (1, None)
        """
        return measures.prony_order(self.rho, error, most)

    def best_linear(self, taps: int, steps: str = "all") -> Predictor:
        """The best predictor that is linear in the last K inputs, and its relative MSE, for white zero-mean input.

        Args:
            taps: K.
            steps: "all" steps of T, or the "last" alone.

        Example:
            >>> memory("impulse", alpha=0.4).best_linear(102).relative_mse
            1.0
        """
        return measures.best_linear(self.rho, taps, steps=steps)

    def targets(self, inputs: Any) -> list[Any]:
        """The targets, without noise, of each input, or of one alone.

        Example:
            >>> memory("impulse", alpha=0.5, length=5).targets([1, 2, 3, 4, 5])
            [0.0, 0.0, 1.0, 2.0, 3.0]
        """
        return self._task.solve(inputs)

    def plot(self, path: str | Path | None = None) -> "Figure":
        """A picture of rho and of its tail energy; written to a .png, .svg or .pdf where a path is given.

        Raises:
            InputError: matplotlib is not installed, or the path cannot be used.
        """
        from seqbench.drawing import curve, save

        lines = {"\u03c1(s)": self.rho, "C(\u03c1, s)": self.tail_energy()[:-1]}
        figure = curve(np.arange(self.length), lines, xlabel="delay s in steps", ylabel="weight, share of energy")
        if path is not None:
            save(figure, path)
        return figure


def memory(family: str, *, length: int | None = None, **parameters: Any) -> MemoryFunction:
    """The memory function of a family.

    Args:
        family: "exp", "poly", "impulse", "airy", "hybrid", or an earlier public formula: "legacy_exp", "legacy_poly",
            "legacy_impulse", "legacy_bumps", "legacy_airy".
        length: T, by default 256, and 100 for the earlier formulas.
        parameters: as of the dataset: alpha, shift, width; first, second, lam for "hybrid"; normalise, sigma_1, ...
            Not those of its random part: input_law, phi, snr.

    Raises:
        UnknownNameError: an unknown family or parameter.
        InputError: a value that cannot be used, or a parameter of the dataset's random part.

    Example:
        >>> memory("airy", alpha=0.4, length=256)
        <MemoryFunction airy, T = 256: area 7.291, shift 43, mean delay 33.44>
    """
    legacy = family in LEGACY
    if family not in (*FAMILIES, "hybrid") and not legacy:
        raise unknown_name("family of memory functions", family, [*FAMILIES, "hybrid", *LEGACY])
    for name in RANDOM & parameters.keys():
        raise InputError(
            f"{name}={quoted(parameters[name])} is for a dataset's random rows; a memory function has none. "
            f'Leave it out, or give it to seqbench.load_dataset("memory_{family}", ...).'
        )
    kind = KINDS["memory_hybrid" if family == "hybrid" else "memory_legacy" if legacy else "memory"]
    chosen = {} if family == "hybrid" else {"family": family}
    given = kind.expand({"length": (100 if legacy else 256) if length is None else length, **parameters})
    splits = ("train_lengths", "validation_lengths", "test_lengths")
    task = kind.build(kind.check(chosen | {name: given[name] for name in given if name not in splits}))
    assert isinstance(task, Memory)  # noqa: S101  # for the type checker: these kinds build nothing else
    return MemoryFunction(family, task)
