"""MLP-LDRU, the log-depth recurrent unit: a binary operator reduces the word over a balanced tree.

    leaf:   x -> LayerNorm -> x + FFN(x) -> dropout
    merge:  h = a . b -> h + FFN(h) -> LayerNorm -> dropout        (the FFN is shared by all levels)
    logits: W root + b

with the operator `.` of `operators`. Source: Pert, Alrajeh, Russo, "Length generalization with log-depth recurrent
units", arXiv 2605.26035, 2026; written from the mathematics.

Where ours differs: an absent right child passes the left one on unchanged, so that padding is an exact identity; the
paper pads before LayerNorm. The dropout of a merge and the noise are applied to real nodes only.
"""

from torch import Tensor, nn

from seqbench.models.blocks import FeedForward, choice
from seqbench.models.operators import OPERATORS
from seqbench.models.tree import TreeEncoder


class LDRU(TreeEncoder):
    """A balanced reduction by a learnt binary operator.

    Example:
        >>> import torch
        >>> LDRU(width=8).combine(torch.zeros(3, 16)).shape
        torch.Size([3, 8])
    """

    def __init__(
        self,
        width: int = 64,
        operator: str = "mlp",
        wrapped: bool = True,
        reduction: str = "packed",
        dropout: float = 0.1,
        noise: float = 0.0,
    ) -> None:
        """An encoder.

        Args:
            width: of every node.
            operator: a key of `operators.OPERATORS`.
            wrapped: whether a residual FFN, LayerNorm and dropout follow the embedding and every merge; without them
                the operator stands alone.
            reduction: "packed" (only real pairs) or "levels" (padded to even): the same function.
            dropout: after the leaves and every merge, if wrapped.
            noise: the deviation of Gaussian noise added to every node in training.
        """
        super().__init__(width, reduction, dropout if wrapped else 0.0, noise)
        choice("operator", operator, list(OPERATORS))
        self.operator = OPERATORS[operator](width)
        self.wrapped = wrapped
        if wrapped:
            self.embedding_std = 0.02
            self.leaf_norm, self.leaf_ffn = nn.LayerNorm(width), FeedForward(width)
            self.norm, self.ffn = nn.LayerNorm(width), FeedForward(width, scale=0.02)

    def leaf(self, x: Tensor) -> Tensor:
        """Vectors of symbols to leaves."""
        if not self.wrapped:
            return x
        x = self.leaf_norm(x)
        return x + self.leaf_ffn(x)

    def combine(self, pairs: Tensor) -> Tensor:
        """One merge, before dropout, (pairs, 2 width) to (pairs, width)."""
        h = self.operator(pairs)
        return self.norm(h + self.ffn(h)) if self.wrapped else h
