"""ListOps: nested lists of digits under MIN, MAX, MED and SM; the task is their value."""

from seqbench.algebra.parameters import Parameter
from seqbench.generation.tasks.listops.task import ListOps
from seqbench.generation.tasks.task import Kind

PARAMETERS = (
    Parameter("max_args", "integer", "most arguments of an operator", 2, 24, default=5),
    Parameter("max_depth", "integer", "most levels; on the last stand digits", 2, 24, default=20),
    Parameter("operator_probability", "number", "chance that a node above the last level is one", 0.01, 0.99, 0.25),
    Parameter("labels", "choice", "as they fall, or all ten alike", default="natural", choices=("natural", "balanced")),
)

KINDS = {"listops": Kind(ListOps, PARAMETERS, {})}
