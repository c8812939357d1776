"""Induction: what followed this symbol the last time?"""

from typing import Any

import numpy.typing as npt

from seqbench.errors import InputError
from seqbench.generation.streams import CHOICE, FIRST_WORD, Words, lane
from seqbench.generation.tasks.letters import fill_letters
from seqbench.generation.tasks.recall.rows import IGNORED, Positional, draw_below
from seqbench.jit import kernel

Array = npt.NDArray[Any]


class Induction(Positional):
    """A row in which a marker comes twice, the second time last; the label there is what followed the first marker.

    The marker is the last symbol of the vocabulary. A row of n symbols has its first marker at each of the positions
    0 to n - 3 alike (off by less than n 2^-64); all other symbols but the last are independent and uniform over the
    others (see `letters`). The label of the last position is the symbol after the first marker; every other position
    has the label -100.

    Sources: Olsson et al., "In-context learning and induction heads", 2022; the layout is that of Dao, Fu et al.,
    "Hungry Hungry Hippos", ICLR 2023, and of Gu, Dao, "Mamba", 2023 (vocabulary 16, trained at length 256). MAD (Poli
    et al., "Mechanistic design and scaling of hybrid architectures", ICML 2024) asks the same of many keys at once.

    Example:
        >>> Induction({"vocabulary": 8}).solve([3, 7, 5, 0, 2, 7])
        [-100, -100, -100, -100, -100, 5]
    """

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The task over a vocabulary."""
        super().__init__(parameters["vocabulary"], shortest=3)

    def _fill(self, lengths: Array, offsets: Array, streams: Words, tokens: Array, labels: Array) -> None:
        fill_letters(self.vocabulary - 1, lengths, offsets, lane(streams, FIRST_WORD), tokens)
        _mark(self.vocabulary - 1, lengths, offsets, lane(streams, CHOICE), tokens, labels)

    def _solve(self, row: list[int]) -> list[int]:
        marker = self.vocabulary - 1
        if row[-1] != marker or row.count(marker) != 2 or row.index(marker) > len(row) - 3:
            raise InputError(
                f"The marker {marker} must end the row and come once before, with a symbol in between. "
                f"It comes {row.count(marker)} times in a row that ends with {row[-1]}."
            )
        return [IGNORED] * (len(row) - 1) + [row[row.index(marker) + 1]]

    def facts(self) -> dict[str, Any]:
        """Symbols, chance, differences from the published tasks."""
        return {
            "symbols": self.vocabulary,
            "marker": self.vocabulary - 1,
            "smallest_length": self.shortest,
            "chance": round(1 / (self.vocabulary - 1), 4),
            "differences": [
                "the first marker stands at every position alike, never next to the last, and no third one is drawn",
            ],
        }


@kernel
def _mark(marker: int, lengths: Array, offsets: Array, streams: Words, tokens: Array, labels: Array) -> None:
    """Writes the markers and the label; word 1 of the choices, since word 0 may have chosen the length."""
    for row in range(len(lengths)):
        first, length = offsets[row], lengths[row]
        place = draw_below(streams, row, 1, length - 2)
        tokens[first + place] = marker
        tokens[first + length - 1] = marker
        labels[first + length - 1] = tokens[first + place + 1]
