"""BBT-GRC: the gated recursive cell over a balanced binary tree.

    leaf:  LayerNorm(W x + b)
    merge: the operator `grc` of `operators`

Source: Ray Chowdhury, Caragea, "Recursion in recursion: two-level nested recursion for length generalization with
scalability", NeurIPS 2023 (BBT-GRC); cell: Shen et al., "Ordered memory", NeurIPS 2019.
"""

from torch import Tensor, nn

from seqbench.models.operators import GRC
from seqbench.models.tree import TreeEncoder


class BalancedGRC(TreeEncoder):
    """A balanced reduction by a gated recursive cell.

    Example:
        >>> import torch
        >>> BalancedGRC(width=8).combine(torch.zeros(3, 16)).shape
        torch.Size([3, 8])
    """

    def __init__(self, width: int = 128, dropout: float = 0.1, reduction: str = "packed") -> None:
        """An encoder of a width, with dropout on the leaves and on every merge."""
        super().__init__(width, reduction, dropout)
        self.first, self.norm = nn.Linear(width, width), nn.LayerNorm(width)
        self.cell = GRC(width)

    def leaf(self, x: Tensor) -> Tensor:
        """Vectors of symbols to leaves."""
        return self.norm(self.first(x))

    def combine(self, pairs: Tensor) -> Tensor:
        """One merge, before dropout, (pairs, 2 width) to (pairs, width)."""
        return self.cell(pairs)
