"""Small parts that several models share."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from seqbench.errors import InputError


class FeedForward(nn.Module):
    """W_2 relu(W_1 x + b_1) + b_2, with an inner width of `factor` times the outer one.

    Example:
        >>> FeedForward(8)(torch.zeros(2, 8)).shape
        torch.Size([2, 8])
    """

    def __init__(self, width: int, factor: int = 4, scale: float | None = None) -> None:
        """The two layers; with a scale, their weights start with that standard deviation and the biases at 0."""
        super().__init__()
        self.rise, self.fall = nn.Linear(width, factor * width), nn.Linear(factor * width, width)
        if scale is not None:
            for layer in (self.rise, self.fall):
                nn.init.normal_(layer.weight, std=scale)
                nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Shape (..., width) to the same."""
        return self.fall(torch.relu(self.rise(x)))


def variance_scaled(layer: nn.Linear) -> nn.Linear:
    """The layer with weights of variance 1 / mean(fan in, fan out), from a normal law cut at two deviations; bias 0.

    The cut shrinks the deviation by 0.8796, which is made good.

    Example:
        >>> variance_scaled(nn.Linear(3, 5)).bias.tolist()
        [0.0, 0.0, 0.0, 0.0, 0.0]
    """
    std = math.sqrt(2.0 / (layer.in_features + layer.out_features)) / 0.87962566103423978
    nn.init.trunc_normal_(layer.weight, std=std, a=-2 * std, b=2 * std)
    nn.init.zeros_(layer.bias)
    return layer


def choice(what: str, value: object, known: Sequence[str]) -> None:
    """Nothing if the value is one of the known ones, else an InputError that lists them.

    Example:
        >>> choice("schedule", "scan", ["scan", "reduce"])
    """
    if value not in known:
        raise InputError(f"The value {value!r} of {what!r} cannot be used. It is one of {', '.join(known)}.")
