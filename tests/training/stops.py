"""A run that hears Ctrl-C after a given step."""

import os
import signal

from seqbench.training import loop


def stop_after(monkeypatch, step):
    """Makes the next runs hear an interrupt in the course of a step; `monkeypatch.undo()` ends it."""
    real = loop._Run._train_on

    def train_on(run, batch):
        loss = real(run, batch)
        if run.step == step - 1:
            os.kill(os.getpid(), signal.SIGINT)
        return loss

    monkeypatch.setattr(loop._Run, "_train_on", train_on)
