"""The command line: one function a command, no logic."""

import contextlib
import signal
from collections.abc import Iterator
from typing import Any

import click

from seqbench.cli import coverage, data, nesv, publish, train
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


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="seqbench")
def main() -> None:
    """Exact synthetic benchmarks for sequence models."""


for _module in (data, coverage, publish, train, nesv):
    for _command in vars(_module).values():
        if isinstance(_command, click.Command):
            main.add_command(_command)
