"""What the task files call: a dataset as questions with choices."""

import difflib
from typing import Any, cast

import datasets

from seqbench.dataset.load import load_dataset
from seqbench.errors import InputError
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import Plan, plan
from seqbench.generation.task_plan import TaskPlan

# What a run of a language model can bear; --metadata gives other numbers.
DEFAULTS: dict[str, Any] = {"train_examples": 1000, "validation_examples": 0, "test_examples_per_length": 4}


def custom_dataset(dataset: str = "dyck_d6", **metadata: Any) -> dict[str, datasets.Dataset]:
    """The splits of a classification dataset, with a question, a word as text, choices and the number of the right one.

    Args:
        dataset: its name.
        **metadata: what the harness hands on: options of the dataset, and keys of its own such as `version`, which is
            the task's and not that of the data.

    Raises:
        UnknownNameError: no such dataset.
        InputError: a key that looks like a misspelt option, or a dataset without labels.

    Example:
        >>> from datasets import disable_progress_bars, enable_progress_bars
        >>> disable_progress_bars()
        >>> splits = custom_dataset("tomita_1", test_lengths=[41, 42], train_examples=10, version=1.0)
        >>> enable_progress_bars()
        >>> splits["test"][0]["choices"], len(splits["test"])
        (['reject', 'accept'], 8)
    """
    known = plan(dataset).recipe.options()
    options = DEFAULTS | {key: value for key, value in metadata.items() if key in known}
    for key in metadata:
        close = difflib.get_close_matches(key, known, n=1, cutoff=0.8)
        if key not in known and close:
            raise InputError(f"--metadata has {key!r}, which is no option of {dataset}. Did you mean {close[0]!r}?")
    planned = plan(dataset, **options)
    if not planned.label_names:
        raise InputError(f"{dataset} has no labels to choose from. Take a classification dataset, such as 'dyck_d6'.")
    loaded: Any = load_dataset(dataset, **options)
    return {name: _questions(planned, rows) for name, rows in loaded.items()}


def _questions(planned: BasePlan, rows: datasets.Dataset) -> datasets.Dataset:
    names = list(planned.label_names)

    def ask(row: dict[str, Any]) -> dict[str, Any]:
        return {"question": planned.recipe.title, "word": _word(planned, row), "choices": names}

    return rows.map(ask, desc="Writing words")


def _word(planned: BasePlan, row: dict[str, Any]) -> str:
    """A word as text: a task shows its rows itself; symbols of a language are written apart."""
    if isinstance(planned, TaskPlan):
        return str(planned.task.show(row)["input_ids"])
    symbols = cast("Plan", planned).machine.alphabet
    return " ".join([symbols[i] for i in row["input_ids"]])
