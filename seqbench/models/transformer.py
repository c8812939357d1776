"""A transformer of pre-norm blocks with a choice of positions.

    x -> x + Attention(LayerNorm(x)) -> x + FFN(LayerNorm(x)), last LayerNorm;  FFN: d -> 4d -> d with ReLU
    Attention: softmax(q k / sqrt(d_h) * scale + bias) v;  log-n scaling: scale = ln n, n the number of symbols seen

Source: Vaswani et al. 2017 (attention); Xiong et al. 2020 (pre-norm); Chiang, Cholak, "Overcoming a theoretical
limitation of self-attention", ACL 2022 (log-n scaling); positions: see `positions`. Sizes as in arXiv 2605.26035: d
64, 5 layers, 8 heads.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from seqbench.errors import InputError
from seqbench.models.blocks import FeedForward, choice
from seqbench.models.frame import Encoder
from seqbench.models.lengths import Lengths
from seqbench.models.positions import SCHEMES, distance_bias, plain, randomised, sinusoids, turned


@dataclass(frozen=True)
class View:
    """What attention sees in one batch: turned positions or None, a mask or bias or None, factors of the queries."""

    angles: Tensor | None
    mask: Tensor | None
    causal: bool
    scale: Tensor | None


class SelfAttention(nn.Module):
    """Multi-head self-attention without biases."""

    def __init__(self, width: int, heads: int) -> None:
        """Attention of a width that is a multiple of the number of heads."""
        super().__init__()
        if width % (2 * heads):
            raise InputError(f"The width {width} does not divide into {heads} heads of even width. Take a multiple.")
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, view: View) -> Tensor:
        """Shape (batch, longest, width) to the same."""
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        if view.angles is not None:
            q, k = turned(q, view.angles), turned(k, view.angles)
        if view.scale is not None:
            q = q * view.scale
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=view.mask, is_causal=view.causal)
        return self.out(mixed.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """One pre-norm block."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        """A block of a width."""
        super().__init__()
        self.norm, self.attention = nn.LayerNorm(width), SelfAttention(width, heads)
        self.ffn_norm, self.ffn = nn.LayerNorm(width), FeedForward(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, view: View) -> Tensor:
        """Shape (batch, longest, width) to the same."""
        x = x + self.dropout(self.attention(self.norm(x), view))
        return x + self.dropout(self.ffn(self.ffn_norm(x)))


class Transformer(Encoder):
    """Pre-norm blocks; with `causal` a symbol sees only those up to itself.

    Example:
        >>> x = torch.zeros(2, 5, 16)
        >>> Transformer(width=16, heads=2, layers=1)(x, Lengths.read(torch.tensor([5, 2]), x)).shape
        torch.Size([2, 5, 16])
    """

    def __init__(
        self,
        width: int = 64,
        layers: int = 5,
        heads: int = 8,
        positions: str = "sin",
        max_length: int = 2048,
        log_scale: bool = False,
        causal: bool = False,
        dropout: float = 0.1,
    ) -> None:
        """An encoder.

        Args:
            width: of the states.
            layers: the number of blocks.
            heads: the number of heads.
            positions: a key of `positions.SCHEMES`.
            max_length: the number of positions; a limit only where they are learnt or randomised.
            log_scale: whether logits are multiplied by the logarithm of the number of symbols seen.
            causal: whether a symbol sees only those up to itself.
            dropout: after the embedding, attention and FFN.
        """
        super().__init__(width, width)
        choice("positions", positions, list(SCHEMES))
        self.randomise, self.limit = positions.startswith("random_"), max_length
        self.positions = positions.removeprefix("random_")
        self.max_length = max_length if self.randomise or self.positions == "learned" else None
        self.causal, self.log_scale, self.heads_number = causal, log_scale, heads
        if self.positions == "learned":
            self.places = nn.Embedding(max_length, width)
            nn.init.normal_(self.places.weight, std=0.02)
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm, self.dropout = nn.LayerNorm(width), nn.Dropout(dropout)

    def forward(self, x: Tensor, where: Lengths) -> Tensor:
        """States (batch, longest, width)."""
        positions = randomised(where, self.limit) if self.randomise else plain(where)
        if self.positions == "sin":
            x = x + sinusoids(positions, self.width).to(x.dtype)
        elif self.positions == "learned":
            x = x + self.places(positions)
        view = View(
            positions if self.positions == "rope" else None, *self._mask(positions, where, x), self._scale(where)
        )
        x = self.dropout(x)
        for block in self.blocks:
            x = block(x, view)
        return self.norm(x)

    def _mask(self, positions: Tensor, where: Lengths, x: Tensor) -> tuple[Tensor | None, bool]:
        """The mask or bias, and whether attention is told to be causal instead: then padding is never seen."""
        if self.positions != "alibi":
            hidden = self.causal or where.equal
            return (None if hidden else where.mask[:, None, None]), self.causal
        bias = distance_bias(positions, self.heads_number).to(x.dtype)
        seen = where.mask[:, None, None]
        if self.causal:
            seen = torch.ones(where.longest, where.longest, dtype=torch.bool, device=where.device).tril()
        return bias.masked_fill(~seen, -math.inf), False

    def _scale(self, where: Lengths) -> Tensor | None:
        if not self.log_scale:
            return None
        if self.causal:
            return torch.arange(1, where.longest + 1, device=where.device).log()[:, None]
        return where.here.log()[:, None, None, None]
