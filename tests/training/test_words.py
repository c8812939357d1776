"""Runs on words of one's own: every word is seen, labels are the language's, coverage is what the words show."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import seqbench
from seqbench.cli import main
from seqbench.cli.train import settings_of
from seqbench.errors import InputError, UnknownNameError

torch = pytest.importorskip("torch")

from seqbench.training import classes, loop  # noqa: E402 -- torch may be absent
from seqbench.training.command import command  # noqa: E402
from seqbench.training.data import Source  # noqa: E402
from seqbench.training.evaluate import evaluate  # noqa: E402
from seqbench.training.settings import read, resolve  # noqa: E402
from seqbench.training.sweep import sweep  # noqa: E402
from tests.training.test_results import checker, parsed  # noqa: E402
from tests.training.test_training import RECIPE, SMALL, losses, one_thread, small  # noqa: E402, F401 -- a fixture

WORDS = ["01", "0011", "10", "001011", "1", "010101", "0", "0110"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return path


def test_an_epoch_has_every_word_once_with_the_label_of_the_language(file):
    source = Source(small("dyck_d2", words=str(file), batch=4))
    seen = []
    for number in range(2):
        batch = source.batch(number)
        for word, length, label in zip(
            batch.inputs.tolist(), batch.lengths.tolist(), batch.targets.tolist(), strict=True
        ):
            text = "".join(map(str, word[:length]))
            seen.append(text)
            assert [label] == seqbench.solve("dyck_d2", [text])
    assert sorted(seen) == sorted(WORDS)


def test_what_a_file_says_of_labels_is_not_read_and_its_column_is_named(tmp_path):
    words = pa.table({"text": ["01", "0011"], "other": ["1", "1"], "label": [0, 0]})
    pq.write_table(words, tmp_path / "w.parquet")
    which = ["--train", str(tmp_path / "w.parquet"), "--column", "text", "--out", str(tmp_path / "run")]
    short = ["--steps", "1", "--check-every", "1", "--test-lengths", "1", "--test-words", "2"]
    run = CliRunner().invoke(main, ["train", "dyck_d2", "--model", "gru", *which, *short])
    assert run.exit_code == 0, run.output
    assert read(tmp_path / "run").words.column == "text"
    assert Source(read(tmp_path / "run")).batch(0).targets.tolist() == [1] * 128


@pytest.mark.parametrize("also", [(), ("syntactic_class",), ("node_classes",)])
def test_coverage_is_that_of_the_words(file, tmp_path, also):
    run = loop.train(small("dyck_d2", words=str(file), also=also, batch=8), tmp_path / "run")
    facts = evaluate(run, coverage=True)
    assert checker().is_valid(facts)
    report = seqbench.coverage("dyck_d2", WORDS, test_lengths=(13, 20))
    assert facts["coverage"]["words"] == len(WORDS)
    assert facts["coverage"]["needed"] == len(report.pooled_need.keys)
    assert facts["coverage"]["expected"] == len(report.pooled_need.keys) - report.num_missing
    assert facts["coverage"]["by_occurrence"] == pytest.approx(report.test_mass_covered, abs=1e-6)
    found = classes.classes_of(run, words=200)
    size = len(found.monoid)
    assert set((found.pairs[found.shown] @ [size, 1]).tolist()) <= set(report.train.pairs().keys.tolist())
    assert found.shown.any()
    assert not found.shown.all()


def test_few_words_fill_a_batch(file):
    batch = Source(small("dyck_d2", words=str(file), batch=20)).batch(3)
    assert sorted(set(batch.lengths.tolist())) == sorted({len(word) for word in WORDS})
    assert len(batch.lengths) == 20


def test_a_glob_names_the_file_of_a_word_that_cannot_be(file):
    (file.parent / "mine2.txt").write_text("01\n\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"mine2\.txt: Row 1: the word is empty"):
        Source(small("dyck_d2", words=str(file.parent / "mine*.txt")))


def test_a_run_on_words_goes_on_and_is_told_from_runs_on_others(file, tmp_path):
    settings = small("dyck_d2", words=str(file))
    whole = loop.train(settings, tmp_path / "whole")
    assert losses(loop.train(settings, tmp_path / "again")) == losses(whole)
    file.write_text("01\n0\n", encoding="utf-8")
    assert small("dyck_d2", words=str(file)).run_id != settings.run_id
    with pytest.raises(InputError, match="is not as it was when this run was begun"):
        Source(settings)
    assert evaluate(whole)["metrics"]  # the words are not needed any more
    found = classes.classes_of(whole, words=100)
    assert found.shown is None
    assert "training words has changed or is gone" in classes.classes_text(found)


def test_the_command_repeats_the_words(file):
    settings = small("dyck_d2", words=str(file))
    assert parsed(command(settings)) == settings


def test_a_sweep_compares_files_of_words(file, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("01\n10\n", encoding="utf-8")
    grid = tmp_path / "grid.toml"
    grid.write_text(
        f'[grid]\ntask = "dyck_d2"\nmodel = "gru"\nwords = ["{file}", "{other}"]\n'
        "[settings]\nsteps = 1\ncheck_every = 1\ntest_lengths = 1\ntest_words = 2\n",
        encoding="utf-8",
    )
    found = sweep(grid, tmp_path / "runs")
    assert [each["training"]["words"]["path"] for each in found] == [str(file), str(other)]


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (None, [], "There is no file"),
        ("", [], "holds no word"),
        ("01\n\n10\n", [], "Row 1: the word is empty"),
        ("01\n012\n", [], "Row 1: Position 2"),
        ("01\n", ["--sampling", "class"], "the words of a file are given"),
        ("01\n", ["--column", "x"], "has no columns"),
    ],
)
def test_bad_words_are_named_and_leave_no_run(text, more, message, tmp_path):
    file = tmp_path / "mine.txt"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    out = tmp_path / "run"
    done = CliRunner().invoke(
        main, ["train", "dyck_d2", "--model", "gru", "--train", str(file), "--out", str(out), *more]
    )
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert not out.exists()


def test_words_are_for_languages_and_outside_the_domain_none_is(tmp_path):
    (tmp_path / "w.txt").write_text("1+\n", encoding="utf-8")
    with pytest.raises(InputError, match="Row 0: the word is outside the domain"):
        Source(resolve("modular_arithmetic", "gru", words=str(tmp_path / "w.txt")))
    with pytest.raises(InputError, match="reverse_string is not over a regular language"):
        Source(resolve("reverse_string", "gru", words=str(tmp_path / "w.txt")))
    with pytest.raises(InputError, match="--column x is for words of a file"):
        settings_of("dyck_d2", "gru", "quick", {"column": "x"})


def test_a_cover_teaches_what_it_shows(tmp_path):
    """The words of a cover, labels made even, are trained on from their file; all needed compositions are shown."""
    out = tmp_path / "cover.parquet"
    assert (
        CliRunner().invoke(main, ["cover", "dyck_d2", "--max-length", "12", "--balance", "--out", str(out)]).exit_code
        == 0
    )
    labels = pq.read_table(out)["label"].to_numpy()
    assert np.bincount(labels).tolist() == [len(labels) / 2] * 2
    run = loop.train(small("dyck_d2", words=str(out)), tmp_path / "run")
    facts = evaluate(run, coverage=True)
    assert facts["coverage"]["value"] == 1
    text = classes.classes_text(classes.classes_of(run, words=200))
    assert "not shown in training        0       0" in text
    assert json.loads((run / "settings.json").read_text())["words"]["path"] == str(out)


def test_an_unknown_column_is_named(tmp_path):
    pq.write_table(pa.table({"input_ids": [[0, 1]]}), tmp_path / "w.parquet")
    chosen = settings_of("dyck_d2", "gru", "quick", {"train": str(tmp_path / "w.parquet"), "column": "input_id"})
    with pytest.raises(UnknownNameError, match="input_id'"):
        Source(chosen)
