"""Exact uniform words of a context-free grammar by length: choices by counts of derivations, then expansion in bulk.

A nonterminal that has to spell n symbols takes an alternative in proportion to its number of derivations of length n,
and two neighbours share n out in proportion to the product of theirs (Hickey and Cohen, "Uniform random generation of
strings in a context-free language", SIAM J. Comput. 12(4), 1983). Every derivation of the length is alike; so is
every word, where the grammar is unambiguous. Counts keep 128 bits (see scaled), thresholds 64: a choice among m is off
(in total variation) by at most m 2^-65, a word by the sum over its choices. For n symbols of a Dyck word that sum is
about n^1.5 2^-65 on average, 2^-51 at n = 500; for grammars whose only choices are between alternatives (palindromes)
it is n 2^-63.
"""

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from seqbench.algebra.grammar import Grammar
from seqbench.errors import InputError, TooLargeError
from seqbench.generation.counts import MAX_TABLE_BYTES, ONE, pick
from seqbench.generation.scaled import Scaled, add, ratio
from seqbench.generation.streams import Words, draw32
from seqbench.jit import kernel
from seqbench.progress import progress

Array = npt.NDArray[np.generic]

CELLS_AT_ONCE = 8_000_000  # of the tables: about a second

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_S32, _S63 = np.uint64(32), np.uint64(63)
_M32 = np.uint64(0xFFFFFFFF)


class Derivations:
    """Uniform words of an unambiguous grammar (of an ambiguous one: uniform derivations).

    Example:
        >>> from seqbench.algebra.grammar import parse
        >>> from seqbench.generation.streams import row_streams, unit_key
        >>> tokens = np.empty(8, dtype=np.uint8)
        >>> dyck = Derivations(parse("S -> ( S ) S |"))
        >>> dyck.fill(np.array([4, 4]), np.array([0, 4]), row_streams(unit_key("a"), np.arange(2)), tokens)
        >>> sorted({"".join("()"[i] for i in tokens[j : j + 4]) for j in (0, 4)} | {"(())", "()()"})
        ['(())', '()()']
    """

    def __init__(self, grammar: Grammar) -> None:
        """The sampler of a grammar.

        Raises:
            DefinitionError: a nonterminal derives itself.
        """
        form = grammar.binary
        self.grammar, self._order = grammar, np.array(form.order(), dtype=np.int64)
        sides = [(left, right) for left in range(form.size) for right in form.rules[left]]
        padded = [(*right, -1, -1)[:2] for _, right in sides]
        self._sides = np.array(padded, dtype=np.int64).reshape(len(sides), 2)
        self._indptr = np.zeros(form.size + 1, dtype=np.int64)
        np.cumsum([len(right) for right in form.rules], out=self._indptr[1:])
        free = (self._sides >= form.terminals).all(axis=1)  # both neighbours are nonterminals: their lengths are drawn
        self._split = np.where(free, np.cumsum(free) - 1, -1)
        self._num_splits = int(free.sum())
        self._longest = -1

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Whether there are words, by length, shape (longest + 1,)."""
        self._prepare(longest)
        return np.asarray(self._counts[self.grammar.binary.start, : longest + 1, 0] > 0)

    def log2_counts(self, longest: int) -> npt.NDArray[np.float64]:
        """The base-2 logarithms of the numbers of words, by length, shape (longest + 1,); minus infinity for none.

        Example:
            >>> from seqbench.algebra.grammar import parse
            >>> Derivations(parse("S -> ( S ) S |")).log2_counts(6).round(3).tolist()
            [0.0, -inf, 0.0, -inf, 1.0, -inf, 2.322]
        """
        self._prepare(longest)
        high, _, exponent = self._counts[self.grammar.binary.start, : longest + 1].T
        found = np.full(longest + 1, -np.inf)
        there = high > 0
        found[there] = np.log2(high[there].astype(np.float64)) + 64 + exponent[there].astype(np.int64)
        return found

    def fill(self, lengths: Array, offsets: Array, streams: Words, out: Array) -> None:
        """Writes a word of each length to `out` at its offset.

        Args:
            lengths: shape (n,); each must be admitted.
            offsets: where each word begins, shape (n,).
            streams: random streams of the words, shape (5, n).
            out: symbol ids, uint8, written in place.

        Raises:
            InputError: a length without words.
        """
        longest = int(lengths.max(initial=0))
        missing = np.flatnonzero(~self.admits(longest)[lengths])
        if len(missing):
            raise InputError(f"The grammar has no word of length {lengths[missing[0]]}. Ask `admits` for those it has.")
        form = self.grammar.binary
        tables = (self._sides, self._indptr, self._split, self._alternatives, self._shares)
        stack = np.empty((2, longest + 4), dtype=np.int64)
        _expand(form.terminals, form.start, tables, (lengths, offsets), streams, stack, out)

    def _prepare(self, longest: int) -> None:
        if longest <= self._longest:
            return
        form, cells = self.grammar.binary, (longest + 1) * (longest + 2) // 2
        size = 8 * cells * self._num_splits + 8 * (longest + 1) * (3 * form.size + len(self._sides))
        if size > MAX_TABLE_BYTES:
            fits = int(np.sqrt(MAX_TABLE_BYTES / (4 * self._num_splits))) - 2
            raise TooLargeError(
                f"The tables of the grammar for words of length {longest:,} would pass 4 GiB. "
                f"Words up to about length {fits:,} fit; ask for shorter ones."
            )
        self._counts = np.zeros((form.size, longest + 1, 3), dtype=np.uint64)
        self._alternatives = np.zeros((longest + 1, len(self._sides)), dtype=np.uint64)
        self._shares = np.zeros((self._num_splits, cells), dtype=np.uint64)
        if longest > 0:
            self._counts[: form.terminals, 1] = ONE
        running = np.empty((max(longest + 1, len(self._sides)), 3), dtype=np.uint64)
        rules = (self._sides, self._indptr, self._split)
        tables = (self._counts, self._alternatives, self._shares)
        for first, last in _spans(longest):
            _tabulate(self._order, rules, (first, last), running, tables)
        self._longest = longest


def _spans(longest: int) -> Iterator[tuple[int, int]]:
    """The lengths in spans of like work, (first, last + 1) each; with a bar where there are several.

    The work of a length grows with it; between spans an interrupt is heard.
    """
    count = 1 + longest**2 // CELLS_AT_ONCE
    edges = np.rint((longest + 1) * np.sqrt(np.arange(count + 1) / count)).astype(int).tolist()
    spans = list(itertools.pairwise(edges))
    yield from progress(spans, f"Counting words up to length {longest:,}") if count > 1 else spans


@kernel
def _wide(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The 128-bit product of two 64-bit numbers."""
    middle = (a >> _S32) * (b & _M32) + ((a & _M32) * (b & _M32) >> _S32)
    crossed = (a & _M32) * (b >> _S32) + (middle & _M32)
    return (a >> _S32) * (b >> _S32) + (middle >> _S32) + (crossed >> _S32), a * b


