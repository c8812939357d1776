"""In-context recall: rows by the documented law, labels by looking back, malformed rows."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import seqbench
from seqbench.errors import InputError
from seqbench.generation import streams as rng
from seqbench.generation.plan import plan
from seqbench.generation.tasks import TASKS


def task(**options):
    kind = TASKS["in_context_recall"]
    return kind.build(kind.check(options))


def rows(made, length, n):
    columns = made.draw(np.full(n, length), rng.row_streams(rng.unit_key("tests", length), np.arange(n)))
    return columns["input_ids"].to_pylist(), columns["labels"].to_pylist()


def looked_back(ids, keys, every):
    """For each key at an even place of the pairs, and for the last: the symbol after its first occurrence."""
    labels = [-100] * len(ids)
    places = range(0, len(ids) - 1, 2) if every else []
    for place in [*places, len(ids) - 1]:
        before = [other for other in range(0, place - 1, 2) if ids[other] == ids[place] < keys]
        if before:
            labels[place] = ids[before[0] + 1]
    return labels


@pytest.mark.parametrize("noise", [0.0, 0.4])
@pytest.mark.parametrize("every", [True, False])
def test_rows_have_the_documented_form(every, noise):
    vocabulary, symbols = 17, 4 if noise else 0
    made = task(vocabulary=vocabulary, queries="all" if every else "last", noise=noise, noise_symbols=symbols)
    used = vocabulary - symbols - (not every)
    keys = used // 2
    for ids, labels in zip(*rows(made, 41 if every else 42, 300), strict=True):
        body = ids[:-1] if every else ids[:-2]
        pairs = list(zip(body[::2], body[1::2], strict=True))
        kept = [(key, value) for key, value in pairs if key < keys]
        assert all(keys <= value < used for _, value in kept)
        assert all(used <= symbol < used + symbols for pair in pairs if pair not in kept for symbol in pair)
        assert len(dict(kept)) == len(set(kept)) > 0
        assert every or ids[-2] == vocabulary - 1
        assert labels == looked_back(ids, keys, every)
        assert labels[-1] != -100
        assert made.solve(ids) == labels


def test_rows_follow_the_law():
    """Two keys, three values, two pairs: every row's chance by fractions, chi-square with p > 1e-6."""
    made, law = task(vocabulary=5), Counter()
    for first, second in itertools.product(range(2), repeat=2):
        for a, b in itertools.product((2, 3, 4), repeat=2):
            came = sorted({first, second})
            for asked in came:
                value = a if second == first else b
                law[first, a, second, value, asked] += Fraction(1, 36 * len(came))
    found = Counter(map(tuple, rows(made, 5, 20_000)[0]))
    assert set(found) == set(law)
    expected = [float(law[row]) * 20_000 for row in law]
    assert stats.chisquare([found[row] for row in law], expected).pvalue > 1e-6


def test_noise_comes_as_often_as_asked_and_leaves_one_place_alone():
    ids, _ = rows(task(vocabulary=32, noise=0.9, noise_symbols=16), 11, 4000)
    noisy = np.array(ids)[:, :-1:2] >= 16
    assert (~noisy).any(axis=1).all()
    share, places = noisy.mean(), (~noisy).mean(axis=0)
    assert abs(share - 0.9 * 0.8) < 6 * 0.5 / (5 * 4000) ** 0.5  # one pair in five is kept
    assert stats.chisquare(places * 4000).pvalue > 1e-6


def test_solve_and_lengths():
    assert seqbench.solve("in_context_recall", [0, 9, 3, 8, 0, 9, 3]) == [-100, -100, -100, -100, 9, -100, 8]
    last = task(queries="last")
    assert last.solve([0, 9, 3, 8, 15, 3]) == [-100] * 5 + [8]
    assert np.flatnonzero(last.admits(9)).tolist() == [4, 6, 8]
    assert np.flatnonzero(task().admits(9)).tolist() == [3, 5, 7, 9]
    with pytest.raises(InputError, match="Every odd length from 3 on"):
        plan("in_context_recall", test_lengths=8).splits  # noqa: B018


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([0, 9, 0, 8, 0], "the key 0 comes with the values 9 and 8"),
        ([0, 9, 3, 8, 2], "the last key 2 did not come before"),
        ([0, 3, 0], "0, 3 is no pair of a key \\(below 8\\) and a value"),
        ([0, 9, 0, 9], "its length is 4. Every odd length"),
        ([0, 16, 0], "from 0 to 15"),
    ],
)
def test_malformed_rows_are_refused(inputs, message):
    with pytest.raises(InputError, match=message):
        task().solve(inputs)
    with pytest.raises(InputError, match="marker 15 does not stand before"):
        task(queries="last").solve([0, 9, 14, 0])


def test_parameters_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="no key and value are left"):
        task(noise_symbols=15, noise=0.1)
    with pytest.raises(InputError, match="noise_symbols is 0"):
        task(noise=0.1)


def test_check_finds_a_wrong_label():
    made = task()
    ids, labels = rows(made, 41, 3)
    labels[0][-1] = -100
    with pytest.raises(InputError, match="Row 0"):
        made.check(pa.table({"input_ids": ids, "labels": labels}))
