"""ListOps expressions as token ids: reading them, and their values."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError, quoted, unknown_name
from seqbench.jit import kernel

Array = npt.NDArray[Any]

TOKENS = (*"0123456789", "[MIN", "[MAX", "[MED", "[SM", "]")
FIRST_OPERATOR, CLOSE = 10, 14
MIN, MAX, MED = 10, 11, 12
OPERATOR = 10  # the column of a level's counts that holds its operator
COLUMNS = 11
_IDS = {token: index for index, token in enumerate(TOKENS)}


@kernel
def value_of(tokens: Array, counts: Array) -> int:
    """The value of a well-formed expression.

    Args:
        tokens: ids, shape (n,).
        counts: room, shape (levels, 11): how often each digit is an argument of the operator at hand, and the operator.
    """
    depth = 0
    counts[0, :] = 0
    for i in range(len(tokens)):
        token = np.int64(tokens[i])
        if token < FIRST_OPERATOR:
            counts[depth, token] += 1
        elif token < CLOSE:
            depth += 1
            counts[depth, :] = 0
            counts[depth, OPERATOR] = token
        else:
            value = _apply(counts[depth])
            depth -= 1
            counts[depth, value] += 1
    return _ranked(counts[0], 0)


@kernel
def _apply(counts: Array) -> int:
    """The value of an operator from how often each digit is its argument."""
    members, total = 0, 0
    for digit in range(10):
        members += counts[digit]
        total += digit * counts[digit]
    operator = counts[OPERATOR]
    if operator == MIN:
        return _ranked(counts, 0)
    if operator == MAX:
        return _ranked(counts, members - 1)
    if operator == MED:
        return (_ranked(counts, (members - 1) // 2) + _ranked(counts, members // 2)) // 2
    return total % 10


@kernel
def _ranked(counts: Array, rank: int) -> int:
    """The digit with so many before it in rising order."""
    digit, seen = 0, counts[0]
    while seen <= rank:
        digit += 1
        seen += counts[digit]
    return digit


def is_one(inputs: Any) -> bool:
    """Whether these inputs are one expression (text, or a flat list of ids), not a list of expressions.

    Raises:
        InputError: neither.
    """
    if isinstance(inputs, str):
        return True
    if not isinstance(inputs, Sequence | np.ndarray):
        raise InputError(
            f"inputs is {quoted(inputs)}, which is no list of expressions. "
            "Give expressions as text, such as '[MAX 2 9 ]', or as lists of token ids."
        )
    return len(inputs) > 0 and isinstance(inputs[0], int | np.integer)


def read(expression: Any) -> Array:
    """The token ids of an expression given as text or ids; round brackets in texts are left out.

    Raises:
        UnknownNameError: a token that there is not.
        InputError: no expression.

    Example:
        >>> read("( ( ( [MAX 2 ) 9 ) ] )").tolist()
        [11, 2, 9, 14]
    """
    if isinstance(expression, str):
        words = re.sub("[()]", " ", expression).split()
        for word in words:
            if word not in _IDS:
                raise unknown_name("ListOps token", word, TOKENS)
        ids = [_IDS[word] for word in words]
    elif isinstance(expression, Sequence | np.ndarray):
        ids = list(expression)
    else:
        raise InputError(f"{quoted(expression)} is no expression. Give text, such as '[MAX 2 9 ]', or token ids.")
    for token in ids:
        if isinstance(token, bool) or not isinstance(token, int | np.integer) or not 0 <= token <= CLOSE:
            raise InputError(f"{quoted(token)} is no ListOps token id. They run from 0 to {CLOSE}: {' '.join(TOKENS)}.")
    ids = [int(token) for token in ids]
    _check(ids)
    return np.array(ids, dtype=np.uint8)


def _check(ids: list[int]) -> None:
    """Nothing, if the tokens are one expression whose operators all have an argument."""
    wanted = "An expression is a digit, or an operator, its arguments and ']'."
    depth, ended = 0, False
    for place, token in enumerate(ids):
        if ended:
            raise InputError(f"The expression {write(ids)} goes on after its end at token {place}. {wanted}")
        depth += (FIRST_OPERATOR <= token < CLOSE) - (token == CLOSE)
        if token == CLOSE and (depth < 0 or FIRST_OPERATOR <= ids[place - 1] < CLOSE):
            reason = "closes nothing" if depth < 0 else "closes an operator without arguments"
            raise InputError(f"The ']' at token {place} of {write(ids)} {reason}. {wanted}")
        ended = depth == 0
    if not ended:
        left = f"{depth} operators open" if ids else "nothing at all"
        raise InputError(f"The expression {write(ids)} ends with {left}. {wanted}")


def write(ids: Sequence[int]) -> str:
    """The expression as text, as error messages show it: long ones are cut.

    Example:
        >>> write([11, 2, 9, 14])
        "'[MAX 2 9 ]'"
    """
    return quoted(" ".join(TOKENS[token] for token in ids))


def solve(expression: Any) -> int:
    """The value of an expression given as text or ids, however deep and wide it is.

    Raises:
        InputError: no expression.

    Example:
        >>> solve("[MED 1 [SM 8 7 ] [MIN 3 4 ] 9 ]")  # of 1, 5, 3, 9: the median 4
        4
    """
    ids = read(expression)
    opened = int(np.count_nonzero((ids >= FIRST_OPERATOR) & (ids < CLOSE)))
    return int(value_of(ids, np.zeros((opened + 1, COLUMNS), dtype=np.int64)))
