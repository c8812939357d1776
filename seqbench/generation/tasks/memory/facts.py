"""What `seqbench info` and the cards say about a memory task: formula, complexity, and the floors of short memories."""

from typing import Any

import numpy as np

from seqbench.generation.tasks.memory import inputs, measures
from seqbench.generation.tasks.memory.families import FAMILIES, TEXTS, Function

MAX_LENGTH = 1024  # beyond, the effective rank and the Prony order take seconds
PRONY_ERROR = 0.01

OURS = (
    "The formulas by alpha are seqbench's own: arXiv 2506.05678 names the families and alpha, "
    "but its exact formulas were not available."
)
EARLIER = "An earlier public formula, of the code of arXiv 2305.19190, at whole steps and scaled to unit energy."


def facts_of(function: Function, parameters: dict[str, Any], least: int) -> dict[str, Any]:
    """Formula, complexity measures over the horizon T, and floors, as plain data."""
    horizon = function.horizon
    rho = function.values(horizon)
    names = [part.family for part in function.parts]
    facts: dict[str, Any] = {
        "formula": "; ".join(TEXTS[name] for name in names),
        "figure": _figure(names),
        "parameterisation": OURS if set(names) & set(FAMILIES) else EARLIER,
        **_earlier(names),
        "T": horizon,
        "constants": [
            {"family": part.family} | {name: rounded(value) for name, value in part.constants(horizon).items()}
            for part in function.parts
        ],
        "normalising_constant": rounded(function.constant),
        **complexity(function),
        "chance": "predicting 0 has relative MSE 1",
        "smallest_length": least,
    }
    if horizon > MAX_LENGTH:
        return facts
    return facts | _floors(rho, parameters)


def _earlier(names: list[str]) -> dict[str, str]:
    """The earlier public formulas of families that alpha parameterises."""
    found = [TEXTS[f"legacy_{name}"] for name in names if name in FAMILIES]
    return {"earlier_formula": f"{'; '.join(found)} (arXiv 2305.19190)"} if found else {}


def _figure(names: list[str]) -> str:
    """The name of the picture in docs/figures."""
    family = "hybrid" if len(names) > 1 else "legacy" if names[0].startswith("legacy") else names[0]
    return f"memory_{family}.png"


def complexity(function: Function) -> dict[str, Any]:
    """Area, delays, tail energies, effective rank and Prony order of a function over its horizon.

    Example:
        >>> from seqbench.generation.tasks.memory.families import Component
        >>> complexity(Function((Component("exp", 1.0),), 256))["area"]
        128.0
    """
    horizon = function.horizon
    rho = function.values(horizon)
    marks = [k for k in (horizon // 16, horizon // 4, horizon // 2) if k > 0]
    facts: dict[str, Any] = {
        "area": rounded(float(function.formula(horizon).sum())),
        "shift": measures.delay(rho),
        "mean_delay": rounded(measures.centre(rho)),
        "tail_energy": {str(k): rounded(float(measures.tail_energy(rho, k))) for k in marks},
    }
    if horizon > MAX_LENGTH:
        return facts
    order = measures.prony_order(rho, PRONY_ERROR)
    return facts | {
        "effective_rank": rounded(measures.effective_rank(rho)),
        f"prony_order_{PRONY_ERROR}": order if order is not None else f"over {measures.MOST_EXPONENTIALS}",
    }


def _floors(rho: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """Relative MSE of the best linear predictors with K taps, where it is exact."""
    law = parameters["input_law"]
    linear = parameters["sigma_1"] == parameters["sigma_2"] == "identity"
    if law not in inputs.MEANS or not linear or (parameters["d_in"] > 1 and inputs.MEANS[law]):
        return {"best_linear_floor": "exact for white input and identity activations only"}
    snr = np.inf if parameters["snr"] == "none" else parameters["snr"]
    steps = "all" if parameters["targets"] == "steps" else "last"
    taps = [k for k in (1, len(rho) // 16, len(rho) // 4, len(rho) // 2) if k > 0]
    moments = {"mean": inputs.MEANS[law], "variance": inputs.VARIANCES[law]}
    return {
        "best_linear_floor": {
            str(k): rounded(measures.best_linear(rho, k, steps=steps, snr=snr, **moments).relative_mse) for k in taps
        }
    }


def rounded(value: float) -> float | str:
    """The value to six digits; infinity as a word, since JSON has none."""
    return float(f"{value:.6g}") if np.isfinite(value) else "infinite"
