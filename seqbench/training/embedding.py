"""How embeddings lie: silhouette of classes, and two projections to the plane."""

import importlib.util
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError, not_installed, unknown_name

Array = npt.NDArray[Any]

PROJECTIONS = ("pca", "tsne")
MOST = 2000  # states whose distances are taken, evenly chosen


def silhouette(states: Array, classes: Array, most: int = MOST) -> float:
    """The mean silhouette of classes in space, from -1 to 1, over at most so many states (Rousseeuw, 1987).

    Example:
        >>> round(silhouette(np.array([[0.0], [0.1], [5.0], [5.1]]), np.array([0, 0, 1, 1])), 2)
        0.98
    """
    step = -(-len(states) // most)
    states, classes = states[::step], classes[::step]
    names, of = np.unique(classes, return_inverse=True)
    member = np.eye(len(names))[of]
    sums, sizes = _distances(states) @ member, member.sum(axis=0)
    own = sums[np.arange(len(of)), of] / np.maximum(sizes[of] - 1, 1)
    others = np.where(member.astype(bool), np.inf, sums / sizes).min(axis=1)
    alone = (sizes[of] < 2) | ~np.isfinite(others)
    score = np.where(alone, 0.0, (others - own) / np.maximum(np.maximum(own, others), 1e-30))
    return float(score.mean())


def _distances(states: Array) -> Array:
    """Euclidean distances of all pairs, shape (n, n)."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(states, states))


def checked_projection(kind: str) -> None:
    """Nothing, if there is such a projection and what it needs is installed: to be asked before long work.

    Raises:
        UnknownNameError: another kind.
        InputError: t-SNE without scikit-learn.
    """
    if kind not in PROJECTIONS:
        raise unknown_name("projection", kind, PROJECTIONS)
    if kind == "tsne" and importlib.util.find_spec("sklearn") is None:
        raise not_installed("t-SNE", "scikit-learn", "train", "Or take --projection pca.")


def projected(states: Array, kind: str = "pca") -> tuple[Array, Array, list[str]]:
    """Coordinates in the plane, (k, 2), the numbers of the k states that they are of, and the names of the axes.

    Args:
        states: shape (n, width).
        kind: "pca", the directions of most variance; or "tsne" (van der Maaten, Hinton, Journal of Machine Learning
            Research 9, 2008) of at most 2,000 states, evenly chosen, whose axes mean nothing.

    Raises:
        UnknownNameError: another kind.
        InputError: fewer than two states, or t-SNE without scikit-learn.

    Example:
        >>> places, chosen, names = projected(np.array([[0.0, 0.0, 1.0], [1.0, 2.0, 1.0], [2.0, 4.0, 1.0]]))
        >>> places.shape, chosen.tolist(), names[0]
        ((3, 2), [0, 1, 2], 'direction of 100 % of the variance')
    """
    checked_projection(kind)
    if len(states) < 2 or states.shape[1] < 2:
        raise InputError(f"States of shape {states.shape} have no plane. Take more words, or a wider model.")
    return _pca(states) if kind == "pca" else _tsne(states)


def _pca(states: Array) -> tuple[Array, Array, list[str]]:
    centred = states - states.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    shares = sizes[:2] ** 2 / max(float((sizes**2).sum()), 1e-300)
    names = [f"direction of {100 * share:.0f} % of the variance" for share in shares]
    return centred @ directions[:2].T, np.arange(len(states)), names


def _tsne(states: Array) -> tuple[Array, Array, list[str]]:
    from sklearn.manifold import TSNE

    chosen = np.arange(0, len(states), -(-len(states) // MOST))
    # Starting from the principal directions leaves nothing to chance; the seed is there for the library's own sake.
    made = TSNE(init="pca", perplexity=min(30.0, (len(chosen) - 1) / 3), random_state=0).fit_transform(states[chosen])
    return np.asarray(made), chosen, ["first coordinate of t-SNE", "second coordinate of t-SNE"]
