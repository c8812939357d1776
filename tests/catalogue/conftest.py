"""Every language and dataset of the catalogue as parameters of tests, and folders of one's own."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from seqbench.catalogue.reader import open_catalogue


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `claim` runs for every claim of a machine, one for `dataset` for every dataset."""
    catalogue = open_catalogue()
    if "claim" in metafunc.fixturenames:
        machines = [name for name in catalogue.automata if catalogue.automaton(name).grammar is None]
        claims = [(name, claim) for name in machines for claim in catalogue.automaton(name).all_claims]
        ids = ["-".join([name, *(f"{k}={v}" for k, v in claim.parameters.items())]) for name, claim in claims]
        metafunc.parametrize("claim", claims, ids=ids)
    if "dataset" in metafunc.fixturenames:
        metafunc.parametrize("dataset", catalogue.datasets)


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Makes a catalogue folder from texts by path, for example {"automata/one.toml": "..."}."""

    def make(files: dict[str, str], name: str = "own") -> Path:
        root = tmp_path / name
        for path, text in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(text), encoding="utf-8")
        return root

    return make
