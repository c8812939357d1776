"""Sets of numbers in a few words: whoever reads them back has the same set."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.dataset.lengths import length_facts
from seqbench.generation.plan import dataset_names, plan
from seqbench.spans import spans


def read_back(text):
    """The numbers that a reader takes from a text of spans."""
    text, _, missing = text.partition(" but not ")
    found = set()
    for part in [] if text == "none" else text.split(", "):
        span, _, step = part.partition(" in steps of ")
        first, _, last = span.partition("-")
        found.update(range(int(first), int(last or first) + 1, int(step or 1)))
    return sorted(found - set(map(int, missing.split(", "))) if missing else found)


@given(st.sets(st.integers(0, 60)) | st.sets(st.integers(0, 10**9), max_size=30))
def test_what_is_read_back_is_the_same_set(numbers):
    assert read_back(spans(numbers)) == sorted(numbers)


@given(st.integers(0, 9), st.integers(1, 9), st.integers(9, 50), st.sets(st.integers(2, 7), max_size=4))
def test_a_range_with_few_exceptions_is_one_span(first, step, number, left_out):
    numbers = [first + step * place for place in range(number + 6) if place not in left_out]
    assert spans(numbers).count("-") == 1
    assert read_back(spans(numbers)) == numbers


def test_a_few_irregular_numbers_are_a_list():
    assert spans([51, 103, 153, 255, 409, 511]) == "51, 103, 153, 255, 409, 511"


@pytest.mark.parametrize("name", dataset_names())
def test_the_lengths_of_every_dataset_are_told_exactly_and_shortly(name):
    for split in plan(name).splits.values():
        text = length_facts(split.split.lengths)["which_lengths"]
        assert read_back(text) == split.split.lengths.tolist()
        assert len(text) < 50
