"""Several processes learn what one learns; curves for TensorBoard; devices and memory that are not there."""

import contextlib
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch")

from safetensors.torch import load_file  # noqa: E402 -- torch may be absent

from seqbench.cli import main  # noqa: E402
from seqbench.errors import InputError  # noqa: E402
from seqbench.training import loop  # noqa: E402
from seqbench.training.learner import Learner  # noqa: E402
from seqbench.training.machine import enough_memory  # noqa: E402
from seqbench.training.parallel import device_of, processes  # noqa: E402
from seqbench.training.settings import resolve  # noqa: E402

RUN = ["train", "parity_check", "--model", "gru", "--steps", "30", "--check-every", "10", "--batch", "16"]
SMALL = ["--set", "width=16", "--test-words", "2", "--test-lengths", "2", "--recipe", "validation_examples=100"]


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


def looks(folder):
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_two_processes_learn_what_one_learns(tmp_path):
    alone, together = tmp_path / "alone", tmp_path / "together"
    assert run(*RUN, *SMALL, "--out", alone).exit_code == 0
    torchrun = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        "-m",
        "seqbench",
    ]
    done = subprocess.run([*torchrun, *RUN, *SMALL, "--out", together], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for one, two in zip(looks(alone), looks(together), strict=True):
        assert two["loss"] == pytest.approx(one["loss"], abs=1e-4)
    weights = [load_file(folder / "checkpoint" / "model.safetensors") for folder in (alone, together)]
    assert all(torch.allclose(weights[0][name], weights[1][name], atol=1e-4) for name in weights[0])
    assert json.loads((together / "result.json").read_text())["environment"]["processes"] == 2
    assert done.stdout.count("chance") == 1  # one of them speaks


def test_a_batch_that_cannot_be_shared_out_is_refused(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "3")
    with pytest.raises(InputError, match="A batch of 128 cannot be shared among 3 processes"), processes("cpu", 128):
        pass


def test_a_device_that_is_not_there_is_named():
    for name in ("gpu", "cuda:99", "meta", "meta:0", "x" * 5000):
        with pytest.raises(InputError, match=r"The device .* cannot be used"):
            device_of(name)


@pytest.mark.parametrize(
    "error", [torch.cuda.OutOfMemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory"), MemoryError()]
)
def test_too_little_memory_says_what_to_give(error, monkeypatch, tmp_path):
    def full(*_):
        raise error

    monkeypatch.setattr(Learner, "forward", full)
    with pytest.raises(InputError, match=r"memory is too small for a batch of 128 at length \d+. Give --batch 64"):
        loop.train(resolve("parity_check", "gru"), tmp_path / "run")


@pytest.mark.parametrize(
    "more", [["--set", "layers=true"], ["--batch", "100000000"], ["--recipe", "alpha=" + "1" * 5000]]
)
def test_a_run_that_cannot_begin_leaves_no_folder(more, tmp_path):
    done = run(*RUN, *more, "--out", tmp_path / "run")
    assert done.exit_code == 2, done.output
    assert len(done.output) < 2000
    assert not (tmp_path / "run").exists()


def test_a_run_that_another_process_holds_is_left_alone(monkeypatch, tmp_path):
    """Between claiming and locking a folder another process may have gone on with it."""

    @contextlib.contextmanager
    def taken(*_):
        raise InputError("taken")
        yield

    monkeypatch.setattr(loop, "held", taken)
    with pytest.raises(InputError, match="taken"):
        loop.train(resolve("parity_check", "gru"), tmp_path / "run")
    assert (tmp_path / "run" / "settings.json").exists()


def test_other_errors_of_torch_are_not_taken_for_it():
    with pytest.raises(RuntimeError, match="mat1"), enough_memory(torch.device("cpu"), "it", "Give less."):
        torch.zeros(2, 3) @ torch.zeros(2, 3)


def test_words_that_no_memory_holds_are_no_traceback():
    assert run("profile", "--models", "gru", "--lengths", 8, "--batch", 10**20).exit_code == 2
    done = run("profile", "--models", "gru", "--lengths", 1_000_000, "--batch", 1_000_000)
    assert done.exit_code == 2
    assert "memory is too small for 1000000 words of length 1000000 and the model gru. Give a smaller" in done.output


def test_curves_are_those_of_the_metrics(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    assert run(*RUN, *SMALL, "--out", tmp_path / "run", "--tensorboard").exit_code == 0
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard"))
    events.Reload()
    shown = [(event.step, event.value) for event in events.Scalars("loss")]
    assert shown == [(look["step"], pytest.approx(look["loss"], abs=1e-6)) for look in looks(tmp_path / "run")]
