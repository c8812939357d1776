"""Words as arrays of symbol ids: an alphabet is a tuple of distinct non-empty symbols, a symbol's id its position."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from seqbench.errors import DefinitionError, InputError, quoted

MAX_SYMBOLS = 65_536

Alphabet: TypeAlias = tuple[str, ...]
Tokens: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]
Offsets: TypeAlias = npt.NDArray[np.int64]
Word: TypeAlias = str | Sequence[int] | Sequence[str] | npt.NDArray[Any]


def check_alphabet(symbols: Iterable[str]) -> Alphabet:
    """The symbols as an alphabet.

    Raises:
        DefinitionError: no symbol or more than 65,536; an empty or repeated symbol; white space inside an alphabet with
            symbols of several characters, whose words are written with spaces between the symbols.

    Example:
        >>> check_alphabet(["0", "1"])
        ('0', '1')
    """
    alphabet = tuple(symbols)
    if not 1 <= len(alphabet) <= MAX_SYMBOLS:
        raise DefinitionError(
            f"An alphabet of {len(alphabet)} symbols cannot be used. It has 1 to {MAX_SYMBOLS} symbols."
        )
    seen: set[str] = set()
    for position, symbol in enumerate(alphabet):
        if not isinstance(symbol, str) or not symbol:
            raise DefinitionError(
                f"Symbol {position} of the alphabet is {symbol!r}. Every symbol is a non-empty string."
            )
        if symbol in seen:
            raise DefinitionError(f"The alphabet holds {symbol!r} twice. Its symbols are distinct: remove one of them.")
        seen.add(symbol)
    if not _is_plain(alphabet) and any(symbol.split() != [symbol] for symbol in alphabet):
        raise DefinitionError(
            f"The alphabet {shown(alphabet)} has white space inside a symbol. Words over symbols of several characters "
            "are written with spaces between them: rename that symbol."
        )
    return alphabet


def shown(alphabet: Alphabet) -> str:
    """The alphabet as an error message shows it: at most 20 symbols, fewer where they are long.

    Example:
        >>> shown(("0", "1"))
        "{'0', '1'}"
    """
    most = max(3, min(20, 100 // max(map(len, alphabet), default=1)))
    symbols = ", ".join(repr(symbol) for symbol in alphabet[:most])
    return "{" + symbols + (f", ... {len(alphabet)} symbols}}" if len(alphabet) > most else "}")


def token_dtype(alphabet: Alphabet) -> np.dtype[Any]:
    """The type of the ids: uint8, or uint16 beyond 256 symbols.

    Example:
        >>> token_dtype(("0", "1"))
        dtype('uint8')
    """
    return np.dtype(np.uint8 if len(alphabet) <= 256 else np.uint16)


def separator(alphabet: Alphabet) -> str:
    """What stands between the symbols of a word as text: nothing, or a space if some symbol has several characters.

    Example:
        >>> separator(("push", "pop"))
        ' '
    """
    return "" if _is_plain(alphabet) else " "


def encode(alphabet: Alphabet, word: Word) -> Tokens:
    """The ids of a word, shape (length,), of `token_dtype(alphabet)`.

    Args:
        alphabet: the symbols.
        word: a string (each character is a symbol; with symbols of several characters, symbols separated by spaces), or
            a sequence or one-dimensional array of ids or of symbols.

    Raises:
        InputError: a foreign symbol, an id outside the alphabet, a float or a truth value.

    Example:
        >>> encode(("0", "1"), "0110").tolist()
        [0, 1, 1, 0]
        >>> encode(("push", "pop"), "push push pop").tolist()
        [0, 0, 1]
    """
    if isinstance(word, str):
        return _encode_characters(alphabet, word) if _is_plain(alphabet) else _encode_items(alphabet, word.split())
    if isinstance(word, np.ndarray):
        return _encode_array(alphabet, word)
    if isinstance(word, Sequence):
        return _encode_items(alphabet, word)
    raise InputError(f"{word!r} is no word. Give a string, or a sequence or array of symbols or of symbol ids.")


def decode(alphabet: Alphabet, ids: Word) -> str:
    """The word with the given ids as text; `encode` takes it back.

    Raises:
        InputError: an id outside the alphabet.

    Example:
        >>> decode(("0", "1"), [0, 1, 1])
        '011'
    """
    return separator(alphabet).join(alphabet[token] for token in encode(alphabet, ids).tolist())


def encode_batch(alphabet: Alphabet, words: Iterable[Word]) -> tuple[Tokens, Offsets]:
    """The ids of all words, flat, and int64 offsets (number of words + 1): word i is tokens[offsets[i]:offsets[i+1]].

    Raises:
        InputError: as in `encode`; the message names the word.

    Example:
        >>> tokens, offsets = encode_batch(("0", "1"), ["01", "", "1"])
        >>> tokens.tolist(), offsets.tolist()
        ([0, 1, 1], [0, 2, 2, 3])
    """
    rows = []
    for number, word in enumerate(words):
        try:
            rows.append(encode(alphabet, word))
        except InputError as error:
            raise InputError(f"In word {number}: {error}") from error
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return (np.concatenate(rows) if rows else np.empty(0, token_dtype(alphabet))), offsets


@lru_cache(maxsize=64)
def _is_plain(alphabet: Alphabet) -> bool:
    """Whether every symbol is one character, so that words need no spaces."""
    return all(len(symbol) == 1 for symbol in alphabet)


@lru_cache(maxsize=64)
def _index(alphabet: Alphabet) -> dict[str, int]:
    return {symbol: number for number, symbol in enumerate(alphabet)}


@lru_cache(maxsize=64)
def _code_points(alphabet: Alphabet) -> tuple[npt.NDArray[np.uint32], Tokens]:
    """The sorted code points of one-character symbols, and their ids."""
    points = np.array([ord(symbol) for symbol in alphabet], np.uint32)
    order = np.argsort(points)
    return points[order], order.astype(token_dtype(alphabet))


def _encode_characters(alphabet: Alphabet, text: str) -> Tokens:
    points, ids = _code_points(alphabet)
    characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    found = np.minimum(np.searchsorted(points, characters), len(points) - 1)
    foreign = np.flatnonzero(points[found] != characters)
    if foreign.size:
        raise _foreign(alphabet, int(foreign[0]), text[foreign[0]])
    return ids[found]


def _encode_items(alphabet: Alphabet, items: Sequence[Any]) -> Tokens:
    index = _index(alphabet)
    ids = np.empty(len(items), token_dtype(alphabet))
    for position, item in enumerate(items):
        number = index.get(item, -1) if isinstance(item, str) else item
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= number < len(alphabet):
            raise _foreign(alphabet, position, item)
        ids[position] = number
    return ids


def _encode_array(alphabet: Alphabet, array: npt.NDArray[Any]) -> Tokens:
    if array.ndim != 1:
        raise InputError(
            f"An array of shape {array.shape} is no word. A word has one dimension: use encode_batch for many."
        )
    if array.dtype.kind == "f" and array.size:  # [0, 1.5] comes as floats: name the value that is no whole number
        with np.errstate(invalid="ignore"):
            odd = int(np.argmax(array % 1 != 0))
        raise _foreign(alphabet, odd, float(array[odd]))
    if array.dtype.kind not in "iu":
        return _encode_items(alphabet, array.tolist())
    foreign = np.flatnonzero((array < 0) | (array >= len(alphabet)))
    if foreign.size:
        raise _foreign(alphabet, int(foreign[0]), int(array[foreign[0]]))
    return array.astype(token_dtype(alphabet))


def _foreign(alphabet: Alphabet, position: int, item: object) -> InputError:
    what = "symbol" if isinstance(item, str) else "symbol id"
    return InputError(
        f"Position {position} of the word holds {quoted(item)}, which is no {what} of the alphabet {shown(alphabet)}. "
        f"Use its symbols, or their ids 0 to {len(alphabet) - 1}."
    )
