"""What the rows of a task's dataset show: sizes, repeats, and what guesses from next to nothing score."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from datasets.utils import tqdm

from seqbench.dataset.lengths import length_facts
from seqbench.dataset.reading import KEY, Repeats, blocks_read
from seqbench.dataset.shortcuts import balance, shortcuts
from seqbench.generation.heldout import hash_words
from seqbench.generation.task_plan import TaskPlan

Array = npt.NDArray[Any]


def task_split_facts(plan: TaskPlan) -> dict[str, dict[str, Any]]:
    """For every split its size, lengths, repeats (see reading), scores and shares of labels (see shortcuts).

    Example:
        >>> from seqbench.generation.plan import plan
        >>> small = {"train_examples": 1000, "validation_examples": 0, "test_lengths": (41, 44)}
        >>> task_split_facts(plan("reverse_string", **small))["test"]["in_train"]
        0
    """
    repeats, facts = Repeats(), {}
    blocks = {name: blocks_read(split) for name, split in plan.splits.items()}
    with tqdm(total=sum(map(len, blocks.values())), desc=f"Reading {plan.name}") as bar:
        for name, split in plan.splits.items():
            parts = []
            for index in blocks[name]:
                parts.append(split.block(index))
                bar.update()
            rows = pa.Table.from_batches(parts).combine_chunks()
            lengths = np.concatenate([split.split.block(index)[0] for index in blocks[name]])
            facts[name] = {
                "examples": split.num_examples,
                **length_facts(split.split.lengths),
                **repeats.of(name, _hashes(rows)),
                **shortcuts(rows),
                "by_length": _balance(plan, rows, lengths),
            }
    return facts


def _balance(plan: TaskPlan, rows: pa.Table, lengths: Array) -> dict[int, dict[str, Any]]:
    """By the lengths of the plan: an input may have symbols that these do not count."""
    return balance(lengths, rows["label"].to_numpy() if plan.label_names else None, plan.label_names)


def _hashes(rows: pa.Table) -> Array:
    """A hash of the input of every row, symbols or numbers."""
    column = rows[rows.schema.names[0]].combine_chunks()
    offsets = np.concatenate([[0], np.cumsum(column.value_lengths().to_numpy())]).astype(np.int64)
    items = column.flatten()
    if pa.types.is_fixed_size_list(items.type):
        offsets *= items.type.list_size
        items = items.flatten()
    tokens = items.to_numpy()
    return hash_words(tokens.view(np.uint32) if tokens.dtype.kind == "f" else tokens, offsets, KEY)
