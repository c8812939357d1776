"""Tape-RNN: a recurrent network with a circular tape that it shifts under a fixed head.

    h_t = f(W [x_t; T_{t-1}[0]] + U h_{t-1} + b),  f = tanh or relu (option `activation`)
    w = MLP(h_t), two hidden layers of 64;  a = softmax(A h_t) over the moves 0, -1, +1, -n, +n
    T_t[i] = sum_m a_m T'[i + m],  T' = T_{t-1} with T'[0] = w,  indices modulo the size of the tape

Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023, section 4 and appendix A.

n is the number of symbols of the input: those before the empty symbols at which outputs are read (option `empty`),
else the length. Where ours differs: the tape of a word has `laps` times as many cells as the word is long plus one,
so a word's output depends on no other word and the tape is never too short. And f is tanh by default; in the
published code it is relu.
"""

import torch
from torch import Tensor, nn

from seqbench.models.blocks import choice
from seqbench.models.frame import Encoder
from seqbench.models.lengths import Lengths
from seqbench.models.recurrent import ACTIVATIONS

MOVES = 5


class TapeRNN(Encoder):
    """A recurrent network with a tape.

    Example:
        >>> x = torch.zeros(2, 5, 64)
        >>> TapeRNN(width=8)(x, Lengths.read(torch.tensor([5, 2]), x)).shape
        torch.Size([2, 5, 8])
    """

    causal = False  # it knows the length of the input from the start

    def __init__(
        self,
        width: int = 256,
        cell: int = 8,
        laps: int = 2,
        empty: int | None = None,
        embedding: int = 64,
        activation: str = "tanh",
    ) -> None:
        """An encoder.

        Args:
            width: of the state.
            cell: the width of a cell of the tape.
            laps: the size of a word's tape, in lengths of the word.
            empty: the id of the empty symbol, if words end with such symbols.
            embedding: the width of the input vectors.
            activation: what the core ends with, "tanh" or, as in the published code, "relu".
        """
        super().__init__(embedding, width)
        choice("activation", activation, ACTIVATIONS)
        self.cell, self.laps, self.empty = cell, laps, empty
        self.core = nn.RNNCell(embedding + cell, width, nonlinearity=activation)
        self.actions = nn.Linear(width, MOVES)
        self.written = nn.Sequential(nn.Linear(width, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, cell))

    def forward(self, x: Tensor, where: Lengths) -> Tensor:
        """States (batch, longest, width)."""
        sources = self._sources(where)
        tape = x.new_zeros(len(x), sources.shape[2], self.cell)
        state, states = x.new_zeros(len(x), self.width), []
        for symbol in x.unbind(1):
            state = self.core(torch.cat([symbol, tape[:, 0]], 1), state)
            tape = torch.cat([self.written(state)[:, None], tape[:, 1:]], 1)
            tape = self._moved(tape, sources, torch.softmax(self.actions(state), 1))
            states.append(state)
        return torch.stack(states, 1)

    def _sources(self, where: Lengths) -> Tensor:
        """Where each cell comes from under each move, (batch, moves, cells); cells beyond a tape keep themselves."""
        sizes = (self.laps * where.host + 1)[:, None, None]
        n = where.inputs
        moves = torch.stack([0 * n, 0 * n - 1, 0 * n + 1, -n, n], 1)[:, :, None]
        cells = torch.arange(int(sizes.max()))
        return torch.where(cells < sizes, (cells + moves) % sizes, cells).to(where.device, non_blocking=True)

    @staticmethod
    def _moved(tape: Tensor, sources: Tensor, weights: Tensor) -> Tensor:
        """The mean of the shifted tapes."""
        batch, moves, cells = sources.shape
        places = sources.view(batch, -1, 1).expand(-1, -1, tape.shape[2])
        shifted = tape.gather(1, places).view(batch, moves, cells, -1)
        return torch.einsum("bm,bmcd->bcd", weights, shifted)
