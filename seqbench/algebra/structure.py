"""Where a language sits: properties of its syntactic monoid."""

import numpy as np

from seqbench.algebra.monoid import Monoid


def is_aperiodic(monoid: Monoid) -> bool:
    """Whether every group in the monoid is trivial: the language is star-free (Schuetzenberger 1965).

    A map t of n points has t^n = t^(n+1) iff the powers of t settle instead of turning round a cycle.

    Example:
        >>> from seqbench.algebra import families
        >>> is_aperiodic(Monoid.of(families.build("dyck", {"depth": 4})))
        True
        >>> is_aperiodic(Monoid.of(families.build("modular_sum", {"modulus": 2, "weights": [0, 1]})))
        False
    """
    power = monoid.maps
    for _ in range(monoid.machine.num_states.bit_length()):
        power = np.take_along_axis(power, power, axis=1)
    return bool((np.take_along_axis(monoid.maps, power, axis=1) == power).all())
