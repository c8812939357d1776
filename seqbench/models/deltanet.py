"""Gated DeltaNet: blocks of the gated delta rule and an FFN.

    q, k, v = silu(conv_4(W x)), q and k of norm 1;  b = s(W_b x), doubled with allow_neg_eigval
    log a = -exp(A) softplus(W_a x + dt);  o = rule(q, k, v, log a, b) of `delta_rule`
    y = W_o (RMSNorm(o) * silu(W_g x)),  block: x -> x + y(RMSNorm(x)) -> x + FFN(RMSNorm(x))

Start: exp(A) uniform in [1, 16], softplus(dt) log-uniform in [0.001, 0.1]. Source: Yang, Kautz, Hatamizadeh, "Gated
delta networks", ICLR 2025, section 3.4. Negative eigenvalues (the default here) are what lets it track parity: Grazzi
et al., ICLR 2025. Where ours differs: the FFN has ReLU and no gate, as our other models have.
"""

import math

import torch
from torch import Tensor, nn

from seqbench.errors import InputError
from seqbench.models.blocks import FeedForward, choice
from seqbench.models.delta_rule import chunked, recurrent
from seqbench.models.frame import Encoder
from seqbench.models.lengths import Lengths

FORMS = ("chunked", "recurrent")
TAPS = 4


class Mixer(nn.Module):
    """One layer of the gated delta rule."""

    def __init__(self, width: int, heads: int, form: str, allow_neg_eigval: bool) -> None:
        """A layer of a width that is a multiple of the number of heads."""
        super().__init__()
        if width % heads:
            raise InputError(f"The width {width} does not divide into {heads} heads. Take a multiple.")
        self.heads, self.form, self.strongest = heads, form, 2.0 if allow_neg_eigval else 1.0
        self.qkv, self.gate, self.out = (nn.Linear(width, n * width, bias=False) for n in (3, 1, 1))
        self.taps = nn.Conv1d(3 * width, 3 * width, TAPS, groups=3 * width, bias=False)
        self.strength, self.rate = nn.Linear(width, heads, bias=False), nn.Linear(width, heads, bias=False)
        self.log_decay = nn.Parameter(torch.empty(heads).uniform_(1, 16).log())
        dt = torch.empty(heads).uniform_(math.log(0.001), math.log(0.1)).exp()
        self.log_dt = nn.Parameter(dt + torch.log(-torch.expm1(-dt)))  # softplus of it is dt
        self.norm = nn.RMSNorm(width // heads, eps=1e-5)

    def forward(self, x: Tensor) -> Tensor:
        """Shape (batch, longest, width) to the same."""
        taken = self.taps(nn.functional.pad(self.qkv(x).transpose(1, 2), (TAPS - 1, 0)))
        q, k, v = nn.functional.silu(taken).unflatten(1, (3, self.heads, -1)).transpose(-1, -2).unbind(1)
        q, k = (nn.functional.normalize(y, dim=-1, eps=1e-6) for y in (q, k))
        strength = self.strongest * torch.sigmoid(self.strength(x)).transpose(1, 2)
        log_decay = -self.log_decay.exp()[:, None] * nn.functional.softplus(self.rate(x) + self.log_dt).transpose(1, 2)
        rule = chunked if self.form == "chunked" else recurrent
        o = self.norm(rule(q, k, v, log_decay, strength)).transpose(1, 2).flatten(2)
        return self.out(o * nn.functional.silu(self.gate(x)))


class GatedDeltaNet(Encoder):
    """Blocks of the gated delta rule.

    Example:
        >>> x = torch.zeros(2, 5, 8)
        >>> GatedDeltaNet(width=8, heads=2, layers=1)(x, Lengths.read(torch.tensor([5, 2]), x)).shape
        torch.Size([2, 5, 8])
    """

    def __init__(
        self,
        width: int = 64,
        layers: int = 2,
        heads: int = 4,
        form: str = "chunked",
        allow_neg_eigval: bool = True,
        dropout: float = 0.1,
    ) -> None:
        """An encoder: width, layers, heads, form ("chunked" or "recurrent"), strengths to 2 instead of 1, dropout."""
        super().__init__(width, width)
        choice("form", form, FORMS)
        self.mixers = nn.ModuleList(Mixer(width, heads, form, allow_neg_eigval) for _ in range(layers))
        self.ffns = nn.ModuleList(FeedForward(width) for _ in range(layers))
        self.norms = nn.ModuleList(nn.RMSNorm(width, eps=1e-5) for _ in range(2 * layers + 1))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, where: Lengths) -> Tensor:
        """States (batch, longest, width)."""
        del where  # padding comes last
        parts = [part for pair in zip(self.mixers, self.ffns, strict=True) for part in pair]
        for part, norm in zip(parts, self.norms, strict=False):
            x = x + self.dropout(part(norm(x)))
        return self.norms[-1](x)
