"""JAX takes padded batches as they are, compiles once for all of them, and computes what NumPy does."""

import json
import os

import pytest

from tests.environments import ROOT, environment, run

JAX = "jax==0.10.2"
WIDTH, BATCH, ROWS = 40, 256, 1000

CODE = f"""
import json
import jax, jax.numpy as jnp, numpy as np
import seqbench
from seqbench.dataset.collate import numpy_batches

rows = seqbench.load_dataset("dyck_d3", split="train", train_examples={ROWS})
table = np.random.default_rng(0).normal(size=(2, 8)).astype(np.float32)
traced = []

@jax.jit
def means(tokens, mask, lengths, table):
    traced.append(tokens.shape)  # Python runs this line once a compilation
    return (table[tokens] * mask[..., None]).sum(axis=1) / lengths[:, None]

right, labels = [], []
for batch in numpy_batches(rows, {BATCH}, integers="int32", pad_to={WIDTH}, drop_last=True):
    found = means(jnp.asarray(batch["input_ids"]), batch["mask"], batch["lengths"], table)
    labels += jnp.asarray(batch["label"]).tolist()
    words = (row[:length] for row, length in zip(batch["input_ids"], batch["lengths"]))
    right.append(np.allclose(found, [table[word].mean(axis=0) for word in words], atol=1e-5))
    right.append(not np.allclose(found, table[batch["input_ids"]].mean(axis=1), atol=1e-5))  # the mask matters
print(json.dumps({{
    "version": jax.__version__, "traced": traced, "compiled": means._cache_size(), "right": right,
    "rows": len(labels), "labels": labels == rows["label"][: len(labels)],
}}))
"""


@pytest.fixture(scope="session")
def jax_python():
    return environment("jax", ("--editable", str(ROOT), JAX))


@pytest.mark.slow
def test_a_jitted_function_is_compiled_once_and_agrees_with_numpy(jax_python, tmp_path):
    home = {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1", "JAX_PLATFORMS": "cpu", "PYTHONPATH": ""}
    said = run(jax_python, "-c", CODE, cwd=tmp_path, env=os.environ | home)
    batches = ROWS // BATCH
    assert json.loads(said.splitlines()[-1]) == {
        "version": JAX.partition("==")[2], "traced": [[BATCH, WIDTH]], "compiled": 1, "right": [True] * 2 * batches,
        "rows": BATCH * batches, "labels": True,
    }  # fmt: skip
