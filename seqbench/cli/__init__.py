"""The command line: one function a command, no logic."""

from typing import Any

import click

from seqbench.cli import coverage, data, nesv, publish, train
from seqbench.cli.stopping import stoppable
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
        with stoppable() as interrupted:
            try:
                return super().invoke(ctx)
            except BrokenPipeError:
                raise  # click ends quietly where the reader has gone
            except Exception as error:
                if interrupted:  # which a library below has made an error of its own
                    raise KeyboardInterrupt from None
                if not isinstance(error, SeqbenchError | OSError | MemoryError):
                    raise
                click.echo(f"Error: {_sentence(error)}", err=True)
                return ctx.exit(2)


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
