"""The logical digest: one for the same rows, however they are cut and kept; another for any other rows."""

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.dataset.logical import LogicalDigest, digest_of
from seqbench.errors import InputError

TYPES = {
    "tokens": pa.list_(pa.uint8()),
    "label": pa.int64(),
    "mask": pa.list_(pa.bool_()),
    "flag": pa.bool_(),
    "inputs": pa.list_(pa.list_(pa.float32(), 2)),
    "deep": pa.list_(pa.list_(pa.uint16())),
    "half": pa.float64(),
    "text": pa.string(),
}
VALUES = {
    "tokens": st.lists(st.integers(0, 255), max_size=4),
    "label": st.integers(-(2**63), 2**63 - 1),
    "mask": st.lists(st.booleans(), max_size=4),
    "flag": st.booleans(),
    "inputs": st.lists(st.lists(st.floats(width=32, allow_nan=False), min_size=2, max_size=2), max_size=3),
    "deep": st.lists(st.lists(st.integers(0, 65535), max_size=3), max_size=3),
    "half": st.floats(allow_nan=False),
    "text": st.text(max_size=3),
}
ROWS = st.lists(st.fixed_dictionaries({name: st.none() | values for name, values in VALUES.items()}), max_size=6)
SCHEMA = pa.schema(TYPES)


def table_of(rows):
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def digest(rows, size=None):
    return digest_of(SCHEMA, table_of(rows).to_batches(max_chunksize=size))


def bits(rows):
    """What distinguishes rows to the last bit: 0.0 and -0.0 are different values."""
    return repr(rows)


@given(ROWS, st.integers(1, 4))
def test_batches_may_begin_and_end_anywhere(rows, size):
    assert digest(rows, size) == digest(rows)


@given(ROWS, ROWS)
def test_other_rows_have_another_digest(one, other):
    assert (digest(one) == digest(other)) == (bits(one) == bits(other))


@given(ROWS)
def test_a_file_keeps_the_digest(rows):
    sink = pa.BufferOutputStream()
    pq.write_table(table_of(rows), sink, row_group_size=2)
    read = pq.ParquetFile(pa.BufferReader(sink.getvalue()))
    assert digest_of(SCHEMA, read.iter_batches(batch_size=3)) == digest(rows)


def test_slices_and_large_lists_count_as_what_they_say():
    rows = pa.record_batch({"a": pa.array([[9], [1, 2], [3]], pa.list_(pa.uint8()))}).slice(1)
    plain = pa.record_batch({"a": pa.array([[1, 2], [3]], pa.large_list(pa.uint8()))})
    assert digest_of(rows.schema, [rows]) == digest_of(plain.schema, [plain])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.array([1], pa.int64()), pa.array([1], pa.int32())),
        (pa.array([[1], []], pa.list_(pa.uint8())), pa.array([[], [1]], pa.list_(pa.uint8()))),
        (pa.array([None, 0]), pa.array([0, None])),
        (pa.array([[None]], pa.list_(pa.int8())), pa.array([[]], pa.list_(pa.int8()))),
    ],
)
def test_types_lengths_and_nulls_count(one, other):
    first, second = (pa.record_batch({"a": column}) for column in (one, other))
    assert digest_of(first.schema, [first]) != digest_of(second.schema, [second])


def test_the_names_of_columns_count():
    assert digest_of(pa.schema({"a": pa.int8()}), []) != digest_of(pa.schema({"b": pa.int8()}), [])


def test_the_definition_stays_what_it_is():
    """Published digests must be found again by every later release."""
    rows = pa.record_batch({"input_ids": pa.array([[0, 1], [1]], pa.list_(pa.uint8())), "label": [1, 0]})
    zero = hashlib.sha256().hexdigest()

    def sha(text):
        return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()

    inner = sha(f"uint8 3 {sha(bytes([0, 1, 1]))} {zero}")
    tokens = sha(f"list 2 {sha(np.array([2, 1], '<i8').tobytes())} {zero} {inner}")
    labels = sha(f"int64 2 {sha(np.array([1, 0], '<i8').tobytes())} {zero}")
    found = LogicalDigest(rows.schema)
    found.update(rows)
    assert found.hexdigest() == sha(f"2\ninput_ids {tokens}\nlabel {labels}")


def test_a_type_without_a_digest_is_named():
    rows = pa.record_batch({"when": pa.array([1], pa.timestamp("s"))})
    with pytest.raises(InputError, match=r"timestamp\[s\]"):
        digest_of(rows.schema, [rows])
