"""Which elements of a monoid are the values of the words of one length: exact for every length."""

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError, TooLargeError

MAX_BYTES = 1 << 30

IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]


class Reach:
    """The sets S_n of values of the words of length n; S_n determines S_{n+1}, so in the end the sequence is periodic.

    Sets are computed once, as far as somebody asked or to the end of the first period, and kept as bits.

    Args:
        right: int32 (elements, symbols), the right Cayley graph.

    Example:
        >>> reach = Reach(np.array([[1], [0]], np.int32))
        >>> reach(3).tolist(), reach.period
        ([False, True], (0, 2))
    """

    def __init__(self, right: IntArray) -> None:
        """Knows S_0, the identity alone."""
        self._right = right
        self._sets: list[bytes] = []
        self._numbers: dict[bytes, int] = {}
        self._loop: int | None = None
        self._extending = threading.Lock()
        start = np.zeros(len(right), np.bool_)
        start[0] = True
        self._append(start)

    def __call__(self, length: int) -> BoolArray:
        """The set S_length as a bool array (elements,).

        Raises:
            InputError: a negative length.
            TooLargeError: the sets up to this length would take more than 1 GiB.
        """
        if length < 0:
            raise InputError(f"There is no word of length {length}. Lengths are 0 or more.")
        with self._extending:
            while self._loop is None and length >= len(self._sets):
                self._extend()
        if length >= len(self._sets):
            preperiod, period = self.period
            length = preperiod + (length - preperiod) % period
        return self._unpack(length)

    @property
    def period(self) -> tuple[int, int]:
        """The least (preperiod, period): S_{n + period} = S_n for every n >= preperiod."""
        with self._extending:
            while self._loop is None:
                self._extend()
        return self._loop, len(self._sets) - self._loop

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock, which each process has for itself."""
        return {key: value for key, value in self.__dict__.items() if key != "_extending"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What was sent, and a lock."""
        self.__dict__ |= state
        self._extending = threading.Lock()

    def _extend(self) -> None:
        successor = np.zeros(len(self._right), np.bool_)
        successor[self._right[self._unpack(len(self._sets) - 1)]] = True
        self._append(successor)

    def _append(self, elements: BoolArray) -> None:
        bits = np.packbits(elements).tobytes()
        self._loop = self._numbers.get(bits)
        if self._loop is None:
            self._numbers[bits] = len(self._sets)
            self._sets.append(bits)
        if len(bits) * len(self._sets) > MAX_BYTES:
            raise TooLargeError(
                f"The sets of elements reached by length take more than {MAX_BYTES >> 30} GiB: {len(self._sets):,} "
                f"lengths so far, {len(elements):,} elements each. Ask for a shorter length."
            )

    def _unpack(self, number: int) -> BoolArray:
        bits = np.frombuffer(self._sets[number], np.uint8)
        return np.unpackbits(bits, count=len(self._right)).view(np.bool_)
