"""How long until the first row: imports, compiling, loading compiled kernels, tables."""

import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.timing import Result

_IMPORT = "import time; s = time.perf_counter(); import seqbench; print(time.perf_counter() - s)"
_LOAD = """
import time
import datasets, seqbench
datasets.disable_progress_bars()
s = time.perf_counter()
seqbench.load_dataset("dyck_d6", cache_dir={cache!r})
print(time.perf_counter() - s)
"""
_SET_UP = """
import time
from seqbench.generation.plan import plan
s = time.perf_counter()
plan("dyck_d12", test_lengths=(41, 10_000)).splits
print(time.perf_counter() - s)
"""


def results() -> list[Result]:
    """The rows about starting up."""
    imported = statistics.median(_seconds(_IMPORT) for _ in range(5))
    with tempfile.TemporaryDirectory() as folder:
        kernels = {"NUMBA_CACHE_DIR": f"{folder}/kernels"}
        first = _seconds(_LOAD.format(cache=f"{folder}/1"), kernels)
        second = _seconds(_LOAD.format(cache=f"{folder}/2"), kernels)
        _seconds(_SET_UP, kernels)
        tables = _seconds(_SET_UP, kernels)
    return [
        Result("import seqbench", f"{imported:.3f} s", "< 0.1 s", imported < 0.1),
        Result("first load of dyck_d6, no compiled kernels", f"{first:.2f} s", "< 8 s", first < 8),
        Result("first load in a second process", f"{second:.2f} s", "< 1.5 s", second < 1.5),
        Result("set-up of dyck_d12 for lengths to 10,000", f"{tables:.2f} s", "< 1 s", tables < 1),
    ]


def _seconds(code: str, environment: dict[str, str] | None = None) -> float:
    """What a fresh interpreter prints last."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    return float(done.stdout.split()[-1])
