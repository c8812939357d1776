"""A small training set that shows every composition that words of bounded length can show: greedy set cover.

The best word of a length is found by dynamic programming over the brackets around it (see shapes and greedy). Under
scan a word shows more than its brackets hold; what no bracket can show is shown by shortest words, one by one.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from seqbench.algebra.alphabet import decode
from seqbench.catalogue.recipe import whole
from seqbench.covering.api import tested
from seqbench.covering.balance import balancing, classified
from seqbench.covering.greedy import Greedy
from seqbench.covering.possible import possible, union
from seqbench.covering.schedules import DOWN, nodes
from seqbench.covering.task import Task
from seqbench.covering.tell import name_of, tell_labels
from seqbench.errors import InputError, named_options
from seqbench.files import new_file, write_whole
from seqbench.generation.blocks import schema_of, to_arrow
from seqbench.generation.plan import Folder
from seqbench.languages import Language
from seqbench.notebook import cut, section, table

Array = npt.NDArray[Any]

NAMED = 20  # uncoverable compositions that texts name
SHOWN = 8  # words that a notebook shows


@dataclass(frozen=True, eq=False, repr=False)
class Cover:
    """Words that together show every coverable composition.

    Attributes:
        dataset: the task's name.
        words: symbol ids of each word; those that only make labels even come last.
        covered: number of compositions that words of up to the given length can show; all are shown.
        times: how often at least.
        lower_bound: no fewer words could do.
        uncoverable: compositions needed at the test lengths that no such word can show, as a * classes + b.
        task: the language and its schedule.
        added: how many words only make labels even; None where that was not asked for.
    """

    dataset: str
    words: list[Array]
    covered: int
    times: int
    lower_bound: int
    uncoverable: Array
    task: Task
    added: int | None = None

    @cached_property
    def label_counts(self) -> dict[str, int]:
        """How many of the words have each label."""
        labels = self.task.machine.labels
        counts = np.bincount(classified(self.task, self.words).labels, minlength=len(labels))
        return dict(zip(labels, counts.tolist(), strict=True))

    def to_arrow(self) -> pa.Table:
        """The words as a table with the columns of a dataset: symbol ids, label, syntactic class."""
        machine, rows = self.task.machine, classified(self.task, self.words)
        schema = schema_of(machine, classes=True, prefix=False)
        return pa.Table.from_batches([to_arrow(rows, schema, machine, self.task.monoid)])

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain data, with all compositions that cannot be covered."""
        return {
            "dataset": self.dataset,
            "schedule": self.task.schedule,
            "min_width": self.task.min_width,
            "words": len(self.words),
            "words_that_make_labels_even": self.added or 0,
            "labels": self.label_counts,
            "lower_bound": self.lower_bound,
            "covered": self.covered,
            "times": self.times,
            "num_uncoverable": len(self.uncoverable),
            "uncoverable": self._named(len(self.uncoverable)),
        }

    def _named(self, most: int) -> list[dict[str, str]]:
        name, size = self.task.monoid.name, len(self.task.monoid)
        pairs = [divmod(key, size) for key in self.uncoverable[:most].tolist()]
        names = {element: name(element) for pair in pairs for element in pair}
        return [{"left": names[a], "right": names[b]} for a, b in pairs]

    def lines(self) -> list[str]:
        """The numbers in lines that fit a terminal."""
        number, bound = f"{len(self.words) - (self.added or 0):,} words", f"{self.lower_bound:,} words"
        often = "once or more" if self.times == 1 else f"{self.times} times or more"
        shown = f"{number} show all {self.covered:,} coverable compositions, each {often}"
        lines = [f"{self.dataset}: {shown} (schedule {self.task.schedule}); no set of fewer than {bound} could."]
        lines.append(self._of_labels())
        if len(self.uncoverable):
            names = [f"({name_of(each['left'])}, {name_of(each['right'])})" for each in self._named(NAMED)]
            more = ", ... (all: --json)" if len(self.uncoverable) > NAMED else ""
            lines.append(
                f"{len(self.uncoverable):,} compositions that the test needs occur in no such word: "
                f"{', '.join(names)}{more}"
            )
        return lines

    def _of_labels(self) -> str:
        counts, each = tell_labels(self.label_counts), self.label_counts.values()
        if self.added is not None:
            rest = "" if len(set(each)) == 1 else " No word of these lengths has the others."
            return f"With {self.added:,} more words labels are {counts}.{rest}"
        hint = " They show what to join, not how labels are spread: --balance adds words until labels are even."
        return f"Labels: {counts}.{hint if max(each) > 2 * min(each) else ''}"

    def __repr__(self) -> str:
        """The numbers in lines that fit a terminal."""
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        """The numbers in a notebook, with the first words."""
        return section(f"Cover of {self.dataset}", self.lines(), table(self._first_words()))

    def _first_words(self) -> list[tuple[str, str, str]]:
        """A few words with their lengths and labels, under a head."""
        words, machine = self.words[:SHOWN], self.task.machine
        labels = classified(self.task, words).labels.tolist() if words else []
        rows = [
            (cut(decode(machine.alphabet, word.tolist())), str(len(word)), machine.labels[label])
            for word, label in zip(words, labels, strict=True)
        ]
        return [("first words" if len(words) < len(self.words) else "words", "length", "label"), *rows] if rows else []


