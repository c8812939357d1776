"""What rows of tasks depend on: every parameter that changes rows, and nothing that only shows them otherwise."""

import pytest

from seqbench.generation.plan import dataset_names, plan
from seqbench.generation.task_plan import TaskPlan
from seqbench.generation.tasks import TASKS

SMALL = {"train_examples": 60, "validation_examples": 10, "test_lengths": (40, 41), "test_examples_per_length": 4}
SHOWN = {
    "reverse_string": {"layout": "appended"},
    "solve_equation": {"layout": "appended"},
    "stack_manipulation": {"layout": "appended"},
    "binary_addition": {"layout": "appended"},
    "group_a5": {"targets": "prefix"},
    "state_tracking": {"targets": "label"},
    "flare_parity": {"extra": "next_symbols"},
    "flare_dyck_2_3": {"extra": "log_probabilities"},
    "cf_dyck_2": {"extra": "next_symbols"},
    "memory_exp": {"targets": "last", "test_lengths": 256},
}
CHANGED = {
    "bucket_sort": {"symbols": 4},
    "solve_equation": {"sampling": "published"},
    "flare_parity": {"near_miss": 0.5},
    "cf_dyck_2": {"kinds": 3},
    "group_a5": {"letters": "generators"},
    "flip_flop": {"ignore": 0.5},
    "induction": {"vocabulary": 17},
    "listops_a5_d9": {"operator_probability": 0.3},
}


def rows(name, split, **options):
    planned = plan(name, **SMALL | options)
    blocks = range(planned.splits[split].num_blocks)
    return planned, [row for i in blocks for row in planned.block(split, i).to_pylist()]


@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize("name", SHOWN)
def test_presentation_keeps_the_words(name, split):
    plain, before = rows(name, split, test_lengths=SHOWN[name].get("test_lengths", SMALL["test_lengths"]))
    other, after = rows(name, split, **SHOWN[name])
    assert plain.config_id != other.config_id
    column = plain.schema.names[0]
    for one, two in zip(before, after, strict=True):
        assert two[column][: len(one[column])] == one[column]
        for shared in (set(plain.schema.names) & set(other.schema.names)) - {column, "targets"}:
            assert one[shared] == two[shared]


def test_presentation_is_named_for_parameters_that_there_are():
    for kind in TASKS.values():
        assert set(kind.presentation) <= {parameter.name for parameter in kind.parameters}


@pytest.mark.parametrize("name", CHANGED)
def test_other_parameters_give_independent_rows(name):
    """Even where the same law holds: no row of 40 symbols comes back at its place."""
    (_, before), (_, after) = rows(name, "test"), rows(name, "test", **CHANGED[name])
    assert not any(one["input_ids"] == two["input_ids"] for one, two in zip(before, after, strict=True))


def test_every_kind_has_a_dataset():
    used = {planned.recipe.task for planned in map(plan, dataset_names()) if isinstance(planned, TaskPlan)}
    assert used == set(TASKS)
