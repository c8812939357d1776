"""The command that measures exact-solution volumes."""

import math
from typing import Any

import click

from seqbench.cli.options import as_json, force_option, print_json
from seqbench.errors import quoted


def _samples(_: click.Context, __: click.Parameter, text: str) -> int:
    """A number of samples: 1000000, 1_000_000, 1e6 or 10^6."""
    from seqbench.training.volume.estimate import MAX_SAMPLES

    base, sign, power = text.partition("^")
    try:
        number = float(base) ** int(power) if sign else float(text)
    except OverflowError:
        number = math.inf
    except (ValueError, ZeroDivisionError):
        number = math.nan
    if not 1 <= number <= MAX_SAMPLES or number != int(number):
        raise click.BadParameter(
            f"{quoted(text)} is no whole number from 1 to {MAX_SAMPLES:,}. Write 1000000, 1e6 or 10^6."
        )
    return int(number)


@click.command()
@click.option("--task", required=True, help="first, majority, index or parity.")
@click.option("--model", required=True, help="a_gen, a_sin, a_pos or a_norm.")
@click.option("-n", "first", type=int, required=True, help="Lengths: one or more numbers of bits.")
@click.argument("more", nargs=-1, type=int, metavar="[N]...")  # so that `-n 5 9 17` reads as it is written
@click.option("--box", type=float, default=1.0, show_default=True, help="B: parameters lie in [-B, B].")
@click.option(
    "--samples",
    default="10^6",
    show_default=True,
    callback=_samples,
    help="Sets of parameters a length; splitting takes some 100,000.",
)
@click.option("--hidden", type=int, default=8, show_default=True, help="Width of the readout.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed gives independent samples.")
@click.option("--png", type=click.Path(), help="Also draw the volumes (.png, .svg or .pdf).")
@force_option
@as_json
def nesv(first: int, more: tuple[int, ...], png: str | None, force: bool, as_json: bool, **options: Any) -> None:
    """Measure the exact-solution volume of a one-layer transformer."""
    from seqbench.drawing.style import new_picture
    from seqbench.training.volume.estimate import facts, table, volumes
    from seqbench.training.volume.picture import draw

    picture = None if png is None else new_picture(png, force=force)
    found = volumes(lengths=(first, *more), **options)
    print_json(facts(found)) if as_json else click.echo(table(found))
    if picture:  # last: what was measured is told even where no picture can be made of it
        draw(found, options["task"], options["model"], picture)
        click.echo(png, err=as_json)
