"""The facts of a dataset in plain data: what `seqbench info` prints and the cards hold."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from datasets.utils import tqdm

from seqbench.algebra.monoid import Monoid
from seqbench.algebra.structure import Structure
from seqbench.dataset.lengths import length_facts
from seqbench.dataset.reading import KEY, Repeats, blocks_read
from seqbench.dataset.shortcuts import balance, input_facts, label_scores, majority
from seqbench.dataset.task_facts import task_split_facts
from seqbench.errors import TooLargeError
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.heldout import hash_words
from seqbench.generation.plan import Plan, SplitPlan
from seqbench.generation.task_plan import TaskPlan
from seqbench.generation.tasks.task import HasShortcuts, OverMachine

Array = npt.NDArray[Any]


def overview(plan: BasePlan) -> dict[str, Any]:
    """Language, recipe, splits, label shares and overlaps of a dataset.

    Makes every row of every split once (of huge splits a part, see `rows_read`); a bar shows how far it is.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> facts = overview(plan("dyck_d6", train_examples=1000, validation_examples=100, test_lengths=(41, 44)))
        >>> facts["language"]["classes"], facts["splits"]["test"]["examples"]
        (141, 256)
    """
    facts = {
        "name": plan.name,
        "title": plan.recipe.title,
        "version": plan.version,
        "source": plan.recipe.source,
        "config": plan.config_id,
        "recipe": plan.recipe.options(),
    }
    if isinstance(plan, TaskPlan):
        return facts | {
            "task": plan.recipe.task,
            "parameters": plan.recipe.parameters,
            **plan.task.facts(),
            **({"label_names": list(plan.label_names)} if plan.label_names else {}),
            **_task_shortcuts(plan),
            **_task_structure(plan),
            "splits": task_split_facts(plan),
        }
    if isinstance(plan, Plan):
        return facts | {"language": language_facts(plan), "splits": split_facts(plan)}
    raise TypeError(type(plan))


def _task_shortcuts(plan: TaskPlan) -> dict[str, Any]:
    """What the task itself measures of guesses, at lengths of the dataset."""
    if not isinstance(plan.task, HasShortcuts):
        return {}
    lengths = np.unique(np.concatenate([part.split.lengths for part in plan.splits.values()]))
    return {"shortcuts": plan.task.shortcuts(lengths.tolist())}


def _task_structure(plan: TaskPlan) -> dict[str, Any]:
    """The structure of a task's language where it is regular and the task has its automaton."""
    machine = plan.task.machine if isinstance(plan.task, OverMachine) else None
    if machine is None:
        return {}
    monoid = _unless_too_large(lambda: Monoid.of(machine))
    return {"structure": {"states": machine.num_states, **(_monoid_facts(monoid) if monoid else {})}}


def language_facts(plan: Plan) -> dict[str, Any]:
    """Sizes and kind of the language."""
    machine, monoid = plan.machine, _unless_too_large(lambda: plan.monoid)
    facts = {
        "alphabet": list(machine.alphabet),
        "labels": list(machine.labels),
        "states": machine.num_states,
        "fingerprint": machine.fingerprint,
    }
    if monoid is None:
        return facts
    preperiod, period = monoid.reach_period
    repeat = {"reachable_classes_repeat": {"from_length": preperiod, "every": period}}
    return facts | repeat | _monoid_facts(monoid)


def _unless_too_large(make: Callable[[], Monoid | None]) -> Monoid | None:
    try:
        return make()
    except TooLargeError:
        return None


def _monoid_facts(monoid: Monoid) -> dict[str, Any]:
    return {"classes": len(monoid), "has_zero": monoid.zero is not None, **Structure(monoid).facts}


def split_facts(plan: Plan) -> dict[str, dict[str, Any]]:
    """For every split its size, lengths, repeats, label shares, and the scores of trivial rules (see shortcuts)."""
    facts: dict[str, dict[str, Any]] = {}
    repeats = Repeats()
    blocks = {name: blocks_read(split) for name, split in plan.splits.items()}
    with tqdm(total=sum(map(len, blocks.values())), desc=f"Reading {plan.name}") as bar:
        for name, split in plan.splits.items():
            inputs, labels, hashes = _columns(split, blocks[name], plan.machine.num_symbols, bar)
            facts[name] = {**_facts(plan, split, inputs, labels), **repeats.of(name, hashes)}
    return facts


def _columns(split: SplitPlan, blocks: range, symbols: int, bar: Any) -> tuple[dict[str, Array], Array, Array]:
    """Facts of the input, label and hash of the rows of some blocks."""
    parts = []
    for index in blocks:
        rows = split.split.rows(index)
        inputs = input_facts(rows.tokens, rows.offsets, symbols)
        parts.append((inputs, rows.labels, hash_words(rows.tokens, rows.offsets, KEY)))
        bar.update()
    facts, labels, hashes = zip(*parts, strict=True)
    return (
        {name: np.concatenate([each[name] for each in facts]) for name in facts[0]},
        np.concatenate(labels),
        np.concatenate(hashes),
    )


def _facts(plan: Plan, split: SplitPlan, inputs: dict[str, Array], labels: Array) -> dict[str, Any]:
    allowed = split.split.lengths
    counts = np.bincount(labels, minlength=plan.machine.num_labels)
    by_parity = np.bincount(2 * labels + inputs["length"] % 2, minlength=2 * len(counts)).reshape(-1, 2)
    return {
        "examples": split.num_examples,
        **length_facts(allowed),
        "labels": {plan.machine.labels[i]: int(counts[i]) for i in np.flatnonzero(counts)},
        "single_label_lengths": int((plan.num_labels(int(allowed[-1]))[allowed] == 1).sum()),
        "majority_score": majority(counts),
        "length_parity_score": round(float(by_parity.max(axis=0).sum() / counts.sum()), 4),
        **label_scores(inputs, labels),
        "by_length": balance(inputs["length"], labels, plan.machine.labels),
    }
