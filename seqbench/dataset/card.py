"""Dataset cards: cards/NAME.md for every built-in dataset, from its definition and its rows (`make cards`)."""

import os
import sys
from pathlib import Path
from typing import Any

from seqbench.catalogue.reader import open_catalogue
from seqbench.dataset.overview import overview
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import plan
from seqbench.generation.task_plan import TaskPlan


def card(planned: BasePlan) -> str:
    """The card of a dataset as Markdown."""
    facts = overview(planned)
    if isinstance(planned, TaskPlan):
        return "\n".join([_head(planned, facts), _task(facts), _use(planned), _history(planned)])
    parts = [_head(planned, facts), _language(facts["language"]), _splits(facts), _use(planned), _history(planned)]
    return "\n".join(parts)


def _head(planned: BasePlan, facts: dict[str, Any]) -> str:
    source = f"Source of the task: {facts['source']}. Data version {facts['version']}."
    return f"# {planned.name}\n\n{facts['title']}\n\n{source}\n"


def _language(language: dict[str, Any]) -> str:
    rows = {
        "symbols": " ".join(f"`{symbol}`" for symbol in language["alphabet"]),
        "labels": ", ".join(f"{number} {name}" for number, name in enumerate(language["labels"][:20])),
        "states of the minimal machine": language["states"],
        "syntactic classes": language["classes"],
        "J-classes, idempotents": f"{language['num_j_classes']}, {language['num_idempotents']}",
        "largest group": language["largest_group"],
        "level": language["level"],
    }
    return "## Language\n\n" + _table(("fact", "value"), [(key, str(value)) for key, value in rows.items()])


def _task(facts: dict[str, Any]) -> str:
    apart = {"name", "title", "version", "source", "config", "recipe", "splits"}
    rows = [(key, str(value)) for key, value in facts.items() if key not in apart]
    splits = [
        (name, f"{part['examples']:,}", "-".join(map(str, part["lengths"]))) for name, part in facts["splits"].items()
    ]
    return (
        "## Task\n\n"
        + _table(("fact", "value"), rows)
        + "\n## Splits\n\n"
        + _table(("split", "rows", "lengths"), splits)
    )


def _splits(facts: dict[str, Any]) -> str:
    head = ("split", "rows", "lengths", "labels", "words also in train", "best score from the parity of the length")
    rows = []
    for name, split in facts["splits"].items():
        first, last = split["lengths"]
        step = f" in steps of {split['length_step']}" if split["length_step"] > 1 else ""
        labels = ", ".join(f"{label} {count:,}" for label, count in list(split["labels"].items())[:6])
        labels += ", ..." if len(split["labels"]) > 6 else ""
        overlap = f"{split['in_train']:,}" if "in_train" in split else ""
        rows.append(
            (name, f"{split['examples']:,}", f"{first}-{last}{step}", labels, overlap, split["length_parity_score"])
        )
    law = ", ".join(f"{name} {weight:g}" for name, weight in facts["recipe"]["sampling"].items())
    note = f"\nSampling: {law}. `test_near_miss` is half members, half non-members made from a member by one "
    note += "edit that keeps the length: one symbol replaced, two positions swapped, or one symbol moved.\n"
    single = sum(split["single_label_lengths"] for split in facts["splits"].values())
    if single:
        note += (
            "\nSome lengths admit words of one label only, so the length alone tells more than chance. "
            'Leave those lengths out with `single_label_lengths="drop"`.\n'
        )
    return "## Splits\n\n" + _table(head, rows) + note


def _use(planned: BasePlan) -> str:
    return f"""## Use

```python
import seqbench

dataset = seqbench.load_dataset("{planned.name}")
longer = seqbench.load_dataset("{planned.name}", test_lengths=(501, 1000), test_examples_per_length=4)
```

Columns: {", ".join(f"`{name}`" for name in planned.schema.names)}.
"""


def _history(planned: BasePlan) -> str:
    return "## History\n\n" + "\n".join(f"- {entry.version}: {entry.change}" for entry in planned.recipe.history) + "\n"


def _table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def main() -> int:
    """Writes all cards of the source tree; the exit code."""
    os.environ.pop("SEQBENCH_CATALOGUE", None)
    catalogue = open_catalogue()
    folder = Path(str(catalogue.digests_file)).parent.parent / "cards"
    for name in catalogue.datasets:
        path = folder / f"{name}.md"
        temporary = path.with_suffix(".tmp")
        temporary.write_text(card(plan(name)), encoding="utf-8")
        temporary.replace(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
