"""What every test of the datasets contract needs: folders of its own, no progress bars, no network, child processes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import datasets
import pytest

import seqbench

# Three blocks of training rows, so that workers, streams and slices meet more than one; small enough for many tests.
SMALL = {"train_examples": 9000, "validation_examples": 500, "test_lengths": (41, 50), "test_examples_per_length": 4}


@pytest.fixture(autouse=True)
def quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test writes to the user's cache, none draws progress bars."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "default-cache")
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


@pytest.fixture(scope="session")
def small() -> dict[str, object]:
    return SMALL


@pytest.fixture
def cache(tmp_path: Path) -> str:
    return str(tmp_path / "cache")


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> datasets.DatasetDict:
    """The small dataset, made once for all tests that only read."""
    return seqbench.load_dataset("dyck_d6", cache_dir=str(tmp_path_factory.mktemp("shared")), **SMALL)


@pytest.fixture
def child(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts a program in a fresh interpreter with a cache of its own and no network."""

    def start(code: str, *before: str, cwd: Path | None = None, **env: str) -> "subprocess.Popen[str]":
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),  # the same packages as here
            "HF_HOME": str(tmp_path / "hf"),
            "HF_HUB_OFFLINE": "1",
            "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        }
        return subprocess.Popen(
            [*before, sys.executable, "-W", "error", "-c", f"SMALL = {SMALL!r}\n{code}"],
            cwd=cwd or tmp_path,
            env=environment | env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture
def output(child: Callable[..., subprocess.Popen[str]]) -> Callable[..., str]:
    """What a program prints in a fresh interpreter; its error output if it fails."""

    def run(code: str, *before: str, **options: str) -> str:
        process = child(code, *before, **options)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        return out.strip()

    return run
