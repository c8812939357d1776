"""What is shipped works where nothing else is: the wheel in a fresh virtual environment, from an empty folder."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import seqbench
from seqbench.errors import UnknownNameError

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def fresh(wheel, tmp_path_factory):
    """A new environment with the wheel; its dependencies are seen through a path to those installed here."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=True)
    install = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    site = next(home.glob("lib/python*/site-packages"))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin"


def run(fresh, tmp_path, *command):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "HF_HOME": str(tmp_path / "hf"),
        "NUMBA_CACHE_DIR": str(tmp_path / "kernels"),
    }
    empty = tmp_path / "empty"
    empty.mkdir(exist_ok=True)
    done = subprocess.run(
        [fresh / command[0], *command[1:]], cwd=empty, env=environment, check=True, capture_output=True, text=True
    )
    assert list(empty.iterdir()) == []
    return done.stdout


def test_the_wheel_holds_definitions_digests_and_cards_once(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert len(names) == len(set(names))
    for needed in (
        "automata/dyck.toml",
        "generators/dyck_d6.toml",
        "generators/digests.json",
        "cards/dyck_d6.md",
        "cards/sources.bib",
        "cards/definitions.toml",
    ):
        assert f"seqbench/_catalogue/{needed}" in names
    assert not any("/figures/" in name for name in names)
    assert all(name.startswith("seqbench") for name in names)


def test_the_console_script_runs(fresh, tmp_path):
    assert "dyck_d6" in run(fresh, tmp_path, "seqbench", "list")


def test_load_dataset_from_an_empty_folder(fresh, tmp_path):
    code = """
import seqbench, datasets, pathlib
assert "site-packages" in seqbench.__file__, seqbench.__file__
one = datasets.load_dataset("seqbench", "dyck_d6", train_examples=100)
two = seqbench.load_dataset("dyck_d6", train_examples=100)
assert list(one) == ["train", "validation", "test", "test_near_miss"]
assert one["train"].to_list() == two["train"].to_list()
print(len(one["test"]))
"""
    assert run(fresh, tmp_path, "python", "-c", code).split() == ["29440"]


@pytest.mark.parametrize("module", ["seqbench", "seqbench.cli"])
def test_importing_imports_nothing_heavy(module):
    heavy = ("numpy", "numba", "pyarrow", "datasets", "torch", "matplotlib", "scipy", "networkx")
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "keyword", "meant"),
    [
        ("stream", "lenghts", "lengths"),
        ("coverage", "shedule", "schedule"),
        ("cover", "max_lenght", "max_length"),
        ("coverage_plan", "confidense", "confidence"),
        ("expected_coverage", "train_lenghts", "train_lengths"),
        ("load_dataset", "test_lenghts", "test_lengths"),
        ("memory", "alhpa", "alpha"),
    ],
)
def test_a_misspelt_keyword_is_named_with_the_nearest(name, keyword, meant):
    with pytest.raises(UnknownNameError, match=f"{keyword}'. Did you mean '{meant}'"):
        getattr(seqbench, name)("exp" if name == "memory" else "dyck_d6", **{keyword: 1})


def test_models_are_there_without_an_import_of_their_own():
    code = "import seqbench, sys; assert 'ldru' in seqbench.models.MODELS; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
