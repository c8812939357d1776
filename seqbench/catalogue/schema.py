"""What the TOML files of a catalogue may hold, as frozen records."""

from typing import Any

import msgspec

from seqbench.catalogue.recipe import Range, Recipe
from seqbench.notebook import facts, section


class Claims(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Facts that a definition claims and that tests recompute.

    Attributes:
        parameters: the family's parameters for which the rest holds.
        states: states of the minimal complete machine; None for a grammar.
        monoid: elements of the syntactic monoid, identity and zero counted; None for a grammar.
        aperiodic: whether the monoid has no group but trivial ones (a star-free language); None for a grammar.
        counts: how many words a grammar has of the lengths 0, 1, 2, ...
        accepts: words with the label "accept".
        rejects: words with the label "reject".
        labelled: words by the name of their label.
        outside: words outside the task's domain.
    """

    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    states: int | None = None
    monoid: int | None = None
    aperiodic: bool | None = None
    counts: tuple[int, ...] = ()
    accepts: tuple[str, ...] = ()
    rejects: tuple[str, ...] = ()
    labelled: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    outside: tuple[str, ...] = ()


class State(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row of a transition table; the first row is the initial state.

    Attributes:
        state: its name.
        label: the label of the words that end here; none where they are outside the domain.
        next: the next state by symbol; symbols left out lead to a sink: its words are rejected (labels reject, accept)
            or outside the domain (other labels).
    """

    state: str
    label: str | None = None
    next: dict[str, str] = msgspec.field(default_factory=dict)


class Automaton(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of automata/: a language, given by exactly one of regex, table, grammar and family.

    Attributes:
        title: one line that says what the language is.
        alphabet: the symbols (a family brings its own).
        regex: a regular expression (see algebra.regex).
        table: the states of a Moore machine.
        grammar: the rules of an unambiguous context-free grammar (see algebra.grammar).
        family: a named construction (see algebra.families).
        labels: names of the labels of a table.
        source: paper or URL.
        description: more about it.
        claims: facts that tests recompute; a family has one entry a choice of parameters.
    """

    title: str
    alphabet: tuple[str, ...] | None = None
    regex: str | None = None
    table: tuple[State, ...] | None = None
    grammar: str | None = None
    family: str | None = None
    labels: tuple[str, ...] = ("reject", "accept")
    source: str
    description: str = ""
    claims: Claims | tuple[Claims, ...] = ()

    @property
    def all_claims(self) -> tuple[Claims, ...]:
        """The claims, however many."""
        return self.claims if isinstance(self.claims, tuple) else (self.claims,)


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of a dataset's history.

    Attributes:
        version: the data version that came with it.
        change: what changed.
        release: the first release of seqbench that made it.
    """

    version: str
    change: str
    release: str = ""


class Dataset(Recipe, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of generators/: a dataset over an automaton.

    Attributes:
        title: one line that says what is to be learnt.
        automaton: the name of its language.
        parameters: of the language, if that is a family.
        version: x.y.z of the data; any change of a row raises it.
        history: what changed when, newest last.
        source: the paper that defined the task.
        superseded_by: the dataset that took its place, if one has; loading it says so.
    """

    title: str
    automaton: str
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    version: str
    history: tuple[Change, ...]
    source: str
    superseded_by: str | None = None


class TaskRecipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options that all datasets of a task kind share; the kind's own are its parameters.

    Attributes:
        train_lengths, validation_lengths, validation_long_lengths: shortest and longest example; drawn uniformly.
        test_lengths: every length in this range has equally many test examples.
        test_lengths_list: the test lengths one by one; where given, instead of the range.
        train_examples, validation_examples, validation_long_examples: number of examples; 0 leaves the split out.
        test_examples_per_length: number of test examples of each length; 0 leaves the split out.
        seed: whole number; another seed gives independent examples.
    """

    train_lengths: Range = (1, 40)
    validation_lengths: Range = (1, 40)
    test_lengths: Range = (41, 500)
    test_lengths_list: tuple[int, ...] | None = None
    validation_long_lengths: Range = (1, 80)
    train_examples: int = 100_000
    validation_examples: int = 10_000
    validation_long_examples: int = 0
    test_examples_per_length: int = 64
    seed: int = 0

    def options(self) -> dict[str, Any]:
        """The shared options as plain data, in a fixed order."""
        return {name: msgspec.to_builtins(getattr(self, name)) for name in TaskRecipe.__struct_fields__}

    def _repr_html_(self) -> str:
        """The options in a notebook, with those of the kind."""
        return section(getattr(self, "title", "Recipe"), [], facts(self.options() | getattr(self, "parameters", {})))


class TaskDataset(TaskRecipe, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of generators/ that names a task kind instead of an automaton.

    Attributes:
        title: one line that says what is to be learnt.
        task: the kind (see generation.tasks).
        parameters: of the kind; users override each by its name.
        aliases: other names of the dataset.
        presets: names of the dataset with some of its options chosen.
        version: x.y.z of the data; any change of a row raises it.
        history: what changed when, newest last.
        source: the paper that defined the task.
        superseded_by: the dataset that took its place, if one has; loading it says so.
    """

    title: str
    task: str
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    presets: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    version: str
    history: tuple[Change, ...]
    source: str
    superseded_by: str | None = None
