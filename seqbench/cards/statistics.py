"""The sections of a card that tell what its rows show: repeats, labels by length, what trivial rules score."""

from collections.abc import Iterator
from typing import Any

from seqbench.cards.sections import CHANCE
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
    return f"{repeats}{part}\n{_by_length(facts['splits'])}"


def _repeats(name: str, part: dict[str, Any]) -> tuple[str, ...]:
    rows, different = part["rows_read"], part["distinct_words"]
    shared = f"{part['in_train']:,} ({part['in_train'] / rows:.1%})" if "in_train" in part else ""
    return name, f"{rows:,}", f"{different:,}", f"{rows - different:,} ({1 - different / rows:.1%})", shared


def _by_length(splits: dict[str, Any]) -> str:
    """Rows and labels at six lengths, of splits that have enough rows there; nothing where none has."""
    shown = {name: part["by_length"] for name, part in splits.items() if name in ("train", "test")}
    shown = {name: lengths for name, lengths in shown.items() if all(part["rows"] >= FEW for part in lengths.values())}
    if not shown:
        return "No length has rows enough for shares of labels.\n"
    first = next(iter(next(iter(shown.values())).values()))
    labels = list(first.get("labels", {}))
    labels = labels if len(labels) <= SHOWN_LABELS else []
    shares = [f"share of {label}" for label in labels] or ["most frequent label"] * ("majority" in first)
    return "At six of the lengths, or at all:\n\n" + table(("split", "length", "rows", *shares), _rows(shown, labels))


def _rows(shown: dict[str, Any], labels: list[str]) -> Iterator[tuple[str, ...]]:
    for name, lengths in shown.items():
        for length, part in lengths.items():
            majority = [part["majority"]] if "majority" in part else []
            shares = [part["labels"][label] for label in labels] or majority
            yield name, str(length), f"{part['rows']:,}", *(f"{share:.3f}" for share in shares)


def chance_section(facts: dict[str, Any]) -> str:
    """What guessing scores: the chance level as far as it is known, and the best of each trivial rule by split."""
    splits = facts["splits"]
    known = [(key.replace("_", " "), facts[key]) for key in CHANCE if key in facts]
    told = [f"{name.capitalize()}: {cell(value).replace('_', ' ')}." for name, value in known]
    if "chance" not in facts and "majority_score" in splits.get("test", {}):
        told.insert(0, f"Chance: {cell(splits['test']['majority_score'])}, always the most frequent label of the test.")
    rules = [rule for rule in RULES if any(rule in part for part in splits.values())]
    if not rules:
        return "\n\n".join(told) + "\n"
    rows = [(name, *(part.get(rule, "") for rule in rules)) for name, part in splits.items()]
    note = "The best that a rule can score which looks at one simple fact of the input:"
    return "\n\n".join([*told, note, table(("split", *(RULES[rule] for rule in rules)), rows)])
