"""The calls: coverage of data, expected coverage of a recipe."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.algebra.monoid import Monoid
from seqbench.catalogue.reader import open_catalogue
from seqbench.catalogue.recipe import whole
from seqbench.covering.bounds import ChanceBounds
from seqbench.covering.expected import MAX_CLASSES, Task, expected_counts
from seqbench.covering.inputs import Chunk, read_words
from seqbench.covering.report import CoverageReport, Need, covered_words
from seqbench.covering.schedules import check_schedule
from seqbench.covering.subject import plan_for
from seqbench.covering.tally import Tally, inside_words
from seqbench.errors import InputError, SeqbenchError, TooLargeError, named_options
from seqbench.generation.plan import Folder, Plan, language_plan
from seqbench.languages import Language, language
from seqbench.progress import counting

Array = npt.NDArray[Any]


@named_options
def coverage(
    name: str | Language,
    train: Any = None,
    test: Any = None,
    *,
    column: str | None = None,
    schedule: str = "tree",
    min_width: int = 1,
    test_lengths: Any = None,
    catalogue: Folder = None,
) -> CoverageReport:
    """What a training set covers of the compositions of syntactic classes.

    Args:
        name: a dataset, or a Language of your own.
        train: training words of any origin: a Dataset, an Arrow table, a data frame, an array, a path or glob
            (.parquet, .csv, .tsv, .jsonl, .txt), or a list of words as text or ids. Without them the dataset's own.
        test: test words likewise. Without them the dataset's own test recipe is taken, exactly.
        column: which column holds the words.
        schedule: how a model joins blocks: "tree", "scan" or "left".
        min_width: leave out joins with a narrower block (the LDRU study counts from 2).
        test_lengths: lengths of the recipe's test words, where they differ from the dataset's; for a language, those
            of uniform test words.
        catalogue: a folder with definitions of your own.

    Raises:
        SeqbenchError: whatever is wrong with the data or an argument.

    Example:
        >>> report = coverage("parity_check", ["01", "11", "0"])
        >>> report.train.words, report.test_mass_covered < 1
        (3, True)
    """
    min_width = whole("min_width", min_width, 1, 1 << 30)
    lang = name if isinstance(name, Language) else language(name, catalogue)
    if test is not None and test_lengths is not None:
        raise InputError(
            "test and test_lengths were both given. Give test words, or lengths for the dataset's own recipe."
        )
    planned = _test_recipe(name, lang, test_lengths, catalogue) if test is None else None  # before any word is read
    if train is None:
        train = _own_words(name, catalogue)
    tally = Tally(lang.monoid, schedule, min_width).add_all(_words(lang, train, column, "Reading training words"))
    if tally.words == 0:
        raise InputError("The training data holds no word. Give at least one.")
    if test is not None:
        return _against_data(lang, tally, test, column)
    if planned is None or len(lang.monoid) > MAX_CLASSES or "test" not in planned.splits:
        return CoverageReport(lang, tally)
    return _against_recipe(lang, tally, planned)


def _test_recipe(name: str | Language, lang: Language, test_lengths: Any, catalogue: Folder) -> Plan | None:
    """The plan whose test words are the test distribution: a dataset's, or a language's where lengths are given."""
    is_dataset = isinstance(name, str) and name in open_catalogue(catalogue).datasets
    if not is_dataset and test_lengths is None:
        return None
    return plan_for(name if is_dataset else lang, catalogue, near_miss=False, **_lengths(test_lengths))


def _own_words(name: str | Language, catalogue: Folder) -> pa.RecordBatchReader:
    """The training words of a dataset, made block by block."""
    if not isinstance(name, str) or name not in open_catalogue(catalogue).datasets:
        raise InputError(
            f"{name!r} is no dataset with training words of its own. Give some: train=..., or --train FILE."
        )
    planned = language_plan(name, catalogue, classes=False)
    if "train" not in planned.splits:
        raise InputError(f"{name} has no training words (train_examples is 0). Give some: train=..., or --train FILE.")
    blocks = planned.blocks("train", range(planned.splits["train"].num_blocks))
    return pa.RecordBatchReader.from_batches(planned.schema, blocks)


def _words(lang: Language, data: Any, column: str | None, what: str) -> Iterator[Chunk]:
    with counting(what, "words") as done:
        for chunk in read_words(data, lang.alphabet, column):
            yield chunk
            done(len(chunk[1]) - 1)


def _lengths(test_lengths: Any) -> dict[str, Any]:
    return {} if test_lengths is None else {"test_lengths": test_lengths}


def _against_data(lang: Language, train: Tally, test: Any, column: str | None) -> CoverageReport:
    tally = Tally(lang.monoid, train.schedule, train.min_width)
    longest = 1
    covered, total = np.zeros(1), np.zeros(1)
    for everything in _words(lang, test, column, "Reading test words"):
        tally.add(everything)
        chunk, _ = inside_words(lang.monoid, everything)
        lengths = np.diff(chunk[1])
        longest = max(longest, int(lengths.max(initial=0)) + 1)
        covered, total = _grown(covered, longest), _grown(total, longest)
        covered += np.bincount(lengths, weights=covered_words(train, chunk), minlength=longest)
        total += np.bincount(lengths, minlength=longest)
    if tally.words == 0:
        raise InputError("The test data holds no word. Leave test out, or give at least one.")
    there = np.flatnonzero(total)
    need = {level: Need(tally.pairs(level).keys, tally.pairs(level).counts) for level in tally.levels}
    curve = there, covered[there] / total[there]
    return CoverageReport(lang, train, need, there[there > 0], tally.words, curve, tally)


def _grown(array: Array, size: int) -> Array:
    return np.concatenate([array, np.zeros(size - len(array))]) if size > len(array) else array


def _against_recipe(lang: Language, train: Tally, planned: Plan) -> CoverageReport:
    """The test distribution is that of the recipe: every length alike, words by the sampling law."""
    lengths = planned.splits["test"].split.lengths
    task = task_of(planned, train.schedule, train.min_width, lang.monoid)
    chance = np.full(len(lengths), 1 / len(lengths))
    weights = planned.recipe.sampling
    try:
        counts = expected_counts(task, weights, lengths, chance)
    except SeqbenchError:
        return CoverageReport(lang, train, test_lengths=lengths)
    seen = np.zeros(len(lang.monoid) ** 2)
    seen[train.pairs().keys] = 1
    curve = None
    if train.schedule == "tree" or "composition" not in weights:
        shares = ChanceBounds(task, weights, lengths, chance).all_among(seen.reshape(len(lang.monoid), -1))
        curve = lengths, shares
    need = {level: Need(np.flatnonzero(count), count.ravel()[np.flatnonzero(count)]) for level, count in counts.items()}
    return CoverageReport(lang, train, need, lengths, None, curve)


def tested(
    name: str | Language, catalogue: Folder, test_lengths: Any, schedule: str, min_width: int
) -> tuple[Plan, Task]:
    """The plan and task of a dataset that has test words and a table of classes: what plans and covers are made for.

    Raises:
        TooLargeError: over 2,000 classes.
        InputError: no test words.
    """
    planned = plan_for(name, catalogue, near_miss=False, **_lengths(test_lengths))
    task = task_of(planned, schedule, min_width)
    size = len(task.monoid)
    if size > MAX_CLASSES:
        raise TooLargeError(
            f"{planned.name} has {size:,} classes; plans and covers are made for {MAX_CLASSES:,} at most."
        )
    if "test" not in planned.splits:
        raise InputError(
            f"{planned.name} has no test words (test_examples_per_length is 0). Name a dataset that has some."
        )
    return planned, task


def task_of(planned: Plan, schedule: str = "tree", min_width: int = 1, monoid: Monoid | None = None) -> Task:
    """The task of a plan: its language, with left-out labels outside the domain."""
    outputs = planned.machine.outputs
    if planned.labels is not None:
        outputs = np.where(np.isin(outputs, planned.labels), outputs, -1)
    check_schedule(schedule)
    monoid = monoid or planned.monoid
    if monoid is None:
        raise InputError("Coverage needs syntactic classes, and classes=False leaves them out. Leave that option out.")
    return Task(planned.machine, monoid, outputs, schedule, whole("min_width", min_width, 1, 1 << 30))


def load_language(spec: str, catalogue: Folder = None) -> Language:
    """A language by name, or from a file: a TOML definition or AT&T text (with a symbol table beside it).

    Raises:
        SeqbenchError: there is none of that name, or the file cannot be used.
    """
    if not Path(spec).suffix:
        return language(spec, catalogue)
    return Language.from_file(spec)
