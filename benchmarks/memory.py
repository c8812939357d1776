"""Memory targets against bare transforms of the same batch."""

import tracemalloc

import numpy as np
import scipy.fft

from benchmarks.timing import Result, median_pair
from seqbench.generation.plan import plan

ROWS = 4096
STEPS = 20e6


def results() -> list[Result]:
    """The rows about memory functions."""
    rows = [_speed(name, length, {}) for length in (256, 4096) for name in ("memory_airy", "memory_poly")]
    rows.append(_speed("memory_airy", 256, {"sigma_1": "tanh", "sigma_2": "tanh", "snr": 10}))
    return [*rows, _flat_memory()]


def _speed(name: str, length: int, options: dict[str, object]) -> Result:
    """Inputs drawn, targets computed and put into Arrow, against rfft, product and irfft of as many signals."""
    planned = plan(name, length=length, train_examples=ROWS, **options)
    size = scipy.fft.next_fast_len(2 * length - 1, real=True)
    signals = np.random.default_rng(0).normal(size=(ROWS, length))
    spectrum = scipy.fft.rfft(planned.task.rho(length), size)
    rows_made = planned.block("train", 0).num_rows

    def bare() -> None:
        scipy.fft.irfft(scipy.fft.rfft(signals[:rows_made], size, axis=-1) * spectrum, size, axis=-1)

    ours, theirs = median_pair(lambda: planned.block("train", 0), bare, repeats=5)
    steps = rows_made * length
    figure = f"{steps / ours / 1e6:.0f} M steps/s; {theirs / ours:.2f} x ({steps / theirs / 1e6:.0f} M steps/s)"
    what = ", ".join([name, f"T = {length}", *(f"{key} {value}" for key, value in options.items())])
    bound = f">= {STEPS / 1e6:.0f} M, >= 0.5 x"
    return Result(f"{what} / bare FFT", figure, bound, steps / ours >= STEPS and theirs / ours >= 0.5)


def _flat_memory() -> Result:
    """Peak memory of making a block, besides the block: it must not grow with the rows."""
    planned = plan("memory_airy", length=4096, train_examples=ROWS)
    planned.block("train", 0)
    tracemalloc.start()
    batch = planned.block("train", 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    beside = (peak - batch.nbytes) / 2**20
    figure = f"{beside:.1f} MiB beside {batch.nbytes / 2**20:.0f} MiB of rows"
    return Result("memory of a block, T = 4,096", figure, "<= 32 MiB", beside <= 32)
