"""State tracking: the state after a word, or after each of its symbols, for any automaton of the catalogue."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.algebra import walks
from seqbench.algebra.alphabet import encode
from seqbench.algebra.machine import Machine
from seqbench.algebra.parameters import Name, Parameter
from seqbench.catalogue.languages import machine_of
from seqbench.catalogue.reader import Catalogue
from seqbench.catalogue.schema import Dataset
from seqbench.errors import InputError, UnknownNameError, quoted, unknown_name
from seqbench.generation.streams import FIRST_WORD, Words, lane
from seqbench.generation.tasks.handed import each_word
from seqbench.generation.tasks.letters import fill_letters
from seqbench.generation.tasks.task import Kind

Array = npt.NDArray[Any]

TARGETS = Parameter(
    "targets", "choice", "the last state, or the states after every symbol too", 0, 0, "label", ("label", "prefix")
)


class Tracker:
    """The state of a transition table after a word of independent, equally likely symbols.

    Columns `input_ids` and `label`, the last state; with `targets="prefix"` also `labels`, the state after every
    symbol (none is ignored). State 0 is the initial state, in which the empty word would end.

    Attributes:
        table: int32 (states, symbols), the state after each symbol.
        symbols: names of the symbols.
    """

    lengths_hint = "Every length from 1 on has examples."

    def __init__(self, table: Array, symbols: tuple[str, ...], label_names: tuple[str, ...], targets: str) -> None:
        """The task of a transition table with names of its symbols and states."""
        self.table, self.symbols, self.label_names, self.targets = table, symbols, label_names, targets
        self.dtype = np.uint8 if len(symbols) <= 256 else np.uint16
        columns = {"input_ids": pa.list_(pa.from_numpy_dtype(self.dtype)), "label": pa.int64()}
        self.schema = pa.schema(columns | ({"labels": pa.list_(pa.int32())} if targets == "prefix" else {}))

    @property
    def symbol_names(self) -> tuple[str, ...]:
        """Those of the table."""
        return self.symbols

    @functools.cached_property
    def machine(self) -> Machine:
        """The table as a machine whose labels are its states, both and its symbols named by number."""
        return self._machine(range(len(self.symbols)))

    def _machine(self, letters: Sequence[int]) -> Machine:
        """The table with some of its symbols."""
        states = range(len(self.table))
        return Machine.build(map(str, letters), self.table[:, list(letters)], states, labels=list(map(str, states)))

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Every length but 0."""
        return np.arange(longest + 1) > 0

    def sizes(self, longest: int) -> tuple[int, int]:
        """Number of symbols and of states."""
        del longest
        return len(self.symbols), len(self.label_names)

    def draw(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Words and their states."""
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        tokens = np.empty(offsets[-1], dtype=self.dtype)
        fill_letters(len(self.symbols), lengths, offsets[:-1], lane(streams, FIRST_WORD), tokens)
        rows = pa.array(offsets.astype(np.int32))
        columns = {"input_ids": pa.ListArray.from_arrays(rows, pa.array(tokens))}
        if self.targets == "label":
            return columns | {"label": pa.array(walks.final_states(self.table, 0, tokens, offsets).astype(np.int64))}
        states = walks.all_states(self.table, 0, tokens, offsets)
        columns["label"] = pa.array(states[offsets[1:] - 1].astype(np.int64))
        return columns | {"labels": pa.ListArray.from_arrays(rows, pa.array(states))}

    def solve(self, inputs: Any) -> Any:
        """The last state of each word (or the list of its states); words are text or lists of ids or of symbol names.

        As text, symbols of one character are written together, others apart by semicolons. One word alone, as text or
        as a list of ids, gives one answer.

        Raises:
            InputError: a foreign symbol, an empty word, or no list of words.
        """
        return each_word(self._solve, inputs)

    def _solve(self, word: Any) -> Any:
        parts = word
        if isinstance(word, str) and any(len(symbol) > 1 for symbol in self.symbols):
            parts = [symbol.strip() for symbol in word.split(";")] if word.strip() else []
        tokens = encode(self.symbols, parts)
        if len(tokens) == 0:
            raise InputError(f"{quoted(word)} has no symbol. {self.lengths_hint}")
        states = walks.all_states(self.table, 0, tokens, np.array([0, len(tokens)])).tolist()
        return states if self.targets == "prefix" else states[-1]

    def check(self, table: pa.Table) -> None:
        """Compares every row with `slow`, symbol by symbol.

        Raises:
            InputError: naming the first row that is wrong.
        """
        for number, row in enumerate(table.to_pylist()):
            states = self.slow(row["input_ids"])
            if row["label"] != states[-1] or row.get("labels", states) != states:
                raise InputError(f"Row {number} is wrong: {row}.")

    def slow(self, ids: list[int]) -> list[int]:
        """The state after every symbol, by plain look-ups."""
        state, states = 0, []
        for symbol in ids:
            state = int(self.table[state, symbol])
            states.append(state)
        return states

    def facts(self) -> dict[str, Any]:
        """Alphabet, states, and the best that a constant answer scores at some lengths."""
        return {
            "symbols": len(self.symbols),
            "alphabet": list(self.symbols[:20]) + ["..."] * (len(self.symbols) > 20),
            "states": len(self.label_names),
            "smallest_length": 1,
            "distribution": "all words of a length equally likely",
            "most_frequent_state_by_length": {
                length: round(share, 4) for length, share in self.majority((1, 5, 40)).items()
            },
        }

    def majority(self, lengths: tuple[int, ...]) -> dict[int, float]:
        """The share of the most frequent state at some lengths: the best score of a constant answer."""
        shares, found = np.zeros(len(self.table)), {}
        shares[0] = 1.0
        for length in range(1, max(lengths) + 1):
            spread = np.zeros_like(shares)
            for symbol in range(len(self.symbols)):
                spread += np.bincount(self.table[:, symbol], weights=shares, minlength=len(shares))
            shares = spread / len(self.symbols)
            if length in lengths:
                found[length] = float(shares.max())
        return found

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """The word and its states by name."""
        apart = "" if all(len(symbol) == 1 for symbol in self.symbols) else "; "
        shown = {
            "input_ids": apart.join(self.symbols[symbol] for symbol in row["input_ids"]),
            "label": self.label_names[row["label"]],
        }
        if "labels" in row:
            shown["labels"] = "; ".join(self.label_names[state] for state in row["labels"])
        return shown


class StateTracking(Tracker):
    """The states of an automaton of the catalogue along a word of independent, equally likely symbols.

    States are those of the minimal complete machine, numbered breadth first from the initial state 0; sinks count. They
    are named by number and, where the automaton has one, the label of the words that end there.

    Example:
        >>> from seqbench.catalogue.reader import open_catalogue
        >>> parameters = {"automaton": "dyck_d2", "automaton_parameters": {}, "targets": "prefix"}
        >>> task = StateTracking(parameters, open_catalogue())
        >>> task.solve("0011"), task.label_names
        ([1, 3, 1, 0], ('0 accept', '1 reject', '2 reject', '3 reject'))
    """

    def __init__(self, parameters: dict[str, Any], catalogue: Catalogue) -> None:
        """The task of a dataset's or a catalogue entry's automaton."""
        self.name = parameters["automaton"]
        machine = _machine(catalogue, self.name, parameters["automaton_parameters"])
        self.fingerprint = machine.fingerprint
        names = [machine.labels[output] if output >= 0 else "outside" for output in machine.outputs]
        states = tuple(f"{number} {name}" for number, name in enumerate(names))
        super().__init__(machine.transitions, machine.alphabet, states, parameters["targets"])

    def facts(self) -> dict[str, Any]:
        """As for any table, with the automaton."""
        return {"automaton": self.name} | super().facts()


def _machine(catalogue: Catalogue, name: str, parameters: dict[str, Any]) -> Machine:
    if name in catalogue.automata:
        return machine_of(catalogue, name, parameters)
    if name not in catalogue.datasets:
        over_one = (each for each in catalogue.datasets if isinstance(catalogue.dataset(each), Dataset))
        raise unknown_name("automaton", name, {*catalogue.automata, *over_one})
    dataset = catalogue.dataset(name)
    if not isinstance(dataset, Dataset):
        raise UnknownNameError(f"The dataset {name!r} has no automaton. Name one that has, for example 'dyck_d6'.")
    return machine_of(catalogue, dataset.automaton, dataset.parameters | parameters)


@dataclass(frozen=True)
class Options(Parameter):
    """A parameter that is a table of values by name; empty by default."""

    def check(self, value: Any) -> Any:
        """The table, sorted by name."""
        if value == self.default:
            return {}
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise InputError(f"The value {quoted(value)} of {self.name!r} cannot be used. {self.allowed()}")
        return dict(sorted(value.items()))

    def allowed(self) -> str:
        """The allowed values in one sentence."""
        return f"It is a table of values by name, for example {{'depth': 6}}: {self.summary}."


KINDS = {
    "state_tracking": Kind(
        StateTracking,
        (
            Name("automaton", "choice", "an automaton of the catalogue, or a dataset over one"),
            Options("automaton_parameters", "choice", "the parameters of a family of automata", default=""),
            TARGETS,
        ),
        {},
        presentation=("targets",),
        reads_catalogue=True,
    )
}
