"""RIR-GRC, recursion in recursion: chunks are read one symbol after the other, and their results again in chunks.

    x -> S4D layers;  while more than one vector is left: each chunk of 30 vectors x_1..x_k becomes h_k,
    h_1 = x_1,  h_t = grc(h_{t-1}, x_t)   with the operator `grc` of `operators`

Source: Ray Chowdhury, Caragea, "Recursion in recursion: two-level nested recursion for length generalization with
scalability", NeurIPS 2023. Where ours differs: the S4D layers read from left to right only. Depth: 30 log_30 n steps.
"""

import torch
from torch import Tensor, nn

from seqbench.errors import InputError
from seqbench.models.frame import Encoder
from seqbench.models.lengths import Lengths
from seqbench.models.operators import GRC
from seqbench.models.s4d import S4D


class ChunkedGRC(Encoder):
    """A recursion over chunks by a gated recursive cell.

    Example:
        >>> x = torch.zeros(2, 5, 8)
        >>> ChunkedGRC(width=8)(x, Lengths.read(torch.tensor([5, 2]), x)).shape
        torch.Size([2, 8])
    """

    heads = ("last",)
    causal = False

    def __init__(self, width: int = 128, chunk: int = 30, pre_layers: int = 1, dropout: float = 0.1) -> None:
        """An encoder: width, size of a chunk, number of S4D layers before (0: none), dropout."""
        super().__init__(width, width)
        if chunk < 2:
            raise InputError(f"A chunk of {chunk} joins nothing. It holds 2 vectors or more.")
        self.chunk = chunk
        self.before = S4D(width, pre_layers, dropout=dropout) if pre_layers else None
        self.cell, self.dropout = GRC(width), nn.Dropout(dropout)

    def forward(self, x: Tensor, where: Lengths) -> Tensor:
        """Roots (batch, width)."""
        x = self.before(x, where) if self.before else x
        counts, longest = where.here, where.longest
        while longest > 1:
            size = min(self.chunk, longest)
            x = self._one_level(x, counts, size)
            counts, longest = (counts + size - 1) // size, x.shape[1]
        return x[:, 0]

    def _one_level(self, x: Tensor, counts: Tensor, size: int) -> Tensor:
        """Chunks (batch, chunks, size, width) to their results; absent vectors change nothing."""
        chunks = nn.functional.pad(x, (0, 0, 0, -x.shape[1] % size)).unflatten(1, (-1, size))
        starts = size * torch.arange(chunks.shape[1], device=x.device)
        state = chunks[:, :, 0]
        for step in range(1, size):
            pairs = torch.cat([state, chunks[:, :, step]], -1).flatten(0, 1)
            joined = self.dropout(self.cell(pairs)).view_as(state)
            state = torch.where((starts + step < counts[:, None])[..., None], joined, state)
        return state
