"""Eighteen languages to recognise: the kind `flare`, by the name of the language.

Source: Butoi et al., "Training neural networks as recognizers of formal languages", ICLR 2025.
"""

from collections.abc import Callable
from typing import Any

from seqbench.algebra.parameters import Parameter
from seqbench.generation.tasks.flare import arithmetic, counting, regular, templates
from seqbench.generation.tasks.flare.language import Language
from seqbench.generation.tasks.flare.recognition import Recognition
from seqbench.generation.tasks.task import Kind, Task


def _regular(name: str) -> Callable[[], Language]:
    return lambda: regular.regular(name)


def _template(name: str) -> Callable[[], Language]:
    return lambda: templates.template(name)


LANGUAGES: dict[str, Callable[[], Language]] = {
    "even_pairs": _regular("even_pairs"),
    "repeat_01": _regular("repeat_01"),
    "parity": _regular("parity"),
    "cycle_navigation": _regular("cycle_navigation"),
    "modular_arithmetic_simple": _regular("modular_arithmetic_simple"),
    "dyck_2_3": _regular("dyck_2_3"),
    "first": _regular("first"),
    "majority": counting.Majority,
    "stack_manipulation": counting.stack_manipulation,
    "marked_reversal": _template("marked_reversal"),
    "unmarked_reversal": _template("unmarked_reversal"),
    "marked_copy": _template("marked_copy"),
    "missing_duplicate_string": templates.MissingDuplicate,
    "odds_first": _template("odds_first"),
    "binary_addition": arithmetic.Addition,
    "binary_multiplication": arithmetic.Multiplication,
    "compute_sqrt": arithmetic.SquareRoot,
    "bucket_sort": _template("bucket_sort"),
}
"""Every language by name."""

NEAR_MISS = Parameter("near_miss", "number", "the share of near misses among non-members", 0, 1, default=0.75)
SAME_SHAPE = Parameter(
    "same_shape", "number", "the share of near misses that keep the form of a member", 0, 1, default=0.7
)
SINGLE_LABEL_LENGTHS = Parameter(
    "single_label_lengths",
    "choice",
    "what becomes of lengths at which all words have one label",
    default="drop",
    choices=("drop", "keep"),
)
EXTRA = Parameter(
    "extra",
    "choice",
    "one more column, for languages that have it",
    default="none",
    choices=("none", "next_symbols", "log_probabilities"),
)


def _build(parameters: dict[str, Any]) -> Task:
    language = LANGUAGES[parameters["language"]]()
    return Recognition(
        language,
        parameters["near_miss"],
        parameters["same_shape"],
        parameters["single_label_lengths"],
        parameters["extra"],
    )


KINDS = {
    "flare": Kind(
        _build,
        (
            Parameter("language", "choice", "the language to recognise", choices=tuple(LANGUAGES)),
            NEAR_MISS,
            SAME_SHAPE,
            SINGLE_LABEL_LENGTHS,
            EXTRA,
        ),
        {},
        presentation=("extra",),
    )
}
