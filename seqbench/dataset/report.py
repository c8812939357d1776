"""What the command line prints about datasets, as text."""

from itertools import zip_longest
from typing import Any

from seqbench.catalogue.claims import check_all
from seqbench.catalogue.reader import open_catalogue
from seqbench.dataset.builder import Seqbench
from seqbench.dataset.examples import describer
from seqbench.dataset.golden import digest
from seqbench.dataset.load import load_dataset
from seqbench.generation.plan import Folder, plan

WIDTH = 60  # symbols of a word that are shown
NOT_OWN = {"name", "title", "version", "source", "config", "recipe", "splits", "structure", "differences", "figure"}
"""Facts of a task's dataset that every dataset has, or that are told apart."""
REPEATS = ("distinct_words", "in_train")


def info_text(facts: dict[str, Any], draw: str) -> str:
    """The facts of `overview` as text, with the command line that draws the language."""
    if "language" not in facts:
        return _task_text(facts)
    language, recipe = facts["language"], facts["recipe"]
    lines = [f"{facts['name']} {facts['version']}: {facts['title']}", f"source    {facts['source']}", ""]
    lines += [f"alphabet  {' '.join(language['alphabet'])}", f"labels    {_shorten(', '.join(language['labels']))}"]
    lines += _structure_lines(language)
    if "classes" in language:
        repeat = language["reachable_classes_repeat"]
        lines.append(
            f"          which classes a length reaches repeats every {repeat['every']} from {repeat['from_length']}"
        )
    law = ", ".join(f"{name} {weight:g}" for name, weight in recipe["sampling"].items())
    lines += [f"sampling  {law}; seed {recipe['seed']}; held_out {recipe['held_out']}", ""]
    picture = ["", f"Its picture: {draw} --out {facts['name']}.svg (--kind egg-box: the monoid's)"]
    return "\n".join(lines + _split_lines(facts["splits"]) + picture)


def _task_text(facts: dict[str, Any]) -> str:
    """The facts of a task's dataset as text: one line a fact, then the splits."""
    lines = [f"{facts['name']} {facts['version']}: {facts['title']}", f"source    {facts['source']}", ""]
    own = {key: value for key, value in facts.items() if key not in NOT_OWN}
    lines += _aligned([(key, _shorten(str(value), 100)) for key, value in own.items()])
    lines += ["", *_structure_lines(facts["structure"])] if "structure" in facts else []
    rows: list[tuple[str, ...]] = [("split", "rows", "lengths", "different", "in train", "trivial rules score")]
    for name, split in facts["splits"].items():
        different, shared = (f"{split[key] / split['rows_read']:.1%}" if key in split else "" for key in REPEATS)
        rows.append((name, str(split["examples"]), split["which_lengths"], different, shared, scores_text(split)))
    differences = [f"differs from the published task: {each}" for each in facts.get("differences", [])]
    return "\n".join([*lines, "", *_aligned(rows), *([""] if differences else []), *differences])


def scores_text(split: dict[str, Any]) -> str:
    """The scores of trivial rules in a split's facts, in one line.

    Example:
        >>> scores_text({"examples": 5, "majority_score": 0.5, "last_symbol_score": 0.75})
        'majority 0.5, last symbol 0.75'
    """
    found = {key.removesuffix("_score"): value for key, value in split.items() if key.endswith("_score")}
    return ", ".join(f"{key.replace('_', ' ')} {value:g}" for key, value in found.items())


def _structure_lines(structure: dict[str, Any]) -> list[str]:
    """The machine and, where it is not too large, the monoid of a language or of a task's."""
    lines = [f"machine   {structure['states']} states (minimal, complete)"]
    if "classes" not in structure:
        return lines
    sizes = f"{structure['classes']} classes, {structure['num_idempotents']} idempotents"
    return [*lines, f"monoid    {sizes}; {_green(structure)}", f"level     {structure['level']}"]


def _green(language: dict[str, Any]) -> str:
    sizes = ", ".join(f"{language[f'num_{letter.lower()}_classes']} {letter}" for letter in "RLJ")
    group = language["largest_group"]
    return f"Green's classes: {sizes}; " + ("no group" if group == 1 else f"largest group of order {group}")


