"""What guessing scores, in the words that cards and exported pages share."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from seqbench.dataset.markdown import cell
from seqbench.dataset.reading import blocks_read
from seqbench.dataset.shortcuts import majority
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.task_plan import TaskPlan

SPLIT = "test"
"""The split whose most frequent label stands for chance where a task states none."""


def chance_of(planned: BasePlan) -> str:
    """The chance level of a dataset as a sentence or two; empty where none is known.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> chance_of(plan("flare_first")), chance_of(plan("dyck_d6"))
        ('Chance: 0.5.', 'Chance: 0.7501, always the most frequent label of the test.')
    """
    facts = planned.task.facts() if isinstance(planned, TaskPlan) else {}
    return chance_text(facts, None if "chance" in facts else _majority(planned))


def chance_text(facts: Mapping[str, Any], most: float | None) -> str:
    """The same from the facts of a task, and the share of the test's most frequent label where they have no chance.

    Example:
        >>> chance_text({"chance": {1: 0.2, 9: 0.266}}, None)
        'Chance by length: 1: 0.2, 9: 0.266.'
    """
    if "chance" not in facts:
        return "" if most is None else f"Chance: {cell(most)}, always the most frequent label of the {SPLIT}."
    kind = "Chance by length" if isinstance(facts["chance"], dict) else "Chance"
    note = f", {facts['chance_note']}" if "chance_note" in facts else ""
    return f"{kind}: {cell(facts['chance'])}{note}."


def _majority(planned: BasePlan) -> float | None:
    """The share of the most frequent label of the test, as `overview` has it."""
    if SPLIT not in planned.splits or not planned.label_names:
        return None
    blocks = planned.blocks(SPLIT, blocks_read(planned.splits[SPLIT]))
    counts = sum(np.bincount(block["label"], minlength=len(planned.label_names)) for block in blocks)
    return majority(np.asarray(counts))
