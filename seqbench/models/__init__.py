"""Reference models: one call `model(tokens, lengths) -> logits`, one factory `create`, one closed dict MODELS.

Importing this package does not import torch; making a model does.
"""

import importlib
import importlib.util
import inspect
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqbench.errors import InputError, SeqbenchError, not_installed, quoted, unknown_name

if TYPE_CHECKING:
    from seqbench.models.frame import Encoder, Model

__all__ = ["MODELS", "Entry", "check_options", "create", "make_encoder", "matched_width", "options"]


@dataclass(frozen=True)
class Entry:
    """Where a model lives.

    Attributes:
        module: the module of seqbench.models.
        encoder: the class that maps embedded symbols to states; its keyword arguments are the model's options.
        model: the class that embeds symbols and reads states.
        of: the module of the class `model`.
    """

    module: str
    encoder: str
    model: str = "Model"
    of: str = "frame"


MODELS: dict[str, Entry] = {
    "ldru": Entry("ldru", "LDRU", "TreeModel", "tree"),
    "bbt_grc": Entry("bbt_grc", "BalancedGRC", "TreeModel", "tree"),
    "rir_grc": Entry("rir_grc", "ChunkedGRC"),
    "pr_lstm": Entry("pr_lstm", "ParallelLSTM"),
    "pr_rnn": Entry("pr_lstm", "ParallelRNN"),
    "rnn": Entry("recurrent", "RNN"),
    "lstm": Entry("recurrent", "LSTM"),
    "gru": Entry("recurrent", "GRU"),
    "stack_rnn": Entry("stack_rnn", "StackRNN"),
    "tape_rnn": Entry("tape_rnn", "TapeRNN"),
    "transformer": Entry("transformer", "Transformer"),
    "nesv": Entry("nesv", "Attention", "SolutionVolume", "nesv"),
    "s4d": Entry("s4d", "S4D"),
    "tcn": Entry("tcn", "TCN"),
    "deltanet": Entry("deltanet", "GatedDeltaNet"),
    "hybrid": Entry("hybrid", "Hybrid"),
}
"""Every model by name."""


def create(
    name: str,
    *,
    vocabulary: int | None = None,
    classes: int,
    d_in: int | None = None,
    head: str = "last",
    **chosen: Any,
) -> "Model":
    """A new model with random weights from torch's global generator.

    Args:
        name: a key of MODELS, or `FILE.py:CLASS` for an encoder of your own.
        vocabulary: the number of symbols; None where the inputs are float vectors.
        classes: the number of logits (of targets in regression).
        d_in: the width of the input vectors; None where the inputs are symbols.
        head: "last", logits (batch, classes) for a whole sequence, or "positions", (batch, longest, classes).
        **chosen: the model's own options, see `options`.

    Raises:
        UnknownNameError: an unknown model or option; the message holds the nearest names.
        InputError: a model that cannot do this, or a value that cannot be used.
        InputError: PyTorch is not installed.

    Example:
        >>> import torch
        >>> model = create("ldru", vocabulary=2, classes=2, width=16)
        >>> model(torch.tensor([[0, 1, 1], [1, 0, 0]]), torch.tensor([3, 1])).shape
        torch.Size([2, 2])
    """
    entry = entry_of(name)
    encoder = make_encoder(name, **chosen)
    made = _load(entry.of, entry.model)
    if not entry.module.endswith(".py"):
        model: Model = made(name, encoder, vocabulary=vocabulary, classes=classes, d_in=d_in, head=head)
        return model
    with _load("own", "kept")(name):
        model = made(name, encoder, vocabulary=vocabulary, classes=classes, d_in=d_in, head=head)
        _load("own", "probe")(model, name)
    return model


def make_encoder(name: str, **chosen: Any) -> "Encoder":
    """The encoder of a model, with options checked as in `create`."""
    entry, known = entry_of(name), options(name)
    check_options(name, chosen)
    for option, value in chosen.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError(
                f"The value {quoted(value)} of the option {option!r} cannot be used. Give a finite number."
            )
        if isinstance(value, bool) and type(known[option]) in (int, float):  # to Python they are 0 and 1
            raise InputError(f"The value {value} of the option {option!r} cannot be used. Give a number.")
    try:
        encoder: Encoder = _load(entry.module, entry.encoder)(**chosen)
    except SeqbenchError:
        raise
    except (TypeError, ValueError, ArithmeticError, RuntimeError, AssertionError) as error:
        given = ", ".join(f"{option}={quoted(value)}" for option, value in chosen.items())
        reason = str(error).splitlines()[0].rstrip(".")
        if "allocate memory" in reason:
            reason = "it does not fit the memory"
        raise InputError(
            f"The model {name!r} cannot be made with {given}: {reason}. Its options by default: "
            f"{', '.join(f'{option}={quoted(value)}' for option, value in known.items())}."
        ) from None
    return encoder


def check_options(name: str, chosen: Iterable[str], next_step: str = "") -> None:
    """Nothing, if a model has all options of these names.

    Args:
        name: a key of MODELS.
        chosen: names of options.
        next_step: what to tell besides the nearest names.

    Raises:
        UnknownNameError: an unknown model or option; the message holds the nearest names.
    """
    known = options(name)
    for option in chosen:
        if option not in known:
            raise unknown_name(f"option of the model {name!r} called", option, known, next_step)


def options(name: str) -> dict[str, Any]:
    """A model's options with their defaults.

    Example:
        >>> options("gru")
        {'width': 256, 'layers': 1, 'embedding': 64, 'dropout': 0.0}
    """
    entry = entry_of(name)
    signature = inspect.signature(_load(entry.module, entry.encoder))
    return {parameter.name: parameter.default for parameter in signature.parameters.values()}


def matched_width(name: str, parameters: int, multiple: int = 1, **arguments: Any) -> int:
    """The width at which a model's number of parameters is nearest to the given one.

    Args:
        name: a key of MODELS with an option `width`.
        parameters: the number to match.
        multiple: only multiples of this are tried, for models whose width is divided among heads.
        **arguments: the other arguments of `create`.

    Example:
        >>> lstm = create("lstm", vocabulary=2, classes=2, width=256)
        >>> matched_width("pr_lstm", lstm.parameter_count, vocabulary=2, classes=2)
        153
    """
    if parameters < 1 or "width" not in options(name):
        raise InputError(f"The width of {name!r} cannot match {parameters} parameters. It takes an option `width`.")

    def size(factor: int) -> int:
        with importlib.import_module("torch").device("meta"):  # no memory, no random numbers
            return create(name, width=multiple * factor, **arguments).parameter_count

    high = 1
    while size(high) < parameters:
        high *= 2
    low = max(high // 2, 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if size(middle) < parameters else (low, middle)
    return multiple * min(low, high, key=lambda factor: abs(size(factor) - parameters))


def entry_of(name: str) -> Entry:
    """The entry of a name, or of `FILE.py:CLASS`; an unknown one is an error with the nearest names."""
    if ".py:" in name:
        file, _, own = name.rpartition(":")
        is_tree = issubclass(_load(file, own), _load("tree", "TreeEncoder"))
        return Entry(file, own, "TreeModel", "tree") if is_tree else Entry(file, own)
    if name not in MODELS:
        raise unknown_name("model", name, MODELS)
    return MODELS[name]


def _load(module: str, name: str) -> Any:
    if importlib.util.find_spec("torch") is None:
        raise not_installed("A model", "PyTorch", "models")
    if module.endswith(".py"):
        return _load("own", "class_of")(Path(module), name)
    return getattr(importlib.import_module(f"seqbench.models.{module}"), name)
