"""The sections of a card that tell what a dataset is made of and how it is used."""

from typing import Any

from seqbench.catalogue.citations import citations_of
from seqbench.catalogue.descriptions import Description
from seqbench.catalogue.reader import Catalogue
from seqbench.dataset.golden import ROWS
from seqbench.dataset.markdown import bibtex, by_id, code, table
from seqbench.dataset.report import NOT_OWN
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.task_plan import TaskPlan
from seqbench.generation.tasks import TASKS

MEANINGS = {
    "input_ids": "the word as ids of its symbols",
    "label": "the answer for the whole word, an id of the labels",
    "syntactic_class": "the class of the word in the syntactic monoid",
    "output_ids": "the answer, symbol by symbol",
    "loss_mask": "which symbols of the answer count",
    "labels": "the answer at each position; -100 where none is asked",
    "inputs": "the input, step by step",
    "targets": "the target, step by step",
}
"""What each column holds, by name."""

SAMPLING = ("length", "distribution", "members", "non_members", "test_bank")
"""Facts of a task that say how its rows are drawn."""

SINGLE = ("single_label_lengths", "single_label_lengths_are")
"""Facts of a task that say which lengths have words of one label only, and what becomes of them."""

SCORES = ("length_rule_accuracy", "shortcuts", "most_frequent_state_by_length")
"""Facts of a task that say what simple rules score."""

CHANCE = ("chance", "chance_note", *SCORES)
"""Facts of a task that say what guesses score."""

MEASURES = "\n[Memory functions](../docs/memory.md#measures) says what is measured; the area is that before scaling.\n"

NEAR_MISSES = (
    "`test_near_miss` is half members, half non-members made from a member by one edit that keeps the length: one "
    "symbol replaced, two positions swapped, or one symbol moved."
)
LENGTHS = (
    "Lengths of `train` and `validation` are drawn alike from those that have examples; the test has as many rows of "
    "each length."
)
DROP = (
    "Some lengths admit words of one label only, so the length alone tells more than chance. Leave those lengths out "
    'with `single_label_lengths="drop"`.'
)


def facts_section(facts: dict[str, Any]) -> str:
    """The structure of a language, or the facts of a task."""
    if "language" in facts:
        return _language(facts["language"])
    told = {*NOT_OWN, *SAMPLING, *SINGLE, *CHANCE, "label_names", *(["states"] if "structure" in facts else [])}
    rows = [(_spaced(key), value) for key, value in facts.items() if key not in told]
    rows += [("labels by id", by_id(facts["label_names"]))] if "label_names" in facts else []
    rows += _structure(facts["structure"]) if "structure" in facts else []
    return table(("fact", "value"), rows) + MEASURES * str(facts["task"]).startswith("memory")


def _language(language: dict[str, Any]) -> str:
    rows = [
        ("symbols", " ".join(code(symbol) for symbol in language["alphabet"])),
        ("labels", by_id(language["labels"])),
    ]
    return table(("fact", "value"), [*rows, *_structure(language)])


def _structure(structure: dict[str, Any]) -> list[tuple[str, Any]]:
    """The minimal machine, and the syntactic monoid where it is not too large."""
    rows = [("states of the minimal machine", structure["states"])]
    if "classes" not in structure:
        return rows
    return [
        *rows,
        ("syntactic classes", structure["classes"]),
        ("J-classes, idempotents", f"{structure['num_j_classes']}, {structure['num_idempotents']}"),
        ("largest group", structure["largest_group"]),
        ("level", structure["level"]),
    ]


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def columns_section(planned: BasePlan) -> str:
    """Every column with its type and meaning."""
    fields = [(f"`{field.name}`", f"`{field.type}`", MEANINGS[field.name]) for field in planned.schema]
    return table(("column", "Arrow type", "meaning"), fields)


