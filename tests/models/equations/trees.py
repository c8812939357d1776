"""Models that join two states, each as (weights, vectors of a word, options) -> [root], or states of all prefixes."""

import functools

import numpy as np

from tests.models.equations.arithmetic import (
    feed_forward,
    gelu,
    layer_norm,
    linear,
    part,
    parts,
    relu,
    sigmoid,
)


def root_of(join, nodes):
    """The left part of a balanced tree is the greatest power of two below the number of its leaves."""
    if len(nodes) == 1:
        return nodes[0]
    half = 1 << ((len(nodes) - 1).bit_length() - 1)
    return join(root_of(join, nodes[:half]), root_of(join, nodes[half:]))


def prefix_of(join, nodes):
    """A scan joins perfect trees, whose sizes are the powers of two in the length, from left to right."""
    blocks, start = [], 0
    for size in (1 << bit for bit in reversed(range(len(nodes).bit_length()))):
        if len(nodes) & size:
            blocks.append(root_of(join, nodes[start : start + size]))
            start += size
    return functools.reduce(join, blocks)


def mlp(w, a, b):
    first, second, third = parts(w, "gates")
    left, right = np.split(linear(third, relu(linear(second, relu(linear(first, np.concatenate([a, b])))))), 2)
    v_left, v_right = np.split(w["sides.weight"], 2, axis=1)
    return linear(part(w, "out"), v_left @ (left * a) + v_right @ (right * b) + w["sides.bias"])


def gated_sum(w, a, b):
    g = sigmoid(linear(part(w, "gate"), np.concatenate([a, b])))
    return g * a + (1 - g) * b


def grc(w, a, b):
    left, right, middle, u = np.split(linear(part(w, "fall"), gelu(linear(part(w, "rise"), np.concatenate([a, b])))), 4)
    return layer_norm(part(w, "norm"), sigmoid(left) * a + sigmoid(right) * b + sigmoid(middle) * u)


def matrix(_, a, b):
    side = round(len(a) ** 0.5)
    return (a.reshape(side, side) @ b.reshape(side, side)).ravel() / len(a) ** 0.25


OPERATORS = {
    "mlp": mlp,
    "sum": lambda _, a, b: a + b,
    "linear": lambda w, a, b: linear(w, np.concatenate([a, b])),
    "gated_sum": gated_sum,
    "grc": grc,
    "matrix": matrix,
}


def ldru(w, x, operator="mlp", wrapped=True, **_):
    def leaf(vector):
        vector = layer_norm(part(w, "leaf_norm"), vector)
        return vector + feed_forward(part(w, "leaf_ffn"), vector)

    def join(a, b):
        h = OPERATORS[operator](part(w, "operator"), a, b)
        return layer_norm(part(w, "norm"), h + feed_forward(part(w, "ffn"), h)) if wrapped else h

    return [root_of(join, [leaf(vector) if wrapped else vector for vector in x])]


def bbt_grc(w, x, **_):
    leaves = [layer_norm(part(w, "norm"), linear(part(w, "first"), vector)) for vector in x]
    return [root_of(functools.partial(grc, part(w, "cell")), leaves)]


def lstm_cell(w, *states):
    """A state is (h, c)."""
    gates = linear(part(w, "gates"), np.concatenate([h for h, _ in states]))
    i, g, o, *forget = np.split(gates, 3 + len(states))
    c = sigmoid(i) * np.tanh(g) + sum(sigmoid(f) * c for f, (_, c) in zip(forget, states, strict=True))
    return sigmoid(o) * np.tanh(c), c


def lstm_leaf(vector):
    i, g, o = np.split(vector, 3)
    c = sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def rnn_cell(w, *states):
    return (relu(linear(part(w, "mix"), np.concatenate([h for (h,) in states]))),)


def rnn_leaf(vector):
    return (vector,)


def _parallel(leaf, cell, w, x, schedule="scan", **_):
    def join(a, b):
        return functools.reduce(
            lambda state, unary: cell(unary, state), parts(w, "unary"), cell(part(w, "binary"), a, b)
        )

    leaves = [leaf(vector) for vector in x]
    if schedule == "reduce":
        return [relu(root_of(join, leaves)[0])]
    return [relu(prefix_of(join, leaves[: n + 1])[0]) for n in range(len(leaves))]


pr_lstm = functools.partial(_parallel, lstm_leaf, lstm_cell)
pr_rnn = functools.partial(_parallel, rnn_leaf, rnn_cell)