@named_options
def cover(
    name: str | Language,
    *,
    max_length: int,
    times: int = 1,
    test_lengths: Any = None,
    schedule: str = "tree",
    min_width: int = 1,
    balance: bool = False,
    catalogue: Folder = None,
) -> Cover:
    """A greedy training set of words of up to `max_length` symbols that shows each coverable composition `times` times.

    Args:
        name: a dataset, or a Language of your own (words by the law uniform, lengths as of a dataset).
        max_length: no word is longer.
        times: how often each composition is shown, at least.
        test_lengths: shortest and longest test word, which say what is needed; the dataset's by default.
        schedule: how a model joins blocks: "tree", "scan" or "left".
        min_width: leave out joins with a narrower block.
        balance: add words until all labels are alike frequent, drawn uniformly, of lengths as those of the others.
        catalogue: a folder with definitions of your own.

    Raises:
        InputError: a length or number that cannot be used.
        TooLargeError: over 2,000 classes.

    Example:
        >>> found = cover("parity_check", max_length=8)
        >>> found.covered, len(found.words), found.lower_bound, len(found.uncoverable)
        (4, 2, 1, 0)
    """
    max_length, times = whole("max_length", max_length, 2, 4096), whole("times", times, 1, 10**6)
    planned, task = tested(name, catalogue, test_lengths, schedule, min_width)
    lengths = _lengths(task, max_length)
    by_level = possible(task, np.array(lengths))
    coverable, needed = union(by_level), union(possible(task, planned.splits["test"].split.lengths))
    keys, wanted = (each.keys() if each.size else np.empty(0, dtype=np.int64) for each in (coverable, needed))
    words = Greedy(task, lengths).cover(keys, times) if len(keys) else []
    bound = _lower_bound(task, by_level, max_length, times)
    more = balancing(task, words, max_length) if balance and words else []
    missing = np.setdiff1d(wanted, keys, assume_unique=True)
    return Cover(planned.name, words + more, len(keys), times, bound, missing, task, len(more) if balance else None)


def _lengths(task: Task, longest: int) -> list[int]:
    inside = task.outputs[task.monoid.maps[:, 0]] >= 0
    found = [n for n in range(2, longest + 1) if (task.monoid.reach(n) & inside).any()]
    if not found:
        raise InputError(f"max_length is {longest}, and no word of the domain has 2 to {longest} symbols. Raise it.")
    return found


def _lower_bound(task: Task, by_level: dict[int, Any], longest: int, times: int) -> int:
    """Compositions that occur only between wide blocks need words, each of which joins few wide blocks."""
    bound, seen = 0, np.zeros(len(task.monoid) ** 2, dtype=bool)
    total = len(union(by_level)) if by_level else 0
    heights = nodes(task.schedule, longest, task.min_width).level % DOWN
    for height in sorted({level % DOWN for level in by_level}):
        joins = int((heights >= height).sum())
        bound = max(bound, -(-(total - int(seen.sum())) * times // joins))
        for level, compositions in by_level.items():
            if level % DOWN == height:
                seen[compositions.keys()] = True
    return bound


def write_cover(found: Cover, path: Path) -> None:
    """Writes the words as Parquet with the columns of a dataset, whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    rows = found.to_arrow()
    write_whole(path, lambda temporary: pq.write_table(rows, temporary))


def new_cover(path: Path, *, force: bool) -> Path:
    """The absolute path of a file that `write_cover` may write: to be asked before long work.

    Raises:
        InputError: another ending, or something is there, and `force` is not given or it is no regular file.
    """
    if path.suffix != ".parquet":
        raise InputError(f"{str(path)!r} does not end in .parquet, and that is what is written. Rename it.")
    return new_file(path, force=force)
