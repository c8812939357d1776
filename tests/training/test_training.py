"""Runs stop and go on as if never stopped; measures add up; bad input is one sentence."""

import json
import math
import shlex
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

import seqbench
from seqbench.cli import main
from seqbench.errors import InputError, SeqbenchError, UnknownNameError
from seqbench.files import locked

torch = pytest.importorskip("torch")

from seqbench.training import checkpoint, data, loop  # noqa: E402 -- torch may be absent
from seqbench.training.data import Batches, Source, by_length, plan_of  # noqa: E402
from seqbench.training.evaluate import evaluate  # noqa: E402
from seqbench.training.intervals import wilson  # noqa: E402
from seqbench.training.learner import Learner, node_classes  # noqa: E402
from seqbench.training.measures import Tally  # noqa: E402
from seqbench.training.settings import Settings, read, resolve  # noqa: E402
from tests.training.stops import stop_after  # noqa: E402

SMALL = {"steps": 30, "batch": 16, "check_every": 10, "patience": 0, "test_lengths": 3, "test_words": 8}
RECIPE = {"train_lengths": [1, 12], "test_lengths": [13, 20]}


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def small(task="parity_check", model="ldru", **changes):
    return resolve(task, model, **{**SMALL, "recipe": RECIPE, "options": {"width": 16}, **changes})


def losses(run):
    return [(line["step"], line["loss"]) for line in map(json.loads, (run / "metrics.jsonl").read_text().splitlines())]


def test_a_stopped_run_goes_on_as_if_never_stopped(tmp_path, monkeypatch):
    whole = loop.train(small(), tmp_path / "whole")
    stop_after(monkeypatch, 17)
    with pytest.raises(KeyboardInterrupt):
        loop.train(small(), tmp_path / "parts")
    assert checkpoint.load_state(tmp_path / "parts")["step"] == 17
    monkeypatch.undo()
    parts = loop.train(small(), tmp_path / "parts", resume=True)
    assert losses(parts) == losses(whole)
    assert [step for step, _ in losses(whole)] == [10, 20, 30]


@pytest.mark.slow
def test_a_killed_run_goes_on_as_if_never_killed(tmp_path):
    settings = ["--model", "ldru", "--set", "width=16", "--steps", "400", "--batch", "16", "--patience", "0"]
    command = [sys.executable, "-m", "seqbench", "train", "parity_check", *settings]
    subprocess.run([*command, "--out", tmp_path / "whole"], check=True, capture_output=True)
    with subprocess.Popen([*command, "--out", tmp_path / "parts"], stderr=subprocess.PIPE) as process:
        while not (tmp_path / "parts" / "metrics.jsonl").exists():
            time.sleep(0.05)
        time.sleep(0.3)
        process.kill()
    subprocess.run([*command, "--out", tmp_path / "parts", "--resume"], check=True, capture_output=True)
    assert losses(tmp_path / "parts") == losses(tmp_path / "whole")


def test_training_stops_early_by_validation_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "tally", lambda *_: Tally(np.ones(5), np.ones(5)))
    run = loop.train(small(steps=200, patience=2), tmp_path / "run")
    assert losses(run)[-1][0] == 20


def test_batches_are_those_of_the_stream():
    made = Batches(Source(small()), first=3)
    try:
        found = [batch for _, batch in zip(range(4), made, strict=False)]
    finally:
        made.close()
    wanted = seqbench.stream("parity_check", batch_size=16, lengths=(1, 12)).seek(3)
    for batch in found:
        tokens, labels = next(wanted)
        assert (batch.inputs.numpy() == tokens).all()
        assert (batch.targets.numpy() == labels).all()


def test_an_error_in_the_thread_reaches_the_reader(monkeypatch):
    monkeypatch.setattr(data.Source, "batch", lambda *_: 1 / 0)
    made = Batches(Source(small()))
    try:
        with pytest.raises(ZeroDivisionError):
            next(iter(made))
    finally:
        made.close()


def test_words_by_length_are_all_words():
    planned = plan_of(small("dyck_d3"))
    batches = dict(by_length(planned, "test"))
    assert list(batches) == list(range(13, 21))
    lang = seqbench.language("dyck_d3")
    for length, batch in batches.items():
        assert batch.inputs.shape == (8, length)
        assert lang.label_all(batch.inputs.numpy()) == batch.targets.tolist()


