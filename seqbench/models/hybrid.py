"""Sequential hybrids: the states of one encoder are the inputs of another, such as an LSTM before a TCN.

y = second(W first(x) + b), with W only where the widths differ
"""

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from seqbench.errors import InputError
from seqbench.models import MODELS, make_encoder
from seqbench.models.frame import Encoder
from seqbench.models.lengths import Lengths

Options = Mapping[str, Any]


class Hybrid(Encoder):
    """Two encoders, one after the other.

    Example:
        >>> import torch
        >>> x = torch.zeros(2, 5, 64)
        >>> Hybrid("lstm", "tcn", {"width": 8}, {"width": 4})(x, Lengths.read(torch.tensor([5, 2]), x)).shape
        torch.Size([2, 5, 4])
    """

    def __init__(
        self,
        first: str = "lstm",
        second: str = "tcn",
        first_options: Options | None = None,
        second_options: Options | None = None,
    ) -> None:
        """An encoder: two names of MODELS, with options for each; the first gives states at every position."""
        one, two = _part(first, first_options), _part(second, second_options)
        if "positions" not in one.heads:
            raise InputError(
                f"The model {first!r} gives one state a sequence, so nothing can follow it. Put it second."
            )
        super().__init__(one.width_in, two.width)
        self.first, self.second = one, two
        self.join = nn.Linear(one.width, two.width_in) if one.width != two.width_in else nn.Identity()
        self.heads, self.causal = two.heads, one.causal and two.causal
        limits = [part.max_length for part in (one, two) if part.max_length is not None]
        self.max_length = min(limits, default=None)
        self.empty = one.empty if two.empty is None else two.empty

    def forward(self, x: Tensor, where: Lengths) -> Tensor:
        """States (batch, longest, width), or (batch, width) where the second gives one a sequence."""
        return self.second(self.join(self.first(x, where)), where)


def _part(name: str, chosen: Options | None) -> Encoder:
    able = [known for known, entry in MODELS.items() if entry.model == "Model"]
    if name in MODELS and name not in able:
        raise InputError(f"The model {name!r} cannot be part of a hybrid. These can: {', '.join(able)}.")
    return make_encoder(name, **(chosen or {}))
