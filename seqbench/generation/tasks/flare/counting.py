"""Majority, unbounded brackets, expressions and stacks: recognised by a counter or a stack, drawn by counts."""

import functools
from collections.abc import Callable, Sequence

import numpy as np

from seqbench.algebra.earley import Parser
from seqbench.algebra.grammar import Grammar, parse
from seqbench.generation.derivations import Derivations
from seqbench.generation.streams import FIRST_WORD, Words, draw32, lane
from seqbench.generation.tasks.flare import prefixes
from seqbench.generation.tasks.flare.language import Array, Base, Mask, PrefixColumn, bounded, evenly
from seqbench.jit import kernel

BRACKETS = "()[]{}<>aAbBcCdD"
"""Eight kinds of brackets: opening, closing, ..."""


class Majority(Base):
    """More ones than zeros.

    Members: fair words with the symbols exchanged where zeros prevail, drawn again at a tie (at most half of all
    words), which leaves every member alike. Near misses: a uniform member and a one of it made zero, given that
    this leads outside; every word of exactly floor(n / 2) ones arises in equally many ways, so they are uniform among
    those.
    """

    alphabet: tuple[str, ...] = ("0", "1")
    member_law = "uniform among the members of the length"
    next_symbols: PrefixColumn | None = functools.partial(prefixes.by_kernel, prefixes.majority_sets, 2)
    own_near_misses = "a member one of whose ones became zero, all alike: uniform words with floor(length / 2) ones"

    def members(self, longest: int) -> Mask:
        """Every length but 0."""
        return np.arange(longest + 1) > 0

    def log2_members(self, longest: int) -> Array:
        """Over a quarter of all words."""
        return np.where(self.members(longest), np.arange(longest + 1) - 2.0, -np.inf)

    def propose(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> Mask:
        """A fair word or its complement."""
        evenly(2, lengths, offsets, lane(streams, FIRST_WORD), out)
        done = np.empty(len(lengths), dtype=bool)
        _prevail(lengths, offsets, out, done)
        return done

    def near_miss(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> None:
        """A uniform word of floor(n / 2) ones."""
        _choose_ones(lengths, offsets, lane(streams, FIRST_WORD), out)

    def contains(self, tokens: Array, offsets: Array) -> Mask:
        """Counts."""
        sums = np.concatenate([[0], np.cumsum(tokens, dtype=np.int64)])
        return np.asarray(2 * (sums[offsets[1:]] - sums[offsets[:-1]]) > np.diff(offsets))

    def slowly(self, word: Sequence[str]) -> bool:
        """Counts both."""
        return list(word).count("1") > list(word).count("0")


@kernel
def _prevail(lengths: Array, offsets: Array, out: Array, done: Mask) -> None:
    for i in range(len(lengths)):
        first, last = offsets[i], offsets[i] + lengths[i]
        ones = 0
        for place in range(first, last):
            ones += out[place]
        done[i] = 2 * ones != lengths[i]
        if 2 * ones < lengths[i]:
            for place in range(first, last):
                out[place] ^= 1


@kernel
def _choose_ones(lengths: Array, offsets: Array, streams: Words, out: Array) -> None:
    """Selection sampling (Knuth, The Art of Computer Programming 2, section 3.4.2, algorithm S)."""
    for i in range(len(lengths)):
        left = lengths[i] // 2
        for place in range(lengths[i]):
            a, b, _, _ = draw32(streams, i, place)
            one = bounded(a, b, np.uint64(lengths[i] - place)) < left
            out[offsets[i] + place] = one
            left -= one


class ContextFree(Base):
    """An unambiguous grammar for members, a kernel that recognises them in one pass, and another recogniser.

    Example:
        >>> brackets(2).contains(np.array([0, 2, 3, 1, 0, 3], np.uint8), np.array([0, 4, 6])).tolist()
        [True, False]
    """

    member_law = "uniform among the members of the length, by counts of derivations of an unambiguous grammar"

    def __init__(
        self,
        grammar: Grammar,
        recognise: Callable[[Array, Array, Array], None],
        slowly: Callable[[Sequence[str]], bool],
        next_symbols: PrefixColumn | None,
        shape: str = "",
    ) -> None:
        """The language of a grammar; `recognise` writes 1 or 0 a word."""
        self.next_symbols = next_symbols
        self.grammar, self.alphabet, self.shape = grammar, grammar.terminals, shape
        self._derivations, self._recognise, self.slowly = Derivations(grammar), recognise, slowly

    def members(self, longest: int) -> Mask:
        """By counting."""
        return self._derivations.admits(longest)

    def log2_members(self, longest: int) -> Array:
        """By counting."""
        return self._derivations.log2_counts(longest)

    def propose(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> Mask:
        """A uniform derivation."""
        self._derivations.fill(lengths, offsets, lane(streams, FIRST_WORD), out)
        return np.ones(len(lengths), dtype=bool)

    def contains(self, tokens: Array, offsets: Array) -> Mask:
        """One pass over the symbols."""
        inside = np.empty(len(offsets) - 1, dtype=np.uint8)
        self._recognise(np.ascontiguousarray(tokens), offsets, inside)
        return np.asarray(inside == 1)


@functools.lru_cache(maxsize=16)  # tables of counts are dear, and shared by all plans
def brackets(kinds: int) -> ContextFree:
    """Well nested brackets of some kinds, however deep; symbol 2 i opens kind i, 2 i + 1 closes it."""
    alphabet = BRACKETS[: 2 * kinds]
    pairs = [alphabet[i : i + 2] for i in range(0, 2 * kinds, 2)]
    block = " | ".join(f"{pair[0]} Word {pair[1]}" for pair in pairs)  # apart from what follows: one table of splits

    def slowly(word: Sequence[str]) -> bool:
        text, before = "".join(word), None
        while text != before:
            before = text
            for pair in pairs:
                text = text.replace(pair, "")
        return not text

    return ContextFree(
        parse(f"Word -> Block Word |\nBlock -> {block}", tuple(alphabet)),
        _nested,
        slowly,
        functools.partial(prefixes.by_kernel, prefixes.bracket_sets, 2 * kinds),
        "ab" * kinds,
    )


@kernel
def _nested(tokens: Array, offsets: Array, inside: Array) -> None:
    stack = np.empty(len(tokens) + 1, dtype=np.uint8)
    for i in range(len(inside)):
        height, good = 0, True
        for place in range(offsets[i], offsets[i + 1]):
            symbol = tokens[place]
            if symbol % 2 == 0:
                stack[height] = symbol + 1
                height += 1
            elif height > 0 and stack[height - 1] == symbol:
                height -= 1
            else:
                good = False
                break
        inside[i] = good and height == 0


@functools.lru_cache(maxsize=16)
def expressions() -> ContextFree:
    """Sums and products of a with round brackets, as one writes them: the usual unambiguous grammar."""
    grammar = parse("E -> E + T | T\nT -> T * F | F\nF -> ( E ) | a", ("a", "+", "*", "(", ")"))
    sets = functools.partial(prefixes.by_kernel, prefixes.expression_sets, 5)
    return ContextFree(grammar, _expression, grammar.contains, sets)


@kernel
def _expression(tokens: Array, offsets: Array, inside: Array) -> None:
    for i in range(len(inside)):
        depth, operand, good = 0, True, True  # operand: whether one is expected
        for place in range(offsets[i], offsets[i + 1]):
            symbol = tokens[place]
            fits = operand == (symbol in (0, 3))
            depth += (symbol == 3) - (symbol == 4)
            operand = symbol in (1, 2, 3)
            if not fits or depth < 0:
                good = False
                break
        inside[i] = good and depth == 0 and not operand


@functools.lru_cache(maxsize=16)
def stack_manipulation() -> ContextFree:
    """A stack from bottom to top, actions PUSH b or POP, #, the stack from top to bottom; POP needs something to take.

    The grammar pairs what goes in with what takes it out: a bit with POP (Q, and G for pushed ones) or with its copy
    after # (S before the actions, R among them).
    """
    grammar = parse(
        """
        S -> 0 S 0 | 1 S 1 | P R
        P -> Q D | D
        Q -> 0 P POP | 1 P POP
        D -> G D |
        G -> PUSH 0 D POP | PUSH 1 D POP
        R -> PUSH 0 W 0 | PUSH 1 W 1 | #
        W -> D R
        """,
        ("0", "1", "PUSH", "POP", "#"),
    )
    sets = functools.partial(prefixes.by_kernel, prefixes.stack_sets, 5)
    made = ContextFree(grammar, _manipulated, _manipulate, sets, "aabcd")
    made.spoil, made.spoiled = _flip_seen, "a bit that the stack holds at the end, where it went in or after #, flipped"
    return made


@functools.lru_cache(maxsize=16)
def of_grammar(grammar: Grammar) -> ContextFree:
    """The language of any unambiguous grammar, recognised by a parser that knows no more than the grammar.

    Example:
        >>> of_grammar(parse("S -> a S b |")).contains(np.array([0, 1, 1], np.uint8), np.array([0, 2, 3])).tolist()
        [True, False]
    """
    parser = Parser(grammar)

    def recognise(tokens: Array, offsets: Array, inside: Array) -> None:
        inside[:] = parser.contains(tokens, offsets)

    sets = functools.partial(prefixes.by_parser, parser) if len(grammar.terminals) < prefixes.BITS else None
    return ContextFree(grammar, recognise, grammar.contains, sets)


def _manipulate(word: Sequence[str]) -> bool:
    left, _, right = " ".join(word).partition("#")
    if list(word).count("#") != 1:
        return False
    stack, symbols = [], iter(left.split())
    started = False
    for symbol in symbols:
        if symbol == "PUSH":
            started, symbol = True, next(symbols, "")  # noqa: PLW2901 -- the symbol after it
            if symbol not in {"0", "1"}:
                return False
            stack.append(symbol)
        elif symbol == "POP":
            started = True
            if not stack:
                return False
            stack.pop()
        elif started:
            return False
        else:
            stack.append(symbol)
    return right.split() == stack[::-1]


@kernel
def _flip_seen(offsets: Array, streams: Words, tokens: Array, done: Mask) -> None:
    """Flips a uniform one of the bits left on the stack and their copies: most others were popped unseen."""
    stack = np.empty(len(tokens) + 1, dtype=np.int64)
    for i in range(len(done)):
        height, place = 0, offsets[i]
        while tokens[place] != 4:
            if tokens[place] < 2:
                stack[height] = place
                height += 1
            elif tokens[place] == 3:
                height -= 1
            place += 1
        done[i] = height > 0
        if done[i]:
            a, b, _, _ = draw32(streams, i, 0)
            chosen = bounded(a, b, np.uint64(2 * height))
            tokens[stack[chosen] if chosen < height else place + 1 + chosen - height] ^= 1


@kernel
def _manipulated(tokens: Array, offsets: Array, inside: Array) -> None:
    stack = np.empty(len(tokens) + 1, dtype=np.uint8)
    for i in range(len(inside)):
        height, phase, good = 0, 0, True  # phase 0: the stack; 1: actions; 2: after PUSH; 3: after #
        for place in range(offsets[i], offsets[i + 1]):
            symbol = tokens[place]
            if symbol < 2:
                if phase in (0, 2):
                    stack[height] = symbol
                    height += 1
                    phase = 0 if phase == 0 else 1
                elif phase == 3 and height > 0 and stack[height - 1] == symbol:
                    height -= 1
                else:
                    good = False
            elif phase >= 2:
                good = False
            elif symbol == 2:
                phase = 2
            elif symbol == 3:
                good = height > 0
                height -= 1
                phase = 1
            else:
                phase = 3
            if not good:
                break
        inside[i] = good and phase == 3 and height == 0
