"""Every link of every page leads somewhere: files and headings are there, addresses are well formed."""

import re
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.pages import ROOT, all_pages, anchors, links, read


@pytest.mark.parametrize("page", all_pages())
def test_links_lead_somewhere(page):
    for link in links(read(page)):
        assert problem(page, link) == "", f"{page}: {link}"


def problem(page, link):
    """What is wrong with a link; nothing if it is right."""
    parsed = urlsplit(link)
    if parsed.scheme:
        return "" if parsed.scheme in {"http", "https"} and re.search(r"\w\.\w", parsed.netloc) else "no address"
    target = (ROOT / page).parent / unquote(parsed.path) if parsed.path else ROOT / page
    if not target.resolve().is_relative_to(ROOT) or not target.exists():
        return "no file"
    if parsed.fragment and unquote(parsed.fragment) not in anchors(target.read_text(encoding="utf-8")):
        return "no heading"
    return ""


def test_every_make_target_named_is_there():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = {
        target for page in all_pages() for target in re.findall(r"(?:`|^)make ([a-z-]+)", read(page), re.MULTILINE)
    }
    assert {"run", "docs"} <= named
    assert {target for target in named if not re.search(rf"^{target}:", makefile, re.MULTILINE)} == set()


@pytest.mark.parametrize(
    ("link", "wrong"),
    [
        ("docs/coverage.md#what-is-read", ""),
        ("docs/coverage.md#what-is-red", "no heading"),
        ("docs/coverge.md", "no file"),
        ("../elsewhere.md", "no file"),
        ("https://example.org/a", ""),
        ("https:///a", "no address"),
    ],
)
def test_wrong_links_are_seen(link, wrong):
    assert problem("README.md", link) == wrong


def test_anchors_are_those_of_github():
    text = "# What *is* `read`?\n\n## A, b / c\n\n## A, b / c\n"
    assert anchors(text) == {"what-is-read", "a-b--c", "a-b--c-1"}
