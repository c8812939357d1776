import json

import networkx as nx
import pytest
from hypothesis import given

from seqbench.algebra import families
from seqbench.algebra.interchange import from_json, to_dot, to_json, to_networkx
from seqbench.algebra.machine import Machine
from seqbench.errors import DefinitionError
from tests.algebra.strategies import machines


@given(machines())
def test_json_is_canonical(machine):
    text = to_json(machine)
    assert from_json(text) == machine
    assert to_json(from_json(text)) == text


@given(machines())
def test_networkx_holds_every_transition(machine):
    graph = to_networkx(machine)
    assert isinstance(graph, nx.MultiDiGraph)
    edges = {(source, data["symbol"]): target for source, target, data in graph.edges(data=True)}
    for (source, symbol), target in edges.items():
        assert machine.transitions[source, symbol] == target
    assert len(edges) == machine.transitions.size
    assert [graph.nodes[q]["output"] for q in range(machine.num_states)] == machine.outputs.tolist()


def test_dot_quotes_and_shows_outputs():
    text = to_dot(Machine.build(['"', "\\"], [[0, 0]], [1]))
    assert r'[label="\""]' in text
    assert r'[label="\\"]' in text
    assert "doublecircle" in text
    moore = to_dot(families.build("arithmetic", {"modulus": 2}))
    assert '[label="s1|0"' in moore
    assert "__start0 -> s0" in moore


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        json.dumps({"alphabet": ["0"], "labels": ["a"], "outputs": [0], "transitions": [0]}),
        json.dumps({"alphabet": ["0"], "labels": ["a"], "outputs": [0], "transitions": [[5]]}),
        json.dumps({"alphabet": "01", "labels": ["a"], "outputs": [0], "transitions": [[0, 0]]}),
    ],
)
def test_bad_json(text):
    with pytest.raises(DefinitionError):
        from_json(text)
