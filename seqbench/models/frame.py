"""What all models share: symbols become vectors, an encoder makes states of them, a head reads the states."""

from typing import Any, ClassVar, cast

from torch import Tensor, nn

from seqbench.errors import InputError, quoted
from seqbench.models.lengths import Lengths

HEADS = ("last", "positions")
"""One answer a sequence, read at its last symbol or at the root of its tree; or one at every position."""

CAN_READ_POSITIONS = (
    "rnn, lstm, gru, stack_rnn, tape_rnn, transformer, s4d, tcn, deltanet, hybrid, and pr_lstm and pr_rnn with "
    "schedule='scan'"
)


class Encoder(nn.Module):
    """Maps vectors (batch, longest, width_in) to states: (batch, longest, width), or (batch, width) of a root.

    Attributes:
        width_in: the width of the vectors it takes.
        width: the width of the states it gives.
        heads: the heads that can read it.
        max_length: the greatest length it can read, or None.
        empty: the id of the symbol at which outputs are read, for encoders that must know the length of the input.
        causal: whether the state at a position depends on no later symbol.
        embedding_std: the deviation of the first weights of symbols.
    """

    heads: tuple[str, ...] = HEADS
    max_length: int | None = None
    empty: int | None = None
    causal: bool = True
    embedding_std: float = 1.0

    def __init__(self, width_in: int, width: int) -> None:
        """An encoder between the two widths."""
        super().__init__()
        self.width_in, self.width = width_in, width


class Model(nn.Module):
    """An encoder with an embedding before it and a linear head after it.

    Example:
        >>> import torch
        >>> from seqbench.models.recurrent import GRU
        >>> model = Model("gru", GRU(width=8), vocabulary=3, classes=5, head="positions")
        >>> model(torch.tensor([[0, 1, 2, 0]]), torch.tensor([3])).shape
        torch.Size([1, 4, 5])
    """

    slow: ClassVar[tuple[str, ...]] = ("log_dt", "log_decay", "frequency")
    """Names of parameters that want a small rate of their own and no weight decay."""
    some_unused: ClassVar[bool] = False
    """Whether a task may leave some weights without a gradient."""

    def __init__(
        self,
        name: str,
        encoder: Encoder,
        *,
        vocabulary: int | None = None,
        classes: int,
        d_in: int | None = None,
        head: str = "last",
    ) -> None:
        """A model; the arguments are those of `create`."""
        super().__init__()
        _check(name, encoder, vocabulary, classes, d_in, head)
        self.name, self.head, self.vocabulary = name, head, vocabulary
        self.encoder = encoder
        self.embedding = _embedding(encoder, vocabulary, d_in)
        self.readout = nn.Linear(encoder.width, classes)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Logits (batch, classes), or (batch, longest, classes) with zeros at the padding.

        Args:
            tokens: int64 (batch, longest), or float (batch, longest, d_in); whatever stands beyond a word's length
                is never looked at.
            lengths: int64 (batch,), each from 1 to longest, best kept on the CPU.

        Raises:
            InputError: a symbol outside the vocabulary, a length out of range.
        """
        words, where = self.read(tokens, lengths)
        states = self.encoder(self.embedding(words), where)
        if self.head == "positions":
            logits = self.readout(states).masked_fill(~where.mask[..., None], 0.0)
            return nn.functional.pad(logits, (0, 0, 0, tokens.shape[1] - where.longest))
        return self.readout(where.last(states) if states.dim() == 3 else states)

    def read(self, tokens: Tensor, lengths: Tensor) -> tuple[Tensor, Lengths]:
        """The words, cut to the longest and with symbol 0 as padding, and their lengths; all checked."""
        if tokens.dim() != (2 if self.vocabulary else 3):
            wanted = "(batch, longest)" if self.vocabulary else "(batch, longest, d_in)"
            raise InputError(f"The words have shape {tuple(tokens.shape)}. This model reads {wanted}.")
        where = Lengths.read(lengths, tokens)
        limit = self.encoder.max_length
        if limit is not None and where.longest > limit:
            raise InputError(
                f"A word has length {where.longest}. This {self.name} has {limit} positions: "
                "make it with a greater max_length, or choose positions without a limit."
            )
        words = tokens[:, : where.longest]
        if not where.equal:
            mask = where.mask if self.vocabulary else where.mask[..., None]
            words = words.masked_fill(~mask, 0)  # so that not even a NaN there can reach a sum
        if self.vocabulary:
            self._check_symbols(words)
        if self.encoder.empty is not None:
            inputs = ((words != self.encoder.empty) & where.mask).sum(1).cpu()
            where = Lengths(where.host, where.device, inputs)
        return words, where

    def _check_symbols(self, words: Tensor) -> None:
        if words.device.type != "cpu":
            return  # looking would wait for the accelerator, which raises an error of its own
        low, high = (int(value) for value in words.aminmax())
        known = cast("int", self.vocabulary)
        if low < 0 or high >= known:
            raise InputError(f"The words hold symbols from {low} to {high}. This model knows 0 to {known - 1}.")

    @property
    def parameter_count(self) -> int:
        """The number of trained numbers."""
        return sum(parameter.numel() for parameter in self.parameters())

    def parameter_groups(self, lr: float, weight_decay: float = 0.0, slow_lr: float = 1e-3) -> list[dict[str, Any]]:
        """Groups for an optimiser: state-space rates and steps apart, with their own rate and no weight decay.

        Example:
            >>> from seqbench.models import create
            >>> groups = create("s4d", vocabulary=2, classes=2, width=8).parameter_groups(1e-2, 0.1)
            >>> [(group["lr"], group["weight_decay"]) for group in groups]
            [(0.01, 0.1), (0.001, 0.0)]
        """
        named = list(self.named_parameters())
        slow = [value for key, value in named if key.rpartition(".")[2] in self.slow]
        rest = [value for key, value in named if key.rpartition(".")[2] not in self.slow]
        groups = [{"params": rest, "lr": lr, "weight_decay": weight_decay}]
        return groups + ([{"params": slow, "lr": min(lr, slow_lr), "weight_decay": 0.0}] if slow else [])


def _embedding(encoder: Encoder, vocabulary: int | None, d_in: int | None) -> nn.Module:
    if vocabulary is None:
        return nn.Linear(cast("int", d_in), encoder.width_in)
    table = nn.Embedding(vocabulary, encoder.width_in)
    nn.init.normal_(table.weight, std=encoder.embedding_std)
    return table


def _check(name: str, encoder: Encoder, vocabulary: int | None, classes: int, d_in: int | None, head: str) -> None:
    if (vocabulary is None) == (d_in is None):
        raise InputError("A model reads symbols or vectors. Give either `vocabulary` or `d_in`.")
    for what, value in (("vocabulary", vocabulary), ("classes", classes), ("d_in", d_in)):
        if value is not None and not 1 <= value < 2**31:
            raise InputError(
                f"The value {quoted(value)} of {what!r} cannot be used. It is an integer from 1 to {2**31 - 1:,}."
            )
    if head not in HEADS:
        raise InputError(f"The head {head!r} cannot be used. It is 'last' or 'positions'.")
    if head not in encoder.heads:
        raise InputError(
            f"The model {name!r}, with these options, gives one answer a sequence, not one at every position. "
            f"These can: {CAN_READ_POSITIONS}."
        )
