"""The four one-layer transformers, as (weights, bits of a word, index or 0, variant) -> logits."""

import math

import numpy as np

from tests.models.equations.arithmetic import linear, part, relu, softmax


def by_places(w, bit, j, k, variant):
    """Score and value of the j-th bit in `pos` and `norm`."""
    turn = w["a"] * k
    far = turn / np.sqrt(1 + turn @ turn) if variant == "norm" else turn
    score = (turn + w["b"]) @ (w["r"] * j + w["c"]) + (far + w["b"]) @ (w["s"] * j**2)
    return score, linear(part(w, "value"), np.eye(2)[bit])


def by_vectors(w, bit, j, k, variant):
    """The same in `gen` and `sin`."""
    x, asked = np.eye(2)[bit], np.zeros(2)
    if variant == "sin":
        x = np.concatenate([x, [math.sin(j), math.cos(j)]])
        asked = np.array([0, 0, math.sin(k), math.cos(k)]) if k else np.zeros(4)
    return linear(part(w, "query"), asked) @ linear(part(w, "key"), x), linear(part(w, "value"), x)


def nesv(w, bits, k, variant):
    look = by_places if variant in ("pos", "norm") else by_vectors
    scores, values = zip(*(look(w, bit, j, k, variant) for j, bit in enumerate(bits, 1)), strict=True)
    mixed = softmax(math.log(len(bits)) * np.array(scores)) @ np.array(values)
    return linear(part(w, "fall"), relu(linear(part(w, "rise"), mixed)))
