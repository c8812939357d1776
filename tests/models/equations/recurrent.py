"""Models that read symbol by symbol, each as (weights, vectors of a word, options) -> states of all symbols."""

import functools

import numpy as np

from tests.models.equations.arithmetic import linear, part, relu, sigmoid, softmax
from tests.models.equations.layers import s4d, tcn
from tests.models.equations.trees import grc

ACTIVATIONS = {"tanh": np.tanh, "relu": relu}


def _both(w, layer, x, h):
    """W x + b and U h + c."""
    return tuple(
        w[f"weight_{kind}{layer}"] @ vector + w[f"bias_{kind}{layer}"] for kind, vector in (("ih", x), ("hh", h))
    )


def rnn(w, x, **_):
    h, states = np.zeros(w["core.weight_hh_l0"].shape[1]), []
    for vector in x:
        h = np.tanh(sum(_both(part(w, "core"), "_l0", vector, h)))
        states.append(h)
    return states


def lstm(w, x, layers=1, **_):
    states = x
    for layer in range(layers):
        h = c = np.zeros(w["core.weight_hh_l0"].shape[1])
        below, states = states, []
        for vector in below:
            i, f, g, o = np.split(sum(_both(part(w, "core"), f"_l{layer}", vector, h)), 4)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
            states.append(h)
    return states


def gru(w, x, **_):
    h, states = np.zeros(w["core.weight_hh_l0"].shape[1]), []
    for vector in x:
        (r, z, n), (r_h, z_h, n_h) = (np.split(side, 3) for side in _both(part(w, "core"), "_l0", vector, h))
        z = sigmoid(z + z_h)
        h = (1 - z) * np.tanh(n + sigmoid(r + r_h) * n_h) + z * h
        states.append(h)
    return states


def stack_rnn(w, x, cell=8, depth=None, activation="tanh", **_):
    cells = depth or len(x) + 1
    stack = [np.zeros(cell)] * cells
    h, states = np.zeros(w["core.weight_hh"].shape[1]), []
    for vector in x:
        h = ACTIVATIONS[activation](sum(_both(part(w, "core"), "", np.concatenate([vector, stack[0]]), h)))
        push, pop, keep = softmax(linear(part(w, "actions"), h))
        line = [linear(part(w, "pushed"), h), *stack, np.zeros(cell)]
        stack = [push * line[i] + keep * line[i + 1] + pop * line[i + 2] for i in range(cells)]
        states.append(h)
    return states


def tape_rnn(w, x, word, cell=8, laps=2, empty=None, activation="tanh", **_):
    size, jump = laps * len(x) + 1, sum(symbol != empty for symbol in word)
    tape, h, states = [np.zeros(cell)] * size, np.zeros(w["core.weight_hh"].shape[1]), []
    for vector in x:
        h = ACTIVATIONS[activation](sum(_both(part(w, "core"), "", np.concatenate([vector, tape[0]]), h)))
        first, second, third = (part(w, f"written.{i}") for i in (0, 2, 4))
        tape = [linear(third, relu(linear(second, relu(linear(first, h))))), *tape[1:]]
        weights = softmax(linear(part(w, "actions"), h))
        moves = [*zip(weights, (0, -1, 1, -jump, jump), strict=True)]
        tape = [sum(weight * tape[(i + move) % size] for weight, move in moves) for i in range(size)]
        states.append(h)
    return states


def rir_grc(w, x, chunk=30, pre_layers=1, **_):
    nodes = s4d(part(w, "before"), x) if pre_layers else list(x)
    while len(nodes) > 1:
        chunks = [nodes[i : i + chunk] for i in range(0, len(nodes), chunk)]
        nodes = [functools.reduce(functools.partial(grc, part(w, "cell")), each) for each in chunks]
    return nodes


PARTS = {"lstm": lstm, "gru": gru, "tcn": tcn, "rir_grc": rir_grc}


def hybrid(w, x, first, second, second_options=None, **_):
    states = PARTS[first](part(w, "first"), x)
    join = part(w, "join")
    return PARTS[second](part(w, "second"), [linear(join, h) if join else h for h in states], **(second_options or {}))
