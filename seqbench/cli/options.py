"""Options that several commands share, and how their values are read."""

import json
from collections.abc import Callable
from typing import Any

import click

from seqbench.errors import InputError

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
force_option = click.option("--force", is_flag=True, help="Replace files that are there.")
catalogue_option = click.option("--catalogue", type=click.Path(), help="A folder with definitions of your own.")


def weights(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, float] | None:
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


def _several(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> list[str] | None:
    return list(names) or None


def key_values(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, Any] | None:
    """KEY=VALUE, several times; values are JSON, or else text."""
    for value in values:
        if not value.partition("=")[0] or "=" not in value:
            raise click.BadParameter(f"{value!r} is no KEY=VALUE, such as dropout=0.1.")
    pairs = dict(value.partition("=")[::2] for value in values)
    return {name: _json_or_text(value) for name, value in pairs.items()} or None


def _json_or_text(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):  # no JSON, or more digits or brackets than Python reads
        return value


# Arguments of the functions behind the commands, beside which the options of a dataset stand as keywords.
_ARGUMENTS = frozenset(
    {"cache", "cache_dir", "catalogue", "config_name", "force", "name", "names", "out", "rows", "self", "shard_bytes"}
    | {"subject", "what"}
)


def given_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, those of --set among them.

    Raises:
        InputError: --set names what is no option of any dataset, but of the command.
    """
    extra = options.pop("extra", None) or {}
    for name in extra.keys() & _ARGUMENTS:
        raise InputError(
            f"--set {name}={extra[name]} is no option of a dataset. Leave it out; --help shows what the command takes."
        )
    return {key: value for key, value in options.items() if value is not None} | extra


def two_numbers(option: str, text: str) -> Callable[[Any], Any]:
    """An option that takes a shortest and a longest length."""
    return click.option(option, nargs=2, type=int, metavar="SHORTEST LONGEST", help=text)


_RECIPE: list[Callable[[Any], Any]] = [
    two_numbers("--train-lengths", "Lengths of training words."),
    two_numbers("--validation-lengths", "Lengths of validation words."),
    two_numbers("--test-lengths", "Lengths of test words."),
    click.option("--train-examples", type=int, help="Number of training words."),
    click.option("--validation-examples", type=int, help="Number of validation words."),
    click.option("--test-examples-per-length", type=int, help="Number of test words of each length."),
    click.option("--sampling", multiple=True, callback=weights, metavar="LAW[=WEIGHT]", help="May be repeated."),
    click.option("--seed", type=int, help="Another seed gives independent words."),
    click.option("--targets", help="label or prefix."),
    click.option("--held-out/--no-held-out", default=None, help="Keep evaluation words out of training."),
    click.option("--single-label-lengths", help="keep or drop lengths at which all words have one label."),
    click.option("--labels", multiple=True, callback=_several, help="Only this label; may be repeated."),
    click.option("--classes/--no-classes", default=None, help="With or without syntactic classes."),
    click.option(
        "--set", "extra", multiple=True, callback=key_values, metavar="OPTION=VALUE", help="Any other option."
    ),
    click.option("--near-miss/--no-near-miss", default=None, help="With or without the split test_near_miss."),
    catalogue_option,
]


def recipe_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a dataset's recipe; the command gets the plan."""
    for option in reversed(_RECIPE):
        command = option(command)
    return command


def plan_of(name: str, catalogue: str | None, options: dict[str, Any]) -> Any:
    """The plan of a dataset with the options that were given."""
    from seqbench.generation.plan import plan as resolve

    return resolve(name, catalogue, **given_options(options))


def is_task(name: str, catalogue: str | None) -> bool:
    """Whether a dataset is over a task kind instead of a language."""
    from seqbench.catalogue.reader import open_catalogue
    from seqbench.catalogue.schema import TaskDataset

    opened = open_catalogue(catalogue)
    known = opened.name_of(name)
    return known in opened.datasets and isinstance(opened.dataset(known), TaskDataset)


def print_json(value: Any) -> None:
    """Prints plain data."""
    click.echo(json.dumps(value, indent=1))
