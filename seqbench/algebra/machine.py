"""Moore machines in canonical form: complete, reachable, minimal, numbered breadth first."""

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from seqbench.algebra import walks
from seqbench.algebra.alphabet import Alphabet, Offsets, Tokens, check_alphabet
from seqbench.algebra.explore import MAX_STATES, check_size, explore
from seqbench.algebra.partition import breadth_first, coarsest_partition
from seqbench.errors import DefinitionError

__all__ = ["ACCEPTOR_LABELS", "MAX_STATES", "OUTSIDE", "Machine"]

OUTSIDE = -1
"""The output of states whose words lie outside the task's domain."""

ACCEPTOR_LABELS = ("reject", "accept")

IntArray = npt.NDArray[np.int32]
State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True, eq=False, repr=False)
class Machine:
    """A Moore machine: the label of a word is the output of the state in which it ends; the initial state is 0.

    Make one with `Machine.build`, which brings any table into canonical form: then two machines are equal iff they
    label every word alike.

    Attributes:
        alphabet: the symbols.
        transitions: int32 (num_states, num_symbols), read-only; entry (q, a) is the state after symbol a in state q.
        outputs: int32 (num_states,), read-only; label ids, or OUTSIDE.
        labels: the names of the labels.

    Example:
        >>> parity = Machine.build(("0", "1"), [[0, 1], [1, 0]], [0, 1])
        >>> parity
        <Machine: 2 states, alphabet {'0', '1'}, labels ('reject', 'accept')>
        >>> parity.run(np.array([1, 0, 1, 1], np.uint8), np.array([0, 3, 4])).tolist()
        [0, 1]
    """

    alphabet: Alphabet
    transitions: IntArray
    outputs: IntArray
    labels: tuple[str, ...] = ACCEPTOR_LABELS

    def __post_init__(self) -> None:
        """Owns its arrays: nobody else can change them."""
        for name in ("transitions", "outputs"):
            array = np.array(getattr(self, name), np.int32, order="C")
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @classmethod
    def build(
        cls,
        alphabet: Iterable[str],
        transitions: Sequence[Sequence[int | None]] | npt.NDArray[Any],
        outputs: Sequence[int] | npt.NDArray[Any],
        *,
        initial: int = 0,
        labels: Sequence[str] = ACCEPTOR_LABELS,
        sink_output: int | None = None,
    ) -> "Machine":
        """The canonical machine of a table.

        Missing transitions lead to a new sink; states out of reach are dropped; equivalent states are merged
        (Hopcroft); states are numbered breadth first, symbols in alphabet order.

        Args:
            alphabet: distinct non-empty symbols.
            transitions: (states, symbols) state numbers; -1 or None where there is no transition.
            outputs: (states,) label ids, or OUTSIDE.
            initial: the initial state.
            labels: the names of the labels; two labels "reject", "accept" make an acceptor.
            sink_output: the output of the sink; by default 0 for an acceptor, else OUTSIDE.

        Raises:
            DefinitionError: a table of the wrong shape or with a number out of range.
            TooLargeError: more than MAX_STATES states.

        Example:
            >>> ones = Machine.build(("0", "1"), [[None, 0]], [1])
            >>> ones.transitions.tolist(), ones.outputs.tolist()
            ([[1, 0], [1, 1]], [1, 0])
        """
        symbols, names = check_alphabet(alphabet), check_labels(labels)
        check_size(len(transitions), "table")
        table = _table(transitions, len(symbols))
        values = _numbers("output", outputs, OUTSIDE, len(names) - 1)
        if len(values) != len(table):
            raise DefinitionError(f"There are {len(values)} outputs for {len(table)} states. Give one output a state.")
        start = _numbers("initial state", [initial], 0, len(table) - 1)[0]
        if sink_output is None:
            sink_output = 0 if names == ACCEPTOR_LABELS else OUTSIDE
        sink = _numbers("sink output", [sink_output], OUTSIDE, len(names) - 1)
        return cls(symbols, *_minimal(*_complete(table, values, sink), int(start)), names)

    @classmethod
    def explore(
        cls,
        alphabet: Iterable[str],
        start: State,
        step: Callable[[State, int], State],
        output: Callable[[State], int],
        *,
        labels: Sequence[str] = ACCEPTOR_LABELS,
    ) -> "Machine":
        """The canonical machine whose states are the values that `step(state, symbol id)` reaches from the start.

        Args:
            alphabet: distinct non-empty symbols.
            start: the initial state, any hashable value.
            step: the next state.
            output: the label id of a state, or OUTSIDE.
            labels: the names of the labels.

        Raises:
            TooLargeError: more than MAX_STATES states, found as the exploration grows.

        Example:
            >>> Machine.explore("01", 0, lambda state, a: (state + a) % 3, lambda state: int(state == 0)).num_states
            3
        """
        symbols = check_alphabet(alphabet)
        states, table = explore(start, lambda state: [step(state, a) for a in range(len(symbols))])
        return cls.build(symbols, table, [output(state) for state in states], labels=labels)

    def __repr__(self) -> str:
        """A short description."""
        alphabet = "{" + ", ".join(map(repr, self.alphabet)) + "}"
        return f"<Machine: {self.num_states} states, alphabet {alphabet}, labels {self.labels}>"

    @property
    def num_states(self) -> int:
        """The number of states."""
        return len(self.outputs)

    @property
    def num_symbols(self) -> int:
        """The number of symbols."""
        return len(self.alphabet)

    @property
    def num_labels(self) -> int:
        """The number of labels."""
        return len(self.labels)

    @property
    def is_acceptor(self) -> bool:
        """Whether the labels are "reject" and "accept" and every word has one: the machine of a language."""
        return self.labels == ACCEPTOR_LABELS and bool((self.outputs != OUTSIDE).all())

    def run(self, tokens: Tokens, offsets: Offsets) -> IntArray:
        """The final state of every word, int32; see `walks.final_states`.

        Example:
            >>> parity = Machine.build("01", [[0, 1], [1, 0]], [0, 1])
            >>> parity.run(np.array([1, 0, 1, 1], np.uint8), np.array([0, 3, 4])).tolist()
            [0, 1]
        """
        return walks.final_states(self.transitions, 0, tokens, offsets)

    def trace(self, tokens: Tokens, offsets: Offsets) -> IntArray:
        """The state after every token, int32; see `walks.all_states`.

        Example:
            >>> parity = Machine.build("01", [[0, 1], [1, 0]], [0, 1])
            >>> parity.trace(np.array([1, 0, 1, 1], np.uint8), np.array([0, 3, 4])).tolist()
            [1, 1, 0, 1]
        """
        return walks.all_states(self.transitions, 0, tokens, offsets)

    @property
    def canonical_json(self) -> str:
        """The machine as JSON without white space: the same text for the same labelling."""
        fields = {
            "alphabet": self.alphabet,
            "labels": self.labels,
            "outputs": self.outputs.tolist(),
            "transitions": self.transitions.tolist(),
        }
        return json.dumps(fields, separators=(",", ":"))

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the canonical JSON, hexadecimal: the same on every computer."""
        return hashlib.sha256(self.canonical_json.encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        """Whether both machines label every word alike."""
        return self.fingerprint == other.fingerprint if isinstance(other, Machine) else NotImplemented

    def __hash__(self) -> int:
        """By the fingerprint."""
        return hash(self.fingerprint)


def check_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """The label names as a tuple.

    Raises:
        DefinitionError: no label, an empty name, or a name twice.

    Example:
        >>> check_labels(["0", "1", "2"])
        ('0', '1', '2')
    """
    names = tuple(labels)
    if not names or not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        raise DefinitionError(
            f"The labels {names!r} cannot be used. They are distinct non-empty strings, at least one."
        )
    return names


def _table(transitions: Sequence[Sequence[int | None]] | npt.NDArray[Any], num_symbols: int) -> IntArray:
    """The transitions as an array with -1 for the missing ones."""
    if len(transitions) == 0:
        raise DefinitionError("The table has no state. Give at least the initial state.")
    for state, row in enumerate(transitions):
        if len(row) != num_symbols:
            raise DefinitionError(
                f"State {state} has {len(row)} transitions, but there are {num_symbols} symbols. "
                "Give one a symbol, -1 or None for a missing one."
            )
    if not isinstance(transitions, np.ndarray):
        transitions = np.array([[-1 if target is None else target for target in row] for row in transitions])
    flat = _numbers("transition", transitions.reshape(-1), -1, len(transitions) - 1)
    return flat.reshape(-1, num_symbols)


def _numbers(what: str, values: Sequence[int] | npt.NDArray[Any], minimum: int, maximum: int) -> IntArray:
    """The values as int32, each within the range."""
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise DefinitionError(f"An {what} is no integer in {values!r}. Give integers from {minimum} to {maximum}.")
    if array.size and not minimum <= array.min() <= array.max() <= maximum:
        wrong = array[(array < minimum) | (array > maximum)][0]
        raise DefinitionError(f"The {what} {wrong} is out of range. It lies from {minimum} to {maximum}.")
    return array.astype(np.int32)


def _complete(table: IntArray, outputs: IntArray, sink: IntArray) -> tuple[IntArray, IntArray]:
    """The table in which missing transitions lead to a sink."""
    missing = table < 0
    if not missing.any():
        return table, outputs
    states, symbols = table.shape
    completed = np.where(missing, np.int32(states), table)
    return np.vstack([completed, np.full((1, symbols), states, np.int32)]), np.concatenate([outputs, sink])


def _minimal(table: IntArray, outputs: IntArray, initial: int) -> tuple[IntArray, IntArray]:
    """The minimal table, its initial state first."""
    table, outputs = _reachable(table, outputs, initial)
    block_of = coarsest_partition(table, outputs)
    members = np.unique(block_of, return_index=True)[1]
    return _reachable(block_of[table[members]], outputs[members], int(block_of[0]))


def _reachable(table: IntArray, outputs: IntArray, initial: int) -> tuple[IntArray, IntArray]:
    """The part within reach of the initial state, in breadth-first order."""
    order = breadth_first(np.ascontiguousarray(table), initial)
    number = np.full(len(table), -1, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return number[table[order]], outputs[order]
