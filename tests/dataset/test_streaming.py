"""Streams: the same rows in the same order, resumable, divisible, and nothing written."""

from pathlib import Path

import datasets
import pytest
from datasets.distributed import split_dataset_by_node

import seqbench


@pytest.fixture
def stream(small):
    """A stream of the small dataset, a new one at every call."""
    return lambda split="train": seqbench.load_dataset("dyck_d6", split=split, streaming=True, **small)


def key(row):
    return tuple(row["input_ids"]), row["label"], row["syntactic_class"]


def test_rows_equal_the_files_one_by_one(shared, stream):
    for name, part in stream(None).items():
        assert part.features == shared[name].features
        for streamed, mapped in zip(part, shared[name], strict=True):
            assert streamed == mapped


def test_the_library_streams_too(shared, cache, small):
    rows = datasets.load_dataset("seqbench", "dyck_d6", split="test", streaming=True, cache_dir=cache, **small)
    assert list(rows) == list(shared["test"])
    assert not list(Path(cache).rglob("*.arrow"))


def test_nothing_is_written(tmp_path, stream):
    next(iter(stream()))
    assert not (tmp_path / "default-cache").exists()


def test_skip_and_take_instead_of_slices(shared, stream):
    assert list(stream().skip(5000).take(10)) == list(shared["train"].select(range(5000, 5010)))


@pytest.mark.parametrize("read", [0, 10, 4096, 5000, 8999])
def test_a_stream_resumes_where_it_stopped(read, shared, stream):
    first = stream()
    rows = iter(first)
    for _ in range(read):
        next(rows)
    state = first.state_dict()
    second = stream()
    second.load_state_dict(state)
    assert list(second) == list(shared["train"].select(range(read, 9000)))


@pytest.mark.parametrize("parts", [2, 3])
def test_shards_divide_the_rows(parts, shared, stream):
    whole = stream()
    assert whole.num_shards == 3
    shards = [whole.shard(num_shards=parts, index=index) for index in range(parts)]
    assert [row for shard in shards for row in shard] == list(shared["train"])


@pytest.mark.parametrize("nodes", [2, 3, 4])
def test_nodes_divide_the_rows(nodes, shared, stream):
    rows = [key(row) for rank in range(nodes) for row in split_dataset_by_node(stream(), rank=rank, world_size=nodes)]
    assert sorted(rows) == sorted(map(key, shared["train"]))


def test_shuffling_keeps_every_row(shared, stream):
    shuffled = [key(row) for row in stream().shuffle(seed=1, buffer_size=100)]
    ordered = [key(row) for row in shared["train"]]
    assert shuffled != ordered
    assert sorted(shuffled) == sorted(ordered)