def _split_lines(splits: dict[str, Any]) -> list[str]:
    rows: list[tuple[str, ...]] = [("split", "rows", "lengths", "labels", "in train", "length parity scores")]
    for name, split in splits.items():
        labels = _shorten(", ".join(f"{label} {count}" for label, count in split["labels"].items()), 40)
        shared = f"{split['in_train']} ({split['in_train'] / split['rows_read']:.1%})" if "in_train" in split else ""
        rows.append(
            (name, str(split["examples"]), split["which_lengths"], labels, shared, str(split["length_parity_score"]))
        )
    notes = []
    if any(split["rows_read"] < split["examples"] for split in splits.values()):
        notes.append("Huge splits were read in part: labels and overlaps are those of evenly spread blocks.")
    if any(split.get("in_train") for split in splits.values()):
        notes.append("Words in train too: held_out=True keeps them apart (short lengths go to train alone).")
    if any(split["single_label_lengths"] for split in splits.values()):
        notes.append('Some lengths have words of one label only: single_label_lengths="drop" leaves them out.')
    return [*_aligned(rows), *([""] if notes else []), *notes]


def made(name: str, rows: int, *, cache_dir: str | None, catalogue: Folder, **options: Any) -> dict[str, Any]:
    """A dataset made through `load_dataset`: examples of each split, sizes, digest of all rows."""
    planned = plan(name, catalogue, **options)
    describe = describer(planned)
    loaded: Any = load_dataset(name, cache_dir=cache_dir, catalogue=catalogue, **options)
    splits = {}
    for split, table in loaded.items():
        batches = table.with_format("arrow").iter(batch_size=65_536)
        examples = [describe(row) for row in _varied(table, rows)]
        digests = digest((batch for part in batches for batch in part.to_batches()), len(table))
        splits[split] = {"rows": len(table), "digest": digests, "examples": examples}
    folder = Seqbench(config_name=name, cache_dir=cache_dir, catalogue=catalogue, **options).cache_dir
    return {"name": name, "version": planned.version, "title": planned.recipe.title, "cache": folder, "splits": splits}


def _varied(table: Any, rows: int) -> list[dict[str, Any]]:
    """A few rows from the front that show as many labels as may be."""
    if "label" not in table.column_names:
        return list(table.select(range(min(rows, len(table)))))
    by_label: dict[int, list[dict[str, Any]]] = {}
    for row in table.select(range(min(200, len(table)))):
        by_label.setdefault(row["label"], []).append(row)
    in_turn = zip_longest(*(by_label[label] for label in sorted(by_label)))
    return [row for group in in_turn for row in group if row is not None][:rows]


def checked(catalogue: Folder) -> tuple[list[str], dict[str, int]]:
    """What is wrong with the claims of a catalogue (the built-in definitions included), and how much was checked."""
    opened = open_catalogue(catalogue)
    for name, version in [*((name, None) for name in opened.datasets), *opened.older]:
        planned = plan(name, catalogue, version)
        _ = planned.splits  # labels, lengths and laws are looked up
    claims = sum(len(opened.automaton(name).all_claims) for name in opened.automata)
    return check_all(catalogue), {
        "languages": len(opened.automata),
        "sets of claims": claims,
        "datasets": len(opened.datasets),
    }


def made_text(facts: dict[str, Any]) -> str:
    """The facts of `made` as text."""
    lines = [f"{facts['name']} {facts['version']}: {facts['title']}", f"kept in {facts['cache']}"]
    for split, part in facts["splits"].items():
        lines += ["", f"{split}: {part['rows']:,} rows, sha256 {part['digest']}"]
        lines += ["  " + line for line in _aligned([_example_row(example) for example in part["examples"]])]
    return "\n".join(lines)


def _example_row(example: dict[str, Any]) -> tuple[str, ...]:
    if "word" not in example:
        return tuple(f"{name} {_shorten(str(value))}" for name, value in example.items())
    row = (_shorten(example["word"]), example["label"])
    if "syntactic_class" not in example:
        return row
    return (*row, f"class {example['syntactic_class']}", f"= class of {_shorten(example['class_name'], 24)}")


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _shorten(text: str, width: int = WIDTH) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}... ({len(text)})"
