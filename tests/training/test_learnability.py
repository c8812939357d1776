"""The recurrent unit learns four tasks at lengths up to 40 and is right up to 500: minutes of one core in all."""

import pytest

pytest.importorskip("torch")

import torch

from seqbench.training import loop
from seqbench.training.evaluate import evaluate
from seqbench.training.settings import resolve


@pytest.mark.parametrize("task", ["parity_check", "even_pairs", "prefix_p2_q2", "cycle_navigation"])
def test_ldru_generalises_in_length(tmp_path, task):
    torch.set_num_threads(1)
    settings = resolve(task, "ldru", steps=1000, check_every=50, test_lengths=12, test_words=32)
    metrics = evaluate(loop.train(settings, tmp_path / "run"))["metrics"]
    test = metrics["test"]["accuracy"]
    assert test["value"] >= 0.99
    assert max(map(int, test["per_length"])) == 500
    if "near_misses" in metrics:
        assert metrics["near_misses"]["accuracy"]["value"] >= 0.99
