"""What a model learns to say: the label, and on request the class of the word or of every block of its reduction."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from seqbench.algebra.monoid import Monoid
from seqbench.errors import InputError
from seqbench.generation.plan import Plan
from seqbench.models import MODELS, create
from seqbench.models.tree import TreeModel
from seqbench.training.data import Batch
from seqbench.training.settings import Settings

Array = npt.NDArray[Any]


class Learner(nn.Module):
    """A model with the heads that its further targets need.

    Attributes:
        settings: the run.
        model: gives the logits of the labels; what is evaluated.
    """

    def __init__(self, settings: Settings, planned: Plan) -> None:
        """A new model for a dataset.

        Raises:
            UnknownNameError: no such model or option.
            InputError: a further target that the model or the dataset does not have.
        """
        super().__init__()
        machine = planned.machine
        self.settings = settings
        self.model = create(
            settings.model, vocabulary=machine.num_symbols, classes=machine.num_labels, **settings.options
        )
        self.monoid = _monoid(planned) if settings.also else None
        if "node_classes" in settings.also and not isinstance(self.model, TreeModel):
            trees = [name for name, entry in MODELS.items() if entry.model == "TreeModel"]
            raise InputError(
                f"{settings.model} has no nodes, so --also node_classes cannot be learnt. Models that have: "
                f"{', '.join(trees)}. Or take --also syntactic_class."
            )
        if self.monoid is not None:
            self.class_head = nn.Linear(self.model.encoder.width, len(self.monoid))

    def loss(self, batch: Batch, device: torch.device) -> Tensor:
        """The cross-entropy of the labels, plus that of each further target."""
        tokens, labels = batch.tokens.to(device, non_blocking=True), batch.labels.to(device, non_blocking=True)
        if not self.settings.also:
            return nn.functional.cross_entropy(self.model(tokens, batch.lengths), labels)
        if "node_classes" in self.settings.also:
            logits, nodes = cast("TreeModel", self.model)(tokens, batch.lengths, return_nodes=True)
            wanted = torch.from_numpy(node_classes(cast("Monoid", self.monoid), batch.tokens.numpy())).to(device)
            more = nn.functional.cross_entropy(self.class_head(nodes.states), wanted)
        else:
            states = self.root_states(tokens, batch.lengths)
            logits = self.model.readout(states)
            more = nn.functional.cross_entropy(self.class_head(states), cast("Tensor", batch.classes).to(device))
        return nn.functional.cross_entropy(logits, labels) + more

    def root_states(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """The states that the readout of the label sees, (batch, width)."""
        seen: list[Tensor] = []
        hook = self.model.readout.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0]))
        try:
            self.model(tokens, lengths)
        finally:
            hook.remove()
        return seen[0]


def node_classes(monoid: Monoid, tokens: Array) -> Array:
    """The class of every node of the balanced reduction of words of one length: leaves, then level by level, int64.

    Args:
        monoid: the syntactic monoid.
        tokens: symbol ids, shape (words, length).

    Example:
        >>> import seqbench
        >>> lang = seqbench.language("parity_check")
        >>> [lang.monoid.names[c] for c in node_classes(lang.monoid, np.array([[1, 0, 1]]))]
        ['1', '', '1', '1', '']
    """
    level = monoid.right[0][tokens]
    found = [level.ravel()]
    while level.shape[1] > 1:
        pairs = level[:, : level.shape[1] // 2 * 2]
        merged = monoid.multiply(pairs[:, ::2], pairs[:, 1::2])
        found.append(merged.ravel())
        level = np.concatenate([merged, level[:, pairs.shape[1] :]], axis=1)
    return np.concatenate(found).astype(np.int64)


def _monoid(planned: Plan) -> Monoid:
    if planned.monoid is None:
        raise InputError(f"{planned.name} has no syntactic classes here, so they cannot be targets. Leave out --also.")
    return planned.monoid
