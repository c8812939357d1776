"""Every dataset over a language as a parameter of tests; no progress bars."""

import datasets
import pytest

from seqbench.generation.plan import language_dataset_names


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `dataset` runs for every dataset over a language."""
    if "dataset" in metafunc.fixturenames:
        metafunc.parametrize("dataset", language_dataset_names())


@pytest.fixture(autouse=True)
def quiet():
    """Bars would hide what a failing test prints."""
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


@pytest.fixture
def own(tmp_path):
    """A catalogue of one's own with the language and the dataset `own`."""

    def make(body, more=""):
        automaton = f'title = "T"\nsource = "none"\n{body}\n[claims]\nstates = 2\nmonoid = 2\naperiodic = true\n'
        dataset = (
            'title = "T"\nautomaton = "own"\nversion = "1.0.0"\nsource = "none"\n'
            f'{more}\n[[history]]\nversion = "1.0.0"\nchange = "First release."\n'
        )
        root = tmp_path / "catalogue"
        for part, text in (("automata", automaton), ("generators", dataset)):
            (root / part).mkdir(parents=True)
            (root / part / "own.toml").write_text(text, encoding="utf-8")
        return root

    return make
