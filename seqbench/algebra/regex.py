r"""Regular expressions over a declared alphabet.

From the loosest to the tightest:

    r | s           union
    r & s           intersection
    r s             concatenation
    ~r              complement over the declared alphabet: ~0*1 is (~(0*))1
    r* r+ r?        any number of times, at least once, at most once
    r{m} r{m,} r{m,n}  repeats
    (r)  ()         group; the empty word
    a  'push'  \+   a symbol; quotes ' or " hold a symbol of several characters; a backslash quotes one character
    .  [ab] [a-c] [^a]  any symbol; one of a set (ranges in the order of the alphabet); any other symbol

White space outside quotes is ignored. ~(.*) is the empty language.
"""

from collections.abc import Iterable
from functools import lru_cache, reduce

from seqbench.algebra.alphabet import check_alphabet
from seqbench.algebra.machine import Machine
from seqbench.algebra.nfa import EPSILON, Nfa
from seqbench.algebra.operations import complement, intersection
from seqbench.algebra.syntax import Complement, Concatenation, Intersection, Node, Repeat, Symbols, Union, parse


def compile_regex(pattern: str, alphabet: Iterable[str]) -> Machine:
    """The canonical acceptor of a regular expression.

    Args:
        pattern: the expression; the syntax is at the top of this module.
        alphabet: the symbols; the complement, the dot and negated classes are taken over all of them.

    Raises:
        DefinitionError: the pattern cannot be read; the message shows the place and what was expected.
        TooLargeError: the automaton passes a limit; found as it grows.

    Example:
        >>> compile_regex("(1|01|001)*(0|00)?", "01") == compile_regex("~(.*000.*)", "01")
        True
        >>> compile_regex("0(1", "01")
        Traceback (most recent call last):
        ...
        seqbench.errors.DefinitionError: The regular expression '0(1' is wrong at character 4: expected ')' for the
        '(' at character 2.
            0(1
               ^
    """
    symbols = check_alphabet(alphabet)
    return _machine(parse(pattern, symbols), symbols)


@lru_cache(maxsize=32)  # a repeat asks for the same part again and again
def _machine(node: Node, alphabet: tuple[str, ...]) -> Machine:
    """The machine of a tree: intersection and complement by machines, all else by one nondeterministic automaton."""
    match node:
        case Complement(body):
            return complement(_machine(body, alphabet))
        case Intersection(parts):
            return reduce(intersection, (_machine(part, alphabet) for part in parts))
    nfa = Nfa(alphabet)
    start, end = nfa.state(), nfa.state()
    _connect(nfa, node, start, end)
    nfa.initial, nfa.final = {start}, {end}
    return nfa.determinise()


def _connect(nfa: Nfa, node: Node, start: int, end: int) -> None:
    """Adds arcs so that exactly the words of the node lead from `start` to `end`.

    No arc is added into `start` or out of `end` (unless they are one state, where a loop is wanted), so parts may
    share both (Thompson's construction without its spare states).
    """
    match node:
        case Symbols(ids):
            for symbol in ids:
                nfa.arc(start, symbol, end)
        case Union(parts):
            for part in parts:
                _connect(nfa, part, start, end)
        case Concatenation(parts):
            _chain(nfa, parts, start, end)
        case Repeat(body, minimum, None):
            middle = _chain(nfa, (body,) * minimum, start, nfa.state())
            loop = nfa.state()
            nfa.arc(middle, EPSILON, loop)
            _connect(nfa, body, loop, loop)
            nfa.arc(loop, EPSILON, end)
        case Repeat(body, minimum, int(maximum)):
            middle = _chain(nfa, (body,) * minimum, start, nfa.state())
            for _ in range(maximum - minimum):
                nfa.arc(middle, EPSILON, end)
                middle = _chain(nfa, (body,), middle, nfa.state())
            nfa.arc(middle, EPSILON, end)
        case _:
            nfa.embed(_machine(node, nfa.alphabet), start, end)


def _chain(nfa: Nfa, parts: tuple[Node, ...], start: int, end: int) -> int:
    """Adds the parts one after the other from `start` to `end`, which is returned."""
    for part in parts[:-1]:
        following = nfa.state()
        _connect(nfa, part, start, following)
        start = following
    if parts:
        _connect(nfa, parts[-1], start, end)
    else:
        nfa.arc(start, EPSILON, end)
    return end
