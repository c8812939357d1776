"""The project's Markdown: its pages, their code blocks, headings and links."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
EXCUSE = re.compile(r"<!-- not run: (.+) -->\s*")
SHELL = "import subprocess; subprocess.run(['bash', '-euo', 'pipefail', '-c', {code!r}], check=True)\n"


@dataclass(frozen=True)
class Block:
    """A fenced block of code.

    Attributes:
        language: what the fence says it is.
        file: the file that it shows, from `title="..."` on the fence.
        code: the text.
        line: where it starts.
        excuse: why it is not run, from a comment `<!-- not run: ... -->` right before it.
    """

    language: str
    file: str
    code: str
    line: int
    excuse: str


def code_pages() -> list[str]:
    """The pages whose code is run, by their path in the repository."""
    return ["README.md", *sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").glob("*.md"))]


def all_pages() -> list[str]:
    """All pages that people read."""
    cards = sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "cards").rglob("*.md"))
    return [*code_pages(), "CHANGELOG.md", *cards]


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def tokens(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(text)


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found, before = [], ""
    for token in tokens(text):
        if token.type == "fence":
            language, _, rest = token.info.strip().partition(" ")
            title = re.search(r'title="([^"]+)"', rest)
            excuse = EXCUSE.fullmatch(before)
            found.append(
                Block(language, title[1] if title else "", token.content, token.map[0] + 1, excuse[1] if excuse else "")
            )
        before = token.content if token.type == "html_block" else ""
    return found


def program(found: list[Block], languages: tuple[str, ...]) -> str:
    """One Python program that does what the blocks say, in order; shell blocks through bash."""
    parts = {"python": "{code}", "sh": SHELL}
    return "\n".join(
        parts[block.language].format(code=block.code)
        for block in found
        if block.language in languages and not block.excuse and not block.file
    )


def promised(code: str) -> list[str]:
    """What comments say that lines print: `print(1 + 1)  # 2`; `...` stands for anything."""
    return re.findall(r"^print\(.*\)  # (.+)$", code, flags=re.MULTILINE)


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    parsed = tokens(text)
    for heading, inline in pairwise(parsed):
        if heading.type == "heading_open":
            words = "".join(child.content for child in inline.children or [] if child.type in {"text", "code_inline"})
            name = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
            number = next(number for number in range(len(found) + 1) if _numbered(name, number) not in found)
            found.add(_numbered(name, number))
    return found


def _numbered(name: str, number: int) -> str:
    return f"{name}-{number}" if number else name


def links(text: str) -> Iterator[str]:
    """Where the links and pictures of a page lead."""
    for token in tokens(text):
        for child in token.children or []:
            target = child.attrGet("href") or child.attrGet("src")
            if target:
                yield str(target)
