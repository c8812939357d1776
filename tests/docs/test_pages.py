"""The code of every page runs as written, in order, in an empty folder; what comments say it prints, it prints."""

import ast
import doctest
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from seqbench.cli import main
from tests.docs.pages import ROOT, blocks, code_pages, program, promised, read

SLOW = {
    f"docs/{name}.md"
    for name in (
        "tutorial",
        "training",
        "nesv",
        "memory",
        "publishing",
        "howto-model",
        "howto-language",
        "howto-harness",
        "howto-cluster",
    )
}
"""Pages that take over 20 seconds of a core."""
SHORTER = {
    "docs/nesv.md": {r"10\^6": "2000"},
    "docs/training.md": {
        r"(seqbench train .*?)( +#.*)?$": r"\1 --steps 2 --batch 4 --test-lengths 1 --test-words 2",
        r"(--hf-dataset .*?)--test-lengths 1 --test-words 2$": r"\1",
        r"fancyzhx/ag_news": "news.csv",
        r"nyu-mll/glue --hf-config mrpc": "pairs.csv",
        r"(--sampling .* )--steps 4000": r"\1",
        r"torchrun --nproc-per-node 4": "torchrun --nproc-per-node 2",
        r"runs/\.\.\.": "runs/dyck_d6-ldru-*",
        r"-0-\.\.\. --lengths 1000 2000": "-0-* --lengths 200 204",
        r"(seqbench profile .*)--lengths 1000": r"\1--lengths 200",
        r"seed = \[0, 1, 2\]": "seed = [0, 1]",
        r"^steps = 1000": "steps = 2\nbatch = 4\ntest_lengths = 1\ntest_words = 3",
    },
}
"""What is changed so that a page whose commands train for hours, on data of the Hub, runs here: patterns of its lines
for the shell and its TOML files, and what stands in their place."""
FILES = {
    "news.csv": "text,label\n" + "stocks fell,0\nteams won,1\n" * 20,
    "pairs.csv": "sentence1,sentence2,label\n" + "it rains,rain falls,1\nit rains,it is dry,0\n" * 20,
}
TORCH = re.compile(r"\btorch\b|seqbench\.models|seqbench (train|evaluate|classes|profile|sweep)")


def parts():
    """Pages to run, with the languages of the blocks; the README's commands take minutes, its Python does not."""
    for page in code_pages():
        if page == "README.md":
            yield pytest.param(page, ("python",), id=f"{page}-python")
            yield pytest.param(page, ("sh",), id=f"{page}-sh", marks=pytest.mark.slow)
        else:
            yield pytest.param(page, ("python", "sh"), id=page, marks=[pytest.mark.slow] * (page in SLOW))


@pytest.fixture
def environment(tmp_path):
    """Nothing of the user's: caches in the test's folder, no network, this checkout, this Python's commands first."""
    (tmp_path / "work").mkdir()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    home = {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
    return os.environ | home | {"PATH": path, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}


@pytest.mark.parametrize(("page", "languages"), [*parts()])
def test_a_page_runs_as_written(page, languages, tmp_path, environment):
    found = [shorter(page, block) for block in blocks(read(page))]
    code = program(found, languages)
    if TORCH.search(code):
        pytest.importorskip("torch")
    for name, text in [*FILES.items(), *((block.file, block.code) for block in found if block.file)]:
        file = tmp_path / "work" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-u", "-c", code]
    done = subprocess.run(command, cwd=tmp_path / "work", env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = iter(done.stdout.splitlines())
    for words in promised(code):
        assert any(matches(words, line) for line in lines), f"never printed in this order: {words}"


def shorter(page, block):
    """A block that takes seconds where the page's own takes hours."""
    code = block.code
    for pattern, instead in SHORTER.get(page, {}).items() if block.language in {"sh", "toml"} else ():
        code = re.sub(pattern, instead, code, flags=re.MULTILINE)
    return replace(block, code=code)


@pytest.mark.parametrize("page", SHORTER)
def test_all_that_is_shortened_is_there(page):
    code = "".join(block.code for block in blocks(read(page)) if block.language in {"sh", "toml"})
    for pattern, instead in SHORTER[page].items():
        code, count = re.subn(pattern, instead, code, flags=re.MULTILINE)
        assert count, pattern


def matches(expected, printed):
    return doctest.OutputChecker().check_output(f"{expected}\n", f"{printed}\n", doctest.ELLIPSIS)


@pytest.mark.parametrize("page", code_pages())
def test_code_that_is_not_run_could_be(page):
    """Python parses, commands and their options are there."""
    for block in blocks(read(page)):
        if block.language == "python":
            ast.parse(block.code)
        if block.language == "sh":
            for line in block.code.replace("\\\n", " ").splitlines():
                check_command(line)


def check_command(line):
    words = shlex.split(line, comments=True)
    if words[:1] != ["seqbench"]:
        return
    command = main.commands[words[1]]
    known = {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}
    given = {word.split("=")[0] for word in words[2:] if word.startswith("--")}
    assert given <= known | {"--help"}, line


def test_few_blocks_are_excused_and_each_says_why():
    found = {page: blocks(read(page)) for page in code_pages()}
    excuses = [block.excuse for page in found.values() for block in page if block.excuse]
    runnable = [block for page in found.values() for block in page if block.language in {"python", "sh"}]
    assert len(excuses) <= len(runnable) // 5
    assert all(len(excuse.split()) >= 3 for excuse in excuses)


def test_every_fence_says_what_it_holds():
    known = {"python", "sh", "toml", "text", ""}
    assert {block.language for page in code_pages() for block in blocks(read(page))} <= known


def test_the_mechanism_sees_failures(tmp_path):
    """A block that fails, a promise not kept and an excuse are told apart."""
    page = "```python\nprint(1)  # 1\n```\n\n<!-- not run: needs the moon -->\n```python\n1 / 0\n```\n"
    page += "\n```sh\nfalse\n```\n"
    found = blocks(page)
    assert [block.excuse for block in found] == ["", "needs the moon", ""]
    assert promised(program(found, ("python",))) == ["1"]
    assert "1 / 0" not in program(found, ("python", "sh"))
    code = program(found, ("python", "sh"))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 1
    assert not matches("2", "1")
    assert matches("{'a': [...]}", "{'a': [1, 2]}")
