"""Draws words of a language by a mixture of laws and labels them: the engine behind datasets, streams and samples."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.alphabet import token_dtype
from seqbench.generation import streams as rng
from seqbench.generation.laws import LAWS

if TYPE_CHECKING:
    from seqbench.algebra.machine import Machine
    from seqbench.algebra.monoid import Monoid

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rows:
    """Labelled words in flat form: word i is `tokens[offsets[i]:offsets[i + 1]]`.

    Attributes:
        tokens: symbol ids, uint8 (uint16 beyond 256 symbols).
        offsets: shape (n + 1,), int64.
        labels: label ids, shape (n,), int32.
        classes: syntactic classes, shape (n,), int32, or None where the monoid is left out.
    """

    tokens: Array
    offsets: Array
    labels: Array
    classes: Array | None


def nearest_lengths(admits: Callable[[int], Array], length: int, margin: int, shortest: int = 0) -> list[int]:
    """At most three lengths nearest to one that have words, from the shortest up to twice the margin beyond it.

    Example:
        >>> nearest_lengths(lambda longest: np.arange(longest + 1) % 5 == 0, 12, margin=3)
        [5, 10, 15]
    """
    there = np.flatnonzero(admits(length + 2 * margin + 2)[shortest:]) + shortest
    nearest = there[np.argsort(np.abs(there - length), kind="stable")[:3]]
    return sorted(nearest.tolist())


class Sampler:
    """A mixture of sampling laws over one machine."""

    def __init__(
        self,
        machine: "Machine",
        monoid: "Monoid | None",
        weights: Mapping[str, float],
        labels: tuple[int, ...] | None = None,
    ) -> None:
        """A sampler that draws each word by one of the laws.

        Args:
            machine: the language.
            monoid: its syntactic monoid, or None to leave classes out.
            weights: weight of each law, by name; they need not sum to one.
            labels: the label ids to draw from; all by default.
        """
        self.machine, self.monoid = machine, monoid
        outputs = machine.outputs
        self.outputs = outputs if labels is None else np.where(np.isin(outputs, labels), outputs, -1)
        used = {name: weight for name, weight in weights.items() if weight > 0}
        self.laws = [LAWS[name](machine, monoid, self.outputs) for name in used]
        self.weights = np.array(list(used.values()), dtype=np.float64)

    def admits(self, max_length: int) -> Array:
        """Whether some law has a word to draw, by length, shape (max_length + 1,), bool."""
        return np.asarray(np.any([law.admits(max_length) for law in self.laws], axis=0))

    def sample(self, lengths: Array, streams: rng.Words, *, attempt: int = 0, law: Array | None = None) -> Rows:
        """A word of each given length from each given stream.

        Args:
            lengths: shape (n,); each must be admitted.
            streams: shape (5, n).
            attempt: which of the row's independent draws.
            law: index of the law of each row; drawn by weight when not given.
        """
        streams = rng.lane(streams, 0, attempt)
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        tokens = np.empty(offsets[-1], dtype=token_dtype(self.machine.alphabet))
        if len(self.laws) == 1:
            return self._label(tokens, offsets, self.laws[0].fill(lengths, offsets[:-1], streams, tokens))
        chosen = self._choose_laws(lengths, streams) if law is None else law
        classes = np.full(len(lengths), -1, dtype=np.int32)
        for index, each in enumerate(self.laws):
            rows = np.flatnonzero(chosen == index)
            if len(rows):
                known = each.fill(lengths[rows], offsets[rows], streams[:, rows], tokens)
                classes[rows] = -1 if known is None else known
        return self._label(tokens, offsets, classes)

    def _choose_laws(self, lengths: Array, streams: rng.Words) -> Array:
        """A law for every row by weight among those that admit its length."""
        max_length = int(lengths.max(initial=0))
        admitted = np.array([law.admits(max_length)[lengths] for law in self.laws])
        cumulative = np.cumsum(self.weights[:, None] * admitted, axis=0)
        draws = rng.draw64(rng.lane(streams, rng.CHOICE))[1] >> np.uint64(11)
        draws = draws * 2.0**-53 * cumulative[-1]  # below the last: 53 bits are exact
        return np.asarray(np.argmax(draws < cumulative, axis=0))

    def _label(self, tokens: Array, offsets: Array, classes: Array | None) -> Rows:
        if self.monoid is None:
            return Rows(tokens, offsets, self.machine.outputs[self.machine.run(tokens, offsets)], None)
        if classes is None or (classes < 0).any():
            classes = self.monoid.class_of(tokens, offsets)
        return Rows(tokens, offsets, self.monoid.labels[classes], classes)
