"""Sampling by composition: a pair of classes that meet at the root of the balanced reduction, then uniform halves."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqbench.generation import streams as rng

if TYPE_CHECKING:
    from seqbench.algebra.monoid import Monoid
    from seqbench.generation.laws import EndLaw

Array = npt.NDArray[Any]


class CompositionLaw:
    """Classes (a, b) uniform among pairs that can meet at the root, then two independent uniform halves.

    The balanced reduction joins neighbours level by level and passes a left-over on, so the root of n >= 2 symbols
    joins the first 2^(ceil(log2 n) - 1) of them with the rest. A single symbol has no root: its class is uniform.
    """

    def __init__(self, by_class: "EndLaw", monoid: "Monoid", outputs: Array) -> None:
        """The law over the class law's tables; `outputs` holds the label of every state, -1 outside the domain."""
        self.by_class, self.monoid, self.outputs = by_class, monoid, outputs
        self._pairs: dict[tuple[bytes, bytes], _Pairs] = {}

    def admits(self, max_length: int) -> Array:
        """Whether some pair meets, by length: every word of two symbols or more is such a pair."""
        return self.by_class.admits(max_length)

    def fill(self, lengths: Array, offsets: Array, streams: rng.Words, out: Array) -> Array:
        """Draws the pairs, then both halves."""
        classes = np.empty(len(lengths), dtype=np.int32)
        single = lengths < 2
        if single.any():
            ends = self.by_class.draw_ends(lengths[single], streams[:, single])
            lane = rng.lane(streams[:, single], rng.FIRST_WORD)
            self.by_class.walk_to(ends, lengths[single], offsets[single], lane, out)
            classes[single] = ends
        rows = np.flatnonzero(~single)
        if len(rows) == 0:
            return classes
        lengths, offsets, streams = lengths[rows], offsets[rows], streams[:, rows]
        cut = left_length(lengths)
        left, right = self._draw_pairs(lengths, streams)
        self.by_class.walk_to(left, cut, offsets, rng.lane(streams, rng.FIRST_WORD), out)
        self.by_class.walk_to(right, lengths - cut, offsets + cut, rng.lane(streams, rng.SECOND_WORD), out)
        classes[rows] = self.monoid.multiply(left, right)
        return classes

    def _draw_pairs(self, lengths: Array, streams: rng.Words) -> tuple[Array, Array]:
        draws = rng.draw64(rng.lane(streams, rng.CHOICE), counter=1)
        left, right = np.empty(len(lengths), dtype=np.int32), np.empty(len(lengths), dtype=np.int32)
        for n in np.unique(lengths):  # a handful of lengths, each a whole array of rows
            at = lengths == n
            left[at], right[at] = self._pairs_at(int(n)).draw(draws[0, at], draws[1, at])
        return left, right

    def _pairs_at(self, length: int) -> "_Pairs":
        cut = int(left_length(np.array([length]))[0])
        left, right = self.monoid.reach(cut), self.monoid.reach(length - cut)
        key = (left.tobytes(), right.tobytes())  # reach is periodic, so few of these differ
        if key not in self._pairs:
            self._pairs[key] = _Pairs(self.monoid, self.outputs, left, right)
        return self._pairs[key]


class _Pairs:
    """Pairs (a, b) of reachable classes whose product lies in the domain, uniform.

    Whether it does depends on a only through the state that a reaches, so right halves are listed by that state.
    """

    def __init__(self, monoid: "Monoid", outputs: Array, left: Array, right: Array) -> None:
        self.left, self.state = np.flatnonzero(left), monoid.maps[left, 0]
        rights = np.flatnonzero(right)
        self.right = {int(q): rights[outputs[monoid.maps[rights, q]] >= 0] for q in np.unique(self.state)}
        self.cumulative = np.cumsum([len(self.right[int(q)]) for q in self.state])

    def draw(self, left_draw: Array, right_draw: Array) -> tuple[Array, Array]:
        """Pairs for 64-bit draws."""
        target = rng.below(left_draw, int(self.cumulative[-1]))
        chosen = np.searchsorted(self.cumulative, target, side="right")
        right = np.empty(len(chosen), dtype=np.int64)
        for q, rights in self.right.items():
            at = self.state[chosen] == q
            right[at] = rights[rng.below(right_draw[at], len(rights))] if len(rights) else 0
        return self.left[chosen], right


def left_length(lengths: Array) -> Array:
    """Symbols left of the root of the balanced reduction: the largest power of two below the length (length >= 2).

    Example:
        >>> left_length(np.array([2, 3, 4, 5, 8, 9])).tolist()
        [1, 2, 2, 4, 4, 8]
    """
    _, exponent = np.frexp((np.asarray(lengths) - 1).astype(np.float64))  # exact: lengths are below 2^53
    return np.left_shift(1, exponent.astype(np.int64) - 1)
