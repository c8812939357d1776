"""Stack-RNN: a recurrent network with a soft stack.

    h_t = f(W [x_t; top(S_{t-1})] + U h_{t-1} + b),  f = tanh or relu (option `activation`)
    (push, pop, keep) = softmax(A h_t),  v = V h_t
    S_t[i] = push * S_{t-1}[i - 1] + pop * S_{t-1}[i + 1] + keep * S_{t-1}[i],  where S_{t-1}[-1] = v

Source: Joulin, Mikolov, "Inferring algorithmic patterns with stack-augmented recurrent nets", NeurIPS 2015, eqs 2-6;
in the form of Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023 (three actions, cells of 8
numbers, the top is read before the step).

Where ours differs: by default the stack is as deep as the word is long, so nothing falls off its end at any length
(published: 30 cells, too few for the test lengths). Below step t only zeros can lie, so they are not computed. And f
is tanh by default; in the published code of the Chomsky hierarchy it is relu.
"""

import torch
from torch import Tensor, nn

from seqbench.models.blocks import choice
from seqbench.models.frame import Encoder
from seqbench.models.lengths import Lengths
from seqbench.models.recurrent import ACTIVATIONS


class StackRNN(Encoder):
    """A recurrent network with a stack.

    Example:
        >>> x = torch.zeros(2, 5, 64)
        >>> StackRNN(width=8)(x, Lengths.read(torch.tensor([5, 2]), x)).shape
        torch.Size([2, 5, 8])
    """

    def __init__(
        self,
        width: int = 256,
        cell: int = 8,
        depth: int | None = None,
        embedding: int = 64,
        activation: str = "tanh",
    ) -> None:
        """An encoder.

        Args:
            width: of the state.
            cell: the width of a cell of the stack.
            depth: the number of cells (None: no limit).
            embedding: the width of the input vectors.
            activation: what the core ends with, "tanh" or, as in the published code, "relu".
        """
        super().__init__(embedding, width)
        choice("activation", activation, ACTIVATIONS)
        self.cell, self.depth = cell, depth
        self.core = nn.RNNCell(embedding + cell, width, nonlinearity=activation)
        self.actions, self.pushed = nn.Linear(width, 3), nn.Linear(width, cell)

    def forward(self, x: Tensor, where: Lengths) -> Tensor:
        """States (batch, longest, width)."""
        del where  # padding comes last
        state = x.new_zeros(len(x), self.width)
        stack = x.new_zeros(len(x), 1, self.cell)
        states = []
        for symbol in x.unbind(1):
            state = self.core(torch.cat([symbol, stack[:, 0]], 1), state)
            stack = self.moved(stack, state)
            states.append(state)
        return torch.stack(states, 1)

    def moved(self, stack: Tensor, state: Tensor) -> Tensor:
        """The stack after one step, one cell deeper until its limit."""
        push, pop, keep = torch.softmax(self.actions(state), 1)[:, :, None, None].unbind(1)
        deeper = nn.functional.pad(stack, (0, 0, 0, 1))
        after_push = torch.cat([self.pushed(state)[:, None], stack], 1)
        after_pop = nn.functional.pad(stack[:, 1:], (0, 0, 0, 2))
        return (push * after_push + pop * after_pop + keep * deeper)[:, : self.depth]
