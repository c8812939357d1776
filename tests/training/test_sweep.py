"""A grid becomes run folders; finished runs are kept."""

import json
import signal
import subprocess
import time

import pytest
from click.testing import CliRunner

from seqbench.cli import main
from seqbench.errors import InputError, SeqbenchError, UnknownNameError

torch = pytest.importorskip("torch")

from seqbench.training import sweep  # noqa: E402 -- torch may be absent
from tests.interrupts import SEQBENCH  # noqa: E402

GRID = """
[grid]
task = ["parity_check"]
model = ["ldru", "gru"]
seed = [0]

[settings]
steps = 10
batch = 8
check_every = 10
test_lengths = 2
test_words = 4
options = { width = 8 }
recipe = { train_lengths = [1, 8], test_lengths = [9, 12] }
"""


@pytest.fixture
def grid(tmp_path):
    path = tmp_path / "grid.toml"
    path.write_text(GRID)
    return path


@pytest.mark.slow
def test_a_sweep_makes_each_run_once(grid, tmp_path):
    results = sweep.sweep(grid, tmp_path / "runs", jobs=2)
    assert [facts["model"]["family"] for facts in results] == ["ldru", "gru"]
    files = list((tmp_path / "runs").glob("*/result.json"))
    times = {path: path.stat().st_mtime_ns for path in files}
    assert len(files) == 2
    again = CliRunner().invoke(main, ["sweep", str(grid), "--out", str(tmp_path / "runs"), "--json"])
    assert json.loads(again.stdout) == results
    assert {path: path.stat().st_mtime_ns for path in files} == times
    assert "| parity_check | gru | accuracy | 1 |" in sweep.table(results)


def test_a_list_names_one_command_a_run(grid, tmp_path):
    done = CliRunner().invoke(main, ["sweep", str(grid), "--out", str(tmp_path / "runs"), "--list"])
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all("seqbench.training.sweep" in line for line in lines)
    assert len(list((tmp_path / "runs").glob("*/settings.json"))) == 2


@pytest.mark.slow
def test_a_failed_run_says_why(grid, tmp_path):
    grid.write_text(GRID.replace("width = 8", "width = 8, chunk = 2").replace('"gru"', '"rir_grc"'))
    with pytest.raises(
        SeqbenchError, match=r"1 of 2 runs failed\. The first: \S+: There is no option of the model 'ldru'"
    ):
        sweep.sweep(grid, tmp_path / "runs", jobs=2)
    assert len(list((tmp_path / "runs").glob("*/result.json"))) == 1


def test_an_unknown_model_leaves_no_folder(grid, tmp_path):
    grid.write_text(GRID.replace('"gru"', '"gruu"'))
    for more in ([], ["--list"]):
        done = CliRunner().invoke(main, ["sweep", str(grid), "--out", str(tmp_path / "runs"), *more])
        assert (done.exit_code, "'gru'" in done.stderr, done.stdout) == (2, True, "")
        assert not (tmp_path / "runs").exists()


@pytest.mark.slow  # three processes that import torch
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all_runs_and_leaves_checkpoints(grid, tmp_path, sent):
    grid.write_text(GRID.replace("[0]", "[0, 1, 2]").replace("steps = 10", "steps = 1_000_000\npatience = 0"))
    runs = tmp_path / "runs"
    process = subprocess.Popen([*SEQBENCH, "sweep", str(grid), "--out", str(runs)], stderr=subprocess.PIPE, text=True)
    while not list(runs.glob("*/checkpoint")) and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(sent)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + sent, said
    assert "Traceback" not in said
    assert ("Go on with the same command." in said) == (sent == signal.SIGINT)
    (metrics,) = runs.glob("*/metrics.jsonl")  # one of six was on its way, and it has ended
    before = metrics.read_bytes()
    time.sleep(0.5)
    assert metrics.read_bytes() == before
    step = torch.load(metrics.parent / "checkpoint" / "state.pt", weights_only=True)["step"]
    assert step >= json.loads(before.splitlines()[-1])["step"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("[grid", InputError),
        ("[grid]\ntask = ['parity_check']", InputError),
        ("[gird]\n", UnknownNameError),
        ("grid = 5", InputError),
        ("[[grid]]\ntask = 'parity_check'\nmodel = 'gru'", InputError),
        ("settings = 3\n[grid]\ntask = 'parity_check'\nmodel = 'gru'", InputError),
        ("[grid]\ntask = 'parity_check'\nmodel = [3]", InputError),
        ("[grid]\ntask = [['parity_check']]\nmodel = 'gru'", InputError),
        ("[grid]\ntask = 'parity_check'\nmodel = 'gru'\ntier = 1", InputError),
        ("[grid]\ntask = 'parity_check'\nmodel = 'gru'\noptions = 3", InputError),
        ("[grid]\ntask = 'parity_check'\nmodel = 'gru'\nsteps = 'many'", InputError),
        ("[grid]\ntask = 'parity_check'\nmodel = 'gru'\ntexts = 3", InputError),
        ("[grid]\ntask = []\nmodel = 'gru'", InputError),
        ("[grid]\ntask = 'parity_check'\nmodel = 'gru'\nseed = []", InputError),
    ],
)
def test_bad_grids(tmp_path, text, error):
    path = tmp_path / "grid.toml"
    path.write_text(text)
    with pytest.raises(error):
        sweep.grid(path)
    with pytest.raises(InputError):
        sweep.grid(tmp_path / "none.toml")
