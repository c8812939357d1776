import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.algebra.alphabet import check_alphabet, decode, encode, encode_batch, token_dtype
from seqbench.errors import DefinitionError, InputError

WIDE = tuple(f"s{number}" for number in range(300))
ALPHABETS = [("0", "1"), ("b", "a", "é", "😀"), ("push", "pop"), WIDE]


@given(st.sampled_from(ALPHABETS), st.lists(st.integers(0, 1_000_000), max_size=30))
def test_encode_and_decode_are_inverse(alphabet, numbers):
    ids = [number % len(alphabet) for number in numbers]
    symbols = [alphabet[i] for i in ids]
    for word in (ids, tuple(ids), np.array(ids, np.int64), symbols, decode(alphabet, ids)):
        encoded = encode(alphabet, word)
        assert encoded.tolist() == ids
        assert encoded.dtype == token_dtype(alphabet)


@pytest.mark.parametrize(
    ("word", "position", "item"),
    [
        ("012", 2, "'2'"),
        ("0\udc80", 1, "'\\udc80'"),
        ([0, 1, 1, 2], 3, "2"),
        ([0, -1], 1, "-1"),
        ([True], 0, "True"),
        ([0.0], 0, "0.0"),
        ([None], 0, "None"),
        (["0", "x"], 1, "'x'"),
        (np.array([0, 5]), 1, "5"),
        (np.array([0, -1]), 1, "-1"),
        (np.array([0.5]), 0, "0.5"),
        (np.array([False]), 0, "False"),
    ],
)
def test_foreign_items_are_named_with_their_position(word, position, item):
    with pytest.raises(InputError) as error:
        encode(("0", "1"), word)
    assert f"Position {position} " in str(error.value)
    assert item in str(error.value)
    assert "{'0', '1'}" in str(error.value)


@pytest.mark.parametrize("word", [3, None, np.zeros((2, 2), np.uint8), {0, 1}])
def test_things_that_are_no_word(word):
    with pytest.raises(InputError, match="no word"):
        encode(("0", "1"), word)


def test_batches_name_the_word():
    tokens, offsets = encode_batch(("0", "1"), [])
    assert (tokens.tolist(), offsets.tolist(), offsets.dtype) == ([], [0], np.int64)
    with pytest.raises(InputError, match="In word 1: Position 0"):
        encode_batch(("0", "1"), ["0", "2"])


@pytest.mark.parametrize("symbols", [[], [""], ["a", "a"], ["a b", "c"], [1, 2], map(str, range(70_000))])
def test_bad_alphabets(symbols):
    with pytest.raises(DefinitionError):
        check_alphabet(symbols)


def test_a_space_may_be_a_symbol():
    assert encode(check_alphabet(" a"), "a a").tolist() == [1, 0, 1]