@kernel
def times(ah: np.uint64, al: np.uint64, ae: np.int64, bh: np.uint64, bl: np.uint64, be: np.int64) -> Scaled:
    """The product of two counts, cut to 128 bits; exact where it is below 2^128 and neither was cut."""
    if _ZERO in (ah, bh):
        return _ZERO, _ZERO, np.int64(0)
    h3, h2 = _wide(ah, bh)
    x1, x0 = _wide(ah, bl)
    y1, y0 = _wide(al, bh)
    z1, _ = _wide(al, bl)
    low = x0 + y0  # the 64 bits under the result, to which z1 adds
    carry = np.uint64(low < x0)
    below = low + z1
    carry += np.uint64(below < low)
    h2_ = h2 + x1
    h3 += np.uint64(h2_ < h2)
    h2 = h2_ + y1
    h3 += np.uint64(h2 < h2_)
    h2_ = h2 + carry
    h3 += np.uint64(h2_ < h2)
    e = ae + be + np.int64(128)
    if h3 >> _S63 == _ZERO:  # both had their top bit set, so that the product lacks one bit at most
        return (h3 << _ONE) | (h2_ >> _S63), (h2_ << _ONE) | (below >> _S63), e - np.int64(1)
    return h3, h2_, e


@kernel
def _ways(left: Array, right: Array, n: int, running: Array) -> int:
    """Running sums over k of the ways to spell k symbols by `left` and n - k by `right`; the last is the total."""
    h, lo, e = _ZERO, _ZERO, np.int64(0)
    for k in range(n + 1):
        rest = n - k
        if left[k, 0] != _ZERO and right[rest, 0] != _ZERO:  # numbers, not views of rows, which cost more than products
            ae, be = np.int64(left[k, 2]), np.int64(right[rest, 2])
            ph, pl, pe = times(left[k, 0], left[k, 1], ae, right[rest, 0], right[rest, 1], be)
            h, lo, e = add(h, lo, e, ph, pl, pe)
        running[k, 0], running[k, 1], running[k, 2] = h, lo, np.uint64(e)
    return n