@pytest.mark.parametrize("name", ["dyck_d3", "cycle_navigation", "tomita_5"])
@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 13])
def test_node_classes_are_those_of_their_blocks(name, length):
    from seqbench.models import create

    lang = seqbench.language(name)
    words = np.random.default_rng(length).integers(0, len(lang.alphabet), (5, length))
    model = create("ldru", vocabulary=len(lang.alphabet), classes=2, width=8)
    for lengths in (torch.full((5,), length), torch.arange(length, length + 5) % length + 1):
        nodes = model.node_states(torch.from_numpy(words), lengths)
        classes = node_classes(lang.monoid, torch.from_numpy(words), lengths)
        places = (part.tolist() for part in (nodes.row, nodes.start, nodes.width, classes))
        for row, start, width, found in zip(*places, strict=True):
            assert found == lang.syntactic_class(words[row, start : start + width])


@pytest.mark.parametrize("also", [(), ("syntactic_class",), ("node_classes",), ("syntactic_class", "node_classes")])
def test_results_add_up(tmp_path, also):
    run = loop.train(small("dyck_d2", also=also), tmp_path / "run")
    facts = evaluate(run)
    metrics = facts["metrics"]
    test, members, others = (metrics[name]["accuracy"] for name in ("test", "members", "random_non_members"))
    assert test["n"] == facts["split"]["sequences"] == sum(each["n"] for each in test["per_length"].values()) == 24
    assert members["n"] + others["n"] == 24
    assert right(test) == right(members) + right(others)
    assert metrics["near_misses"]["accuracy"]["n"] > 0
    assert facts["task"]["version"] == "1.0.0"
    longer = evaluate(run, lengths=(30, 35), words=4, number=0)
    assert list(longer["metrics"]["test"]["accuracy"]["per_length"]) == [str(length) for length in range(30, 36)]
    assert facts["provenance"]["evaluation"] is None
    command = longer["provenance"]["evaluation"]
    done = CliRunner().invoke(main, [*shlex.split(command)[1:], "--json"])
    assert json.loads(done.stdout)["metrics"] == longer["metrics"]
    kept = run / "evaluations" / "lengths-30-35_words-4_test-lengths-0.json"
    assert json.loads(kept.read_text()) == json.loads(done.stdout)
    assert done.stderr.splitlines()[-1] == str(kept)
    few = evaluate(run, lengths=(100, 200), words=1)["split"]["lengths"]  # as many as the run's
    assert (len(few), few[0], few[-1]) == (3, 100, 200)


def right(found):
    return round(sum(each["value"] * each["n"] for each in found["per_length"].values()))


def test_wilson_is_that_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    for right, words in [(0, 1), (0, 50), (1, 3), (47, 50), (50, 50), (999, 1000)]:
        wanted = stats.binomtest(right, words).proportion_ci(method="wilson")
        assert wilson(right, words) == pytest.approx((wanted.low, wanted.high))


def test_equal_settings_have_equal_names():
    assert small().run_id == small().run_id
    assert small().run_id != small(seed=1).run_id
    assert small().run_id != small(options={"width": 17}).run_id


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"tier": "quik"}, "quick"),
        ({"stepps": 3}, "steps"),
        ({"steps": 0}, "from 1 to 1,000,000,000,000"),
        ({"steps": -(10**5000)}, "too many digits"),
        ({"test_words": 10**12}, "from 1 to"),
        ({"steps": "many"}, "steps"),
        ({"schedule": "cosin"}, "cosine"),
        ({"also": ("syntactic_clas",)}, "syntactic_class"),
        ({"learning_rate": -1.0}, "from 1e-12"),
    ],
)
def test_bad_settings_are_one_sentence(changes, part):
    with pytest.raises(SeqbenchError, match=part):
        resolve("parity_check", "ldru", **changes)


def test_other_models_have_no_nodes(tmp_path):
    with pytest.raises(InputError, match="ldru, bbt_grc"):
        loop.train(small(model="gru", also=("node_classes",)), tmp_path / "run")
    with pytest.raises(UnknownNameError, match="ldru"):
        loop.train(small(model="ldrru"), tmp_path / "other")


