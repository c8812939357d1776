"""Counts with 128 significant bits, against Python's whole numbers and fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import assume, example, given
from hypothesis import strategies as st

from seqbench.generation.scaled import CERTAIN, add, ratio, shift_right

MASK = 2**64 - 1
MANTISSA = st.integers(2**127, 2**128 - 1) | st.sampled_from([2**127, 2**127 + 1, 2**128 - 1, 2**128 - 2**64, 3 << 126])
EXPONENT = st.integers(-127, 100_000)
COUNT = st.tuples(MANTISSA, EXPONENT)
EXACT = st.integers(1, 2**127)


def split(mantissa):
    return np.uint64(mantissa >> 64), np.uint64(mantissa & MASK)


def scaled(number):
    """A whole number below 2^128 as it is held: with the top bit set."""
    exponent = number.bit_length() - 128
    return number << -exponent, exponent


def add_counts(a, b):
    high, low, exponent = add(*split(a[0]), a[1], *split(b[0]), b[1])
    return (int(high) << 64) | int(low), int(exponent)


def value(count, base):
    return Fraction(count[0]) * Fraction(2) ** (count[1] - base)


@given(st.integers(0, 2**128 - 1), st.integers(0, 300))
def test_shift_right_divides_rounding_down(number, bits):
    high, low = shift_right(*split(number), bits)
    assert (int(high) << 64) | int(low) == number >> bits


@given(EXACT, EXACT)
@example(1, 1)
@example(2**127, 2**127)
@example(2**64, 2**64 - 1)
def test_sums_below_two_to_the_128_are_exact(a, b):
    mantissa, exponent = add_counts(scaled(a), scaled(b))
    assume(a + b < 2**128)
    assert Fraction(mantissa) * Fraction(2) ** exponent == a + b


@given(COUNT, st.tuples(MANTISSA, st.integers(-200, 200)))
@example((2**128 - 1, 0), (2**128 - 1, 0))
@example((2**128 - 1, 0), (2**127, -127))
@example((2**128 - 1, 0), (2**128 - 1, -128))
@example((2**127, 0), (2**128 - 1, -64))
@example((2**127, 0), (2**128 - 1, -63))
@example((2**127, 0), (2**128 - 1, -65))
def test_a_sum_errs_by_at_most_one_part_in_two_to_the_127(a, distance):
    b = (distance[0], a[1] + distance[1])
    base = min(a[1], b[1])
    got, exact = value(add_counts(a, b), base), value(a, base) + value(b, base)
    assert 0 <= exact - got <= exact / 2**127
    assert add_counts(a, b)[0] >= 2**127  # the top bit stays set
    assert add_counts(a, b) == add_counts(b, a)


@given(COUNT)
def test_nothing_added_changes_nothing(a):
    assert add_counts(a, (0, 0)) == add_counts((0, 0), a) == a
    assert add_counts((0, 0), (0, 0)) == (0, 0)


@given(COUNT, st.tuples(MANTISSA, st.integers(0, 200)))
@example((2**127, 0), (2**127, 0))
@example((2**127, 0), (2**127, 1))
@example((2**127, 0), (2**127 + 1, 0))
@example((2**128 - 2, 5), (2**128 - 1, 0))
@example((2**128 - 1, 5), (2**128 - 1, 64))
@example((2**128 - 1, 5), (2**127, 128))
def test_ratios_are_rounded_down(numerator, distance):
    denominator = (distance[0], numerator[1] + distance[1])
    base = numerator[1]
    n, d = value(numerator, base), value(denominator, base)
    assume(n <= d)
    got = int(ratio(*split(numerator[0]), numerator[1], *split(denominator[0]), denominator[1]))
    if n == d:
        assert got == int(CERTAIN)
    else:
        # The numerator loses less than one unit of the denominator's last place, 2^-127 of it, before the division.
        exact = 2**64 * n / d
        assert exact - 1 - Fraction(1, 2**63) < got <= exact
    if distance[1] == 0 and n < d:
        assert got == numerator[0] * 2**64 // denominator[0]


@given(EXACT, EXACT)
def test_ratios_of_small_counts_are_exact(a, b):
    low, high = sorted((a, b))
    numerator, denominator = scaled(low), scaled(high)
    got = int(ratio(*split(numerator[0]), numerator[1], *split(denominator[0]), denominator[1]))
    assert got == (int(CERTAIN) if low == high else low * 2**64 // high)
