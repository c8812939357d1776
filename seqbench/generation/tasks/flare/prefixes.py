"""What may follow each prefix of a word: sets of next symbols in packed bits, and log-probabilities of the symbols.

Entry t of `next_symbols` (t = 0 to the length) is about the first t symbols: bit i is set iff some member, of whatever
length, goes on with symbol i; the bit after the last symbol's iff these t symbols are a member. Nothing follows a
prefix that no member has. Entry t of `log_probabilities` (t < length) is the natural logarithm of the probability of
symbol t given those before it, in a uniform member of the word's length: from exact path counts of the machine, in
floating point (error below 1e-9); minus infinity from the first symbol on that no such member has.
"""

from typing import Any

import numpy as np

from seqbench.algebra.earley import Parser
from seqbench.algebra.machine import Machine
from seqbench.generation.tasks.flare.language import Array
from seqbench.jit import kernel

BITS = 32  # of a set: a bit a symbol and one for the end


def machine_sets(machine: Machine) -> Array:
    """The packed set of every state of an acceptor, uint32.

    Example:
        >>> machine_sets(Machine.build("01", [[1, None], [None, 0]], [1, 0])).tolist()  # (01)*
        [5, 2, 0]
    """
    live = machine.outputs == 1
    while True:
        grown = live | live[machine.transitions].any(axis=1)
        if (grown == live).all():
            break
        live = grown
    bits = np.uint32(1) << np.arange(machine.num_symbols, dtype=np.uint32)
    sets = (live[machine.transitions] * bits).sum(axis=1) + (machine.outputs == 1) * (1 << machine.num_symbols)
    return np.asarray(sets, dtype=np.uint32)


def along(machine: Machine, tokens: Array, offsets: Array) -> Array:
    """The machine's sets along words, flat: length + 1 entries a word."""
    states = np.zeros(len(tokens) + len(offsets) - 1, dtype=np.int64)
    lengths = np.diff(offsets)
    states[np.arange(len(tokens)) + np.repeat(np.arange(1, len(offsets)), lengths)] = machine.trace(tokens, offsets)
    return machine_sets(machine)[states]


def log_probabilities(machine: Machine, tokens: Array, offsets: Array) -> Array:
    """The logarithms along words, flat: one entry a symbol."""
    lengths = np.diff(offsets)
    ways = np.full((int(lengths.max(initial=0)) + 1, machine.num_states), -np.inf)  # logarithms of counts
    ways[0, machine.outputs == 1] = 0
    for n in range(1, len(ways)):
        ways[n] = np.logaddexp.reduce(ways[n - 1][machine.transitions], axis=1)
    after = machine.trace(tokens, offsets)
    before = np.concatenate([[0], after[:-1]]) if len(after) else after
    before[offsets[:-1][lengths > 0]] = 0
    left = np.repeat(offsets[1:], lengths) - np.arange(len(tokens))
    numerator, denominator = ways[left - 1, after], ways[left, before]
    return np.where(np.isfinite(numerator), numerator - np.where(np.isfinite(denominator), denominator, 0), -np.inf)


def by_kernel(fill: Any, symbols: int, tokens: Array, offsets: Array) -> Array:
    """Sets along words by one of the kernels below."""
    sets = np.zeros(len(tokens) + len(offsets) - 1, dtype=np.uint32)
    fill(np.ascontiguousarray(tokens), offsets, symbols, sets)
    return sets


def by_parser(parser: Parser, tokens: Array, offsets: Array) -> Array:
    """Sets along words by a parser.

    Example:
        >>> from seqbench.algebra.grammar import parse
        >>> by_parser(Parser(parse("S -> a S b |")), np.array([0, 1], np.uint8), np.array([0, 2])).tolist()
        [5, 3, 4]
    """
    sets = parser.next_sets(tokens, offsets)
    return np.asarray((sets * (1 << np.arange(sets.shape[1]))).sum(axis=1), dtype=np.uint32)


