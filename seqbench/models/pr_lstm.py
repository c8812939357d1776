"""PR-LSTM and PR-RNN: parallel reductions by recurrent cells of two operands.

    leaf:       [i, g, o] = W x + b,  c = s(i) * tanh(g),  h = s(o) * tanh(c)
    N-ary cell: [i, g, o, f_1..f_N] = W [h_1; ..; h_N] + b
                c = s(i) * tanh(g) + sum_k s(f_k) * c_k,  h = s(o) * tanh(c)
    merge:      the binary cell, then R unary cells with weights of their own ("refinements")
    logits:     Linear(relu(h))
    PR-RNN:     leaf W x + b;  cell h = relu(W [h_1; ..; h_N] + b)

Source: "PR-LSTM", arXiv 2605.17108, 2026. The merges are not associative, so the schedule is part of the model:
"scan" computes all prefixes in the order of jax.lax.associative_scan and reads the last, as published; "reduce" is
the balanced tree of `pairing`. They bracket alike up to length 6 and differ at 7, 11, 13, 14, 15 and so on.
"""

from typing import ClassVar

import torch
from torch import Tensor, nn

from seqbench.errors import InputError
from seqbench.models.blocks import choice
from seqbench.models.frame import HEADS, Encoder
from seqbench.models.lengths import Lengths
from seqbench.models.reduction import reduce_packed
from seqbench.models.scan import scan

SCHEDULES = ("scan", "reduce")


class NaryLSTM(nn.Module):
    """An LSTM cell of N operands; a state is h and c side by side.

    Example:
        >>> NaryLSTM(4, operands=2)(torch.zeros(3, 16)).shape
        torch.Size([3, 8])
    """

    def __init__(self, width: int, operands: int) -> None:
        """A cell of a width, for a number of operands."""
        super().__init__()
        self.width, self.operands = width, operands
        self.gates = nn.Linear(operands * width, (3 + operands) * width)

    def forward(self, states: Tensor) -> Tensor:
        """Shape (..., operands * 2 width) to (..., 2 width)."""
        h, c = states.unflatten(-1, (self.operands, 2, self.width)).unbind(-2)
        i, g, o, *f = self.gates(h.flatten(-2)).split(self.width, -1)
        cell = torch.sigmoid(i) * torch.tanh(g) + (torch.sigmoid(torch.stack(f, -2)) * c).sum(-2)
        return torch.cat([torch.sigmoid(o) * torch.tanh(cell), cell], -1)


class NaryRNN(nn.Module):
    """relu(W [h_1; ..; h_N] + b)."""

    def __init__(self, width: int, operands: int) -> None:
        """A cell of a width, for a number of operands."""
        super().__init__()
        self.mix = nn.Linear(operands * width, width)

    def forward(self, states: Tensor) -> Tensor:
        """Shape (..., operands * width) to (..., width)."""
        return torch.relu(self.mix(states))


class ParallelLSTM(Encoder):
    """PR-LSTM. The embedding gives the gates of the leaf, whose matrix it is.

    Example:
        >>> x = torch.zeros(2, 5, 24)
        >>> ParallelLSTM(width=8)(x, Lengths.read(torch.tensor([5, 2]), x)).shape
        torch.Size([2, 5, 8])
    """

    cell: ClassVar[type[NaryLSTM | NaryRNN]] = NaryLSTM
    leaf_gates: ClassVar[int] = 3

    def __init__(self, width: int = 256, refinements: int = 1, schedule: str = "scan") -> None:
        """An encoder: width of the state, number of unary cells after a merge (published: 0, 1, 2), schedule."""
        choice("schedule", schedule, SCHEDULES)
        if refinements < 0:
            raise InputError(f"The number of refinements {refinements} cannot be used. It is 0 or more.")
        super().__init__(self.leaf_gates * width, width)
        self.schedule = schedule
        self.heads = HEADS if schedule == "scan" else ("last",)
        self.causal = schedule == "scan"
        cell = type(self).cell
        self.binary = cell(width, 2)
        self.unary = nn.ModuleList(cell(width, 1) for _ in range(refinements))

    def leaf(self, x: Tensor) -> Tensor:
        """The state of a symbol."""
        i, g, o = x.chunk(3, -1)
        cell = torch.sigmoid(i) * torch.tanh(g)
        return torch.cat([torch.sigmoid(o) * torch.tanh(cell), cell], -1)

    def combine(self, pairs: Tensor) -> Tensor:
        """One merge of two states side by side."""
        state: Tensor = self.binary(pairs)
        for refine in self.unary:
            state = refine(state)
        return state

    def forward(self, x: Tensor, where: Lengths) -> Tensor:
        """States of all prefixes, (batch, longest, width), or, by "reduce", of the whole words, (batch, width)."""
        leaves = self.leaf(x)
        if self.schedule == "scan":
            states = scan(lambda a, b: self.combine(torch.cat([a, b], -1)), leaves)
        else:
            states = reduce_packed(self.combine, leaves.flatten(0, 1).index_select(0, where.flat), where)
        return torch.relu(states[..., : self.width])


class ParallelRNN(ParallelLSTM):
    """PR-RNN: the same schedules with simple cells."""

    cell = NaryRNN
    leaf_gates = 1

    def leaf(self, x: Tensor) -> Tensor:
        """The state of a symbol: the embedding itself."""
        return x
