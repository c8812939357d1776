"""Languages whose members are built from free letters: reversals, copies, sorting, a^n b^n c^n; and a missing letter.

A member of length n is a function of m letters that are its first m symbols (m depends on n only), so that even
letters give uniform members, and a word is a member iff building it again from its first m symbols gives it back.
"""

import functools
from collections.abc import Callable, Sequence

import numpy as np

from seqbench.algebra.earley import Parser
from seqbench.algebra.grammar import parse
from seqbench.generation.streams import FIRST_WORD, SECOND_WORD, Words, below, draw64, lane
from seqbench.generation.tasks.flare import prefixes
from seqbench.generation.tasks.flare.language import Array, Base, Mask, by_length, evenly, log2_exact, split

Build = Callable[[Array, int], Array]


class Template(Base):
    """A language whose members are built from letters.

    Example:
        >>> language = template("marked_reversal")
        >>> language.contains(np.array([0, 1, 2, 1, 0, 0, 2], np.uint8), np.array([0, 5, 7])).tolist()
        [True, False]
    """

    member_law = "uniform among the members of the length: free letters, uniform and independent"

    def __init__(
        self,
        alphabet: str,
        num_letters: int,
        free: Callable[[int], int | None],
        build: Build,
        slowly: Callable[[str], bool],
    ) -> None:
        """The language of words build(letters, length).

        Args:
            alphabet: the symbols, letters first.
            num_letters: how many letters there are.
            free: the number of letters of a member of a length, None where there is no member.
            build: the members of a length from their letters, shape (rows, free) to (rows, length).
            slowly: another way to recognise members.
        """
        self.alphabet, self._num_letters = tuple(alphabet), num_letters
        self._free, self._build, self._slowly = free, build, slowly
        marks = len(alphabet) - num_letters
        self.shape = "a" * num_letters + "b" if marks == 1 and num_letters > 1 else ""

    def members(self, longest: int) -> Mask:
        """Where there are letters to build from."""
        return np.array([self._free(n) is not None for n in range(longest + 1)])

    def others(self, longest: int) -> Mask:
        """From length 1 on, but where every symbol is a free letter."""
        all_letters = self._num_letters == len(self.alphabet)
        return np.array([n > 0 and not (all_letters and self._free(n) == n) for n in range(longest + 1)])

    def log2_members(self, longest: int) -> Array:
        """By their letters."""
        free = [self._free(n) for n in range(longest + 1)]
        return np.array([-np.inf if count is None else count * np.log2(self._num_letters) for count in free])

    def propose(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> Mask:
        """Even letters, then the member they make."""
        counts = np.array([self._free(n) or 0 for n in range(int(lengths.max(initial=0)) + 1)])[lengths]
        begin = split(counts)
        letters = np.empty(begin[-1], dtype=np.uint8)
        if self._num_letters > 1:
            evenly(self._num_letters, counts, begin[:-1], lane(streams, FIRST_WORD), letters)
        for n, rows in by_length(lengths):
            chosen = letters[begin[rows][:, None] + np.arange(counts[rows[0]])]
            out[offsets[rows][:, None] + np.arange(n)] = self._build(chosen, n)
        return np.ones(len(lengths), dtype=bool)

    def contains(self, tokens: Array, offsets: Array) -> Mask:
        """Builds each word again from its letters."""
        inside = np.zeros(len(offsets) - 1, dtype=bool)
        for n, rows in by_length(np.diff(offsets)):
            count = self._free(n)
            if count is not None:
                words = tokens[offsets[rows][:, None] + np.arange(n)]
                letters = words[:, :count]
                good = (letters < self._num_letters).all(axis=1)
                inside[rows] = good & (self._build(letters, n) == words).all(axis=1)
        return inside

    def slowly(self, word: Sequence[str]) -> bool:
        """On text."""
        return self._slowly("".join(word))


def _marked(mark: int, image: Callable[[Array], Array]) -> Build:
    """w, a mark, and an image of w."""
    return lambda w, _: np.hstack([w, np.full((len(w), 1), mark, dtype=np.uint8), image(w)])


def _odd(n: int) -> int | None:
    return (n - 1) // 2 if n % 2 else None


def _even(n: int) -> int | None:
    return n // 2 if n % 2 == 0 else None


def _odds_first(w: Array) -> Array:
    return np.hstack([w[:, 0::2], w[:, 1::2]])


def _is_marked(mark: str, image: Callable[[str], str], letters: str) -> Callable[[str], bool]:
    def slowly(word: str) -> bool:
        left, found, right = word.partition(mark)
        return bool(found) and set(left) <= set(letters) and right == image(left)

    return slowly


def _blocks(count: int) -> Build:
    """Blocks of the symbols 0, 1, ... of equal lengths; no letter is free."""
    return lambda w, n: np.tile(np.repeat(np.arange(count, dtype=np.uint8), n // count), (len(w), 1))


def _is_blocks(letters: str) -> Callable[[str], bool]:
    def slowly(word: str) -> bool:
        return word == "".join(letter * (len(word) // len(letters)) for letter in letters)

    return slowly


TEMPLATES: dict[str, Callable[[], Template]] = {
    "marked_reversal": lambda: Template(
        "01#", 2, _odd, _marked(2, lambda w: w[:, ::-1]), _is_marked("#", lambda w: w[::-1], "01")
    ),
    "unmarked_reversal": lambda: Template(
        "01", 2, _even, lambda w, _: np.hstack([w, w[:, ::-1]]), lambda w: len(w) % 2 == 0 and w == w[::-1]
    ),
    "marked_copy": lambda: Template("01#", 2, _odd, _marked(2, lambda w: w), _is_marked("#", lambda w: w, "01")),
    "odds_first": lambda: Template(
        "01#", 2, _odd, _marked(2, _odds_first), _is_marked("#", lambda w: w[0::2] + w[1::2], "01")
    ),
    "bucket_sort": lambda: Template(
        "12345#",
        5,
        _odd,
        _marked(5, lambda w: np.sort(w, axis=1)),
        _is_marked("#", lambda w: "".join(sorted(w)), "12345"),
    ),
    "palindrome": lambda: Template(
        "01", 2, lambda n: -(-n // 2), lambda w, n: np.hstack([w, w[:, : n // 2][:, ::-1]]), lambda w: w == w[::-1]
    ),
    "copy": lambda: Template("01", 2, _even, lambda w, _: np.hstack([w, w]), lambda w: w[: len(w) // 2] * 2 == w),
    "anbn": lambda: Template("ab", 1, lambda n: None if n % 2 else 0, _blocks(2), _is_blocks("ab")),
    "anbncn": lambda: Template("abc", 1, lambda n: None if n % 3 else 0, _blocks(3), _is_blocks("abc")),
}
"""Every language of this sort by name."""
GRAMMARS = {
    "anbn": "S -> a S b |",
    "marked_reversal": "S -> 0 S 0 | 1 S 1 | #",
    "palindrome": "S -> 0 S 0 | 1 S 1 | 0 | 1 |",
    "unmarked_reversal": "S -> 0 S 0 | 1 S 1 |",
}
"""Grammars of those that are context-free, by name."""


def template(name: str) -> Template:
    """A language of this sort by name."""
    made = TEMPLATES[name]()
    if name == "marked_reversal":
        made.next_symbols = functools.partial(prefixes.by_kernel, prefixes.mirror_sets, 3)
    elif name in GRAMMARS:
        made.next_symbols = functools.partial(prefixes.by_parser, Parser(parse(GRAMMARS[name], made.alphabet)))
    return made


class MissingDuplicate(Base):
    """ww with one of its ones replaced by the symbol _.

    Members of length 2m are triples: a position of w, which holds a one; which of its two copies is missing; and the
    other m - 1 bits: drawn evenly, all members are alike.
    """

    alphabet: tuple[str, ...] = ("0", "1", "_")
    shape = "aab"
    member_law = "uniform among the members of the length: a position, a copy, and the other bits, all even"

    def members(self, longest: int) -> Mask:
        """Even lengths from 2 on."""
        lengths = np.arange(longest + 1)
        return np.asarray((lengths > 0) & (lengths % 2 == 0))

    def log2_members(self, longest: int) -> Array:
        """M 2^m of length 2m."""
        return log2_exact(n // 2 << n // 2 if n % 2 == 0 else 0 for n in range(longest + 1))

    def propose(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> Mask:
        """Fair bits, their copy, then the hole."""
        half = lengths // 2
        evenly(2, half, offsets, lane(streams, FIRST_WORD), out)
        draws = draw64(lane(streams, SECOND_WORD))
        place, copy = below(draws[0], half), (draws[1] >> np.uint64(63)).astype(np.int64)
        out[offsets + place] = 1
        starts = np.repeat(offsets - split(half)[:-1], half) + np.arange(half.sum())
        out[starts + np.repeat(half, half)] = out[starts]
        out[offsets + place + copy * half] = 2
        return np.ones(len(lengths), dtype=bool)

    def contains(self, tokens: Array, offsets: Array) -> Mask:
        """Exactly one hole, and both halves alike once it is filled."""
        inside = np.zeros(len(offsets) - 1, dtype=bool)
        for n, rows in by_length(np.diff(offsets)):
            if n and n % 2 == 0:
                words = tokens[offsets[rows][:, None] + np.arange(n)]
                filled = np.where(words == 2, 1, words)
                same = (filled[:, : n // 2] == filled[:, n // 2 :]).all(axis=1)
                inside[rows] = same & ((words == 2).sum(axis=1) == 1)
        return inside

    def slowly(self, word: Sequence[str]) -> bool:
        """On text."""
        text = "".join(word)
        filled = text.replace("_", "1")
        return text.count("_") == 1 and len(text) % 2 == 0 and filled[: len(text) // 2] * 2 == filled
