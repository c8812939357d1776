"""Columns of words of whatever type as flat symbol ids: lists and texts of Arrow, lists of Python, arrays of NumPy.

Numbers are symbol ids. Text is read as symbols, and as ids where no symbol could be meant (see `written`).
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from seqbench.algebra.alphabet import Alphabet, encode, encode_batch, shown, token_dtype
from seqbench.errors import InputError

Array = npt.NDArray[Any]
Chunk = tuple[Array, Array]

LISTS = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
TEXTS = ("is_string", "is_large_string", "is_string_view")  # views are unknown to older versions of Arrow


def is_words(kind: pa.DataType) -> bool:
    """Whether a column of this type could hold words: text or lists, encoded in whatever way.

    Example:
        >>> is_words(pa.list_(pa.uint8())), is_words(pa.dictionary(pa.int8(), pa.string())), is_words(pa.int64())
        (True, True, False)
    """
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return _is(kind, LISTS) or _is(kind, TEXTS)


def encode_column(words: Any, alphabet: Alphabet, row: int = 0) -> Chunk:
    """A batch of words, an Arrow array or a list, as (tokens, offsets); `row` counts the words before it, for messages.

    Raises:
        InputError: no words; a symbol outside the alphabet (row and position are named); a row without a word.

    Example:
        >>> tokens, offsets = encode_column(pa.array([[0, 1], [1]], pa.list_view(pa.int8())), ("0", "1"))
        >>> tokens.tolist(), offsets.tolist()
        ([0, 1, 1], [0, 2, 3])
    """
    column = words if isinstance(words, pa.Array) else _as_arrow(words)
    if column is None:
        return _encode_rows(words, alphabet, row)
    column = _checked_column(_decoded(column), row)
    if _is(column.type, TEXTS):
        return _encode_rows(column.to_pylist(), alphabet, row)
    values, offsets = _decoded(column.flatten()), _offsets(pc.list_value_length(column))
    if values.null_count:
        number, position = _place(offsets, int(pc.index(values.is_null(), True).as_py()))
        raise InputError(f"Row {row + number}, position {position}, holds no symbol. Leave such rows out.")
    if pa.types.is_integer(values.type):
        return _checked(np.asarray(values), offsets, alphabet, row)
    if _is(values.type, TEXTS):
        return _checked_symbols(values.cast(pa.string()), offsets, alphabet, row)
    return _encode_rows(column.to_pylist(), alphabet, row)  # empty words, or numbers with a point, which are refused


def _checked_column(column: pa.Array, row: int) -> pa.Array:
    if not is_words(column.type):
        raise InputError(f"The column holds {column.type}, not words. Name a column of text or of lists of symbol ids.")
    if column.null_count:
        first = row + int(pc.index(column.is_null(), True).as_py())
        raise InputError(f"Row {first} holds no word. Leave such rows out.")
    return column


def _is(kind: pa.DataType, names: Sequence[str]) -> bool:
    return any(getattr(pa.types, name)(kind) for name in names if hasattr(pa.types, name))


def _decoded(column: pa.Array) -> pa.Array:
    if not pa.types.is_dictionary(column.type):
        return column
    values = column.dictionary
    return (values.cast(pa.string()) if _is(values.type, TEXTS) else values).take(column.indices)  # no take of views


def _as_arrow(words: Sequence[Any]) -> pa.Array | None:
    """Lists of ids as Arrow, which checks them many times faster; None where that does not fit, as for text."""
    if isinstance(words[0], str) or any(isinstance(word, set | frozenset) for word in words):  # sets have no order
        return None
    try:
        column = pa.array(words)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    if _is(column.type, LISTS) and pa.types.is_floating(column.type.value_type):  # one 1.5 makes floats of all ids
        return None
    return column if is_words(column.type) else None


def _offsets(lengths: pa.Array | list[int]) -> Array:
    return np.concatenate([[0], np.cumsum(np.asarray(lengths), dtype=np.int64)])


def _place(offsets: Array, at: int) -> tuple[int, int]:
    """Row and position of a symbol by its place among all."""
    row = int(np.searchsorted(offsets, at, side="right")) - 1
    return row, at - int(offsets[row])


def _checked(ids: Array, offsets: Array, alphabet: Alphabet, row: int) -> Chunk:
    wrong = np.flatnonzero((ids < 0) | (ids >= len(alphabet)))
    if len(wrong):
        number, position = _place(offsets, int(wrong[0]))
        raise InputError(
            f"Row {row + number}, position {position}, holds the symbol id {ids[wrong[0]]}, which is "
            f"not in the alphabet {shown(alphabet)}. Ids run from 0 to {len(alphabet) - 1}."
        )
    return ids.astype(token_dtype(alphabet)), offsets


def _checked_symbols(symbols: pa.Array, offsets: Array, alphabet: Alphabet, row: int) -> Chunk:
    found = pc.index_in(symbols, value_set=pa.array(alphabet, pa.string()))
    if found.null_count:
        at = int(pc.index(found.is_null(), True).as_py())
        number, position = _place(offsets, at)
        raise InputError(
            f"Row {row + number}, position {position}, holds {symbols[at].as_py()!r}, which is no symbol of the "
            f"alphabet {shown(alphabet)}. Use its symbols, or their ids 0 to {len(alphabet) - 1}."
        )
    return np.asarray(found).astype(token_dtype(alphabet)), offsets


def _encode_rows(words: Sequence[Any], alphabet: Alphabet, row: int) -> Chunk:
    """Words one by one: text, or whatever turns out to be no word."""
    if _writing(alphabet).joined and all(isinstance(word, str) for word in words):
        with suppress(InputError):  # where every character is a symbol, all words at once
            return encode(alphabet, "".join(words)), _offsets(list(map(len, words)))
    try:
        return encode_batch(alphabet, [_row(word, alphabet) for word in words])
    except InputError as error:
        counted = re.sub(r"^In word (\d+): ", lambda found: f"Row {row + int(found[1])}: ", str(error))
        raise InputError(counted) from None


def _row(word: Any, alphabet: Alphabet) -> Any:
    if isinstance(word, str):
        return written(word, alphabet)
    return np.asarray(word) if hasattr(word, "__array__") else word  # tensors


def written(text: str, alphabet: Alphabet) -> str | list[str | int]:
    """Text as a word: symbols, or where that is unmistakable a list of them or of ids: "0 1 1", "[0, 1, 1]".

    White space, commas and brackets separate, unless symbols are made of them. A number is an id if it is no symbol;
    where a number is the symbol of another id, as in the alphabet {1, 2}, numbers in text are never ids.

    Example:
        >>> written("0110", ("0", "1")), written("[0, 1]", ("0", "1")), written("0 1", ("push", "pop"))
        ('0110', ['0', '1'], [0, 1])
    """
    known = _writing(alphabet)
    if known.spaces:
        return text
    inner = text.strip()
    bracketed = known.marks and inner[:1] == "[" and inner[-1:] == "]"
    spaced = inner[1:-1] if bracketed else inner
    items = (spaced.replace(",", " ") if known.marks else spaced).split()
    if bracketed:
        items = [item.strip("'\"") for item in items]
    elif known.joined and len(items) < 2 and not (known.no_digits and _is_number(inner)):
        return inner
    return [int(item) if known.numbers and item not in known.symbols and _is_number(item) else item for item in items]


def _is_number(text: str) -> bool:
    """Digits without leading zeros: 01 is two symbols rather than the number 1."""
    return text.isascii() and text.isdecimal() and (text == "0" or text[0] != "0") and len(text) < 10


@dataclass(frozen=True)
class _Writing:
    """How words over an alphabet may be written: without spaces, with numbers as ids, between commas and brackets."""

    symbols: frozenset[str]
    joined: bool
    spaces: bool
    numbers: bool
    no_digits: bool
    marks: bool


@lru_cache(maxsize=64)
def _writing(alphabet: Alphabet) -> _Writing:
    characters = set("".join(alphabet))
    return _Writing(
        symbols=frozenset(alphabet),
        joined=all(len(symbol) == 1 for symbol in alphabet),
        spaces=any(character.isspace() for character in characters),
        numbers=all(not _is_number(symbol) or int(symbol) == i for i, symbol in enumerate(alphabet)),
        no_digits=not any(character.isdecimal() for character in characters),
        marks=not characters & set("[],"),
    )
