"""Models of layers over the whole word, each as (weights, vectors of a word, options) -> states of all symbols."""

import math

import numpy as np

from tests.models.equations.arithmetic import (
    feed_forward,
    gelu,
    layer_norm,
    linear,
    part,
    parts,
    relu,
    rms_norm,
    sigmoid,
    silu,
    softmax,
    softplus,
)


def state_space(w, u):
    """x_k = Abar x_{k-1} + Bbar u_k, y_k = 2 Re(C x_k) + D u_k, channel by channel; real states have no 2."""
    paired = "frequency" in w
    a = -np.exp(w["log_decay"]) + (1j * w["frequency"] if paired else 0)
    mix = w["mix"][..., 0] + 1j * w["mix"][..., 1] if paired else w["mix"]
    keep = np.exp(np.exp(w["log_dt"])[:, None] * a)
    x, outputs = np.zeros_like(keep), []
    for vector in u:
        x = keep * x + (keep - 1) / a * vector[:, None]
        outputs.append((1 + paired) * (mix * x).sum(1).real + w["skip"] * vector)
    return outputs


def s4d(w, x, **_):
    for norm, space, mixer in zip(parts(w, "norms"), parts(w, "spaces"), parts(w, "mixers"), strict=True):
        mixed = [linear(mixer, gelu(y)) for y in state_space(space, [layer_norm(norm, vector) for vector in x])]
        x = [
            vector + left * sigmoid(right)
            for vector, m in zip(x, mixed, strict=True)
            for left, right in [np.split(m, 2)]
        ]
    return [layer_norm(part(w, "last_norm"), vector) for vector in x]


def convolution(w, x, dilation):
    """relu(b + sum_j W_j x_{t - (kernel - 1 - j) dilation}), W = g V / |V| for each channel that comes out."""
    g, v = (w[f"convolution.parametrizations.weight.original{i}"] for i in (0, 1))
    weight = g * v / np.sqrt(np.square(v).sum((1, 2), keepdims=True))
    kernel, outputs = weight.shape[2], []
    for t in range(len(x)):
        seen = [(j, t - (kernel - 1 - j) * dilation) for j in range(kernel)]
        outputs.append(relu(w["convolution.bias"] + sum(weight[:, :, j] @ x[at] for j, at in seen if at >= 0)))
    return outputs


def tcn(w, x, **_):
    for level, block in enumerate(parts(w, "blocks")):
        inner = convolution(part(block, "first"), x, 2**level)
        inner = convolution(part(block, "second"), inner, 2**level)
        skip = block.get("skip.weight")
        kept = x if skip is None else [skip[:, :, 0] @ vector + block["skip.bias"] for vector in x]
        x = [relu(left + right) for left, right in zip(kept, inner, strict=True)]
    return x


def gated_delta(w, x, heads, allow_neg_eigval):
    """One mixer: S_t = a_t (I - b_t k_t k_t^T) S_{t-1} + b_t k_t v_t^T, o_t = S_t^T q_t / sqrt(d_k), head by head."""
    size, width = len(x[0]) // heads, len(x[0])
    projected, taps = [linear(part(w, "qkv"), vector) for vector in x], w["taps.weight"][:, 0]
    states, outputs = np.zeros((heads, size, size)), []
    for t, vector in enumerate(x):
        taken = silu(sum(taps[:, 3 - back] * projected[t - back] for back in range(min(t, 3) + 1)))
        strengths = (2 if allow_neg_eigval else 1) * sigmoid(linear(part(w, "strength"), vector))
        decays = np.exp(-np.exp(w["log_decay"]) * softplus(linear(part(w, "rate"), vector) + w["log_dt"]))
        read = []
        for head in range(heads):
            q, k, v = (taken[i * width + head * size :][:size] for i in range(3))
            q, k = q / np.linalg.norm(q), k / np.linalg.norm(k)
            turned = (np.eye(size) - strengths[head] * np.outer(k, k)) @ states[head]
            states[head] = decays[head] * turned + strengths[head] * np.outer(k, v)
            read.append(rms_norm(part(w, "norm"), states[head].T @ q / math.sqrt(size)))
        outputs.append(linear(part(w, "out"), np.concatenate(read) * silu(linear(part(w, "gate"), vector))))
    return outputs


def deltanet(w, x, heads=4, allow_neg_eigval=True, **_):
    *norms, last = parts(w, "norms")
    for i, (mixer, ffn) in enumerate(zip(parts(w, "mixers"), parts(w, "ffns"), strict=True)):
        mixed = gated_delta(mixer, [rms_norm(norms[2 * i], vector) for vector in x], heads, allow_neg_eigval)
        x = [vector + y for vector, y in zip(x, mixed, strict=True)]
        x = [vector + feed_forward(ffn, rms_norm(norms[2 * i + 1], vector)) for vector in x]
    return [rms_norm(last, vector) for vector in x]


def angles(place, width):
    return np.array([place * 10000 ** (-2 * i / width) for i in range(width // 2)])


def turned(vector, place):
    """Coordinates i and i + width / 2 as a complex number, times e^(i p w_i)."""
    real, imaginary = np.split(vector, 2)
    z = (real + 1j * imaginary) * np.exp(1j * angles(place, len(vector)))
    return np.concatenate([z.real, z.imag])


def attention(w, x, places, heads, scheme, causal, log_scale):
    """softmax(q k / sqrt(d_h) * scale + bias) v, for every head and symbol."""
    size = len(x[0]) // heads
    queries, keys, values = (
        [(rows @ vector).reshape(heads, size) for vector in x] for rows in np.split(w["qkv.weight"], 3)
    )
    outputs = []
    for i in range(len(x)):
        seen = i + 1 if causal else len(x)
        mixed = []
        for head in range(heads):
            logits = []
            for j in range(seen):
                q, k = queries[i][head], keys[j][head]
                if scheme == "rope":
                    q, k = turned(q, places[i]), turned(k, places[j])
                slope = 2 ** (-8 * (head + 1) / heads) if scheme == "alibi" else 0
                scale = math.log(seen) if log_scale else 1
                logits.append(q @ k / math.sqrt(size) * scale - slope * abs(places[i] - places[j]))
            mixed.append(softmax(logits) @ [values[j][head] for j in range(seen)])
        outputs.append(w["out.weight"] @ np.concatenate(mixed))
    return outputs


def transformer(w, x, heads=8, positions="sin", causal=False, log_scale=False, places=None, **_):
    """The places are 0, 1, 2, .., or, of random positions, those drawn."""
    scheme, places = positions.removeprefix("random_"), range(len(x)) if places is None else places
    if scheme == "sin":
        waves = [angles(place, len(x[0])) for place in places]
        x = [vector + np.concatenate([np.sin(wave), np.cos(wave)]) for vector, wave in zip(x, waves, strict=True)]
    if scheme == "learned":
        x = [vector + w["places.weight"][place] for vector, place in zip(x, places, strict=True)]
    for block in parts(w, "blocks"):
        normed = [layer_norm(part(block, "norm"), vector) for vector in x]
        mixed = attention(part(block, "attention"), normed, places, heads, scheme, causal, log_scale)
        x = [vector + y for vector, y in zip(x, mixed, strict=True)]
        x = [vector + feed_forward(part(block, "ffn"), layer_norm(part(block, "ffn_norm"), vector)) for vector in x]
    return [layer_norm(part(w, "norm"), vector) for vector in x]
