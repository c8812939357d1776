"""The papers behind datasets as BibTeX: cards/sources.bib holds one entry for each, and a `source` names them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from seqbench.errors import DefinitionError

_ENTRY = re.compile(r"^@(\w+)\{([\w-]+),\n(.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$")
_QUOTED = re.compile(r'"([^"]+)"')
_ARXIV = re.compile(r"arXiv (\d{4}\.\d{5})")


@dataclass(frozen=True)
class Citation:
    """One entry of a bibliography.

    Attributes:
        key: by which LaTeX cites it.
        kind: misc, book, ...
        fields: title, author, year, ...
        text: the entry as BibTeX.
    """

    key: str
    kind: str
    fields: dict[str, str]
    text: str

    def is_named_by(self, source: str) -> bool:
        """Whether a source has the title in quotation marks (or its beginning), or the arXiv number."""
        title = re.sub(r"[{}]", "", self.fields["title"]).casefold()
        by_title = any(title.startswith(quoted.casefold()) for quoted in _QUOTED.findall(source))
        return by_title or self.fields.get("eprint") in _ARXIV.findall(source)


def parse_bibtex(text: str) -> tuple[Citation, ...]:
    r"""The entries of a bibliography in the plain layout of sources.bib: one field a line, in braces.

    Raises:
        DefinitionError: something that is neither such an entry nor a comment.

    Example:
        >>> parse_bibtex("@misc{me2026,\n  title = {On Words},\n  year = {2026},\n}")[0].fields["year"]
        '2026'
    """
    rest = re.sub(r"^%.*$", "", _ENTRY.sub("", text), flags=re.MULTILINE).strip()
    if rest:
        raise DefinitionError(
            f"{rest.splitlines()[0]!r} is no part of a BibTeX entry. Write @kind{{key, one field a line in braces, }}."
        )
    return tuple(_citation(found[1], found[2], found[3], found[0]) for found in _ENTRY.finditer(text))


def _citation(kind: str, key: str, body: str, text: str) -> Citation:
    fields = {}
    for line in body.splitlines():
        found = _FIELD.match(line)
        if found is None or line.count("{") != line.count("}"):
            raise DefinitionError(f"The line {line!r} of the entry {key} is no field. Write `  name = {{value}},`.")
        fields[found[1]] = found[2]
    for needed in ("title", "year"):
        if needed not in fields:
            raise DefinitionError(f"The entry {key} has no {needed}. Add it.")
    return Citation(key, kind, fields, text)


def citations_of(source: str, entries: Iterable[Citation]) -> list[Citation]:
    """The entries of a bibliography that a dataset's `source` names; none where it names none.

    Example:
        >>> from seqbench.catalogue.reader import open_catalogue
        >>> catalogue = open_catalogue()
        >>> [each.key for each in citations_of(catalogue.dataset("dyck_d6").source, catalogue.citations)]
        ['pert2026length']
    """
    return [each for each in entries if each.is_named_by(source)]
