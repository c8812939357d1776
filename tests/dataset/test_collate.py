"""Padded arrays and tensors hold just what the rows hold."""

import subprocess
import sys

import datasets
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.dataset.collate import Collator, numpy_batches, padded
from seqbench.errors import InputError, UnknownNameError

WORDS = st.lists(st.lists(st.integers(0, 255), max_size=6), min_size=1, max_size=8)


def table(words, **more):
    return pa.table({"input_ids": pa.array(words, pa.list_(pa.uint8())), **more})


@given(WORDS, st.integers(0, 3))
def test_every_value_is_where_it_belongs(words, first):
    rows = table(words).slice(first)  # a slice starts within its buffers
    found = padded(rows)
    assert found["lengths"].tolist() == [len(word) for word in words[first:]]
    assert found["mask"].sum(axis=1).tolist() == found["lengths"].tolist()
    for row, word in zip(found["input_ids"].tolist(), words[first:], strict=True):
        assert row == word + [0] * (len(row) - len(word))


def test_tensors_of_a_dataset_by_a_loader(shared):
    torch = pytest.importorskip("torch")
    from torch.utils.data import BatchSampler, DataLoader, SequentialSampler

    rows = shared["train"].select(range(1000))
    sampler = BatchSampler(SequentialSampler(rows), batch_size=256, drop_last=False)
    loader = DataLoader(rows.with_format("arrow"), batch_size=None, sampler=sampler, collate_fn=Collator())
    batches = list(loader)
    assert [len(batch["label"]) for batch in batches] == [256, 256, 256, 232]
    made = [
        {"input_ids": ids[mask].tolist(), "label": label.item(), "syntactic_class": each.item()}
        for batch in batches
        for ids, mask, label, each in zip(
            batch["input_ids"], batch["mask"], batch["label"], batch["syntactic_class"], strict=True
        )
    ]
    assert made == rows.to_list()
    torch.nn.Embedding(2, 3)(batches[0]["input_ids"])  # which takes no bytes
    assert batches[0]["mask"].dtype == torch.bool
    batches[0]["input_ids"] += 1  # memory of its own


def test_columns_of_other_kinds():
    pairs = pa.list_(pa.list_(pa.float32(), 2))
    rows = pa.table(
        {
            "inputs": pa.array([[[1, 2], [3, 4]], [[5, 6]]], pairs),
            "targets": pa.array([[1.5, 2.5], [3.5]], pa.list_(pa.float32())),
            "output_ids": pa.array([[1], [2, 3]], pa.list_(pa.uint16())),
            "loss_mask": pa.array([[True], [False, True]], pa.list_(pa.bool_())),
            "labels": pa.array([[1, 0], [1]], pa.list_(pa.int32())),
        }
    )
    found = padded(rows, padding={"targets": -1})
    assert found["inputs"].tolist() == [[[1, 2], [3, 4]], [[5, 6], [0, 0]]]
    assert found["inputs"].dtype == found["targets"].dtype == np.float32
    assert found["targets"].tolist() == [[1.5, 2.5], [3.5, -1]]
    assert found["labels"].tolist() == [[1, 0], [1, -100]]
    assert found["loss_mask"].tolist() == [[True, False], [False, True]]
    assert found["output_ids_lengths"].tolist() == [1, 2]
    assert found["output_ids_mask"].tolist() == [[True, False], [True, True]]
    assert "labels_mask" not in found  # as many as the inputs


def test_batches_for_a_compiler_have_one_shape(shared):
    rows = shared["train"].select(range(1000))
    batches = list(numpy_batches(rows, 256, drop_last=True, integers="int32", pad_to=64))
    assert {batch["input_ids"].shape for batch in batches} == {(256, 64)}
    assert {array.dtype.name for batch in batches for array in batch.values()} == {"int32", "bool"}
    joined = np.concatenate([batch["label"] for batch in batches])
    assert joined.tolist() == rows["label"][:768]


def test_streams_give_the_same_arrays(shared):
    rows = shared["validation"]
    stream = rows.to_iterable_dataset()
    for one, other in zip(numpy_batches(rows, 200), numpy_batches(stream, 200), strict=True):
        assert all(np.array_equal(one[name], other[name]) for name in one.keys() | other.keys())


def test_columns_may_be_chosen(shared):
    (batch,) = numpy_batches(shared["validation"], 1000, columns=["label"])
    assert list(batch) == ["label"]


def test_empty_words_and_no_words():
    assert padded(table([[], []]))["input_ids"].shape == (2, 0)
    assert padded(table([]))["input_ids"].shape == (0, 0)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: padded(table([[1, 2, 3]]), pad_to=2), InputError, "pad_to=2"),
        (lambda: padded(table([[1], None])), InputError, "nulls"),
        (lambda: padded(table([[1]], text=["a"])), InputError, "'text'"),
        (lambda: padded(table([[1]]), integers="int16"), UnknownNameError, "int32"),
        (lambda: list(numpy_batches(datasets.Dataset.from_dict({"a": [1]}), 0)), InputError, "batch_size is 0"),
    ],
)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_rows_instead_of_arrow_are_named():
    pytest.importorskip("torch")
    with pytest.raises(InputError, match="with_format"):
        Collator()([{"input_ids": [1]}])


def test_torch_is_imported_only_when_tensors_are_made():
    code = "import sys, seqbench.dataset.collate as c, pyarrow as pa; c.padded(pa.table({'a': [1]})); "
    done = subprocess.run(
        [sys.executable, "-c", code + "print('torch' in sys.modules)"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
