"""Worked examples of a dataset: short rows as people read them, and of languages a near miss beside its member."""

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, permutations, product
from typing import Any

import numpy as np

from seqbench.algebra.alphabet import encode_batch
from seqbench.errors import InputError
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import Plan
from seqbench.generation.task_plan import TaskPlan
from seqbench.languages import Language

READABLE = 10  # symbols of an example, about
LINE = 80  # characters of an example, if any length has so few
WHOLE = 320  # characters of an example that is shown whole
TRIED = 20  # lengths among which a readable one is looked for
DRAWN = 256  # rows among which examples are looked for
MOST = 4  # examples of different labels
ACCEPTOR = ("reject", "accept")

Row = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """One row of a dataset, or a near miss beside it.

    Attributes:
        kind: what it shows: "member", "non-member", "near miss" or "example".
        row: the columns as plain data.
        shown: the columns as people read them.
        member: of a near miss, a member that one edit makes of it.
    """

    kind: str
    row: Row
    shown: dict[str, str]
    member: "Example | None" = None

    @property
    def word(self) -> str:
        """The input as people read it."""
        return next(iter(self.shown.values()))


def examples(planned: BasePlan) -> list[Example]:
    """A few short examples: of a language a member, a non-member and a near miss, else rows of different labels.

    An edit replaces one symbol, swaps two or moves one.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> [(each.kind, each.word, each.shown["label"]) for each in examples(plan("dyck_d2"))]
        [('member', '0100101101', 'accept'), ('non-member', '0011001100', 'reject'),
        ('near miss', '1101001101', 'reject')]
    """
    rows, show = _rows(planned), describer(planned)
    if planned.label_names != ACCEPTOR:
        return [Example("example", row, show(row)) for row in _varied(rows)]
    found = [Example(("non-member", "member")[row["label"]], row, show(row)) for row in reversed(_varied(rows))]
    for near, of in islice(_near_misses(planned, rows, [each.row for each in found]), 1):
        found.append(Example("near miss", near, show(near), Example("member", of, show(of))))
    return found


def describer(planned: BasePlan) -> Callable[[Row], dict[str, str]]:
    """How a row is shown to people: a function from its columns to short texts.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> describer(plan("parity_check"))({"input_ids": [0, 1], "label": 1})
        {'word': '01', 'label': 'accept'}
    """
    if isinstance(planned, TaskPlan):
        return planned.task.show
    if isinstance(planned, Plan):
        language = Language(planned.machine, planned.name)
        return lambda row: _show(language, row)
    raise TypeError(type(planned))


def _show(language: Language, row: Row) -> dict[str, str]:
    shown = {"word": language.decode(row["input_ids"]), "label": language.labels[row["label"]]}
    if "syntactic_class" in row:
        number = row["syntactic_class"]
        shown |= {"syntactic_class": number, "class_name": language.monoid.names[number] or "(empty word)"}
    return shown


def _rows(planned: BasePlan) -> list[Row]:
    """Rows of one readable length: of languages the dataset's own, of tasks drawn apart from its splits."""
    if isinstance(planned, TaskPlan):
        return _readable(planned)
    split = next(iter(planned.splits))
    block = planned.block(split, 0)
    lengths = block.column(0).value_lengths().to_numpy()
    if isinstance(planned, Plan):
        labels = planned.num_labels(int(lengths.max()))[lengths]
        wanted = _nearest(lengths[labels == labels.max()])[0]
    return list(block.filter(lengths == wanted).to_pylist())


def _readable(planned: TaskPlan) -> list[Row]:
    """Rows of the length nearest to a readable one at which they fit in a line, or else are short; of the nearest."""
    lengths = _nearest(np.flatnonzero(_admitted(planned)))[:TRIED]
    sample = functools.cache(lambda length: planned.sample(length, DRAWN))
    for limit, length in product((LINE, WHOLE), lengths):
        rows = sample(length)
        if all(_can_be_checked(row, planned.task.show(row), limit) for row in _varied(rows)):
            return rows
    return sample(lengths[0])


def _can_be_checked(row: Row, shown: dict[str, str], limit: int) -> bool:
    """Whether a row is short as people read it and, of numbers, has a target that is not 0."""
    return max(map(len, shown.values())) <= limit and bool(np.any(row.get("targets", True)))


def _admitted(planned: TaskPlan) -> Any:
    longest = 2 * READABLE
    while not planned.task.admits(longest)[1:].any():
        longest *= 2
    return planned.task.admits(longest)


def _nearest(lengths: Any) -> list[int]:
    """The positive lengths, nearest to a readable one first."""
    lengths = np.unique(lengths[lengths > 0])
    return list(map(int, lengths[np.argsort(np.abs(lengths - READABLE), kind="stable")]))


def _varied(rows: list[Row]) -> list[Row]:
    """The first row of each of the first labels; the first rows where there are none."""
    if "label" not in rows[0]:
        return rows[: MOST - 1]
    first = {row["label"]: row for row in reversed(rows)}
    return [first[label] for label in sorted(first)][:MOST]


def _near_misses(planned: BasePlan, rows: list[Row], taken: list[Row]) -> Iterator[tuple[Row, Row]]:
    """Non-members that one edit makes of a member, each with the first such member in the order of ids."""
    others = [row for row in rows if row["label"] == 0 and row not in taken]
    if isinstance(planned, Plan) and "test_near_miss" in planned.splits:
        others += _drawn(planned, len(rows[0]["input_ids"]))
    symbols = 1 + max(max(each["input_ids"]) for each in rows)
    for row in others:
        words = sorted(_edits(tuple(row["input_ids"]), symbols))
        labels = solved(planned, words)
        if 1 in labels:
            yield row, {"input_ids": words[labels.index(1)], "label": 1}


def _drawn(planned: Plan, length: int) -> list[Row]:
    """Near misses by their own law, for languages whose random non-members are far from every member."""
    language = Language(planned.machine, planned.name)
    try:
        words = language.sample_ids(length, label=0, n=MOST, sampling="near_miss")
    except InputError:  # this length has none
        return []
    rows: list[Row] = [{"input_ids": word.tolist(), "label": 0} for word in words]
    if planned.monoid is not None:
        rows = [row | {"syntactic_class": language.syntactic_class(row["input_ids"])} for row in rows]
    return rows


def _edits(word: tuple[int, ...], symbols: int) -> set[tuple[int, ...]]:
    """The other words that one edit makes: a symbol replaced, two swapped, or one moved."""
    places = range(len(word))
    replaced = {(*word[:i], symbol, *word[i + 1 :]) for i in places for symbol in range(symbols)}
    swapped = {(*word[:i], word[j], *word[i + 1 : j], word[i], *word[j + 1 :]) for i, j in combinations(places, 2)}
    left = [word[:i] + word[i + 1 :] for i in places]
    moved = {(*left[i][:j], word[i], *left[i][j:]) for i, j in permutations(places, 2)}
    return (replaced | swapped | moved) - {word}


def solved(planned: BasePlan, words: Sequence[Sequence[int]]) -> list[Any]:
    """The right target of each word of ids; of words outside a language's domain -1.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> solved(plan("parity_check"), [[0, 1], [1, 1]])
        [1, 0]
    """
    if isinstance(planned, TaskPlan):
        return list(planned.task.solve([list(word) for word in words]))
    if isinstance(planned, Plan):
        tokens, offsets = encode_batch(planned.machine.alphabet, [np.array(word, np.int64) for word in words])
        return [int(label) for label in planned.machine.outputs[planned.machine.run(tokens, offsets)]]
    raise TypeError(type(planned))
