"""Training and evaluation of models at lengths 40, 500 and 5,000, in all ways that this machine has.

`python -m benchmarks.lengths` prints a Markdown table: milliseconds a sequence, and how they grow with the length. On a
GPU also Gated DeltaNet, in fp32 and bf16. Wall time, the median of several, after a warm-up; nothing else should run.
"""

import contextlib
import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from benchmarks.models import batch, made

SIZES = {40: 128, 500: 32, 5000: 4}
"""Sequences a batch, by length."""
MODELS: dict[str, dict[str, Any]] = {
    "ldru": {},
    "lstm": {"width": 128},
    "transformer": {"layers": 3},
    "deltanet": {},
}
REPEATS = 5
LIMIT = 20.0
"""Seconds after which a step is not repeated."""


@dataclass(frozen=True)
class Way:
    """Where a model runs: a device, CPU threads, a precision."""

    device: str
    threads: int
    bf16: bool

    def __str__(self) -> str:
        """As a cell of the table."""
        where = "GPU" if self.device == "cuda" else "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return where + (", bf16" if self.bf16 else "")

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """The context in which models run this way."""
        torch.set_num_threads(self.threads)
        with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.bf16):
            yield


def ways() -> list[Way]:
    if torch.cuda.is_available():
        return [Way("cuda", 1, bf16) for bf16 in (False, True)]
    return [Way("cpu", threads, False) for threads in (1, 2)]


def seconds(run: Callable[[], object], device: str) -> float:
    """The median time of a function, with all that it started on the device."""
    times = []
    for number in range(REPEATS + 1):
        start = time.perf_counter()
        run()
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
        if number and sum(times) > LIMIT:
            break
    return statistics.median(times[1:])


def measured(name: str, length: int, way: Way, trains: bool) -> float:
    """Milliseconds a sequence of a training step, or of an evaluation."""
    model = made(name, **MODELS[name]).to(way.device).train(trains)
    tokens, lengths, labels = batch(length, length, SIZES[length])
    tokens, labels = tokens.to(way.device), labels.to(way.device)
    optimiser = torch.optim.AdamW(model.parameters())

    def step() -> None:
        optimiser.zero_grad()
        with way.used():
            loss = torch.nn.functional.cross_entropy(model(tokens, lengths), labels)
        loss.backward()
        optimiser.step()

    def look() -> None:
        with torch.inference_mode(), way.used():
            model(tokens, lengths)

    return 1e3 * seconds(step if trains else look, way.device) / SIZES[length]


def main() -> None:
    if torch.cuda.is_available():
        print(torch.cuda.get_device_name())
    print("| model | where | what | " + " | ".join(f"{length:,}" for length in SIZES) + " | slope |")
    print("| --- " * (len(SIZES) + 4) + "|")
    for name in MODELS if torch.cuda.is_available() else list(MODELS)[:3]:
        for way in ways():
            for trains in (True, False):
                times = {length: measured(name, length, way, trains) for length in SIZES}
                # the exponent by which the time of a sequence grows from length 500 to 5,000
                slope = math.log(times[5000] / times[500]) / math.log(10)
                cells = " | ".join(f"{value:.3g}" for value in times.values())
                what = "training" if trains else "evaluation"
                print(f"| `{name}` | {way} | {what} | {cells} | {slope:.2f} |", flush=True)


if __name__ == "__main__":
    main()
