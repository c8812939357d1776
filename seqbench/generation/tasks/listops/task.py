"""The task kind ListOps."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.errors import InputError
from seqbench.generation.streams import CHOICE, Words, below, draw64, lane, row_streams, unit_key
from seqbench.generation.tasks.listops import values
from seqbench.generation.tasks.listops.expand import ANY, expand
from seqbench.generation.tasks.listops.weights import MAX_LENGTH, weights

Array = npt.NDArray[Any]

FIGURE_ROWS = 4096
FIGURE_LENGTHS = (50, 500, 2000)  # the lengths that shortcut figures are measured at, or the dataset's nearest
_INNERMOST = re.compile(r"\[(MIN|MAX|MED|SM)((?: \d)+) \]")


class ListOps:
    """An expression of an exact number of tokens under the node rule, and its value.

    The rule: a node above the last level is an operator with some probability, MIN, MAX, MED or SM alike, with 2 to
    max_args arguments alike; else it is a digit, 0 to 9 alike, as on the last level. MED is the median, its half cut
    off; SM is the sum modulo 10.

    A token is a digit, an operator with its square bracket, or the closing square bracket: `[MAX 2 9 ]` has four. The
    round brackets of the published files are no tokens, as in the published count. Ids: the digits, 10 [MIN, 11 [MAX,
    12 [MED, 13 [SM, 14 ].

    Within a length every expression has exactly its chance under the rule given that length, by counting (see `weights`
    and `expand`), never by rejection: in total variation an expression of n tokens is off by less than n 2^-62, from
    the digits, plus n^2 2^-100. With labels = "balanced" the value is uniform over the ten, independent of the length,
    and the expression has its chance given its length and value: it is drawn until it has that value. That is exact,
    and short: an expression with an operator has each value with a chance of some percent, at least 1/40 wherever SM
    at the root has a digit among its arguments. Counting by value too would need the joint law of two order
    statistics of up to max_args arguments at each length and level.

    Sources: Nangia, Bowman, "ListOps: a diagnostic dataset for latent tree learning", NAACL SRW 2018; Tay et al.,
    "Long Range Arena", ICLR 2021.

    Example:
        >>> from seqbench.generation.tasks import TASKS
        >>> kind = TASKS["listops"]
        >>> task = kind.build(kind.check({"max_args": 3, "max_depth": 9}))
        >>> task.solve("[MAX 2 9 [MIN 4 7 ] 0 ]"), task.solve([[13, 8, 7, 14], [5]])
        (9, [5, 5])
        >>> task.admits(10).nonzero()[0].tolist()
        [1, 4, 5, 7, 8, 9, 10]
    """

    schema = pa.schema({"input_ids": pa.list_(pa.uint8()), "label": pa.int64()})
    label_names: tuple[str, ...] = tuple("0123456789")
    symbol_names = values.TOKENS

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The task with its node rule."""
        self.rule = (parameters["max_args"], parameters["max_depth"], parameters["operator_probability"])
        self.balanced = parameters["labels"] == "balanced"
        steps = {2: "1, 4, 7, 10, ...", 3: "1, 4, 5 and all from 7 on"}.get(self.rule[0], "1 and all from 4 on")
        self.lengths_hint = f"Lengths are {steps}, as far as max_depth {self.rule[1]} allows."

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Whether there are expressions, by length: whether they have a chance."""
        return np.asarray(weights(self.rule, longest).trees[: longest + 1] > 0)

    def sizes(self, longest: int) -> tuple[int, int]:
        """Number of tokens and of values."""
        del longest
        return len(values.TOKENS), len(self.label_names)

    def draw(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Expressions and their values."""
        lengths = lengths.astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        tokens = np.empty(offsets[-1], dtype=np.uint8)
        wanted = np.full(len(lengths), ANY)
        if self.balanced:
            wanted = below(draw64(lane(streams, CHOICE))[1], 10)  # the first word may have chosen the length
        made = weights(self.rule, int(lengths.max(initial=1)))
        labels = expand(made, lengths, offsets[:-1], streams, wanted, tokens)
        rows = pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(tokens))
        return {"input_ids": rows, "label": pa.array(labels)}

    def solve(self, inputs: Any) -> list[Any]:
        """The value of each expression, given as text or token ids, however deep and wide it is."""
        if values.is_one(inputs):
            return values.solve(inputs)  # type: ignore[return-value]  # one expression has one value
        return [values.solve(expression) for expression in inputs]

    def check(self, table: pa.Table) -> None:
        """Rewrites the text of each row, innermost lists first, and compares; depth and width are looked at too."""
        for number, row in enumerate(table.to_pylist()):
            text = " ".join(values.TOKENS[token] for token in row["input_ids"])
            depth, widest = 1, 0
            while found := _INNERMOST.findall(text):
                depth, widest = depth + 1, max(widest, *(len(digits) // 2 for _, digits in found))
                text = _INNERMOST.sub(_rewrite, text)
            if text != str(row["label"]) or depth > self.rule[1] or widest > self.rule[0]:
                raise InputError(f"Row {number} is wrong: {row}.")

    def facts(self) -> dict[str, Any]:
        """Tokens, lengths, differences from the published task."""
        return {
            "tokens": list(values.TOKENS),
            "smallest_length": 1,
            "largest_length": MAX_LENGTH,
            "lengths": self.lengths_hint,
            "labels": "uniform over the digits" if self.balanced else "as the node rule makes them",
            "differences": [
                "lengths are uniform over the range asked for; within a length the node rule holds exactly",
                "no rejection, no set order, no clock: rows are a function of name, version, seed, split and number",
                "round brackets are left out of the tokens, not only of the count",
            ],
        }

    def shortcuts(self, lengths: Sequence[int]) -> dict[str, dict[str, float]]:
        """Scores of the best guess from nothing and from the root alone, by length, over 4096 expressions each."""
        found = {}
        there = np.asarray(lengths)
        for length in dict.fromkeys(int(there[np.abs(there - near).argmin()]) for near in FIGURE_LENGTHS):
            streams = row_streams(unit_key("shortcuts", length), np.arange(FIGURE_ROWS))
            columns = self.draw(np.full(FIGURE_ROWS, length), streams)
            roots = columns["input_ids"].flatten().to_numpy()[::length]
            table = np.zeros((len(values.TOKENS), 10), dtype=np.int64)
            np.add.at(table, (roots, columns["label"].to_numpy()), 1)
            found[f"length {length}"] = {
                "majority_score": round(float(table.sum(axis=0).max() / FIGURE_ROWS), 4),
                "root_operator_score": round(float(table.max(axis=1).sum() / FIGURE_ROWS), 4),
            }
        return found

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """The expression as text, and its value."""
        return {
            "input_ids": " ".join(values.TOKENS[token] for token in row["input_ids"]),
            "label": self.label_names[row["label"]],
        }


def _rewrite(found: re.Match[str]) -> str:
    digits = sorted(map(int, found[2].split()))
    half = len(digits) // 2
    median = digits[half] if len(digits) % 2 else (digits[half - 1] + digits[half]) // 2
    return str({"MIN": digits[0], "MAX": digits[-1], "MED": median, "SM": sum(digits) % 10}[found[1]])
