"""What people wrote about datasets: definitions and the bibliography fit the catalogue, with nothing left over."""

import re
from fnmatch import fnmatchcase
from itertools import product

import numpy as np
import pytest

from seqbench import solve
from seqbench.catalogue.citations import citations_of, parse_bibtex
from seqbench.catalogue.descriptions import parse_groups
from seqbench.catalogue.reader import open_catalogue
from seqbench.catalogue.schema import Dataset
from seqbench.errors import DefinitionError
from seqbench.generation.plan import dataset_names, plan

CATALOGUE = open_catalogue()
NAMES = dataset_names()
OURS = ("an example of",)  # sources that are no paper


@pytest.mark.parametrize("name", NAMES)
def test_every_dataset_is_described(name):
    about = CATALOGUE.describe(name, plan(name).recipe.parameters)
    assert about.group
    assert about.definition.endswith(".")
    assert "{" not in about.definition


def test_datasets_with_opposite_labels_warn_of_each_other():
    """Two datasets may answer every word the other way round; whoever compares them has to know."""
    of_bits = [name for name in NAMES if plan(name).symbol_names == ("0", "1") and len(plan(name).label_names) == 2]
    words = ["".join(word) for length in range(1, 8) for word in product("01", repeat=length)]
    answers = {name: np.array(solve(name, words)) for name in of_bits if name != "nesv_majority"}  # of odd lengths
    pairs = [(a, b) for a in answers for b in answers if (answers[a] != answers[b]).all()]
    assert ("even_pairs", "flare_even_pairs") in pairs
    for name, other in pairs:
        assert f"`{other}`" in CATALOGUE.describe(name, plan(name).recipe.parameters).definition


def test_every_pattern_fits_some_dataset_of_its_own_group():
    for group in CATALOGUE.groups:
        here = [name for name in NAMES if group.pattern_of(name)]
        assert {group.pattern_of(name) for name in here} == set(group.definitions), group.title
        for pattern in group.differences:
            assert any(fnmatchcase(name, pattern) for name in here), pattern


def test_no_dataset_is_in_two_groups():
    for name in NAMES:
        assert sum(group.pattern_of(name) is not None for group in CATALOGUE.groups) == 1, name


@pytest.mark.parametrize("name", NAMES)
def test_every_source_has_its_entries(name):
    source = CATALOGUE.dataset(name).source
    cited = citations_of(source, CATALOGUE.citations)
    assert bool(cited) != source.startswith(OURS)
    assert all(each.fields["year"] in source for each in cited)


def keys_of(source):
    return {each.key for each in citations_of(source, CATALOGUE.citations)}


def automaton_of(name):
    """The entry of automata/ that a dataset reads, by way of another dataset where it is the states of that one's."""
    record = CATALOGUE.dataset(name)
    if isinstance(record, Dataset):
        return record.automaton
    named = record.parameters.get("language" if record.task == "grammar" else "automaton")
    if named in CATALOGUE.automata and record.task == "grammar" and CATALOGUE.automaton(named).grammar is None:
        return None  # a built-in grammar that has the name of an automaton
    return automaton_of(named) if named in CATALOGUE.datasets else named


@pytest.mark.parametrize("name", NAMES)
def test_a_dataset_cites_what_its_automaton_and_its_definition_cite(name):
    source, automaton = CATALOGUE.dataset(name).source, automaton_of(name)
    if automaton in CATALOGUE.automata:
        assert keys_of(CATALOGUE.automaton(automaton).source) <= keys_of(source)
    about = CATALOGUE.describe(name, plan(name).recipe.parameters)
    for author, year in re.findall(r"\((\w+) (\d{4})\)", about.definition):
        assert any(key.startswith(f"{author.lower()}{year}") for key in keys_of(source))


def test_every_entry_is_cited_and_keys_are_unique():
    used = {each.key for name in NAMES for each in citations_of(CATALOGUE.dataset(name).source, CATALOGUE.citations)}
    assert sorted(each.key for each in CATALOGUE.citations) == sorted(used)


def test_entries_have_what_their_kind_needs():
    needed = {
        "misc": {"eprint", "archiveprefix"},
        "book": {"publisher"},
        "inproceedings": {"booktitle"},
        "article": {"journal"},
    }
    for each in CATALOGUE.citations:
        assert {"title", "author", "year", *needed[each.kind]} <= each.fields.keys(), each.key
        assert re.fullmatch(r"(19|20)\d\d", each.fields["year"])
        assert re.fullmatch(rf"[a-z]+{each.fields['year']}[a-z]+", each.key)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("@misc{a,\n  title = {T},\n}", "entry a has no year"),
        ("@misc{a,\n  title = {T,\n  year = {2020},\n}", "is no field"),
        ("title = {T}", "is no part of a BibTeX entry"),
        ("@misc{a,\n  year: 2020\n}", "is no field"),
    ],
)
def test_a_broken_bibliography_is_refused(text, words):
    with pytest.raises(DefinitionError, match=words):
        parse_bibtex(text)


@pytest.mark.parametrize("text", ["[[group]]\ntitle = 1", "[[group]", '[[group]]\ntitle = "t"\nmore = 1'])
def test_broken_definitions_are_refused(text):
    with pytest.raises(DefinitionError, match=r"definitions\.toml"):
        parse_groups(text)
