"""TCN: residual blocks of causal convolutions whose dilation doubles from block to block.

    block i: x -> relu(R x + f(f(x))),  f = dropout(relu(conv(x))) of dilation 2^i,  R the identity or a 1x1 convolution

A state sees 1 + 2 (kernel - 1) (2^layers - 1) symbols: 509 at the defaults. Weights have weight normalisation and
start as N(0, 0.01^2). Source: Bai, Kolter, Koltun, "An empirical evaluation of generic convolutional and recurrent
networks for sequence modeling", 2018, section 3.
"""

from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from seqbench.models.frame import Encoder
from seqbench.models.lengths import Lengths


class CausalConvolution(nn.Module):
    """A dilated convolution that sees nothing later, ReLU, dropout."""

    def __init__(self, width_in: int, width: int, kernel: int, dilation: int, dropout: float) -> None:
        """A convolution between two widths."""
        super().__init__()
        convolution = nn.Conv1d(width_in, width, kernel, dilation=dilation)
        nn.init.normal_(convolution.weight, std=0.01)
        self.convolution = weight_norm(convolution)
        self.before, self.dropout = (kernel - 1) * dilation, nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Shape (batch, width_in, longest) to (batch, width, longest)."""
        return self.dropout(self.convolution(nn.functional.pad(x, (self.before, 0))).relu())


class Block(nn.Module):
    """Two convolutions and a residual connection."""

    def __init__(self, width_in: int, width: int, kernel: int, dilation: int, dropout: float) -> None:
        """A block between two widths."""
        super().__init__()
        self.first = CausalConvolution(width_in, width, kernel, dilation, dropout)
        self.second = CausalConvolution(width, width, kernel, dilation, dropout)
        self.skip = nn.Conv1d(width_in, width, 1) if width_in != width else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """Shape (batch, width_in, longest) to (batch, width, longest)."""
        return (self.skip(x) + self.second(self.first(x))).relu()


class TCN(Encoder):
    """A temporal convolutional network.

    Example:
        >>> import torch
        >>> x = torch.zeros(2, 5, 64)
        >>> TCN(width=8, layers=2)(x, Lengths.read(torch.tensor([5, 2]), x)).shape
        torch.Size([2, 5, 8])
    """

    def __init__(
        self, width: int = 64, layers: int = 7, kernel: int = 3, embedding: int = 64, dropout: float = 0.1
    ) -> None:
        """An encoder: width, number of blocks, kernel size, width of the input vectors, dropout."""
        super().__init__(embedding, width)
        self.sees = 1 + 2 * (kernel - 1) * (2**layers - 1)
        self.blocks = nn.Sequential(
            *(Block(width if i else embedding, width, kernel, 2**i, dropout) for i in range(layers))
        )

    def forward(self, x: Tensor, where: Lengths) -> Tensor:
        """States (batch, longest, width)."""
        del where  # padding comes last
        return self.blocks(x.transpose(1, 2)).transpose(1, 2)