@pytest.mark.parametrize("make", [lambda path: path.write_text("mine"), lambda path: path.symlink_to(path.parent)])
def test_what_is_in_the_way_of_an_evaluation_is_named_before_it(make, tmp_path):
    run = loop.train(small(steps=2), tmp_path / "run")
    make(run / "evaluations")
    done = CliRunner().invoke(main, ["evaluate", str(run), "--words", "2"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{str(run / 'evaluations')!r} is in the way" in done.stderr


def test_a_folder_is_not_taken_twice(tmp_path):
    run = loop.train(small(steps=10), tmp_path / "run")
    with pytest.raises(InputError, match="--resume"):
        loop.train(small(steps=10), run)
    (run / "result.json").touch()
    with pytest.raises(InputError, match=r"a finished run already\. Measure it"):
        loop.train(small(steps=10), run)
    with pytest.raises(InputError, match="other settings"):
        loop.train(small(steps=20), run, resume=True)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "note.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        loop.train(small(), tmp_path / "mine")
    with pytest.raises(InputError, match="holds no run"):
        read(tmp_path / "mine")


def tampered(run, **changes):
    """A run whose checkpoint says something else."""
    path = run / "checkpoint" / "state.pt"
    torch.save(torch.load(path, weights_only=True) | changes, path)
    return run


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": 1}, "another release of seqbench"),
        ({"data": {"version": "0.9.0", "digest": "0"}}, "data version 0.9.0; it has version 1.0.0 here"),
        ({"data": {"version": "1.0.0", "digest": "0"}}, "made otherwise here"),
    ],
)
def test_a_checkpoint_of_another_release_or_of_other_data_is_refused(changes, words, tmp_path):
    settings = resolve("parity_check", "gru", steps=2, batch=2, test_words=2, options={"width": 4})
    run = tampered(loop.train(settings, tmp_path / "run"), **changes)
    with pytest.raises(InputError, match=words):
        evaluate(run)
    with pytest.raises(InputError, match=words):
        loop.train(settings, run, resume=True)


def test_a_checkpoint_that_was_cut_off_is_refused(tmp_path):
    settings = resolve("parity_check", "gru", steps=2, batch=2, test_words=2, options={"width": 4})
    path = loop.train(settings, tmp_path / "run") / "checkpoint" / "state.pt"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match=r"state.pt' cannot be read"):
        evaluate(tmp_path / "run")


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("checkpoint/state.pt", b"garbage", "is damaged"),
        ("checkpoint/state.pt", [1, 2], "another release"),
        ("checkpoint/model.safetensors", b"garbage", "cannot be read"),
        ("checkpoint/model.safetensors", None, "cannot be read"),
        ("metrics.jsonl", b"", "last line"),
        ("metrics.jsonl", b"garbage\n", "last line"),
        ("metrics.jsonl", b"5\n", "last line"),
        ("metrics.jsonl", b"[" * 100_000, "last line"),
        ("settings.json", b"[" * 100_000, "cannot be read"),
        ("metrics.jsonl", None, "has no metrics.jsonl"),
    ],
)
def test_a_damaged_run_is_named(file, content, words, tmp_path):
    run = loop.train(small(steps=2), tmp_path / "run")
    if content is None:
        (run / file).unlink()
    elif isinstance(content, list):
        torch.save(content, run / file)
    else:
        (run / file).write_bytes(content)
    with pytest.raises(InputError, match=words):
        evaluate(run)


def test_a_checkpoint_survives_a_kill_between_its_renames_and_one_while_the_next_is_written(tmp_path, monkeypatch):
    run = loop.train(small(steps=2), tmp_path / "run")
    (run / "checkpoint").rename(run / ".checkpoint.old")

    def killed(*_):
        raise SystemExit

    monkeypatch.setattr(checkpoint, "_write", killed)
    with pytest.raises(SystemExit):
        checkpoint.save(run, 3, torch.nn.Linear(1, 1), torch.optim.SGD([torch.zeros(1)]), {})
    assert checkpoint.load_state(run)["step"] == 2