@kernel
def _ratios(running: Array, last: int, out: Array) -> None:
    """Thresholds from running sums."""
    h, lo, e = running[last, 0], running[last, 1], np.int64(running[last, 2])
    share = _ZERO
    for i in range(last + 1):
        high, low, power = running[i, 0], running[i, 1], running[i, 2]
        if high != _ZERO and (
            i == 0 or high != running[i - 1, 0] or low != running[i - 1, 1] or power != running[i - 1, 2]
        ):
            share = ratio(high, low, np.int64(power), h, lo, e)  # many lengths add nothing: the share stays
        out[i] = share


@kernel
def _one_side(side: Array, n: int, counts: Array, running: Array) -> Scaled:
    """How many ways a right side spells n symbols; leaves the running sums over splits in `running`."""
    if side[0] < 0:
        if n == 0:
            return _S63_TOP, _ZERO, np.int64(-127)
        return _ZERO, _ZERO, np.int64(0)
    count = counts[side[0], n] if side[1] < 0 else running[_ways(counts[side[0]], counts[side[1]], n, running)]
    return count[0], count[1], np.int64(count[2])


_S63_TOP = np.uint64(1 << 63)


@kernel
def _tabulate(
    order: Array,
    rules: tuple[Array, Array, Array],
    span: tuple[int, int],
    running: Array,
    tables: tuple[Array, Array, Array],
) -> None:
    """Counts and thresholds of a span of lengths, one after the other, after all shorter ones."""
    sides, indptr, split = rules
    counts, alternatives, shares = tables
    for n in range(span[0], span[1]):
        first = n * (n + 1) // 2
        for left in order:
            start, end = indptr[left], indptr[left + 1]
            h, lo, e = _ZERO, _ZERO, np.int64(0)
            sums = np.zeros((end - start, 3), dtype=np.uint64)
            for rule in range(start, end):
                sh, sl, se = _one_side(sides[rule], n, counts, running)
                if split[rule] >= 0 and sh != _ZERO:
                    _ratios(running, n, shares[split[rule], first : first + n + 1])
                h, lo, e = add(h, lo, e, sh, sl, se)
                sums[rule - start, 0], sums[rule - start, 1], sums[rule - start, 2] = h, lo, np.uint64(e)
            counts[left, n, 0], counts[left, n, 1], counts[left, n, 2] = h, lo, np.uint64(e)
            if h != _ZERO:
                _ratios(sums, end - start - 1, alternatives[n, start:end])


@kernel
def _expand(
    terminals: int,
    start: int,
    tables: tuple[Array, Array, Array, Array, Array],
    words: tuple[Array, Array],
    streams: Words,
    stack: Array,
    out: Array,
) -> None:
    """Derives word by word with a stack of (symbol, symbols to spell); what spells nothing is dropped."""
    sides, indptr, split, alternatives, shares = tables
    lengths, offsets = words
    for i in range(len(lengths)):
        place, draws, height = offsets[i], 0, int(lengths[i] > 0)
        stack[0, 0], stack[1, 0] = start, lengths[i]
        while height > 0:
            height -= 1
            symbol, n = stack[0, height], stack[1, height]
            if symbol < terminals:
                out[place] = symbol
                place += 1
                continue
            a, b, c, d = _ZERO, _ZERO, _ZERO, _ZERO
            rule, last = indptr[symbol], indptr[symbol + 1]
            if last - rule > 1 or split[rule] >= 0:  # one counter a node: its halves choose alternative and split
                a, b, c, d = draw32(streams, i, draws)
                draws += 1
                rule = pick(alternatives[n], rule, last, (a << _S32) | b)
            left, right = sides[rule]
            k = n if right < 0 else 1 if left < terminals else n - 1
            if split[rule] >= 0:
                first = n * (n + 1) // 2
                k = pick(shares[split[rule]], first, first + n + 1, (c << _S32) | d) - first
            if n - k > 0:
                stack[0, height], stack[1, height] = right, n - k
                height += 1
            if k > 0:
                stack[0, height], stack[1, height] = left, k
                height += 1
