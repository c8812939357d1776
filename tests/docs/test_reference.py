"""The reference names what users meet, and nothing that is not there; the site has every page."""

import importlib
import inspect
import re
import tomllib

import seqbench
from seqbench import errors
from tests.docs.pages import ROOT, code_pages, read

PAGE = read("docs/reference.md")
NAMED = re.findall(r"^::: (\S+)$", PAGE, flags=re.MULTILINE)
MEMBERS = re.findall(r"^ +members: \[(.+)\]$", PAGE, flags=re.MULTILINE)


def found(name):
    """What a dotted name stands for: a module, or something in one."""
    try:
        return importlib.import_module(name)
    except ImportError:
        module, _, last = name.rpartition(".")
        return getattr(importlib.import_module(module), last)


def test_every_name_is_there_and_documented():
    assert all(found(name).__doc__ for name in NAMED)


def test_all_public_names_are_in_the_reference():
    named = [found(name) for name in NAMED]
    assert all(any(getattr(seqbench, name) is each for each in named) for name in seqbench.__all__)
    assert {"seqbench.models.create", "seqbench.dataset.collate"} <= {*NAMED}


def test_all_errors_are_in_the_reference():
    classes = {name for name, each in vars(errors).items() if inspect.isclass(each) and issubclass(each, Exception)}
    assert classes in [{*listed.split(", ")} for listed in MEMBERS]


def test_every_page_of_docs_is_in_the_navigation():
    settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    text = str(settings["project"]["nav"])
    assert [page for page in code_pages() if f"'{page}'" not in text] == []
