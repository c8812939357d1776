"""What a model has learnt of the classes: are its embeddings apart, and does it multiply as the monoid does?"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from seqbench.algebra.monoid import Monoid
from seqbench.covering.expectation import expected_coverage
from seqbench.drawing import save, scatter
from seqbench.errors import InputError, SeqbenchError
from seqbench.generation.plan import language_plan
from seqbench.generation.sampler import Sampler
from seqbench.generation.streams import row_streams, unit_key
from seqbench.models.tree import TreeEncoder, TreeModel
from seqbench.training.embedding import projected, silhouette
from seqbench.training.evaluate import learner_of
from seqbench.training.learner import Learner, node_classes
from seqbench.training.parallel import device_of
from seqbench.training.settings import Settings, read
from seqbench.training.words import compositions

Array = npt.NDArray[Any]

MAX_CLASSES = 2000
CHANGED = "The file of its training words has changed or is gone, so it is not known what training showed."
TOLD = 1000  # wrong products by name
DRAWN = 100  # blocks or words of a class in a picture
WRONG = {True: "Wrong though shown", False: "Wrong, not shown", None: "Wrong"}


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes in a model's eyes.

    Attributes:
        monoid: the syntactic monoid.
        states: embeddings of blocks, the nodes of the reduction, or of whole words, shape (nodes, width).
        classes: their classes, shape (nodes,).
        known: the classes that some of them had, shape (k,).
        prototypes: the mean embedding of each known class, shape (k, width).
        pairs: compositions (a, b) of known classes that words can show, shape (p, 2).
        right: whether the product of the prototypes is nearest to the prototype of the class a b, shape (p,).
        shown: whether training is likelier to have shown each composition than not, shape (p,); None if not known.
        note: why it is not known what training showed, where that is the files' fault.
        unit: what has embeddings: "blocks", or "words", for which there are no products.
    """

    monoid: Monoid
    states: Array
    classes: Array
    known: Array
    prototypes: Array
    pairs: Array
    right: Array
    shown: Array | None = None
    unit: str = "blocks"
    note: str = ""

    @property
    def purity(self) -> float:
        """The share of nodes whose nearest prototype is that of their own class."""
        return float((self.known[_nearest(self.states, self.prototypes)] == self.classes).mean())

    @property
    def by_training(self) -> dict[str, dict[str, int]] | None:
        """Numbers of products, by whether training showed them and whether they are right; None if not known."""
        if self.shown is None:
            return None
        return {
            name: {"right": int((self.right & there).sum()), "wrong": int((~self.right & there).sum())}
            for name, there in (("shown", self.shown), ("not_shown", ~self.shown))
        }

    def facts(self) -> dict[str, Any]:
        """The figures as plain data, with the first 1,000 wrong products, each with whether training showed it."""
        name, wrong = self.monoid.name, np.flatnonzero(~self.right)[:TOLD]
        there = [None] * len(wrong) if self.shown is None else self.shown[wrong].tolist()
        return {
            "unit": self.unit,
            "classes": len(self.monoid),
            "classes_seen": len(self.known),
            "nodes": len(self.states),
            "purity": round(self.purity, 4),
            "silhouette": round(silhouette(self.states, self.classes), 4),
            "products": len(self.pairs),
            "by_training": self.by_training,
            "note": self.note,
            "products_right": int(self.right.sum()),
            "wrong": [
                {"left": name(a), "right": name(b), "shown": shown}
                for (a, b), shown in zip(self.pairs[wrong].tolist(), there, strict=True)
            ],
        }


def classes_of(run: Path, words: int = 4096, device: str = "auto", *, roots: bool = False) -> Classes:
    """The classes as the trained model of a run sees them.

    Half of the words are drawn as in training, half by class. Blocks are the nodes of their reductions. A product is
    right if the operator, given two prototypes, comes nearest to the prototype of the product of their classes. Models
    without nodes show whole words alone: the state that the readout sees.

    Args:
        run: a folder that `train` made.
        words: how many.
        device: where to compute.
        roots: whether to look at whole words of a model that has nodes too.

    Raises:
        InputError: a language without classes or with over 2,000 of them.
    """
    settings = read(run)
    where = device_of(device)
    if settings.texts is not None:
        raise InputError(
            f"{str(run)!r} was trained on texts, which have no syntactic classes. Name a run on a language."
        )
    learner, state = learner_of(run, settings, where)
    if learner.targets.kind != "label":
        raise InputError(f"{str(run)!r} learnt {learner.targets.kind}, not the label of a word. Name a run that did.")
    planned = language_plan(settings.task, settings.catalogue, **settings.recipe | {"classes": True})
    monoid = planned.monoid
    if monoid is None or len(monoid) > MAX_CLASSES:
        raise InputError(f"{settings.task} has no table of classes of at most {MAX_CLASSES:,}. Name another task.")
    sampler = Sampler(planned.machine, monoid, {"class": 0.5, **dict.fromkeys(planned.recipe.sampling, 0.5)})
    tree = None if roots or not isinstance(learner.model, TreeModel) else learner.model
    states, classes = _embedded(learner, monoid, sampler, planned.recipe.train_lengths, words, tree)
    known = np.unique(classes)
    prototypes = np.stack([states[classes == element].mean(axis=0) for element in known])
    if tree is None:
        nothing = np.zeros(0, bool)
        return Classes(monoid, states, classes, known, prototypes, np.zeros((0, 2), np.int64), nothing, unit="words")
    pairs = _pairs(monoid, known, planned.recipe.train_lengths[1])
    right = _right(tree, monoid, known, prototypes, pairs, where)
    shown = shown_in_training(settings, state["step"], pairs)
    note = CHANGED if settings.words is not None and shown is None else ""
    return Classes(monoid, states, classes, known, prototypes, pairs, right, shown, note=note)


