"""Context-free grammars: parsed, checked, reduced; exact counts of derivations by length; membership; ambiguity.

A grammar is written one nonterminal a line: a name, `->`, and alternatives between bars, symbols between spaces; an
empty alternative is the empty word. Names on the left are nonterminals, all others terminals; the first is the start.
"""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from seqbench.errors import DefinitionError, InputError, TooLargeError, nearest, quoted

Rule = tuple[str, tuple[str, ...]]

MAX_WORDS = 1_000_000  # words listed by the ambiguity check


@dataclass(frozen=True)
class Grammar:
    """A context-free grammar without useless symbols.

    Attributes:
        start: the start symbol.
        rules: nonterminal and right side of each rule, in the order given.
        terminals: the alphabet, in the order of its ids.

    Example:
        >>> dyck = parse("S -> ( S ) S |")
        >>> dyck.terminals, dyck.counts(6)
        (('(', ')'), [1, 0, 1, 0, 2, 0, 5])
    """

    start: str
    rules: tuple[Rule, ...]
    terminals: tuple[str, ...]

    @functools.cached_property
    def nonterminals(self) -> tuple[str, ...]:
        """The nonterminals, in the order of their first rule."""
        return tuple(dict.fromkeys(left for left, _ in self.rules))

    @functools.cached_property
    def nullable(self) -> frozenset[str]:
        """The nonterminals that derive the empty word."""
        form = self.binary
        empty = _nullable(form)
        return frozenset(name for i, name in enumerate(self.nonterminals, form.terminals) if i in empty)

    @functools.cached_property
    def binary(self) -> "Binary":
        """The grammar with right sides of at most two symbols, as numbers."""
        return _binary(self)

    def counts(self, longest: int) -> list[int]:
        """How many derivations (leftmost, that is trees) have words of each length 0 to `longest`, exactly.

        For an unambiguous grammar this is the number of words. Source: Hickey and Cohen, "Uniform random generation
        of strings in a context-free language", SIAM J. Comput. 12(4), 1983.

        Raises:
            DefinitionError: a nonterminal derives itself, so that a word has infinitely many derivations.

        Example:
            >>> parse("E -> E + E | a").counts(7)
            [0, 1, 0, 1, 0, 2, 0, 5]
        """
        form = self.binary
        table = [[int(symbol < form.terminals and n == 1) for n in range(longest + 1)] for symbol in range(form.size)]
        for n in range(longest + 1):
            for left in form.order():
                table[left][n] = sum(_trees(table, right, n) for right in form.rules[left])
        return table[form.start]

    def words(self, length: int) -> set[tuple[str, ...]]:
        """All words of a length, listed.

        Raises:
            TooLargeError: the lists would pass a million words.

        Example:
            >>> sorted("".join(word) for word in parse("S -> ( S ) S |").words(4))
            ['(())', '()()']
        """
        return {tuple(self.terminals[symbol] for symbol in word) for word in self._lists(length)[length]}

    def _lists(self, length: int) -> list[set[tuple[int, ...]]]:
        """All words of each length up to one, as ids."""
        form = self.binary
        lists: list[list[set[tuple[int, ...]]]] = [[set() for _ in range(length + 1)] for _ in range(form.size)]
        if length:
            for terminal in range(form.terminals):
                lists[terminal][1].add((terminal,))
        for n in range(length + 1):
            for left in form.order():
                lists[left][n] = {word for right in form.rules[left] for word in _spelled(lists, right, n)}
                if len(lists[left][n]) > MAX_WORDS:
                    raise TooLargeError(f"There are over {MAX_WORDS:,} words of length {n}. List shorter ones.")
        return lists[form.start]

    def ambiguous_at(self, longest: int) -> int | None:
        """The shortest length up to `longest` with a word of two derivations; None where there is none.

        Whether a grammar is ambiguous at any length is undecidable; up to a length it is a matter of counting.

        Example:
            >>> parse("E -> E + E | a").ambiguous_at(8), parse("S -> ( S ) S |").ambiguous_at(12)
            (5, None)
        """
        counts, lists = self.counts(longest), self._lists(longest)
        return next((n for n in range(longest + 1) if counts[n] != len(lists[n])), None)

    def check_unambiguous(self, longest: int) -> None:
        """Nothing, if no word up to a length has two derivations.

        Raises:
            DefinitionError: naming the shortest length at which one has.
        """
        length = self.ambiguous_at(longest)
        if length is not None:
            raise DefinitionError(
                f"The grammar is ambiguous: at length {length} there are {self.counts(length)[length]} derivations of "
                f"{len(self.words(length))} words. Rewrite the rules so that each word has one derivation."
            )

    def contains(self, word: Sequence[str]) -> bool:
        """Whether the word belongs to the language; works for ambiguous grammars too.

        From right to left: for each nonterminal the set of positions where a word of it that begins here can end, as
        the bits of a number (a tabular parser in the manner of Cocke, Kasami and Younger).

        Raises:
            InputError: a symbol that is no terminal.

        Example:
            >>> dyck = parse("S -> ( S ) S |")
            >>> dyck.contains("(())()"), dyck.contains("())(")
            (True, False)
        """
        ids = self.encode(word)
        form, n = self.binary, len(ids)
        ends = [[0] * (n + 1) for _ in range(form.size)]
        for place in range(n, -1, -1):
            if place < n:
                ends[ids[place]][place] = 1 << (place + 1)
            _complete(form, ends, place)
        return bool(ends[form.start][0] >> n & 1)

    def encode(self, word: Iterable[str]) -> list[int]:
        """The terminals' ids.

        Raises:
            InputError: a symbol that is no terminal.
        """
        ids = {symbol: number for number, symbol in enumerate(self.terminals)}
        word = list(word)
        for symbol in word:
            if symbol not in ids:
                raise InputError(f"{symbol!r} is no terminal of the grammar. Use {', '.join(map(repr, ids))}.")
        return [ids[symbol] for symbol in word]


