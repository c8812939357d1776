"""TRL fine-tunes a model on an exported folder, by the code of docs/howto-harness.md, without seqbench."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.docs.pages import blocks, read
from tests.environments import TORCH, environment, run

PAGE = "docs/howto-harness.md"
TRL = "trl==1.16.0"
NETWORK_OFF = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "PYTHONPATH": ""}


@pytest.fixture(scope="session")
def trl_python():
    return str(environment("trl", (TORCH,), (TRL, TORCH)))


@pytest.fixture
def exported(tmp_path):
    """The folder that the page's command makes."""
    command = next(each.code for each in blocks(read(PAGE)) if "seqbench export" in each.code)
    quiet = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "HF_HOME": str(tmp_path / "hf")}
    run("bash", "-euo", "pipefail", "-c", command, cwd=tmp_path, env=os.environ | quiet)
    return tmp_path


@pytest.mark.slow
def test_trl_fine_tunes_on_an_exported_folder(trl_python, exported):
    code = next(each.code for each in blocks(read(PAGE)) if "SFTTrainer" in each.code)
    code += """
import json, sys
assert not any(name.partition(".")[0] == "seqbench" for name in sys.modules)
print(json.dumps({"losses": losses, "first": train[0], "row": data["train"][0]}))
"""
    home = {"HF_HOME": str(exported / "hf"), "HF_DATASETS_CACHE": str(exported / "cache"), "OMP_NUM_THREADS": "1"}
    said = run(trl_python, "-c", code, cwd=exported, env=os.environ | NETWORK_OFF | home)
    found = json.loads(said.splitlines()[-1])
    assert len(found["losses"]) == 6
    assert found["losses"][-1] < found["losses"][0] / 2
    assert found["first"]["prompt"].split()[:-1] == [str(symbol) for symbol in found["row"]["input_ids"]]
    assert found["first"]["completion"].strip() == ["reject", "accept"][found["row"]["label"]]
