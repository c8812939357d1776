"""Doctests of the models and of training need PyTorch, which is an extra: without it they are left out."""

import importlib.util

_NEED_TORCH = ["seqbench/models/*.py", "seqbench/training/*.py"]

collect_ignore_glob = [] if importlib.util.find_spec("torch") else _NEED_TORCH
