"""Small models of every kind, for the tests that all models must pass."""

import pytest

torch = pytest.importorskip("torch")

from seqbench.models import MODELS, create  # noqa: E402

SMALL = {
    "ldru": {"width": 16},
    "bbt_grc": {"width": 16},
    "rir_grc": {"width": 16, "chunk": 4},
    "pr_lstm": {"width": 16},
    "pr_rnn": {"width": 16},
    "rnn": {"width": 16, "embedding": 8},
    "lstm": {"width": 16, "embedding": 8, "layers": 2},
    "gru": {"width": 16, "embedding": 8},
    "stack_rnn": {"width": 16, "embedding": 8},
    "tape_rnn": {"width": 16, "embedding": 8},
    "transformer": {"width": 16, "heads": 2, "layers": 2},
    "nesv": {},
    "s4d": {"width": 16, "state": 8, "layers": 2},
    "tcn": {"width": 16, "embedding": 8, "layers": 2},
    "deltanet": {"width": 16, "heads": 2},
    "hybrid": {"first_options": {"width": 8, "embedding": 8}, "second_options": {"width": 16, "layers": 2}},
}

MORE = {
    "ldru-levels": {"reduction": "levels"},
    "ldru-bare": {"wrapped": False},
    **{f"ldru-{operator}": {"operator": operator} for operator in ("sum", "linear", "gated_sum", "grc", "matrix")},
    **{f"{name}-reduce": {"schedule": "reduce"} for name in ("pr_lstm", "pr_rnn")},
    "pr_lstm-2": {"refinements": 2},
    "pr_lstm-0": {"refinements": 0},
    **{f"transformer-{scheme}": {"positions": scheme} for scheme in ("nope", "learned", "rope", "alibi")},
    **{f"transformer-{scheme}-causal": {"positions": scheme, "causal": True} for scheme in ("sin", "rope", "alibi")},
    "transformer-log": {"log_scale": True},
    "transformer-log-causal": {"log_scale": True, "causal": True, "positions": "nope"},
    **{f"nesv-{variant}": {"variant": variant} for variant in ("norm", "gen", "sin")},
    "s4d-real": {"start": "real"},
    "deltanet-recurrent": {"form": "recurrent", "allow_neg_eigval": False},
    "rir_grc-plain": {"pre_layers": 0},
    "stack_rnn-shallow": {"depth": 3},
    "hybrid-ldru": {"first": "gru", "second": "rir_grc", "second_options": {"width": 16, "chunk": 4}},
}

RANDOM = [f"transformer-random_{scheme}" for scheme in ("sin", "learned", "rope", "alibi")]
ALL = [*MODELS, *MORE]


def make(key: str, **arguments: object):
    """The model of a key of ALL or RANDOM: float32, without dropout."""
    name = key.partition("-")[0]
    options = MORE[key] if key in MORE else ({"positions": key.partition("-")[2]} if key in RANDOM else {})
    vocabulary = None if "d_in" in arguments else (2 if name == "nesv" else 5)
    classes = arguments.pop("classes", 2)
    return create(name, vocabulary=vocabulary, classes=classes, **{**SMALL[name], **options}, **arguments).eval()


def words(key: str, lengths: list[int], longest: int | None = None):
    """Random words of the given lengths with random padding, and the lengths."""
    vocabulary = 2 if key.startswith("nesv") else 5
    return torch.randint(0, vocabulary, (len(lengths), longest or max(lengths))), torch.tensor(lengths)
