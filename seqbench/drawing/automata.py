"""Automata: a transition graph where it can be read, else the matrix of its transitions."""

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from seqbench.algebra.alphabet import Alphabet
from seqbench.algebra.machine import OUTSIDE, Machine
from seqbench.drawing import style
from seqbench.drawing.graph import Node, graph
from seqbench.drawing.plots import heat_map

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_STATES = 20
MAX_ARCS = 45
MAX_WRITTEN = 30
INLINE = 4


def automaton(machine: Machine) -> "Figure":
    """The picture of a machine: a graph up to 20 states and 45 arcs, else a matrix of which state leads to which.

    Arcs between the same two states are one, labelled by its symbols, or by \u03a3 if these are all of at least four.
    Accepting states have a double circle; states of other machines show "state/label", those outside the domain the
    number alone. A sink that rejects, or lies outside, is left out with a note. In a matrix of up to 30 states the
    symbols stand in the cells; its colours are numbers of symbols.

    Raises:
        InputError: no matplotlib.

    Example:
        >>> figure = automaton(Machine.build("01", [[0, 1], [1, 0]], [0, 1]))
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['1', '1', '0', '0', '0', '1']
    """
    sink = _sink(machine)
    shown = [state for state in range(machine.num_states) if state != sink]
    symbols = _symbols(machine, shown)
    labels = {arc: _label(ids, machine.alphabet) for arc, ids in symbols.items()}
    with style.look():
        if len(shown) <= MAX_STATES and sum(source != target for source, target in labels) <= MAX_ARCS:
            nodes = [_node(machine, state) for state in shown]
            return graph(
                nodes, labels, "" if sink is None else f"Not drawn: state {sink}, {_sink_text(machine, sink)}."
            )
        counts = np.zeros((len(shown), len(shown)))
        for arc, ids in symbols.items():
            counts[arc] = len(ids)
        names = [_node(machine, state).text.replace("\n", "") for state in shown]
        figure = heat_map(counts, names=names, xlabel="to state", ylabel="from state", value="symbols")
        if len(shown) <= MAX_WRITTEN:
            _write(figure, labels, counts)
    return figure


def _sink(machine: Machine) -> int | None:
    """The state, if there is one beside the initial one, after which every word is rejected, or outside."""
    loops = (machine.transitions == np.arange(machine.num_states)[:, None]).all(axis=1)
    dead = machine.outputs == (0 if machine.is_acceptor else OUTSIDE)
    found = np.flatnonzero(loops & dead)
    return int(found[0]) if found.size and found[0] > 0 else None


def _sink_text(machine: Machine, sink: int) -> str:
    return "the sink outside the domain" if machine.outputs[sink] == OUTSIDE else "the rejecting sink"


def _symbols(machine: Machine, shown: list[int]) -> dict[tuple[int, int], list[int]]:
    """The symbols that lead from one state shown to another, by their places."""
    place = {state: number for number, state in enumerate(shown)}
    symbols: dict[tuple[int, int], list[int]] = defaultdict(list)
    for source in shown:
        for symbol, target in enumerate(machine.transitions[source].tolist()):
            if target in place:
                symbols[place[source], place[target]].append(symbol)
    return symbols


def _label(ids: list[int], alphabet: Alphabet) -> str:
    """The symbols of an arc, four or more with successive code points as a range."""
    if len(ids) == len(alphabet) > 3:
        return "\u03a3"
    runs: list[list[str]] = []
    for symbol in (alphabet[number] for number in ids):
        if runs and len(symbol) == len(runs[-1][-1]) == 1 and ord(symbol) == ord(runs[-1][-1]) + 1:
            runs[-1].append(symbol)
        else:
            runs.append([symbol])
    parts = [part for run in runs for part in ([f"{run[0]}\u2026{run[-1]}"] if len(run) > 3 else run)]
    return (" " if "," in alphabet else ",").join(parts)


def _node(machine: Machine, state: int) -> Node:
    output = int(machine.outputs[state])
    if machine.is_acceptor:
        return Node(str(state), accepting=output == 1)
    if output == OUTSIDE:
        return Node(str(state), faint=True)
    gap = "/" if len(str(state)) + len(machine.labels[output]) <= INLINE else "/\n"
    return Node(f"{state}{gap}{machine.labels[output]}")


def _write(figure: "Figure", labels: dict[tuple[int, int], str], counts: npt.NDArray[np.float64]) -> None:
    """Writes the symbols into the cells of the matrix, light on dark ones."""
    room = 3.6 / len(counts) / style.EM
    for (source, target), label in labels.items():
        size = min(style.FONT_SIZE, room / len(label))
        if size >= 4:
            colour = "white" if counts[source, target] ** 2 > counts.max() else style.INK
            axes = figure.axes[0]
            axes.text(target, source, label, color=colour, fontsize=size, ha="center", va="center", parse_math=False)
