"""Memory functions: regression targets whose temporal dependence one number controls.

The package's modules, in the order in which they build on each other: `families` (the formulas), `normals` and `inputs`
(random signals), `response` (targets from signals), `measures` and `facts` (complexity), `parameters`, `task`.
"""

from seqbench.generation.tasks.memory import parameters, task
from seqbench.generation.tasks.task import Kind

_SHOWN_BY = ("targets",)
_LENGTH = {"length": parameters.length_options}

KINDS = {
    "memory": Kind(task.one, (*parameters.ONE, *parameters.SHARED), _LENGTH, _SHOWN_BY),
    "memory_hybrid": Kind(
        task.hybrid,
        (*parameters.HYBRID, *parameters.SHARED),
        {**_LENGTH, "alpha": parameters.alpha_options},
        _SHOWN_BY,
    ),
    "memory_legacy": Kind(task.older, (*parameters.OLDER, *parameters.SHARED), _LENGTH, _SHOWN_BY),
}
"""The kinds of task made here."""
