"""Word problems of finite groups: which element is the product of a word of elements."""

import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqbench.algebra.machine import Machine
from seqbench.algebra.parameters import Parameter
from seqbench.errors import InputError
from seqbench.generation.tasks import task as tasks
from seqbench.generation.tasks.groups.formula import of_generators, of_kind, parse
from seqbench.generation.tasks.groups.tables import table_of
from seqbench.generation.tasks.states import TARGETS, Tracker


class WordProblem(Tracker):
    """The product of a word of group elements, letters independent and equally likely.

    The convention: the product is taken from left to right, and the first letter acts first. In S_3, elements named by
    their images of 0, 1, 2, the word "1 0 2" "1 2 0" sends 0 to 1 and then to 2, 1 to 0 and then to 1, 2 to 2 and then
    to 0: its product is "2 1 0". In abstract groups x y is the product as it is written: r s in D_4 is rs, s r is r3s.
    With `composition="right_to_left"` the last letter acts first, and the same word's product is "0 2 1".

    With letters = "all" the letters are the elements in order (letter 0 the identity) and the product of a word of any
    length from 1 on is exactly uniform over the group. With letters = "generators" they are the identity and a standard
    generating set. The identity is there so that the length tells nothing in the long run: without it the products of
    words of one length would stay in one coset (of the even permutations in S_4, say). The product is then near uniform
    at long lengths only; `facts()["most_frequent_state_by_length"]` says how near.

    Source: Merrill, Petty, Sabharwal, "The illusion of state in state-space models", ICML 2024; after Barrington,
    "Bounded-width polynomial-size branching programs recognize exactly those languages in NC^1", 1989.

    Example:
        >>> task = WordProblem({"group": "S3", "letters": "all", "composition": "left_to_right", "targets": "label"})
        >>> task.label_names[task.solve("1 0 2; 1 2 0")]
        '2 1 0'
        >>> residues = {"group": "Z5", "letters": "all", "composition": "left_to_right", "targets": "prefix"}
        >>> WordProblem(residues).solve("3401")
        [3, 2, 2, 3]
    """

    def __init__(self, parameters: dict[str, Any]) -> None:
        """The word problem of a group."""
        self.composition = parameters["composition"]
        self._letters = parameters["letters"]
        self.entries = table_of(parameters["group"], self._letters, self.composition)
        names = tuple(map(self.entries.group.show, self.entries.elements))
        letters = tuple(names[number] for number in self.entries.letters)
        super().__init__(self.entries.products, letters, names, parameters["targets"])

    @functools.cached_property
    def machine(self) -> Machine:
        """The products of words of generators: the group is the syntactic monoid, and other letters add nothing."""
        wanted = {self._numbers[element] for element in self.entries.group.generators}
        return self._machine([letter for letter, element in enumerate(self.entries.letters) if int(element) in wanted])

    def slow(self, ids: list[int]) -> list[int]:
        """The product after every letter, by the group's own law on its elements."""
        entries, element, states = self.entries, self.entries.group.identity, []
        for letter in ids:
            factor = entries.elements[entries.letters[letter]]
            pair = (element, factor) if self.composition == "left_to_right" else (factor, element)
            element = entries.group.multiply(*pair)
            states.append(self._numbers[element])
        return states

    @functools.cached_property
    def _numbers(self) -> dict[tuple[int, ...], int]:
        return {element: number for number, element in enumerate(self.entries.elements)}

    def facts(self) -> dict[str, Any]:
        """As for any table, with the group, the convention and the chance level."""
        order = len(self.entries.elements)
        uniform = "exactly uniform" if self._letters == "all" else "near uniform at long lengths only"
        first = "first" if self.composition == "left_to_right" else "last"
        facts = {
            "group": self.entries.group.name,
            "order": order,
            "abelian": self._is_abelian(),
            "syntactic_monoid": "the group itself",
            "letters": self._letters,
            "convention": f"{self.composition}: the {first} letter acts first",
            "worked_example": self._worked_example(),
            "labels": f"products, {uniform} at every length" if self._letters == "all" else f"products, {uniform}",
            "chance": 1 / order,
            "differences": [
                "other collections compose the other way round or do not say: see `composition`",
                "with letters='generators' the identity is a letter, so that long lengths tell nothing",
            ],
        }
        return facts | super().facts()

    def _is_abelian(self) -> bool:
        group = self.entries.group
        return all(group.multiply(a, b) == group.multiply(b, a) for a in group.generators for b in group.generators)

    def _worked_example(self) -> str:
        """A word of two letters and its product; where the order matters, the first such."""
        letters, products = self.entries.letters, self.entries.products
        pairs = [] if self._is_abelian() else itertools.combinations(range(1, len(letters)), 2)
        apart = (pair for pair in pairs if len({int(products[letters[a], b]) for a, b in (pair, pair[::-1])}) > 1)
        a, b = next(apart, (1, len(letters) - 1))
        return f"{self.symbols[a]}; {self.symbols[b]} has the product {self.label_names[products[letters[a], b]]}"

    def majority(self, lengths: tuple[int, ...]) -> dict[int, float]:
        """1 / order at all lengths where all elements are letters."""
        if self._letters == "all":
            return dict.fromkeys(lengths, 1 / len(self.entries.elements))
        return super().majority(lengths)


@dataclass(frozen=True)
class GroupName(Parameter):
    """A parameter that is a group's formula."""

    def check(self, value: Any) -> Any:
        """The formula as `formula.parse` spells it."""
        return parse(value).name

    def allowed(self) -> str:
        """The allowed values in one sentence."""
        return f"It is a formula such as 'S5' or 'Z2xS3': {self.summary}."


@dataclass(frozen=True)
class GroupKind(tasks.Kind):
    """A task kind whose group may be given by kind and degree, or by generators, besides its formula."""

    @property
    def parameter_names(self) -> set[str]:
        """Names of all parameters and of what stands for the group."""
        return super().parameter_names | {"kind", "degree", "generators"}

    def expand(self, given: dict[str, Any]) -> dict[str, Any]:
        """The options with the group as a formula.

        Example:
            >>> KINDS["group"].expand({"kind": "symmetric", "degree": 6, "seed": 1})
            {'seed': 1, 'group': 'S6'}
        """
        rest = {name: value for name, value in given.items() if name not in ("kind", "degree", "generators")}
        ways: list[str] = [way for way in ("group", "generators") if way in given]
        ways += ["kind"] if {"kind", "degree"} & given.keys() else []
        if len(ways) > 1:
            raise InputError(
                f"The group is given by {' and by '.join(ways)}. Give only one of group, generators, kind with degree."
            )
        if "generators" in given:
            images = given["generators"]
            return rest | {"group": of_generators(images.tolist() if isinstance(images, np.ndarray) else images)}
        if ways == ["kind"]:
            return rest | {"group": of_kind(given.get("kind", "symmetric"), given.get("degree"))}
        return rest

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters, checked; a definition's file may give kind and degree too."""
        return super().check(self.expand(dict(given)))


KINDS = {
    "group": GroupKind(
        WordProblem,
        (
            GroupName("group", "choice", "the group"),
            Parameter(
                "letters",
                "choice",
                "all elements, or the identity and a generating set",
                default="all",
                choices=("all", "generators"),
            ),
            Parameter(
                "composition",
                "choice",
                "whether the first or the last letter acts first",
                default="left_to_right",
                choices=("left_to_right", "right_to_left"),
            ),
            TARGETS,
        ),
        {},
        presentation=("targets",),
    )
}
