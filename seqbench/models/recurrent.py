"""RNN (tanh), LSTM and GRU, as torch has them; the state at the last symbol is read.

    rnn:  h_t = tanh(W x_t + b + U h_{t-1} + c)
    lstm: c_t = s(f) * c_{t-1} + s(i) * tanh(g),  h_t = s(o) * tanh(c_t)
    gru:  h_t = (1 - z) * n + z * h_{t-1},  n = tanh(W x_t + b + r * (U h_{t-1} + c))

Source: Elman 1990; Hochreiter, Schmidhuber 1997; Cho et al. 2014. They run over the padding too, which comes after
every symbol that counts: packing the words first would compute less, but is slower on a CPU.
"""

from collections.abc import Callable
from typing import Any, ClassVar

from torch import Tensor, nn

from seqbench.models.frame import Encoder
from seqbench.models.lengths import Lengths

ACTIVATIONS = ("tanh", "relu")
"""What the core of a network with a stack or a tape may end with."""


class RNN(Encoder):
    """A simple recurrent network; `LSTM` and `GRU` are the same with another cell.

    Example:
        >>> import torch
        >>> x = torch.zeros(2, 5, 64)
        >>> RNN(width=8)(x, Lengths.read(torch.tensor([5, 2]), x)).shape
        torch.Size([2, 5, 8])
    """

    cell: ClassVar[Callable[..., Any]] = nn.RNN

    def __init__(self, width: int = 256, layers: int = 1, embedding: int = 64, dropout: float = 0.0) -> None:
        """An encoder: width of the state, number of layers, width of the input vectors, dropout between layers."""
        super().__init__(embedding, width)
        self.core = type(self).cell(embedding, width, layers, batch_first=True, dropout=dropout)

    def forward(self, x: Tensor, where: Lengths) -> Tensor:
        """States (batch, longest, width)."""
        del where  # padding comes last
        return self.core(x)[0]


class LSTM(RNN):
    """Long short-term memory."""

    cell = nn.LSTM


class GRU(RNN):
    """Gated recurrent unit."""

    cell = nn.GRU
