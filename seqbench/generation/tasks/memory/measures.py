"""Complexity of a memory function: mass, delay, tail energy, effective rank, Prony order, best linear predictors."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError, quoted

Array = npt.NDArray[Any]

MAX_RANK_LENGTH = 4096
MOST_EXPONENTIALS = 64


class Predictor(NamedTuple):
    """The best linear predictor that sees the last K inputs.

    Attributes:
        taps: its weights of x(t), x(t-1), ..., x(t-K+1).
        relative_mse: its relative MSE, which no linear predictor with K taps falls below.
    """

    taps: Array
    relative_mse: float


def delay(rho: Array) -> int:
    """The step at which rho is largest in absolute value (the first of several): the delay of what matters most.

    Example:
        >>> delay(np.array([0.0, 0.5, -2.0]))
        2
    """
    return int(np.abs(rho).argmax())


def centre(rho: Array) -> float:
    """The mean delay, weighted by energy: the sum of s rho(s)^2 over the sum of rho(s)^2.

    Example:
        >>> centre(np.array([1.0, 1.0, 1.0]))
        1.0
    """
    return float(np.arange(len(rho)) @ rho**2 / (rho @ rho))


def tail_energy(rho: Array, s: int | Array) -> Array | float:
    """C(rho, s): the share of the energy of rho from delay s on; what K = s taps of a convolution cannot see.

    Source: Jiang, Bao, Wang, Li, arXiv 2506.05678, 2025, where it explains the error of convolutional models.

    Raises:
        InputError: a delay that is no whole number from 0 on.

    Example:
        >>> tail_energy(np.array([1.0, 1.0, 1.0, 1.0]), np.array([0, 1, 4])).tolist()
        [1.0, 0.75, 0.0]
    """
    delays = np.asarray(s)
    if delays.dtype.kind not in "iu" or (delays < 0).any():
        raise InputError(f"The delay {quoted(s)} cannot be used. Give whole numbers of steps from 0 on.")
    energy = rho**2
    behind = np.append(np.cumsum(energy[::-1])[::-1], 0.0)
    found = behind[np.clip(delays, 0, len(rho))] / behind[0]
    return float(found) if np.ndim(found) == 0 else np.asarray(found)


def effective_rank(rho: Array) -> float:
    """The exponential of the entropy of the normalised singular values of the T x T causal Toeplitz matrix: 1 to T.

    Source: Roy, Vetterli, "The effective rank", EUSIPCO 2007. The matrix times the exchange matrix is symmetric, so the
    singular values are absolute eigenvalues.

    Raises:
        InputError: rho is longer than 4,096.

    Example:
        >>> round(effective_rank(np.array([1.0, 0.0, 0.0, 0.0])), 9)
        4.0
    """
    if len(rho) > MAX_RANK_LENGTH:
        raise InputError(
            f"The effective rank of {len(rho):,} steps takes too long. Ask for at most {MAX_RANK_LENGTH:,} steps."
        )
    n = len(rho)
    index = np.arange(n)[:, None] - np.arange(n)[None, ::-1]
    values = np.abs(np.linalg.eigvalsh(np.where(index >= 0, rho[index], 0.0)))
    shares = values[values > 0] / values.sum()
    return float(np.exp(-(shares @ np.log(shares))))


def prony_order(rho: Array, error: float = 0.01, most: int = MOST_EXPONENTIALS) -> int | None:
    """How many exponentials c z^s, |z| <= 1, fit rho to a relative error ||fit - rho|| / ||rho||; None beyond `most`.

    The nodes z of n exponentials come from the n leading eigenvectors of the Hankel matrix (ESPRIT), the weights by
    least squares. It is the order at which this fit succeeds, an upper bound of the least possible one; orders that the
    Hankel matrix rules out are not tried (the error of n exponentials is at least the root of the sum of its squared
    singular values beyond the n-th, over its size). An impulse at a delay is no short sum of exponentials.

    Source: Hua, Sarkar, "Matrix pencil method", IEEE Trans. ASSP 38, 1990.

    Raises:
        InputError: an error outside (0, 1), or most < 1.

    Example:
        >>> s = np.arange(100)
        >>> prony_order(0.9**s + 0.5**s, error=1e-6)
        2
    """
    if not 0 < error < 1 or most < 1:
        raise InputError(f"error is {error!r} and most is {most!r}. Give an error between 0 and 1 and most from 1 on.")
    values, vectors = _leading(rho)
    behind = np.append(np.cumsum(values[::-1] ** 2)[::-1], 0.0) / len(values)
    for order in range(1, min(most, len(values) - 1) + 1):
        possible = behind[order] <= (error * np.linalg.norm(rho)) ** 2
        if possible and _misfit(rho, vectors[:, :order]) <= error:
            return order
    return None


def _leading(rho: Array) -> tuple[Array, Array]:
    """Singular values of the square Hankel matrix of rho, falling, and their eigenvectors."""
    half = (len(rho) + 1) // 2
    hankel = rho[np.arange(half)[:, None] + np.arange(half)[None, :]]
    values, vectors = np.linalg.eigh(hankel)
    order = np.argsort(-np.abs(values), kind="stable")
    return np.abs(values[order]), np.asarray(vectors[:, order])


def _misfit(rho: Array, vectors: Array) -> float:
    step, *_ = np.linalg.lstsq(vectors[:-1], vectors[1:], rcond=None)
    nodes = np.linalg.eigvals(step).astype(np.complex128)
    nodes = nodes / np.maximum(np.abs(nodes), 1.0)
    powers = nodes[None, :] ** np.arange(len(rho))[:, None]
    weights, *_ = np.linalg.lstsq(powers, rho.astype(np.complex128), rcond=None)
    return float(np.linalg.norm((powers @ weights).real - rho) / np.linalg.norm(rho))


def best_linear(
    rho: Array, taps: int, *, steps: str = "all", mean: float = 0.0, variance: float = 1.0, snr: float = np.inf
) -> Predictor:
    """The best linear predictor with K taps for white input, and its relative MSE: exact expectations.

    The unseen rest, the sum of rho(s) x(t - s) over s >= K, is independent of what is seen, so that the best taps are
    rho(0), ..., rho(K-1); where the input has a mean, the predictor adds the mean of the rest. Over all steps of a row
    of n = len(rho) steps that starts from nothing,

        relative MSE = sum over s >= K of (n - s) rho(s)^2 / sum over s of (n - s) rho(s)^2,

    and at the last step it is the tail energy C(rho, K). Noise adds 1 / snr to both.

    Args:
        rho: (n,).
        taps: K, from 0 on.
        steps: "all", or "last" for the last step alone.
        mean: of the input.
        variance: of the input.
        snr: mean square of the targets over the variance of the noise.

    Raises:
        InputError: K is no whole number from 0 on, or steps something else.

    Example:
        >>> best_linear(np.array([1.0, 1.0]), 1, steps="last").relative_mse
        0.5
    """
    if isinstance(taps, bool) or not isinstance(taps, int | np.integer) or taps < 0:
        raise InputError(f"taps is {taps!r}. Give a whole number from 0 on.")
    if steps not in ("all", "last"):
        raise InputError(f"steps is {steps!r}. Give 'all' or 'last'.")
    n = len(rho)
    times = np.arange(n, 0, -1) if steps == "all" else np.ones(n)
    energy = variance * times * rho**2
    squares = np.cumsum(rho) ** 2
    level = mean**2 * (squares.sum() if steps == "all" else squares[-1])
    total = energy.sum() + level
    share = float(energy[int(taps) :].sum() / total)
    return Predictor(rho[: int(taps)].copy(), (share + 1 / snr) / (1 + 1 / snr))


def relative_mse(prediction: Any, target: Any, mask: Any = None) -> float:
    """The sum of (prediction - target)^2 over the sum of target^2, over the scored steps; 0 is perfect, 1 predicts 0.

    Args:
        prediction: numbers of the target's shape: arrays, tensors, or lists, also of rows of unequal length.
        target: the targets.
        mask: which steps are scored; all if None.

    Raises:
        InputError: shapes that differ, numbers that are not finite, no scored step, or targets that are all 0.

    Example:
        >>> relative_mse([0.0, 0.0], [1.0, 2.0]), relative_mse([[1.0], [1.0, 1.0]], [[1.0], [1.0, 2.0]])
        (1.0, 0.16666666666666666)
    """
    guess, right = _flat("prediction", prediction), _flat("target", target)
    scored = np.ones(len(right), bool) if mask is None else _flat("mask", mask).astype(bool)
    if not len(guess) == len(right) == len(scored):
        raise InputError(
            f"There are {len(guess):,} predictions for {len(right):,} targets"
            f"{'' if mask is None else f' and a mask of {len(scored):,}'}. Give one for each."
        )
    error, power = guess[scored] - right[scored], right[scored] @ right[scored]
    if power == 0:
        raise InputError("The scored targets are all 0 or there are none: no relative error. Score other steps.")
    found = float(error @ error / power)
    if not np.isfinite(found):
        raise InputError("A prediction or target is not finite. Give finite numbers, or mask those steps.")
    return found


def _flat(name: str, values: Any) -> Array:
    """All numbers in reading order, as float64."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    if values is None or isinstance(values, str):
        raise InputError(f"{name} is {quoted(values)}, which holds no numbers. Give an array or lists of numbers.")
    try:
        return np.asarray(values, dtype=np.float64).ravel()
    except (TypeError, ValueError, OverflowError):
        if not hasattr(values, "__iter__"):
            raise InputError(
                f"{name} holds {quoted(values)}, which is no number. Give an array or lists of numbers."
            ) from None
    parts = [_flat(name, part) for part in values]
    return np.concatenate(parts) if parts else np.empty(0)
