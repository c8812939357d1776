"""Memory functions: regression targets whose temporal dependence one number controls.

The package's modules, in the order in which they build on each other: `families` (the formulas), `normals` and `inputs`
(random signals), `response` (targets from signals), `measures` and `facts` (complexity), `parameters`, `task`.
"""

from seqbench.generation.tasks.memory import parameters, task
from seqbench.generation.tasks.task import Kind

KINDS = {
    "memory": Kind(task.one, (*parameters.ONE, *parameters.SHARED), {"length": parameters.length_options}),
    "memory_hybrid": Kind(
        task.hybrid,
        (*parameters.HYBRID, *parameters.SHARED),
        {"length": parameters.length_options, "alpha": parameters.alpha_options},
    ),
    "memory_legacy": Kind(task.older, (*parameters.OLDER, *parameters.SHARED), {"length": parameters.length_options}),
}
"""The kinds of task made here."""
