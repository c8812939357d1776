"""Several processes that train one model, one a GPU: each takes its share of every batch, gradients are averaged.

`torchrun --nproc-per-node 4 -m seqbench train ...` starts them. A batch is the same as with one process, so that the
number of processes changes how fast a run is, not what it learns from.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

import torch
import torch.distributed as dist

from seqbench.errors import InputError, quoted
from seqbench.training.targets import Batch

KINDS = ("cpu", "cuda", "mps")
"""Kinds of devices that compute: torch knows others, such as meta, that hold no values."""

_DEVICES = "Give auto, cpu, cuda, cuda:1 or mps."


@dataclass(frozen=True)
class Processes:
    """The processes of a run, and which of them this is.

    Attributes:
        rank: the number of this one.
        count: how many there are.
        device: where this one computes.
    """

    rank: int
    count: int
    device: torch.device

    @property
    def first(self) -> bool:
        """Whether this one looks at validation and writes the run's folder."""
        return self.rank == 0

    def share(self, batch: Batch) -> Batch:
        """Every `count`-th sequence of a batch, from `rank` on.

        Example:
            >>> batch = Batch(*(torch.arange(6) for _ in range(3)))
            >>> Processes(1, 2, torch.device("cpu")).share(batch).targets.tolist()
            [1, 3, 5]
        """
        if self.count == 1:
            return batch
        mine = slice(self.rank, None, self.count)
        classes = None if batch.classes is None else batch.classes[mine]
        return Batch(batch.inputs[mine], batch.lengths[mine], batch.targets[mine], classes)

    def wrapped(self, learner: torch.nn.Module, some_unused: bool) -> torch.nn.Module:
        """The learner, with gradients that are averaged over the processes in the backward pass.

        Args:
            learner: the same on all processes.
            some_unused: whether a task may leave weights without a gradient.
        """
        if self.count == 1:
            return learner
        return torch.nn.parallel.DistributedDataParallel(learner, find_unused_parameters=some_unused)

    def mean(self, value: torch.Tensor) -> torch.Tensor:
        """The mean of a number over the processes."""
        if self.count > 1:
            dist.all_reduce(value)
        return value / self.count

    def agreed(self, number: int) -> int:
        """The greatest of all processes' numbers: what one knows, all know."""
        if self.count == 1:
            return number
        value = torch.tensor(number, device=self.device)
        dist.all_reduce(value, dist.ReduceOp.MAX)
        return int(value)


@contextlib.contextmanager
def processes(device: str, batch: int) -> Iterator[Processes]:
    """The processes that torchrun started, joined while the context lasts; this one alone without it.

    Args:
        device: `auto` takes the GPU of this process's number, if there are GPUs.
        batch: sequences a batch.

    Raises:
        InputError: no such device, or a batch that cannot be shared out.
    """
    count, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    where = device_of(device)
    if count == 1:
        yield Processes(0, 1, where)
        return
    if batch % count:
        raise InputError(f"A batch of {batch} cannot be shared among {count} processes. Give a multiple of {count}.")
    if where.type == "cuda":
        where = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(where)
    dist.init_process_group("nccl" if where.type == "cuda" else "gloo")
    try:
        yield Processes(rank, count, where)
    finally:
        dist.destroy_process_group()


def device_of(name: str = "auto") -> torch.device:
    """The device of a name; the GPU, if there is one, for `auto`.

    Raises:
        InputError: a name that is none, or a device that is not there.

    Example:
        >>> device_of("cpu")
        device(type='cpu')
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name.partition(":")[0] not in KINDS:
        raise InputError(f"The device {quoted(name)} cannot be used: models run on {', '.join(KINDS)}. {_DEVICES}")
    try:
        torch.empty(0, device=name)
        return torch.device(name)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        if name.startswith("mps"):  # torch answers with all that it has instead
            reason = "there is none here"
        raise InputError(f"The device {quoted(name)} cannot be used: {reason}. {_DEVICES}") from None


def is_first() -> bool:
    """Whether this process is the only one or the first of those that torchrun started."""
    return os.environ.get("RANK", "0") == "0"
