"""Manipulate a stack: bits, then actions; the stack that is left."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from seqbench.generation.streams import FIRST_WORD, SECOND_WORD, Words, below, draw64, lane
from seqbench.generation.tasks.chomsky.base import LAYOUT, SHOWN_BY, StringTask
from seqbench.generation.tasks.chomsky.rows import Rows, blank
from seqbench.generation.tasks.chomsky.uniform import fill_uniform
from seqbench.generation.tasks.task import Kind
from seqbench.generation.words import fill_fair
from seqbench.jit import kernel

Array = npt.NDArray[Any]

POP, PUSH_0, PUSH_1 = 2, 3, 4
END = 2
THIRD = 3  # lane


class StackManipulation(StringTask):
    """A stack of bits from bottom to top, then actions; the final stack from top to bottom, an end symbol, zeros.

    The stack's size is uniform in 1 .. n - 1, its bits are fair, the other symbols are actions, each uniform in pop
    (id 2), push 0 (id 3), push 1 (id 4). A pop of the empty stack is ignored. The output has n + 1 symbols; the end
    symbol (id 2) is the last that counts. As text, pop is '-', push 0 'a', push 1 'b', the end symbol '$'.

    Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> task = StackManipulation({"layout": "separate"})
        >>> task.solve("01-b")
        [1, 0, 2, 0, 0]
        >>> task.solve([1, 2, 2, 3])
        [0, 2, 0, 0, 0]
    """

    smallest: ClassVar[int] = 2
    masked: ClassVar[bool] = True
    domain: ClassVar[str] = "An input is one or more bits, then one or more actions, ids 2 to 4 ('-', 'a', 'b')."
    differences: ClassVar[tuple[str, ...]] = ("None in the data: lengths from 2 on, as there.",)
    alphabet = ("0", "1", "-", "a", "b")
    outputs = ("0", "1", "$")

    def inputs(self, lengths: Array, streams: Words) -> Rows:
        """Bits, then actions."""
        rows = blank(lengths)
        first = rows.offsets[:-1]
        sizes = 1 + below(draw64(lane(streams, THIRD))[0], lengths - 1)
        fill_uniform(3, lengths - sizes, first + sizes, lane(streams, SECOND_WORD), rows.tokens, least=POP)
        fill_fair(1, sizes, first, lane(streams, FIRST_WORD), rows.tokens)
        return rows

    def output_lengths(self, lengths: Array) -> Array:
        """One more than the input's."""
        return lengths + 1

    def answer(self, rows: Rows) -> tuple[Rows, Array]:
        """The final stacks."""
        out = blank(rows.lengths + 1)
        sizes = np.empty(len(rows.lengths), np.int64)
        scratch = np.zeros(int(rows.lengths.max(initial=0)) + 1, np.uint8)
        _simulate(rows.tokens, rows.offsets, scratch, out.tokens, out.offsets, sizes)
        return out, sizes + 1

    def fault(self, word: list[int]) -> str | None:
        """Whether bits come first, then actions."""
        sizes = [place for place, token in enumerate(word) if token >= POP] or [len(word)]
        late = [place for place in range(sizes[0], len(word)) if word[place] < POP]
        if sizes[0] == 0 or sizes[0] == len(word):
            return "it has no bits" if sizes[0] == 0 else "it has no action"
        return f"position {late[0]} has a bit after an action" if late else None

    def slow_answer(self, word: list[int]) -> list[int]:
        """A Python list as the stack."""
        stack: list[int] = []
        for token in word:
            if token != POP:
                stack.append(token % 3)
            elif stack:
                del stack[-1]
        return [*reversed(stack), END]

    def own_facts(self) -> dict[str, Any]:
        """A guessed bit is right half the time."""
        return {"chance": 0.5, "chance_note": "of a bit that counts; the end symbol can be placed by its position only"}


@kernel
def _simulate(tokens: Array, offsets: Array, stack: Array, out: Array, out_offsets: Array, sizes: Array) -> None:
    """Runs every row without branches: what is written above the top is never read."""
    for i in range(len(sizes)):
        size = 0
        for j in range(offsets[i], offsets[i + 1]):
            token = np.int64(tokens[j])
            stack[size] = (token & 1) if token < POP else np.int64(token == PUSH_1)
            size = max(size + (-1 if token == POP else 1), 0)
        place = out_offsets[i]
        for j in range(size):
            out[place + j] = stack[size - 1 - j]
        out[place + size] = END
        sizes[i] = size


KINDS = {"stack_manipulation": Kind(StackManipulation, (LAYOUT,), {}, SHOWN_BY)}
