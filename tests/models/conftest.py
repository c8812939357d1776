"""Settings of the tests of models: they run on one thread and start from one seed."""

import importlib.util

import pytest


@pytest.fixture(autouse=True)
def _one_thread_and_one_seed():
    if importlib.util.find_spec("torch") is None:
        yield  # for the tests that need no torch
        return
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield
    torch.set_num_threads(threads)
