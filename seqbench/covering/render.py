"""Coverage reports in words: the text for a terminal, and the sentences and tables of the page."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from seqbench.covering.tell import end_lengths, tell_labels
from seqbench.errors import quoted

if TYPE_CHECKING:
    from seqbench.covering.report import CoverageReport

WIDTH = 60  # characters of a word that the terminal shows
COLUMNS = {
    "level": "joins",
    "seen_1": "seen",
    "seen_3": "3 times",
    "seen_10": "10 times",
    "possible_in_training": "possible in training",
    "possible_in_test": "possible in test",
    "of_those_seen": "of those seen",
    "test_mass_covered": "test mass seen",
}


def text(report: "CoverageReport") -> str:
    """The report in lines that fit a terminal."""
    facts = report.to_dict(most=5)
    lines = [headline(facts), *outside(facts), "", *_aligned(level_table(facts["levels"]))]
    lines += ["", *sentences(facts)]
    if facts.get("missing"):
        lines += ["", "Missing compositions that the test needs most, with a shortest word that shows each:"]
        rows = [tuple(map(_cut, row)) for row in missing_rows(facts["missing"])]
        lines += _aligned([("left", "right", "share", "witness"), *rows])
    return "\n".join(lines)


def _cut(word: str) -> str:
    """A word as the terminal shows it: long ones are cut."""
    return word if len(word) <= WIDTH else f"{word[: WIDTH - 3]}... ({len(word):,} characters)"


def headline(facts: dict[str, Any]) -> str:
    """What was measured."""
    return (
        f"{facts['language']}: {number(facts['num_classes'], 'class', 'classes')}; "
        f"{number(facts['train_words'], 'training word')}{_lengths(facts['train_lengths'])}; "
        f"schedule {facts['schedule']}, children of width {facts['min_width']} or more."
    )


def _lengths(span: list[int]) -> str:
    if not span:
        return ""
    return f" of length {span[0]}" if span[0] == span[1] else f" of lengths {span[0]} to {span[1]}"


def number(count: int, one: str, many: str = "") -> str:
    """The number with its noun.

    Example:
        >>> number(1, "word"), number(2000, "word"), number(2, "class", "classes")
        ('1 word', '2,000 words', '2 classes')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def outside(facts: dict[str, Any]) -> list[str]:
    """How many words lie outside the task's domain, and the first of them; nothing if none does."""
    lines = []
    for part, name in (("train", "training"), ("test", "test")):
        count = facts.get(f"{part}_words_outside_the_domain", 0)
        if count:
            first = facts[f"first_{part}_words_outside"]
            named = ", ".join(f"{_where(each)} {quoted(each['word'], 40)}" for each in first)
            lies = "1 lies" if count == 1 else f"{count:,} lie"
            of = number(facts[f"{part}_words"], f"{name} word")
            more = ", ..." if count > len(first) else ""
            lines.append(f"Of {of} {lies} outside the task's domain, and nothing of them is counted: {named}{more}.")
    return lines


def _where(stray: dict[str, Any]) -> str:
    return f"{stray['file']} row {stray['row']}" if stray["file"] else f"row {stray['row']}"


def sentences(facts: dict[str, Any]) -> list[str]:
    """What the numbers say."""
    seen = facts["classes"]
    known = f"{seen['of_words_seen']:,} seen of {seen['of_words_possible_in_training']:,} possible in training"
    lines = [
        f"Labels of the training words: {tell_labels(facts['train_labels'])}.",
        f"Classes of whole words: {known}.",
    ]
    if "num_never_seen" in seen:
        never = f"{seen['num_never_seen']:,} of them were never the class of a training word or block"
        lines.append(f"Test words can have {number(seen['of_words_possible_in_test'], 'class', 'classes')}; {never}.")
    lines.append(_next(facts))
    if "test_mass_covered" not in facts:
        step = "give test words (--test), or test lengths (--test-lengths; up to 2,000 classes)."
        return [*lines, f"No test distribution to compare with: {step}"]
    return [*lines, _test_sentence(facts), *_curve_sentences(facts.get("words_fully_covered"), facts["num_missing"])]


def _next(facts: dict[str, Any]) -> str:
    every = facts["levels"][-1]
    if every["seen_1"] == every.get("possible_in_training"):
        return "Training words of these lengths can show no further composition."
    return (
        f"Chance that the next training composition is a new one (Good-Turing): {facts['unseen_mass_good_turing']:.2e}."
    )


def _test_sentence(facts: dict[str, Any]) -> str:
    exact = facts["test_words"] is None
    whence = "the test recipe, exactly" if exact else number(facts["test_words"], "test word")
    missing = facts["num_missing"]
    return (
        f"Of the test's compositions ({whence}) training showed {facts['test_mass_covered']:.4%} by mass; "
        f"{'1 is' if missing == 1 else f'{missing:,} different ones are'} missing."
    )


def _curve_sentences(curve: dict[int, float] | None, missing: int) -> list[str]:
    if not curve:
        return []
    mean = sum(curve.values()) / len(curve)
    ends = ", ".join(f"{curve[length]:.1%} at {length}" for length in end_lengths(curve))
    mine = f"Test words all of whose compositions training showed: {mean:.1%} on average over lengths ({ends})."
    guess = " A model that learns each product from examples has to guess on the rest."
    return [mine + guess * (missing > 0)]


def level_table(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """The rows of a report under their headings, as text."""
    keys = [key for key in COLUMNS if any(key in row for row in rows)]
    return [tuple(COLUMNS[key] for key in keys), *(tuple(_cell(row.get(key)) for key in keys) for row in rows)]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4%}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def missing_rows(missing: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Left and right block, share, and witness of the compositions missing, as text."""
    return [
        (
            each["left"] or "(empty)",
            each["right"] or "(empty)",
            f"{each['share']:.2e}",
            "(longer than 16,384 symbols)" if each["witness"] is None else each["witness"],
        )
        for each in missing
    ]


def _aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in table]
