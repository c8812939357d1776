"""What the ids in a dataset's columns stand for, so that its rows can be read without seqbench."""

from typing import Any

from seqbench.generation.base_plan import BasePlan
from seqbench.generation.task_plan import TaskPlan

MOST = 100
"""Names of more ids are not listed."""


def names_by_column(planned: BasePlan) -> dict[str, tuple[str, ...]]:
    """The names of the ids in each column that has some, in order; columns of over 100 names are left out.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> names_by_column(plan("reverse_string"))
        {'input_ids': ('0', '1'), 'output_ids': ('0', '1')}
    """
    task: Any = planned.task if isinstance(planned, TaskPlan) else None
    names = {
        "input_ids": planned.symbol_names,
        "output_ids": getattr(task, "output_names", ()),
        "label": planned.label_names,
        "labels": planned.label_names,
    }
    return {column: each for column, each in names.items() if column in planned.schema.names and 0 < len(each) <= MOST}
