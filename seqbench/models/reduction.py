"""Balanced reductions of the words of a batch by a binary operator, two ways that give the same function.

"packed" computes real pairs only; "levels" pads every level to an even number of nodes and lets an absent right child
pass the left one on. Both bracket as the tree of `pairing`: x1..x7 -> ((x1 x2)(x3 x4))((x5 x6) x7).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from seqbench.models.lengths import Lengths
from seqbench.models.pairing import Nodes

Combine = Callable[[Tensor], Tensor]
"""(pairs, 2 width) -> (pairs, width): left operand first."""


class Permute(torch.autograd.Function):
    """x[order], whose gradient is another reordering; torch's own gradient of it adds, which is slower."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, order: Tensor, inverse: Tensor) -> Tensor:
        """The reordered rows."""
        ctx.save_for_backward(order, inverse)
        return x.index_select(0, order)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        """The gradient put back in order."""
        order, inverse = ctx.saved_tensors
        return Permute.apply(grads[0], inverse, order), None, None


def reduce_packed(combine: Combine, leaves: Tensor, where: Lengths, kept: list[Tensor] | None = None) -> Tensor:
    """The roots, (batch, width), of leaves (symbols, width) without padding, in the order of `where.flat`.

    Args:
        combine: the operator.
        leaves: the vectors of all symbols.
        where: the lengths.
        kept: if given, the states of every merge are appended to it, level by level.

    Example:
        >>> from seqbench.models.operators import Sum
        >>> leaves = torch.tensor([[1.0], [2.0], [4.0], [8.0]])
        >>> where = Lengths.read(torch.tensor([3, 1]), torch.zeros(2, 3))
        >>> reduce_packed(Sum(1), leaves, where).tolist()
        [[7.0], [8.0]]
    """
    if where.equal:
        return _reduce_equal(combine, leaves, where.longest, kept)
    x, width, pairs = leaves, leaves.shape[1], where.pairing.levels[0].pairs
    for order, inverse, later in where.pairing.moved(where.device):
        merged = combine(x[: 2 * pairs].view(pairs, 2 * width))
        if kept is not None:
            kept.append(merged)
        x = torch.cat([merged, x[2 * pairs :]]) if 2 * pairs < len(x) else merged
        x, pairs = Permute.apply(x, order, inverse), later
    return x


def _reduce_equal(combine: Combine, leaves: Tensor, length: int, kept: list[Tensor] | None) -> Tensor:
    """The same where all words have one length: the pairs of an even level stand side by side already."""
    width = leaves.shape[1]
    x = leaves.view(-1, length, width)
    while length > 1:
        pairs = x if length % 2 == 0 else x[:, :-1]
        merged = combine(pairs.reshape(-1, 2 * width))
        if kept is not None:
            kept.append(merged)
        made = merged.view(len(x), -1, width)
        x = made if length % 2 == 0 else torch.cat([made, x[:, -1:]], 1)
        length = x.shape[1]
    return x[:, 0]


def reduce_levels(combine: Combine, leaves: Tensor, where: Lengths) -> Tensor:
    """The roots, (batch, width), of leaves (batch, longest, width) with padding; every level is padded to even.

    Example:
        >>> from seqbench.models.operators import Sum
        >>> leaves = torch.tensor([[[1.0], [2.0], [4.0]], [[8.0], [9.0], [9.0]]])
        >>> reduce_levels(Sum(1), leaves, Lengths.read(torch.tensor([3, 1]), leaves)).tolist()
        [[7.0], [8.0]]
    """
    batch, longest, width = leaves.shape
    x, counts = leaves, where.here
    while longest > 1:
        x = nn.functional.pad(x, (0, 0, 0, longest % 2))
        longest = (longest + 1) // 2
        merged = combine(x.reshape(-1, 2 * width)).view(batch, longest, width)
        has_right = 2 * torch.arange(longest, device=x.device) + 1 < counts[:, None]
        x = torch.where(has_right[..., None], merged, x[:, ::2])
        counts = (counts + 1) // 2
    return x[:, 0]


def all_nodes(leaves: Tensor, merges: list[Tensor], where: Lengths) -> Nodes:
    """Leaves and merges of `reduce_packed` with the place of every node."""
    places = where.pairing.nodes
    return Nodes(torch.cat([leaves, *merges]), *(torch.from_numpy(p).to(where.device) for p in places))
