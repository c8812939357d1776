"""HTML for notebooks: headings, sentences, tables, pictures. All text is escaped; no scripts, nothing to fetch."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

Rows = Sequence[Sequence[str]]

EMPTY = "\u03b5"
"""How tables show the empty word."""
WIDTH = 80  # characters of a value that are shown


def section(title: str, lines: Iterable[str] = (), *parts: str) -> str:
    r"""A title, paragraphs, and then parts that are HTML already: tables and pictures.

    Example:
        >>> section("a < b", ["One line."])
        '<h3>a &lt; b</h3>\n<p>One line.</p>'
    """
    return "\n".join(filter(None, [f"<h3>{escape(title)}</h3>", paragraphs(lines), *parts]))


def paragraphs(lines: Iterable[str]) -> str:
    """Sentences, those that are not empty, each a paragraph.

    Example:
        >>> paragraphs(["One line.", ""])
        '<p>One line.</p>'
    """
    return "\n".join(f"<p>{escape(line)}</p>" for line in lines if line)


def table(rows: Rows) -> str:
    r"""A table whose first row is its head; nothing where there is no row.

    Example:
        >>> table([("split", "rows"), ("train", "<5")])
        '<table><tr><th>split</th><th>rows</th></tr>\n<tr><td>train</td><td>&lt;5</td></tr></table>'
    """
    if not rows:
        return ""
    tags = ["th", *["td"] * (len(rows) - 1)]
    cells = ["".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) for row, tag in zip(rows, tags, strict=True)]
    return _rows(cells)


def facts(values: Mapping[str, object]) -> str:
    """A table of two columns: names, and values as text, long ones cut.

    Example:
        >>> facts({"states": 3})
        '<table><tr><th>states</th><td>3</td></tr></table>'
    """
    cells = [f"<th>{escape(name)}</th><td>{escape(cut(str(value)))}</td>" for name, value in values.items()]
    return _rows(cells)


def image(source: str, alt: str) -> str:
    """A picture by its address or data URI, with the text that stands for it.

    Example:
        >>> image("data:,", "the automaton")
        '<img src="data:," alt="the automaton" style="max-width: 100%">'
    """
    return f'<img src="{escape(source)}" alt="{escape(alt)}" style="max-width: 100%">'


def _rows(cells: Iterable[str]) -> str:
    return "<table>" + "\n".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def cut(text: str) -> str:
    """A text as it is shown in a cell: the beginning of a long one.

    Example:
        >>> len(cut("0" * 1000))
        80
    """
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
