"""The training loop: steps, looks at the validation split, checkpoints; a stopped run goes on where it was."""

import contextlib
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import torch

from seqbench.errors import InputError
from seqbench.files import named
from seqbench.generation.streams import unit_key
from seqbench.progress import progress
from seqbench.training import checkpoint, optimiser
from seqbench.training.board import board
from seqbench.training.data import Batches, Source, by_length, lengths_of, part_of, plan_of
from seqbench.training.folder import claim, cut, held, note
from seqbench.training.learner import Learner
from seqbench.training.machine import enough_memory, peak_megabytes
from seqbench.training.measures import Tally, measured, tally
from seqbench.training.parallel import Processes, processes
from seqbench.training.settings import Settings
from seqbench.training.targets import Batch


def train(
    settings: Settings, out: Path, *, resume: bool = False, device: str = "auto", tensorboard: bool = False
) -> Path:
    """Trains a model and leaves its folder: settings, metrics, checkpoint.

    Args:
        settings: the run.
        out: its folder; a new one, or that of a stopped run with `resume`.
        resume: go on with a stopped run of the same settings.
        device: `auto`, `cpu`, `cuda`, ...
        tensorboard: also write curves for TensorBoard.

    Raises:
        InputError: the folder is there already, or holds another run.
    """
    out = named(out)
    with processes(device, settings.batch) as group:
        run = _Run(settings, out, group)  # first, so that a bad model or option leaves no folder behind
        made = _claim(settings, out, group, resume=resume)
        with held(out, group.first):
            try:
                run.restore()
                with run.batches() as batches, board(out, tensorboard and group.first) as run.show:
                    run.go(batches)
            except Exception:
                # While the folder is held: without the lock it could be another process's by now.
                if made and not checkpoint.exists(out):  # the same command with a better value finds no run in its way
                    shutil.rmtree(out, ignore_errors=True)
                raise
    return out


def _claim(settings: Settings, out: Path, group: Processes, *, resume: bool) -> bool:
    """Makes or checks the folder; where the first process cannot, the others end without a word of their own.

    Whether this process made it.
    """
    refused: InputError | None = None
    made = False
    if group.first:
        try:
            made = claim(settings, out, resume=resume)
        except InputError as error:
            refused = error
    if group.agreed(int(refused is not None)):
        raise refused or SystemExit(2)
    return made