def sampling_section(planned: BasePlan, facts: dict[str, Any]) -> str:
    """The splits, and the law by which their rows are drawn."""
    head = ("split", "rows", "lengths", *(["labels"] if "language" in facts else []))
    splits = table(head, [_split(name, part)[: len(head)] for name, part in facts["splits"].items()])
    return f"{splits}\n{_law(planned, facts)}"


def _split(name: str, part: dict[str, Any]) -> tuple[str, ...]:
    labels = [f"{label} {count:,}" for label, count in part.get("labels", {}).items()]
    told = ", ".join(labels[:6]) + (", ..." if len(labels) > 6 else "")
    return name, f"{part['examples']:,}", part["which_lengths"], told


def _law(planned: BasePlan, facts: dict[str, Any]) -> str:
    lines = [LENGTHS]
    if isinstance(planned, TaskPlan):
        lines += [f"{_spaced(key).capitalize()}: {facts[key]}." for key in SAMPLING if key in facts]
        if SINGLE[0] in facts:
            lines.append(_single(*(facts[key] for key in SINGLE)))
        return "\n\n".join(lines) + "\n"
    law = ", ".join(f"{name} {weight:g}" for name, weight in facts["recipe"]["sampling"].items())
    lines.append(
        f"Sampling law: {law}. Words are exactly uniform among those of their length that the law chooses from."
    )
    lines += [NEAR_MISSES] * ("test_near_miss" in facts["splits"])
    lines += [DROP] * any(split["single_label_lengths"] for split in facts["splits"].values())
    return "\n\n".join(lines) + "\n"


def _single(lengths: str, become: str) -> str:
    """Which lengths have words of one label only and, where there are some, what becomes of them.

    Example:
        >>> _single("1 (of 1 to 60)", "left out"), _single("none (of 1 to 60)", "left out")
        ('Lengths with words of one label only: 1 (of 1 to 60); they are left out.',
        'Lengths with words of one label only: none (of 1 to 60).')
    """
    they = "" if lengths.startswith("none") else f"; they are {become}"
    return f"Lengths with words of one label only: {lengths}{they}."


def differences_section(facts: dict[str, Any], about: Description) -> str:
    """What differs from the published task, as a list."""
    told = [*facts.get("differences", []), *about.differences]
    return "".join(f"- {each}\n" for each in told) or "None is known.\n"


def use_section(planned: BasePlan) -> str:
    """How it is loaded, made as files, and with which options."""
    split = "test" if "test" in planned.splits else next(iter(planned.splits))
    return f"""```python
import seqbench

dataset = seqbench.load_dataset("{planned.name}")
few = seqbench.load_dataset("{planned.name}", split="{split}", streaming=True)
```

```sh
seqbench generate {planned.name} --out DIR  # the same rows as Parquet
```
{_options(planned)}"""


def _options(planned: BasePlan) -> str:
    """The parameters of a task's kind that `load_dataset` takes, with what they may be."""
    if not isinstance(planned, TaskPlan) or not planned.recipe.parameters:
        return ""
    rows = [
        (f"`{each.name}`", planned.recipe.parameters[each.name], each.allowed())
        for each in TASKS[planned.recipe.task].parameters
        if each.name in planned.recipe.parameters
    ]
    return "\nOptions of its own:\n\n" + table(("option", "here", "what it may be"), rows)


def source_section(planned: BasePlan, catalogue: Catalogue) -> str:
    """The source and its BibTeX entries."""
    cited = bibtex(citations_of(planned.citation, catalogue.citations))
    return "\n".join([f"{planned.citation}.\n", *([cited] if cited else [])])


def history_section(planned: BasePlan, catalogue: Catalogue) -> str:
    """Licence, version with its history, and the digests of the first rows of every split."""
    history = "".join(f"- {entry.version}: {entry.change}\n" for entry in planned.recipe.history)
    digests = catalogue.digests[planned.name]["splits"].items()
    rows = table(("split", f"SHA-256 of the first {ROWS:,} rows"), [(name, f"`{digest}`") for name, digest in digests])
    return f"Apache-2.0. Data version {planned.version}:\n\n{history}\n{rows}"
