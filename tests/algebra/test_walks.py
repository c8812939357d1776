from itertools import accumulate, chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.algebra import walks
from seqbench.errors import InputError


def slow(table, starts, rows):
    traces = []
    for state, row in zip(starts, rows, strict=True):
        traces.append(list(accumulate(row, lambda q, token: int(table[q, token]), initial=state)))
    return [trace[-1] for trace in traces], [state for trace in traces for state in trace[1:]]


@given(
    st.lists(st.lists(st.integers(0, 2), max_size=12), max_size=20),
    st.integers(0, 2**32 - 1),
    st.sampled_from([np.uint8, np.uint16]),
    st.integers(0, 3),
)
def test_walks_against_a_loop(rows, seed, dtype, skipped):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 7, (7, 3)).astype(np.int32)
    starts = rng.integers(0, 7, len(rows)).astype(np.int32)
    tokens = np.array([0] * skipped + [*chain(*rows)], dtype)
    offsets = skipped + np.cumsum([0, *map(len, rows)])
    finals, trace = slow(table, starts.tolist(), rows)
    assert walks.final_states(table, starts, tokens, offsets).tolist() == finals
    assert walks.all_states(table, starts, tokens, offsets).tolist() == trace
    assert walks.final_states(table, 4, tokens, offsets).tolist() == slow(table, [4] * len(rows), rows)[0]


@pytest.mark.parametrize(
    ("start", "tokens", "offsets"),
    [
        (0, np.array([2], np.uint8), [0, 1]),
        (2, np.array([0], np.uint8), [0, 1]),
        (-1, np.array([0], np.uint8), [0, 1]),
        (0, np.array([0], np.uint8), [0, 2]),
        (0, np.array([0, 0], np.uint8), [0, 2, 1]),
        (0, np.array([0], np.uint8), [-1, 1]),
        (0, np.array([0], np.uint8), []),
        (0, np.array([0], np.int64), [0, 1]),
    ],
)
def test_nothing_reads_outside_the_table(start, tokens, offsets):
    table = np.array([[0, 1], [1, 0]], np.int32)
    with pytest.raises(InputError):
        walks.final_states(table, start, tokens, np.array(offsets, np.int64))
