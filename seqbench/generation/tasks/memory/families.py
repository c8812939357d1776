"""The memory functions rho: formulas, the scale that alpha sets, and their normalisation.

**The parameterisation by alpha is seqbench's own.** The study it follows (Jiang, Bao, Wang, Li, arXiv 2506.05678, 2025)
names the four families and an alpha in [0, 1]; its exact formulas were not available. With T the horizon and
tau(alpha) = (T / 2)^alpha:

    exp      rho(s) = exp(-s / tau'),           tau' such that rho(0) + ... + rho(T-1) = tau
    poly     rho(s) = (1 + s)^-p,               p such that rho(0) + ... + rho(T-1) = tau
    impulse  rho(s) = 1 at s = round(alpha (T - 1)), else 0
    airy     rho(s) = Ai((s - alpha T / 2) / w), w = T / 32

The earlier public formulas, of the code of Wang, Li, Li, "Inverse approximation theory for nonlinear recurrent neural
networks", arXiv 2305.19190, 2023 (there exp, pol, shift, twoparts, airy), at whole steps t: `legacy_exp` e^-t,
`legacy_poly` (1 + 0.1 t)^-1.1, `legacy_impulse` 1 where 9 < t < 11, `legacy_bumps` e^-t + e^-(t-9)^2, `legacy_airy`
Ai(t - 6).

Values are rounded to float32 once, so that every machine uses the same rho, and are float64 from there on.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError, unknown_name

Array = npt.NDArray[Any]
Solver = Callable[["Component", int], float]

MIN_HORIZON = 2
LEGACY_SHIFT = 10.0


@dataclass(frozen=True)
class Component:
    """One formula with its parameters.

    Attributes:
        family: a key of FORMULAS.
        alpha: strength of temporal dependence, from 0 to 1; the legacy formulas have none.
        shift: delay in steps of `impulse` and `airy`, in place of the one that alpha sets.
        width: the width w of `airy` in steps, in place of T / 32.
    """

    family: str
    alpha: float = 0.5
    shift: float | None = None
    width: float | None = None

    @property
    def fixed_shift(self) -> float:
        """The delay that does not depend on the horizon; 0 where there is none."""
        return LEGACY_SHIFT if self.family == "legacy_impulse" else self.shift or 0.0

    def constants(self, horizon: int) -> dict[str, float]:
        """The constants of the formula for a horizon T.

        Raises:
            InputError: a shift that does not fit T, or that the family does not have.

        Example:
            >>> Component("impulse", alpha=0.4).constants(256)
            {'shift': 102.0}
        """
        _check(self, horizon)
        if self.family == "exp":
            return {"rate": _exp_rate((horizon / 2) ** self.alpha, horizon)}
        if self.family == "poly":
            return {"power": _poly_power((horizon / 2) ** self.alpha, horizon)}
        if self.family == "impulse":
            return {"shift": float(math.floor(self.alpha * (horizon - 1) + 0.5) if self.shift is None else self.shift)}
        if self.family == "airy":
            shift = self.alpha * horizon / 2 if self.shift is None else self.shift
            return {"shift": shift, "width": horizon / 32 if self.width is None else self.width}
        return {}

    def values(self, horizon: int, n: int) -> Array:
        """The formula at 0, 1, ..., n - 1 with the constants for a horizon, float64.

        Example:
            >>> Component("exp", alpha=1).values(256, 256).sum().round(6)
            np.float64(128.0)
        """
        return np.asarray(FORMULAS[self.family](np.arange(n, dtype=np.float64), **self.constants(horizon)))


def _check(component: Component, horizon: int) -> None:
    family, shift = component.family, component.shift
    if family not in FORMULAS:
        raise unknown_name("family of memory functions", family, FORMULAS)
    if shift is not None and family not in ("impulse", "airy"):
        raise InputError(f"The family {family!r} has no shift, but shift={shift} was given. Leave it out.")
    if component.width is not None and family != "airy":
        raise InputError(f"The family {family!r} has no width, but width={component.width} was given. Leave it out.")
    if shift is not None and (not 0 <= shift < horizon or (family == "impulse" and shift != int(shift))):
        number = "whole number" if family == "impulse" else "number"
        raise InputError(
            f"The shift {shift:g} does not fit {horizon} steps. Give a {number} from 0 to {horizon - 1}, "
            "or a longer horizon."
        )
    if family == "legacy_impulse" and horizon <= LEGACY_SHIFT:
        raise InputError(f"The shift 10 of {family!r} does not fit {horizon} steps. Give at least 11.")


def _bisect(falling: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Where a falling function meets a target, to the last bit: the same however noisy its own last bits are."""
    for _ in range(200):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if falling(middle) > target else (low, middle)
    return (low + high) / 2


def _exp_rate(tau: float, horizon: int) -> float:
    """The r with sum over s < T of e^(-r s) = tau; infinite for tau = 1."""
    if tau <= 1:
        return math.inf
    return _bisect(lambda r: math.expm1(-r * horizon) / math.expm1(-r), tau, 1e-12 / horizon, 800.0)


