"""The same contract on the oldest supported release of the datasets library."""

import subprocess
import sys
from pathlib import Path

import datasets
import pytest

ROOT = Path(__file__).parents[2]
OLDEST = "4.0.0"  # the lower bound in pyproject.toml
ENVIRONMENT = ROOT / ".venv-oldest"


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"


def _install(python: Path) -> None:
    """The environment, unless it is there and newer than what the project asks for."""
    ready = ENVIRONMENT / ".ready"
    if not ready.exists() or ready.stat().st_mtime < (ROOT / "pyproject.toml").stat().st_mtime:
        _run(sys.executable, "-m", "venv", ENVIRONMENT)
        _run(python, "-m", "pip", "install", "--quiet", "--editable", f"{ROOT}[dev]", f"datasets=={OLDEST}")
        ready.touch()


def test_the_oldest_release_is_the_one_that_is_promised():
    assert f'"datasets>={OLDEST.removesuffix(".0")}"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.slow
@pytest.mark.skipif(datasets.__version__ == OLDEST, reason="this is that run")
def test_the_contract_on_the_oldest_release(tmp_path):
    python = ENVIRONMENT / "bin" / "python"
    _install(python)
    # A temporary folder of its own, else pytest would tidy away those of the run that is under way.
    _run(python, "-m", "pytest", "tests/dataset", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'oldest'}")
