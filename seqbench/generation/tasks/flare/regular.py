"""The regular ones of the eighteen: machines, drawn by exact counts of paths."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from seqbench.algebra.families import build
from seqbench.algebra.machine import Machine
from seqbench.generation.laws import LAWS, Law, NearMissLaw, balanced
from seqbench.generation.streams import Words
from seqbench.generation.tasks.flare import prefixes
from seqbench.generation.tasks.flare.language import Array, Base, Mask, log2_accepted

_ONE_EDIT = (
    "a member after one edit (a kind of edit, a member and an edit alike among those that lead outside; kinds "
    "substitution, swap, move)"
)


class Regular(Base):
    """A language given by an acceptor.

    Example:
        >>> regular("first").machine
        <Machine: 3 states, alphabet {'0', '1'}, labels ('reject', 'accept')>
    """

    member_law = "uniform among the members of the length"

    def __init__(
        self, machine: Machine, slowly: Callable[[Sequence[str]], bool], *, one_edit: bool, shape: str = ""
    ) -> None:
        """The language of a machine; `one_edit` where near misses are counted, not found by trying."""
        self.machine, self.slowly = machine, slowly
        self.alphabet = machine.alphabet
        self._member: Law = LAWS["member"](machine, None, machine.outputs)
        self._labels = balanced(machine, None, machine.outputs)
        self._near = NearMissLaw(machine, None) if one_edit else None
        self.own_near_misses = _ONE_EDIT if one_edit else ""
        self.shape = shape
        self.next_symbols = functools.partial(prefixes.along, machine)
        self.log_probabilities = functools.partial(prefixes.log_probabilities, machine)

    def members(self, longest: int) -> Mask:
        """By counting."""
        return np.asarray(self._member.admits(longest), dtype=bool)

    def others(self, longest: int) -> Mask:
        """By counting."""
        return np.asarray(self._labels.num_open(longest) - self.members(longest) > 0)

    def log2_members(self, longest: int) -> Array:
        """By counting."""
        return log2_accepted(self.machine, longest)

    def propose(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> Mask:
        """A uniform member."""
        self._member.fill(lengths, offsets, streams, out)
        return np.ones(len(lengths), dtype=bool)

    def near_miss(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> None:
        """One edit away from a member."""
        if self._near is not None:
            self._near.fill(lengths, offsets, streams, out)

    def contains(self, tokens: Array, offsets: Array) -> Mask:
        """Runs the machine."""
        return np.asarray(self.machine.outputs[self.machine.run(tokens, offsets)] == 1)


def _cycle_navigation() -> Machine:
    """{<, >, =}* and then the digit of the position on a cycle of five."""

    def step(state: int, symbol: int) -> int:
        if state > 4:
            return 6
        return (state + (-1, 1, 0)[symbol]) % 5 if symbol < 3 else 5 if symbol - 3 == state else 6

    return Machine.explore("<>=01234", 0, step, lambda state: int(state == 5))


def _modular_arithmetic() -> Machine:
    """Digit (operator digit)* = digit, from left to right modulo five."""

    def step(state: Any, symbol: int) -> Any:
        kind, value, operator = state
        if kind in ("start", "operator") and symbol < 5:
            done = symbol if kind == "start" else (value + symbol, value - symbol, value * symbol)[operator] % 5
            return "value", done, 0
        if kind == "value" and symbol > 4:
            return ("equals", value, 0) if symbol == 8 else ("operator", value, symbol - 5)
        return ("accept", 0, 0) if kind == "equals" and symbol == value else ("dead", 0, 0)

    start: Any = ("start", 0, 0)
    return Machine.explore("01234+-*=", start, step, lambda state: int(state[0] == "accept"))


def _calculate(word: Sequence[str]) -> bool:
    if len(word) < 3 or word[-2] != "=" or word[-1] not in "01234":
        return False
    digits, operators = word[:-2:2], word[1:-2:2]
    if len(word) % 2 == 0 or not set(digits) <= set("01234") or not set(operators) <= set("+-*"):
        return False
    total = int(digits[0])
    for operator, digit in zip(operators, digits[1:], strict=True):
        total = {"+": total + int(digit), "-": total - int(digit), "*": total * int(digit)}[operator]
    return total % 5 == int(word[-1])


def _navigate(word: Sequence[str]) -> bool:
    *moves, last = word or ["<"]
    return set(moves) <= set("<>=") and last == str((moves.count(">") - moves.count("<")) % 5)


def _nest(word: Sequence[str]) -> bool:
    """Takes the innermost pairs away, over and over; a pair of height 3 is the highest that may go."""
    height, heights = 0, []
    for symbol in word:
        height += 1 if symbol in "([" else -1
        heights.append(height)
    text, before = "".join(word), ""
    while text != before:
        before, text = text, text.replace("()", "").replace("[]", "")
    return not text and max(heights, default=0) <= 3


MACHINES: dict[str, tuple[Callable[[], Machine], Callable[[Sequence[str]], bool], bool]] = {
    "even_pairs": (
        lambda: Machine.explore("01", "", lambda s, a: s[:1] + "01"[a], lambda s: int(s not in ("01", "10"))),
        lambda word: not word or word[0] == word[-1],
        True,
    ),
    "repeat_01": (
        lambda: Machine.build("01", [[1, None], [None, 0]], [1, 0]),
        lambda word: "".join(word) == "01" * (len(word) // 2) and len(word) % 2 == 0,
        True,
    ),
    "parity": (lambda: build("modular_sum", {"modulus": 2, "weights": [0, 1]}), lambda w: w.count("1") % 2 == 1, True),
    "cycle_navigation": (_cycle_navigation, _navigate, False),
    "modular_arithmetic_simple": (_modular_arithmetic, _calculate, False),
    "dyck_2_3": (lambda: build("dyck", {"depth": 3, "kinds": 2}), _nest, False),
    "first": (
        lambda: Machine.build("01", [[None, 1], [1, 1]], [0, 1]),
        lambda word: "".join(word).startswith("1"),
        True,
    ),
}
"""Machine, plain-Python recogniser, and whether near misses are counted, by name."""
SHAPES = {"cycle_navigation": "aaabbbbb", "modular_arithmetic_simple": "aaaaabbbc", "dyck_2_3": "abab"}
"""Symbols that may stand for each other (see language.Language), by name."""


def regular(name: str) -> Regular:
    """A regular language of the eighteen by name."""
    machine, slowly, one_edit = MACHINES[name]
    return Regular(machine(), slowly, one_edit=one_edit, shape=SHAPES.get(name, ""))
