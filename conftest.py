"""What needs a library of an extra is left out where that is not installed: doctests, and a helper of tests."""

import importlib.util

_NEED = {
    "torch": ["seqbench/models/*.py", "seqbench/training/*.py", "tests/training/stops.py"],
    "tokenizers": ["seqbench/dataset/tokens.py"],
}

collect_ignore_glob = [
    pattern for library, patterns in _NEED.items() if importlib.util.find_spec(library) is None for pattern in patterns
]
