"""Green's relations: which elements of a monoid generate the same right, left and two-sided ideals."""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.components import components, depths
from seqbench.algebra.monoid import Monoid
from seqbench.errors import InputError, TooLargeError

MAX_ORDER = 10_000

IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]


class GreensRelations:
    """Green's relations R, L, J (= D) and H of a monoid, each an int32 array (elements,) of class numbers.

    Elements are R-related iff they generate the same right ideal (xM = yM), L-related iff Mx = My, J-related iff
    MxM = MyM, and H-related iff both R and L. Words are read from left to right: x R y iff appending leads from each
    to the other. In every relation classes are numbered by their least elements: class 0 holds the identity.
    Everything is computed on demand and kept.

    Source: Green, "On the structure of semigroups", 1951; the classes are the strongly connected components of the
    Cayley graphs: Froidure and Pin, "Algorithms for computing finite semigroups", 1997.

    Args:
        monoid: the monoid.

    Example:
        >>> from seqbench.algebra import families
        >>> green = GreensRelations(Monoid.of(families.build("dyck", {"depth": 1})))
        >>> green.monoid.names
        ('', '0', '1', '00', '01', '10')
        >>> green.j_classes.tolist(), green.r_classes.tolist(), green.l_classes.tolist()
        ([0, 1, 1, 2, 1, 1], [0, 1, 2, 3, 1, 2], [0, 1, 2, 3, 2, 1])
    """

    def __init__(self, monoid: Monoid) -> None:
        """Computes nothing yet."""
        self.monoid = monoid

    @cached_property
    def r_classes(self) -> IntArray:
        """The number of every element's R-class."""
        return _numbered(components(self.monoid.right))

    @cached_property
    def l_classes(self) -> IntArray:
        """The number of every element's L-class."""
        return _numbered(components(self.monoid.left))

    @cached_property
    def j_classes(self) -> IntArray:
        """The number of every element's J-class, which in a finite monoid is its D-class."""
        return _numbered(self._j_components)

    @cached_property
    def h_classes(self) -> IntArray:
        """The number of every element's H-class."""
        return _numbered(self.r_classes.astype(np.int64) * self.num_l_classes + self.l_classes)

    @property
    def num_r_classes(self) -> int:
        """The number of R-classes."""
        return int(self.r_classes.max()) + 1

    @property
    def num_l_classes(self) -> int:
        """The number of L-classes."""
        return int(self.l_classes.max()) + 1

    @property
    def num_j_classes(self) -> int:
        """The number of J-classes."""
        return int(self.j_classes.max()) + 1

    @cached_property
    def num_h_classes(self) -> int:
        """The number of H-classes: all H-classes of a J-class are equally large."""
        return int((self.j_rows * self.j_columns).sum())

    @property
    def idempotents(self) -> IntArray:
        """The elements e with ee = e, ascending."""
        return self.monoid.idempotents

    @property
    def num_idempotents(self) -> int:
        """The number of idempotents."""
        return len(self.idempotents)

    @cached_property
    def kernel(self) -> IntArray:
        """The elements of the minimal ideal, ascending: the J-class under all others."""
        return np.flatnonzero(self._j_components == 0).astype(np.int32)

    @cached_property
    def j_sizes(self) -> npt.NDArray[np.int64]:
        """The number of elements of every J-class."""
        return np.bincount(self.j_classes)

    @cached_property
    def j_rows(self) -> npt.NDArray[np.int64]:
        """The number of R-classes of every J-class: the rows of its egg-box."""
        return self._count_in_j(self.r_classes)

    @cached_property
    def j_columns(self) -> npt.NDArray[np.int64]:
        """The number of L-classes of every J-class: the columns of its egg-box."""
        return self._count_in_j(self.l_classes)

    @cached_property
    def regular(self) -> BoolArray:
        """Which J-classes are regular, that is, hold an idempotent; bool (J-classes,)."""
        regular = np.zeros(self.num_j_classes, np.bool_)
        regular[self.j_classes[self.idempotents]] = True
        return regular

    @cached_property
    def group_orders(self) -> npt.NDArray[np.int64]:
        """The order of the maximal subgroups of every J-class, 0 if it is not regular; int64 (J-classes,).

        The maximal subgroups are the H-classes of idempotents; within a J-class they are isomorphic.
        """
        return np.where(self.regular, self.j_sizes // (self.j_rows * self.j_columns), 0)

    @property
    def largest_group(self) -> int:
        """The order of the largest subgroup."""
        return int(self.group_orders.max())

    def egg_box(self, j_class: int) -> IntArray:
        """The elements of a J-class, int32 (R-classes, L-classes, elements of an H-class).

        Raises:
            InputError: no such J-class.

        Example:
            >>> from seqbench.algebra import families
            >>> GreensRelations(Monoid.of(families.build("dyck", {"depth": 1}))).egg_box(1).tolist()
            [[[1], [4]], [[5], [2]]]
        """
        if not 0 <= j_class < self.num_j_classes:
            raise InputError(f"There is no J-class {j_class}. J-classes are 0 to {self.num_j_classes - 1}.")
        members = np.flatnonzero(self.j_classes == j_class).astype(np.int32)
        order = np.lexsort([members, self.l_classes[members], self.r_classes[members]])
        shape = int(self.j_rows[j_class]), int(self.j_columns[j_class]), -1
        return members[order].reshape(shape)

    @cached_property
    def j_arcs(self) -> IntArray:
        """Pairs (upper, lower) of J-classes that one letter leads down, int32 (pairs, 2); they generate the J-order.

        The pairs are in topological order: those that enter a class come before those that leave it.
        """
        count, classes = self.num_j_classes, self.j_classes.astype(np.int64)
        heads = (classes[column] for column in (*self.monoid.right.T, *self.monoid.left.T))
        keys = [_distinct((classes * count + head)[head != classes]) for head in heads]
        arcs = np.stack(np.divmod(_distinct(np.concatenate(keys)), count), axis=1)
        place = np.empty(count, np.int32)
        place[self.j_classes] = self._j_components
        return arcs[np.argsort(-place[arcs[:, 0]], kind="stable")].astype(np.int32)

    @cached_property
    def j_depths(self) -> IntArray:
        """The length of the longest chain from the identity's J-class down to each, int32 (J-classes,)."""
        return depths(self.j_arcs, self.num_j_classes)

    @cached_property
    def j_order(self) -> BoolArray:
        """The J-order: entry (i, k) tells whether class k lies under class i or is class i; bool (J-, J-classes).

        Raises:
            TooLargeError: more than 10,000 J-classes; `j_arcs` works at any size.
        """
        count = self.num_j_classes
        if count > MAX_ORDER:
            raise TooLargeError(
                f"The J-order of {count:,} classes cannot be made. The limit is {MAX_ORDER:,} classes. Use j_arcs."
            )
        under = np.eye(count, dtype=np.bool_)
        for upper, lower in self.j_arcs[::-1]:
            under[upper] |= under[lower]
        return under

    @cached_property
    def j_covers(self) -> IntArray:
        """Pairs (upper, lower) of J-classes with none in between, int32 (pairs, 2): the Hasse diagram.

        Raises:
            TooLargeError: more than 10,000 J-classes.

        Example:
            >>> from seqbench.algebra import families
            >>> GreensRelations(Monoid.of(families.build("dyck", {"depth": 1}))).j_covers.tolist()
            [[0, 1], [1, 2]]
        """
        # An arc down to a class is a cover iff that class lies under none of the other heads.
        arcs, order = self.j_arcs, self.j_order
        heads_of = np.split(arcs[:, 1], np.flatnonzero(np.diff(arcs[:, 0])) + 1)
        covers: IntArray = arcs[np.concatenate([order[np.ix_(heads, heads)].sum(axis=0) == 1 for heads in heads_of])]
        return covers

    @cached_property
    def _j_components(self) -> IntArray:
        return components(np.hstack([self.monoid.right, self.monoid.left]))

    def _count_in_j(self, classes: IntArray) -> npt.NDArray[np.int64]:
        least = np.unique(classes, return_index=True)[1]
        return np.bincount(self.j_classes[least], minlength=self.num_j_classes)


def _distinct(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The distinct values, ascending: asking for counts too makes NumPy sort, where its hash table is far slower."""
    return np.unique(values, return_counts=True)[0]


def _numbered(values: npt.NDArray[np.integer[Any]]) -> IntArray:
    """The values renumbered 0, 1, ... in the order of their first appearance."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int32)
    number[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    numbers: IntArray = number[inverse]
    return numbers
