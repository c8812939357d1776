"""The sections of a card that tell what its rows show: repeats, labels by length, what trivial rules score."""

from collections.abc import Iterator
from typing import Any

from seqbench.cards.sections import SCORES
from seqbench.dataset.chance import SPLIT, chance_text
from seqbench.dataset.markdown import cell, table
from seqbench.dataset.shortcuts import FEW

SHOWN_LABELS = 6  # beyond, only the share of the most frequent one is told
RULES = {
    "majority_score": "constant",
    "length_parity_score": "parity of the length",
    "first_symbol_score": "first symbol",
    "last_symbol_score": "last symbol",
    "symbol_count_score": "count of a symbol",
}
"""Trivial rules by the fact that holds their score."""


def statistics_section(facts: dict[str, Any]) -> str:
    """Repeats and overlaps of all splits, and rows and labels at six lengths of train and test."""
    head = ("split", "rows", "different words", "repeats", "words also in train")
    repeats = table(head, [_repeats(name, part) for name, part in facts["splits"].items()])
    part = "\nHuge splits are read in part.\n" * any(
        each["rows_read"] < each["examples"] for each in facts["splits"].values()
    )
    return f"{repeats}{part}\n{_by_length(facts)}"


def _repeats(name: str, part: dict[str, Any]) -> tuple[str, ...]:
    rows, different = part["rows_read"], part["distinct_words"]
    shared = f"{part['in_train']:,} ({part['in_train'] / rows:.1%})" if "in_train" in part else ""
    return name, f"{rows:,}", f"{different:,}", f"{rows - different:,} ({1 - different / rows:.1%})", shared


def _by_length(facts: dict[str, Any]) -> str:
    """Rows and labels at six lengths of train and test, and of which lengths shares of labels would be luck."""
    shown = {name: part["by_length"] for name, part in facts["splits"].items() if name in ("train", "test")}
    few = {name: [part["rows"] for part in parts.values() if _is_luck(part)] for name, parts in shown.items()}
    notes = [_too_few(name, rows, len(shown[name])) for name, rows in few.items() if rows]
    names = facts["language"]["labels"] if "language" in facts else facts.get("label_names", [])
    labels = names if len(names) <= SHOWN_LABELS else []
    most = [f"share of the most frequent of {len(names)} labels"] if names else []
    shares = [f"share of {label}" for label in labels] or most
    rows = list(_rows(shown, labels))
    found = "At six of the lengths, or at all:\n\n" + table(("split", "length", "rows", *shares), rows) if rows else ""
    return "\n".join([*([found] if found else []), *notes])


def _is_luck(part: dict[str, Any]) -> bool:
    """Whether a length has labels, and too few rows for shares of them."""
    return "majority" in part and part["rows"] < FEW


def _too_few(name: str, rows: list[int], lengths: int) -> str:
    r"""Why a split has no shares at some lengths.

    Example:
        >>> _too_few("test", [1, 3, 2], 3)
        '`test` has 1 to 3 rows a length, too few for shares of labels (20 are needed).\n'
    """
    which = "a length" if len(rows) == lengths else f"at {len(rows)} of {lengths} lengths"
    span = f"{min(rows)} to {max(rows)}" if min(rows) < max(rows) else str(rows[0])
    noun = "rows" if max(rows) > 1 else "row"
    return f"`{name}` has {span} {noun} {which}, too few for shares of labels ({FEW} are needed).\n"


def _rows(shown: dict[str, Any], labels: list[str]) -> Iterator[tuple[str, ...]]:
    for name, lengths in shown.items():
        for length, part in lengths.items():
            if _is_luck(part):
                continue
            majority = [part["majority"]] if "majority" in part else []
            shares = [part["labels"][label] for label in labels] or majority
            yield name, str(length), f"{part['rows']:,}", *(f"{share:.3f}" for share in shares)


def chance_section(facts: dict[str, Any]) -> str:
    """What guessing scores: the chance level as far as it is known, and the best of each trivial rule by split."""
    splits = facts["splits"]
    known = [(key.replace("_", " "), facts[key]) for key in SCORES if key in facts]
    chance = chance_text(facts, splits.get(SPLIT, {}).get("majority_score"))
    told = [chance] * bool(chance)
    told += [f"{name.capitalize()}: {cell(value).replace('_', ' ')}." for name, value in known]
    rules = [rule for rule in RULES if any(rule in part for part in splits.values())]
    if not rules:
        return "\n\n".join(told) + "\n"
    rows = [(name, *(part.get(rule, "") for rule in rules)) for name, part in splits.items()]
    note = "The best that a rule can score which looks at one simple fact of the input:"
    return "\n\n".join([*told, note, table(("split", *(RULES[rule] for rule in rules)), rows)])
