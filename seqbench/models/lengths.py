"""The lengths of a batch, kept on the host, so that no decision waits for an accelerator."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from seqbench.errors import InputError
from seqbench.models.pairing import Pairing


@dataclass(frozen=True)
class Lengths:
    """The lengths of the words of a batch.

    Attributes:
        host: int64 (batch,), on the CPU.
        device: where the words are.
        inputs: int64 (batch,), the number of symbols before the empty ones (the length, if there are none).
    """

    host: Tensor
    device: torch.device
    inputs: Tensor

    @classmethod
    def read(cls, lengths: Tensor, words: Tensor) -> "Lengths":
        """Checked lengths of `words`, (batch, longest, ...).

        Lengths on an accelerator are copied to the host, which waits for it: better keep them on the CPU.

        Raises:
            InputError: lengths of another shape, or outside 1 to longest.

        Example:
            >>> Lengths.read(torch.tensor([3, 1]), torch.zeros(2, 4)).longest
            3
        """
        host = torch.as_tensor(lengths).detach().to("cpu", torch.int64)
        if host.shape != words.shape[:1] or not len(host):
            raise InputError(f"There are lengths of shape {tuple(host.shape)} for {len(words)} words. Give one a word.")
        low, high = int(host.min()), int(host.max())
        if low < 1 or high > words.shape[1]:
            raise InputError(
                f"The lengths go from {low} to {high}. Models read words of length 1 to {words.shape[1]}, "
                "the padded length of the batch."
            )
        return cls(host, words.device, host)

    @cached_property
    def longest(self) -> int:
        """The greatest length."""
        return int(self.host.max())

    @cached_property
    def equal(self) -> bool:
        """Whether all words have the same length: then there is no padding."""
        return int(self.host.min()) == self.longest

    @cached_property
    def here(self) -> Tensor:
        """The lengths on the device of the words."""
        return self.host.to(self.device, non_blocking=True)

    @cached_property
    def mask(self) -> Tensor:
        """True at real symbols, bool (batch, longest)."""
        return torch.arange(self.longest, device=self.device) < self.here[:, None]

    @cached_property
    def pairing(self) -> Pairing:
        """Which nodes meet in the balanced trees of the words."""
        return Pairing(self.host.numpy())

    @cached_property
    def flat(self) -> Tensor:
        """The places of all real symbols in a (batch * longest) array, in the order of `Pairing.row`, `Pairing.place`.

        Where all words have one length this is every place in order.
        """
        places = self.pairing.row * self.longest + self.pairing.place
        return torch.from_numpy(places).to(self.device, non_blocking=True)

    def last(self, states: Tensor) -> Tensor:
        """The states at the last symbols, (batch, width), of states (batch, longest, width)."""
        if self.equal:
            return states[:, self.longest - 1]
        rows = torch.arange(len(self.host), device=self.device)
        return states[rows, self.here - 1]
