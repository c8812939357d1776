"""Pieces of Markdown that cards and exported pages share: tables, worked examples, sources."""

from collections.abc import Iterable, Sequence
from typing import Any

from seqbench.catalogue.citations import Citation
from seqbench.dataset.examples import LINE, WHOLE, Example

FEW = 5  # answers of many that are shown


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    r"""A table with a line for each row.

    Example:
        >>> print(table(("a", "b"), [(1, "x|y")]), end="")
        | a | b |
        | --- | --- |
        | 1 | x\|y |
    """
    lines = [head, ("---",) * len(head), *([cell(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def cell(value: Any) -> str:
    """A value as the text of a cell.

    Example:
        >>> cell({"a": [1, 2], "b": 0.5})
        'a: 1; 2, b: 0.5'
    """
    if isinstance(value, dict):
        value = ", ".join(f"{key}: {cell(each)}" for key, each in value.items())
    elif isinstance(value, list | tuple):
        value = "; ".join(map(cell, value))
    elif isinstance(value, float):
        value = f"{value:.6g}"
    return str(value).replace("\\|", "|").replace("|", "\\|").replace("\n", " ")


def code(text: str) -> str:
    """A text as it stands, cut where it is very long.

    Example:
        >>> code("0011")
        '`0011`'
    """
    return f"`{text if len(text) <= WHOLE else text[: LINE - 3] + '...'}`"


def _shown(column: str, example: Example) -> str:
    text = str(example.shown[column])
    return code(_answers(text) if column == "labels" else text)


def _answers(text: str) -> str:
    """The answers at positions as they stand or, where that is long, with their places, from 0 on: a few of very many.

    Example:
        >>> _answers(". . 7"), _answers(". " * 60 + "7 . 8")
        ('. . 7', '7 at 60, 8 at 62')
    """
    if len(text) <= LINE:
        return text
    asked = [f"{answer} at {place}" for place, answer in enumerate(text.split()) if answer != "."]
    told = ", ".join(asked)
    return told if len(told) <= WHOLE else ", ".join(asked[:FEW]) + ", ..."


def examples_table(found: Sequence[Example]) -> str:
    """Worked examples, one a row, each column as people read it."""
    columns = list(found[0].shown)
    near = [each for each in found if each.member is not None]
    kinds = found[0].kind != "example"
    head = [*(["what"] if kinds else []), *(name.replace("_", " ") for name in columns)]
    rows = [[*([each.kind] if kinds else []), *(_shown(name, each) for name in columns)] for each in found]
    notes = [
        f"\nThe near miss is one edit away from the member {code(each.member.word)}.\n" for each in near if each.member
    ]
    return table(head, rows) + "".join(notes)


def by_id(names: Sequence[str], most: int = 20) -> str:
    """Names with their ids, the first of many.

    Example:
        >>> by_id(["reject", "accept"]), by_id(["a"] * 300)[-16:]
        ('0 `reject`, 1 `accept`', ', ... 300 in all')
    """
    shown = ", ".join(f"{number} {code(name)}" for number, name in enumerate(names[:most]))
    return shown if len(names) <= most else f"{shown}, ... {len(names)} in all"


def bibtex(citations: Iterable[Citation]) -> str:
    """The entries of a bibliography as a block of BibTeX; empty without entries."""
    entries = "\n\n".join(each.text for each in citations)
    return f"```bibtex\n{entries}\n```\n" if entries else ""
