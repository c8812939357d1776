"""Where a language sits: what Green's relations and the subgroups of its syntactic monoid say about it."""

from functools import cached_property

import numpy as np
import numpy.typing as npt

from seqbench.algebra.green import GreensRelations
from seqbench.algebra.groups import perfect_order, solvable_by_order
from seqbench.algebra.monoid import Monoid

MAX_GROUP = 500_000
DESCRIBED = 10_000  # elements of a monoid whose level is found out to describe it

LEVELS = {
    "is_nilpotent": "finite or co-finite (nilpotent)",
    "is_j_trivial": "piecewise testable (J-trivial)",
    "is_r_trivial": "partially ordered automaton (R-trivial)",
    "is_l_trivial": "partially ordered automaton of the reversed words (L-trivial)",
    "in_da": "two-variable first-order logic (DA)",
    "is_aperiodic": "star-free (aperiodic)",
    "is_solvable": "solvable groups (ACC0)",
}
"""The levels in plain words by the predicate that holds there, the most specific first; each is within those after it
(only R- and L-trivial are side by side)."""

PERFECT = {60: "A5", 168: "PSL(2, 7)", 360: "A6", 2520: "A7"}
"""Perfect groups known by their order alone."""


def is_aperiodic(monoid: Monoid) -> bool:
    """Whether every group in the monoid is trivial: the language is star-free (Schuetzenberger 1965).

    Example:
        >>> from seqbench.algebra import families
        >>> is_aperiodic(Monoid.of(families.build("dyck", {"depth": 4})))
        True
        >>> is_aperiodic(Monoid.of(families.build("modular_sum", {"modulus": 2, "weights": [0, 1]})))
        False
    """
    return Structure(monoid).is_aperiodic


