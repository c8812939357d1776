"""Named constructions of machines with parameters: the closed dict FAMILIES is the whole list."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seqbench.algebra.alphabet import decode
from seqbench.algebra.explore import check_size, explore
from seqbench.algebra.machine import ACCEPTOR_LABELS, OUTSIDE, Machine
from seqbench.algebra.parameters import REQUIRED, Parameter
from seqbench.errors import InputError, unknown_name

BRACKETS = "()[]{}<>"


@dataclass(frozen=True)
class Family:
    """A construction: a function from parameters to a machine.

    Attributes:
        function: called with the checked parameters as keywords.
        parameters: their specification.
    """

    function: Callable[..., Machine]
    parameters: tuple[Parameter, ...] = ()

    @property
    def summary(self) -> str:
        """The first line of the function's description."""
        return (self.function.__doc__ or "").partition("\n")[0]


def build(name: str, parameters: Mapping[str, Any] | None = None) -> Machine:
    """The machine of a family at the given parameters.

    Args:
        name: a key of FAMILIES.
        parameters: values by name; those with a default may be left out.

    Raises:
        UnknownNameError: an unknown family or parameter; the message holds the nearest names.
        InputError: a missing parameter or a value out of range; the message holds the range.
        TooLargeError: a machine of more than MAX_STATES states.

    Example:
        >>> build("dyck", {"depth": 6})
        <Machine: 8 states, alphabet {'0', '1'}, labels ('reject', 'accept')>
    """
    if name not in FAMILIES:
        raise unknown_name("family", name, FAMILIES)
    return FAMILIES[name].function(**check_parameters(name, parameters or {}))


