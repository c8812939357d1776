"""A grid becomes run folders; finished runs are kept."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from seqbench.cli import main
from seqbench.errors import InputError, SeqbenchError, UnknownNameError

torch = pytest.importorskip("torch")

from benchmarks.learnability import __main__ as learnability  # noqa: E402
from seqbench.training import sweep  # noqa: E402 -- torch may be absent
from seqbench.training.table import table  # noqa: E402
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
    assert "| parity_check | gru | accuracy | 1 |" in table(results)


def test_a_list_names_one_command_a_run(grid, tmp_path):
    done = CliRunner().invoke(main, ["sweep", str(grid), "--out", str(tmp_path / "runs"), "--list"])
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all("seqbench.training.sweep" in line for line in lines)
    assert len(list((tmp_path / "runs").glob("*/settings.json"))) == 2


@pytest.mark.slow
def test_a_failed_run_says_why(grid, tmp_path):
    folder = sweep.claimed(grid, tmp_path / "runs")[0]
    (folder / "checkpoint").mkdir()
    (folder / "checkpoint" / "state.pt").write_bytes(b"damaged")
    with pytest.raises(SeqbenchError, match=r"1 of 2 runs failed\. The first: \S+: '\S+' cannot be read"):
        sweep.sweep(grid, tmp_path / "runs", jobs=2)
    assert len(list((tmp_path / "runs").glob("*/result.json"))) == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"gru"', '"gruu"', "'gru'"),
        ("width = 8", "widht = 8", "'width'"),
        ("width = 8", "layers = 2.5", "layers"),
        ("train_lengths", "train_lenghts", "'train_lengths'"),
        ("[1, 8]", "[8, 1]", "runs backwards"),
        ("steps = 10", "sampling = { unifrom = 1 }", "'uniform'"),
        ("steps = 10", "catalogue = 3", "catalogue"),
        ("steps = 10", "catalogue = ''", "catalogue"),
        ("steps = 10", "catalogue = '~nobody_here/x'", "catalogue"),
        ('"parity_check"', '"reverse_string"', "ldru"),  # gives one answer a word
    ],
)
def test_what_no_run_could_do_leaves_no_folder(grid, tmp_path, old, new, said):
    grid.write_text(GRID.replace(old, new))
    for more in ([], ["--list"]):
        done = CliRunner().invoke(main, ["sweep", str(grid), "--out", str(tmp_path / "runs"), *more])
        assert (done.exit_code, said in done.stderr, done.stdout) == (2, True, ""), done.output
        assert not (tmp_path / "runs").exists()


def test_a_value_written_twice_is_one_run(grid, tmp_path):
    grid.write_text(GRID.replace("seed = [0]", "seed = [0, 1, 0]"))
    assert len(sweep.claimed(grid, tmp_path / "runs")) == 4


@pytest.mark.parametrize("name", ["labels", "sequences", "memory"])
def test_the_grids_of_the_learnability_table_can_be_run(name):
    runs = sweep.grid(Path(__file__).parents[2] / "benchmarks" / "learnability" / f"{name}.toml")
    sweep.check(runs)
    assert {run.tier for run in runs} == {"quick"}


def test_the_learnability_table_has_a_cell_a_run():
    def result(model, task, **shares):
        metrics = {"measure": "accuracy"} | {name: {"accuracy": {"value": value}} for name, value in shares.items()}
        return {"model": {"family": model}, "task": {"id": task}, "metrics": metrics}

    found = learnability.table(
        [
            result("gru", "dyck_d3", in_distribution=1.0, test=0.99999, near_misses=0.5),
            result("ldru", "even_pairs", in_distribution=1.0, test=1.0),
        ]
    )
    assert found.splitlines()[0] == "| model | `dyck_d3` | `even_pairs` |"  # in the order of the grids
    assert found.splitlines()[2:] == ["| `ldru` |  | 100 / 100 |", "| `gru` | 100 / 99.9 / 50 |  |"]


@pytest.mark.parametrize(
    "text", ["{", "[]", "[" * 100_000, '{"task": {}}', '{"task":"x","model":{},"training":{},"metrics":{}}']
)
def test_a_damaged_result_is_named(grid, tmp_path, text):
    for folder in sweep.claimed(grid, tmp_path / "runs"):
        (folder / "result.json").write_text(text)
    with pytest.raises(InputError, match=r"result.json' cannot be read: it is damaged. Remove it"):
        sweep.sweep(grid, tmp_path / "runs")


def _result(seed, value, layers, *, most_steps=10, recipe=None):
    return {
        "task": {"id": "parity_check", "chance": 0.5},
        "model": {"family": "gru", "config": {"layers": layers}},
        "training": {"seed": seed, "steps": seed, "most_steps": most_steps, "recipe": recipe or {}},
        "metrics": {"measure": "accuracy", "test": {"accuracy": {"value": value}}},
    }


def test_what_a_grid_varies_has_a_column_of_its_own():
    rows = table([_result(0, 0.5, 1), _result(1, 1.0, 1), _result(0, 0.25, 2)]).splitlines()
    assert rows[0] == "| task | model | layers | measure | seeds | mean | lowest | highest | chance |"
    assert rows[2:] == [
        "| parity_check | gru | 1 | accuracy | 2 | 75.00 | 50.00 | 100.00 | 50.00 |",
        "| parity_check | gru | 2 | accuracy | 1 | 25.00 | 25.00 | 25.00 | 50.00 |",
    ]


def test_options_of_one_name_have_columns_of_their_own():
    head = table([_result(0, 0.5, 1, recipe={"layers": 3}), _result(0, 0.5, 2, recipe={"layers": 4})]).splitlines()[0]
    assert "| layers | layers of the model |" in head


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
