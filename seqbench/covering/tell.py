"""Expected coverage, plans and covers to read: lines that fit a terminal, and the same as HTML for notebooks."""

from typing import Any

from seqbench.notebook import section, table

Rows = list[tuple[str, ...]]

LEAST = "Some chances are known within bounds only, and these numbers of words err on the safe side."


def name_of(word: str) -> str:
    """A class's shortest word, and a name for the empty one."""
    return word or "(empty)"


def tell_labels(counts: dict[str, int], most: int = 8) -> str:
    """How many words have each label, as text; of many labels the rarest and the most frequent alone.

    Example:
        >>> tell_labels({"reject": 6349, "accept": 9})
        'reject 6,349, accept 9'
        >>> tell_labels({str(i): i for i in range(20)})
        'from 0 (0) to 19 (19), 20 labels'
    """
    if len(counts) <= most:
        return ", ".join(f"{label} {count:,}" for label, count in counts.items())
    low, high = (pick(counts, key=counts.__getitem__) for pick in (min, max))
    return f"from {counts[low]:,} ({low}) to {counts[high]:,} ({high}), {len(counts)} labels"


def end_lengths(curve: dict[int, float]) -> list[int]:
    """The first two and the last two lengths: odd and even ones may differ much, as Dyck words do.

    Example:
        >>> end_lengths(dict.fromkeys(range(41, 501), 1.0)), end_lengths({7: 1.0})
        ([41, 42, 499, 500], [7])
    """
    lengths = sorted(curve)
    return lengths if len(lengths) <= 4 else [*lengths[:2], *lengths[-2:]]


def law_text(weights: dict[str, float]) -> str:
    """Weights of laws as text; those under a thousandth are left out.

    Example:
        >>> law_text({"class": 0.25, "balanced": 0.75}), law_text({"class": 1.0})
        ('class 0.25, balanced 0.75', 'class')
    """
    used = {law: weight for law, weight in weights.items() if weight >= 0.001}
    return next(iter(used)) if len(used) == 1 else ", ".join(f"{law} {weight:g}" for law, weight in used.items())


def aligned(rows: Rows) -> list[str]:
    """A table as lines: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]


def expected_text(facts: dict[str, Any]) -> str:
    """Expected coverage in lines."""
    lines = [_headline(facts), *_expected_lines(facts)]
    if facts.get("missing"):
        lines += ["", _MISSING, *aligned(_missing_rows(facts))]
    return "\n".join(lines)


def expected_html(facts: dict[str, Any]) -> str:
    """Expected coverage for a notebook."""
    missing = _missing_rows(facts) if facts.get("missing") else []
    lines = [_headline(facts), *_expected_lines(facts), _MISSING if missing else ""]
    return section(f"Expected coverage of {facts['language']}", lines, table(missing))


_MISSING = (
    "Compositions most likely to be missing, by the share of the test lost, with a shortest word that shows each:"
)


def _headline(facts: dict[str, Any]) -> str:
    first, last = facts["train_lengths"]
    return (
        f"{facts['language']}: {facts['train_examples']:,} training words of lengths {first} to {last}, sampling "
        f"{law_text(facts['sampling'])}; schedule {facts['schedule']}, children of width {facts['min_width']} or more."
    )


def _expected_lines(facts: dict[str, Any]) -> list[str]:
    most = facts["expected_seen_at_most"]
    lines = [
        f"They can show {facts['possible_in_training']:,} compositions; the test needs {facts['needed_by_test']:,}."
    ]
    if "expected_seen" not in facts:
        return [*lines, f"Expected to show at most {most:,.0f} (bound; exactly: --exact or .expected_seen, slow here)."]
    sure = facts["is_exact"]
    number = f"{facts['expected_seen']:,.1f}"
    seen = number if sure else f"between {number} and {most:,.1f} (bounds)"
    least = "" if sure else "at least "
    lines += [
        f"Expected to show {seen} of them.",
        f"Expected to cover {least}{facts['test_mass_covered']:.4%} of the test's compositions by mass.",
        f"The rarest composition is in {least}one training word of {1 / max(facts['rarest_chance'], 1e-300):.3g}.",
    ]
    if facts.get("words_fully_covered"):
        lines.append(_curve_line(facts["words_fully_covered"], facts["words_fully_covered_at_most"]))
    return lines


def _curve_line(low: dict[int, float], high: dict[int, float]) -> str:
    def between(a: float, b: float) -> str:
        return f"{a:.1%} to {b:.1%}" if f"{a:.1%}" != f"{b:.1%}" else f"{a:.1%}"

    mean = between(sum(low.values()) / len(low), sum(high.values()) / len(high))
    ends = ", ".join(f"{between(low[length], high[length])} at {length}" for length in end_lengths(low))
    return f"Test words all of whose compositions training will show: {mean} on average over lengths ({ends}; bounds)."


def _missing_rows(facts: dict[str, Any]) -> Rows:
    rows = [
        (
            name_of(each["left"]),
            name_of(each["right"]),
            f"{each['share']:.2e}",
            f"{each['chance']:.3f}",
            each["witness"],
        )
        for each in facts["missing"]
    ]
    return [("left", "right", "share", "chance missing", "witness"), *rows]
