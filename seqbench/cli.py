"""The command line: one function a command, no logic."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from seqbench.errors import SeqbenchError, unknown_name


class Commands(click.Group):
    """A group that prints an error's sentences without a traceback (exit code 2) and suggests commands."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command, or an error that names the nearest ones."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise unknown_name("command", args[0], self.commands)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """The command's result."""
        try:
            return super().invoke(ctx)
        except SeqbenchError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(2)


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
catalogue_option = click.option("--catalogue", type=click.Path(), help="A folder with definitions of your own.")


def _pairs(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, float] | None:
    """LAW or LAW=WEIGHT, several times, as weights by law."""
    if not values:
        return None
    pairs = [value.partition("=") for value in values]
    try:
        return {law: float(weight or 1) for law, _, weight in pairs}
    except ValueError:
        raise click.BadParameter(f"{' '.join(values)!r} holds a weight that is no number.") from None


def _two(option: str, text: str) -> Callable[[Any], Any]:
    return click.option(option, nargs=2, type=int, metavar="SHORTEST LONGEST", help=text)


_RECIPE: list[Callable[[Any], Any]] = [
    _two("--train-lengths", "Lengths of training words."),
    _two("--validation-lengths", "Lengths of validation words."),
    _two("--test-lengths", "Lengths of test words."),
    click.option("--train-examples", type=int, help="Number of training words."),
    click.option("--validation-examples", type=int, help="Number of validation words."),
    click.option("--test-examples-per-length", type=int, help="Number of test words of each length."),
    click.option("--sampling", multiple=True, callback=_pairs, metavar="LAW[=WEIGHT]", help="May be repeated."),
    click.option("--seed", type=int, help="Another seed gives independent words."),
    click.option("--targets", help="label or prefix."),
    click.option("--held-out/--no-held-out", default=None, help="Keep evaluation words out of training."),
    click.option("--single-label-lengths", help="keep or drop lengths at which all words have one label."),
    click.option(
        "--labels", multiple=True, callback=lambda _, __, names: list(names) or None, help="Only these labels."
    ),
    click.option("--classes/--no-classes", default=None, help="With or without syntactic classes."),
    click.option("--near-miss/--no-near-miss", default=None, help="With or without the split test_near_miss."),
    catalogue_option,
]


def recipe_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a dataset's recipe; the command gets the plan."""
    for option in reversed(_RECIPE):
        command = option(command)
    return command


def _plan(name: str, catalogue: str | None, options: dict[str, Any]) -> Any:
    from seqbench.generation.plan import plan

    return plan(name, catalogue, **{key: value for key, value in options.items() if value is not None})


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=1))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="seqbench")
def main() -> None:
    """Exact synthetic benchmarks for sequence models."""


@main.command("list")
@catalogue_option
@as_json
def list_command(catalogue: str | None, as_json: bool) -> None:
    """List all datasets."""
    from seqbench.catalogue.reader import open_catalogue

    opened = open_catalogue(catalogue)
    titles = {name: opened.dataset(name).title for name in opened.datasets}
    if as_json:
        _print_json(titles)
        return
    width = max(map(len, titles))
    for name, title in titles.items():
        click.echo(f"{name:{width}}  {title}")


@main.command()
@click.argument("name")
@recipe_options
@as_json
def info(name: str, catalogue: str | None, as_json: bool, **options: Any) -> None:
    """Show a dataset's language, recipe, splits and overlaps."""
    from seqbench.dataset.overview import overview
    from seqbench.dataset.report import info_text

    facts = overview(_plan(name, catalogue, options))
    _print_json(facts) if as_json else click.echo(info_text(facts))


@main.command()
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

    lang = language(name, catalogue)
    words = lang.sample(length, int(label) if label and label.lstrip("-").isdigit() else label, count, **how)
    labels = [lang.labels[number] for number in lang.label_all(words)]
    if as_json:
        _print_json([{"word": word, "label": label} for word, label in zip(words, labels, strict=True)])
        return
    for word, named in zip(words, labels, strict=True):
        click.echo(f"{word}  {named}")


@main.command()
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

    facts = write(_plan(name, catalogue, options), Path(out), splits=splits, force=force)
    if as_json:
        _print_json({"out": out, **facts})
        return
    for split, examples in facts["splits"].items():
        click.echo(f"{Path(out) / split}.parquet  {examples:,} rows")


@main.command()
@click.argument("name")
@click.option("--rows", type=int, default=3, show_default=True, help="Examples shown of each split.")
@click.option("--cache-dir", type=click.Path(), help="Where the dataset is kept.")
@recipe_options
@as_json
def show(name: str, rows: int, cache_dir: str | None, catalogue: str | None, as_json: bool, **options: Any) -> None:
    """Make a dataset through load_dataset; show examples of each split, sizes and digests."""
    from seqbench.dataset.report import made, made_text

    given = {key: value for key, value in options.items() if value is not None}
    facts = made(name, rows, cache_dir=cache_dir, catalogue=catalogue, **given)
    _print_json(facts) if as_json else click.echo(made_text(facts))


@main.command()
@click.option("--catalogue", type=click.Path(), help="The folder to check; all built-in definitions by default.")
@as_json
def check(catalogue: str | None, as_json: bool) -> None:
    """Recompute every claim of every definition; exit code 1 if one is false."""
    from seqbench.catalogue.claims import check_all

    wrong = check_all(catalogue)
    if as_json:
        _print_json(wrong)
    else:
        click.echo("\n".join(wrong) or "Every claim holds.")
    sys.exit(1 if wrong else 0)
