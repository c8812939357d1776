"""What the rows of a task's dataset show: sizes, repeats, and what guesses from next to nothing score."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from datasets.utils import tqdm

from seqbench.dataset.reading import KEY, Repeats, blocks_read
from seqbench.generation.heldout import hash_words
from seqbench.generation.task_plan import TaskPlan

Array = npt.NDArray[Any]

IGNORED = -100
FEW = 20  # a table of scores needs so many rows a cell, or its best guesses are luck


def task_split_facts(plan: TaskPlan) -> dict[str, dict[str, Any]]:
    """For every split its size, lengths, repeats (see reading), and the scores of trivial rules (see `shortcuts`).

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
            rows, allowed = pa.Table.from_batches(parts).combine_chunks(), split.split.lengths
            facts[name] = {
                "examples": split.num_examples,
                "lengths": [int(allowed[0]), int(allowed[-1])],
                "num_lengths": len(allowed),
                "length_step": int(np.gcd.reduce(np.diff(allowed))) if len(allowed) > 1 else 1,
                **repeats.of(name, _hashes(rows)),
                **shortcuts(rows),
            }
    return facts


def shortcuts(rows: pa.Table) -> dict[str, float]:
    """The share of right answers of the best constant, and of the best answer by one simple fact of the input.

    Of a label: the parity of the length, the first and the last symbol; left out where there are fewer than 20 rows for
    each pair of a fact and a label. Of words and positions: the most frequent symbol among those that count.

    Example:
        >>> shortcuts(pa.table({"input_ids": [[0, 1]] * 60 + [[1, 1]] * 60, "label": [0] * 60 + [1] * 60}))
        {'majority_score': 0.5, 'length_parity_score': 0.5, 'first_symbol_score': 1.0, 'last_symbol_score': 0.5}
    """
    names = rows.schema.names
    if "label" in names:
        return _label_scores(rows)
    target = next((name for name in ("output_ids", "labels") if name in names), None)
    if target is None:
        return {}
    values = rows[target].combine_chunks().flatten().to_numpy()
    if "loss_mask" in names:
        values = values[rows["loss_mask"].combine_chunks().flatten().to_numpy(zero_copy_only=False)]
    _, shares = np.unique(values[values != IGNORED], return_counts=True)
    return {"majority_score": round(float(shares.max() / shares.sum()), 4)} if len(shares) else {}


def _label_scores(rows: pa.Table) -> dict[str, float]:
    labels = rows["label"].to_numpy()
    column = rows["input_ids"].combine_chunks()
    tokens, ends = column.flatten().to_numpy(), np.cumsum(column.value_lengths().to_numpy())
    lengths = np.diff(ends, prepend=0)
    facts = {
        "majority_score": np.zeros_like(lengths),
        "length_parity_score": lengths % 2,
        "first_symbol_score": tokens[ends - lengths],
        "last_symbol_score": tokens[ends - 1],
    }
    scores = {name: _best_by(fact.astype(np.int64), labels) for name, fact in facts.items()}
    return {name: round(score, 4) for name, score in scores.items() if score is not None}


def _best_by(fact: Array, labels: Array) -> float | None:
    """The share of right answers if each value of a fact has its most frequent label; None where rows are few."""
    values, which = np.unique(fact, return_inverse=True)
    size = int(labels.max()) + 1
    if len(values) * size * FEW > len(labels):
        return None
    table = np.bincount(which * size + labels, minlength=len(values) * size).reshape(len(values), size)
    return float(table.max(axis=1).sum() / len(labels))


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
