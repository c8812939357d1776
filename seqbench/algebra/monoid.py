"""Syntactic monoids: the classes of words that no context tells apart, in shortlex order, with their products."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra import walks
from seqbench.algebra.alphabet import Offsets, Tokens, decode, separator, token_dtype
from seqbench.algebra.machine import Machine
from seqbench.algebra.reach import Reach
from seqbench.algebra.transformations import enumerate_transformations
from seqbench.errors import InputError, TooLargeError, quoted
from seqbench.notebook import EMPTY, facts, section, table

MAX_SIZE = 1_000_000
MAX_TABLE = 10_000
MAX_BYTES = 1 << 29
SHOWN_PRODUCTS = 16  # elements whose products a notebook shows

IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
Elements = int | np.integer[Any] | Sequence[int] | npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Monoid:
    """The syntactic monoid of a machine: its words modulo acting alike on the minimal machine's states.

    Elements are numbered 0 .. len - 1 in the shortlex order of their shortest words: 0 is the identity, the class of
    the empty word. Make one with `Monoid.of`.

    Attributes:
        machine: the canonical machine.
        maps: int32 (elements, states); entry (t, q) is the state reached from q by a word of class t.
        right: int32 (elements, symbols); entry (t, a) is the class after appending symbol a.
        left: int32 (elements, symbols); entry (t, a) is the class after prepending symbol a.
        parent: int32 (elements,); the class of the shortest word without its last symbol (0 for the identity).
        last: int32 (elements,); the last symbol of the shortest word (0 for the identity).
        depth: int32 (elements,); the length of the shortest word.

    Example:
        >>> from seqbench.algebra import families
        >>> monoid = Monoid.of(families.build("dyck", {"depth": 1}))
        >>> len(monoid), monoid.names
        (6, ('', '0', '1', '00', '01', '10'))
        >>> monoid.multiply(1, 2), monoid.zero, monoid.idempotents.tolist()
        (4, 3, [0, 3, 4, 5])
    """

    machine: Machine
    maps: IntArray
    right: IntArray
    left: IntArray
    parent: IntArray
    last: IntArray
    depth: IntArray

    @classmethod
    def of(cls, machine: Machine, max_size: int = MAX_SIZE) -> "Monoid":
        """The syntactic monoid of a canonical machine.

        Raises:
            TooLargeError: more than max_size elements, or than 512 MiB of maps; found early, with the count so far.

        Example:
            >>> len(Monoid.of(Machine.build("01", [[0, 1], [1, 0]], [0, 1])))
            2
        """
        # Symbols with equal action are one generator, named by the first of them in alphabet order.
        actions, first, number = np.unique(machine.transitions.T, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        limit = min(max_size, MAX_BYTES // (4 * machine.num_states))
        maps, right, parent, last = enumerate_transformations(np.ascontiguousarray(actions[order]), limit)
        if len(maps) > limit:
            raise TooLargeError(_too_large(machine, limit, max_size))
        right = np.ascontiguousarray(right[:, np.argsort(order)[number.reshape(-1)]])
        last = first[order][last].astype(np.int32)
        levels = _levels(parent)
        depth = np.repeat(np.arange(len(levels) - 1, dtype=np.int32), np.diff(levels))
        arrays = (maps, right, _left(right, parent, last, levels), parent, last, depth)
        for array in arrays:
            array.flags.writeable = False
        return cls(machine, *arrays)

    def __len__(self) -> int:
        """The number of elements."""
        return len(self.maps)

    def __repr__(self) -> str:
        """A short description."""
        return f"<Monoid: {len(self)} elements of {self.machine!r}>"

    def _repr_html_(self) -> str:
        """The facts in a notebook, with the table of products of few elements."""
        values = {
            "elements": f"{len(self):,}",
            "states": self.machine.num_states,
            "idempotents": f"{len(self.idempotents):,}",
            "zero": "none" if self.zero is None else self.name(self.zero) or EMPTY,
        }
        products, lines = "", []
        if len(self) <= SHOWN_PRODUCTS:
            names = [name or EMPTY for name in self.names]
            rows = [[row, *(names[each] for each in line)] for row, line in zip(names, self.product_table, strict=True)]
            products = table([["", *names], *rows])
            lines = [f"The product of a row's class and a column's; {EMPTY} is the empty word."]
        return section("Syntactic monoid", lines, facts(values), products)

    @property
    def identity(self) -> int:
        """The class of the empty word, 0."""
        return 0

    @cached_property
    def labels(self) -> IntArray:
        """The label id of every class's words, int32 (elements,)."""
        return self.machine.outputs[self.maps[:, 0]]

    @cached_property
    def zero(self) -> int | None:
        """The element that absorbs all others, or None; in the trivial monoid it is the identity."""
        own = np.arange(len(self))[:, None]
        found = np.flatnonzero((self.right == own).all(axis=1) & (self.left == own).all(axis=1))
        return int(found[0]) if found.size else None

    @cached_property
    def idempotents(self) -> IntArray:
        """The elements e with e e = e, ascending, int32."""
        squares = np.take_along_axis(self.maps, self.maps, axis=1)
        return np.flatnonzero((squares == self.maps).all(axis=1)).astype(np.int32)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The shortest word of every class, as text; "" for the identity."""
        alphabet = self.machine.alphabet
        gap = separator(alphabet)
        names = [""]
        for parent, last in zip(self.parent[1:].tolist(), self.last[1:].tolist(), strict=True):
            names.append(names[parent] + (gap if parent else "") + alphabet[last])
        return tuple(names)

    def name(self, element: int) -> str:
        """The shortest word of a class, as text."""
        return decode(self.machine.alphabet, self.word(element))

    def word(self, element: int) -> Tokens:
        """The ids of the shortest word of a class, the first in alphabet order among the shortest.

        Raises:
            InputError: no such element.

        Example:
            >>> from seqbench.algebra import families
            >>> monoid = Monoid.of(families.build("dyck", {"depth": 1}))
            >>> monoid.word(4).tolist()
            [0, 1]
        """
        return self.words(np.array([element]))[0]

    def words(self, elements: npt.NDArray[np.integer[Any]]) -> tuple[Tokens, Offsets]:
        """The shortest words of many classes as flat ids and int64 offsets.

        Raises:
            InputError: no such element.

        Example:
            >>> from seqbench.algebra import families
            >>> monoid = Monoid.of(families.build("dyck", {"depth": 1}))
            >>> tokens, offsets = monoid.words(np.array([4, 0, 2]))
            >>> tokens.tolist(), offsets.tolist()
            ([0, 1, 1], [0, 2, 2, 3])
        """
        current = self._checked(elements).reshape(-1)
        offsets = np.zeros(len(current) + 1, np.int64)
        np.cumsum(self.depth[current], out=offsets[1:])
        tokens = np.empty(offsets[-1], token_dtype(self.machine.alphabet))
        place = offsets[1:] - 1
        while current.any():
            place, current = place[current > 0], current[current > 0]
            tokens[place] = self.last[current]
            place, current = place - 1, self.parent[current]
        return tokens, offsets

    def class_of(self, tokens: Tokens, offsets: Offsets) -> IntArray:
        """The class of every word, int32; tokens and offsets as in `walks.final_states`.

        Example:
            >>> from seqbench.algebra import families
            >>> monoid = Monoid.of(families.build("dyck", {"depth": 1}))
            >>> monoid.class_of(np.array([0, 1, 0, 0, 0], np.uint8), np.array([0, 3, 5])).tolist()
            [1, 3]
        """
        return walks.final_states(self.right, 0, tokens, offsets)

    def multiply(self, left: Elements, right: Elements) -> Any:
        """The product: the class of a word of the first class followed by one of the second.

        Args:
            left: an element, or an array of them.
            right: likewise; the two shapes broadcast.

        Returns:
            An int for two ints, else an int32 array.

        Raises:
            InputError: no such element.

        Example:
            >>> from seqbench.algebra import families
            >>> monoid = Monoid.of(families.build("dyck", {"depth": 1}))
            >>> monoid.multiply(1, 2), monoid.multiply([1, 2], 1).tolist()
            (4, [3, 5])
        """
        pair = np.broadcast_arrays(self._checked(left), self._checked(right))
        if len(self) <= MAX_TABLE:
            product = self.product_table[pair[0], pair[1]].astype(np.int32)
        else:
            tokens, offsets = self.words(pair[1])
            product = walks.final_states(self.right, pair[0].reshape(-1), tokens, offsets).reshape(pair[0].shape)
        return product if product.ndim else int(product)

    @cached_property
    def product_table(self) -> npt.NDArray[np.uint16]:
        """All products: uint16 (elements, elements), read-only.

        Raises:
            TooLargeError: more than 10,000 elements; `multiply` works at any size.
        """
        size = len(self)
        if size > MAX_TABLE:
            raise TooLargeError(
                f"A product table of {size:,} elements cannot be made. The limit is {MAX_TABLE:,} elements. "
                "Use multiply."
            )
        # Row by row along the tree of shortest words: (p a) b = p (a b).
        table = np.empty((size, size), np.uint16)
        table[0] = np.arange(size)
        for element in range(1, size):
            table[element] = table[self.parent[element]][self.left[:, self.last[element]]]
        table.flags.writeable = False
        return table

    @cached_property
    def _reach(self) -> Reach:
        return Reach(self.right)

    def reach(self, length: int) -> BoolArray:
        """Which classes hold a word of this length, bool (elements,); exact at every length, and cached.

        Raises:
            InputError: a negative length.
            TooLargeError: the sets up to this length would take more than 1 GiB.

        Example:
            >>> from seqbench.algebra import families
            >>> monoid = Monoid.of(families.build("dyck", {"depth": 1}))
            >>> monoid.reach(10**9).nonzero()[0].tolist()
            [3, 4, 5]
        """
        return self._reach(length)

    @property
    def reach_period(self) -> tuple[int, int]:
        """The least (preperiod, period): reach(n + period) equals reach(n) for every n >= preperiod.

        Example:
            >>> from seqbench.algebra import families
            >>> monoid = Monoid.of(families.build("dyck", {"depth": 1}))
            >>> monoid.reach_period
            (2, 2)
        """
        return self._reach.period

    def _checked(self, elements: Elements) -> npt.NDArray[np.integer[Any]]:
        array = np.asarray(elements)
        if array.dtype.kind not in "iu" or (array.size and not 0 <= array.min() <= array.max() < len(self)):
            raise InputError(f"There is no element {quoted(elements)}. Elements are the integers 0 to {len(self) - 1}.")
        return array


def _levels(parent: IntArray) -> list[int]:
    """Where each level of the tree of shortest words begins, and the end: parents are in ascending order."""
    bounds = [0, 1]
    while bounds[-1] < len(parent):
        bounds.append(int(np.searchsorted(parent, bounds[-1])))
    return bounds


def _left(right: IntArray, parent: IntArray, last: IntArray, levels: list[int]) -> IntArray:
    """The left Cayley graph from the right one, level by level of the tree: a (p b) = (a p) b."""
    left = np.empty_like(right)
    left[0] = right[0]
    for begin, end in pairwise(levels[1:]):
        left[begin:end] = right[left[parent[begin:end]], last[begin:end, None]]
    return left


def _too_large(machine: Machine, limit: int, max_size: int) -> str:
    if limit == max_size:
        why = f"The limit is max_size = {max_size:,}. Use a smaller language, or a larger max_size in Python."
    else:
        why = f"The limit is {MAX_BYTES >> 20} MiB for their maps. Use a smaller language."
    return (
        f"The syntactic monoid of a machine of {machine.num_states:,} states has more than the {limit:,} elements "
        f"counted so far. {why}"
    )
