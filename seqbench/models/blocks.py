"""Small parts that several models share."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from seqbench.errors import InputError, quoted


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
        return self.fall(
            self.rise(x).relu_()
        )  # in place: a linear map needs its input for its gradient, not its output


class Dropout(nn.Dropout):
    """Dropout; on a CPU its coins are 16-bit integers, and those of many calls can be thrown at once: thrice as fast.

    There the probability is rounded to a multiple of 2^-16, and the input is changed in place: it is for the output of
    a layer that does not need it again for its gradient (torch refuses the gradient otherwise).

    Example:
        >>> kept = Dropout(0.5)(torch.ones(10_000))
        >>> sorted(set(kept.tolist())), 0.45 < (kept > 0).float().mean() < 0.55
        ([0.0, 2.0], tensor(True))
    """

    def __init__(self, p: float) -> None:
        """Dropout with probability p."""
        super().__init__(p)
        self._ready = torch.empty(0, device="cpu")

    def reserve(self, count: int) -> None:
        """Throws the coins of the next `count` numbers now."""
        self._ready = self._factors(count) if self.training and self.p else self._ready[:0]

    def forward(self, x: Tensor) -> Tensor:
        """Any shape to the same."""
        if not self.training or self.p == 0 or x.device.type != "cpu":
            return super().forward(x)
        if len(self._ready) < x.numel():
            self._ready = self._factors(x.numel())
        factors, self._ready = self._ready[: x.numel()], self._ready[x.numel() :]
        return x.mul_(factors.view(x.shape).to(x.dtype))

    def _factors(self, count: int) -> Tensor:
        """0 with probability p, else 1 / (1 - p)."""
        coins = torch.empty((count + 3) // 4, dtype=torch.int64, device="cpu").random_(-(2**63), None)
        return (coins.view(torch.int16)[:count] >= round(2**16 * self.p) - 2**15) * (1 / (1 - self.p))


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
        raise InputError(f"The value {quoted(value)} of {what!r} cannot be used. It is one of {', '.join(known)}.")
