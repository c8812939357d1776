"""Pictures of a language by name."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqbench.algebra.monoid import Monoid
from seqbench.drawing.automata import automaton
from seqbench.drawing.boxes import egg_box
from seqbench.drawing.style import checked_path, data_uri, look, save
from seqbench.errors import InputError, unknown_name
from seqbench.notebook import image

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


def shown(make: Callable[[], "Figure"], alt: str) -> str:
    """A picture for a notebook as HTML, with the text that stands for it; nothing where matplotlib is missing.

    Example:
        >>> from seqbench.algebra import families
        >>> shown(lambda: automaton(families.build("even_pairs")), "the automaton")[:37]
        '<img src="data:image/svg+xml;base64,P'
    """
    try:
        look()
    except InputError:
        return ""
    return image(data_uri(make()), alt)


def draw(machine: "Machine", kind: str, path: str | Path) -> dict[str, Any]:
    """Writes a picture of a machine; returns what was drawn, as plain data.

    Raises:
        UnknownNameError: another kind of picture.
        InputError: a path that no picture can have, or no matplotlib.

    Example:
        >>> import tempfile
        >>> from seqbench.algebra import families
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     facts = draw(families.build("even_pairs"), "automaton", Path(folder) / "even_pairs.svg")
        >>> facts["kind"], facts["states"], facts["bytes"] > 0
        ('automaton', 5, True)
    """
    checked_path(path)  # before the work
    written = save(picture_of(machine, kind), path)
    return {"kind": kind, "out": str(written), "bytes": written.stat().st_size, "states": machine.num_states}
