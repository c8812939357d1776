"""The flip-flop language: write a bit, ignore a bit, read back the bit last written.

Source: Liu, Ash, Goel, Krishnamurthy, Zhang, "Exposing attention glitches with flip-flop language modeling", NeurIPS
2023.
"""

import functools
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.algebra.alphabet import encode
from seqbench.algebra.machine import OUTSIDE, Machine
from seqbench.algebra.parameters import Parameter
from seqbench.errors import InputError, quoted
from seqbench.generation.streams import FIRST_WORD, SECOND_WORD, TILE, Words, draw_tile, lane, load_tile, tile_buffers
from seqbench.generation.tasks.handed import each_word
from seqbench.generation.tasks.task import Kind
from seqbench.generation.words import fill_fair
from seqbench.jit import kernel

Array = npt.NDArray[Any]

SYMBOLS = ("0", "1", "w", "r", "i")
WRITE, READ, IGNORE = 2, 3, 4
IGNORED = -100


class FlipFlop:
    """Instructions w (write), r (read), i (ignore), each followed by a bit: after r, the bit last written.

    A length is the number of tokens, two an instruction. The first instruction is w, the last is r; those between are
    independent: i with probability `ignore`, w and r with half the rest each (to within 2^-62). Bits after w and i are
    fair. `labels` has, at every r, the bit that follows, and -100 elsewhere: what stands at a
    position is known from the tokens up to there.

    Example:
        >>> task = FlipFlop({"ignore": 0.8})
        >>> task.solve("w1i0r1")
        [-100, -100, -100, -100, 1, -100]
        >>> task.solve("w1i0r")  # the bit after the last read may be missing
        [-100, -100, -100, -100, 1]
    """

    schema = pa.schema({"input_ids": pa.list_(pa.uint8()), "labels": pa.list_(pa.int32())})
    label_names: tuple[str, ...] = ()
    symbol_names = SYMBOLS
    lengths_hint = "Lengths are even and at least 4: a write, a read, and a bit after each."

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The task with its probability of ignored bits."""
        self.ignore = parameters["ignore"]

    @functools.cached_property
    def machine(self) -> Machine:
        """What the next bit is after each prefix: "0" or "1" after r, "." where nothing is asked."""
        start: _State = (None, None)
        return Machine.explore(SYMBOLS, start, _step, _answer, labels=("0", "1", "."))

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Every even length from 4 on."""
        lengths = np.arange(longest + 1)
        return np.asarray((lengths >= 4) & (lengths % 2 == 0))

    def sizes(self, longest: int) -> tuple[int, int]:
        """Number of symbols and of bits."""
        del longest
        return len(SYMBOLS), 2

    def draw(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Words and what is read."""
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        tokens = np.empty(offsets[-1], dtype=np.uint8)
        labels = np.full(offsets[-1], IGNORED, dtype=np.int32)
        bits = np.empty(offsets[-1] // 2, dtype=np.uint8)
        fill_fair(1, lengths // 2, offsets[:-1] // 2, lane(streams, SECOND_WORD), bits)
        below_ignore = int(self.ignore * 2**63)
        below_write = below_ignore + (2**63 - below_ignore) // 2
        limits = np.array([below_ignore, below_write], dtype=np.uint64)
        order = np.argsort(-lengths, kind="stable")
        _fill(limits, order, lengths, offsets[:-1], lane(streams, FIRST_WORD), tile_buffers(), (bits, tokens, labels))
        rows = pa.array(offsets.astype(np.int32))
        return {
            "input_ids": pa.ListArray.from_arrays(rows, pa.array(tokens)),
            "labels": pa.ListArray.from_arrays(rows, pa.array(labels)),
        }

    def solve(self, inputs: Any) -> Any:
        """The labels of each word; words are text or lists of ids, and one word alone gives one list.

        The bits after reads need not be right: they are not looked at.
        """
        return each_word(_labels, inputs)

    def check(self, table: pa.Table) -> None:
        """Compares the labels with the last write found by searching backwards, and the bits read with the labels.

        Raises:
            InputError: naming the first row that is wrong.
        """
        for number, row in enumerate(table.to_pylist()):
            text = "".join(SYMBOLS[token] for token in row["input_ids"])
            right = [
                int(text[text.rindex("w", 0, t) + 1]) if symbol == "r" else IGNORED for t, symbol in enumerate(text)
            ]
            reads = [int(text[t + 1]) for t, symbol in enumerate(text) if symbol == "r"]
            if row["labels"] != right or reads != [label for label in right if label != IGNORED]:
                raise InputError(f"Row {number} is wrong: {row}.")

    def facts(self) -> dict[str, Any]:
        """The alphabet, chance, and differences from the published task."""
        return {
            "alphabet": list(SYMBOLS),
            "smallest_length": 4,
            "chance": 0.5,
            "distribution": f"i {self.ignore:g}, w and r {(1 - self.ignore) / 2:g} each; first w, last r; fair bits",
            "differences": ["lengths vary; published sequences have 512 tokens (train_lengths=512, test_lengths=512)"],
        }

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """The word, and what is read with dots elsewhere."""
        return {
            "input_ids": "".join(SYMBOLS[token] for token in row["input_ids"]),
            "labels": "".join("." if label == IGNORED else str(label) for label in row["labels"]),
        }


@kernel
def _fill(
    limits: Array,
    order: Array,
    lengths: Array,
    offsets: Array,
    streams: Words,
    buffers: tuple[Words, Words],
    columns: tuple[Array, Array, Array],
) -> None:
    """Tile by tile, longest words first: one 64-bit number an instruction, whose upper 63 bits decide."""
    keys, words = buffers
    bits, tokens, labels = columns
    memory = np.zeros(TILE, np.uint8)
    for tile in range(0, len(order), TILE):
        rows = order[tile : tile + TILE]
        load_tile(streams, rows, keys)
        for counter in range(-(-lengths[rows[0]] // 4)):
            draw_tile(keys, counter, words)
            for r in range(len(rows)):
                for half in range(2):
                    step = 2 * counter + half
                    if 2 * step >= lengths[rows[r]]:
                        break
                    high, low = np.uint64(words[2 * half, r]), np.uint64(words[2 * half + 1, r])
                    number = ((high << np.uint64(32)) | low) >> np.uint64(1)
                    place = offsets[rows[r]] + 2 * step
                    symbol = IGNORE if number < limits[0] else WRITE if number < limits[1] else READ
                    if step == 0:
                        symbol = WRITE
                    if 2 * step + 2 == lengths[rows[r]]:
                        symbol = READ
                    bit = bits[place // 2]
                    if symbol == READ:
                        bit = memory[r]
                        labels[place] = bit
                    elif symbol == WRITE:
                        memory[r] = bit
                    tokens[place], tokens[place + 1] = symbol, bit


# A state is the instruction that waits for its bit (None between two) and the bit in memory (None before the first).
_State = tuple[int | None, int | None] | None


def _step(state: _State, symbol: int) -> _State:
    """The state after a symbol; None once a word is none of instructions and bits by turns."""
    if state is None:
        return None
    instruction, memory = state
    if instruction is None:
        follows = symbol == WRITE or (symbol in (READ, IGNORE) and memory is not None)
        return (symbol, memory) if follows else None
    if symbol > 1:
        return None
    return None, symbol if instruction == WRITE else memory


def _answer(state: _State) -> int:
    """The bit in memory after r."""
    if state is None:
        return OUTSIDE
    instruction, memory = state
    return memory if instruction == READ and memory is not None else 2


def _labels(word: Any) -> list[int]:
    """What each read finds."""
    ids = encode(SYMBOLS, word).tolist()
    instructions, bits = ids[0::2], ids[1::2]
    turns = bool(ids) and min(instructions) >= WRITE and max(bits, default=0) <= 1
    if not turns or ids[0] != WRITE or ids[-1] in (WRITE, IGNORE):
        raise InputError(
            f"{quoted(word)} is no flip-flop word: w, r or i and a bit by turns. Begin with w; only r may end it alone."
        )
    labels, memory = [IGNORED] * len(ids), 0
    for step, symbol in enumerate(instructions):
        if symbol == READ:
            labels[2 * step] = memory
        elif symbol == WRITE:
            memory = bits[step]
    return labels


KINDS = {
    "flip_flop": Kind(FlipFlop, (Parameter("ignore", "number", "the share of ignored bits", 0, 1, default=0.8),), {})
}
