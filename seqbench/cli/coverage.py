"""Commands about languages and coverage: coverage, expect, plan, cover, draw."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from seqbench.cli.options import (
    as_json,
    catalogue_option,
    force_option,
    given_options,
    print_json,
    recipe_options,
    two_numbers,
)


def language_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Ways to name a language: a dataset or definition file as argument, or a regular expression."""
    options = [
        click.argument("name", required=False),
        click.option("--regex", help="A regular expression instead of a name."),
        click.option("--alphabet", help="Its symbols, separated by spaces (default: 0 1)."),
        click.option("--symbols", type=click.Path(), help="The symbol table of an AT&T file."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _language(options: dict[str, Any]) -> Any:
    """What the options of `language_options` name, which are taken out."""
    return _named(*(options.pop(key) for key in ("name", "regex", "alphabet", "symbols")))


def _named(name: str | None, regex: str | None, alphabet: str | None, symbols: str | None) -> Any:
    """What coverage takes: the name of a dataset, or a language."""
    from seqbench.languages import Language

    if (name is None) == (regex is None):
        raise click.UsageError("Name a dataset (or a .toml or .att file), or give --regex, not both.")
    if name is not None and alphabet is not None:
        raise click.UsageError(f"--alphabet is for --regex; {name} has its own. Leave it out.")
    if symbols is not None and Path(name or "").suffix in {"", ".toml"}:
        raise click.UsageError(f"--symbols is for AT&T files, and {name or regex} is none. Leave it out.")
    if regex is not None:
        return Language.from_regex(regex, ("0 1" if alphabet is None else alphabet).split())
    if Path(str(name)).suffix:
        return Language.from_file(str(name), symbols)
    return name


@click.command()
@language_options
@click.option("--train", help="A .parquet, .csv, .tsv, .jsonl or .txt file, or a glob; by default the dataset's own.")
@click.option("--test", help="Test words; by default the dataset's own test recipe, exactly.")
@click.option("--column", help="The column of words (default: input_ids, or the only one that could be).")
@click.option("--schedule", default="tree", show_default=True, help="How a model joins blocks: tree, scan or left.")
@click.option("--min-width", type=int, default=1, show_default=True, help="Leave out joins with a narrower block.")
@two_numbers("--test-lengths", "Lengths of the recipe's test words.")
@click.option("--html", type=click.Path(), help="Also write a page that needs nothing else.")
@click.option("--png", type=click.Path(), help="Also draw the heat maps (.png, .svg or .pdf).")
@force_option
@catalogue_option
@as_json
def coverage(train: str | None, html: str | None, png: str | None, force: bool, as_json: bool, **options: Any) -> None:
    """Show which compositions of syntactic classes a training set covers."""
    from seqbench.covering.api import coverage as measure
    from seqbench.covering.page import new_page, write_html
    from seqbench.drawing.style import new_picture

    page = None if html is None else new_page(html, force=force)
    picture = None if png is None else new_picture(png, force=force)
    lang = _language(options)
    report = measure(lang, train, **{key: value for key, value in options.items() if value is not None})
    if page:
        write_html(report, page)
    if picture:
        report.plot(path=picture)
    for path in filter(None, (html, png)):
        click.echo(path, err=as_json)
    print_json(report.to_dict()) if as_json else click.echo(repr(report))


schedule_option = click.option(
    "--schedule", default="tree", show_default=True, help="How a model joins blocks: tree, scan or left."
)
width_option = click.option(
    "--min-width", type=int, default=1, show_default=True, help="Leave out joins with a narrower block."
)


@click.command()
@language_options
@schedule_option
@width_option
@click.option("--exact", is_flag=True, help="Compute chances even where that takes minutes.")
@recipe_options
@as_json
def expect(schedule: str, min_width: int, exact: bool, catalogue: str | None, as_json: bool, **options: Any) -> None:
    """Show what a training set drawn by a recipe will cover, exactly, without drawing one."""
    from seqbench.covering.expectation import expected_coverage

    lang, given = _language(options), given_options(options)
    found = expected_coverage(lang, schedule=schedule, min_width=min_width, catalogue=catalogue, **given)
    if exact:
        _ = found.bounds
    print_json(found.to_dict()) if as_json else click.echo(repr(found))


@click.command()
@language_options
@two_numbers("--test-lengths", "Lengths of test words.")
@two_numbers("--train-lengths", "Lengths of training words (default: 1 to the smallest length that can do).")
@click.option("--confidence", type=float, default=0.99, show_default=True, help="Chance that nothing is missing.")
@schedule_option
@width_option
@catalogue_option
@as_json
def plan(as_json: bool, **options: Any) -> None:
    """Show the training length and number of examples that full coverage takes."""
    from seqbench.covering.planning import coverage_plan

    found = coverage_plan(_language(options), **options)
    print_json(found.to_dict()) if as_json else click.echo(repr(found))


@click.command()
@language_options
@click.option("--max-length", type=int, required=True, help="No word is longer.")
@click.option("--times", type=int, default=1, show_default=True, help="How often each composition is shown.")
@click.option("--out", required=True, type=click.Path(), help="A new .parquet file.")
@force_option
@click.option("--balance", is_flag=True, help="Add words until labels are even.")
@two_numbers("--test-lengths", "Lengths of test words, which say what is needed.")
@schedule_option
@width_option
@catalogue_option
@as_json
def cover(out: str, force: bool, as_json: bool, **options: Any) -> None:
    """Write a small training set that shows every composition that words of a length can show."""
    from seqbench.covering.cover import cover as search
    from seqbench.covering.cover import new_cover, write_cover

    path = new_cover(Path(out), force=force)
    found = search(_language(options), **options)
    write_cover(found, path)
    print_json({"out": out, **found.to_dict()}) if as_json else click.echo(f"{out}: {found!r}")


@click.command()
@language_options
@click.option("--kind", default="automaton", show_default=True, help="automaton or egg-box.")
@click.option("--out", required=True, type=click.Path(), help="A new .svg, .png or .pdf file.")
@force_option
@catalogue_option
@as_json
def draw(kind: str, out: str, force: bool, catalogue: str | None, as_json: bool, **which: Any) -> None:
    """Draw a language's automaton, or the egg-box picture of its monoid."""
    from seqbench.drawing.pictures import draw as write
    from seqbench.drawing.style import new_picture
    from seqbench.languages import language

    path = new_picture(out, force=force)
    found = _language(which)
    lang = language(found, catalogue) if isinstance(found, str) else found
    facts = {"language": lang.name, **write(lang.machine, kind, path), "out": out}
    print_json(facts) if as_json else click.echo(facts["out"])
