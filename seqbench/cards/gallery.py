"""The gallery of all datasets: cards/README.md, group by group, a row and a small picture for each."""

from collections.abc import Mapping

from seqbench.cards.pictures import Picture
from seqbench.catalogue.descriptions import Group
from seqbench.catalogue.reader import Catalogue
from seqbench.dataset.markdown import table
from seqbench.generation.plan import plan

WIDTH = 160  # of a small picture, in pixels
HEAD = """# Datasets

{number} datasets in {groups} groups. Each name leads to a card: definition, examples, statistics, coverage, source.
Made by `make cards`; what people wrote is in `definitions.toml` and `sources.bib`.
"""


def gallery(catalogue: Catalogue, pictures: Mapping[str, Picture]) -> str:
    """The page of all datasets as Markdown."""
    found = catalogue.groups
    parts = [_part(group, [name for name in pictures if _group_of(found, name) is group], pictures) for group in found]
    return "\n".join([HEAD.format(number=len(pictures), groups=len(found)), *parts])


def _group_of(found: tuple[Group, ...], name: str) -> Group:
    return next(group for group in found if group.pattern_of(name) is not None)


def _part(group: Group, names: list[str], pictures: Mapping[str, Picture]) -> str:
    rows = []
    for name in names:
        planned = plan(name)
        columns = ", ".join(f"`{column}`" for column in planned.schema.names)
        image = f'<img src="{pictures[name].link}" width="{WIDTH}" alt="picture of {name}">'
        rows.append((image, f"[{name}]({name}.md)", planned.recipe.title, columns))
    return f"## {group.title}\n\n{group.about}\n\n{table(('', 'dataset', 'what is asked', 'columns'), rows)}"
