"""Which lengths each split of a dataset holds, and who draws them: from a recipe to its splits."""

import functools
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seqbench.errors import InputError
from seqbench.generation import heldout
from seqbench.generation.laws import EndLaw, balanced
from seqbench.generation.sampler import Sampler, nearest_lengths
from seqbench.generation.splits import Identity, Split

if TYPE_CHECKING:
    from seqbench.algebra.machine import Machine
    from seqbench.algebra.monoid import Monoid
    from seqbench.catalogue.recipe import Range
    from seqbench.catalogue.schema import Dataset

Array = npt.NDArray[Any]


class Arrangement:
    """The splits of one resolved recipe over one machine."""

    def __init__(
        self,
        name: str,
        recipe: "Dataset",
        machine: "Machine",
        monoid: "Monoid | None",
        labels: tuple[int, ...] | None,
    ) -> None:
        """The arrangement of a recipe; `labels` are the ids to draw from, all where None."""
        self.name, self.recipe, self.machine, self.monoid, self.labels = name, recipe, machine, monoid, labels

    @functools.cached_property
    def _sampler(self) -> Sampler:
        return Sampler(self.machine, self.monoid, self.recipe.sampling, self.labels)

    @functools.cached_property
    def by_label(self) -> EndLaw:
        """The law that draws a label uniformly; it knows which labels have words of a length."""
        return balanced(self.machine, self.monoid, self._sampler.outputs)

    def splits(self) -> dict[str, Split]:
        """The splits that have rows, in order."""
        recipe = self.recipe
        found = {
            "train": self._drawn("train", recipe.train_lengths, recipe.train_examples),
            "validation": self._drawn("validation", recipe.validation_lengths, recipe.validation_examples),
            "test": self._test(),
            "test_near_miss": self._test_near_miss(),
        }
        return {name: split for name, split in found.items() if split is not None}

    def _drawn(self, split: str, span: "Range", examples: int) -> Split | None:
        if examples == 0:
            return None
        hold = self._hold(split, span[1])
        lengths = self._lengths(f"{split}_lengths", span)
        if split != "train" and hold is not None:
            lengths = self._held_lengths(split, lengths, hold)
        facts = {"lengths": span, "single_label_lengths": self.recipe.single_label_lengths}
        identity = self._identity(split, **facts)
        return Split(identity, lengths, examples, per_length=False, sampler=self._sampler, hold=hold)

    def _test(self) -> Split | None:
        span, examples = self.recipe.test_lengths, self.recipe.test_examples_per_length
        if examples == 0:
            return None
        hold = self._hold("test", span[1])
        lengths = self._lengths("test_lengths", span)
        if hold is not None:
            lengths = self._held_lengths("test", lengths, hold)
        return Split(self._identity("test"), lengths, examples, per_length=True, sampler=self._sampler, hold=hold)

    def _test_near_miss(self) -> Split | None:
        (low, high), examples = self.recipe.test_lengths, self.recipe.test_examples_per_length
        if not (self.recipe.near_miss and self.machine.is_acceptor) or examples == 0 or self.labels is not None:
            return None
        sampler = Sampler(self.machine, self.monoid, {"member": 1.0, "near_miss": 1.0})
        both = np.all([law.admits(high) for law in sampler.laws], axis=0)
        hold = self._hold("test_near_miss", high)
        lengths = np.flatnonzero(both[low:]) + low
        if hold is not None:
            lengths = lengths[hold[lengths] != 1]
        if len(lengths) == 0:
            return None
        identity = self._identity("test_near_miss", sampling="member, near_miss")
        return Split(identity, lengths, examples, per_length=True, sampler=sampler, alternate=True, hold=hold)

    def _identity(self, split: str, **facts: Any) -> Identity:
        """Only what a split's rows depend on is part of their key."""
        facts = {"sampling": self.recipe.sampling, "labels": self.labels} | facts
        if self.recipe.held_out:
            facts["held_out"] = self.recipe.train_lengths
        return Identity(self.name, self.recipe.version, json.dumps(facts, sort_keys=True), self.recipe.seed, split)

    def _lengths(self, option: str, span: "Range") -> Array:
        """The lengths of a range that have words to draw."""
        low, high = span
        lengths = np.flatnonzero(self._admits(high)[low:]) + low
        if len(lengths) == 0:
            near = nearest_lengths(self._admits, high, self.machine.num_states, shortest=1)
            hint = f"The nearest that have: {', '.join(map(str, near))}." if near else "No length near has any."
            raise InputError(f"{self.name} has no word to draw at any of {option} {span}. {hint}")
        return lengths

    def _admits(self, longest: int) -> Array:
        """Whether each length has words to draw, and two labels where that is asked for."""
        admitted = self._sampler.admits(longest)
        if self.recipe.single_label_lengths == "drop":
            admitted = admitted & (self.by_label.num_open(longest) > 1)
        return admitted

    def _hold(self, split: str, longest: int) -> Array | None:
        """For each length: 1 where the split must avoid held-out words, 2 where it must keep to them, else 0."""
        if not self.recipe.held_out:
            return None
        low, high = self.recipe.train_lengths
        length = np.arange(longest + 1)
        many = self.by_label.fewest_log2(longest) >= heldout.MIN_LOG2_WORDS
        in_training = (length >= low) & (length <= high)
        if split == "train":
            return many.astype(np.int64)
        return np.asarray(
            np.where(in_training & many, 2, np.where(in_training, 1, 0))
        )  # 1: too short to share, left to training

    def _held_lengths(self, split: str, lengths: Array, hold: Array) -> Array:
        kept = lengths[hold[lengths] != 1]
        if len(kept) == 0:
            raise InputError(
                f"held_out=True leaves no length for {split!r}: at lengths up to {lengths[-1]} some label has fewer "
                f"than {2**heldout.MIN_LOG2_WORDS:.0f} words, so they are left to training. Raise {split}_lengths."
            )
        return np.asarray(kept)