def shown_in_training(settings: Settings, steps: int, pairs: Array) -> Array | None:
    """Whether so many steps are likelier to have shown each composition than not; None where it takes long to say.

    By the expected coverage of as many words of the run's law and lengths, as if every word drew its own length; words
    of a file are looked at, all of them.
    """
    if settings.words is not None:
        return _shown_by(settings, pairs)
    options: dict[str, Any] = {key: value for key, value in settings.recipe.items() if key == "train_lengths"}
    options |= {"train_examples": max(1, steps * settings.batch), "catalogue": settings.catalogue}
    if settings.sampling:
        options["sampling"] = settings.sampling
    try:
        expected = expected_coverage(settings.task, **options)
    except SeqbenchError:
        return None
    if not expected.is_quick:
        return None
    likely = expected.keys[expected.seen >= 0.5]
    return np.isin(pairs[:, 0] * len(expected.task.monoid) + pairs[:, 1], likely)


def _shown_by(settings: Settings, pairs: Array) -> Array | None:
    planned = language_plan(settings.task, settings.catalogue, **settings.recipe | {"classes": True})
    if settings.words is None or planned.monoid is None:
        return None
    try:
        keys, _ = compositions(settings.words, planned, planned.monoid)
    except SeqbenchError:  # the file has changed since, or is gone
        return None
    return np.isin(pairs[:, 0] * len(planned.monoid) + pairs[:, 1], keys)


def _embedded(
    learner: Learner,
    monoid: Monoid,
    sampler: Sampler,
    span: tuple[int, int],
    words: int,
    tree: TreeModel | None,
) -> tuple[Array, Array]:
    """Embeddings and classes of so many words, evenly of the admitted lengths; of all their nodes, given a tree."""
    device = next(learner.parameters()).device
    lengths = np.flatnonzero(sampler.admits(span[1])[span[0] :]) + span[0]
    counts = np.diff(np.arange(len(lengths) + 1) * words // len(lengths))
    states, classes = [], []
    for length, each in zip(lengths[counts > 0].tolist(), counts[counts > 0].tolist(), strict=True):
        rows = sampler.sample(np.full(each, length), row_streams(unit_key("classes", length), np.arange(each)))
        tokens = torch.from_numpy(rows.tokens.reshape(each, length).astype(np.int64))
        sizes = torch.full((each,), length)
        with torch.inference_mode():
            batch = tokens.to(device), sizes
            made = tree.node_states(*batch).states if tree else learner.root_states(*batch)
        states.append(made.float().cpu().numpy())
        classes.append(node_classes(monoid, tokens, sizes).numpy()[0 if tree else -each :])  # roots come last
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


def classes_text(found: Classes) -> str:
    """The figures in lines that fit a terminal."""
    facts = found.facts()
    right, products = facts["products_right"], facts["products"]
    lines = [
        f"{facts['nodes']:,} {found.unit}; {facts['classes_seen']} of {facts['classes']} classes occur among them.",
        f"Nearest to the middle of their own class: {facts['purity']:.2%} (silhouette {facts['silhouette']:.2f}).",
    ]
    if found.unit == "blocks":
        lines.append(f"Products of middles that come nearest to the right class: {right:,} of {products:,}.")
    if facts["by_training"]:
        lines.append(f"{'Products':22}{'right':>8}{'wrong':>8}")
        for name, row in facts["by_training"].items():
            lines.append(f"{name.replace('_', ' ') + ' in training':22}{row['right']:>8,}{row['wrong']:>8,}")
    lines += [found.note] * bool(found.note)
    for shown, title in WRONG.items():
        wrong = [each for each in facts["wrong"] if each["shown"] is shown]
        pairs = [f"({each['left'] or 'empty'}, {each['right'] or 'empty'})" for each in wrong]
        if pairs:
            lines.append(f"{title}: {', '.join(pairs[:8])}{', ...' if len(pairs) > 8 else ''}")
    return "\n".join(lines)


def draw(found: Classes, path: str | Path, projection: str = "pca") -> None:
    """Saves the embeddings in a plane, coloured by class."""
    even = _of_each_class(found.classes)
    places, chosen, labels = projected(found.states[even], projection)
    classes = found.classes[even][chosen]
    title = f"{found.unit} of {len(np.unique(classes))} classes, each named by its shortest word"
    save(scatter(places, classes, found.monoid.names, xlabel=labels[0], ylabel=labels[1], title=title), path)


def _of_each_class(classes: Array, most: int = DRAWN) -> Array:
    """So many of each class at most, evenly chosen: else two symbols, half of all blocks, would span the plane."""
    places = [np.flatnonzero(classes == number) for number in np.unique(classes)]
    return np.sort(np.concatenate([place[:: -(-len(place) // most)] for place in places]))
