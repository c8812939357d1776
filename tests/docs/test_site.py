"""`make docs` in an environment of its own: builds with everything, and ends at a link or name that leads nowhere."""

import shutil
import subprocess
import sys
import tomllib

import pytest

from tests.docs.pages import ROOT, code_pages

ENVIRONMENT = ROOT / ".venv-docs"


READY = [ENVIRONMENT / ".ready", ENVIRONMENT / ".ready-docs"]


def run(*command, **how):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **how)


def build(folder):
    """`make docs`, with the environment as it is."""
    return run("make", "docs", f"VENV={ENVIRONMENT}", *(f"--assume-old={file}" for file in READY), cwd=folder)


@pytest.fixture(scope="module", autouse=True)
def environment():
    """An environment with the extra `docs`, made once."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    if not all(file.exists() for file in READY):
        assert run(sys.executable, "-m", "venv", "--clear", ENVIRONMENT).returncode == 0
        done = run(ENVIRONMENT / "bin" / "python", "-m", "pip", "install", "--quiet", *extras["docs"])
        assert done.returncode == 0, done.stderr
        for file in READY:
            file.touch()


@pytest.fixture
def project(tmp_path):
    """A copy of what the site is made from."""
    for name in ["Makefile", "pyproject.toml", "zensical.toml", "README.md", "CHANGELOG.md", "LICENSE"]:
        shutil.copy(ROOT / name, tmp_path)
    for name in ["docs", "cards", "seqbench"]:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.mark.slow
def test_the_site_has_every_page_and_the_reference(project):
    done = build(project)
    assert done.returncode == 0, done.stdout + done.stderr
    for page in [*code_pages(), "cards/dyck_d2.md"]:
        assert (project / "site" / page.replace("README.md", "index.md").replace(".md", ".html")).is_file(), page
    reference = (project / "site" / "docs" / "reference.html").read_text(encoding="utf-8")
    assert "The dataset of that name, made on first use" in reference


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong", ["[a](nowhere.md)", "[a](coverage.md#nowhere)", "::: seqbench.nothing", "[a](../cards/nothing.md)"]
)
def test_what_leads_nowhere_ends_the_build(project, wrong):
    with (project / "docs" / "reference.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{wrong}\n")
    assert build(project).returncode != 0
