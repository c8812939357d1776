"""A dataset's card: everything a reader asks, in the order in which it is asked."""

from seqbench.cards.coverage import coverage_section
from seqbench.cards.pictures import Picture
from seqbench.cards.sections import (
    columns_section,
    differences_section,
    facts_section,
    history_section,
    sampling_section,
    source_section,
    use_section,
)
from seqbench.cards.statistics import chance_section, statistics_section
from seqbench.catalogue.descriptions import Description
from seqbench.catalogue.reader import Catalogue
from seqbench.dataset.examples import examples
from seqbench.dataset.markdown import examples_table
from seqbench.dataset.overview import overview
from seqbench.generation.base_plan import BasePlan

SECTIONS = (
    "Definition",
    "Examples",
    "Structure",
    "Columns",
    "Splits and sampling",
    "Statistics",
    "Chance and shortcuts",
    "Coverage",
    "Differences from the published task",
    "Use",
    "Source",
    "Licence, version and history",
)
"""The headings of every card, in order."""


def card(planned: BasePlan, catalogue: Catalogue, picture: Picture) -> str:
    """The card of a dataset as Markdown: a title, a picture, then the sections."""
    facts = overview(planned)
    about = catalogue.describe(planned.name, planned.recipe.parameters)
    bodies = (
        f"{about.definition}\n",
        examples_table(examples(planned)),
        facts_section(facts),
        columns_section(planned),
        sampling_section(planned, facts),
        statistics_section(facts),
        chance_section(facts),
        coverage_section(planned),
        differences_section(facts, about),
        use_section(planned),
        source_section(planned, catalogue),
        history_section(planned, catalogue),
    )
    parts = [f"## {title}\n\n{body}" for title, body in zip(SECTIONS, bodies, strict=True)]
    return "\n".join([_head(planned, about, picture), *parts])


def _head(planned: BasePlan, about: Description, picture: Picture) -> str:
    line = f"{about.group} · data version {planned.version} · [all datasets](README.md)"
    image = f"![{picture.caption}]({picture.link})\n\n*{picture.caption}*"
    return f"# {planned.name}\n\n{planned.recipe.title}\n\n{line}\n\n{image}\n"
