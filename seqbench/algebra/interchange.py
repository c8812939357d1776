"""Machines out of and into other people's formats: JSON, DOT, networkx."""

import json
from typing import Any

from seqbench.algebra.machine import OUTSIDE, Machine
from seqbench.errors import DefinitionError


def to_json(machine: Machine) -> str:
    """The canonical JSON: one text a labelling, whose SHA-256 is the machine's fingerprint.

    Example:
        >>> to_json(Machine.build("01", [[0, 1], [1, 0]], [0, 1]))
        '{"alphabet":["0","1"],"labels":["reject","accept"],"outputs":[0,1],"transitions":[[0,1],[1,0]]}'
    """
    return machine.canonical_json


def from_json(text: str) -> Machine:
    """The canonical machine of a JSON text; its table need not be minimal, and null marks a missing transition.

    Raises:
        DefinitionError: no JSON, a key that is missing or unknown, or a table that cannot be used.

    Example:
        >>> machine = Machine.build("01", [[0, 1], [1, 0]], [0, 1])
        >>> from_json(to_json(machine)) == machine
        True
    """
    keys = {"alphabet", "labels", "outputs", "transitions"}
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise DefinitionError(f"The text is no JSON: {error}. Write one object with {sorted(keys)}.") from error
    if not isinstance(data, dict) or set(data) != keys:
        given = sorted(data) if isinstance(data, dict) else type(data).__name__
        raise DefinitionError(f"The JSON holds {given}. A machine is one object with exactly {sorted(keys)}.")
    if not all(isinstance(value, list) for value in (*data.values(), *data["transitions"])):
        raise DefinitionError("The JSON of a machine holds something else than a list. Every key and every row is one.")
    return Machine.build(data["alphabet"], data["transitions"], data["outputs"], labels=data["labels"])


def to_networkx(machine: Machine) -> Any:
    """The transition graph as a networkx.MultiDiGraph.

    Nodes are the states with attributes `output` (the label id), `label` (its name, "" outside) and `initial`; every
    transition is an edge with attributes `symbol` (the id) and `label` (the symbol).

    Example:
        >>> graph = to_networkx(Machine.build("01", [[0, 1], [1, 0]], [0, 1]))
        >>> list(graph.edges(data="label"))
        [(0, 0, '0'), (0, 1, '1'), (1, 1, '0'), (1, 0, '1')]
    """
    import networkx as nx

    graph = nx.MultiDiGraph()
    for state, output in enumerate(machine.outputs.tolist()):
        graph.add_node(state, output=output, label=_label(machine, output), initial=state == 0)
    for source, row in enumerate(machine.transitions.tolist()):
        for symbol, target in enumerate(row):
            graph.add_edge(source, target, symbol=symbol, label=machine.alphabet[symbol])
    return graph


def to_dot(machine: Machine) -> str:
    """The transition graph in Graphviz's language, in the convention of AALpy.

    `__start0` points to the initial state s0; acceptors have double circles, other machines show "state|label".

    Example:
        >>> print(to_dot(Machine.build("01", [[0, 1], [1, 0]], [0, 1])))
        digraph machine {
            s0 [label="s0", shape=circle];
            s1 [label="s1", shape=doublecircle];
            s0 -> s0 [label="0"];
            s0 -> s1 [label="1"];
            s1 -> s1 [label="0"];
            s1 -> s0 [label="1"];
            __start0 [label="", shape=none];
            __start0 -> s0 [label=""];
        }
        <BLANKLINE>
    """
    lines = ["digraph machine {"]
    for state, output in enumerate(machine.outputs.tolist()):
        text = f"s{state}" if machine.is_acceptor else f"s{state}|{_label(machine, output)}"
        shape = "doublecircle" if machine.is_acceptor and output else "circle" if machine.is_acceptor else "record"
        lines.append(f"    s{state} [label={_quoted(text)}, shape={shape}];")
    for source, row in enumerate(machine.transitions.tolist()):
        for symbol, target in zip(machine.alphabet, row, strict=True):
            lines.append(f"    s{source} -> s{target} [label={_quoted(symbol)}];")
    lines += ['    __start0 [label="", shape=none];', '    __start0 -> s0 [label=""];', "}", ""]
    return "\n".join(lines)


def _label(machine: Machine, output: int) -> str:
    return "" if output == OUTSIDE else machine.labels[output]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