def check_parameters(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """All parameters of a family, checked, with the defaults filled in, in the order of their specification.

    Raises:
        UnknownNameError, InputError: as in `build`.

    Example:
        >>> check_parameters("dyck", {"depth": 6})
        {'depth': 6, 'kinds': 1}
    """
    known = {parameter.name: parameter for parameter in FAMILIES[name].parameters}
    for given in parameters:
        if given not in known:
            raise unknown_name(f"parameter of the family {name!r} called", given, known)
    for parameter in known.values():
        if parameter.default is REQUIRED and parameter.name not in parameters:
            raise InputError(f"The family {name!r} needs the parameter {parameter.name!r}. {parameter.allowed()}")
    return {key: known[key].check(parameters.get(key, known[key].default)) for key in known}


def dyck(depth: int, kinds: int = 1) -> Machine:
    """Dyck words of bounded depth: well nested, at most `depth` brackets open at any time.

    One kind of brackets is written "0" (open), "1" (close): D_n = (0 D_{n-1} 1)*, D_0 = the empty word. More kinds are
    written ( ) [ ] { } < >. Source: Hewitt et al., "RNNs can generate bounded hierarchical languages", 2020.

    Example:
        >>> dyck(2).num_states, dyck(2, kinds=2).num_states
        (4, 8)
    """

    # The stack is a number in bijective base `kinds` (digits 1 to kinds, the top last), so that with one kind it is a
    # plain counter. The sink is None.
    def step(state: tuple[int, int] | None, symbol: int) -> tuple[int, int] | None:
        if state is None:
            return None
        height, stack = state
        kind, closes = divmod(symbol, 2)
        if not closes:
            return (height + 1, stack * kinds + kind + 1) if height < depth else None
        return (height - 1, (stack - 1) // kinds) if height and (stack - 1) % kinds == kind else None

    alphabet = "01" if kinds == 1 else BRACKETS[: 2 * kinds]
    start: tuple[int, int] | None = (0, 0)
    return Machine.explore(alphabet, start, step, lambda state: int(state == start))


def modular_sum(modulus: int, weights: Sequence[int]) -> Machine:
    """The sum of the symbols' weights modulo `modulus`; with modulus 2 an acceptor of the odd sums.

    Symbols are "0", "1", ...: weights (0, 1) and modulus 2 give parity; weights (-1, 0, 1) and modulus 5 give
    navigation on a cycle of five. Source: Deletang et al., "Neural networks and the Chomsky hierarchy", ICLR 2023.

    Example:
        >>> modular_sum(5, [-1, 0, 1]).labels
        ('0', '1', '2', '3', '4')
    """
    check_size(modulus)
    alphabet = [str(symbol) for symbol in range(len(weights))]
    labels = ACCEPTOR_LABELS if modulus == 2 else [str(label) for label in range(modulus)]
    return Machine.explore(alphabet, 0, lambda total, a: (total + weights[a]) % modulus, int, labels=labels)


def even_pairs() -> Machine:
    """Accepts iff the number of factors 01 and 10 together is odd, that is, iff the first and last symbol differ.

    The empty word is even. Source: Deletang et al., 2023 (there label 1 is odd, as here).

    Example:
        >>> even_pairs().num_states
        5
    """
    return Machine.explore("01", "", lambda ends, a: ends[:1] + "01"[a], lambda ends: int(ends in ("01", "10")))


def left_to_right_arithmetic(modulus: int) -> Machine:
    """The value modulo `modulus` of digit (operator digit)*, reduced strictly from left to right: 1+2*3 is 9.

    Symbols are "0" to "modulus - 1", "+", "-", "*"; all other words lie outside. Source: Pert et al., 2026.

    Example:
        >>> left_to_right_arithmetic(5).num_states
        19
    """
    return _arithmetic(modulus, lambda done, term: (0, (done + term) % modulus))


def arithmetic(modulus: int) -> Machine:
    """The value modulo `modulus` of digit (operator digit)* with ordinary precedence: 1+2*3 is 7.

    Symbols are "0" to "modulus - 1", "+", "-", "*"; all other words lie outside. Source: Deletang et al., 2023.

    Example:
        >>> arithmetic(5).num_states
        51
    """
    return _arithmetic(modulus, lambda done, term: (done, term))


def _arithmetic(modulus: int, times: Callable[[int, int], tuple[int, int]]) -> Machine:
    """Expressions with the given meaning of "*" as a map of the two sums below.

    A state is (expects a digit, done, term). After a digit the value is done + term, `term` being the signed product
    that a "*" would continue; before a digit d the value will be done + term * d. The sink is None.
    """

    def step(state: tuple[bool, int, int] | None, symbol: int) -> tuple[bool, int, int] | None:
        if state is None or state[0] != (symbol < modulus):
            return None
        done, term = state[1:]
        if symbol < modulus:
            return False, done, term * symbol % modulus
        if symbol == modulus + 2:
            return True, *times(done, term)
        return True, (done + term) % modulus, (1 if symbol == modulus else -1) % modulus

    def output(state: tuple[bool, int, int] | None) -> int:
        return OUTSIDE if state is None or state[0] else (state[1] + state[2]) % modulus

    digits = [str(digit) for digit in range(modulus)]
    start: tuple[bool, int, int] | None = (True, 0, 1)
    return Machine.explore([*digits, "+", "-", "*"], start, step, output, labels=digits)


def prefix(length: int, alphabet_size: int) -> Machine:
    """The first `length` symbols as a number in base `alphabet_size`; shorter words have an extra label, "short".

    Symbols are "0", "1", ...; the label names are the prefixes. Source: Pert et al., 2026.

    Example:
        >>> prefix(2, 2).labels
        ('00', '01', '10', '11', 'short')
    """
    check_size(alphabet_size**length)
    alphabet = tuple(str(symbol) for symbol in range(alphabet_size))
    short = alphabet_size**length

    def step(state: tuple[int, int], symbol: int) -> tuple[int, int]:
        read, value = state
        return (read + 1, value * alphabet_size + symbol) if read < length else state

    def name(value: int) -> str:
        return decode(alphabet, [value // alphabet_size**i % alphabet_size for i in reversed(range(length))])

    labels = [*map(name, range(short)), "short"]
    return Machine.explore(alphabet, (0, 0), step, lambda s: s[1] if s[0] == length else short, labels=labels)


def permutation_group(degree: int, generators: Sequence[Sequence[int]], track: str = "point") -> Machine:
    """The product of permutations: where point 0 goes, or (track = "element") which group element it is.

    Symbol i applies generator i, the list of the images of 0 .. degree - 1. A word acts from left to right: its first
    symbol first. With a = (1, 0, 2), b = (1, 2, 0) the word "01" sends 0 to a(0) = 1, then to b(1) = 2; the product is
    (b(a(0)), b(a(1)), b(a(2))) = (2, 1, 0). Elements are numbered in shortlex order and named by their images.

    Example:
        >>> a, b = (1, 0, 2), (1, 2, 0)
        >>> machine = permutation_group(3, [a, b], track="element")
        >>> machine.num_states, machine.labels
        (6, ('0 1 2', '1 0 2', '1 2 0', '2 1 0', '0 2 1', '2 0 1'))
        >>> permutation_group(3, [a, b]).labels
        ('0', '1', '2')
    """
    for generator in generators:
        if sorted(generator) != list(range(degree)):
            raise InputError(
                f"The generator {list(generator)} is no permutation. It lists each of 0 to {degree - 1} once."
            )
    alphabet = [str(symbol) for symbol in range(len(generators))]
    if track == "point":
        points = [str(point) for point in range(degree)]
        return Machine.explore(alphabet, 0, lambda point, a: generators[a][point], int, labels=points)

    def step(images: tuple[int, ...], symbol: int) -> tuple[int, ...]:
        return tuple(generators[symbol][image] for image in images)

    elements, table = explore(tuple(range(degree)), lambda images: [step(images, a) for a in range(len(generators))])
    names = [" ".join(map(str, images)) for images in elements]
    return Machine.build(alphabet, table, range(len(elements)), labels=names)


_MODULUS = Parameter("modulus", "integer", "values are counted modulo this number", 2, 64)

FAMILIES: dict[str, Family] = {
    "dyck": Family(
        dyck,
        (
            Parameter("depth", "integer", "the greatest number of open brackets", 1, 50_000),
            Parameter("kinds", "integer", "the number of kinds of brackets", 1, 4, default=1),
        ),
    ),
    "modular_sum": Family(
        modular_sum,
        (
            Parameter("modulus", "integer", "sums are counted modulo this number", 2, 100_000),
            Parameter("weights", "integers", "the weight of each symbol", -1_000_000, 1_000_000),
        ),
    ),
    "even_pairs": Family(even_pairs),
    "left_to_right_arithmetic": Family(left_to_right_arithmetic, (_MODULUS,)),
    "arithmetic": Family(arithmetic, (_MODULUS,)),
    "prefix": Family(
        prefix,
        (
            Parameter("length", "integer", "the number of symbols that count", 1, 16),
            Parameter("alphabet_size", "integer", "the number of symbols", 2, 256),
        ),
    ),
    "permutation_group": Family(
        permutation_group,
        (
            Parameter("degree", "integer", "the number of points", 1, 1000),
            Parameter("generators", "permutations", "one a symbol"),
            Parameter("track", "choice", "what the label tells", default="point", choices=("point", "element")),
        ),
    ),
}
"""Every family by name."""
