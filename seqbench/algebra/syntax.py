"""The grammar of regular expressions: text to a tree, with errors that show the place."""

from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from seqbench.algebra.alphabet import Alphabet, shown
from seqbench.errors import DefinitionError, TooLargeError, nearest

MAX_REPEAT = 100_000
MAX_NESTING = 50


@dataclass(frozen=True)
class Symbols:
    """One symbol out of a set of ids."""

    ids: tuple[int, ...]


@dataclass(frozen=True)
class Concatenation:
    """The parts one after the other; no part is the empty word."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Union:
    """Any of the parts."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Intersection:
    """All of the parts at once."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Complement:
    """Every word that the body does not match."""

    body: "Node"


@dataclass(frozen=True)
class Repeat:
    """The body at least `minimum` and at most `maximum` times (None: any number)."""

    body: "Node"
    minimum: int
    maximum: int | None


Node: TypeAlias = Symbols | Concatenation | Union | Intersection | Complement | Repeat


def _repeated(body: Node, minimum: int, maximum: int | None) -> Repeat:
    """The repeat of a body; a repeat of a repeat is one if the numbers of times leave no gap: (r{0,9}){0,9} = r{0,81}.

    (r{a,b}){c,d} repeats r between j a and j b times for c <= j <= d. No gap follows j if (j+1) a <= j b + 1, and if
    none follows c then none follows any later j.
    """
    if not isinstance(body, Repeat):
        return Repeat(body, minimum, maximum)
    low, high = body.minimum, body.maximum
    endless = high is None and minimum > 0
    if not (endless or minimum == maximum or (minimum + 1) * low <= minimum * (high or 0) + 1):
        return Repeat(body, minimum, maximum)
    if 0 in (high, maximum):
        return Repeat(body.body, 0, 0)
    return Repeat(body.body, low * minimum, None if high is None or maximum is None else high * maximum)


_POSTFIX: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def parse(pattern: str, alphabet: Alphabet) -> Node:
    """The tree of a regular expression; the syntax is described in `regex`.

    Raises:
        DefinitionError: the pattern, a caret under the place, and what was expected there.
        TooLargeError: a bound of a repeat beyond 100,000.

    Example:
        >>> parse("0(0|1)*", ("0", "1"))
        Concatenation(parts=(Symbols(ids=(0,)), Repeat(body=Union(parts=(Symbols(ids=(0,)), Symbols(ids=(1,)))),
        minimum=0, maximum=None)))
    """
    return _Parser(pattern, alphabet).parse()


class _Parser:
    """Recursive descent: one method a level of precedence, from the loosest to the tightest."""

    def __init__(self, pattern: str, alphabet: Alphabet) -> None:
        self.pattern = pattern
        self.alphabet = alphabet
        self.ids = {symbol: number for number, symbol in enumerate(alphabet)}
        self.at = 0
        self.nesting = 0

    def parse(self) -> Node:
        """The tree of the whole pattern."""
        node = self.union()
        if self.peek():
            self.fail("unexpected ')'; expected an operator or the end" if self.peek() == ")" else "expected the end")
        return node

    def union(self) -> Node:
        """Alternatives, parted by |."""
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            self.fail(f"groups and complements are nested more than {MAX_NESTING} deep")
        parts = [self.intersection()]
        while self.take("|"):
            parts.append(self.intersection())
        self.nesting -= 1
        return Union(tuple(parts)) if len(parts) > 1 else parts[0]

    def intersection(self) -> Node:
        """Parts joined by &."""
        parts = [self.concatenation()]
        while self.take("&"):
            parts.append(self.concatenation())
        return Intersection(tuple(parts)) if len(parts) > 1 else parts[0]

    def concatenation(self) -> Node:
        """Parts one after the other."""
        parts = [self.complement()]
        while self.peek() and self.peek() not in "|&)":
            parts.append(self.complement())
        return Concatenation(tuple(parts)) if len(parts) > 1 else parts[0]

    def complement(self) -> Node:
        """A repetition, with ~ before it or not."""
        flips = 0
        while self.take("~"):
            flips += 1
        node = self.repeat()
        return Complement(node) if flips % 2 else node

    def repeat(self) -> Node:
        """An atom with its repetitions."""
        node = self.atom()
        while (operator := self.peek()) and operator in "*+?{":
            self.at += 1
            minimum, maximum = self.bounds() if operator == "{" else _POSTFIX[operator]
            node = _repeated(node, minimum, maximum)
            self.check_repeat(node)
        return node

    def bounds(self) -> tuple[int, int | None]:
        """The numbers of {m,n}, after the brace has been read."""
        begin = self.at
        minimum = self.number()
        maximum: int | None = minimum
        if self.take(","):
            maximum = self.number() if self.peek() != "}" else None
        if not self.take("}"):
            self.fail("expected '}' of a repeat {m}, {m,} or {m,n}")
        if maximum is not None and maximum < minimum:
            self.at = begin
            self.fail(f"the repeat {{{minimum},{maximum}}} ends before it begins; expected m <= n")
        return minimum, maximum

    def number(self) -> int:
        """A whole number, as far as digits go."""
        digits = ""
        while (digit := self.peek()) and digit in "0123456789":
            digits += digit
            self.at += 1
        if not digits:
            self.fail("expected a number: repeats are {m}, {m,} or {m,n}")
        return int(digits[-4000:])  # Python reads no longer ones; far beyond the limit anyway

    def check_repeat(self, node: Repeat) -> None:
        """Nothing, if a repetition stays within the limits."""
        most = max(node.minimum, node.maximum or 0)
        if most > MAX_REPEAT:
            raise TooLargeError(
                f"The regular expression {self.pattern!r} repeats a part more than {MAX_REPEAT:,} times. "
                "That is the limit. Use a smaller bound."
            )

    def atom(self) -> Node:
        """A group, a class, a dot or a symbol."""
        character = self.peek()
        if character == "(":
            return self.group()
        if character == "[":
            return self.symbol_class()
        if self.take("."):
            return Symbols(tuple(range(len(self.alphabet))))
        if not character or character in "|&)*+?{}]":
            self.fail("expected a symbol, a class or a group; () is the empty word, and \\ quotes an operator")
        return Symbols((self.symbol(),))

    def group(self) -> Node:
        """What stands in round brackets; () is the empty word."""
        begin = self.at
        self.at += 1
        if self.take(")"):
            return Concatenation(())
        node = self.union()
        if not self.take(")"):
            self.fail(f"expected ')' for the '(' at character {begin + 1}")
        return node

    def symbol_class(self) -> Node:
        """Symbols in square brackets, with ^ all others."""
        begin = self.at
        self.at += 1
        negated = self.take("^")
        ids: set[int] = set()
        while self.peek() != "]":
            if not self.peek():
                self.fail(f"expected ']' for the '[' at character {begin + 1}")
            ids.update(self.symbol_range())
        self.at += 1
        if negated:
            ids = set(range(len(self.alphabet))) - ids
        if not ids:
            self.at = begin
            self.fail("the class holds no symbol; ~(.*) is the empty language")
        return Symbols(tuple(sorted(ids)))

    def symbol_range(self) -> range:
        """The ids of one symbol, or of a first to a last one."""
        first = self.symbol()
        if self.peek() != "-":
            return range(first, first + 1)
        self.at += 1
        begin = self.at
        if self.peek() in ("]", ""):
            self.fail("expected the end of the range; \\- is the symbol '-'")
        last = self.symbol()
        if last < first:
            self.at = begin
            self.fail(f"the range ends before it begins: {self.alphabet[first]!r} comes after {self.alphabet[last]!r}")
        return range(first, last + 1)

    def symbol(self) -> int:
        """The id of one symbol, bare, escaped or quoted."""
        character = self.peek()
        begin = self.at
        self.at += 1
        if character in ("'", '"'):
            text = self.quoted(character, begin)
        elif character == "\\":
            text = self.pattern[self.at : self.at + 1] or self.fail("expected a character after the backslash")
            self.at += 1
        else:
            text = character
        if text not in self.ids:
            self.at = begin
            self.fail(f"{text!r} is no symbol of the alphabet {shown(self.alphabet)}{self.hint(text)}")
        return self.ids[text]

    def quoted(self, quote: str, begin: int) -> str:
        """The text between two quotes."""
        end = self.pattern.find(quote, self.at)
        if end < 0:
            self.at = len(self.pattern)
            self.fail(f"expected {quote} for the one at character {begin + 1}")
        text = self.pattern[self.at : end]
        self.at = end + 1
        return text

    def hint(self, text: str) -> str:
        """What to do about a symbol that is not in the alphabet."""
        if len(text) == 1 and any(len(symbol) > 1 for symbol in self.alphabet):
            return "; symbols of several characters are quoted: 'symbol'"
        close = nearest(text, self.alphabet)
        return f"; the nearest: {', '.join(map(repr, close))}" if close else ""

    def peek(self) -> str:
        """The next character that is no white space, or "" at the end."""
        while self.pattern[self.at : self.at + 1].isspace():
            self.at += 1
        return self.pattern[self.at : self.at + 1]

    def take(self, character: str) -> bool:
        """Whether the next character is the given one, which is then read."""
        found = self.peek() == character
        self.at += found
        return found

    def fail(self, what: str) -> NoReturn:
        """Raises the error of this place: what is wrong, and the pattern with a mark under it."""
        shown_pattern = "".join(" " if character.isspace() else character for character in self.pattern)
        raise DefinitionError(
            f"The regular expression {self.pattern!r} is wrong at character {self.at + 1}: {what}.\n"
            f"    {shown_pattern}\n    {' ' * self.at}^"
        )
