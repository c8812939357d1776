"""Doctests of the models need PyTorch, which is an extra: without it they are left out."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["seqbench/models/*.py"]
