"""Context-free languages, and two that are not: recognised, or members alone."""

import functools
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from seqbench.algebra.alphabet import decode
from seqbench.algebra.parameters import Name, Parameter
from seqbench.catalogue.languages import grammar_of
from seqbench.catalogue.reader import Catalogue
from seqbench.errors import unknown_name
from seqbench.generation.streams import Words
from seqbench.generation.tasks.flare import EXTRA, NEAR_MISS, SAME_SHAPE, SINGLE_LABEL_LENGTHS, counting, templates
from seqbench.generation.tasks.flare.language import Array, Language, Mask
from seqbench.generation.tasks.flare.recognition import Recognition
from seqbench.generation.tasks.task import Kind, Purpose, Task

GRAMMARS: dict[str, Callable[[int], Language]] = {
    "dyck": counting.brackets,
    "anbn": lambda _: templates.template("anbn"),
    "marked_palindrome": lambda _: templates.template("marked_reversal"),
    "palindrome": lambda _: templates.template("palindrome"),
    "expression": lambda _: counting.expressions(),
    "anbncn": lambda _: templates.template("anbncn"),
    "ww": lambda _: templates.template("copy"),
}
"""Built-in languages by name; the number is that of the kinds of brackets. The last two are context-sensitive."""


class Recognise(Recognition):
    """Is the word in the language? Members uniform, non-members as in `flare`, half and half at every length."""

    fingerprint = ""

    def facts(self) -> dict[str, Any]:
        """As of every recognition task; there is no published dataset to compare with."""
        return {name: fact for name, fact in super().facts().items() if name != "differences"}


class Generate(Recognise):
    """Members alone, uniform within each length, for models of language; `solve` recognises."""

    label_names: tuple[str, ...] = ()

    def __init__(self, *options: Any) -> None:
        """As Recognise, without labels."""
        super().__init__(*options)
        self.schema = self.schema.remove(self.schema.get_field_index("label"))

    @functools.cached_property
    def lengths_hint(self) -> str:
        """Which lengths there are."""
        return "Lengths that have members have examples."

    def admits(self, longest: int) -> Mask:
        """Where there are members, the empty word left out."""
        members = self.language.members(longest)
        members[0] = False
        return members

    def _draw(self, purpose: Purpose | None, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        columns = super()._draw(purpose, lengths, streams)
        return {name: columns[name] for name in self.schema.names}

    def _labels(self, lengths: Array, streams: Words) -> Array:
        del streams
        return (lengths >= 0).astype("int64")

    def check(self, table: pa.Table) -> None:
        """Recognises every word once more."""
        super().check(table.append_column("label", pa.array([1] * len(table), pa.int64())))

    def facts(self) -> dict[str, Any]:
        """Alphabet and law of the members."""
        return {name: fact for name, fact in super().facts().items() if name in ("alphabet", "members")}

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """The word as text."""
        return {"input_ids": decode(self.language.alphabet, row["input_ids"])}


def _language(catalogue: Catalogue, name: str, kinds: int) -> tuple[Language, str]:
    """The language of a name, those of the catalogue first, and what identifies its definition."""
    mine = [each for each in catalogue.automata if catalogue.automaton(each).grammar is not None]
    if name in mine:
        grammar = grammar_of(catalogue, name)
        return counting.of_grammar(grammar), repr(grammar)
    if name not in GRAMMARS:
        raise unknown_name("language with a grammar", name, {*GRAMMARS, *mine}, "Or give automata/NAME.toml a grammar.")
    return GRAMMARS[name](kinds), ""


def _build(parameters: dict[str, Any], catalogue: Catalogue) -> Task:
    language, fingerprint = _language(catalogue, parameters["language"], parameters["kinds"])
    task = Generate if parameters["mode"] == "generation" else Recognise
    made = task(
        language,
        parameters["near_miss"],
        parameters["same_shape"],
        parameters["single_label_lengths"],
        parameters["extra"],
    )
    made.fingerprint = fingerprint
    return made


KINDS = {
    "grammar": Kind(
        _build,
        (
            Name("language", "choice", f"a grammar's name in automata/, or {', '.join(GRAMMARS)}"),
            Parameter("kinds", "integer", "kinds of brackets of the language dyck", 1, 8, default=2),
            Parameter(
                "mode",
                "choice",
                "members and non-members with labels, or members alone",
                default="recognition",
                choices=("recognition", "generation"),
            ),
            NEAR_MISS,
            SAME_SHAPE,
            SINGLE_LABEL_LENGTHS,
            EXTRA,
        ),
        {},
        presentation=("extra",),
        reads_catalogue=True,
    )
}
