"""Cold load_dataset against writing the same prepared arrays; memory against the number of rows."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.timing import Result

TURNS = 5
ONLY_TRAIN = {"validation_examples": 0, "test_examples_per_length": 0}


def results() -> list[Result]:
    """The rows about loading."""
    large, small = _in_process("load_and_write", 2_000_000), _in_process("load_and_write", 200_000)
    ratio = large["load"] / large["write"]
    rows = large["rows"] / large["write"] / 1e6
    figure = f"{ratio:.2f} x ({large['load']:.2f} s; writing alone {large['write']:.2f} s, {rows:.1f} M rows/s)"
    few, many = _in_process("peak", 100_000), _in_process("peak", 10_000_000)
    made, kept = (f"{run['making']:.0f} MB making, {run['loaded']:.0f} MB with the file mapped" for run in (few, many))
    return [
        Result("cold load of 2,000,000 rows / ArrowWriter alone", figure, "<= 4 x", ratio <= 4),
        Result("cold load of 200,000 rows", f"{small['load']:.2f} s", "<= 1 s", small["load"] <= 1),
        Result("peak memory, 100,000 rows", made, "< 600 MB", few["loaded"] < 600),
        Result("peak memory, 10,000,000 rows", kept, "< 600 MB", many["loaded"] < 600),
    ]


def _in_process(function: str, rows: int) -> dict[str, Any]:
    """A function of this module in a process of its own, so that no cache is warm and memory starts low."""
    command = [sys.executable, "-m", "benchmarks.loading", function, str(rows)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def load_and_write(rows: int) -> dict[str, Any]:
    """Median seconds of a cold load (kernels loaded before) and of ArrowWriter on the same arrays, in turns."""
    import datasets

    import seqbench

    datasets.disable_progress_bars()
    loads, writes = [], []
    with tempfile.TemporaryDirectory() as folder:
        seqbench.load_dataset("dyck_d6", cache_dir=f"{folder}/warm", train_examples=10_000, **ONLY_TRAIN)
        for turn in range(TURNS):
            cache = f"{folder}/cold{turn}"
            start = time.perf_counter()
            loaded: Any = seqbench.load_dataset("dyck_d6", cache_dir=cache, train_examples=rows, **ONLY_TRAIN)
            loads.append(time.perf_counter() - start)
            writes.append(_write_alone(loaded["train"], f"{folder}/alone{turn}.arrow"))
    return {"rows": rows, "load": statistics.median(loads), "write": statistics.median(writes)}


def _write_alone(dataset: Any, path: str) -> float:
    """Seconds that ArrowWriter takes for the rows of a dataset, prepared in memory, block by block."""
    import pyarrow as pa
    from datasets.arrow_writer import ArrowWriter

    tables = [pa.Table.from_batches([batch]) for batch in dataset.data.table.to_batches(max_chunksize=4096)]
    prepared = [pa.Table.from_pydict(_copy(part), schema=part.schema) for part in tables]
    start = time.perf_counter()
    with ArrowWriter(path=path, features=dataset.features) as writer:
        for part in prepared:
            writer.write_table(part)
        writer.finalize()
    return time.perf_counter() - start


def _copy(table: Any) -> dict[str, Any]:
    """The columns in memory of their own, not mapped from the file."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    copied = pa.ipc.open_stream(sink.getvalue()).read_all()
    return {name: copied.column(name) for name in copied.column_names}


def peak(rows: int) -> dict[str, Any]:
    """Peak resident memory in MB of a process, after making so many rows and after mapping their file.

    Pages of the mapped file count as resident though the system can drop them at any time.
    """
    import datasets

    from seqbench.dataset.builder import Seqbench

    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as folder:
        builder = Seqbench(config_name="dyck_d6", cache_dir=folder, train_examples=rows, **ONLY_TRAIN)
        builder.download_and_prepare()
        making = _peak_megabytes()
        loaded = builder.as_dataset("train")
        return {"rows": len(loaded), "making": making, "loaded": _peak_megabytes()}


def _peak_megabytes() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) / 1024


if __name__ == "__main__":
    print(json.dumps({"load_and_write": load_and_write, "peak": peak}[sys.argv[1]](int(sys.argv[2]))))
