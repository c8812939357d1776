"""The Arrow collator against the row loop that most training code has."""

import importlib.util
import tempfile
import time
from collections.abc import Callable
from typing import Any

from benchmarks.timing import Result

ROWS = 200_000
BATCH = 256


def results() -> list[Result]:
    """The rows about collating; none without torch."""
    if importlib.util.find_spec("torch") is None:
        return []
    import datasets

    import seqbench

    datasets.disable_progress_bars()
    options = {"train_examples": ROWS, "validation_examples": 0, "test_examples_per_length": 0}
    with tempfile.TemporaryDirectory() as folder:
        rows: Any = seqbench.load_dataset("dyck_d6", split="train", cache_dir=folder, **options)
        fast = _speed(lambda: _collated(rows), ROWS)
        slow = _speed(lambda: _one_by_one(rows.select(range(5000))), 5000)
    figure = f"{fast / 1000:.0f} k rows/s ({fast / slow:.0f} x the row loop's {slow / 1000:.1f} k)"
    return [Result("200,000 dyck_d6 words to padded torch tensors", figure, ">= 150 k rows/s", fast >= 150_000)]


def _speed(work: Callable[[], int], rows: int) -> float:
    """Rows a second, the best of three."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        if work() != rows:
            raise ValueError
        times.append(time.perf_counter() - start)
    return rows / min(times)


def _collated(rows: Any) -> int:
    from seqbench.dataset.collate import Collator

    collate = Collator()
    return sum(len(collate(batch)["label"]) for batch in rows.with_format("arrow").iter(batch_size=BATCH))


def _one_by_one(rows: Any) -> int:
    """Torch format, one row at a time, padded by torch."""
    from torch.nn.utils.rnn import pad_sequence
    from torch.utils.data import DataLoader

    def collate(batch: list[Any]) -> Any:
        return pad_sequence([row["input_ids"].long() for row in batch], batch_first=True)

    return sum(len(batch) for batch in DataLoader(rows.with_format("torch"), batch_size=BATCH, collate_fn=collate))
