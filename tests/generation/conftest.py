"""Every language and dataset of the catalogue as parameters of tests, and child processes."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from seqbench.catalogue.languages import machine_of, monoid_of
from seqbench.catalogue.reader import open_catalogue
from seqbench.generation.plan import language_dataset_names


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests that ask for `language` run for every language with claims, those for `dataset` for each dataset of one."""
    catalogue = open_catalogue()
    if "language" in metafunc.fixturenames:
        claims = [
            (name, each.parameters)
            for name in catalogue.automata
            for each in catalogue.automaton(name).all_claims
            if catalogue.automaton(name).grammar is None
        ]
        ids = ["-".join([name, *(f"{k}={v}" for k, v in parameters.items())]) for name, parameters in claims]
        metafunc.parametrize("language", claims, ids=ids, indirect=True)
    if "dataset" in metafunc.fixturenames:
        metafunc.parametrize("dataset", language_dataset_names())


@pytest.fixture
def language(request: pytest.FixtureRequest):
    """A machine and its monoid."""
    machine = machine_of(open_catalogue(), *request.param)
    return machine, monoid_of(machine)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., str]:
    """What a program prints in a fresh interpreter, or its error output if it fails."""

    def start(code: str, timeout: float = 60, **env: str) -> str:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | env
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return start
