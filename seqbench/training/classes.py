"""What a tree model has learnt of the classes: does its operator multiply blocks as the syntactic monoid does?"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from seqbench.algebra.monoid import Monoid
from seqbench.drawing import save, scatter
from seqbench.errors import InputError
from seqbench.generation.plan import language_plan
from seqbench.generation.sampler import Sampler
from seqbench.generation.streams import row_streams, unit_key
from seqbench.models.tree import TreeEncoder, TreeModel
from seqbench.training.evaluate import learner_of
from seqbench.training.learner import node_classes
from seqbench.training.parallel import device_of
from seqbench.training.settings import read

Array = npt.NDArray[Any]

MAX_CLASSES = 2000


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes in a model's eyes.

    Attributes:
        monoid: the syntactic monoid.
        states: embeddings of nodes of the reduction, shape (nodes, width).
        classes: their classes, shape (nodes,).
        known: the classes that some node had, shape (k,).
        prototypes: the mean embedding of each known class, shape (k, width).
        pairs: compositions (a, b) of known classes that words can show, shape (p, 2).
        right: whether the product of the prototypes is nearest to the prototype of the class a b, shape (p,).
    """

    monoid: Monoid
    states: Array
    classes: Array
    known: Array
    prototypes: Array
    pairs: Array
    right: Array

    @property
    def purity(self) -> float:
        """The share of nodes whose nearest prototype is that of their own class."""
        return float((self.known[_nearest(self.states, self.prototypes)] == self.classes).mean())

    def facts(self) -> dict[str, Any]:
        """The figures as plain data, with the first wrong products by the names of their classes."""
        wrong = self.pairs[~self.right]
        name = self.monoid.name
        return {
            "classes": len(self.monoid),
            "classes_seen": len(self.known),
            "nodes": len(self.states),
            "purity": round(self.purity, 4),
            "silhouette": round(silhouette(self.states, self.classes), 4),
            "products": len(self.pairs),
            "products_right": int(self.right.sum()),
            "wrong": [{"left": name(a), "right": name(b)} for a, b in wrong[:20].tolist()],
        }


def classes_of(run: Path, words: int = 4096, device: str = "auto") -> Classes:
    """The classes as the trained model of a run sees them.

    Blocks are the nodes of the reductions of so many words: half drawn as in training, half by class. A product is
    right if the operator, given two prototypes, comes nearest to the prototype of the product of their classes.

    Raises:
        InputError: a model without nodes, or a language of over 2,000 classes.
    """
    settings = read(run)
    where = device_of(device)
    learner, _ = learner_of(run, settings, where)
    model = learner.model
    if not isinstance(model, TreeModel):
        raise InputError(f"{settings.model} has no nodes to look at. Train ldru or bbt_grc.")
    planned = language_plan(settings.task, **settings.recipe)
    monoid = planned.monoid
    if monoid is None or len(monoid) > MAX_CLASSES:
        raise InputError(f"{settings.task} has no table of classes of at most {MAX_CLASSES:,}. Name another task.")
    sampler = Sampler(planned.machine, monoid, {"class": 0.5, **dict.fromkeys(planned.recipe.sampling, 0.5)})
    states, classes = _nodes(model, monoid, sampler, planned.recipe.train_lengths, words, where)
    known = np.unique(classes)
    prototypes = np.stack([states[classes == element].mean(axis=0) for element in known])
    pairs = _pairs(monoid, known, planned.recipe.train_lengths[1])
    return Classes(
        monoid, states, classes, known, prototypes, pairs, _right(model, monoid, known, prototypes, pairs, where)
    )


