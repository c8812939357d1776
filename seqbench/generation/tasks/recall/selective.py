"""Selective copying: say again what stood between blanks."""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError
from seqbench.generation.streams import FIRST_WORD, SECOND_WORD, Words, lane
from seqbench.generation.tasks.letters import fill_letters
from seqbench.generation.tasks.recall.rows import IGNORED, Positional, draw_below
from seqbench.jit import kernel

Array = npt.NDArray[Any]


class SelectiveCopy(Positional):
    """Some symbols among blanks, a marker, and as many blanks as symbols; the labels of these are the symbols in order.

    With V symbols in the vocabulary, V - 1 is the marker and V - 2 the blank. A row of n symbols has c symbols to copy,
    independent and uniform over the first V - 2, at places that are uniform over all sets of c of the n - c - 1 before
    the marker; the last c positions are blank in the input and labelled. (Each of c choices of a place is off by less
    than 2^-64 times the number of places; for symbols see `letters`.)

    Source: MAD: Poli et al., "Mechanistic design and scaling of hybrid architectures", ICML 2024 (vocabulary 16, 16
    symbols, length 256).

    Example:
        >>> SelectiveCopy({"vocabulary": 6, "copied": 2}).solve([4, 3, 4, 0, 5, 4, 4])
        [-100, -100, -100, -100, -100, 3, 0]
    """

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The task over a vocabulary."""
        self.copied = parameters["copied"]
        super().__init__(parameters["vocabulary"], shortest=2 * self.copied + 2)

    def _fill(self, lengths: Array, offsets: Array, streams: Words, tokens: Array, labels: Array) -> None:
        symbols = np.empty((len(lengths), self.copied), dtype=self.dtype)
        starts = np.arange(len(lengths)) * self.copied
        fill_letters(
            self.vocabulary - 2, np.full(len(lengths), self.copied), starts, lane(streams, FIRST_WORD), symbols.ravel()
        )
        _place(self.vocabulary - 2, symbols, lengths, offsets, lane(streams, SECOND_WORD), tokens, labels)

    def _solve(self, row: list[int]) -> list[int]:
        blank, marker, copied = self.vocabulary - 2, self.vocabulary - 1, self.copied
        symbols = [symbol for symbol in row[: -copied - 1] if symbol < blank]
        tail = [marker] + [blank] * copied
        if row[-copied - 1 :] != tail or row.count(marker) != 1 or len(symbols) != copied:
            raise InputError(
                f"A row must hold {copied} symbols below {blank} among blanks {blank}, then the marker {marker}, then "
                f"{copied} blanks. This one has {len(symbols)} symbols and ends with {row[-copied - 1 :][:20]}."
            )
        return [IGNORED] * (len(row) - copied) + symbols

    def facts(self) -> dict[str, Any]:
        """Symbols, chance, differences from the published task."""
        return {
            "symbols": self.vocabulary,
            "blank": self.vocabulary - 2,
            "marker": self.vocabulary - 1,
            "smallest_length": self.shortest,
            "chance": round(1 / (self.vocabulary - 2), 4),
            "differences": [
                "places are uniform over all sets; there no blank came between the last symbol and the marker",
                "there the places came from an unseeded generator",
            ],
        }


@kernel
def _place(
    blank: int, symbols: Array, lengths: Array, offsets: Array, streams: Words, tokens: Array, labels: Array
) -> None:
    """Row after row: a set of places by Floyd's method (Bentley, Floyd, "A sample of brilliance", CACM 30, 1987)."""
    copied = symbols.shape[1]
    for row in range(len(lengths)):
        first, length = offsets[row], lengths[row]
        answer, places = first + length - copied, length - copied - 1
        tokens[first : first + length] = blank
        tokens[answer - 1] = blank + 1
        for last in range(places - copied, places):
            place = draw_below(streams, row, last - places + copied, last + 1)
            if tokens[first + place] != blank:
                place = last
            tokens[first + place] = 0
        count = 0
        for i in range(first, first + places):
            if tokens[i] != blank:
                tokens[i] = symbols[row, count]
                labels[answer + count] = symbols[row, count]
                count += 1
