"""Task kinds by name: the closed dict TASKS is the whole list."""

from seqbench.generation.tasks import reverse
from seqbench.generation.tasks.task import Kind

TASKS: dict[str, Kind] = {**reverse.KINDS}
"""Every task kind by name."""
