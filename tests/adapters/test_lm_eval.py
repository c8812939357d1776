"""The tasks for lm-eval: complete, and run by the harness itself where it is at hand."""

import json
import os
import re

import pytest

from seqbench.adapters.lm_eval import PATH
from seqbench.adapters.lm_eval.data import custom_dataset
from seqbench.errors import InputError, UnknownNameError
from seqbench.generation.plan import dataset_names, plan
from seqbench.languages import language
from tests.environments import ROOT, TORCH, environment, run

LM_EVAL = "lm-eval==0.4.13"
TASKS = sorted(PATH.glob("seqbench_*.yaml"))


@pytest.mark.parametrize("file", TASKS, ids=lambda file: file.stem)
def test_every_task_names_a_dataset_with_labels(file):
    text = file.read_text()
    name = re.search(r"^  dataset: (\w+)$", text, flags=re.MULTILINE)[1]
    assert f"task: seqbench_{name}\n" in text
    assert file.stem == f"seqbench_{name}"
    assert name in dataset_names()
    assert plan(name).label_names


def test_questions_hold_the_rows():
    made = custom_dataset("modular_arithmetic", test_lengths=[41, 43], train_examples=20, seed=3, version=1.0)
    lang = language("modular_arithmetic")
    assert next(iter(made)) == "train"
    for row in made["test"]:
        word = row["word"].replace(" ", "")
        assert row["choices"][row["label"]] == lang.labels[lang.label(word)]
        assert len(row["input_ids"]) in {41, 43}


def test_keys_of_the_harness_pass_and_misspelt_options_do_not():
    made = custom_dataset("tomita_1", test_lengths=[41, 41], train_examples=5, pretrained="gpt2", config_source="x")
    assert len(made["test"]) == 4
    with pytest.raises(InputError, match="Did you mean 'test_lengths'"):
        custom_dataset("tomita_1", test_lenghts=[41, 41])
    with pytest.raises(UnknownNameError, match="Did you mean 'dyck_d6'"):
        custom_dataset("dick_d6")


@pytest.mark.slow
def test_the_harness_runs_the_tasks(tmp_path):
    asked = {"test_lengths": [42, 44], "test_examples_per_length": 4}
    harness = environment("lm-eval", (TORCH,), (TORCH, LM_EVAL, "--editable", str(ROOT)))
    command = [harness, "-m", "lm_eval", "--model", "dummy", "--include_path", str(PATH), "--num_fewshot", "2"]
    command += ["--tasks", "seqbench_dyck_d6,seqbench_prefix_p2_q2,seqbench_group_d4", "--metadata", json.dumps(asked)]
    command += ["--output_path", str(tmp_path / "out"), "--log_samples"]
    settings = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf")}
    run(*command, env=os.environ | settings, cwd=tmp_path)
    results = json.loads(next((tmp_path / "out").rglob("results_*.json")).read_text())["results"]
    assert set(results) == {"seqbench_dyck_d6", "seqbench_prefix_p2_q2", "seqbench_group_d4"}
    samples = next((tmp_path / "out").rglob("samples_seqbench_dyck_d6_*.jsonl")).read_text().splitlines()
    docs = [json.loads(line)["doc"] for line in samples]
    assert sorted({len(doc["input_ids"]) for doc in docs}) == [42, 43, 44]
    assert all(doc["choices"] == ["reject", "accept"] for doc in docs)
