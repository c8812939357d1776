"""What models over a balanced tree share: leaves without padding, all nodes, the associativity regulariser."""

from typing import Literal, overload

import torch
from torch import Tensor, nn

from seqbench.models.blocks import Dropout, choice
from seqbench.models.frame import Encoder, Model
from seqbench.models.lengths import Lengths
from seqbench.models.pairing import Nodes
from seqbench.models.reduction import all_nodes, reduce_levels, reduce_packed

REDUCTIONS = ("packed", "levels")


class TreeEncoder(Encoder):
    """An encoder whose state is the root of a balanced tree: `leaf` maps symbols' vectors, `combine` joins two nodes.

    Dropout and noise follow both, on real nodes only.

    Attributes:
        reduction: "packed" or "levels".
        noise: the deviation of the Gaussian noise added to every node in training.
    """

    heads = ("last",)

    def __init__(self, width: int, reduction: str, dropout: float = 0.0, noise: float = 0.0) -> None:
        """An encoder of one width."""
        super().__init__(width, width)
        choice("reduction", reduction, REDUCTIONS)
        self.reduction, self.dropout, self.noise = reduction, Dropout(dropout), noise

    def leaf(self, x: Tensor) -> Tensor:
        """Vectors of symbols to leaves, (..., width)."""
        raise NotImplementedError

    def combine(self, pairs: Tensor) -> Tensor:
        """Two nodes side by side, (pairs, 2 width), to the node above them, (pairs, width)."""
        raise NotImplementedError

    def disturbed(self, x: Tensor) -> Tensor:
        """With dropout and noise, in training."""
        x = self.dropout(x)
        return x + self.noise * torch.randn_like(x) if self.noise and self.training else x

    def forward(self, leaves: Tensor, where: Lengths, kept: list[Tensor] | None = None) -> Tensor:
        """Roots, (batch, width), of leaves (symbols, width) without padding; `kept` receives leaves and merges."""
        if leaves.device.type == "cpu" and self.reduction == "packed":
            self.dropout.reserve((2 * len(leaves) - len(where.host)) * self.width)  # all nodes of all trees
        leaves = self.disturbed(leaves)
        if kept is None and self.reduction == "levels":
            padded = leaves.new_zeros(len(where.host) * where.longest, self.width).index_copy(0, where.flat, leaves)
            return reduce_levels(self._merge, padded.view(len(where.host), where.longest, self.width), where)
        if kept is not None:
            kept.append(leaves)
        return reduce_packed(self._merge, leaves, where, kept)

    def _merge(self, pairs: Tensor) -> Tensor:
        return self.disturbed(self.combine(pairs))


class TreeModel(Model):
    """A model over a balanced tree.

    Example:
        >>> from seqbench.models import create
        >>> model = create("ldru", vocabulary=2, classes=2, width=8).eval()
        >>> logits, nodes = model(torch.tensor([[0, 1, 1]]), torch.tensor([3]), return_nodes=True)
        >>> list(zip(nodes.level.tolist(), nodes.start.tolist(), nodes.width.tolist()))
        [(0, 0, 1), (0, 1, 1), (0, 2, 1), (1, 0, 2), (2, 0, 3)]
    """

    encoder: TreeEncoder

    @overload
    def forward(self, tokens: Tensor, lengths: Tensor, return_nodes: Literal[False] = False) -> Tensor: ...
    @overload
    def forward(self, tokens: Tensor, lengths: Tensor, return_nodes: Literal[True]) -> tuple[Tensor, Nodes]: ...
    def forward(self, tokens: Tensor, lengths: Tensor, return_nodes: bool = False) -> Tensor | tuple[Tensor, Nodes]:
        """Logits (batch, classes), and on request the states of all nodes; arguments and errors as in `Model`."""
        words, where = self.read(tokens, lengths)
        flat = words.flatten(0, 1)
        leaves = self._leaves(flat if where.equal else flat.index_select(0, where.flat))
        kept: list[Tensor] | None = [] if return_nodes else None
        logits = self.readout(self.encoder(leaves, where, kept))
        return logits if kept is None else (logits, all_nodes(kept[0], kept[1:], where))

    def _leaves(self, symbols: Tensor) -> Tensor:
        """Leaves (symbols, width). A leaf depends on its symbol alone, so each of a small vocabulary is mapped once."""
        if self.vocabulary and self.vocabulary < len(symbols):
            every = torch.arange(self.vocabulary, device=symbols.device)
            return self.encoder.leaf(self.embedding(every)).index_select(0, symbols)
        return self.encoder.leaf(self.embedding(symbols))

    def node_states(self, tokens: Tensor, lengths: Tensor) -> Nodes:
        """The states and places of all nodes of all trees: for a head that predicts the class of every node."""
        return self(tokens, lengths, return_nodes=True)[1]


def associativity(encoder: TreeEncoder, states: Tensor, triples: int = 256) -> Tensor:
    """The mean cosine distance, 1 - cos, of (a.b).c and a.(b.c) over random triples of nodes: a number from 0 to 2.

    The triples are drawn uniformly, with replacement, from the given states, by torch's global generator. Source: named
    as a regulariser in arXiv 2605.26035; the choice of triples and the weight (left to the caller) are ours.

    Args:
        encoder: its `combine` is the operator.
        states: (nodes, width), such as `Nodes.states`.
        triples: how many.

    Example:
        >>> from seqbench.models.ldru import LDRU
        >>> bool(associativity(LDRU(width=8, operator="sum", wrapped=False), torch.randn(5, 8)) < 1e-5)
        True
    """
    picked = states.new_empty(3 * triples).uniform_(0, len(states)).long().clamp_(max=len(states) - 1)
    a, b, c = states[picked].view(3, triples, -1)
    inner = encoder.combine(torch.cat([torch.cat([a, b], 1), torch.cat([b, c], 1)]))
    ab, bc = inner.chunk(2)
    outer = encoder.combine(torch.cat([torch.cat([ab, c], 1), torch.cat([a, bc], 1)]))
    left, right = outer.chunk(2)
    return (1 - nn.functional.cosine_similarity(left, right)).mean()
