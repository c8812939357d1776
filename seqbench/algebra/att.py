"""Acceptors out of and into AT&T text with a symbol table: the format of OpenFst, pynini, Kaldi, HFST, MLRegTest.

An arc is a line "source target symbol" or "source target input output", its fields apart by tabs or spaces; a final
state is a line with its number alone; the first line begins with the initial state. A line of the symbol table is a
symbol and its key; key 0 is epsilon, which reads nothing. The alphabet is the table's, whether arcs use it or not.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from seqbench.algebra.alphabet import Alphabet, check_alphabet, shown
from seqbench.algebra.machine import ACCEPTOR_LABELS, Machine
from seqbench.algebra.nfa import EPSILON, Nfa
from seqbench.errors import DefinitionError, InputError

EPSILON_NAMES = ("<eps>", "<EPS>", "<epsilon>", "0")
"""How epsilon is written where the symbols are a list without keys; a name that is in the list is a plain symbol."""

NATURAL = "[0-9]{1,18}"


def from_att(text: str, symbols: str | Sequence[str]) -> Machine:
    r"""The canonical acceptor of an AT&T text. Arcs may be partial, nondeterministic and labelled by epsilon.

    Args:
        text: the lines of arcs and final states.
        symbols: the text of the symbol table, whose order is the alphabet's; or the list of symbols without epsilon.

    Raises:
        DefinitionError: no line; a field that is no state or no symbol; a weight; unequal input and output symbols; a
            bad symbol table. The message names the line.
        TooLargeError: the deterministic automaton has more than MAX_STATES states.

    Example:
        >>> machine = from_att("0 1 a\n1 1 b\n1", "<eps> 0\na 1\nb 2\nc 3\n")
        >>> machine
        <Machine: 3 states, alphabet {'a', 'b', 'c'}, labels ('reject', 'accept')>
        >>> machine == from_att("0 1 a\n1 2 <eps>\n2 1 b\n2", ["a", "b", "c"])
        True
    """
    alphabet, ids = _table(symbols) if isinstance(symbols, str) else _list(symbols)
    nfa, columns = Nfa(alphabet), 0
    states: defaultdict[int, int] = defaultdict(nfa.state)
    for number, fields in _lines(text):
        source = states[_state(number, fields[0])]
        nfa.initial = nfa.initial or {source}
        if len(fields) == 1:
            nfa.final.add(source)
        else:
            columns = columns or len(fields)
            symbol = ids[_label(number, fields, columns, ids)]
            nfa.arc(source, symbol, states[_state(number, fields[1])])
    if not nfa.initial:
        raise DefinitionError("The AT&T text has no line. Its first line begins with the initial state: give that one.")
    return nfa.determinise()


def to_att(machine: Machine) -> tuple[str, str]:
    """An acceptor as AT&T text of four columns, and its symbol table: `from_att` takes both back.

    All transitions are written, those to a sink too. Symbols have the keys 1, 2, ... in alphabet order.

    Raises:
        InputError: no acceptor; a symbol with white space.

    Example:
        >>> text, symbols = to_att(Machine.build("ab", [[1, 0], [1, 1]], [0, 1]))
        >>> print(text.expandtabs(2), symbols.expandtabs(2), sep="")
        0 1 a a
        0 0 b b
        1 1 a a
        1 1 b b
        1
        <eps> 0
        a 1
        b 2
    """
    if not machine.is_acceptor:
        raise InputError(
            f"{machine!r} cannot be written as AT&T text. It holds acceptors only, with the labels {ACCEPTOR_LABELS}: "
            "use to_json."
        )
    for symbol in machine.alphabet:
        if re.search("[ \t\r\n]", symbol):
            raise InputError(f"The symbol {symbol!r} cannot be written as AT&T text. White space separates its fields.")
    lines = [
        f"{source}\t{target}\t{symbol}\t{symbol}"
        for source, row in enumerate(machine.transitions.tolist())
        for symbol, target in zip(machine.alphabet, row, strict=True)
    ]
    lines += [str(state) for state, output in enumerate(machine.outputs.tolist()) if output]
    table = [f"{symbol}\t{key}" for key, symbol in enumerate((_unused(machine.alphabet), *machine.alphabet))]
    return "\n".join(lines) + "\n", "\n".join(table) + "\n"


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The numbers, from 1, and fields of the lines that are not blank. Only ASCII white space is no symbol."""
    for number, line in enumerate(text.split("\n"), 1):
        fields = re.findall("[^ \t\r]+", line)
        if fields:
            yield number, fields


def _list(symbols: Sequence[str]) -> tuple[Alphabet, dict[str, int]]:
    """The alphabet, and the id of everything that an arc can be labelled by, epsilon included."""
    alphabet = check_alphabet(symbols)
    return alphabet, _ids(alphabet, EPSILON_NAMES)


def _table(text: str) -> tuple[Alphabet, dict[str, int]]:
    """The same from the text of a symbol table."""
    symbols: dict[int, str] = {}
    keys: dict[str, int] = {}
    for number, fields in _lines(text):
        line = f"Line {number} of the symbol table, {' '.join(fields)!r},"
        if len(fields) != 2 or not re.fullmatch(NATURAL, fields[1]):
            raise DefinitionError(f"{line} cannot be read. Each line is a symbol and its key, 0 or more.")
        symbol, key = fields[0], int(fields[1])
        if symbols.setdefault(key, symbol) != symbol or keys.setdefault(symbol, key) != key:
            raise DefinitionError(f"{line} repeats a symbol or a key of an earlier line. Each has one: remove a line.")
    epsilon = symbols.pop(0, None)
    alphabet = check_alphabet(symbols.values())
    return alphabet, _ids(alphabet, () if epsilon is None else (epsilon,))


def _ids(alphabet: Alphabet, epsilons: Iterable[str]) -> dict[str, int]:
    return dict.fromkeys(epsilons, EPSILON) | {symbol: number for number, symbol in enumerate(alphabet)}


def _state(number: int, field: str) -> int:
    if not re.fullmatch(NATURAL, field):
        raise DefinitionError(f"Line {number} of the AT&T text holds the state {field!r}. States are 0, 1, 2, ...")
    return int(field)


def _label(number: int, fields: list[str], columns: int, ids: Mapping[str, int]) -> str:
    """The symbol of an arc's fields, of which there are at least two."""
    line = f"Line {number} of the AT&T text, {' '.join(fields)!r},"
    if len(fields) == 2:
        raise DefinitionError(f"{line} gives a final state a weight. Weighted automata cannot be read: remove it.")
    if len(fields) > 4 or len(fields) != columns:
        raise DefinitionError(
            f"{line} has {len(fields)} fields. All arcs have 3, or all have 4; one more is a weight: remove weights."
        )
    for symbol in fields[2:]:
        if symbol not in ids:
            known = shown(tuple(symbol for symbol in ids if ids[symbol] != EPSILON))
            raise DefinitionError(f"{line} holds {symbol!r}, which is no symbol of {known}. Add it to the symbols.")
    if fields[2] != fields[-1]:
        raise DefinitionError(
            f"{line} has the input {fields[2]!r} but the output {fields[3]!r}. Transducers and weights cannot be read: "
            "give an acceptor."
        )
    return fields[2]


def _unused(alphabet: Alphabet) -> str:
    """A name for epsilon that is no symbol."""
    name = "<eps>"
    while name in alphabet:
        name = f"<{name}>"
    return name
