"""What sections of cards say is true of the dataset; with few rows a split, so that every one can be looked at."""

import functools

import pytest

from seqbench.cards.sections import sampling_section
from seqbench.dataset.overview import overview
from seqbench.dataset.report import info_text
from seqbench.generation.plan import dataset_names, plan
from seqbench.spans import spans
from tests.thinned import thinned

NAMES = dataset_names()
TINY = {"train_examples": 60, "validation_examples": 12, "test_examples_per_length": 1}


@functools.lru_cache(maxsize=4)
def facts_of(name):
    return overview(plan(name, **TINY))


@pytest.mark.parametrize("name", thinned(NAMES))
def test_splits_say_which_lengths_there_are(name):
    planned, facts = plan(name, **TINY), facts_of(name)
    section, text = sampling_section(planned, facts), info_text(facts)
    for split, part in planned.splits.items():
        lengths = spans(part.split.lengths.tolist())
        assert f"| {split} | {part.num_examples:,} | {lengths} |" in section
        assert any(line.startswith(split) and f" {lengths} " in line for line in text.splitlines())
        assert facts["splits"][split]["which_lengths"] == lengths


@pytest.mark.parametrize("name", ["nesv_index", *thinned(NAMES)])
def test_lengths_of_the_statistics_are_lengths_of_the_split(name):
    for split, part in facts_of(name)["splits"].items():
        assert set(part["by_length"]) <= set(plan(name, **TINY).splits[split].split.lengths.tolist())


def test_a_length_that_is_not_the_number_of_symbols_is_explained():
    """The only such dataset has one symbol more than its length."""
    assert "Length: number of bits; the index is one more symbol." in sampling_section(
        plan("nesv_index", **TINY), facts_of("nesv_index")
    )
