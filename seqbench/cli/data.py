"""Commands about datasets: list, info, sample, generate, show, check."""

import sys
from pathlib import Path
from typing import Any

import click

from seqbench.cli.options import (
    as_json,
    catalogue_option,
    given_options,
    is_task,
    plan_of,
    print_json,
    recipe_options,
)


@click.command("list")
@catalogue_option
@as_json
def list_command(catalogue: str | None, as_json: bool) -> None:
    """List all datasets."""
    from seqbench.catalogue.reader import open_catalogue

    opened = open_catalogue(catalogue)
    titles = {name: opened.dataset(name).title for name in opened.datasets}
    if as_json:
        print_json(titles)
        return
    width = max(map(len, titles))
    for name, title in titles.items():
        click.echo(f"{name:{width}}  {title}")
        if presets := list(getattr(opened.dataset(name), "presets", ())):
            click.echo(f"{'':{width}}  also {presets[0]} .. {presets[-1]}")


@click.command()
@click.argument("name")
@recipe_options
@as_json
def info(name: str, catalogue: str | None, as_json: bool, **options: Any) -> None:
    """Show a dataset's language, recipe, splits and overlaps."""
    from seqbench.dataset.overview import overview
    from seqbench.dataset.report import info_text

    facts = overview(planned := plan_of(name, catalogue, options))
    print_json(facts) if as_json else click.echo(info_text(facts, planned.command("draw")))


@click.command()
@click.argument("name")
@click.option("--length", type=int, required=True, help="Number of symbols.")
@click.option("--label", help="Only words with this label (id or name).")
@click.option("--class", "syntactic_class", type=int, help="Only words of this syntactic class.")
@click.option("--sampling", default="uniform", show_default=True, help="The sampling law.")
@click.option("-n", "count", type=int, default=1, show_default=True, help="How many words.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed gives independent words.")
@catalogue_option
@as_json
def sample(
    name: str, length: int, label: str | None, count: int, catalogue: str | None, as_json: bool, **how: Any
) -> None:
    """Draw words of one length, exactly uniformly."""
    from seqbench.languages import language

    if is_task(name, catalogue):
        if label is not None or how["syntactic_class"] is not None or how["sampling"] != "uniform":
            raise click.UsageError(f"{name!r} is no language: leave out --label, --class and --sampling.")
        planned = plan_of(name, catalogue, {})
        rows = planned.sample(length, count, how["seed"])
        shown = ["  ".join(planned.task.show(row).values()) for row in rows]
        print_json(rows) if as_json else click.echo("\n".join(shown))
        return
    lang = language(name, catalogue)
    words = lang.sample(length, label, count, **how)
    labels = [lang.labels[number] for number in lang.label_all(words)]
    if as_json:
        print_json([{"word": word, "label": label} for word, label in zip(words, labels, strict=True)])
        return
    for word, named in zip(words, labels, strict=True):
        click.echo(f"{word}  {named}")


@click.command()
@click.argument("name")
@click.option("--out", required=True, type=click.Path(), help="A new folder for the Parquet files.")
@click.option("--split", "splits", multiple=True, help="Only this split; may be repeated.")
@click.option("--force", is_flag=True, help="Replace a folder that this command wrote before.")
@recipe_options
@as_json
def generate(
    name: str, out: str, splits: tuple[str, ...], force: bool, catalogue: str | None, as_json: bool, **options: Any
) -> None:
    """Write a dataset as Parquet files."""
    from seqbench.dataset.export import generate as write

    facts = write(plan_of(name, catalogue, options), Path(out), splits=splits, force=force)
    if as_json:
        print_json({"out": out, **facts})
        return
    for split, examples in facts["splits"].items():
        click.echo(f"{Path(out) / split}.parquet  {examples:,} rows")


@click.command()
@click.argument("name")
@click.option("--rows", type=click.IntRange(0), default=4, show_default=True, help="Examples shown of each split.")
@click.option("--cache-dir", type=click.Path(), help="Where the dataset is kept.")
@recipe_options
@as_json
def show(name: str, rows: int, cache_dir: str | None, catalogue: str | None, as_json: bool, **options: Any) -> None:
    """Make a dataset through load_dataset; show examples of each split, sizes and digests."""
    from seqbench.dataset.report import made, made_text

    given = given_options(options)
    facts = made(name, rows, cache_dir=cache_dir, catalogue=catalogue, **given)
    print_json(facts) if as_json else click.echo(made_text(facts))


@click.command()
@click.option("--catalogue", type=click.Path(), help="The folder to check; all built-in definitions by default.")
@as_json
def check(catalogue: str | None, as_json: bool) -> None:
    """Recompute every claim (exit code 1 if one is false), and plan every dataset."""
    from seqbench.dataset.report import checked

    wrong, number = checked(catalogue)
    if as_json:
        print_json({**number, "wrong": wrong})
    else:
        counts = ", ".join(f"{count} {what}" for what, count in number.items())
        false = {0: "every claim holds", 1: "1 claim is false"}.get(len(wrong), f"{len(wrong)} claims are false")
        click.echo("\n".join([*wrong, f"Checked {counts}: {false}."]))
    sys.exit(1 if wrong else 0)
