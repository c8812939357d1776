"""Tables of exact sampling, against exact whole-number counts."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from seqbench.catalogue.languages import machine_of, monoid_of
from seqbench.catalogue.reader import open_catalogue
from seqbench.generation import streams as rng
from seqbench.generation.counts import Groups, groups_of, make_tables, pick
from seqbench.generation.edits import KINDS, edit_graph
from seqbench.generation.graph import class_graph, machine_graph
from seqbench.generation.laws import LAWS
from seqbench.generation.scaled import CERTAIN
from seqbench.generation.words import walk

LONGEST = 2000
LOOKED_AT = sorted({*range(1, 10), 63, 64, 65, 127, 128, 129, 130, 499, 500, 1024, 1999, 2000})
WHOLE = 2**64


def exact_counts(graph, longest):
    """Words of each length that reach each node, as whole numbers of Python, by a plain sum over the in-edges."""
    bounds, source = graph.indptr.tolist(), graph.source.tolist()
    counts = [0] * graph.num_nodes
    counts[graph.start] = 1
    yield counts
    for _ in range(longest):
        counts = [sum(counts[source[e]] for e in range(a, b)) for a, b in itertools.pairwise(bounds)]
        yield counts


def off(thresholds, weights):
    """The total variation distance, times 2^64, between a choice by thresholds and one in proportion to weights.

    A threshold of CERTAIN stands for 2^64. Exact where the sum of weights is small, else off by less than the number of
    weights.
    """
    whole, below, distance = sum(weights), 0, 0
    for threshold, weight in zip(thresholds, weights, strict=True):
        above = WHOLE if threshold == int(CERTAIN) else max(threshold, below)
        distance += abs((above - below) - (weight << 64) // whole)
        below = above
    assert below == WHOLE, "the last threshold does not lie above every draw"
    return distance / 2


def check(graph, groups, longest, looked_at):
    """All thresholds at some lengths; the number of words of each group."""
    tables = make_tables(graph, groups, longest)
    bounds, source = graph.indptr.tolist(), graph.source.tolist()
    before = []
    for t, counts in enumerate(exact_counts(graph, longest)):
        if t in looked_at:
            edges, ends, total = tables.edges[t].tolist(), tables.ends[t].tolist(), tables.total[t].tolist()
            for x in range(graph.num_nodes):
                a, b = bounds[x], bounds[x + 1]
                if counts[x]:
                    assert off(edges[a:b], [before[source[e]] for e in range(a, b)]) <= b - a
            for g in range(groups.num_groups):
                a, b = groups.indptr[g], groups.indptr[g + 1]
                weights = [counts[x] for x in groups.nodes[a:b].tolist()]
                if sum(weights):
                    assert off(ends[a:b], weights) <= b - a
                    close(total[g], int(tables.exponent[t, g]), sum(weights))
                else:
                    assert total[g] == 0
        before = counts


def close(upper, exponent, exact):
    """Whether the upper 64 bits of a count are right up to one in the last place."""
    found = Fraction(upper) * Fraction(2) ** (64 + exponent)
    assert abs(found - exact) <= Fraction(exact, 2**62)


def by_label(machine):
    return groups_of(machine.outputs, machine.num_labels)


def every(num_nodes):
    return groups_of(np.arange(num_nodes), num_nodes)


def test_thresholds_over_states(language):
    machine, _ = language
    check(machine_graph(machine), by_label(machine), LONGEST, LOOKED_AT)


def test_thresholds_over_classes(language):
    """Each choice is off by at most k 2^-64 over k edges, so a word of n symbols by n k 2^-64 (in total variation)."""
    _, monoid = language
    looked_at = LOOKED_AT if len(monoid) < 100 else [1, 2, 7, 500, 2000]
    check(class_graph(monoid), every(len(monoid)), LONGEST, looked_at)


def test_thresholds_over_edits(language):
    machine, _ = language
    if not machine.is_acceptor:
        pytest.skip("no members, so no near misses")
    graph, kinds = edit_graph(machine)
    longest = 500 if graph.num_nodes < 500 else 40
    check(graph, groups_of(kinds, len(KINDS)), longest, [1, 2, 3, 8, 20, 40, 129, 500])


def test_a_length_has_words_exactly_where_the_monoid_says(language):
    _, monoid = language
    tables = make_tables(class_graph(monoid), every(len(monoid)), LONGEST)
    there = np.array([monoid.reach(t) for t in range(LONGEST + 1)])
    assert np.array_equal(tables.total > 0, there)


def test_rare_classes_are_not_lost():
    """Floats with a common scale lose 258 of these 259 classes."""
    monoid = monoid_of(machine_of(open_catalogue(), "arithmetic", {"modulus": 5}))
    total = make_tables(class_graph(monoid), every(len(monoid)), LONGEST).total
    assert (total[LONGEST] > 0).sum() == (total[LONGEST - 1] > 0).sum() == 259


def test_sampled_words_have_their_exact_probability(language):
    """The product of the widths of the thresholds that a word fell into, against one over the words of its label."""
    machine, _ = language
    law, length = LAWS["balanced"](machine, None, machine.outputs), 499
    out = np.empty(20 * length, dtype=np.uint8)
    streams = rng.row_streams(rng.unit_key("exact"), np.arange(20))
    law.fill(np.full(20, length), np.arange(20) * length, streams, out)
    graph, groups = machine_graph(machine), by_label(machine)
    tables = make_tables(graph, groups, length)
    *_, counts = exact_counts(graph, length)
    position = {
        (int(graph.source[e]), int(graph.symbol[e]), x): e - int(graph.indptr[x])
        for x in range(graph.num_nodes)
        for e in range(graph.indptr[x], graph.indptr[x + 1])
    }
    for word in out.reshape(20, length).tolist():
        states = [0]
        for symbol in word:
            states.append(int(machine.transitions[states[-1], symbol]))
        label = machine.outputs[states[-1]]
        assert label >= 0
        group = slice(groups.indptr[label], groups.indptr[label + 1])
        ends = groups.nodes[group].tolist()
        probability = Fraction(width(tables.ends[length, group].tolist(), ends.index(states[-1])), WHOLE)
        for t, symbol in enumerate(word, start=1):
            x = states[t]
            thresholds = tables.edges[t, graph.indptr[x] : graph.indptr[x + 1]].tolist()
            probability *= Fraction(width(thresholds, position[states[t - 1], symbol, x]), WHOLE)
        assert abs(probability * sum(counts[x] for x in ends) - 1) < Fraction(1, 2**45)


def width(thresholds, index):
    below = thresholds[index - 1] if index else 0
    above = thresholds[index]
    return (WHOLE if above == int(CERTAIN) else above) - (WHOLE if below == int(CERTAIN) else below)


@pytest.mark.parametrize(
    "thresholds",
    [
        [0, CERTAIN],
        [CERTAIN, CERTAIN],
        [0, 0, CERTAIN],
        [0, 5, 5, CERTAIN, CERTAIN],
        [2**63, CERTAIN],
        [CERTAIN],
        [1, 2**32, 2**63, CERTAIN - np.uint64(1), CERTAIN],
    ],
)
def test_a_pick_takes_the_first_threshold_above_the_draw_and_never_one_of_no_width(thresholds):
    array = np.array([7, *map(int, thresholds), 9], dtype=np.uint64)  # neighbours that are none of its business
    draws = {0, 1, 2, 4, 5, 6, 2**32 - 1, 2**32, 2**63 - 1, 2**63, WHOLE - 3, WHOLE - 2, WHOLE - 1}
    bounds = [WHOLE if t == CERTAIN else int(t) for t in thresholds]
    for draw in draws:
        chosen = pick(array, 1, 1 + len(thresholds), np.uint64(draw)) - 1
        # A threshold of 2^64 - 1 means certain, so the very last draw cannot tell it from the one below.
        assert chosen == next(i for i, bound in enumerate(bounds) if min(draw, WHOLE - 2) < bound)
        assert bounds[chosen] > (bounds[chosen - 1] if chosen else 0)


def test_groups_keep_the_order_of_nodes():
    groups = groups_of(np.array([1, 0, -1, 1, 0, 3]), 5)
    assert [groups.nodes[a:b].tolist() for a, b in itertools.pairwise(groups.indptr)] == [
        [1, 4], [0, 3], [], [5], [],
    ]  # fmt: skip
    assert groups.num_groups == 5


def reference_walk(graph, tables, end, length, stream):
    """A word by the rule of the tables and the stream, one symbol at a time."""
    word, node = [], end
    for t in range(length, 0, -1):
        high = int(philox_words(stream, t >> 2)[t & 3])
        low = int(philox_words(stream, (1 << 30) + t)[0])
        draw = min((high << 32) | low, WHOLE - 2)
        first, last = int(graph.indptr[node]), int(graph.indptr[node + 1])
        edge = next(e for e in range(first, last) if draw < int(tables.edges[t, e]))
        word.append(int(graph.symbol[edge]))
        node = int(graph.source[edge])
    assert node == graph.start
    return word[::-1]


def philox_words(stream, counter):
    key_low, key_high, row, unit_low, unit_high = (np.uint64(word) for word in stream)
    return rng.philox(np.uint64(counter), row, unit_low, unit_high, key_low, key_high)


def test_walks_follow_the_tables_and_the_streams(language):
    """Words of mixed lengths, more than one tile of them, each as if it had been walked alone."""
    machine, monoid = language
    lengths = np.array([1 + (37 * i) % 130 for i in range(150)])
    for graph in (machine_graph(machine), class_graph(monoid)):
        tables = make_tables(graph, Groups(np.array([0, 0]), np.empty(0, dtype=np.int32)), int(lengths.max()))
        counts = list(exact_counts(graph, int(lengths.max())))
        ends = np.array([max(x for x, count in enumerate(counts[n]) if count) for n in lengths])
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        streams = rng.row_streams(rng.unit_key("walk"), np.arange(len(lengths)))
        out = np.full(offsets[-1], 255, dtype=np.uint8)
        walk(graph, tables, ends, lengths, offsets[:-1], streams, out)
        for i in [*range(0, 150, 11), 63, 64, 65, 127, 128, 149]:
            word = out[offsets[i] : offsets[i + 1]].tolist()
            assert word == reference_walk(graph, tables, int(ends[i]), int(lengths[i]), streams[:, i])


def test_probabilities_sum_to_one_for_a_word_of_each_kind():
    """A check of the tests' own yardstick: an ideal choice is off by nothing, a fair one of unequal parts by much."""
    assert off([WHOLE // 4, int(CERTAIN)], [1, 3]) == 0
    assert math.isclose(off([WHOLE // 2, int(CERTAIN)], [1, 3]), WHOLE / 4)
