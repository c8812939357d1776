"""The non-regular tasks of the Chomsky-hierarchy benchmark (Deletang et al., ICLR 2023) by name."""

from seqbench.generation.tasks.chomsky import expressions, numbers, stacks, strings
from seqbench.generation.tasks.task import Kind

KINDS: dict[str, Kind] = {**strings.KINDS, **stacks.KINDS, **numbers.KINDS, **expressions.KINDS}
"""Every kind of this package by name."""
