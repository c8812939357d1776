"""Walks over hand-made tables: ties of the upper halves, edges of no width, searches, wide symbols."""

import itertools

import numpy as np
import pytest

from seqbench.generation import streams as rng
from seqbench.generation import words
from seqbench.generation.counts import Tables
from seqbench.generation.graph import from_edges
from seqbench.generation.scaled import CERTAIN

WHOLE = 2**64


def draws_of(stream, t):
    """Both 32-bit draws that step t of a word may use, as one of 64 bits."""
    key_low, key_high, row, unit_low, unit_high = (np.uint64(word) for word in stream)

    def at(counter):
        return [int(w) for w in rng.philox(np.uint64(counter), row, unit_low, unit_high, key_low, key_high)]

    return (at(t >> 2)[t & 3] << 32) | at((1 << 30) + t)[0]


def loops(degree):
    """One node with `degree` loops."""
    at = np.zeros(degree, dtype=np.int64)
    return from_edges(at, np.arange(degree), at, 1)


def padded(graph, thresholds):
    """Thresholds of one node's edges, then those of its padding, which has no width."""
    row = [min(int(t), int(CERTAIN)) for t in thresholds]
    return row + [int(CERTAIN)] * (graph.num_edges - len(row))


def walk(graph, thresholds, length, streams, dtype=np.uint8):
    """Words over given thresholds, shape (length + 1, edges)."""
    edges = np.array(thresholds, dtype=np.uint64)
    nothing = np.zeros((length + 1, 0), dtype=np.uint64)
    tables = Tables(edges, (edges >> np.uint64(32)).astype(np.uint32), nothing, nothing, nothing.astype(np.int32))
    rows = streams.shape[1]
    out = np.zeros(rows * length, dtype=dtype)
    lengths = np.full(rows, length)
    words.walk(graph, tables, np.zeros(rows, dtype=np.int32), lengths, np.arange(rows) * length, streams, out)
    return out.reshape(rows, length)


@pytest.mark.parametrize("degree", [2, 3, 8])
@pytest.mark.parametrize("place", [0, 1])
def test_ties_are_decided_by_all_64_bits(degree, place):
    """A threshold with the very upper half of the draw, at every step: below, at and above the draw."""
    if place >= degree - 1:
        pytest.skip("the last edge has no threshold of its own")
    length, graph = 40, loops(degree)
    stream = rng.row_streams(rng.unit_key("ties", degree), np.arange(1))
    draws = [draws_of(stream[:, 0], t) for t in range(length + 1)]
    for shift in (-1, 0, 1):
        rows = []
        for t in range(length + 1):
            row = [int(CERTAIN)] * graph.num_edges
            row[:place] = [0] * place
            row[place] = draws[t] + shift
            rows.append(row)
        word = walk(graph, rows, length, stream)[0]
        assert word.tolist() == [place if shift > 0 else place + 1] * length


@pytest.mark.parametrize("rows", [1, 64, 65])
def test_a_tie_of_one_word_changes_no_other(rows):
    length, graph = 30, loops(2)
    streams = rng.row_streams(rng.unit_key("one tie"), np.arange(rows))
    draws = np.array([[draws_of(streams[:, i], t) for t in range(length + 1)] for i in range(rows)], dtype=object)
    thresholds = [padded(graph, [draws[0, t], CERTAIN]) for t in range(length + 1)]
    expected = [[int(draws[i, t] >= draws[0, t]) for t in range(1, length + 1)] for i in range(rows)]
    assert walk(graph, thresholds, length, streams).tolist() == expected


def quick_choices(thresholds, half):
    """What each quick comparison that serves this number of edges makes of the upper half of a draw: (tied, edge)."""
    degree = len(thresholds)
    upper = (thresholds >> np.uint64(32)).astype(np.uint32)
    arrows = np.arange(degree, dtype=np.uint64)  # all lead to node 0; the symbol tells the edge
    calls = [(words._several, (degree,)), (words._any, (np.array([0, degree]),))]
    calls += [(words._four, ())] if degree == 4 else []
    for compare, more in calls:
        at, out = np.zeros(1, dtype=np.uint32), np.zeros(1, dtype=np.uint8)
        draws, base = np.array([half], dtype=np.uint32), np.zeros(1, dtype=np.uint64)
        tied = compare(upper, arrows, *more, draws, (at, at.copy(), base), 1, np.uint64(0), out)
        yield tied, int(out[0])


@pytest.mark.parametrize(
    "thresholds",
    [
        [0, WHOLE],
        [WHOLE, WHOLE],
        [0, 0, WHOLE],
        [0, WHOLE, WHOLE],
        [0, 2**63, 2**63, WHOLE],
        [2**40, 2**40, 2**40 + 1, WHOLE, WHOLE],
    ],
)
def test_edges_of_no_width_are_never_chosen(thresholds):
    """By the quick comparison where it decides, by all bits where it says that it does not."""
    degree = len(thresholds)
    full = np.array([min(t, WHOLE - 1) for t in thresholds], dtype=np.uint64)
    halves = sorted({0, 1, 2**32 - 2, 2**32 - 1, *(max(0, min(t, WHOLE - 1) >> 32) for t in thresholds), 2**31 - 1})
    for half, low in itertools.product(halves, [0, 1, 2**32 - 1]):
        right = words.pick(full, 0, degree, np.uint64((half << 32) | low))
        below = thresholds[right - 1] if right else 0
        assert below < thresholds[right], (half, low)
        for tied, chosen in quick_choices(full, half):
            assert tied or chosen == right, (half, low)


def test_no_word_leaves_the_edges_that_have_width():
    streams = rng.row_streams(rng.unit_key("width"), np.arange(200))
    for thresholds, only in (([0, WHOLE], 1), ([WHOLE, WHOLE], 0), ([0, WHOLE, WHOLE], 1)):
        graph = loops(len(thresholds))
        row = padded(graph, thresholds)
        assert (walk(graph, [row] * 101, 100, streams) == only).all()


@pytest.mark.parametrize("degree", [9, 300])
def test_many_in_edges_are_searched(degree):
    length, graph = 50, loops(degree)
    assert graph.degree == 0
    random = np.random.default_rng(degree)
    row = sorted(2 * int(t) for t in random.integers(0, 2**63, degree - 1))
    streams = rng.row_streams(rng.unit_key("search"), np.arange(70))
    found = walk(graph, [[*row, int(CERTAIN)]] * (length + 1), length, streams, np.uint16)
    for i in (0, 1, 63, 64, 69):
        bounds = [*row, WHOLE]
        expected = [
            next(e for e in range(degree) if draws_of(streams[:, i], t) < bounds[e]) for t in range(1, length + 1)
        ]
        assert found[i].tolist() == expected


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_fair_symbols_have_all_values_and_depend_on_their_stream_only(bits):
    """Words of independent symbols: another order, another company, a prefix of a longer word."""
    lengths = np.array([1, 700, 33, 32, 31, 129, 64, 5] * 9)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    streams = rng.row_streams(rng.unit_key("fair", bits), np.arange(len(lengths)))
    out = np.full(offsets[-1], 255, dtype=np.uint8)
    words.fill_fair(bits, lengths, offsets[:-1], streams, out)
    assert np.bincount(out, minlength=2**bits).min() > 0
    assert out.max() < 2**bits
    for i in (0, 1, 2, 5, 63, 64, 71):
        alone = np.empty(lengths[i], dtype=np.uint8)
        words.fill_fair(bits, lengths[i : i + 1], np.array([0]), streams[:, i : i + 1].copy(), alone)
        assert alone.tolist() == out[offsets[i] : offsets[i + 1]].tolist()
