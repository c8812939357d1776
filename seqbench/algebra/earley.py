"""Earley's parser on whole batches: what may follow each prefix of a word, and which words belong to the language.

Sets of origins are bits: item `A -> u . v` at place t holds bit i if u derives the symbols from i to t and the start
symbol can lead to A at i. Useless symbols are gone from a Grammar, so an item at t means that some member goes on.

Sources: Earley, "An efficient context-free parsing algorithm", CACM 13(2), 1970; for nonterminals that derive the empty
word: Aycock, Horspool, "Practical Earley parsing", The Computer Journal 45(6), 2002.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.grammar import Grammar
from seqbench.errors import TooLargeError
from seqbench.jit import kernel

Array = npt.NDArray[Any]
Tables = tuple[Array, Array, Array, Array, Array]

MAX_BYTES = 1 << 30
_ONE = np.uint64(1)


class Parser:
    """A grammar as tables of dotted rules.

    Example:
        >>> from seqbench.algebra.grammar import parse
        >>> parser = Parser(parse("S -> ( S ) S |"))
        >>> parser.contains(np.array([0, 0, 1, 1, 1, 0], np.uint8), np.array([0, 4, 6])).tolist()
        [True, False]
    """

    def __init__(self, grammar: Grammar) -> None:
        """The parser of a grammar."""
        terminals, names = len(grammar.terminals), grammar.nonterminals
        number = {symbol: i for i, symbol in enumerate((*grammar.terminals, *names))}
        after: list[int] = []
        owner: list[int] = []
        first: list[tuple[int, int]] = []
        for left, right in grammar.rules:
            first.append((number[left] - terminals, len(after)))
            after += [*(number[symbol] for symbol in right), -1]
            owner += [number[left] - terminals] * (len(right) + 1)
        begins = np.zeros((len(names), len(after)), dtype=np.bool_)
        for left_id, item in first:
            begins[left_id, item] = True
        nullable = np.array([name in grammar.nullable for name in names])
        start = np.array([number[grammar.start] - terminals, terminals])
        self._tables: Tables = (np.array(after), np.array(owner), begins, nullable, start)

    def next_sets(self, tokens: Array, offsets: Array) -> npt.NDArray[np.bool_]:
        """What may follow: row offsets[i] + i + t for the first t symbols of word i, a column a terminal, then the end.

        Raises:
            TooLargeError: a word whose table would pass 1 GiB.
        """
        longest = int(np.diff(offsets).max(initial=0))
        size = 8 * (longest + 1) * len(self._tables[0]) * (longest // 64 + 1)
        if size > MAX_BYTES:
            raise TooLargeError(f"Parsing a word of {longest:,} symbols would take over 1 GiB. Ask for shorter words.")
        sets = np.zeros((len(tokens) + len(offsets) - 1, self._tables[4][1] + 1), dtype=np.bool_)
        _parse(np.ascontiguousarray(tokens), offsets.astype(np.int64), longest, self._tables, sets)
        return sets

    def contains(self, tokens: Array, offsets: Array) -> npt.NDArray[np.bool_]:
        """Whether each word belongs to the language."""
        ends = offsets[1:] + np.arange(len(offsets) - 1)
        return np.asarray(self.next_sets(tokens, offsets)[ends, -1])


@kernel
def _parse(tokens: Array, offsets: Array, longest: int, tables: Tables, sets: Array) -> None:
    """Word by word, from left to right, until nothing can follow."""
    after, owner, _, nullable, start = tables
    chart = np.zeros((longest + 1, len(after), longest // 64 + 1), dtype=np.uint64)
    done = np.zeros((len(nullable), longest // 64 + 1), dtype=np.uint64)
    for i in range(len(offsets) - 1):
        n, place = offsets[i + 1] - offsets[i], offsets[i] + i
        chart[0] = np.uint64(0)
        _predict(start[0], 0, tables, chart)
        for t in range(n + 1):
            _close(t, tables, chart, done)
            for item in range(len(after)):
                symbol = after[item]
                if symbol < 0 and owner[item] == start[0] and chart[t, item, 0] & _ONE:
                    sets[place + t, start[1]] = True
                elif 0 <= symbol < start[1] and _holds(chart[t, item], t):
                    sets[place + t, symbol] = True
            if t == n or not sets[place + t, tokens[offsets[i] + t]]:
                break
            chart[t + 1] = np.uint64(0)
            for item in range(len(after)):
                if after[item] == tokens[offsets[i] + t]:
                    chart[t + 1, item + 1] = chart[t, item]


@kernel
def _holds(origins: Array, t: int) -> bool:
    for word in range(t // 64 + 1):  # noqa: SIM110  # compiled: no generators there
        if origins[word] != np.uint64(0):
            return True
    return False


@kernel
def _predict(symbol: int, t: int, tables: Tables, chart: Array) -> None:
    """The rules of a nonterminal begin at t."""
    for item in range(len(tables[0])):
        if tables[2][symbol, item]:
            chart[t, item, t // 64] |= _ONE << np.uint64(t % 64)


@kernel
def _close(t: int, tables: Tables, chart: Array, done: Array) -> None:
    """All items at t: predictions, and completions, each origin of a nonterminal once."""
    after, owner, _, nullable, start = tables
    words = t // 64 + 1
    done[:] = np.uint64(0)
    predicted = np.zeros(len(nullable), dtype=np.bool_)
    grown = True
    while grown:
        grown = False
        for item in range(len(after)):
            symbol = after[item] - start[1]
            if after[item] < 0:
                grown |= _complete(owner[item], item, t, tables, chart, done)
            elif symbol >= 0 and _holds(chart[t, item], t):
                if not predicted[symbol]:
                    predicted[symbol] = grown = True
                    _predict(symbol, t, tables, chart)
                if nullable[symbol]:
                    for word in range(words):
                        joined = chart[t, item + 1, word] | chart[t, item, word]
                        grown |= joined != chart[t, item + 1, word]
                        chart[t, item + 1, word] = joined


@kernel
def _complete(symbol: int, item: int, t: int, tables: Tables, chart: Array, done: Array) -> bool:
    """Items that waited for a nonterminal at the origins of a finished one go on; whether there was a new origin."""
    after, found = tables[0], False
    waited = symbol + tables[4][1]
    for word in range(t // 64 + 1):
        new = chart[t, item, word] & ~done[symbol, word]
        if word == t // 64:
            new &= ~(_ONE << np.uint64(t % 64))  # of no symbol: the nullable ones have gone on already
        done[symbol, word] |= new
        origin = 64 * word
        while new:
            if new & _ONE:
                found = True
                for other in range(len(after)):
                    if after[other] == waited:
                        for part in range(origin // 64 + 1):
                            chart[t, other + 1, part] |= chart[origin, other, part]
            new >>= _ONE
            origin += 1
    return found
