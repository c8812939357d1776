"""Elementary functions of vectors, in NumPy, and weights by name."""

import math

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return np.maximum(x, 0)


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def softplus(x):
    return np.log1p(np.exp(x))


def softmax(x):
    powers = np.exp(x - np.max(x))
    return powers / powers.sum()


def part(w, name):
    """The weights of a part of a model, by their names within it."""
    return {key.removeprefix(f"{name}."): value for key, value in w.items() if key.startswith(f"{name}.")}


def parts(w, name):
    """The weights of the parts NAME.0, NAME.1, .. in order."""
    inside = part(w, name)
    return [part(inside, str(i)) for i in range(len({key.partition(".")[0] for key in inside}))]


def linear(w, x):
    return w["weight"] @ x + w.get("bias", 0)


def layer_norm(w, x):
    return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * w["weight"] + w["bias"]


def rms_norm(w, x):
    return x / np.sqrt(np.square(x).mean() + 1e-5) * w["weight"]


def feed_forward(w, x):
    return linear(part(w, "fall"), relu(linear(part(w, "rise"), x)))
