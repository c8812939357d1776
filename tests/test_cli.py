"""Every command as a user types it, with and without --json; bad input ends with exit code 2 and no traceback."""

import json
import shutil
import signal
import subprocess
import time

import datasets
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from seqbench.cli import main
from seqbench.generation.plan import dataset_names
from seqbench.languages import language
from tests.interrupts import SEQBENCH

SMALL = ["--train-examples", "300", "--validation-examples", "50", "--test-examples-per-length", "2"]


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def read_json(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_list_names_every_dataset():
    names = read_json(run("list", "--json"))
    assert list(names) == dataset_names()
    assert "dyck_d12" in run("list").stdout


def test_info_tells_language_splits_and_overlap():
    facts = read_json(run("info", "dyck_d6", *SMALL, "--json"))
    assert (facts["language"]["states"], facts["language"]["classes"]) == (8, 141)
    assert facts["splits"]["validation"]["in_train"] > 0
    assert facts["splits"]["test"]["in_train"] == 0
    assert "141 classes" in run("info", "dyck_d6", *SMALL).stdout


def test_info_shows_that_held_out_words_are_not_in_train():
    facts = read_json(run("info", "dyck_d6", *SMALL, "--held-out", "--json"))
    assert facts["splits"]["validation"]["in_train"] == 0


def test_sample_prints_words_with_the_label():
    words = read_json(run("sample", "dyck_d6", "--length", 12, "--label", 1, "-n", 5, "--json"))
    assert [language("dyck_d6").label(each["word"]) for each in words] == [1] * 5
    assert len(run("sample", "dyck_d6", "--length", 12, "--label", "accept", "-n", 5).stdout.splitlines()) == 5


@pytest.mark.parametrize(
    ("label", "name"), [("0010", "0010"), ("10", "1010"), ("short", "short")], ids=["name of digits", "id", "name"]
)
def test_a_label_of_digits_is_a_name_before_it_is_an_id(label, name):
    words = json.loads(
        run("sample", "prefix_p4_q2", "--length", 3 if name == "short" else 6, "--label", label, "--json").stdout
    )
    assert [word["label"] for word in words] == [name]
    facts = json.loads(run("info", "prefix_p2_q2", "--labels", "10", "--train-examples", "99", "--json").stdout)
    assert facts["recipe"]["labels"] == ["10"]


def test_generate_writes_parquet_that_datasets_reads_with_label_names(tmp_path):
    out = tmp_path / "new" / "data"
    facts = read_json(run("generate", "dyck_d6", "--test-lengths", 501, 510, *SMALL, "--out", out, "--json"))
    assert facts["splits"] == {"train": 300, "validation": 50, "test": 20, "test_near_miss": 10}
    table = pq.read_table(out / "test.parquet")
    assert sorted(set(table["input_ids"].combine_chunks().value_lengths().to_pylist())) == list(range(501, 511))
    files = {"test": str(out / "test.parquet")}
    read = datasets.load_dataset("parquet", data_files=files, cache_dir=str(tmp_path / "cache"))["test"]
    assert read.features["label"].names == ["reject", "accept"]
    assert json.loads((out / "recipe.json").read_text())["recipe"]["test_lengths"] == [501, 510]


def test_generate_replaces_only_its_own_folders(tmp_path):
    out = tmp_path / "data"
    assert run("generate", "parity_check", *SMALL, "--split", "train", "--out", out).exit_code == 0
    again = run("generate", "parity_check", *SMALL, "--split", "train", "--out", out)
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert run("generate", "parity_check", *SMALL, "--split", "test", "--out", out, "--force").exit_code == 0
    assert sorted(file.name for file in out.iterdir()) == ["recipe.json", "test.parquet"]
    foreign = tmp_path / "mine"
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("years of work")
    assert run("generate", "parity_check", "--out", foreign, "--force").exit_code == 2
    link = tmp_path / "link"
    link.symlink_to(out)
    assert run("generate", "parity_check", "--out", link, "--force").exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "link", "mine"]
    assert (foreign / "thesis.tex").read_text() == "years of work"


def test_generate_replaces_no_file_that_was_edited(tmp_path):
    out = tmp_path / "data"
    command = ("generate", "parity_check", *SMALL, "--split", "train", "--out", out)
    for spoil in (
        lambda file: file.write_text("mine"),
        lambda file: (file.unlink(), file.mkdir()),
        lambda file: (file.rename(tmp_path / "kept"), file.symlink_to(tmp_path / "kept")),
    ):
        shutil.rmtree(out, ignore_errors=True)
        assert run(*command).exit_code == 0
        spoil(out / "train.parquet")
        before = [(path, path.lstat().st_mtime_ns) for path in sorted(out.iterdir())]
        done = run(*command, "--force")
        assert (done.exit_code, "nothing of yours" in done.stderr) == (2, True)
        assert [(path, path.lstat().st_mtime_ns) for path in sorted(out.iterdir())] == before


def test_a_name_that_is_no_text_is_refused(tmp_path):
    for command in (
        ["generate", "parity_check", "--out"],
        ["cover", "parity_check", "--max-length", "4", "--out"],
        ["export", "--config", "parity_check"],
        ["verify"],
    ):
        done = run(*command, tmp_path / "a\udcff.parquet")
        assert (done.exit_code, "no UTF-8 text" in done.stderr) == (2, True), done.output
    assert not list(tmp_path.iterdir())