@dataclass(frozen=True)
class Binary:
    """A grammar in numbers: symbols below `terminals` are terminals; right sides have at most two symbols.

    Attributes:
        terminals: how many terminals there are.
        start: number of the start symbol.
        rules: right sides of every symbol; none of a terminal.
    """

    terminals: int
    start: int
    rules: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def size(self) -> int:
        """Number of symbols."""
        return len(self.rules)

    def order(self) -> tuple[int, ...]:
        """The nonterminals, each after those that can stand in its place with nothing beside them.

        Raises:
            DefinitionError: a nonterminal derives itself.
        """
        return _order(self)


@functools.lru_cache(maxsize=64)
def _order(form: Binary) -> tuple[int, ...]:
    empty = _nullable(form)
    needs: dict[int, set[int]] = {}
    for left in range(form.terminals, form.size):
        needs[left] = set()
        for right in form.rules[left]:
            for place, symbol in enumerate(right):
                others = right[:place] + right[place + 1 :]
                if symbol >= form.terminals and all(other in empty for other in others):
                    needs[left].add(symbol)
    try:
        return tuple(TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise DefinitionError(
            "A nonterminal of the grammar derives itself alone, so that words have infinitely many derivations. "
            "Remove the rules that lead from it back to it without adding a symbol."
        ) from error


def _nullable(form: Binary) -> set[int]:
    """The symbols that derive the empty word."""
    found: set[int] = set()
    while True:
        grown = {
            left
            for left in range(form.terminals, form.size)
            if any(all(symbol in found for symbol in right) for right in form.rules[left])
        }
        if grown == found:
            return found
        found = grown


def parse(text: str, terminals: Sequence[str] | None = None) -> Grammar:
    r"""The grammar of a text, useless symbols removed.

    Args:
        text: one nonterminal a line with its alternatives.
        terminals: the alphabet in order; by default in order of first use.

    Raises:
        DefinitionError: a line that is no rule, a terminal that the alphabet lacks, or an empty language.

    Example:
        >>> parse("S -> a S b | T\nT -> c\nU -> S S").rules
        (('S', ('a', 'S', 'b')), ('S', ('T',)), ('T', ('c',)))
    """
    rules: list[Rule] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        left, arrow, right = line.partition("->")
        if not arrow or len(left.split()) != 1:
            raise DefinitionError(f"{quoted(line)} is no rule. Write a name, '->', and alternatives: 'S -> ( S ) S |'.")
        rules += [(left.strip(), tuple(part.split())) for part in right.split("|")]
    if not rules:
        raise DefinitionError("The grammar has no rule. Write a name, '->', and alternatives: 'S -> ( S ) S |'.")
    return _checked(rules[0][0], tuple(dict.fromkeys(rules)), terminals)


def _checked(start: str, rules: tuple[Rule, ...], terminals: Sequence[str] | None) -> Grammar:
    names = {left for left, _ in rules}
    for symbol in names.intersection(terminals or ()):
        raise DefinitionError(f"{symbol!r} is in the alphabet and has rules of its own. Rename the nonterminal.")
    used = tuple(dict.fromkeys(symbol for _, right in rules for symbol in right if symbol not in names))
    for symbol in used:
        if terminals is not None and symbol not in terminals:
            close = nearest(symbol, (*names, *terminals))
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise DefinitionError(
                f"{symbol!r} is neither a nonterminal nor in the alphabet {tuple(terminals)}.{hint} "
                "Give it a rule, or add it to the alphabet."
            )
    return Grammar(start, reduce(start, rules), used if terminals is None else tuple(terminals))


def reduce(start: str, rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules that some derivation of a word uses.

    Raises:
        DefinitionError: no word is derived at all.

    Example:
        >>> reduce("S", [("S", ("a",)), ("S", ("T", "a")), ("T", ("T",)), ("U", ("a",))])
        (('S', ('a',)),)
    """
    rules = tuple(rules)
    names = {left for left, _ in rules}
    productive: set[str] = set()
    while True:
        grown = {left for left, right in rules if all(s in productive or s not in names for s in right)}
        if grown == productive:
            break
        productive = grown
    if start not in productive:
        raise DefinitionError(f"The grammar derives no word from {start!r}. Give some rule that ends in terminals.")
    kept = [rule for rule in rules if all(s in productive or s not in names for s in (rule[0], *rule[1]))]
    reached, frontier = {start}, [start]
    while frontier:
        left = frontier.pop()
        new = {s for name, right in kept if name == left for s in right if s in names} - reached
        reached |= new
        frontier += sorted(new)
    return tuple(rule for rule in kept if rule[0] in reached)


def _binary(grammar: Grammar) -> Binary:
    number = {symbol: i for i, symbol in enumerate((*grammar.terminals, *grammar.nonterminals))}
    rules: list[list[tuple[int, ...]]] = [[] for _ in number]
    tails: dict[tuple[int, ...], int] = {}

    def tail(rest: tuple[int, ...]) -> int:
        """The symbol that stands for the rest of a right side; equal rests share it."""
        if len(rest) == 1:
            return rest[0]
        if rest not in tails:
            tails[rest] = len(rules)
            rules.append([])
            rules[tails[rest]].append((rest[0], tail(rest[1:])))
        return tails[rest]

    for left, right in grammar.rules:
        ids = tuple(number[symbol] for symbol in right)
        rules[number[left]].append(ids if len(ids) < 2 else (ids[0], tail(ids[1:])))
    return Binary(len(grammar.terminals), number[grammar.start], tuple(map(tuple, rules)))


def _trees(table: list[list[int]], right: tuple[int, ...], n: int) -> int:
    """How many ways a right side derives words of length n."""
    if len(right) < 2:
        return table[right[0]][n] if right else int(n == 0)
    first, second = table[right[0]], table[right[1]]
    return sum(first[k] * second[n - k] for k in range(n + 1) if first[k])


def _spelled(lists: list[list[set[tuple[int, ...]]]], right: tuple[int, ...], n: int) -> Iterable[tuple[int, ...]]:
    """The words of length n of a right side."""
    if len(right) < 2:
        return lists[right[0]][n] if right else {()} if n == 0 else set()
    first, second = lists[right[0]], lists[right[1]]
    return (a + b for k in range(n + 1) for a in first[k] for b in second[n - k])


def _complete(form: Binary, ends: list[list[int]], place: int) -> None:
    """Adds to the ends of every nonterminal at a place until none grows."""
    grown = True
    while grown:
        grown = False
        for left in range(form.terminals, form.size):
            found = ends[left][place]
            for right in form.rules[left]:
                found |= _ends(ends, right, place)
            grown |= found != ends[left][place]
            ends[left][place] = found


def _ends(ends: list[list[int]], right: tuple[int, ...], place: int) -> int:
    if len(right) < 2:
        return ends[right[0]][place] if right else 1 << place
    middle, found = ends[right[0]][place], 0
    while middle:
        lowest = middle & -middle
        found |= ends[right[1]][lowest.bit_length() - 1]
        middle ^= lowest
    return found
