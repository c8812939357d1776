"""Coverage reports to read and to look at: text, a page of HTML without JavaScript, pictures."""

import html as escape
import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.structure import Structure
from seqbench.covering.expected import MAX_CLASSES
from seqbench.errors import InputError, unknown_name
from seqbench.files import write_whole

if TYPE_CHECKING:
    from seqbench.covering.report import CoverageReport

Array = npt.NDArray[Any]

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
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; background: white; max-width: 62em; margin: 2em auto; }
table { border-collapse: collapse; margin: 1em 0; } td, th { padding: .2em .8em; text-align: right; }
th { border-bottom: 1px solid #5f6874; font-weight: 600; } td:first-child, th:first-child { text-align: left; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; } svg, img { max-width: 100%; height: auto; }
"""


def text(report: "CoverageReport") -> str:
    """The report in lines that fit a terminal."""
    facts = report.to_dict(most=5)
    lines = [_headline(facts), "", *_aligned(_table(facts["levels"]))]
    lines += ["", *_sentences(facts)]
    if facts.get("missing"):
        lines += ["", "Missing compositions that the test needs most, with a shortest word that shows each:"]
        rows = [
            (_name(each["left"]), _name(each["right"]), f"{each['share']:.2e}", each["witness"])
            for each in facts["missing"]
        ]
        lines += _aligned([("left", "right", "share", "witness"), *rows])
    return "\n".join(lines)


def html(report: "CoverageReport", *, page: bool = False) -> str:
    """The report as HTML with its pictures inside; a whole page, or a part for a notebook."""
    facts = report.to_dict(most=20)
    body = [f"<h2>Coverage of {escape.escape(facts['language'])}</h2>", f"<p>{escape.escape(_headline(facts))}</p>"]
    body += [_html_table(_table(facts["levels"])), *(f"<p>{escape.escape(line)}</p>" for line in _sentences(facts))]
    body += [_svg(report, kind) for kind in _kinds(report)]
    if facts.get("missing"):
        rows: list[tuple[str, ...]] = [
            ("left block", "right block", "share of the test", "shortest word that shows it")
        ]
        rows += [(_name(m["left"]), _name(m["right"]), f"{m['share']:.3g}", m["witness"]) for m in facts["missing"]]
        body += ["<h3>Missing compositions that the test needs most</h3>", _html_table(rows, code=True)]
    body.append(f"<p>{escape.escape(PROMISE)}</p>")
    if not page:
        return "\n".join(body)
    head = f'<meta charset="utf-8"><title>Coverage of {escape.escape(facts["language"])}</title><style>{STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(body) + "\n</body></html>\n"


PROMISE = (
    "Full coverage does not promise that a model learns the rule: it says that the data shows every composition, not "
    "that the model represents classes or composes blocks in this order. Lack of coverage does promise that a model "
    "which learns products one by one has to guess."
)


def write_html(report: "CoverageReport", path: Path) -> None:
    """Writes the report as a page of its own, whole or not at all."""
    write_whole(path, lambda temporary: temporary.write_text(html(report, page=True), encoding="utf-8"))


def picture(report: "CoverageReport", kind: str, by: str = "j_class") -> Any:
    """One picture of a report; see CoverageReport.plot."""
    from seqbench.drawing import composition_maps, curve

    if kind == "curve":
        if report.curve is None:
            raise InputError("The curve needs test words, or the schedule 'tree'. Give a test set.")
        spans, ylabel = {"training lengths": _span(report)}, "share of words with every composition seen"
        return curve(*_lines(report), spans=spans, xlabel="length of test words", ylabel=ylabel, limits=(0, 1.02))
    if kind != "maps":
        raise unknown_name("kind of picture", kind, ("maps", "curve"))
    if len(report.train.monoid) > MAX_CLASSES:
        raise InputError(f"A map of {len(report.train.monoid):,} classes has too many cells; {MAX_CLASSES:,} at most.")
    if by not in {"j_class", "shortlex"}:
        raise unknown_name("order of classes", by, ("j_class", "shortlex"))
    groups = Structure(report.train.monoid).j_classes if by == "j_class" else None
    pairs, need = report.train.pairs(), report.pooled_need
    train = _matrix(report, pairs.keys, pairs.counts)
    return composition_maps(train, _matrix(report, need.keys, need.weight) if report.need else None, groups)


def _lines(report: "CoverageReport") -> tuple[Array, dict[str, Array]]:
    """The curve, as a line for each residue of the length where the classes reached depend on it."""
    lengths, shares = report.curve or (np.empty(0), np.empty(0))
    period = report.train.monoid.reach_period[1]
    if not 1 < period <= 4:
        return lengths, {"all words": shares}
    every = np.arange(lengths[0], lengths[-1] + 1)
    by_length = np.full(len(every), np.nan)
    by_length[lengths - lengths[0]] = shares
    lines = {}
    for rest in range(period):
        at = every % period == rest
        if np.isfinite(by_length[at]).any():
            name = ("even lengths", "odd lengths")[rest] if period == 2 else f"lengths {rest} modulo {period}"
            lines[name] = np.interp(every, every[at], by_length[at])
    return every, lines


def _span(report: "CoverageReport") -> tuple[float, float]:
    lengths = np.flatnonzero(report.train.lengths)
    return float(lengths.min()), float(lengths.max())


def _matrix(report: "CoverageReport", keys: Array, values: Array) -> Array:
    size = len(report.train.monoid)
    cells = np.zeros(size * size)
    cells[keys] = values
    return cells.reshape(size, size)


def _kinds(report: "CoverageReport") -> list[str]:
    maps = ["maps"] if len(report.train.monoid) <= MAX_CLASSES else []
    return [*maps, *(["curve"] if report.curve is not None else [])]


def _svg(report: "CoverageReport", kind: str) -> str:
    try:
        drawn = picture(report, kind)
    except InputError as error:  # without matplotlib the page still has its tables
        return f"<p>{escape.escape(str(error))}</p>"
    from seqbench.drawing.style import look

    buffer = io.StringIO()
    with look():
        drawn.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()[buffer.getvalue().index("<svg") :]


def _headline(facts: dict[str, Any]) -> str:
    shortest, longest = facts["train_lengths"]
    outside = facts["train_words_outside_the_domain"]
    return (
        f"{facts['language']}: {facts['num_classes']:,} classes; {facts['train_words']:,} training words of lengths "
        f"{shortest} to {longest}; schedule {facts['schedule']}, children of width {facts['min_width']} or more."
        + (f" {outside:,} words lie outside the task's domain." if outside else "")
    )


def _sentences(facts: dict[str, Any]) -> list[str]:
    seen = facts["classes"]
    known = f"{seen['of_words_seen']:,} seen of {seen['of_words_possible_in_training']:,} possible in training"
    lines = [f"Classes of whole words: {known}."]
    if "num_never_seen" in seen:
        never = f"{seen['num_never_seen']:,} of them were never the class of a training word or block"
        lines.append(f"Test words can have {seen['of_words_possible_in_test']:,} classes; {never}.")
    lines += [
        f"Chance that the next training composition is a new one (Good-Turing): {facts['unseen_mass_good_turing']:.2e}."
    ]
    if "test_mass_covered" not in facts:
        return [*lines, "No test distribution to compare with: give test words."]
    whence = (
        "the dataset's own test recipe, exactly"
        if facts["test_words"] is None
        else f"{facts['test_words']:,} test words"
    )
    lines.append(
        f"Of the test's compositions ({whence}) training showed {facts['test_mass_covered']:.4%} by mass; "
        f"{facts['num_missing']:,} different ones are missing."
    )
    curve = facts.get("words_fully_covered")
    if curve:
        first, last = min(curve), max(curve)
        mean = sum(curve.values()) / len(curve)
        lines.append(
            f"Test words all of whose compositions training showed: {mean:.1%} on average over lengths "
            f"({curve[first]:.1%} at {first}, {curve[last]:.1%} at {last}). A model that learns each product from "
            "examples has to guess on the rest."
        )
    return lines


def _table(rows: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    keys = [key for key in COLUMNS if any(key in row for row in rows)]
    return [tuple(COLUMNS[key] for key in keys), *(tuple(_cell(row.get(key)) for key in keys) for row in rows)]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4%}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _name(word: str) -> str:
    return word or "(empty)"


def _aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in table]


def _html_table(rows: list[tuple[str, ...]], *, code: bool = False) -> str:
    def cell(value: str, tag: str) -> str:
        inner = escape.escape(value)
        return f"<{tag}>{f'<code>{inner}</code>' if code and tag == 'td' else inner}</{tag}>"

    lines = [
        "<tr>" + "".join(cell(value, "th" if not number else "td") for value in row) + "</tr>"
        for number, row in enumerate(rows)
    ]
    return "<table>" + "\n".join(lines) + "</table>"
