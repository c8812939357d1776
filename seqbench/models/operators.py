"""Binary operators on vectors, (pairs, 2d) -> (pairs, d): the closed dict OPERATORS is the whole list.

With a = h_l, b = h_r (the two halves of the input), elementwise products *, and the logistic function s:

    mlp        [g_l; g_r] = MLP([a; b]),  W (V_l (g_l * a) + b_l + V_r (g_r * b) + b_r) + b
    sum        a + b
    linear     W [a; b] + b
    gated_sum  g * a + (1 - g) * b,  g = s(W [a; b] + b)
    grc        LayerNorm(s(z_l) * a + s(z_r) * b + s(z_c) * u),  [z_l; z_r; z_c; u] = W_2 gelu(W_1 [a; b] + b_1) + b_2
    matrix     A B, the vectors read as square matrices divided by the fourth root of d

Source: mlp, sum, linear, gated_sum: Pert, Alrajeh, Russo, "Length generalization with log-depth recurrent units", arXiv
2605.26035; grc: Shen et al., "Ordered memory", NeurIPS 2019; matrix is ours.
"""

import itertools
import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from seqbench.errors import InputError
from seqbench.models.blocks import variance_scaled


class GatedMLP(nn.Module):
    """The operator of the LDRU: an MLP gives each operand a gate, the gated operands are mixed linearly.

    MLP: 2d -> 2d -> 4d -> 2d with ReLU between, none at the end; V_l, V_r, W start at the identity, biases at 0. The
    two products V_l, V_r are one matrix [V_l V_r] on the gated pair, and b_l + b_r is one bias: the same function.

    Example:
        >>> GatedMLP(4)(torch.zeros(3, 8)).shape
        torch.Size([3, 4])
    """

    def __init__(self, width: int) -> None:
        """The operator on vectors of a width."""
        super().__init__()
        sizes = (2 * width, 2 * width, 4 * width, 2 * width)
        self.gates = nn.ModuleList(variance_scaled(nn.Linear(a, b)) for a, b in itertools.pairwise(sizes))
        self.sides, self.out = nn.Linear(2 * width, width), nn.Linear(width, width)
        identity = torch.eye(width)
        self.sides.weight.data, self.out.weight.data = torch.cat([identity, identity], 1), identity.clone()
        nn.init.zeros_(self.sides.bias)
        nn.init.zeros_(self.out.bias)

    def forward(self, pairs: Tensor) -> Tensor:
        """Shape (pairs, 2 width) to (pairs, width)."""
        first, second, third = self.gates
        gates = third(second(first(pairs).relu_()).relu_())
        return self.out(self.sides(gates * pairs))


class Sum(nn.Module):
    """The sum of the operands; nothing is learnt."""

    def __init__(self, width: int) -> None:
        """The operator on vectors of a width."""
        super().__init__()
        self.width = width

    def forward(self, pairs: Tensor) -> Tensor:
        """Shape (pairs, 2 width) to (pairs, width)."""
        return pairs[:, : self.width] + pairs[:, self.width :]


class Linear(nn.Linear):
    """A linear map of the concatenated operands."""

    def __init__(self, width: int) -> None:
        """The operator on vectors of a width."""
        super().__init__(2 * width, width)


class GatedSum(nn.Module):
    """A mean of the operands with learnt weights, one a coordinate."""

    def __init__(self, width: int) -> None:
        """The operator on vectors of a width."""
        super().__init__()
        self.gate = nn.Linear(2 * width, width)

    def forward(self, pairs: Tensor) -> Tensor:
        """Shape (pairs, 2 width) to (pairs, width)."""
        a, b = pairs.chunk(2, 1)
        return b + torch.sigmoid(self.gate(pairs)) * (a - b)


class GRC(nn.Module):
    """The gated recursive cell: three gates over the operands and a candidate, then LayerNorm."""

    def __init__(self, width: int) -> None:
        """The operator on vectors of a width; the inner layer has 4 width units."""
        super().__init__()
        self.width = width
        self.rise, self.fall = nn.Linear(2 * width, 4 * width), nn.Linear(4 * width, 4 * width)
        self.norm = nn.LayerNorm(width)

    def forward(self, pairs: Tensor) -> Tensor:
        """Shape (pairs, 2 width) to (pairs, width)."""
        inner = self.fall(nn.functional.gelu(self.rise(pairs)))
        gates = torch.sigmoid(inner[:, : 3 * self.width])
        left, right, candidate = gates.chunk(3, 1)
        a, b = pairs.chunk(2, 1)
        return self.norm(left * a + right * b + candidate * inner[:, 3 * self.width :])


class MatrixProduct(nn.Module):
    """The product of the operands as square matrices: associative by nature; nothing is learnt.

    The product of two matrices of independent standard normal entries has entries of variance sqrt(d); dividing by
    the fourth root of d keeps it 1, and a constant factor leaves the product associative.

    Example:
        >>> pair = torch.tensor([[2.0, 0, 0, 2, 5, 6, 7, 8]])
        >>> (MatrixProduct(4)(pair) / 2**0.5).round().tolist()
        [[5.0, 6.0, 7.0, 8.0]]
    """

    def __init__(self, width: int) -> None:
        """The operator on vectors of a width that is a square number."""
        super().__init__()
        self.side = math.isqrt(width)
        if self.side**2 != width:
            near = (self.side**2, (self.side + 1) ** 2)
            raise InputError(f"The width {width} is no square. The operator 'matrix' takes {near[0]} or {near[1]}.")

    def forward(self, pairs: Tensor) -> Tensor:
        """Shape (pairs, 2 width) to (pairs, width)."""
        left, right = pairs.view(-1, 2, self.side, self.side).unbind(1)
        return (left @ right).flatten(1) / math.sqrt(self.side)


OPERATORS: dict[str, Callable[[int], nn.Module]] = {
    "mlp": GatedMLP,
    "sum": Sum,
    "linear": Linear,
    "gated_sum": GatedSum,
    "grc": GRC,
    "matrix": MatrixProduct,
}
"""Every operator by name."""
