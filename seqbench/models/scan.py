"""All prefixes of a sequence by an associative operator, in logarithmic depth.

With pairs p_i = x_{2i} . x_{2i+1} and their prefixes P_i (the same scan, half as long), prefix 2i + 1 is P_i and
prefix 2i is P_{i-1} . x_{2i} (0-based). Source: Blelloch, "Prefix sums and their applications", 1990.
jax.lax.associative_scan brackets in this order, and prefix k does not depend on what follows: so neither padding nor
length matters.
"""

from collections.abc import Callable

import torch
from torch import Tensor


def scan(combine: Callable[[Tensor, Tensor], Tensor], x: Tensor) -> Tensor:
    """Prefix k is x_0 . x_1 . .. . x_k; shape (batch, n, width) as x.

    Args:
        combine: (batch, m, width) twice to the same, left operand first.
        x: (batch, n, width).

    Example:
        >>> scan(torch.add, torch.tensor([[[1], [2], [3], [4], [5]]])).flatten().tolist()
        [1, 3, 6, 10, 15]
    """
    length = x.shape[1]
    if length < 2:
        return x
    odd = scan(combine, combine(x[:, : length - 1 : 2], x[:, 1::2]))
    if length == 2:
        return torch.cat([x[:, :1], odd], 1)
    even = torch.cat([x[:, :1], combine(odd[:, : (length - 1) // 2], x[:, 2::2])], 1)
    woven = torch.stack([even[:, : odd.shape[1]], odd], 2).flatten(1, 2)
    return torch.cat([woven, even[:, -1:]], 1) if length % 2 else woven


def last_bracket(length: int) -> str:
    """How `scan` brackets the whole word: the tree of its last prefix.

    Example:
        >>> last_bracket(7)
        '((((0 1) (2 3)) (4 5)) 6)'
    """
    return _bracket([str(i) for i in range(length)])


def _bracket(parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    pairs = [f"({a} {b})" for a, b in zip(parts[::2], parts[1::2], strict=False)]
    whole = _bracket(pairs)
    return f"({whole} {parts[-1]})" if len(parts) % 2 else whole
