"""Where a run ran: memory, versions, and which code."""

import contextlib
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

import seqbench
from seqbench.errors import InputError

if sys.platform != "win32":
    import resource


def peak_megabytes(device: torch.device) -> float | None:
    """The most memory held so far, in megabytes of 2^20: by torch on a GPU, by the whole process on a CPU.

    None where the system does not say (Windows).
    """
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    if sys.platform == "win32":
        return None
    unit = 2**20 if sys.platform == "darwin" else 2**10  # bytes there, kilobytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


@contextlib.contextmanager
def enough_memory(device: torch.device, what: str, advice: str) -> Iterator[None]:
    """The context of a computation that may find too little memory.

    Args:
        device: where it computes.
        what: what was too large.
        advice: what to give instead.

    Raises:
        InputError: it did.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        # Of torch's errors only the GPU's has a class of its own.
        if not isinstance(error, MemoryError | torch.OutOfMemoryError) and "allocate memory" not in str(error):
            raise
        where = "GPU's" if device.type == "cuda" else "machine's"
        raise InputError(f"The {where} memory is too small for {what}. {advice}") from None


def environment(device: torch.device, processes: int) -> dict[str, Any]:
    """Versions, device and number of processes as plain data."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    return {
        "seqbench": seqbench.__version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "device": str(device),
        "device_name": name,
        "processes": processes,
        "threads": torch.get_num_threads(),
    }


def commit() -> str | None:
    """The commit of seqbench where it runs from a Git checkout of its own, with `-dirty` if files differ; else None."""
    root = Path(seqbench.__file__).parent.parent
    if not (root / ".git").exists():
        return None
    try:
        done = subprocess.run(
            ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None  # no git, or none that reads this checkout
    return done.stdout.strip()
