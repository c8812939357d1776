"""The README's Python runs as it stands, and its own language is what it claims."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.fixture
def environment(tmp_path):
    shutil.copy(Path(__file__).parent.parent / "pyproject.toml", tmp_path)  # any file: the folder is not empty
    return {"HF_HOME": str(tmp_path / "hf"), "HF_DATASETS_DISABLE_PROGRESS_BARS": "1", "HF_HUB_OFFLINE": "1"}


def test_python_blocks_run(tmp_path, environment, monkeypatch):
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    code = "\n".join(blocks("python"))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "1 001"


def test_the_readmes_own_language_loads(tmp_path, environment, monkeypatch):
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    for part, text in zip(("automata", "generators"), blocks("toml"), strict=True):
        tomllib.loads(text)
        (tmp_path / "mine" / part).mkdir(parents=True)
        (tmp_path / "mine" / part / "no_11.toml").write_text(text)
    code = """
import seqbench
from seqbench.catalogue.claims import check_all
assert check_all("mine") == []
ds = seqbench.load_dataset("no_11", catalogue="mine", train_examples=100)
print(len(ds["train"]), ds["test"].features["label"].names)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "100 ['reject', 'accept']"


def test_every_dataset_and_make_target_named_is_there():
    makefile = (Path(__file__).parent.parent / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?:`|^)make ([a-z-]+)", README, flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target
