"""Position schemes of the transformer: the closed dict SCHEMES is the whole list.

    nope     nothing
    sin      x_p += [sin(p w_i), cos(p w_i)], w_i = 10000^(-2i/d)           Vaswani et al. 2017, section 3.5
    learned  x_p += E_p, p < max_length, from N(0, 0.02^2)
    rope     each pair of coordinates of q and k turned by p w_i            Su et al. 2021, eq. 34
    alibi    logits -= m_h |p - p'|, m_h = 2^(-8h/heads)                    Press et al. 2022, section 3

random_*: the positions of a word of n symbols are a uniformly random subset of n of 0..max_length - 1, in order, in
training and at test (Ruoss et al., "Randomized positional encodings boost length generalization of transformers",
2023). Where ours differs: every word has its own subset, so that no word's law depends on the others in the batch.
"""

import math

import torch
from torch import Tensor

from seqbench.models.lengths import Lengths

SCHEMES = {
    "nope": "no positions",
    "sin": "sinusoids added to the embedding",
    "learned": "a learnt vector a position",
    "rope": "queries and keys are turned",
    "alibi": "logits fall with the distance",
    "random_sin": "sin at random positions",
    "random_learned": "learned at random positions",
    "random_rope": "rope at random positions",
    "random_alibi": "alibi at random positions",
}
"""Every scheme by name."""


def plain(where: Lengths) -> Tensor:
    """0, 1, 2, .. for every word, int64 (1, longest)."""
    return torch.arange(where.longest, device=where.device)[None]


def randomised(where: Lengths, limit: int) -> Tensor:
    """A random subset of 0..limit - 1 in order for every word, int64 (batch, longest); padding gets `limit - 1`.

    Example:
        >>> where = Lengths.read(torch.tensor([3, 2]), torch.zeros(2, 3))
        >>> bool((randomised(where, 9).diff() >= 0).all())
        True
    """
    # The first n of a sequence of draws without replacement are a uniformly random subset of n.
    draws = torch.ones(len(where.host), limit, device=where.device).multinomial(where.longest)
    return draws.masked_fill(~where.mask, limit).sort(1).values.clamp_(max=limit - 1)


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """Shape (..., width) for positions (...): sines, then cosines.

    Example:
        >>> sinusoids(torch.tensor([0]), 4).tolist()
        [[0.0, 0.0, 1.0, 1.0]]
    """
    angles = _angles(positions, width)
    return torch.cat([angles.sin(), angles.cos()], -1)


def turned(x: Tensor, positions: Tensor) -> Tensor:
    """The vectors x (batch, heads, longest, width), coordinates i and i + width / 2 turned by an angle a position."""
    angles = _angles(positions, x.shape[-1])[:, None]
    cos, sin = angles.cos(), angles.sin()
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def slopes(heads: int) -> Tensor:
    """The slope of every head: a geometric sequence.

    Example:
        >>> slopes(8)[:2].tolist()
        [0.5, 0.25]
    """
    return 2.0 ** (-8.0 * torch.arange(1, heads + 1) / heads)


def distance_bias(positions: Tensor, heads: int) -> Tensor:
    """What is added to the logits, (batch or 1, heads, longest, longest)."""
    distance = (positions[:, :, None] - positions[:, None]).abs()
    return -slopes(heads).to(positions.device)[:, None, None] * distance[:, None]


def _angles(positions: Tensor, width: int) -> Tensor:
    rates = torch.exp(torch.arange(0, width, 2, device=positions.device) * (-math.log(10_000.0) / width))
    return positions[..., None] * rates
