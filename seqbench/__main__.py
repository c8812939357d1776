"""`seqbench` and `python -m seqbench`: an interrupt ends both with one line, while they still import too."""

import sys


def main() -> int:
    """Runs the command line; the exit code where it comes back."""
    try:
        from seqbench.cli import main as run

        run()
    except KeyboardInterrupt:  # before click hears it
        print("Aborted!", file=sys.stderr)  # noqa: T201 -- as click says it
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
