"""Coverage reports as HTML: a page of its own, or a part for a notebook; no scripts, nothing to fetch."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from seqbench.covering.figures import embedded, kinds
from seqbench.covering.render import headline, level_table, missing_rows, outside, sentences
from seqbench.errors import InputError
from seqbench.files import new_file, write_whole
from seqbench.notebook import image

if TYPE_CHECKING:
    from seqbench.covering.report import CoverageReport

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1b1f24; background: #fff; max-width: 62em; margin: 2em auto;
  padding: 0 1em; }
h1 { font-size: 1.6em; } h2 { font-size: 1.2em; margin-top: 2em; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: #4a525c; padding-bottom: .4em; }
td, th { padding: .25em .8em; text-align: right; vertical-align: top; }
tbody tr:nth-child(even) { background: #f4f6f9; }
thead th { border-bottom: 1px solid #5f6874; vertical-align: bottom; }
tbody th { font-weight: normal; white-space: nowrap; }
td:first-child, th:first-child, .words td, .words th { text-align: left; }
.warn { border-left: 4px solid #d55e00; padding-left: .8em; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; } img { max-width: 100%; height: auto; }
figure { margin: 1.5em 0; } figcaption { color: #4a525c; }
"""

TERMS = (
    "Two blocks of symbols have the same class if no surrounding word can tell them apart. Joining a block of class a "
    "with one of class b shows the composition (a, b); a model that composes blocks has to know their products. A "
    "class is named by its shortest word."
)
PROMISE = (
    "Full coverage does not promise that a model learns the rule: it says that the data shows every composition, not "
    "that the model represents classes or composes blocks in this order. Lack of coverage does promise that a model "
    "which learns products one by one has to guess."
)
CAPTIONS = {
    "maps": "Compositions: a row for each class of the left block, a column for each class of the right one; the "
    "darker, the more often. Classes are grouped by J-class, lines stand between the groups. Red: the test needs "
    "it and training never showed it.",
    "curve": "For each test length the share of words all of whose compositions training showed; shaded: the lengths "
    "of training words.",
}


def new_page(path: str, *, force: bool) -> Path:
    """The absolute path of a page that a command may write: to be asked before long work.

    Raises:
        InputError: another ending, or something is there, and `force` is not given or it is no regular file.

    Example:
        >>> new_page("report.html", force=False).name
        'report.html'
    """
    if Path(path).suffix.lower() not in {".html", ".htm"}:
        raise InputError(f"{path!r} is no name of a page. Give one that ends in .html.")
    return new_file(Path(path), force=force)


def html(report: "CoverageReport", *, page: bool = False) -> str:
    """The report as HTML with its pictures inside; a whole page, or a part for a notebook."""
    facts = report.to_dict(most=20)
    title = f"Coverage of {escape(facts['language'])}"
    body = [f"<h1>{title}</h1>", _paragraph(headline(facts)), _paragraph(TERMS)]
    body += [f'<p class="warn">{escape(line)}</p>' for line in outside(facts)]
    body += ["<h2>What training shows</h2>", *map(_paragraph, sentences(facts))]
    body.append(_table(level_table(facts["levels"]), "Different compositions, by the width of the blocks joined"))
    body += [_figure(report, kind) for kind in kinds(report)]
    if facts.get("missing"):
        heads = ("left block", "right block", "share of the test", "a shortest word that shows it")
        rows = [heads, *missing_rows(facts["missing"])]
        caption = f"The first {len(rows) - 1} of {facts['num_missing']:,}, by how often the test needs them"
        body += ["<h2>Missing compositions</h2>", _table(rows, caption, words=True)]
    body += ["<h2>What this does not say</h2>", _paragraph(PROMISE)]
    return _page(title, body) if page else "\n".join(body)


def _page(title: str, body: list[str]) -> str:
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>"
    )
    inner = "\n".join(body)
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n{inner}\n</body>\n</html>\n'


def write_html(report: "CoverageReport", path: Path) -> None:
    """Writes the report as a page of its own, whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    write_whole(path, lambda temporary: temporary.write_text(html(report, page=True), encoding="utf-8"))


def _paragraph(line: str) -> str:
    return f"<p>{escape(line)}</p>"


def _figure(report: "CoverageReport", kind: str) -> str:
    try:
        source = embedded(report, kind)
    except InputError as error:  # without matplotlib the page still has its tables
        return _paragraph(str(error))
    caption = escape(CAPTIONS[kind])
    what = {"maps": "Heat maps of compositions", "curve": "Curve of words fully covered"}[kind]
    alt = f"{what}; the numbers are in the tables and sentences of this page."
    return f"<figure>\n{image(source, alt)}\n<figcaption>{caption}</figcaption>\n</figure>"


def _table(rows: list[tuple[str, ...]], caption: str, *, words: bool = False) -> str:
    """A table with its head; the cells of words are set as code."""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in rows[0])
    body = []
    for row in rows[1:]:
        cells = [f"<code>{escape(cell)}</code>" if words else escape(cell) for cell in row]
        first = f"<td>{cells[0]}</td>" if words else f'<th scope="row">{cells[0]}</th>'
        body.append("<tr>" + first + "".join(f"<td>{cell}</td>" for cell in cells[1:]) + "</tr>")
    opening = '<table class="words">' if words else "<table>"
    top = f"{opening}<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>"
    inner = "\n".join(body)
    return f'<div class="wide">{top}\n<tbody>\n{inner}\n</tbody></table></div>'
