"""The contract of every dataset of the catalogue, over languages and of tasks; the dear parts for one of a family."""

import json
import pickle

import datasets
import pytest
from click.testing import CliRunner

import seqbench
from seqbench.cli import main
from seqbench.generation.plan import dataset_names, plan
from tests.thinned import thinned

NAMES = dataset_names()
TINY = {"train_examples": 60, "validation_examples": 12, "test_examples_per_length": 1}
# Presets of one family differ by parameters alone: these stand for theirs.
FAMILIES = {
    "cf_dyck_": {"cf_dyck_2"},
    "dyck_d": {"dyck_d2"},
    "flare_": {"flare_parity", "flare_stack_manipulation", "flare_binary_multiplication"},
    "group_": {"group_a5", "group_s5_generators"},
    "listops_": {"listops_a5_d9"},
    "memory_": {"memory_exp", "memory_hybrid"},
    "mqar_": set(),
    "prefix_": {"prefix_p2_q4"},
    "tomita_": {"tomita_3"},
}


def stands_for_its_family(name):
    return all(name in kept for prefix, kept in FAMILIES.items() if name.startswith(prefix))


SOME = [name for name in NAMES if stands_for_its_family(name)]


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def read_json(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def options(sizes):
    return [part for key, value in sizes.items() for part in (f"--{key.replace('_', '-')}", value)]


def rows(dataset):
    return dataset.with_format("arrow")[:].combine_chunks()


@pytest.mark.parametrize("name", NAMES)
def test_loading_streaming_and_the_plan_agree(name, cache):
    loaded = seqbench.load_dataset(name, cache_dir=cache, **TINY)
    planned = plan(name, **TINY)
    streams = seqbench.load_dataset(name, streaming=True, **TINY)
    assert list(loaded) == list(planned.splits) == list(streams)
    for split, part in planned.splits.items():
        assert loaded[split].num_rows == part.num_examples
        assert loaded[split].features == streams[split].features
        first = planned.block(split, 0).slice(0, 12).to_pylist()
        assert first == loaded[split].select(range(len(first))).to_list() == list(streams[split].take(12))
        if planned.label_names:
            assert loaded[split].features["label"].names == list(planned.label_names)


@pytest.mark.parametrize("name", NAMES)
def test_plans_can_be_sent_to_other_processes(name):
    planned = plan(name, **TINY)
    copy = pickle.loads(pickle.dumps(planned))
    assert (copy.config_id, copy.fingerprint) == (planned.config_id, planned.fingerprint)
    assert copy.block("train", 0).equals(planned.block("train", 0))


@pytest.mark.parametrize("name", thinned(NAMES))
def test_commands_show_it(name, tmp_path):
    sizes = options(TINY)
    facts = read_json(run("info", name, *sizes, "--json"))
    assert facts["name"] == name
    assert {"train", "validation", "test"} <= facts["splits"].keys()
    assert {"rows_read", "distinct_words", "examples"} <= facts["splits"]["train"].keys()
    assert "in_train" in facts["splits"]["test"]
    assert f"{name} {facts['version']}" in run("info", name, *sizes).stdout
    shown = read_json(run("show", name, *sizes, "--cache-dir", tmp_path, "--json"))
    assert {split: part["rows"] for split, part in shown["splits"].items()} == {
        split: part["examples"] for split, part in facts["splits"].items()
    }
    assert all(part["examples"] for part in shown["splits"].values())
    length = facts["splits"]["train"]["lengths"][1]
    assert len(read_json(run("sample", name, "--length", length, "-n", 3, "--json"))) == 3


@pytest.mark.parametrize("name", NAMES)
def test_bad_options_end_with_one_message(name):
    for arguments, words in (
        (["--set", "no_such_option=1"], "no option 'no_such_option'"),
        (["--train-lengths", 9, 3], "runs backwards"),
        (["--set", "seed=-1"], "out of range"),
        (["--set", 'train_examples="many"'], "train_examples is 'many'"),
    ):
        result = run("info", name, *arguments)
        assert result.exit_code == 2
        assert words in result.stderr
        assert "Traceback" not in result.output


@pytest.mark.parametrize("name", thinned(SOME))
# Python 3.12 and later warn of fork in a process with threads; the library forks its workers.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_one_process_or_two_make_the_same_bytes(name, cache):
    sizes = {"train_examples": 4100, "validation_examples": 0, "test_examples_per_length": 0}
    one, two = (
        seqbench.load_dataset(name, split="train", num_proc=number, cache_dir=f"{cache}-{number}", **sizes)
        for number in (1, 2)
    )
    assert one.num_rows == two.num_rows == 4100
    assert rows(one).equals(rows(two))
    streamed = datasets.concatenate_datasets([seqbench.load_dataset(name, split="train", streaming=True, **sizes)])
    assert list(streamed.skip(4090)) == one.select(range(4090, 4100)).to_list()


def test_what_needs_a_machine_says_that_tasks_have_none(tmp_path):
    train = tmp_path / "train.txt"
    train.write_text("01\n")
    for arguments in (
        ["draw", "reverse_string", "--out", tmp_path / "x.svg"],
        ["plan", "group_a5"],
        ["coverage", "mqar", "--train", train],
        ["expect", "flip_flop"],
        ["cover", "memory_exp", "--max-length", 9, "--out", tmp_path / "x.parquet"],
    ):
        result = run(*arguments)
        assert result.exit_code == 2
        assert "is not over a regular language" in result.stderr
