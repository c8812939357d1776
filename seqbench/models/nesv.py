"""The four one-layer transformers of the exact-solution-volume study; one head, no residual, no LayerNorm.

    alpha_j = softmax_j(ln(n) q . k_j),  A = sum_j alpha_j v_j in R^2,  logits = W_2 relu(W_1 A + b_1) + b_2 in R^2

with j = 1..n the positions of the bits w_j, e_w the unit vector of a bit, and the query of an index k (0 where none
is asked):

    gen   x_j = e_{w_j};                  q = b_Q;         k_j, v_j affine in x_j;              5h + 20 parameters
    sin   x_j = [e_{w_j}; sin j; cos j];  q, k_j, v_j affine, q of [0; 0; sin k; cos k];        5h + 32
    pos   q = a k + b,  k_j = r j + s j^2 + c_K,  v_j = C_V e_{w_j} + b_V;                      5h + 18
    norm  score (a k + b) . (r j + c_K) + (b + F(a k)) . s j^2,  F(v) = v / sqrt(1 + |v|^2);    5h + 18

Without an index, gen and sin ask with the zero vector. gen keeps its (unused) query matrix, as published. Source:
Zhu, Chiang, "Exact-solution volume and length generalization in transformers", arXiv 2610.07676, 2026. How sin puts
an index into its query is our reading. The paper trains in float64: call `.double()`.
"""

from typing import Any

import torch
from torch import Tensor, nn

from seqbench.errors import InputError
from seqbench.models.blocks import choice
from seqbench.models.frame import Encoder, Model
from seqbench.models.lengths import Lengths

VARIANTS = ("pos", "norm", "gen", "sin")


class Affine(nn.Linear):
    """A linear map with Xavier weights and biases 0."""

    def __init__(self, width_in: int, width: int) -> None:
        """The map between two widths."""
        super().__init__(width_in, width)
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)


class Attention(Encoder):
    """One attention head over bits and its two-layer readout.

    Example:
        >>> Attention("pos")(torch.tensor([[0, 1, 1]]), Lengths.read(torch.tensor([3]), torch.zeros(1, 3))).shape
        torch.Size([1, 2])
    """

    heads = ("last",)
    causal = False

    def __init__(self, variant: str = "pos", hidden: int = 8, index: bool = False, trained_to: int = 51) -> None:
        """An encoder.

        Args:
            variant: "pos", "norm", "gen" or "sin".
            hidden: h, the width of the readout.
            index: whether a word ends with an index token, 1 + k for the k-th bit.
            trained_to: N, the longest training length, which sets the size of the first weights of positions.
        """
        super().__init__(1, 2)
        choice("variant", variant, VARIANTS)
        self.variant, self.index = variant, index
        if variant in ("pos", "norm"):
            self.a, self.r = _normal(0.1 / trained_to), _normal(0.1 / trained_to)
            self.s = _normal(0.1 / trained_to**2)
            self.b, self.c = _normal(0.1), _normal(0.1)
            self.value = Affine(2, 2)
        else:
            size = 2 if variant == "gen" else 4
            self.query, self.key, self.value = Affine(size, 2), Affine(size, 2), Affine(size, 2)
        self.rise, self.fall = Affine(2, hidden), Affine(hidden, 2)

    def forward(self, x: Tensor, where: Lengths) -> Tensor:
        """Logits (batch, 2) of words (batch, longest)."""
        bits, counts, asked = self._split(x, where)
        seen = torch.arange(1, bits.shape[1] + 1, device=x.device)
        scores, values = self.scores(bits, seen.to(counts), asked)
        scores = (scores * counts.log()[:, None]).masked_fill(seen > counts[:, None], -torch.inf)
        mixed = torch.einsum("bj,bjd->bd", torch.softmax(scores, 1), values)
        return self.fall(torch.relu(self.rise(mixed)))

    def scores(self, bits: Tensor, places: Tensor, asked: Tensor) -> tuple[Tensor, Tensor]:
        """Scores q . k_j, (batch, longest), and values v_j, (batch, longest, 2), of bits, places and indices."""
        units = nn.functional.one_hot(bits, 2).to(places)
        if self.variant in ("pos", "norm"):
            turned = self.a * asked[:, None]
            far = turned if self.variant == "pos" else turned / (1 + turned.square().sum(1, keepdim=True)).sqrt()
            near = (turned + self.b) @ (self.r * places[:, None] + self.c).T
            return near + (far + self.b) @ (self.s * places.square()[:, None]).T, self.value(units)
        asks = units.new_zeros(len(bits), units.shape[2])
        if self.variant == "sin":
            waves = torch.stack([places.sin(), places.cos()], 1)
            units = torch.cat([units, waves.expand(len(bits), -1, -1)], 2)
            turn = torch.stack([asked.sin(), asked.cos()], 1) if self.index else asks
            asks = torch.cat([asks, turn], 1)
        return torch.einsum("bd,bjd->bj", self.query(asks), self.key(units)), self.value(units)

    def _split(self, words: Tensor, where: Lengths) -> tuple[Tensor, Tensor, Tensor]:
        """The bits, their number and the index, as floats of the weights' type."""
        counts = where.here.to(self.fall.weight)
        if self.index and int(where.host.min()) < 2:
            raise InputError("A word has length 1. With index=True it holds a bit or more and then the index token.")
        if not self.index:
            return words.clamp(max=1), counts, torch.zeros_like(counts)
        asked = words.gather(1, where.here[:, None] - 1)[:, 0] - 1
        # In shorter words the index token stands among the columns of bits, but is masked.
        return words[:, : where.longest - 1].clamp(max=1), counts - 1, asked.to(counts)


class SolutionVolume(Model):
    """The whole model: words go to the encoder as they are, and its answer is the logits."""

    some_unused = True  # as published, the query of an index is there also where none is asked for

    def __init__(self, name: str, encoder: Attention, *, classes: int, **arguments: Any) -> None:
        """A model; the arguments are those of `create`."""
        least = 3 if encoder.index else 2
        vocabulary = arguments.get("vocabulary") or 0
        if classes != 2 or vocabulary < least or (vocabulary > least and not encoder.index):
            raise InputError(
                "The model 'nesv' reads bits and tells two classes. Give vocabulary=2 and classes=2; with index=True "
                "the vocabulary is the greatest index and 2. Other tasks are for other models, such as gru or ldru."
            )
        super().__init__(name, encoder, classes=classes, **arguments)
        self.embedding, self.readout = nn.Identity(), nn.Identity()  # type: ignore[assignment, unused-ignore]


def _normal(std: float) -> nn.Parameter:
    return nn.Parameter(torch.empty(2).normal_(0, std))