class _Run:
    """One run on its way."""

    def __init__(self, settings: Settings, out: Path, group: Processes) -> None:
        self.settings, self.out, self.group, self.device = settings, out, group, group.device
        self.planned, self.source = plan_of(settings), Source(settings)
        torch.manual_seed(settings.seed)  # noqa: TID251 -- the one place that seeds torch
        part_of(self.planned, "test")  # known now, not after training
        self.learner = Learner(settings, self.planned).to(self.device)
        self.wrapped = group.wrapped(self.learner, some_unused=self.learner.model.some_unused)
        self.optimiser = optimiser.make(settings, self.learner)
        self.validation = [batch for _, batch in by_length(self.planned, "validation")]
        self._check_positions()
        self.step, self.good, self.symbols, self.seconds, self.waited = 0, 0, 0, 0.0, 0.0
        self.show: Callable[[dict[str, Any]], None] = lambda _: None
        self._seed_apart()

    def _check_positions(self) -> None:
        """Nothing, if the model can read the lengths that it will be measured at: known now, not after training."""
        limit = self.learner.model.encoder.max_length
        if limit is None:
            return
        longest = lengths_of(self.planned, "test", self.settings.test_lengths)[-1:]
        measured = [*self.validation, *(batch for _, batch in by_length(self.planned, "test", longest))]
        needed = max(batch.inputs.shape[1] for batch in measured)
        if needed > limit:
            raise InputError(
                f"{self.settings.model} has {limit} positions here, and is to be measured at {needed} symbols. Give "
                f"--set max_length={needed}, positions without a limit, or shorter --recipe test_lengths=[..., ...]."
            )

    def restore(self) -> None:
        """Goes on from the checkpoint of the folder, if it has one."""
        if not checkpoint.exists(self.out):
            self._forget_after(0)
            return
        state = checkpoint.load_state(self.out)
        checkpoint.check_data(self.out, state, self.planned)
        checkpoint.load_weights(self.out, self.learner)
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.good, self.symbols = state["step"], state["good"], state["symbols"]
        self.seconds, self.waited = state["seconds"], state["waited"]
        checkpoint.restore_random(state["random"])
        self._seed_apart()
        self._forget_after(self.step)

    def _forget_after(self, step: int) -> None:
        if self.group.first:
            cut(self.out, step)

    def _seed_apart(self) -> None:
        """Dropout of its own for every process but the first, whose random state is that of a run alone."""
        if not self.group.first:
            key = unit_key("dropout", self.settings.seed, self.group.rank, self.step)
            torch.manual_seed(int(key[0]))  # noqa: TID251 -- as above

    @contextlib.contextmanager
    def batches(self) -> Iterator[Batches]:
        """The training data from the present step on."""
        made = Batches(self.source, self.step)
        try:
            yield made
        finally:
            made.close()

    @property
    def finished(self) -> bool:
        """Whether all steps are done, or validation was faultless often enough."""
        patience = self.settings.patience
        return self.step >= self.settings.steps or (patience > 0 and self.good >= patience)

    def go(self, batches: Batches) -> None:
        """Trains until the run is finished; an interrupt leaves a checkpoint."""
        if self.finished:
            return
        left = self.settings.steps - self.step
        with _asked_to_stop() as asked:
            for _, batch in zip(self._bar(left), batches, strict=False):
                start = time.perf_counter()
                loss = self._train_on(self.group.share(batch))
                self.step, self.symbols = self.step + 1, self.symbols + batch.symbols
                self.seconds += time.perf_counter() - start
                self.waited, batches.waited = self.waited + batches.waited, 0.0
                if self.step % self.settings.check_every == 0 or self.step == self.settings.steps:
                    self._look(loss)
                if self.finished:
                    break
                if self.group.agreed(len(asked)):  # no process stops alone: the others would wait for it
                    self._save()
                    raise KeyboardInterrupt

    def _bar(self, left: int) -> Iterable[int]:
        return progress(range(left), f"Training {self.settings.model}", left) if self.group.first else range(left)

    def _train_on(self, batch: Batch) -> torch.Tensor:
        self.learner.train()
        what = f"a batch of {self.settings.batch} at length {batch.inputs.shape[1]}"
        advice = f"Give --batch {max(1, self.settings.batch // 2)}, shorter lengths, or --precision bf16."
        try:
            with enough_memory(self.device, what, advice):
                with self._precision():
                    loss = self.wrapped(batch, self.device)
                loss.backward()
        except RuntimeError as error:
            if self.settings.precision != "bf16":
                raise
            # Torch has no class for what it cannot compute in half precision.
            reason = str(error).splitlines()[0]
            raise InputError(
                f"{self.settings.model} cannot be trained in bf16 on {self.device}: {reason}. Take --precision fp32."
            ) from None
        optimiser.apply(self.settings, self.learner, self.optimiser, self.step)
        return loss.detach()

    def _precision(self) -> Any:
        if self.settings.precision == "bf16":
            return torch.autocast(self.device.type, dtype=torch.bfloat16)
        return contextlib.nullcontext()

    def _look(self, loss: torch.Tensor) -> None:
        """Measures on the validation split, notes it, and saves; the first process does, and tells the others."""
        loss = self.group.mean(loss)
        if not torch.isfinite(loss):
            raise InputError(
                f"The loss is {float(loss):g} at step {self.step}: the run has diverged. "
                f"Give less than --learning-rate {self.settings.learning_rate:g}, or a longer --warmup."
            )
        if self.group.first:
            self._measure(loss)
        self.good = self.group.agreed(self.good if self.group.first else 0)
        self._save()

    def _measure(self, loss: torch.Tensor) -> None:
        self.learner.eval()
        targets = self.learner.targets
        with enough_memory(self.device, "a look at the validation split", "Give shorter --recipe validation_lengths."):
            found = Tally.of(tally(self.learner.model, targets, batch, self.device) for batch in self.validation)
        self.good = self.good + 1 if found.faultless and not targets.vectors else 0
        share = self.waited / max(self.waited + self.seconds, 1e-9)
        facts = {
            "step": self.step,
            "loss": round(float(loss), 6),
            "validation": measured(targets.kind, found),
            "waiting": round(share, 4),
        }
        note(self.out, facts | {"seconds": round(self.seconds, 3)})
        self.show(facts)

    def _save(self) -> None:
        if not self.group.first:
            return
        more = {
            "processes": self.group.count,
            "data": checkpoint.data_of(self.planned),
            "good": self.good,
            "symbols": self.symbols,
            "seconds": self.seconds,
            "waited": self.waited,
            "megabytes": peak_megabytes(self.device),
        }
        checkpoint.save(self.out, self.step, self.learner, self.optimiser, more)


@contextlib.contextmanager
def _asked_to_stop() -> Iterator[list[int]]:
    """A list that holds the signals that asked to stop: a step is never cut in two. A second one stops at once."""
    asked: list[int] = []

    def ask(number: int, frame: object) -> None:
        del frame
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