def test_a_full_disk_is_told_and_the_checkpoint_before_stays(tmp_path, monkeypatch):
    run = loop.train(small(steps=2), tmp_path / "run")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint, "save_file", full)
    with pytest.raises(InputError, match=r"cannot be written.*No space left"):
        checkpoint.save(run, 3, torch.nn.Linear(1, 1), torch.optim.SGD([torch.zeros(1)]), {})
    assert checkpoint.load_state(run)["step"] == 2
    assert not list(run.glob(".checkpoint*"))


def test_resuming_without_a_checkpoint_begins_again_with_no_step_twice(tmp_path):
    run = loop.train(small(steps=4, check_every=2), tmp_path / "run")
    shutil.rmtree(run / "checkpoint")
    loop.train(small(steps=4, check_every=2), run, resume=True)
    assert [json.loads(line)["step"] for line in (run / "metrics.jsonl").read_text().splitlines()] == [2, 4]


def test_one_process_at_a_time_trains_in_a_folder(tmp_path):
    run = loop.train(small(steps=2), tmp_path / "run")
    with locked(run), pytest.raises(InputError, match="by another process"):
        loop.train(small(steps=2), run, resume=True)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"clip": math.inf}, "clip=inf"),
        ({"clip": 0.0}, "clip=0.0"),
        ({"learning_rate": math.nan}, "learning_rate=nan"),
        ({"weight_decay": -1.0}, "weight_decay=-1.0"),
        ({"seed": -1}, "seed=-1"),
        ({"data_seed": 2**70}, "data_seed"),
        ({"options": {"width": "abc"}}, "cannot be made with width='abc'"),
        ({"options": {"width": -1}}, "-1"),
        ({"options": {"vocabulary": 5}}, "no option of the model 'gru' called 'vocabulary'"),
        ({"recipe": {"name": "foo"}}, "no option of a recipe"),
        ({"recipe": {"test_examples_per_length": 0}}, "no split 'test'"),
    ],
)
def test_what_cannot_be_used_is_named_before_any_step(changes, words, tmp_path):
    with pytest.raises(SeqbenchError, match=words):
        loop.train(resolve("parity_check", "gru", **changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_run_that_diverges_ends_with_a_sentence(value, tmp_path, monkeypatch):
    forward = Learner.forward
    monkeypatch.setattr(Learner, "forward", lambda *given: forward(*given) * value)
    with pytest.raises(InputError, match="the run has diverged"):
        loop.train(small(steps=4, check_every=2), tmp_path / "run")
    assert not (tmp_path / "run" / "metrics.jsonl").exists()


def test_a_model_that_cannot_do_bf16_says_so(tmp_path, monkeypatch):
    def refuses(*_):
        raise RuntimeError("could not create a primitive descriptor")

    monkeypatch.setattr(Learner, "forward", refuses)
    with pytest.raises(InputError, match="cannot be trained in bf16 on cpu: could not create"):
        loop.train(small(precision="bf16"), tmp_path / "run")


def test_a_checkpoint_of_another_model_is_refused(tmp_path):
    run = loop.train(small(steps=10), tmp_path / "run")
    text = (run / "settings.json").read_text().replace('"width": 16', '"width": 24')
    (run / "settings.json").write_text(text)
    with pytest.raises(InputError, match="does not fit"):
        evaluate(run)


def test_the_commands_say_what_they_did(tmp_path):
    settings = ["--model", "lstm", "--set", "width=8", "--steps", "20", "--batch", "8", "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(main, ["train", "even_pairs", *settings, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == json.loads((tmp_path / "run" / "result.json").read_text())
    again = CliRunner().invoke(main, ["evaluate", str(tmp_path / "run"), "--lengths", "50", "51", "--words", "4"])
    assert "test, accuracy" in again.stdout
    assert CliRunner().invoke(main, ["evaluate", str(tmp_path)]).exit_code == 2
    bad = ["train", "even_pairs", "--model", "lstmm", "--out", str(tmp_path / "bad")]
    assert CliRunner().invoke(main, bad).exit_code == 2
    assert not (tmp_path / "bad").exists()


def test_settings_round_trip(tmp_path):
    run = loop.train(small(steps=10, sampling={"class": 0.5, "balanced": 0.5}), tmp_path / "run")
    assert read(run) == small(steps=10, sampling={"class": 0.5, "balanced": 0.5})
    assert isinstance(read(run), Settings)
