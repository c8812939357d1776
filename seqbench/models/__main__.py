"""Prints every model's number of parameters at its defaults: `python -m seqbench.models`."""

from collections.abc import Iterator

from seqbench.models import MODELS, create


def rows() -> Iterator[tuple[str, int]]:
    """Names and numbers of parameters, for two symbols and two classes.

    Example:
        >>> dict(rows())["nesv"]
        58
    """
    for name in MODELS:
        yield name, create(name, vocabulary=2, classes=2).parameter_count


if __name__ == "__main__":
    for name, count in rows():
        print(f"{name:12} {count:9,}")  # noqa: T201
