"""Thirty inputs of each of the fifteen published tasks, with the outputs of the published code."""

import json
from pathlib import Path

import pytest

import seqbench

CASES = json.loads((Path(__file__).parent.parent / "data" / "chomsky_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_answers_are_the_published_ones(name):
    cases = CASES[name]
    answers = seqbench.solve(name, [case["input"] for case in cases])
    assert len(answers) == len(cases) == 30
    for case, answer in zip(cases, answers, strict=True):
        found = answer if isinstance(answer, list) else [answer]
        assert len(found) == len(case["output"])
        counted = zip(found, case["output"], case["mask"], strict=True)
        assert all(ours == theirs for ours, theirs, counts in counted if counts), case


def test_there_are_fifteen_tasks():
    assert len(CASES) == 15


def test_an_alias_is_known_wherever_names_are(tmp_path):
    small = {"train_examples": 50, "validation_examples": 0, "test_examples_per_length": 0, "cache_dir": str(tmp_path)}
    names = ("missing_duplicate_string", "missing_duplicate")
    one, other = (seqbench.load_dataset(name, split="train", **small) for name in names)
    assert one.to_list() == other.to_list()
    assert one.cache_files == other.cache_files
    assert seqbench.solve("missing_duplicate_string", "1_10") == seqbench.solve("missing_duplicate", "1_10") == 0
    assert "missing_duplicate_string" not in seqbench.dataset_names()
