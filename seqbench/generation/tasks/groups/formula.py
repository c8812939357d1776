"""Groups by name: S5, A4, Z60, D4, Dic3, Q8, products such as Z2xS3, and perm(...) for generators of one's own."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from seqbench.algebra.parameters import Parameter
from seqbench.catalogue.recipe import whole
from seqbench.errors import InputError, quoted, unknown_name
from seqbench.generation.tasks.groups import elements
from seqbench.generation.tasks.groups.elements import Group

MAX_ORDER = 65_536  # element and letter ids fit 16 bits
_FACTOR = re.compile(r"perm\([0-9, ]*\)|[a-z]+_?[0-9]+", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*[x*×]\s*", re.IGNORECASE)  # noqa: RUF001 -- the sign of a product


@dataclass(frozen=True)
class Kind:
    """A family of groups: its letter in formulas, its construction, and its degrees; groups have 2 or more elements.

    Attributes:
        letter: as formulas spell it.
        build: called with the degree.
        least: the least degree.
        most: the greatest degree.
        what: what the degree is.
    """

    letter: str
    build: Callable[[int], Group]
    least: int
    most: int
    what: str


FAMILIES: dict[str, Kind] = {
    "symmetric": Kind("S", elements.symmetric, 2, 8, "number of points"),
    "alternating": Kind("A", elements.alternating, 3, 8, "number of points"),
    "cyclic": Kind("Z", elements.cyclic, 2, MAX_ORDER, "number of elements"),
    "dihedral": Kind("D", elements.dihedral, 2, MAX_ORDER // 2, "number of sides; twice as many elements"),
    "dicyclic": Kind("Dic", elements.dicyclic, 2, MAX_ORDER // 4, "a quarter of the number of elements"),
    "quaternion": Kind("Q", lambda _: elements.quaternion(), 8, 8, "number of elements"),
}
"""Every family of groups by name."""

_BY_LETTER = {kind.letter.lower(): kind for kind in FAMILIES.values()}
_EXAMPLES = "Examples: 'S5', 'A4', 'Z60', 'D4', 'Dic3', 'Q8', 'Z2xS3', 'perm(1 0 2, 1 2 0)'."


def parse(formula: str) -> Group:
    """The group of a formula.

    Raises:
        InputError: a formula that cannot be read, a degree out of range, or more than MAX_ORDER elements.
        UnknownNameError: an unknown family.

    Example:
        >>> parse("z_2 x s_3").name, parse("A5").order
        ('Z2xS3', 60)
    """
    factors = _split(formula)
    group = factors[0] if len(factors) == 1 else elements.product(factors)
    if group.order is not None and group.order > MAX_ORDER:
        raise InputError(f"{group.name} has {group.order:,} elements, over {MAX_ORDER:,}. Take smaller factors.")
    return group


def of_kind(kind: Any, degree: Any) -> str:
    """The formula of a family at a degree.

    Example:
        >>> of_kind("symmetric", 6), of_kind("quaternion", None)
        ('S6', 'Q8')
    """
    if kind not in FAMILIES:
        raise unknown_name("kind of group", kind, FAMILIES, "Or give a formula, group='Z2xS3'.")
    family = FAMILIES[kind]
    if degree is None and family.least == family.most:
        degree = family.least
    if degree is None:
        raise InputError(f"The kind {kind!r} needs a degree from {family.least} to {family.most:,}: the {family.what}.")
    return f"{family.letter}{whole(f'The degree of a group of kind {kind!r}', degree, family.least, family.most)}"


def of_generators(images: Any) -> str:
    """The formula of the group that permutations generate.

    Example:
        >>> of_generators([[1, 0, 2], [1, 2, 0]])
        'perm(1 0 2, 1 2 0)'
    """
    checked = Parameter("generators", "permutations", "they generate the group").check(images)
    return elements.generated(checked).name


def _split(formula: Any) -> list[Group]:
    text = formula.strip() if isinstance(formula, str) else ""
    factors: list[Group] = []
    while found := _FACTOR.match(text):
        factors.append(_factor(found[0]))
        text = text[found.end() :]
        if not text:
            return factors
        between = _SEPARATOR.match(text)
        text = text[between.end() :] if between else "?"
    raise InputError(f"The group {quoted(formula)} cannot be read. {_EXAMPLES}")


def _factor(text: str) -> Group:
    if text.endswith(")"):
        return _generated(text)
    letters, degree = text.rstrip("0123456789").rstrip("_").lower(), int(text.lstrip("_" + _ASCII))
    if letters not in _BY_LETTER:
        raise unknown_name("group", text, [kind.letter for kind in FAMILIES.values()], _EXAMPLES)
    kind = _BY_LETTER[letters]
    whole(f"The degree of the group {text!r}", degree, kind.least, kind.most)
    return kind.build(degree)


def _generated(text: str) -> Group:
    images = [[int(image) for image in each.split()] for each in text[5:-1].split(",")]
    if not images[0] or any(sorted(each) != list(range(len(images[0]))) for each in images):
        raise InputError(f"{quoted(text)} holds what is no permutation. Each lists the images of 0, 1, 2, ... once.")
    return elements.generated(images)


_ASCII = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
