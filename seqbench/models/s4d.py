"""S4D: layers of diagonal state-space models, computed as one long convolution.

    A = -exp(log_decay) + i frequency,  dt = exp(log_dt)
    Abar = exp(dt A),  Bbar = (Abar - 1) / A   (zero-order hold, B = 1)
    K_l = 2 Re sum_n C_n Bbar_n Abar_n^l,  y = K * x + D x
    layer: x -> x + GLU(W gelu(y(LayerNorm(x))) + b)

Start: "lin" A_n = -1/2 + i pi n (n < state / 2, each with its conjugate), "real" A_n = -(n + 1) (n < state, no factor
2, no frequency); dt log-uniform in [0.001, 0.1]; C and D standard normal. Source: Gu, Gupta, Goel, Re, "On the
parameterization and initialization of diagonal state space models", NeurIPS 2022, eq. 9 and section 4. A and dt want
a rate of their own and no weight decay: `Model.parameter_groups`.
"""

import math

import torch
from torch import Tensor, nn

from seqbench.models.blocks import choice
from seqbench.models.frame import Encoder
from seqbench.models.lengths import Lengths


class Diagonal(nn.Module):
    """One diagonal state space a channel.

    Example:
        >>> Diagonal(8, 16, "lin").kernel(5).shape
        torch.Size([8, 5])
    """

    def __init__(self, width: int, state: int, start: str) -> None:
        """Channels, states a channel, start of A."""
        super().__init__()
        half = state // 2 if start == "lin" else state
        self.start = start
        low, high = math.log(0.001), math.log(0.1)
        self.log_dt = nn.Parameter(torch.empty(width).uniform_(low, high))
        n = torch.arange(half).float()
        decays = torch.full((half,), 0.5) if start == "lin" else n + 1
        self.log_decay = nn.Parameter(decays.log().repeat(width, 1))
        self.mix = nn.Parameter(torch.randn(width, half, 2) * 0.5**0.5 if start == "lin" else torch.randn(width, half))
        if start == "lin":
            self.frequency = nn.Parameter((math.pi * n).repeat(width, 1))
        self.skip = nn.Parameter(torch.randn(width))

    def kernel(self, length: int) -> Tensor:
        """K, (width, length)."""
        dt = self.log_dt.exp()[:, None]
        a = -self.log_decay.exp()
        if self.start == "lin":
            a = torch.complex(a, self.frequency)
        mix = torch.view_as_complex(self.mix) if self.start == "lin" else self.mix
        weights = mix * torch.expm1(dt * a) / a
        powers = torch.exp((dt * a)[..., None] * torch.arange(length, device=dt.device))
        summed = torch.einsum("hn,hnl->hl", weights, powers)
        return 2 * summed.real if self.start == "lin" else summed

    def forward(self, x: Tensor) -> Tensor:
        """Shape (batch, longest, width) to the same: a causal convolution by Fourier transforms of twice the length."""
        length = x.shape[1]
        spectrum = torch.fft.rfft(x, n=2 * length, dim=1) * torch.fft.rfft(self.kernel(length).T, n=2 * length, dim=0)
        return torch.fft.irfft(spectrum, n=2 * length, dim=1)[:, :length] + self.skip * x


class S4D(Encoder):
    """Layers of diagonal state spaces.

    Example:
        >>> x = torch.zeros(2, 5, 8)
        >>> S4D(width=8, layers=1)(x, Lengths.read(torch.tensor([5, 2]), x)).shape
        torch.Size([2, 5, 8])
    """

    def __init__(
        self, width: int = 64, layers: int = 4, state: int = 64, start: str = "lin", dropout: float = 0.1
    ) -> None:
        """An encoder: width, layers, states a channel, start of A ("lin" or "real"), dropout after a layer."""
        super().__init__(width, width)
        choice("start", start, ("lin", "real"))
        self.spaces = nn.ModuleList(Diagonal(width, state, start) for _ in range(layers))
        self.mixers = nn.ModuleList(nn.Linear(width, 2 * width) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.last_norm, self.dropout = nn.LayerNorm(width), nn.Dropout(dropout)

    def forward(self, x: Tensor, where: Lengths) -> Tensor:
        """States (batch, longest, width)."""
        del where  # padding comes last
        for norm, space, mixer in zip(self.norms, self.spaces, self.mixers, strict=True):
            x = x + self.dropout(nn.functional.glu(mixer(nn.functional.gelu(space(norm(x))))))
        return self.last_norm(x)