def _nodes(
    model: TreeModel, monoid: Monoid, sampler: Sampler, span: tuple[int, int], words: int, device: torch.device
) -> tuple[Array, Array]:
    """Embeddings and classes of all nodes of so many words, as many of each admitted length."""
    lengths = np.flatnonzero(sampler.admits(span[1])[span[0] :]) + span[0]
    each, states, classes = max(1, words // len(lengths)), [], []
    for length in lengths.tolist():
        rows = sampler.sample(np.full(each, length), row_streams(unit_key("classes", length), np.arange(each)))
        tokens = rows.tokens.reshape(each, length).astype(np.int64)
        with torch.inference_mode():
            nodes = model.node_states(torch.from_numpy(tokens).to(device), torch.full((each,), length))
        states.append(nodes.states.float().cpu().numpy())
        classes.append(node_classes(monoid, tokens))
    return np.concatenate(states), np.concatenate(classes)


def _pairs(monoid: Monoid, known: Array, longest: int) -> Array:
    """Pairs of known classes that adjacent blocks of training words can have."""
    width = 1
    there = np.zeros((len(monoid), len(monoid)), dtype=bool)
    while width < longest:
        left = monoid.reach(width)
        for right in range(1, min(width, longest - width) + 1):
            there |= left[:, None] & monoid.reach(right)[None]
        width *= 2
    seen = np.isin(np.arange(len(monoid)), known)
    return np.argwhere(there & seen[:, None] & seen[None])


def _right(
    model: TreeModel, monoid: Monoid, known: Array, prototypes: Array, pairs: Array, device: torch.device
) -> Array:
    encoder: TreeEncoder = model.encoder
    place = np.full(len(monoid), -1)
    place[known] = np.arange(len(known))
    both = np.concatenate([prototypes[place[pairs[:, 0]]], prototypes[place[pairs[:, 1]]]], axis=1)
    with torch.inference_mode():
        made: Tensor = encoder.combine(torch.from_numpy(both).float().to(device))
    found = known[_nearest(made.cpu().numpy(), prototypes)]
    return np.asarray(found == monoid.multiply(pairs[:, 0], pairs[:, 1]))


def _nearest(states: Array, prototypes: Array) -> Array:
    """The nearest prototype of each state, by Euclidean distance, shape (n,)."""
    squares = (prototypes**2).sum(axis=1)
    parts = np.array_split(states, max(1, len(states) * len(prototypes) // 10_000_000))
    return np.concatenate([np.argmin(squares - 2 * part @ prototypes.T, axis=1) for part in parts])


def silhouette(states: Array, classes: Array, most: int = 2000) -> float:
    """The mean silhouette of classes in space, from -1 to 1, over at most so many states (Rousseeuw, 1987).

    Example:
        >>> round(silhouette(np.array([[0.0], [0.1], [5.0], [5.1]]), np.array([0, 0, 1, 1])), 2)
        0.98
    """
    step = max(1, len(states) // most)
    states, classes = states[::step], classes[::step]
    names, of = np.unique(classes, return_inverse=True)
    distance = np.sqrt(np.maximum(((states[:, None] - states[None]) ** 2).sum(axis=2), 0))
    member = np.eye(len(names))[of]
    sums, sizes = distance @ member, member.sum(axis=0)
    own = sums[np.arange(len(of)), of] / np.maximum(sizes[of] - 1, 1)
    others = np.where(member.astype(bool), np.inf, sums / sizes).min(axis=1)
    alone = (sizes[of] < 2) | ~np.isfinite(others)
    score = np.where(alone, 0.0, (others - own) / np.maximum(np.maximum(own, others), 1e-30))
    return float(score.mean())


def plane(states: Array) -> tuple[Array, Array]:
    """The two directions of most variance: coordinates (n, 2), and the share of variance of each (PCA)."""
    centred = states - states.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    return centred @ directions[:2].T, sizes[:2] ** 2 / (sizes**2).sum()


def classes_text(found: Classes) -> str:
    """The figures in lines that fit a terminal."""
    facts = found.facts()
    right, products = facts["products_right"], facts["products"]
    lines = [
        f"{facts['nodes']:,} blocks of {facts['classes_seen']} of {facts['classes']} classes.",
        f"Nearest to the middle of their own class: {facts['purity']:.2%} (silhouette {facts['silhouette']:.2f}).",
        f"Products of middles that come nearest to the right class: {right:,} of {products:,}.",
    ]
    if facts["wrong"]:
        pairs = ", ".join(f"({each['left'] or 'empty'}, {each['right'] or 'empty'})" for each in facts["wrong"][:8])
        lines.append(f"Wrong: {pairs}{', ...' if products - right > 8 else ''}")
    return "\n".join(lines)


def draw(found: Classes, path: str) -> None:
    """Saves the blocks in the plane of most variance, coloured by class."""
    places, shares = plane(found.states)
    labels = [f"direction of {100 * share:.0f} % of the variance" for share in shares]
    save(scatter(places, found.classes, found.monoid.names, xlabel=labels[0], ylabel=labels[1]), path)