def test_what_is_refused_leaves_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").touch()
    assert run("export", "new/..", "--config", "parity_check").exit_code == 2
    assert run("verify", "dyck_d6", "--cache", "--cache-dir", "cache").exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def _sizes(out):
    return [file.stat().st_size for file in out.parent.glob(f".{out.name}.*/*/*.parquet")]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_generate_leaves_nothing(tmp_path, number):
    command = [*SEQBENCH, "generate", "dyck_d6", "--train-examples", "200000000"]
    command += ["--out", str(tmp_path / "out")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        # Wait for rows: an interrupt in the very moment in which a bar is first drawn prints a line of its own.
        while process.poll() is None and max(_sizes(tmp_path / "out"), default=0) <= 4:
            time.sleep(0.01)
        process.send_signal(number)
        errors = process.communicate()[1]
    assert process.returncode not in {0, 2}
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


def test_a_command_leaves_the_signals_as_they_were():
    before = signal.getsignal(signal.SIGTERM)
    run("list")
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_failed_generate_leaves_nothing(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("seqbench.dataset.export.pq.ParquetWriter", full)
    result = run("generate", "parity_check", *SMALL, "--out", tmp_path / "data")
    assert result.exit_code == 2
    assert "No space left on device" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_show_goes_through_load_dataset(tmp_path):
    facts = read_json(run("show", "dyck_d6", *SMALL, "--cache-dir", tmp_path, "--json"))
    assert list(facts["splits"]) == ["train", "validation", "test", "test_near_miss"]
    example = facts["splits"]["train"]["examples"][0]
    lang = language("dyck_d6")
    assert lang.labels[lang.label(example["word"])] == example["label"]
    assert lang.syntactic_class(example["word"]) == example["syntactic_class"]
    text = run("show", "dyck_d6", *SMALL, "--cache-dir", tmp_path).stdout
    assert facts["splits"]["test"]["digest"] in text


def test_check_recomputes_claims(tmp_path):
    assert run("check").exit_code == 0
    (tmp_path / "automata").mkdir()
    definition = 'title = "x"\nalphabet = ["0"]\nregex = "0*"\nsource = "me"\n'
    claims = "[claims]\nstates = 2\nmonoid = 1\naperiodic = true\n"
    (tmp_path / "automata" / "mine.toml").write_text(definition + claims)
    wrong = run("check", "--catalogue", tmp_path)
    assert wrong.exit_code == 1
    assert "mine: claims states = 2, found 1." in wrong.stdout
    assert "1 claim is false" in wrong.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["info", "dick_d6"], "Did you mean 'dyck_d6'"),
        (["inof", "dyck_d6"], "Did you mean 'info'"),
        (["info", "dyck_d6", "--test-lengths", "500", "41"], "runs backwards"),
        (["info", "dyck_d6", "--test-lengths", "0", "41"], "out of range"),
        (["info", "dyck_d6", "--test-lengths", "-3", "41"], "out of range"),
        (["info", "dyck_d6", "--test-lengths", "1.5", "41"], "not a valid integer"),
        (["info", "dyck_d6", "--sampling", "balanced=-1"], "Weights are finite numbers from 0 on"),
        (["info", "dyck_d6", "--sampling", "balanced=0"], "sum to 0"),
        (["info", "dyck_d6", "--sampling", "balanced=x"], "no number"),
        (["info", "dyck_d6", "--sampling", "clas"], "Did you mean 'class'"),
        (["info", "dyck_d6", "--targets", "prefixes"], "Did you mean 'prefix'"),
        (["info", "dyck_d6", "--labels", "accept", "--test-lengths", "41", "41"], "40, 42"),
        (["info", "dyck_d6", "--catalogue", "/nowhere/at/all"], "no catalogue folder"),
        (["sample", "dyck_d6", "--length", "13", "--label", "1"], "10, 12, 14"),
        (["sample", "dyck_d6", "--length", "12", "--label", "7"], "The label 7 is not there. Labels run from 0 to 1"),
        (["sample", "dyck_d6", "--length", "x"], "not a valid integer"),
        (["sample", "dyck_d6", "--lenght", "12"], "--length"),
        (["generate", "dyck_d6", "--out", "/dev/null/x"], "cannot be written"),
        (["expect", "parity_check", "--set", "version=9.9.9"], "no data version '9.9.9'"),
        *(
            ([*command, "--set", f"{name}=x"], f"--set {name}=x is no option of a dataset")
            for command, names in {
                ("info", "parity_check"): ["name", "catalogue"],
                ("show", "parity_check"): ["name", "catalogue", "rows", "cache_dir"],
                ("generate", "parity_check", "--out", "never"): ["name", "catalogue"],
                ("export", "never"): ["name", "names", "out", "catalogue", "force", "shard_bytes"],
                ("verify", "parity_check", "--cache"): ["name", "what", "catalogue", "cache_dir", "cache", "self"],
                ("expect", "parity_check"): ["name", "catalogue", "subject"],
            }.items()
            for name in names
        ),
        *(
            ([*command, "memory_airy_a04"], "'memory_airy_a04' is not over a regular language")
            for command in (["coverage"], ["expect"], ["plan"], ["draw", "--out", "never.svg"])
        ),
        (["generate", "dyck_d6", "--split", "tset", "--out", "never"], "Did you mean 'test'"),
    ],
)
def test_bad_input_ends_with_one_message(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert list(tmp_path.iterdir()) == []
