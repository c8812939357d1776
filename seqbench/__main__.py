"""`seqbench` and `python -m seqbench`: an interrupt ends both with one line, while they still import too."""

import sys


def main() -> int:
    """Runs the command line; the exit code where it comes back."""
    try:
        from seqbench.cli import main as run

        run()
    except (Exception, KeyboardInterrupt) as error:  # before click hears it
        if not _is_interrupt(error):
            raise
        print("Aborted!", file=sys.stderr)  # noqa: T201 -- as click says it
        return 1
    return 0


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether an interrupt is behind an error: Python makes a RuntimeError of one that comes while it makes a class."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


if __name__ == "__main__":
    sys.exit(main())
