"""What sections of cards say is true of the dataset; with few rows a split, so that every one can be looked at."""

import functools
import re

import numpy as np
import pytest

import seqbench
from seqbench.cards.sections import facts_section, sampling_section
from seqbench.cards.statistics import SHOWN_LABELS, chance_section, statistics_section
from seqbench.catalogue.reader import open_catalogue
from seqbench.dataset.chance import chance_of
from seqbench.dataset.examples import LINE, WHOLE, examples
from seqbench.dataset.markdown import examples_table
from seqbench.dataset.overview import overview
from seqbench.dataset.report import info_text
from seqbench.dataset.shortcuts import FEW
from seqbench.generation.plan import dataset_names, plan
from seqbench.generation.task_plan import TaskPlan
from seqbench.generation.tasks.task import OverMachine
from seqbench.spans import spans
from tests.thinned import thinned

NAMES = dataset_names()
CATALOGUE = open_catalogue()
TINY = {"train_examples": 60, "validation_examples": 12, "test_examples_per_length": 1}


def described(name):
    return CATALOGUE.describe(name, plan(name).recipe.parameters).definition


REGULAR = [
    name
    for name in NAMES
    if not isinstance(plan(name), TaskPlan)
    or re.search(r"\bregular\b", described(name), re.IGNORECASE)
    or name in ("state_tracking", "flip_flop", "nesv_first", "nesv_parity")
]
TASKS = [name for name in REGULAR if isinstance(plan(name), TaskPlan)]


@functools.lru_cache(maxsize=4)
def facts_of(name):
    return overview(plan(name, **TINY))


@pytest.mark.parametrize("name", thinned(NAMES))
def test_splits_say_which_lengths_there_are(name):
    planned, facts = plan(name, **TINY), facts_of(name)
    section, text = sampling_section(planned, facts), info_text(facts, planned.command("draw"))
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


def test_languages_are_regular_or_not_as_their_cards_say():
    assert len(TASKS) == 44
    for name in set(NAMES) - set(REGULAR):
        task = plan(name).task
        assert not isinstance(task, OverMachine) or task.machine is None


@pytest.mark.parametrize("name", thinned(REGULAR, every=8))
def test_the_structure_of_a_regular_dataset_has_classes_and_level(name):
    facts = facts_of(name)
    section, text = facts_section(facts), info_text(facts, plan(name).command("draw"))
    structure = facts.get("structure", facts.get("language"))
    for row in (f"| syntactic classes | {structure['classes']} |", f"| level | {structure['level']} |"):
        assert row in section
    assert f"\nlevel     {structure['level']}\n" in text
    assert f"\nmonoid    {structure['classes']} classes, " in text


def symbols_of(task):
    """Names of the symbols by id, as its machine has them: numbers, or those of the task."""
    numbers = list(map(str, range(task.sizes(1)[0])))
    return numbers if set(task.machine.alphabet) <= set(numbers) else list(task.symbol_names)


def words_for(planned):
    """Rows where not every word is an input, else random words over the machine's symbols: groups have letters more."""
    if planned.name == "flip_flop":
        return [row["input_ids"] for row in planned.sample(24, 50)]
    rng, names = np.random.default_rng(0), symbols_of(planned.task)
    symbols = [names.index(symbol) for symbol in planned.task.machine.alphabet]
    return [rng.choice(symbols, length).tolist() for length in rng.integers(1, 12, 50)]


