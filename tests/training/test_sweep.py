"""A grid becomes run folders; finished runs are kept."""

import json

import pytest
from click.testing import CliRunner

from seqbench.cli import main
from seqbench.errors import InputError, SeqbenchError, UnknownNameError

pytest.importorskip("torch")

from seqbench.training import sweep

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


def test_a_failed_run_says_why(grid, tmp_path):
    grid.write_text(GRID.replace('"gru"', '"gruu"'))
    with pytest.raises(SeqbenchError, match=r"1 of 2 runs failed.*gru"):
        sweep.sweep(grid, tmp_path / "runs", jobs=2)
    assert len(list((tmp_path / "runs").glob("*/result.json"))) == 1


@pytest.mark.parametrize(
    ("text", "error"),
    [("[grid", InputError), ("[grid]\ntask = ['parity_check']", InputError), ("[gird]\n", UnknownNameError)],
)
def test_bad_grids(tmp_path, text, error):
    path = tmp_path / "grid.toml"
    path.write_text(text)
    with pytest.raises(error):
        sweep.grid(path)
    with pytest.raises(InputError):
        sweep.grid(tmp_path / "none.toml")
