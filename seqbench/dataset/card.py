"""Dataset cards: cards/NAME.md for every built-in dataset, from its definition and its rows, and their index."""

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

from seqbench.catalogue.reader import Catalogue, open_catalogue
from seqbench.dataset.overview import overview
from seqbench.dataset.report import NOT_OWN, REPEATS, scores_text
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import plan
from seqbench.generation.task_plan import TaskPlan


def card(planned: BasePlan) -> str:
    """The card of a dataset as Markdown."""
    facts = overview(planned)
    body = [_task(facts)] if isinstance(planned, TaskPlan) else [_language(facts["language"]), _splits(facts)]
    return "\n".join([_head(planned, facts), *body, _use(planned), _history(planned), _made_from(planned)])


def card_key(planned: BasePlan) -> str:
    """What a card is made from, in 16 digits: another definition, version or row gives another key.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> card_key(plan("dyck_d6")) == card_key(plan("dyck_d6", seed=1))
        False
    """
    parts = [planned.fingerprint, planned.recipe_json, planned.recipe.title, planned.recipe.source]
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def _made_from(planned: BasePlan) -> str:
    return f"Made from definition and data `{card_key(planned)}` by `make cards`.\n"


def index(catalogue: Catalogue) -> str:
    """One row a dataset: name, title, columns, source."""
    rows = []
    for name in catalogue.datasets:
        planned = plan(name)
        columns = ", ".join(f"`{column}`" for column in planned.schema.names)
        rows.append((f"[{name}]({name}.md)", planned.recipe.title, columns, planned.recipe.source))
    return "# Datasets\n\n" + _table(("dataset", "what is asked", "columns", "source"), rows)


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
    rows = [(key.replace("_", " "), _plain(value)) for key, value in facts.items() if key not in NOT_OWN]
    differences = "".join(f"- {each}\n" for each in facts.get("differences", []))
    told = f"\n## Differences from the published task\n\n{differences}" if differences else ""
    picture = f"\n![{facts['title']}](../docs/figures/{facts['figure']})\n" if "figure" in facts else ""
    return "## Task\n\n" + _table(("fact", "value"), rows) + picture + told + "\n" + _task_splits(facts["splits"])


def _plain(value: Any) -> str:
    """A fact as a cell of a table."""
    if isinstance(value, dict):
        value = ", ".join(f"{key}: {_plain(each)}" for key, each in value.items())
    elif isinstance(value, list | tuple):
        value = "; ".join(map(_plain, value))
    return str(value).replace("|", "\\|").replace("\n", " ")


def _task_splits(splits: dict[str, dict[str, Any]]) -> str:
    head = ("split", "rows", "lengths", "different words", "words also in train", "scores of trivial rules")
    rows = []
    for name, part in splits.items():
        step = f" in steps of {part['length_step']}" if part["length_step"] > 1 else ""
        span = f"{part['lengths'][0]}-{part['lengths'][1]}{step}"
        counts = [f"{part[key]:,}" if key in part else "" for key in REPEATS]
        rows.append((name, f"{part['examples']:,}", span, *counts, scores_text(part)))
    return "## Splits\n\n" + _table(head, rows)


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

Columns: {", ".join(f"`{name}`" for name in planned.schema.names)}.{_options(planned)}
"""


def _options(planned: BasePlan) -> str:
    """The parameters of a task's kind that `load_dataset` takes, in a sentence."""
    if not isinstance(planned, TaskPlan) or not planned.recipe.parameters:
        return ""
    return f" Options of its own: {', '.join(f'`{name}`' for name in planned.recipe.parameters)}."


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
        _write(folder / f"{name}.md", card(plan(name)))
    _write(folder / "README.md", index(catalogue))
    return 0


def _write(path: Path, text: str) -> None:
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


if __name__ == "__main__":
    sys.exit(main())
