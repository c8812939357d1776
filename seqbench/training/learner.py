"""What is trained: a model, and on request heads for the class of the word or of every block of its reduction."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from seqbench.algebra.monoid import Monoid
from seqbench.errors import InputError, unknown_name
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.blocks import IGNORED
from seqbench.generation.plan import Plan
from seqbench.models import MODELS, check_options, create, options
from seqbench.models.lengths import Lengths
from seqbench.models.reduction import reduce_packed
from seqbench.models.tree import TreeModel, associativity
from seqbench.training.settings import ELSEWHERE, Settings, model_digest
from seqbench.training.targets import Batch, Targets

Array = npt.NDArray[Any]


class Learner(nn.Module):
    """A model with the heads that its further targets need.

    Attributes:
        settings: the run.
        targets: what the dataset asks for.
        config: all options of the model, those by default and the empty symbol among them.
        model: gives the answers; what is evaluated.
    """

    def __init__(self, settings: Settings, planned: BasePlan) -> None:
        """A new model for a dataset.

        Raises:
            UnknownNameError: no such model or option.
            InputError: a model that cannot say what the dataset asks for (the message names those that can); a
                further target that the model or the dataset does not have.
        """
        super().__init__()
        if settings.model_sha256 is not None and model_digest(settings.model) != settings.model_sha256:
            raise InputError(
                f"{settings.model.rpartition(':')[0]!r} is not as it was when this run was begun. Bring the old file "
                "back, or begin a new run."
            )
        check_options(settings.model, settings.options, ELSEWHERE)
        self.settings, self.targets = settings, Targets.of(planned)
        self.config = config_of(settings, planned, self.targets)
        reads = {"d_in" if self.targets.vectors else "vocabulary": self.targets.inputs}
        self.model = create(
            settings.model, classes=self.targets.outputs, head=self.targets.head, **reads, **self.config
        )
        self.monoid = _monoid(planned, self.targets) if settings.also else None
        if self._of_nodes and not isinstance(self.model, TreeModel):
            raise _no_nodes(settings)
        if self.monoid is not None:
            self.class_head = nn.Linear(self.model.encoder.width, len(self.monoid))
        if settings.precision == "fp64":
            self.double()

    def forward(self, batch: Batch, device: torch.device) -> Tensor:
        """The loss of the targets, plus the cross-entropy of each further target."""
        inputs, wanted = batch.on(device, self.dtype)
        if self._of_nodes:
            return self._with_nodes(batch, inputs, wanted)
        if not self.settings.also:
            return loss_of(self.targets, self.model(inputs, batch.lengths), wanted)
        states = self.root_states(inputs, batch.lengths)
        more = nn.functional.cross_entropy(self.class_head(states), cast("Tensor", batch.classes).to(device))
        return loss_of(self.targets, self.model.readout(states), wanted) + more

    @property
    def _of_nodes(self) -> bool:
        """Whether the loss looks at the nodes of trees."""
        return "node_classes" in self.settings.also or self.settings.associativity > 0

    def _with_nodes(self, batch: Batch, inputs: Tensor, wanted: Tensor) -> Tensor:
        model = cast("TreeModel", self.model)
        given, nodes = model(inputs, batch.lengths, return_nodes=True)
        loss = loss_of(self.targets, given, wanted)
        if self.settings.associativity:
            loss = loss + self.settings.associativity * associativity(model.encoder, nodes.states)
        if self.settings.also:
            classes = node_classes(cast("Monoid", self.monoid), batch.inputs, batch.lengths).to(inputs.device)
            every = "node_classes" in self.settings.also
            rows = slice(None) if every else nodes.width == batch.lengths.to(inputs.device)[nodes.row]
            loss = loss + nn.functional.cross_entropy(self.class_head(nodes.states[rows]), classes[rows])
        return loss

    @property
    def dtype(self) -> torch.dtype:
        """Of the weights."""
        return next(self.model.parameters()).dtype

    def root_states(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """The states that the readout of the label sees, (batch, width)."""
        seen: list[Tensor] = []
        hook = self.model.readout.register_forward_hook(lambda _, inputs, __: seen.append(inputs[0]))
        try:
            self.model(tokens, lengths)
        finally:
            hook.remove()
        return seen[0]


def _no_nodes(settings: Settings) -> InputError:
    trees = ", ".join(name for name, entry in MODELS.items() if entry.model == "TreeModel")
    what, instead = (
        ("--also node_classes cannot be learnt", " Or take --also syntactic_class.")
        if "node_classes" in settings.also
        else ("--associativity has no operator to look at", "")
    )
    return InputError(f"{settings.model} has no nodes, so {what}. Models that have: {trees}.{instead}")


def config_of(settings: Settings, planned: BasePlan, targets: Targets) -> dict[str, Any]:
    """All options of the model of a run; those that must know the empty symbol or the lengths are told."""
    known = options(settings.model)
    for option in settings.options:
        if option not in known:
            raise unknown_name(f"option of the model {settings.model!r} called", option, known)
    told: dict[str, Any] = {"empty": targets.empty}
    if hasattr(planned.recipe, "train_lengths"):
        told["trained_to"] = planned.recipe.train_lengths[1]
    return known | {name: value for name, value in told.items() if name in known} | settings.options


def loss_of(targets: Targets, given: Tensor, wanted: Tensor) -> Tensor:
    """Cross-entropy over the labels or symbols that count; in regression the relative mean squared error.

    Example:
        >>> numbers = Targets("numbers", "last", 1, 1)
        >>> loss_of(numbers, torch.tensor([[1.0], [0.0]]), torch.tensor([[2.0], [1.0]]))
        tensor(0.4000)
    """
    if targets.vectors:  # padding is 0 on both sides
        return (given - wanted).square().sum() / wanted.square().sum()
    return nn.functional.cross_entropy(given.flatten(0, -2), wanted.flatten(), ignore_index=IGNORED)


def node_classes(monoid: Monoid, tokens: Tensor, lengths: Tensor) -> Tensor:
    """The class of every node of the balanced reductions of words, int64, in the order of `TreeModel.node_states`.

    Args:
        monoid: the syntactic monoid.
        tokens: symbol ids, shape (words, longest), padded at their ends.
        lengths: of the words, shape (words,).

    Example:
        >>> import seqbench
        >>> lang = seqbench.language("parity_check")
        >>> classes = node_classes(lang.monoid, torch.tensor([[1, 0, 1], [0, 0, 0]]), torch.tensor([3, 1]))
        >>> [lang.monoid.names[c] for c in classes]
        ['1', '', '1', '', '1', '']
    """
    where = Lengths.read(lengths, tokens)
    flat = tokens[:, : where.longest].flatten()
    leaves = torch.from_numpy(monoid.right[0].astype(np.int64))[flat if where.equal else flat[where.flat]]

    def product(pairs: Tensor) -> Tensor:
        made = monoid.multiply(pairs[:, 0].numpy(), pairs[:, 1].numpy())
        return torch.from_numpy(made.astype(np.int64))[:, None]

    kept = [leaves[:, None]]
    reduce_packed(product, kept[0], where, kept)
    return torch.cat(kept)[:, 0]


def _monoid(planned: BasePlan, targets: Targets) -> Monoid:
    if not isinstance(planned, Plan) or targets.kind != "label" or planned.monoid is None:
        raise InputError(f"{planned.name} has no syntactic classes here, so they cannot be targets. Leave out --also.")
    return planned.monoid
