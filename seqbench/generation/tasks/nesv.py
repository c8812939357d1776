"""FIRST, MAJORITY, INDEX and PARITY of a word of fair bits, with the published test banks.

Source: Zhu, Chiang, "Exact-solution volume and length generalization in transformers", arXiv 2610.07676, 2026.

A length is the number n of bits; INDEX has one more token. Bits are independent and fair (one random bit each, so that
all 2^n words are equally likely) and k is uniform in 1..n (bias below n / 2^64). The test bank of a length is made of
pairs, rows 2i and 2i + 1 of the length, both from the random words of row 2i:

- MAJORITY: a word, then its complement, so the labels are exactly balanced.
- INDEX: (w, k), then (the complement of w, k), so the labels are exactly balanced.
- FIRST: both rows have independent bits but for the first, which is a fair bit of the pair in row 2i and its opposite
  in row 2i + 1, so the labels are exactly balanced.
- PARITY: independent words.

A row's number comes from its own stream, so that rows depend on nothing but their own. An odd number of rows leaves the
last one without its other.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.algebra.alphabet import encode
from seqbench.algebra.machine import Machine
from seqbench.catalogue.recipe import whole
from seqbench.errors import InputError, quoted
from seqbench.generation.streams import CHOICE, FIRST_WORD, ROW_AND_LANE, Words, below, draw64, lane
from seqbench.generation.tasks.handed import each_word
from seqbench.generation.tasks.task import Kind, Purpose
from seqbench.generation.words import fill_fair

Array = npt.NDArray[Any]

MAX_BITS = 65_534  # an index token is 1 + k, and token ids end at 65,535


class Bits:
    """The label of a word of fair bits: FIRST (w_1) or PARITY (the sum mod 2); the base of the other two.

    Example:
        >>> Bits("first").solve(["0111", "10"]), Bits("parity").solve([[0, 1, 1, 1], [1, 1]])
        ([0, 1], [1, 0])
    """

    schema = pa.schema({"input_ids": pa.list_(pa.uint8()), "label": pa.int64()})
    label_names: tuple[str, ...] = ("0", "1")
    symbol_names: tuple[str, ...] = ("0", "1")
    lengths_hint = "Every length from 1 on has examples."

    def __init__(self, rule: str) -> None:
        """The task of a rule: a key of RULES."""
        self.rule = rule

    @property
    def machine(self) -> Machine | None:
        """Of FIRST and PARITY; the other two are not regular."""
        return MACHINES.get(self.rule)

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Every length but 0."""
        return np.arange(longest + 1) > 0

    def sizes(self, longest: int) -> tuple[int, int]:
        """Number of symbols and of labels."""
        del longest
        return 2, len(self.label_names)

    def draw(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Words of independent fair bits."""
        return self._columns(lengths, *_fair(lengths, streams), streams)

    def draw_for(self, purpose: Purpose, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Words of independent fair bits; in the split `test` the bank."""
        return self.bank(lengths, streams) if purpose.identity.split == "test" else self.draw(lengths, streams)

    def bank(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Rows of the test bank."""
        tokens, offsets = _fair(lengths, streams)
        if self.rule == "first":
            coin = (draw64(lane(_leaders(streams), CHOICE))[1] >> np.uint64(63)).astype(np.uint8)
            tokens[offsets[:-1]] = coin ^ _follows(streams)
        return self._columns(lengths, tokens, offsets, streams)

    def _columns(self, lengths: Array, tokens: Array, offsets: Array, streams: Words) -> dict[str, pa.Array]:
        """The columns of words of bits; `streams` is for subclasses that draw more."""
        del streams
        if self.rule == "first":
            label = tokens[offsets[:-1]].astype(np.int64)
        else:
            ones = _ones(tokens, offsets)
            label = ones % 2 if self.rule == "parity" else (2 * ones > lengths).astype(np.int64)
        return {"input_ids": _lists(tokens, offsets), "label": pa.array(label)}

    def solve(self, inputs: Any) -> Any:
        """The label of each word; words are text or lists of ids, and one word alone gives one label."""
        return each_word(self._solve, inputs)

    def _solve(self, word: Any) -> int:
        bits = encode(("0", "1"), word).tolist()
        if not self.admits(len(bits))[len(bits)]:
            raise InputError(f"{quoted(word)} has {len(bits)} bits. {self.lengths_hint}")
        return RULES[self.rule](bits)

    def check(self, table: pa.Table) -> None:
        """Compares with the definition, in Python's own integers.

        Raises:
            InputError: naming the first row that is wrong.
        """
        for number, row in enumerate(table.to_pylist()):
            if row["label"] != self._slow(row["input_ids"]):
                raise InputError(f"Row {number} is wrong: {row}.")

    def _slow(self, ids: list[int]) -> int:
        return RULES[self.rule](ids)

    def facts(self) -> dict[str, Any]:
        """The alphabet, chance, and how the test bank is made."""
        return {
            "alphabet": ["0", "1"],
            "length": "number of bits",
            "chance": 0.5,
            "smallest_length": 1,
            "distribution": "all words of a length equally likely",
            "test_bank": BANKS[self.rule],
            "differences": DIFFERENCES,
        }

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """The word as digits, and its label."""
        return {"input_ids": "".join(map(str, row["input_ids"])), "label": str(row["label"])}


class Majority(Bits):
    """Whether a word of an odd number of fair bits has more ones than zeros.

    Example:
        >>> Majority().solve("110"), Majority().solve("10010")
        (1, 0)
    """

    lengths_hint = "A majority needs an odd number of bits: 1, 3, 5, ..."

    def __init__(self) -> None:
        """The task."""
        super().__init__("majority")

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Every odd length."""
        return np.asarray(np.arange(longest + 1) % 2 == 1)

    def bank(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """A word and its complement by turns."""
        tokens, offsets = _fair(lengths, _leaders(streams))
        tokens ^= np.repeat(_follows(streams), lengths)
        return self._columns(lengths, tokens, offsets, streams)


class Index(Bits):
    """The k-th of n fair bits: the bits 0 and 1, then one token with the id 1 + k that stands for k in 1..n.

    As text a word is its bits, a space, and k.

    Example:
        >>> Index().solve("0010 3"), Index().solve([0, 0, 1, 0, 4])
        (1, 1)
    """

    schema = pa.schema({"input_ids": pa.list_(pa.uint16()), "label": pa.int64()})
    symbol_names = ()
    lengths_hint = f"Every number of bits from 1 to {MAX_BITS:,} has examples."

    def __init__(self) -> None:
        """The task."""
        super().__init__("index")

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Every length but 0 whose indices fit the token ids."""
        lengths = np.arange(longest + 1)
        return (lengths > 0) & (lengths <= MAX_BITS)

    def sizes(self, longest: int) -> tuple[int, int]:
        """Number of tokens, index tokens among them, and of labels."""
        return 2 + longest, len(self.label_names)

    def bank(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """A word and its complement with the same index by turns."""
        leaders = _leaders(streams)
        tokens, offsets = _fair(lengths, leaders)
        tokens ^= np.repeat(_follows(streams), lengths)
        return self._columns(lengths, tokens, offsets, leaders)

    def _columns(self, lengths: Array, tokens: Array, offsets: Array, streams: Words) -> dict[str, pa.Array]:
        index = below(draw64(lane(streams, CHOICE))[1], lengths)  # counted from 0; word 0 there has drawn the length
        moved = offsets + np.arange(len(offsets))
        with_index = np.empty(moved[-1], dtype=np.uint16)
        last = np.zeros(moved[-1], dtype=np.bool_)
        last[moved[1:] - 1] = True
        with_index[~last], with_index[last] = tokens, index + 2
        label = tokens[offsets[:-1] + index].astype(np.int64)
        return {"input_ids": _lists(with_index, moved), "label": pa.array(label)}

    def _solve(self, word: Any) -> int:
        ids = _index_ids(word)
        bits, k = encode(("0", "1"), ids[:-1]).tolist(), ids[-1] - 1
        if not 1 <= k <= len(bits):
            raise InputError(
                f"{quoted(word)} asks for bit {k} of {len(bits)}. Its last token is 1 + k with k from 1 to {len(bits)}."
            )
        return int(bits[k - 1])

    def _slow(self, ids: list[int]) -> int:
        return ids[ids[-1] - 2]

    def facts(self) -> dict[str, Any]:
        """As for the other tasks, with the index tokens."""
        return super().facts() | {
            "alphabet": "0, 1, then the index k in 1..n, shown as k, with the id 1 + k",
            "length": "number of bits; the index is one more symbol",
        }

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """The bits, a space and the index; and the label."""
        *bits, k = row["input_ids"]
        return {"input_ids": f"{''.join(map(str, bits))} {k - 1}", "label": str(row["label"])}


RULES: dict[str, Callable[[list[int]], int]] = {
    "first": lambda bits: bits[0],
    "majority": lambda bits: int(sum(bits) >= (len(bits) + 1) / 2),
    "parity": lambda bits: sum(bits) % 2,
}
"""The label of a word by task, from its definition."""

MACHINES = {
    "first": Machine.build("01", [[1, 2], [1, 1], [2, 2]], [0, 0, 1], labels=("0", "1")),
    "parity": Machine.build("01", [[0, 1], [1, 0]], [0, 1], labels=("0", "1")),
}
"""The automaton of a task: whether the first bit is 1, and whether the number of 1s is odd."""

BANKS = {
    "first": "rows 2i and 2i + 1 of a length differ in their first bit: exactly balanced",
    "majority": "row 2i + 1 of a length is the complement of row 2i: exactly balanced",
    "index": "row 2i + 1 of a length is the complement of row 2i with the same index: exactly balanced",
    "parity": "independent words",
}

DIFFERENCES = [
    "training rows are a fixed set of independent lengths; the paper draws a fresh batch of one length at every step",
    "the bank is fixed by data version and seed; the paper's own bank is not published",
]


def _fair(lengths: Array, streams: Words) -> tuple[Array, Array]:
    """Fair bits, flat, uint8, and offsets."""
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    tokens = np.empty(offsets[-1], dtype=np.uint8)
    fill_fair(1, lengths, offsets[:-1], lane(streams, FIRST_WORD), tokens)
    return tokens, offsets


def _leaders(streams: Words) -> Words:
    """The streams of the even rows: of every pair's first row, for both."""
    leaders = streams.copy()
    leaders[ROW_AND_LANE] &= ~np.uint32(1)
    return leaders


def _follows(streams: Words) -> npt.NDArray[np.uint8]:
    """1 for the second row of a pair, else 0."""
    return np.asarray(streams[ROW_AND_LANE] & np.uint32(1), dtype=np.uint8)


def _ones(tokens: Array, offsets: Array) -> npt.NDArray[np.int64]:
    """The number of ones of every word."""
    if len(offsets) == 1:
        return np.empty(0, dtype=np.int64)
    return np.asarray(np.add.reduceat(tokens, offsets[:-1], dtype=np.int64))


def _lists(tokens: Array, offsets: Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(tokens))


def _index_ids(word: Any) -> list[int]:
    """Bits and index token of a word given as text or ids."""
    if isinstance(word, str):
        bits, _, k = word.partition(" ")
        if not (k.isascii() and k.isdigit()):
            raise InputError(f"{quoted(word)} names no index. Write the bits, a space and k, for example '0010 3'.")
        return [*encode(("0", "1"), bits).tolist(), int(k) + 1]
    ids = [item.item() if isinstance(item, np.integer) else item for item in word] if hasattr(word, "__iter__") else []
    if len(ids) < 2:
        raise InputError(f"{quoted(word)} is no word of INDEX. It is one or more bits and then the index token, 1 + k.")
    whole("The index token", ids[-1], 0, MAX_BITS + 1)
    return ids


def banked(n: Any) -> dict[str, Any]:
    """The recipe of the paper's N: trained on 1..N, tested at N, 2N+1, 3N, 5N, 8N+1 and 10N+1.

    Example:
        >>> banked(11)["test_lengths_list"]
        [11, 23, 33, 55, 89, 111]
    """
    n = whole("N", n, 1, 100_000)
    tests = [n, 2 * n + 1, 3 * n, 5 * n, 8 * n + 1, 10 * n + 1]
    return {"train_lengths": (1, n), "validation_lengths": (1, n), "test_lengths_list": tests}


KINDS = {
    "nesv_first": Kind(lambda _: Bits("first"), (), {"N": banked}),
    "nesv_majority": Kind(lambda _: Majority(), (), {"N": banked}),
    "nesv_index": Kind(lambda _: Index(), (), {"N": banked}),
    "nesv_parity": Kind(lambda _: Bits("parity"), (), {"N": banked}),
}
