"""Pictures of a language by name."""

from typing import TYPE_CHECKING

from seqbench.algebra.monoid import Monoid
from seqbench.drawing.automata import automaton
from seqbench.drawing.boxes import egg_box
from seqbench.errors import unknown_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from seqbench.algebra.machine import Machine

KINDS = ("automaton", "egg-box")


def picture_of(machine: "Machine", kind: str) -> "Figure":
    """The picture of a machine, or the egg-box picture of its syntactic monoid.

    Raises:
        UnknownNameError: another kind of picture.
        InputError: matplotlib is not installed.

    Example:
        >>> from seqbench.algebra import families
        >>> len(picture_of(families.build("even_pairs"), "egg-box").axes)
        1
    """
    if kind not in KINDS:
        raise unknown_name("kind of picture", kind, KINDS)
    return automaton(machine) if kind == "automaton" else egg_box(Monoid.of(machine))