@lru_cache(maxsize=512)
def _poly_power(tau: float, horizon: int) -> float:
    """The p with sum over s < T of (1 + s)^-p = tau; infinite for tau = 1."""
    if tau <= 1:
        return math.inf
    logs = np.log1p(np.arange(horizon))
    return _bisect(lambda p: float(np.exp(-p * logs).sum()), tau, 0.0, 1100.0)


def _decay(s: Array, rate: float) -> Array:
    return np.where(s == 0, 1.0, 0.0) if math.isinf(rate) else np.exp(-rate * s)


def _power(s: Array, power: float) -> Array:
    return np.where(s == 0, 1.0, 0.0) if math.isinf(power) else np.exp(-power * np.log1p(s))


def _impulse(s: Array, shift: float) -> Array:
    return np.where(s == shift, 1.0, 0.0)


def _airy(s: Array, shift: float, width: float) -> Array:
    from scipy.special import airy

    return np.asarray(airy(np.minimum((s - shift) / width, 100.0))[0])  # beyond 100 it is 0 in float64 too


FORMULAS: dict[str, Callable[..., Array]] = {
    "exp": _decay,
    "poly": _power,
    "impulse": _impulse,
    "airy": _airy,
    "legacy_exp": lambda s: np.exp(-s),
    "legacy_poly": lambda s: (1 + 0.1 * s) ** -1.1,
    "legacy_impulse": lambda s: np.where((s > 9) & (s < 11), 1.0, 0.0),
    "legacy_bumps": lambda s: np.exp(-s) + np.exp(-((s - 9) ** 2)),
    "legacy_airy": lambda s: _airy(s, 6.0, 1.0),
}
"""Every formula by the name of its family."""

FAMILIES = ("exp", "poly", "impulse", "airy")
"""The families that alpha parameterises."""

LEGACY = tuple(name for name in FORMULAS if name.startswith("legacy_"))
"""The earlier public formulas."""

TEXTS = {
    "exp": "rho(s) = exp(-s/tau'), tau' such that the sum over s < T is tau = (T/2)^alpha",
    "poly": "rho(s) = (1+s)^-p, p such that the sum over s < T is tau = (T/2)^alpha",
    "impulse": "rho(s) = 1 at s = round(alpha (T-1)), else 0",
    "airy": "rho(s) = Ai((s - alpha T/2)/w), w = T/32",
    "legacy_exp": "rho(s) = e^-s",
    "legacy_poly": "rho(s) = (1 + 0.1 s)^-1.1",
    "legacy_impulse": "rho(s) = 1 where 9 < s < 11, else 0",
    "legacy_bumps": "rho(s) = e^-s + e^-(s-9)^2",
    "legacy_airy": "rho(s) = Ai(s - 6)",
}
"""Every formula as text."""


@dataclass(frozen=True)
class Function:
    """A memory function: one formula, or a mixture lam * first + (1 - lam) * second.

    The parts of a mixture each have unit energy over the horizon before they are mixed. The whole is scaled by a
    constant so that rho(0)^2 + ... + rho(T-1)^2 = 1: then E[y(T-1)^2] = 1 for white input of unit variance.

    Attributes:
        parts: one or two formulas.
        horizon: the T of the formulas.
        lam: the share of the first where there are two.
        unit: whether to scale to unit energy; else values are the formula's.
    """

    parts: tuple[Component, ...]
    horizon: int
    lam: float = 1.0
    unit: bool = True

    def formula(self, n: int) -> Array:
        """The function before it is scaled, at 0, 1, ..., n - 1, float64."""
        if len(self.parts) == 1:
            return self.parts[0].values(self.horizon, n)
        first, second = (part.values(self.horizon, max(n, self.horizon)) for part in self.parts)
        first, second = (each / math.sqrt(_energy(each[: self.horizon])) for each in (first, second))
        return (self.lam * first + (1 - self.lam) * second)[:n]

    @property
    def constant(self) -> float:
        """What the formula is multiplied by.

        Example:
            >>> round(Function((Component("exp", 0.5),), 256).constant, 6)
            0.411053
        """
        return 1 / math.sqrt(_energy(self.formula(self.horizon))) if self.unit else 1.0

    def values(self, n: int, *, cut: bool = False) -> Array:
        """rho(0), ..., rho(n-1) rounded to float32, as float64, shape (n,).

        Args:
            n: how many; beyond the horizon the formula goes on.
            cut: whether rho is 0 from the horizon on instead.

        Example:
            >>> Function((Component("impulse", 0.5),), 5).values(7).tolist()
            [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
        """
        rho = (self.constant * self.formula(n)).astype(np.float32).astype(np.float64)
        if cut:
            rho[self.horizon :] = 0
        return rho


def _energy(values: Array) -> float:
    return float(values @ values)
