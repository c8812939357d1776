"""Recognition: words inside and outside a language, half and half at every length, with the label reject or accept.

Rows come in pairs (0 and 1, 2 and 3, ... of a unit): one member and one non-member, in an order that a fair coin of
the pair decides. So at each length of the test split exactly half of an even number of rows are members, whatever the
length, and in the other splits, whose lengths are drawn, each row is a member with probability one half.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from seqbench.algebra.alphabet import decode, encode_batch
from seqbench.algebra.machine import Machine
from seqbench.errors import InputError, quoted
from seqbench.generation import heldout
from seqbench.generation.streams import CHOICE, ROW_AND_LANE, SECOND_WORD, Words, draw64, lane
from seqbench.generation.tasks.flare.edits import MAX_EDITS, edit
from seqbench.generation.tasks.flare.language import Array, Language, Mask, evenly, put, split
from seqbench.generation.tasks.handed import as_words
from seqbench.generation.tasks.task import Purpose
from seqbench.spans import spans

MAX_ATTEMPTS = 4096
SHAPED_ATTEMPTS = 128  # after so many, near misses need not keep the form
NEAR_ATTEMPTS = 1024  # after so many, non-members need not be near misses
SHOWN_LENGTHS = 60  # lengths that facts look at

DIFFERENCES = (
    "Half of the words of each length are members, so that the length says nothing.",
    "Members follow the law above, not local choices; non-members keep a drawn length.",
    "Every word has at least one symbol.",
    "One word in eight is held out of training by a keyed hash, where a label has 1,024 words of a training length.",
    "The other splits keep to these words there.",
    "Next symbols (of languages with a machine or a grammar) come with extra='next_symbols'.",
    "Log-probabilities (of regular languages) come with extra='log_probabilities'.",
)

EXTRAS = {"next_symbols": pa.uint32(), "log_probabilities": pa.float64()}
"""Types of the columns that may come besides the label."""

Proposal = Callable[[Array, Array, Words, Words, Array], Mask]
Ladder = tuple[tuple[int, Proposal], ...]  # proposals, each with the attempt up to which it is made


class Recognition:
    """Is the word in the language? Source: Butoi et al., "Training neural networks as recognizers", ICLR 2025."""

    label_names: tuple[str, ...] = ("reject", "accept")

    def __init__(
        self, language: Language, near_miss: float, same_shape: float, single_label_lengths: str, extra: str
    ) -> None:
        """The task over a language.

        Args:
            language: what is to be recognised.
            near_miss: the share of near misses among non-members, from 0 to 1; the rest are random words.
            same_shape: the share of near misses that keep the form of a member, from 0 to 1.
            single_label_lengths: "drop" leaves out lengths at which all words have one label, "keep" keeps them.
            extra: "next_symbols" or "log_probabilities" for a column of them (see prefixes), or "none".

        Raises:
            InputError: the language has no such column.
        """
        self.schema = pa.schema({"input_ids": pa.list_(pa.uint8()), "label": pa.int64()})
        self.extra = None if extra == "none" else extra
        if self.extra:
            if getattr(language, self.extra) is None:
                raise InputError(
                    f"extra={extra!r} is not there for this language: next symbols need a machine or one of the stacks "
                    "that seqbench knows, log-probabilities a machine. Leave it out: extra='none'."
                )
            self.schema = self.schema.append(pa.field(self.extra, pa.list_(EXTRAS[self.extra])))
        self.language, self.near_miss, self.same_shape = language, near_miss, same_shape
        self.keep = single_label_lengths == "keep"
        symbols = len(language.alphabet)
        self._shape = np.array([ord(each) - ord("a") for each in language.shape or "a" * symbols])

    @property
    def symbol_names(self) -> tuple[str, ...]:
        """The alphabet of the language."""
        return tuple(self.language.alphabet)

    @property
    def machine(self) -> Machine | None:
        """The acceptor of a regular language."""
        machine = getattr(self.language, "machine", None)
        return machine if isinstance(machine, Machine) else None

    @functools.cached_property
    def lengths_hint(self) -> str:
        """Which lengths there are."""
        there = np.flatnonzero(self.admits(SHOWN_LENGTHS)).tolist()
        if self.keep:
            return "Every length from 1 on has examples."
        if not there:
            return (
                f"All words of a length up to {SHOWN_LENGTHS} have one label: single_label_lengths='keep' keeps them."
            )
        return (
            f"Lengths with members and non-members up to {SHOWN_LENGTHS}: {spans(there)}. "
            "Other lengths have one label only: single_label_lengths='keep' keeps them."
        )

    def admits(self, longest: int) -> Mask:
        """Whether there are words of both labels, by length; of any where lengths of a single label are kept."""
        members, others = self.language.members(longest), self.language.others(longest)
        return (members | others) & (np.arange(longest + 1) > 0) if self.keep else members & others

    def sizes(self, longest: int) -> tuple[int, int]:
        """Number of symbols and of labels."""
        del longest
        return len(self.language.alphabet), len(self.label_names)

    def draw(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Words with their labels."""
        return self._draw(None, lengths, streams)

    def draw_for(self, purpose: Purpose, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Words with their labels, held out of training where their label has 1,024 words of the length or more."""
        return self._draw(purpose, lengths, streams)

    def _draw(self, purpose: Purpose | None, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        lengths = np.asarray(lengths, dtype=np.int64)
        labels, offsets = self._labels(lengths, streams), split(lengths)
        tokens = np.empty(offsets[-1], dtype=np.uint8)
        longest = int(lengths.max(initial=0))
        draws = draw64(lane(streams, CHOICE), counter=1)
        near = (draws[0] >> np.uint64(11)) * 2.0**-53 < self.near_miss
        near &= self.language.members(longest)[lengths]
        shaped = (draws[1] >> np.uint64(11)) * 2.0**-53 < self.same_shape
        hold = np.zeros(len(lengths), dtype=np.bool_) if purpose is None else self._many(purpose, lengths, labels)
        side = Side(purpose, hold)
        at_random = ((MAX_ATTEMPTS, self._random),)
        nearby = ((NEAR_ATTEMPTS, self._near), *at_random)
        for rows, ladder in (
            (labels == 1, ((MAX_ATTEMPTS, self._member),)),
            ((labels == 0) & ~near, at_random),
            ((labels == 0) & near & ~shaped, nearby),
            ((labels == 0) & near & shaped, ((SHAPED_ATTEMPTS, self._same_shape), *nearby)),
        ):
            _fill(ladder, side, np.flatnonzero(rows), lengths, offsets, streams, tokens)
        words = pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(tokens))
        columns = {"input_ids": words, "label": pa.array(labels)}
        if self.extra:
            values = getattr(self.language, self.extra)(tokens, offsets)
            rows_at = offsets + (np.arange(len(offsets)) if len(values) > len(tokens) else 0)
            columns[self.extra] = pa.ListArray.from_arrays(pa.array(rows_at.astype(np.int32)), pa.array(values))
        return columns

    def _many(self, purpose: Purpose, lengths: Array, labels: Array) -> Mask:
        """Whether a row is of a training length at which its label has enough words to hold some out."""
        low, high = purpose.train_lengths
        short = np.minimum(lengths, high)
        members = self.language.log2_members(high)
        with np.errstate(divide="ignore"):
            all_words = np.arange(high + 1) * np.log2(len(self.language.alphabet))
            others = all_words + np.log2(np.maximum(0, 1 - np.exp2(np.minimum(0, members - all_words))))
        enough = np.where(labels == 1, members[short], others[short]) >= heldout.MIN_LOG2_WORDS
        return np.asarray(enough & (lengths >= low) & (lengths <= high))

    def _labels(self, lengths: Array, streams: Words) -> Array:
        """One member and one non-member a pair of rows, where the length has both."""
        pairs = streams.copy()
        pairs[ROW_AND_LANE] &= np.uint32(0xFFFFFFFE)
        coins = (draw64(lane(pairs, CHOICE))[1] >> np.uint64(63)).astype(np.int64)
        labels = coins ^ (streams[ROW_AND_LANE] & np.uint32(1)).astype(np.int64)
        longest = int(lengths.max(initial=0))
        members, others = self.language.members(longest)[lengths], self.language.others(longest)[lengths]
        return np.where(members & others, labels, members.astype(np.int64))

    def _member(self, lengths: Array, offsets: Array, streams: Words, spare: Words, out: Array) -> Mask:
        del spare
        return self.language.propose(lengths, offsets[:-1], streams, out)

    def _random(self, lengths: Array, offsets: Array, streams: Words, spare: Words, out: Array) -> Mask:
        del streams
        evenly(len(self.language.alphabet), lengths, offsets[:-1], spare, out)
        return ~self.language.contains(out, offsets)

    def _near(self, lengths: Array, offsets: Array, streams: Words, spare: Words, out: Array) -> Mask:
        return self._miss(lengths, offsets, streams, spare, out, np.zeros_like(self._shape))

    def _same_shape(self, lengths: Array, offsets: Array, streams: Words, spare: Words, out: Array) -> Mask:
        if self.language.spoil is not None:
            return self._spoiled(lengths, offsets, streams, spare, out)
        return self._miss(lengths, offsets, streams, spare, out, self._shape)

    def _spoiled(self, lengths: Array, offsets: Array, streams: Words, spare: Words, out: Array) -> Mask:
        """As the language knows how; members that it cannot spoil are edited like any."""
        assert self.language.spoil is not None  # noqa: S101  # for the type checker: asked before
        done = self.language.propose(lengths, offsets[:-1], streams, out)
        spoiled = np.empty(len(lengths), dtype=np.bool_)
        self.language.spoil(offsets, spare, out, spoiled)
        rest = np.flatnonzero(~spoiled)
        words = out[np.repeat(~spoiled, lengths)]
        edit(np.zeros_like(self._shape), 3, split(lengths[rest]), spare[:, rest], words)
        put(words, lengths[rest], out, offsets[rest])
        return done & ~self.language.contains(out, offsets)

    def _miss(self, lengths: Array, offsets: Array, streams: Words, spare: Words, out: Array, classes: Array) -> Mask:
        if self.language.own_near_misses:
            self.language.near_miss(lengths, offsets[:-1], streams, out)
            return np.ones(len(lengths), dtype=bool)
        done = self.language.propose(lengths, offsets[:-1], streams, out)
        edit(classes, 2 if classes.any() else 3, offsets, spare, out)
        return done & ~self.language.contains(out, offsets)

    def solve(self, inputs: Any) -> Any:
        """The label of each word, given as ids or text; of one word alone (a text, or a flat list of ids) its label.

        Raises:
            InputError: a symbol outside the alphabet, or no list of words.
        """
        words, alone = as_words(inputs)
        tokens, offsets = encode_batch(self.language.alphabet, words)
        labels = [int(label) for label in self.language.contains(tokens, offsets)]
        return labels[0] if alone else labels

    def check(self, table: pa.Table) -> None:
        """Recognises every word once more, symbol by symbol in plain Python."""
        alphabet = self.language.alphabet
        for number, row in enumerate(table.to_pylist()):
            word = [alphabet[token] for token in row["input_ids"]]
            if self.language.slowly(word) != bool(row["label"]):
                raise InputError(f"Row {number} is wrong: {quoted(self.show(row), 200)}.")

    def facts(self) -> dict[str, Any]:
        """Alphabet, chance level, lengths, and the laws of members and non-members."""
        admitted = np.flatnonzero(self.admits(SHOWN_LENGTHS)).tolist()
        single = sorted(set(range(1, SHOWN_LENGTHS + 1)) - set(admitted))
        return {
            "alphabet": list(self.language.alphabet),
            "chance": 0.5,
            "smallest_length": admitted[0] if admitted else None,
            "single_label_lengths": f"{spans(single)} (of 1 to {SHOWN_LENGTHS})",
            "single_label_lengths_are": "kept" if self.keep else "left out",
            "members": self.language.member_law,
            "non_members": self._non_member_law(),
            "length_rule_accuracy": 0.5,
            "differences": list(DIFFERENCES),
        }

    def _non_member_law(self) -> str:
        edits = (
            "a member after k random edits that keep the length (substitution, swap or move alike), k with probability "
            f"2^-k (at most {MAX_EDITS}), given that the result is no member"
        )
        near = self.language.own_near_misses or f"{edits}{self._shaped_law()}"
        return (
            f"near misses with probability {self.near_miss}: {near}; "
            "else uniform words over the alphabet, given that they are no members"
        )

    def _shaped_law(self) -> str:
        language, start = self.language, f"; with probability {self.same_shape} "
        if language.spoil is not None:
            return f"{start}{language.spoiled} (where the stack ends empty, edits as before)"
        if not language.shape:
            return ""
        return (
            f"{start}edits that keep the form of the word (substitution and swap among the symbols of a class; classes "
            f"of the symbols: {language.shape}), or any edits where {SHAPED_ATTEMPTS} draws found none"
        )

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """The word as text and the label's name."""
        word = decode(self.language.alphabet, np.array(row["input_ids"], dtype=np.uint8))
        return {"input_ids": word, "label": self.label_names[row["label"]]}


@dataclass(frozen=True)
class Side:
    """On which side of the hold-out rows have to be: the purpose of their split, and which rows it matters to."""

    purpose: Purpose | None
    matters: Mask

    def admits(self, rows: Array, tokens: Array, offsets: Array) -> Mask:
        """Whether each of some rows, words that follow one another, may stay."""
        if self.purpose is None or not self.matters[rows].any():
            return np.ones(len(rows), dtype=np.bool_)
        held = self.purpose.is_held_out(tokens, offsets)
        return np.asarray(~self.matters[rows] | (held != self.purpose.is_training))


def _fill(  # what is drawn, for which rows, from what, to where
    ladder: Ladder, side: Side, rows: Array, lengths: Array, offsets: Array, streams: Words, out: Array
) -> None:
    """Draws every row until its proposal is accepted, each attempt from lanes of its own.

    Near misses that keep the form can be rare (bits of a stack that are popped unseen), and so can near misses on the
    right side of the hold-out: the next proposal of the ladder follows.
    """
    attempt = 1  # lanes of attempt 0 hold the row's length, label and law
    while len(rows):
        proposal = next((each for most, each in ladder if attempt <= most), None)
        if proposal is None:
            raise InputError(f"No word of length {lengths[rows[0]]} was found in {MAX_ATTEMPTS} draws. Ask for others.")
        wanted = lengths[rows]
        begin = split(wanted)
        buffer = np.empty(begin[-1], dtype=np.uint8)
        chosen = np.ascontiguousarray(streams[:, rows])
        own, spare = lane(chosen, 0, 2 * attempt), lane(chosen, SECOND_WORD, 2 * attempt + 1)
        done = proposal(wanted, begin, own, spare, buffer)
        done &= side.admits(rows, buffer, begin)
        kept = buffer if done.all() else buffer[np.repeat(done, wanted)]
        put(kept, wanted[done], out, offsets[rows[done]])
        rows, attempt = rows[~done], attempt + 1