@kernel
def bracket_sets(tokens: Array, offsets: Array, symbols: int, sets: Array) -> None:
    """Any opening bracket; the closing one of the last that is open; the end where none is."""
    stack = np.empty(len(tokens) + 1, dtype=np.int64)
    opening = 0
    for kind in range(0, symbols, 2):
        opening |= 1 << kind
    for i in range(len(offsets) - 1):
        height, place = 0, offsets[i] + i
        sets[place] = opening | (1 << symbols)
        for t in range(offsets[i], offsets[i + 1]):
            symbol = np.int64(tokens[t])
            if symbol % 2 == 0:
                stack[height] = symbol + 1
                height += 1
            elif height > 0 and stack[height - 1] == symbol:
                height -= 1
            else:
                break
            place += 1
            sets[place] = opening | (1 << (symbols if height == 0 else stack[height - 1]))


@kernel
def expression_sets(tokens: Array, offsets: Array, symbols: int, sets: Array) -> None:
    """An operand or ( where one is due; else an operator, ) inside brackets, the end outside."""
    for i in range(len(offsets) - 1):
        depth, place = 0, offsets[i] + i
        sets[place] = (1 << 0) | (1 << 3)
        for t in range(offsets[i], offsets[i + 1]):
            symbol = np.int64(tokens[t])
            if (np.int64(sets[place]) >> symbol) & 1 == 0:
                break
            depth += (symbol == 3) - (symbol == 4)
            place += 1
            if symbol in (1, 2, 3):
                sets[place] = (1 << 0) | (1 << 3)
            else:
                sets[place] = (1 << 1) | (1 << 2) | (1 << (4 if depth > 0 else symbols))


@kernel
def stack_sets(tokens: Array, offsets: Array, symbols: int, sets: Array) -> None:
    """Bits first, then actions, then the stack from its top."""
    stack = np.empty(len(tokens) + 1, dtype=np.int64)
    for i in range(len(offsets) - 1):
        height, phase, place = 0, 0, offsets[i] + i  # phase 0: the stack; 1: actions; 2: after PUSH; 3: after #
        sets[place] = 3 | (1 << 2) | (1 << 4)
        for t in range(offsets[i], offsets[i + 1]):
            symbol = np.int64(tokens[t])
            if (np.int64(sets[place]) >> symbol) & 1 == 0:
                break
            place += 1
            if symbol < 2 and phase != 3:
                stack[height] = symbol
                height += 1
                phase = 0 if phase == 0 else 1
            elif symbol == 3 or phase == 3:
                height -= 1
                phase = max(phase, 1)
            else:
                phase = 2 if symbol == 2 else 3
            if phase == 2:
                sets[place] = 3
            elif phase == 3:
                sets[place] = 1 << (stack[height - 1] if height > 0 else symbols)
            else:
                sets[place] = (3 if phase == 0 else 0) | (1 << 2) | (1 << 4) | ((1 << 3) if height > 0 else 0)


@kernel
def majority_sets(tokens: Array, offsets: Array, symbols: int, sets: Array) -> None:
    """Either bit; the end where ones prevail."""
    for i in range(len(offsets) - 1):
        place, balance = offsets[i] + i, 0
        sets[place] = 3
        for t in range(offsets[i], offsets[i + 1]):
            balance += 2 * int(tokens[t]) - 1
            place += 1
            sets[place] = 3 | ((1 << symbols) if balance > 0 else 0)


@kernel
def mirror_sets(tokens: Array, offsets: Array, symbols: int, sets: Array) -> None:
    """Bits or the mark; after the mark the bits before it, backwards."""
    for i in range(len(offsets) - 1):
        place, mark = offsets[i] + i, -1
        sets[place] = 7
        for t in range(offsets[i], offsets[i + 1]):
            symbol = np.int64(tokens[t])
            if (np.int64(sets[place]) >> symbol) & 1 == 0:
                break
            place += 1
            mark = t if symbol == 2 else mark
            if mark < 0:
                sets[place] = 7
            else:
                source = 2 * mark - t - 1
                sets[place] = 1 << (np.int64(tokens[source]) if source >= offsets[i] else symbols)
