"""The same contract on the oldest supported release of the datasets library."""

import datasets
import pytest

from tests.environments import ROOT, environment, run

OLDEST = "4.0.0"  # the lower bound in pyproject.toml


def test_the_oldest_release_is_the_one_that_is_promised():
    assert f'"datasets>={OLDEST.removesuffix(".0")}"' in (ROOT / "pyproject.toml").read_text()


@pytest.mark.slow
@pytest.mark.skipif(datasets.__version__ == OLDEST, reason="this is that run")
def test_the_contract_on_the_oldest_release(tmp_path):
    python = environment("oldest", ("--editable", f"{ROOT}[dev]", f"datasets=={OLDEST}"))
    # A temporary folder of its own, else pytest would tidy away those of the run that is under way.
    run(python, "-m", "pytest", "tests/dataset", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'oldest'}")
