"""The command line: one function a command, no logic."""

import contextlib
import json
import signal
import sys
from collections.abc import Callable, Iterator
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
        with _stoppable():
            try:
                return super().invoke(ctx)
            except BrokenPipeError:
                raise  # click ends quietly where the reader has gone
            except (SeqbenchError, OSError, MemoryError) as error:
                click.echo(f"Error: {_sentence(error)}", err=True)
                return ctx.exit(2)


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """While a command runs, a signal to end leaves by an exception; afterwards all is as it was before.

    Left in place, it would keep processes that are forked later from being ended.
    """
    try:
        before = signal.signal(signal.SIGTERM, _stop)
    except ValueError:  # signals reach the main thread only
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(number: int, frame: object) -> None:
    """Leaves by an exception, so that temporary files are removed on the way."""
    del frame
    raise SystemExit(128 + number)


def _sentence(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "There is not enough memory. Ask for fewer or shorter words."
    if isinstance(error, OSError) and not isinstance(error, SeqbenchError):
        return f"{error.filename or 'The output'} cannot be used: {error.strerror or error}."
    return str(error)


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
catalogue_option = click.option("--catalogue", type=click.Path(), help="A folder with definitions of your own.")


def _pairs(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, float] | None:
    """LAW or LAW=WEIGHT, several times, as weights by law."""
    if not values:
        return None
    pairs = [value.partition("=") for value in values]
    if len({law for law, _, _ in pairs}) < len(pairs):
        raise click.BadParameter(f"{' '.join(values)!r} names a law twice. Give each law one weight.")
    try:
        return {law: float(weight or 1) for law, _, weight in pairs}
    except ValueError:
        raise click.BadParameter(f"{' '.join(values)!r} holds a weight that is no number.") from None


def _labels(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> list[str | int | None] | None:
    return [_name_or_number(name) for name in names] or None


def _name_or_number(label: str | None) -> str | int | None:
    """A label's id where only ASCII digits are given, else its name."""
    return int(label) if label is not None and label.isascii() and label.isdecimal() else label


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
    click.option("--labels", multiple=True, callback=_labels, help="Only this label; may be repeated."),
    click.option("--classes/--no-classes", default=None, help="With or without syntactic classes."),
    click.option("--near-miss/--no-near-miss", default=None, help="With or without the split test_near_miss."),
    catalogue_option,
]


def recipe_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a dataset's recipe; the command gets the plan."""
    for option in reversed(_RECIPE):
        command = option(command)
    return command


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given."""
    return {key: value for key, value in options.items() if value is not None}


def _plan(name: str, catalogue: str | None, options: dict[str, Any]) -> Any:
    from seqbench.generation.plan import plan as resolve

    return resolve(name, catalogue, **_given(options))


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
    words = lang.sample(length, _name_or_number(label), count, **how)
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
@click.option("--rows", type=click.IntRange(0), default=4, show_default=True, help="Examples shown of each split.")
@click.option("--cache-dir", type=click.Path(), help="Where the dataset is kept.")
@recipe_options
@as_json
def show(name: str, rows: int, cache_dir: str | None, catalogue: str | None, as_json: bool, **options: Any) -> None:
    """Make a dataset through load_dataset; show examples of each split, sizes and digests."""
    from seqbench.dataset.report import made, made_text

    given = _given(options)
    facts = made(name, rows, cache_dir=cache_dir, catalogue=catalogue, **given)
    _print_json(facts) if as_json else click.echo(made_text(facts))


@main.command()
@click.option("--catalogue", type=click.Path(), help="The folder to check; all built-in definitions by default.")
@as_json
def check(catalogue: str | None, as_json: bool) -> None:
    """Recompute every claim (exit code 1 if one is false), and plan every dataset."""
    from seqbench.dataset.report import checked

    wrong, number = checked(catalogue)
    if as_json:
        _print_json({**number, "wrong": wrong})
    else:
        counts = ", ".join(f"{count} {what}" for what, count in number.items())
        click.echo(
            "\n".join(
                [*wrong, f"Checked {counts}: {f'{len(wrong)} claims are false' if wrong else 'every claim holds'}."]
            )
        )
    sys.exit(1 if wrong else 0)


def language_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Ways to name a language: a dataset or definition file as argument, or a regular expression."""
    options = [
        click.argument("name", required=False),
        click.option("--regex", help="A regular expression instead of a name."),
        click.option("--alphabet", help="Its symbols, separated by spaces (default: 0 1)."),
        click.option("--symbols", type=click.Path(), help="The symbol table of an AT&T file."),
        catalogue_option,
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _language(name: str | None, regex: str | None, alphabet: str | None, symbols: str | None) -> Any:
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


@main.command()
@language_options
@click.option("--train", required=True, help="Training words: a .parquet, .csv, .tsv, .jsonl or .txt file, or a glob.")
@click.option("--test", help="Test words; by default the dataset's own test recipe, exactly.")
@click.option("--column", help="The column of words (default: input_ids, or the only one that could be).")
@click.option("--schedule", default="tree", show_default=True, help="How a model joins blocks: tree, scan or left.")
@click.option("--min-width", type=int, default=1, show_default=True, help="Leave out joins with a narrower block.")
@_two("--test-lengths", "Lengths of the recipe's test words.")
@click.option("--html", type=click.Path(), help="Also write a page that needs nothing else.")
@click.option("--png", type=click.Path(), help="Also draw the heat maps (.png, .svg or .pdf).")
@as_json
def coverage(train: str, html: str | None, png: str | None, as_json: bool, **options: Any) -> None:
    """Show which compositions of syntactic classes a training set covers."""
    from seqbench.covering.api import coverage as measure
    from seqbench.covering.page import check_outputs, write_html

    check_outputs(html, png)
    which = {key: options.pop(key) for key in ("name", "regex", "alphabet", "symbols")}
    lang = _language(**which)
    report = measure(lang, train, **{key: value for key, value in options.items() if value is not None})
    if html:
        write_html(report, Path(html))
    if png:
        report.plot(path=png)
    _print_json(report.to_dict()) if as_json else click.echo(repr(report))


@main.command()
@click.argument("name")
@click.option("--min-width", type=int, default=1, show_default=True, help="Leave out joins with a narrower block.")
@click.option("--exact", is_flag=True, help="Compute chances even where that takes minutes.")
@recipe_options
@as_json
def expect(name: str, min_width: int, exact: bool, catalogue: str | None, as_json: bool, **options: Any) -> None:
    """Show what a training set drawn by a recipe will cover, exactly, without drawing one."""
    from seqbench.covering.expectation import expected_coverage

    given = _given(options)
    found = expected_coverage(name, min_width=min_width, catalogue=catalogue, **given)
    if exact:
        _ = found.chance
    _print_json(found.to_dict()) if as_json else click.echo(repr(found))


@main.command()
@click.argument("name")
@_two("--test-lengths", "Lengths of test words.")
@_two("--train-lengths", "Lengths of training words (default: 1 to the smallest length that can do).")
@click.option("--confidence", type=float, default=0.99, show_default=True, help="Chance that nothing is missing.")
@click.option("--min-width", type=int, default=1, show_default=True, help="Leave out joins with a narrower block.")
@catalogue_option
@as_json
def plan(name: str, as_json: bool, **options: Any) -> None:
    """Show the training length and number of examples that full coverage takes."""
    from seqbench.covering.planning import coverage_plan, plan_text

    found = coverage_plan(name, **options)
    _print_json(found.to_dict()) if as_json else click.echo(plan_text(found))


@main.command()
@click.argument("name")
@click.option("--max-length", type=int, required=True, help="No word is longer.")
@click.option("--times", type=int, default=1, show_default=True, help="How often each composition is shown.")
@click.option("--out", required=True, type=click.Path(), help="A new .parquet file.")
@_two("--test-lengths", "Lengths of test words, which say what is needed.")
@click.option("--min-width", type=int, default=1, show_default=True, help="Leave out joins with a narrower block.")
@catalogue_option
@as_json
def cover(name: str, out: str, as_json: bool, **options: Any) -> None:
    """Write a small training set that shows every composition that words of a length can show."""
    from seqbench.covering.cover import cover as search
    from seqbench.covering.cover import cover_text, write_cover

    found = search(name, **options)
    write_cover(found, Path(out))
    _print_json(found.to_dict()) if as_json else click.echo(cover_text(found, out))


@main.command()
@language_options
@click.option("--kind", default="automaton", show_default=True, help="automaton or egg-box.")
@click.option("--out", required=True, type=click.Path(), help="A .svg, .png or .pdf file.")
@as_json
def draw(kind: str, out: str, catalogue: str | None, as_json: bool, **which: Any) -> None:
    """Draw a language's automaton, or the egg-box picture of its monoid."""
    from seqbench.drawing.pictures import draw as write
    from seqbench.languages import language

    found = _language(**which)
    lang = language(found, catalogue) if isinstance(found, str) else found
    facts = {"language": lang.name, **write(lang.machine, kind, out)}
    _print_json(facts) if as_json else click.echo(facts["out"])


from seqbench import cli_publish as _cli_publish  # noqa: E402, F401  # more commands, which register with `main`
