"""Boolean and rational operations on acceptors, and products of any two machines. Every result is canonical."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.alphabet import shown
from seqbench.algebra.explore import explore
from seqbench.algebra.machine import ACCEPTOR_LABELS, Machine
from seqbench.algebra.nfa import Nfa
from seqbench.errors import InputError

IntArray = npt.NDArray[np.int32]


def product(
    left: Machine,
    right: Machine,
    combine: Callable[[IntArray, IntArray], npt.NDArray[Any]],
    labels: Sequence[str] = ACCEPTOR_LABELS,
) -> Machine:
    """The machine that runs both on every word and combines their outputs.

    Args:
        left: a machine.
        right: a machine over the same alphabet.
        combine: the outputs of the product's states from the arrays of both machines' outputs.
        labels: the names of the combined labels.

    Raises:
        InputError: different alphabets.
        TooLargeError: more than MAX_STATES reachable pairs of states.

    Example:
        >>> from seqbench.algebra.regex import compile_regex
        >>> ends, starts = compile_regex(".*1", "01"), compile_regex("1.*", "01")
        >>> product(ends, starts, lambda a, b: 2 * a + b, labels=("neither", "starts", "ends", "both")).num_states
        5
    """
    if left.alphabet != right.alphabet:
        raise InputError(
            f"Machines over {shown(left.alphabet)} and {shown(right.alphabet)} cannot be combined. "
            "Build both over the same symbols in the same order."
        )
    rows, columns = left.transitions.tolist(), right.transitions.tolist()
    pairs, table = explore((0, 0), lambda pair: zip(rows[pair[0]], columns[pair[1]], strict=True), what="product")
    p, q = np.array(pairs).T
    return Machine.build(left.alphabet, table, combine(left.outputs[p], right.outputs[q]), labels=labels)


def union(left: Machine, right: Machine) -> Machine:
    """The acceptor of the words in either language.

    Example:
        >>> from seqbench.algebra.regex import compile_regex
        >>> union(compile_regex("0", "01"), compile_regex("1", "01")) == compile_regex("0|1", "01")
        True
    """
    return product(_acceptor(left), _acceptor(right), np.bitwise_or)


def intersection(left: Machine, right: Machine) -> Machine:
    """The acceptor of the words in both languages.

    Example:
        >>> from seqbench.algebra.regex import compile_regex
        >>> intersection(compile_regex("0.*", "01"), compile_regex(".*1", "01")) == compile_regex("0.*1", "01")
        True
    """
    return product(_acceptor(left), _acceptor(right), np.bitwise_and)


def difference(left: Machine, right: Machine) -> Machine:
    """The acceptor of the words in the first language that are not in the second.

    Example:
        >>> from seqbench.algebra.regex import compile_regex
        >>> difference(compile_regex("0*", "01"), compile_regex("()", "01")) == compile_regex("0+", "01")
        True
    """
    return product(_acceptor(left), _acceptor(right), lambda a, b: a & ~b)


def complement(machine: Machine) -> Machine:
    """The acceptor of all other words over the alphabet.

    Example:
        >>> from seqbench.algebra.regex import compile_regex
        >>> complement(compile_regex("()", "01")) == compile_regex(".+", "01")
        True
    """
    _acceptor(machine)
    return Machine.build(machine.alphabet, machine.transitions, 1 - machine.outputs)


def concatenation(left: Machine, right: Machine) -> Machine:
    """The acceptor of the words that are one of the first language followed by one of the second.

    Example:
        >>> from seqbench.algebra.regex import compile_regex
        >>> concatenation(compile_regex("0*", "01"), compile_regex("1", "01")) == compile_regex("0*1", "01")
        True
    """
    if left.alphabet != right.alphabet:
        raise InputError(f"Machines over {shown(left.alphabet)} and {shown(right.alphabet)} cannot be combined.")
    nfa = Nfa(left.alphabet)
    start, middle, end = nfa.state(), nfa.state(), nfa.state()
    nfa.embed(_acceptor(left), start, middle)
    nfa.embed(_acceptor(right), middle, end)
    nfa.initial, nfa.final = {start}, {end}
    return nfa.determinise()


def star(machine: Machine) -> Machine:
    """The acceptor of the concatenations of any number of words of the language, the empty word included.

    Example:
        >>> from seqbench.algebra.regex import compile_regex
        >>> star(compile_regex("01", "01")) == compile_regex("(01)*", "01")
        True
    """
    nfa = Nfa(machine.alphabet)
    hub = nfa.state()
    nfa.embed(_acceptor(machine), hub, hub)
    nfa.initial = nfa.final = {hub}
    return nfa.determinise()


def reverse(machine: Machine) -> Machine:
    """The acceptor of the words of the language read backwards.

    Example:
        >>> from seqbench.algebra.regex import compile_regex
        >>> reverse(compile_regex("01*", "01")) == compile_regex("1*0", "01")
        True
    """
    _acceptor(machine)
    nfa = Nfa(machine.alphabet)
    for _ in range(machine.num_states):
        nfa.state()
    for source, row in enumerate(machine.transitions.tolist()):
        for symbol, target in enumerate(row):
            nfa.arc(target, symbol, source)
    nfa.initial, nfa.final = set(np.flatnonzero(machine.outputs == 1).tolist()), {0}
    return nfa.determinise()


def is_empty(machine: Machine) -> bool:
    """Whether no word is accepted.

    Example:
        >>> from seqbench.algebra.regex import compile_regex
        >>> is_empty(compile_regex("0 & 1", "01"))
        True
    """
    return not _acceptor(machine).outputs.any()


def is_subset(left: Machine, right: Machine) -> bool:
    """Whether every word of the first language is in the second.

    Example:
        >>> from seqbench.algebra.regex import compile_regex
        >>> is_subset(compile_regex("0", "01"), compile_regex("0*", "01"))
        True
    """
    return is_empty(difference(left, right))


def equivalent(left: Machine, right: Machine) -> bool:
    """Whether both machines label every word alike: canonical machines are equal iff they are.

    Example:
        >>> from seqbench.algebra.regex import compile_regex
        >>> equivalent(compile_regex("(0|1)*", "01"), compile_regex("(0*1*)*", "01"))
        True
    """
    return left == right


def _acceptor(machine: Machine) -> Machine:
    if not machine.is_acceptor:
        raise InputError(
            f"{machine!r} is no acceptor. Languages are machines with the labels {ACCEPTOR_LABELS} "
            "and no word outside: combine other machines with product."
        )
    return machine
