"""Optimisers and schedules of the presets."""

import math

import torch

from seqbench.training.learner import Learner
from seqbench.training.settings import Settings


def make(settings: Settings, learner: Learner) -> torch.optim.Optimizer:
    """The optimiser of a run; some weights of a model have a rate of their own and no decay (S4D's A and dt)."""
    groups = learner.model.parameter_groups(settings.learning_rate, settings.weight_decay)
    seen = {id(value) for group in groups for value in group["params"]}
    rest = [value for value in learner.parameters() if id(value) not in seen]
    if rest:
        groups.append({"params": rest, "lr": settings.learning_rate, "weight_decay": settings.weight_decay})
    for group in groups:
        group["initial_lr"] = group["lr"]
    return torch.optim.AdamW(groups, lr=settings.learning_rate, amsgrad=settings.optimiser == "amsgrad")


def rate(settings: Settings, step: int) -> float:
    """The share of the full learning rate at a step: warm-up, then constant or half a cosine down to 2 %.

    Example:
        >>> settings = Settings(task="parity_check", model="ldru", steps=100, warmup=0.1, schedule="cosine")
        >>> [round(rate(settings, step), 2) for step in (0, 4, 9, 54, 99)]
        [0.1, 0.5, 1.0, 0.51, 0.02]
    """
    warm = max(1, round(settings.warmup * settings.steps))
    if step < warm:
        return (step + 1) / warm
    if settings.schedule == "constant":
        return 1.0
    done = (step - warm + 1) / max(1, settings.steps - warm)
    return 0.02 + 0.98 * (1 + math.cos(math.pi * done)) / 2


def apply(settings: Settings, model: torch.nn.Module, optimiser: torch.optim.Optimizer, step: int) -> float:
    """One step of the optimiser after a backward pass; returns the norm of the gradient before clipping."""
    if settings.centralise:
        for value in model.parameters():
            if value.grad is not None and value.dim() > 1:
                value.grad -= value.grad.mean(dim=tuple(range(1, value.dim())), keepdim=True)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
    share = rate(settings, step)
    for group in optimiser.param_groups:
        group["lr"] = group["initial_lr"] * share
    optimiser.step()
    optimiser.zero_grad(set_to_none=True)
    return float(norm)