class Structure(GreensRelations):
    """The structure of a monoid: Green's relations, its subgroups, the varieties it lies in, the level of its language.

    A machine with several labels stands for several languages; what is said holds for the hardest of them.

    Sources: Pin, "Mathematical foundations of automata theory", 2010; Straubing, "Finite automata, formal logic, and
    circuit complexity", 1994.

    Args:
        monoid: the syntactic monoid.

    Example:
        >>> from seqbench.algebra import families
        >>> structure = Structure(Monoid.of(families.build("dyck", {"depth": 4})))
        >>> structure.num_r_classes, structure.num_l_classes, structure.num_j_classes, structure.num_idempotents
        (16, 16, 6, 16)
        >>> structure.level
        'star-free (aperiodic)'
    """

    def __repr__(self) -> str:
        """A short description, with the level where it is known or soon found."""
        level = f": {self.level}" if "level" in vars(self) or len(self.monoid) <= DESCRIBED else ""
        return f"<Structure of {len(self.monoid):,} elements{level}>"

    @cached_property
    def is_aperiodic(self) -> bool:
        """Whether every subgroup is trivial: star-free languages (Schuetzenberger 1965; first-order logic)."""
        return self.num_h_classes == len(self.monoid)

    @property
    def is_group(self) -> bool:
        """Whether every element has an inverse: each letter permutes the machine's states."""
        return self.num_j_classes == 1

    @cached_property
    def is_commutative(self) -> bool:
        """Whether the order of letters never matters."""
        letters, symbols = np.unique(self.monoid.right[0], return_index=True)
        products = self.monoid.right[np.ix_(letters, symbols)]
        return bool((products == products.T).all())

    @property
    def is_idempotent(self) -> bool:
        """Whether every element is an idempotent: the monoid is a band."""
        return self.num_idempotents == len(self.monoid)

    @property
    def is_j_trivial(self) -> bool:
        """Whether no two elements are J-related: piecewise testable languages (Simon 1975)."""
        return self.num_j_classes == len(self.monoid)

    @property
    def is_r_trivial(self) -> bool:
        """Whether no two elements are R-related: no cycle in the machine but loops (Brzozowski and Fich 1980)."""
        return self.num_r_classes == len(self.monoid)

    @property
    def is_l_trivial(self) -> bool:
        """Whether no two elements are L-related: R-trivial for the reversed words."""
        return self.num_l_classes == len(self.monoid)

    @cached_property
    def is_nilpotent(self) -> bool:
        """Whether the semigroup of the non-empty words' classes is nilpotent: its one idempotent is a zero.

        Then all words beyond some length are equivalent: the language is finite or co-finite (Eilenberg 1976).
        """
        of_words = np.zeros(len(self.monoid), np.bool_)
        of_words[self.monoid.right] = True
        return bool(self.idempotents[of_words[self.idempotents]].tolist() == [self.monoid.zero])

    @property
    def in_da(self) -> bool:
        """Whether every regular element is an idempotent: first-order logic with two variables.

        Source: Therien and Wilke, "Over words, two variables are as powerful as one quantifier alternation", 1998.
        """
        return int(self.j_sizes[self.regular].sum()) == self.num_idempotents

    @property
    def is_solvable(self) -> bool | None:
        """Whether every subgroup is solvable: then the language is in ACC0 (Barrington and Therien 1988).

        None if that is not known: a group of more than 500,000 elements whose order does not settle it.
        """
        return None if self.perfect_order is None else self.perfect_order == 1

    @cached_property
    def perfect_order(self) -> int | None:
        """The least order of a perfect group in which a maximal subgroup's derived series ends; 1 if all are solvable.

        None if no such group is found and a maximal subgroup is too large to look into.

        Example:
            >>> from seqbench.algebra import families
            >>> parameters = {"degree": 5, "generators": [[1, 2, 3, 4, 0], [1, 0, 2, 3, 4]]}
            >>> Structure(Monoid.of(families.build("permutation_group", parameters))).perfect_order
            60
        """
        hard = [int(j) for j in np.flatnonzero(self.regular) if not solvable_by_order(int(self.group_orders[j]))]
        feasible = [j for j in hard if self.group_orders[j] <= MAX_GROUP]
        orders = [order for j in feasible if (order := perfect_order(self.group(j))) > 1]
        if orders:
            return min(orders)
        return 1 if feasible == hard else None

    def group(self, j_class: int) -> npt.NDArray[np.int32]:
        """The maximal subgroup of a regular J-class as permutations, int32 (order, points), the identity first.

        It is the H-class of the J-class's least idempotent e, which acts faithfully on the states that e reaches.
        A J-class that is not regular has no subgroup: shape (0, 0).

        Example:
            >>> from seqbench.algebra import families
            >>> parity = Structure(Monoid.of(families.build("modular_sum", {"modulus": 2, "weights": [0, 1]})))
            >>> parity.group(0).tolist()
            [[0, 1], [1, 0]]
        """
        inside = self.idempotents[self.j_classes[self.idempotents] == j_class]
        if not inside.size:
            return np.empty((0, 0), np.int32)
        unit = inside[0]
        members = np.flatnonzero(self.h_classes == self.h_classes[unit])
        order = np.concatenate([[unit], members[members != unit]])
        image = np.unique(self.monoid.maps[unit])
        permutations: npt.NDArray[np.int32] = self.monoid.maps[np.ix_(order, image)]
        return np.searchsorted(image, permutations).astype(np.int32)

    @cached_property
    def level(self) -> str:
        """The language's level in plain words: the most specific of LEVELS, or what keeps it out of them.

        A monoid with a subgroup that is not solvable has a word problem that is complete for NC1: Barrington,
        "Bounded-width polynomial-size branching programs recognize exactly those languages in NC1", 1989.

        Example:
            >>> from seqbench.algebra import families
            >>> Structure(Monoid.of(families.build("modular_sum", {"modulus": 2, "weights": [0, 1]}))).level
            'solvable groups (ACC0)'
        """
        for predicate, words in LEVELS.items():
            if getattr(self, predicate):
                return words
        if self.perfect_order is None:
            return f"groups too large to look into (the largest of order {self.largest_group:,})"
        group = PERFECT.get(self.perfect_order, f"a perfect group of order {self.perfect_order:,}")
        return f"not solvable: holds {group}; NC1-complete word problem"

    @cached_property
    def facts(self) -> dict[str, int | bool | str | None]:
        """Sizes, predicates and level by name, as plain values: for reports.

        Example:
            >>> from seqbench.algebra import families
            >>> facts = Structure(Monoid.of(families.build("dyck", {"depth": 1}))).facts
            >>> facts["num_j_classes"], facts["is_solvable"], facts["level"]
            (3, True, 'star-free (aperiodic)')
        """
        counts = ("num_r_classes", "num_l_classes", "num_j_classes", "num_h_classes", "num_idempotents")
        predicates = ("is_group", "is_commutative", "is_idempotent", *LEVELS)
        return {name: getattr(self, name) for name in (*counts, "largest_group", *predicates, "level")}
