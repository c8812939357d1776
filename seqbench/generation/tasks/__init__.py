"""Task kinds by name: the closed dict TASKS is the whole list."""

from seqbench.generation.tasks import chomsky, flare, flip_flop, grammars, listops, nesv, recall, states
from seqbench.generation.tasks.groups import task as groups
from seqbench.generation.tasks.memory import KINDS as MEMORY
from seqbench.generation.tasks.task import Kind

TASKS: dict[str, Kind] = {
    **chomsky.KINDS,
    **nesv.KINDS,
    **groups.KINDS,
    **states.KINDS,
    **flip_flop.KINDS,
    **flare.KINDS,
    **grammars.KINDS,
    **MEMORY,
    **listops.KINDS,
    **recall.KINDS,
}
"""Every task kind by name."""
