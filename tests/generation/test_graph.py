"""Path graphs hold the edges of their table, each once, and their padding is never walked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from seqbench.generation.graph import MAX_PADDED, class_graph, from_edges, from_table, machine_graph


def edges_of(graph):
    """(source, symbol, target) of all edges but the padding."""
    target = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    edges = zip(graph.source.tolist(), graph.symbol.tolist(), target.tolist(), strict=True)
    nowhere = graph.num_nodes - 1 if graph.degree else -1
    return [edge for edge in edges if edge[0] != nowhere]


def check(graph, table):
    expected = [(q, a, int(table[q, a])) for q in range(len(table)) for a in range(table.shape[1])]
    assert sorted(edges_of(graph)) == sorted(expected)
    assert graph.indptr[0] == 0
    assert graph.indptr[-1] == graph.num_edges
    if graph.degree:
        assert (np.diff(graph.indptr) == graph.degree).all()
        assert (graph.indptr == graph.degree * np.arange(graph.num_nodes + 1)).all()


def test_the_graphs_of_a_language(language):
    machine, monoid = language
    check(machine_graph(machine), machine.transitions)
    check(class_graph(monoid), monoid.right)


@given(st.data())
def test_any_table(data):
    states, symbols = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 6))
    table = data.draw(hnp.arrays(np.int32, (states, symbols), elements=st.integers(0, states - 1)))
    graph = from_table(table)
    check(graph, table)
    assert bool(graph.degree) == (np.bincount(table.ravel()).max() <= MAX_PADDED)


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5, 8, 9, 300])
def test_padding_ends_at_eight(degree):
    edges = np.zeros(degree, dtype=np.int64)
    graph = from_edges(edges, np.arange(degree), edges, 1)
    assert graph.degree == (max(4, degree) if degree <= 8 else 0)
    assert [symbol for _, symbol, _ in edges_of(graph)] == list(range(degree))
