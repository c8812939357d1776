"""Training steps of the models on one thread: ratios within one run; run by `python -m benchmarks.models`."""

import importlib.util
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchmarks.timing import Result, median_pair

if TYPE_CHECKING:
    from torch import Tensor

    from seqbench.models.frame import Model

BATCH, WIDTH = 128, 64


def results() -> list[Result]:
    """The rows about models; none where torch is not installed."""
    if importlib.util.find_spec("torch") is None:
        return []
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    return [against_lstm(mixed=True), against_lstm(mixed=False), against_products(), *by_length()]


def batch(low: int, high: int, rows: int = BATCH) -> "tuple[Tensor, Tensor, Tensor]":
    """Random bits, lengths and labels."""
    import torch

    lengths = torch.randint(low, high + 1, (rows,))
    return torch.randint(0, 2, (rows, int(lengths.max()))), lengths, torch.randint(0, 2, (rows,))


def step_of(model: "Model", data: "tuple[Tensor, Tensor, Tensor]", learns: bool = True) -> Callable[[], None]:
    """A training step: forward, backward, and AdamW with a clipped gradient if it learns."""
    import torch

    optimiser = torch.optim.AdamW(model.parameters(), fused=True)
    tokens, lengths, labels = data

    def step() -> None:
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(tokens, lengths), labels).backward()
        if learns:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()

    return step


def made(name: str, **options: Any) -> "Model":
    from seqbench.models import create

    return create(name, vocabulary=2, classes=2, **options)


def against_lstm(mixed: bool) -> Result:
    """LDRU against LSTM(128), lengths 1 to 40 mixed in a batch, or all 32 (no bound)."""
    data = batch(1, 40) if mixed else batch(32, 32)
    ldru, lstm = median_pair(step_of(made("ldru"), data), step_of(made("lstm", width=128), data), repeats=15)
    bound, holds = (">= 1.4", lstm >= 1.4 * ldru) if mixed else ("", True)
    what = "training step, LDRU 64 against LSTM 128, " + ("lengths 1 to 40" if mixed else "length 32")
    figure = f"{1e3 * ldru:.1f} / {1e3 * lstm:.1f} ms, {lstm / ldru:.2f} times as fast"
    return Result(what, figure, bound, holds)


def against_products() -> Result:
    """LDRU against its bare matrix products, forward and backward, of the same shapes."""
    data = batch(1, 40)
    model, bare = median_pair(step_of(made("ldru"), data), products_of(data[1].tolist()), repeats=15)
    figure = f"{1e3 * model:.1f} / {1e3 * bare:.1f} ms, {model / bare:.2f} times"
    return Result("training step, LDRU against its bare matrix products", figure, "<= 2", model <= 2 * bare)


def products_of(lengths: list[int]) -> Callable[[], None]:
    """Every matrix product of a training step of the LDRU and no more: forward, and both of backward."""
    import torch

    rows, counts = [], lengths
    while max(counts) > 1:
        rows.append(sum(count // 2 for count in counts))
        counts = [(count + 1) // 2 for count in counts]
    d = WIDTH
    merge = [(2 * d, 2 * d), (2 * d, 4 * d), (4 * d, 2 * d), (2 * d, d), (d, d), (d, 4 * d), (4 * d, d)]
    shapes = [(n, *sizes) for n in rows for sizes in merge]  # those of the leaves are a row a symbol of the vocabulary
    parts = [(torch.randn(n, a), torch.randn(b, a), torch.randn(n, b)) for n, a, b in shapes]

    def run() -> None:
        for x, weight, gradient in parts:
            torch.mm(x, weight.T)
            torch.mm(gradient, weight)
            torch.mm(gradient.T, x)

    return run


def by_length() -> list[Result]:
    """Forward and backward at lengths 40, 500 and 5,000 against LSTM and transformer; no bound."""
    rows = []
    for length, size in ((40, 32), (500, 8), (5000, 1)):
        data = batch(length, length, size)
        ldru = step_of(made("ldru"), data, learns=False)
        for other, options in (("lstm", {"width": 128}), ("transformer", {"layers": 3})):
            one, two = median_pair(ldru, step_of(made(other, **options), data, learns=False), repeats=3)
            figure = f"{1e3 * one:.0f} / {1e3 * two:.0f} ms, {two / one:.2f} times as fast"
            rows.append(
                Result(f"forward and backward, LDRU against {other}, length {length}, batch {size}", figure, "", True)
            )
    return rows


def main() -> int:
    """Prints the rows; 1 if a bound is broken."""
    rows = results()
    for row in rows:
        print(f"{row.what:76}  {row.figure:44}  {row.bound}{'' if row.holds else '  BROKEN'}", flush=True)
    return int(not all(row.holds for row in rows))


if __name__ == "__main__":
    sys.exit(main())
