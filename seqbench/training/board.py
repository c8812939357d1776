"""Curves of a run for TensorBoard, beside metrics.jsonl."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from seqbench.errors import not_installed

FOLDER = "tensorboard"


@contextmanager
def board(run: Path, wanted: bool) -> Iterator[Callable[[dict[str, Any]], None]]:
    """What takes a line of metrics.jsonl and writes its numbers as curves; nothing where none are wanted.

    Raises:
        InputError: TensorBoard is not installed.
    """
    if not wanted:
        yield lambda _: None
        return
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise not_installed("--tensorboard", "TensorBoard", "train", "Or leave it out.") from None
    with SummaryWriter(str(run / FOLDER)) as writer:

        def write(facts: dict[str, Any]) -> None:
            for name, value in curves(facts).items():
                writer.add_scalar(name, value, facts["step"])

        yield write


def curves(facts: dict[str, Any]) -> dict[str, float]:
    """The numbers of a line of metrics.jsonl by the name of their curve.

    Example:
        >>> curves({"step": 5, "loss": 0.5, "validation": {"accuracy": {"value": 0.9, "n": 10}}, "waiting": 0.0})
        {'loss': 0.5, 'validation/accuracy': 0.9, 'waiting': 0.0}
    """
    validation = {f"validation/{name}": found["value"] for name, found in facts["validation"].items()}
    numbers = {"loss": facts["loss"], **validation, "waiting": facts["waiting"]}
    return {name: value for name, value in numbers.items() if value is not None}