@pytest.mark.parametrize("name", TASKS)
def test_the_machine_of_a_task_answers_as_the_task(name):
    planned = plan(name)
    machine, names, words = planned.task.machine, symbols_of(planned.task), words_for(planned)
    for word, solved in zip(words, seqbench.solve(name, words), strict=True):
        states = [0]
        for symbol in word:
            states.append(machine.transitions[states[-1], machine.alphabet.index(names[symbol])])
        outputs = machine.outputs[states[1:]].tolist()
        if name == "flip_flop":
            assert [machine.labels[output] for output in outputs] == [str(each).replace("-100", ".") for each in solved]
        else:
            assert (outputs if isinstance(solved, list) else outputs[-1]) == solved


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("group")])
def test_the_monoid_of_a_word_problem_is_its_group(name):
    """Symmetric and alternating groups of five points or more are not solvable; all others of the catalogue are."""
    facts = facts_of(name)
    structure, hard = facts["structure"], re.search(r"[SA][5-9]", facts["group"]) is not None
    assert (structure["classes"], structure["is_group"]) == (facts["order"], True)
    assert structure["level"].startswith("not solvable") == hard
    assert ("ACC0" in structure["level"], "NC1-complete" in structure["level"]) == (not hard, hard)


@pytest.mark.parametrize("rows", [1, FEW])
@pytest.mark.parametrize("name", thinned(NAMES, every=8))
def test_statistics_show_train_and_test_or_say_why_not(name, rows):
    """With one row a length a split has no shares of labels to show, unless it has no labels at all."""
    planned = plan(name, **TINY | {"test_examples_per_length": rows})
    facts = facts_of(name) if rows == 1 else overview(planned)
    section = statistics_section(facts).partition("words also in train")[2].partition("\n\n")[2]
    for split in {"train", "test"} & set(facts["splits"]):
        parts = facts["splits"][split]["by_length"]
        told = {length: f"| {split} | {length} | {part['rows']:,} |" in section for length, part in parts.items()}
        enough = {length: not planned.label_names or part["rows"] >= FEW for length, part in parts.items()}
        assert told == enough
        assert (re.search(rf"^`{split}` has .*too few for shares", section, re.MULTILINE) is None) == all(told.values())
    if len(planned.label_names) > SHOWN_LABELS and "| test |" in section:
        assert f"of {len(planned.label_names)} labels" in section


@pytest.mark.parametrize("name", thinned(NAMES))
def test_chance_is_what_an_exported_page_says(name):
    sentence = chance_of(plan(name, **TINY))
    assert sentence
    assert chance_section(facts_of(name)).startswith(f"{sentence}\n")


@pytest.mark.parametrize("name", ["memory_impulse", "mqar_512_64", "group_s6", *thinned(NAMES)])
def test_examples_are_shown_whole_if_they_can_be(name):
    planned = plan(name)
    found = examples(planned)
    cut = re.findall(r"`[^`]*\.\.\.`", examples_table(found))
    assert not cut or shortest(planned) > WHOLE or zeros(found[0]) > 30
    if isinstance(planned, TaskPlan) and shortest(planned) <= LINE:
        assert all(len(text) <= LINE for each in found for text in each.shown.values())


def shortest(planned):
    """Characters of a row of the least length."""
    least = int(np.flatnonzero(planned.task.admits(1024))[0])
    return max(len(text) for text in planned.task.show(planned.sample(least)[0]).values())


def zeros(example):
    """How many targets are 0 before one is not: a delay."""
    return np.flatnonzero(example.row.get("targets", [1]))[0]


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("memory")])
def test_targets_of_examples_of_memory_say_something(name):
    for example in examples(plan(name)):
        assert re.search(r"[1-9]", example.shown["targets"].rpartition("times)")[2])


@pytest.mark.parametrize("name", thinned([name for name in NAMES if name.startswith(("flare_", "cf_", "cs_"))]))
def test_lengths_of_one_label_are_left_out_only_where_there_are_some(name):
    admitted = plan(name).task.admits(60)[1:]
    section = sampling_section(plan(name, **TINY), facts_of(name))
    (line,) = re.findall(r"^Lengths with words of one label only: (.*)$", section, re.MULTILINE)
    assert line == ("none (of 1 to 60)." if admitted.all() else line)
    assert line.endswith("; they are left out.") == (not admitted.all())
