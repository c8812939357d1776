"""Random streams: Random123's known answers, and that no two uses ever meet."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from seqbench.generation import streams as rng
from seqbench.generation.splits import Identity

ONES = 0xFFFFFFFF


def philox(counter, key):
    return tuple(int(word) for word in rng.philox(*(np.uint64(word) for word in (*counter, *key))))


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((ONES,) * 4, (ONES,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_known_answers_of_random123(counter, key, answer):
    assert philox(counter, key) == answer


def reference(counter, key):
    """Philox4x32-10 written from the paper in plain whole numbers."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(10):
        (h0, l0), (h1, l1) = divmod(0xD2511F53 * c0, 2**32), divmod(0xCD9E8D57 * c2, 2**32)
        c0, c1, c2, c3 = h1 ^ c1 ^ k0, l1, h0 ^ c3 ^ k1, l0
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return c0, c1, c2, c3


WORD32 = st.integers(0, ONES)


def draw_four(streams):
    """The first four 64-bit words of every stream."""
    return np.concatenate([rng.draw64(streams), rng.draw64(streams, counter=1)])


@given(st.tuples(*[WORD32] * 4), st.tuples(*[WORD32] * 2))
def test_philox_is_that_of_the_paper(counter, key):
    assert philox(counter, key) == reference(counter, key)


@given(st.lists(st.tuples(*[WORD32] * 5), min_size=1, max_size=5))
def test_draw64_reads_the_stream_from_its_beginning(rows):
    drawn = draw_four(np.array(rows, dtype=np.uint32).T.copy())
    for i, (k0, k1, c1, c2, c3) in enumerate(rows):
        a, b, c, d = reference((0, c1, c2, c3), (k0, k1))
        e, f, g, h = reference((1, c1, c2, c3), (k0, k1))
        assert drawn[:, i].tolist() == [(a << 32) | b, (c << 32) | d, (e << 32) | f, (g << 32) | h]


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**63 - 1))
def test_below_is_the_upper_half_of_the_product(word, bound):
    assert rng.below(np.array([word], dtype=np.uint64), bound).tolist() == [word * bound >> 64]


def test_below_takes_a_bound_a_word():
    words, bounds = np.array([2**63, 2**63, 2**64 - 1], dtype=np.uint64), np.array([1, 7, 10**12])
    assert rng.below(words, bounds).tolist() == [0, 3, 10**12 - 1]


PLACES = {
    "dataset": ["dyck_d6", "dyck_d", "tomita_3"],
    "version": ["1.0.0", "1.0.1"],
    "recipe": ["{}", '{"labels": null}'],
    "seed": [0, 1, 42, 43, 2**64 - 1],
    "split": ["train", "validation", "test", "test_near_miss"],
    "unit": [0, 1, 2, 42, 43, "41/0", "41/1", "4/10", "410/0"],
}


def test_no_two_units_share_a_key_or_a_word():
    keys, words = set(), set()
    places = list(itertools.product(*PLACES.values()))
    for *identity, unit in places:
        key = Identity(*identity).key(unit)
        keys.add(key.tobytes())
        words.update(draw_four(rng.row_streams(key, np.arange(4))).ravel().tolist())
    assert len(keys) == len(places)
    assert len(words) == 16 * len(places)  # a chance meeting of 34,560 words of 64 bits: below 10^-10


def test_keys_are_not_fooled_by_how_parts_are_cut():
    assert rng.unit_key("ab", "c").tolist() != rng.unit_key("a", "bc").tolist()
    assert rng.unit_key("a", "", "b").tolist() != rng.unit_key("a", "b", "").tolist()
    assert rng.unit_key(1, 23).tolist() != rng.unit_key(12, 3).tolist()


def test_rows_lanes_and_attempts_never_meet():
    base = rng.row_streams(rng.unit_key("x"), np.array([0, 1, 2, 4094, 4095]))
    attempts = [0, 1, 2, 3, 500, 1999, 2000]
    seen = [
        tuple(row)
        for attempt in attempts
        for lane in (rng.CHOICE, rng.FIRST_WORD, rng.SECOND_WORD)
        for row in rng.lane(rng.lane(base, 0, attempt), lane).T.tolist()
    ]
    assert len(seen) == len(set(seen)) == len(attempts) * 3 * 5


def test_lanes_leave_the_streams_they_come_from_alone():
    base = rng.row_streams(rng.unit_key("x"), np.arange(3))
    before = base.copy()
    rng.lane(base, 2, 5)
    assert (base == before).all()


@pytest.mark.parametrize("seeds", [(0, 1), (42, 43), (0, 2**32), (2**64 - 2, 2**64 - 1)])
def test_neighbouring_seeds_share_nothing(seeds):
    drawn = [
        {
            word
            for unit in range(20)
            for word in draw_four(rng.row_streams(rng.unit_key("d", seed, unit), np.arange(500))).ravel().tolist()
        }
        for seed in seeds
    ]
    assert not drawn[0] & drawn[1]  # 40,000 words each of 64 bits: a chance meeting has probability below 10^-10


@pytest.mark.parametrize("word", range(4))
@pytest.mark.parametrize("shift", [0, 8, 32, 56])
def test_all_bytes_are_uniform(word, shift):
    """Chi-square with 255 degrees of freedom; fixed seed, p > 1e-6."""
    drawn = draw_four(rng.row_streams(rng.unit_key("uniform", word, shift), np.arange(50_000)))[word]
    counts = np.bincount((drawn >> np.uint64(shift)) & np.uint64(255), minlength=256)
    assert stats.chisquare(counts).pvalue > 1e-6


def test_rows_are_independent_of_their_neighbours():
    """Pairs of upper bits of rows next to one another, 16 x 16 cells; fixed seed, p > 1e-6."""
    drawn = (rng.draw64(rng.row_streams(rng.unit_key("pairs"), np.arange(60_000)))[0] >> np.uint64(60)).astype(int)
    for distance in (1, 2, 64):
        counts = np.bincount(16 * drawn[:-distance] + drawn[distance:], minlength=256)
        assert stats.chisquare(counts).pvalue > 1e-6
