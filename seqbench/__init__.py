"""seqbench: exact, versioned, fast synthetic benchmarks for sequence models, labelled by syntactic class.

The three calls that users come for:

    load_dataset("seqbench", "dyck_d6")                               # of `datasets`, after `import seqbench`
    seqbench.load_dataset("dyck_d6", test_lengths=(501, 10_000))
    seqbench.language("dyck_d6")
"""

import importlib
from typing import TYPE_CHECKING, Any

from seqbench.dataset.register import install as _install

if TYPE_CHECKING:
    from seqbench.covering.api import coverage
    from seqbench.covering.cover import cover
    from seqbench.covering.expectation import expected_coverage
    from seqbench.covering.planning import coverage_plan
    from seqbench.dataset.load import load_dataset
    from seqbench.generation.batches import stream
    from seqbench.generation.plan import dataset_names
    from seqbench.languages import Language, language, solve
    from seqbench.memory_functions import memory, relative_mse

__all__ = [
    "Language",
    "cover",
    "coverage",
    "coverage_plan",
    "dataset_names",
    "expected_coverage",
    "language",
    "load_dataset",
    "memory",
    "relative_mse",
    "solve",
    "stream",
]

# Loaded on first use, so that `import seqbench` costs next to nothing.
_HOMES = {
    "Language": "seqbench.languages",
    "cover": "seqbench.covering.cover",
    "coverage": "seqbench.covering.api",
    "coverage_plan": "seqbench.covering.planning",
    "dataset_names": "seqbench.generation.plan",
    "expected_coverage": "seqbench.covering.expectation",
    "language": "seqbench.languages",
    "load_dataset": "seqbench.dataset.load",
    "memory": "seqbench.memory_functions",
    "relative_mse": "seqbench.memory_functions",
    "solve": "seqbench.languages",
    "stream": "seqbench.generation.batches",
}


def __getattr__(name: str) -> Any:
    """A public name, imported now."""
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("seqbench")
    if name == "models":  # a package that costs nothing until a model is made
        return importlib.import_module("seqbench.models")
    if name not in _HOMES:
        raise AttributeError(f"module 'seqbench' has no attribute {name!r}. It has: {', '.join(__all__)}.")
    return globals().setdefault(name, getattr(importlib.import_module(_HOMES[name]), name))


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, "__version__"]


_install()
