"""A user's handle on one language: its machine and monoid; the label and class of any word; words to order."""

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from seqbench.algebra.alphabet import Word, decode, encode, encode_batch
from seqbench.algebra.att import from_att
from seqbench.algebra.interchange import to_dot, to_networkx
from seqbench.algebra.machine import OUTSIDE, Machine
from seqbench.algebra.monoid import Monoid
from seqbench.algebra.regex import compile_regex
from seqbench.algebra.structure import Structure
from seqbench.catalogue.definitions import read_automaton
from seqbench.catalogue.languages import build_machine, machine_of, machine_of_dataset, monoid_of
from seqbench.catalogue.reader import Catalogue, open_catalogue
from seqbench.catalogue.recipe import sampling_weights, whole
from seqbench.catalogue.schema import TaskDataset
from seqbench.drawing.automata import automaton
from seqbench.drawing.pictures import shown
from seqbench.errors import InputError, TooLargeError, UnknownNameError, quoted, unknown_name
from seqbench.generation import streams as rng
from seqbench.generation.laws import class_law
from seqbench.generation.plan import NO_MACHINE, Folder, label_id, plan
from seqbench.generation.sampler import Sampler, nearest_lengths
from seqbench.generation.splits import UNIT_ROWS
from seqbench.generation.task_plan import TaskPlan
from seqbench.notebook import facts, section

Array = npt.NDArray[Any]

MAX_SYMBOLS = 1 << 31  # symbols that one call of sample may return, 64 a word added

PICTURED = 12  # states of an automaton that a notebook shows as a graph
SHOWN_CLASSES = 2_000  # classes that are counted for a notebook: more would keep it waiting


class Language:
    """A language or labelling: every word over the alphabet has at most one label, and one syntactic class.

    Attributes:
        name: what it was asked for by.
        machine: the canonical Moore machine.
    """

    def __init__(self, machine: Machine, name: str = "language") -> None:
        """The language of a machine."""
        self.machine, self.name = machine, name

    @classmethod
    def from_regex(cls, pattern: str, alphabet: Iterable[str] = ("0", "1")) -> "Language":
        """The language of a regular expression over an alphabet (syntax: seqbench.algebra.regex).

        Example:
            >>> Language.from_regex("(01)*").label("0101")
            1
        """
        if not isinstance(pattern, str) or not isinstance(alphabet, Iterable):
            raise InputError(
                f"{quoted(pattern)} over {quoted(alphabet)} is no regular expression. Give text and symbols."
            )
        return cls(compile_regex(pattern, tuple(alphabet)), pattern)

    @classmethod
    def from_file(cls, path: str | Path, symbols: str | Path | None = None) -> "Language":
        """The language of a TOML definition (see automata/), or of AT&T text with its symbol table.

        Args:
            path: a .toml file (a family's with the parameters of its first claims), or an .att, .fst or .txt file.
            symbols: the symbol table of AT&T text; by default the file of the same name that ends in .sym.

        Raises:
            DefinitionError: the file cannot be read or used.
        """
        path = Path(path)
        if not path.is_file():
            raise UnknownNameError(f"There is no file {str(path)!r}. Give a .toml definition or an .att file.")
        if path.suffix == ".toml":
            automaton = read_automaton(path)
            parameters = automaton.all_claims[0].parameters if automaton.all_claims else {}
            return cls(build_machine(automaton, parameters), path.stem)
        table = Path(symbols) if symbols else path.with_suffix(".sym")
        if not table.is_file():
            raise UnknownNameError(
                f"There is no symbol table {str(table)!r}, which AT&T text needs. Name it: symbols=..."
            )
        return cls(from_att(path.read_text(encoding="utf-8"), table.read_text(encoding="utf-8")), path.stem)

    def __repr__(self) -> str:
        """One line of facts."""
        machine = self.machine
        return (
            f"<Language {self.name}: {machine.num_states} states, {machine.num_symbols} symbols, labels {self.labels}>"
        )

    def _repr_html_(self) -> str:
        """The facts in a notebook, with a picture of an automaton of few states."""
        machine = self.machine
        values = {"symbols": " ".join(self.alphabet), "labels": ", ".join(self.labels), "states": machine.num_states}
        picture = ""
        if machine.num_states <= PICTURED:
            picture = shown(lambda: automaton(machine), f"The automaton of {self.name}, {machine.num_states} states")
        return section(f"Language {self.name}", [], facts(values | self._class_facts()), picture)

    def _class_facts(self) -> dict[str, object]:
        """How many classes there are and where the language sits; just that they are many, where they are."""
        try:
            known = self.monoid if "monoid" in vars(self) else Monoid.of(self.machine, SHOWN_CLASSES)
        except TooLargeError:
            return {"classes": f"more than {SHOWN_CLASSES:,}"}
        return {"classes": f"{len(known):,}", "level": Structure(known).level}

    @functools.cached_property
    def monoid(self) -> Monoid:
        """The syntactic monoid.

        Raises:
            TooLargeError: more than a million elements.
        """
        return monoid_of(self.machine)

    @functools.cached_property
    def structure(self) -> Structure:
        """Where the language sits: Green's relations, groups, and the level of the hierarchy in plain words.

        Example:
            >>> language("dyck_d6").structure.level
            'star-free (aperiodic)'
        """
        return Structure(self.monoid)

    def to_dot(self) -> str:
        """The machine's graph in Graphviz's language."""
        return to_dot(self.machine)

    def to_networkx(self) -> Any:
        """The machine's graph as a networkx.MultiDiGraph."""
        return to_networkx(self.machine)

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols, in the order of their ids."""
        return self.machine.alphabet

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the labels, in the order of their ids."""
        return self.machine.labels

    def encode(self, word: Word) -> Array:
        """The symbol ids of a word given as text, symbols or ids.

        Raises:
            InputError: a symbol outside the alphabet.

        Example:
            >>> language("dyck_d6").encode("0011").tolist()
            [0, 0, 1, 1]
        """
        return encode(self.alphabet, word)

    def decode(self, ids: Word) -> str:
        """The text of a word given as ids.

        Example:
            >>> language("dyck_d6").decode([0, 0, 1, 1])
            '0011'
        """
        return decode(self.alphabet, ids)

    def label(self, word: Word) -> int:
        """The label id of a word.

        Raises:
            InputError: a symbol outside the alphabet, or a word outside the task's domain.

        Example:
            >>> language("dyck_d6").label("0011"), language("dyck_d6").label("0110")
            (1, 0)
        """
        try:
            return self.label_all([word])[0]
        except InputError as error:
            raise InputError(str(error).removeprefix("In word 0: ").replace("Word 0, ", "The word ", 1)) from None

    def label_all(self, words: Iterable[Word]) -> list[int]:
        """The label ids of many words.

        Example:
            >>> language("modular_arithmetic").label_all(["1+2*3", "4*4"])
            [2, 1]
        """
        if isinstance(words, str) or not isinstance(words, Iterable):
            raise InputError(f"{quoted(words)} is no list of words. Give several words, or use label for one.")
        tokens, offsets = encode_batch(self.alphabet, words)
        labels = self.machine.outputs[self.machine.run(tokens, offsets)]
        outside = np.flatnonzero(labels == OUTSIDE)
        if len(outside):
            first = int(outside[0])
            raise self._outside(first, self.decode(tokens[offsets[first] : offsets[first + 1]]))
        return [int(label) for label in labels]

    def _outside(self, number: int, text: str) -> InputError:
        """The error for a word without a label, with examples of words that have one."""
        uniform = Sampler(self.machine, None, {"uniform": 1.0})
        lengths = nearest_lengths(uniform.admits, 4, self.machine.num_states)
        examples = ", ".join(repr(self.sample(n, n=1)[0]) for n in lengths if n)
        return InputError(
            f"Word {number}, {quoted(text)}, lies outside the domain of {self.name}, so it has no label. "
            f"Words of the domain look like {examples}."
        )

    def syntactic_class(self, word: Word) -> int:
        """The syntactic class of a word: the element of the monoid; `monoid.names` has its shortest word.

        Example:
            >>> lang = language("dyck_d6")
            >>> lang.monoid.names[lang.syntactic_class("0011010")]  # one open bracket, two deep at most
            '001'
        """
        tokens = self.encode(word)
        return int(self.monoid.class_of(tokens, np.array([0, len(tokens)]))[0])

    def sample(
        self,
        length: int,
        label: int | str | None = None,
        n: int = 1,
        *,
        syntactic_class: int | None = None,
        sampling: str = "uniform",
        seed: int = 0,
    ) -> list[str]:
        """Words of one length, independent and exactly uniform among those asked for.

        Args:
            length: number of symbols.
            label: only words with this label, by id or name.
            n: how many.
            syntactic_class: only words of this class.
            sampling: another law (see seqbench.generation.laws).
            seed: the same seed gives the same words, and the first few of a larger n.

        Raises:
            InputError: no such word; the message names the nearest lengths that have one.

        Example:
            >>> language("dyck_d6").sample(12, label=1, n=2, seed=0)
            ['010010101011', '010001010111']
        """
        tokens = self.sample_ids(length, label, n, syntactic_class=syntactic_class, sampling=sampling, seed=seed)
        return [self.decode(row) for row in tokens]

    def sample_ids(
        self,
        length: int,
        label: int | str | None = None,
        n: int = 1,
        *,
        syntactic_class: int | None = None,
        sampling: str = "uniform",
        seed: int = 0,
    ) -> Array:
        """The same as symbol ids, shape (n, length), uint8 (uint16 beyond 256 symbols).

        Example:
            >>> language("parity_check").sample_ids(4, n=2).shape
            (2, 4)
        """
        length, n = whole("length", length, 0, 10_000_000), whole("n", n, 0, 10**9)
        if n * (length + 64) > MAX_SYMBOLS:
            raise InputError(
                f"{n:,} words of {length:,} symbols are too many to hold at once. Ask for fewer, or use "
                "seqbench.load_dataset or seqbench.stream."
            )
        chosen = None if label is None else label_id(self.machine, label)
        weights = sampling_weights("sampling", sampling)
        sampler = self._sampler(chosen, syntactic_class, weights)
        self._check_length(sampler, length, chosen, syntactic_class)
        seed = whole("seed", seed, 0, 2**64 - 1)
        key = (self.machine.fingerprint, "sample", length, chosen, syntactic_class, weights, seed)
        tokens = np.empty((n, length), dtype=encode(self.alphabet, "").dtype)
        for first in range(0, n, UNIT_ROWS):
            rows = np.arange(min(UNIT_ROWS, n - first))
            streams = rng.row_streams(rng.unit_key(*key, first), rows)
            drawn = sampler.sample(np.full(len(rows), length), streams)
            tokens[first : first + len(rows)] = drawn.tokens.reshape(len(rows), length)
        return tokens

    def _sampler(self, label: int | None, syntactic_class: int | None, weights: dict[str, float]) -> Sampler:
        labels = None if label is None else (label,)
        if syntactic_class is None:
            needs_monoid = bool({"class", "composition"} & weights.keys())
            return Sampler(self.machine, self.monoid if needs_monoid else None, weights, labels)
        syntactic_class = whole("syntactic_class", syntactic_class, 0, len(self.monoid) - 1)
        if label is not None and self.monoid.labels[syntactic_class] != label:
            raise InputError(
                f"Class {syntactic_class} has the label {self.monoid.labels[syntactic_class]}, not {label}. "
                "Give the class alone."
            )
        sampler = Sampler(self.machine, self.monoid, {"uniform": 1.0})
        sampler.laws = [class_law(self.monoid, only=syntactic_class)]
        return sampler

    def _check_length(self, sampler: Sampler, length: int, label: int | None, syntactic_class: int | None) -> None:
        if sampler.admits(length)[length]:
            return
        what = "no word" if label is None else f"no word with the label {label} ({self.labels[label]!r})"
        what += "" if syntactic_class is None else f" of class {syntactic_class}"
        near = nearest_lengths(sampler.admits, length, self.machine.num_states)
        hint = f"The nearest lengths that have one: {', '.join(map(str, near))}." if near else "No length near has one."
        raise InputError(f"{self.name} has {what} of length {length}. {hint}")


def language(name: str, catalogue: Folder = None, **parameters: Any) -> Language:
    """The language of a dataset, or one of the catalogue's languages with its parameters.

    Raises:
        UnknownNameError: neither.

    Example:
        >>> lang = language("dyck_d6")
        >>> lang.machine.num_states, len(lang.monoid)
        (8, 141)
        >>> language("dyck", depth=2, kinds=2).alphabet
        ('(', ')', '[', ']')
    """
    opened = open_catalogue(catalogue)
    return Language(_machine(opened, name, parameters), name)


def _machine(opened: Catalogue, name: str, parameters: dict[str, Any]) -> Machine:
    asked, name = name, name if name in opened.automata else opened.name_of(name)
    if name in opened.datasets and (name not in opened.automata or not parameters):
        dataset = opened.dataset(name)
        if isinstance(dataset, TaskDataset):
            raise InputError(NO_MACHINE.format(name=asked))
        found = dataset.automaton
        if not parameters:
            return machine_of_dataset(opened, name, dataset)
        raise InputError(
            f"The dataset {asked!r} takes no parameters, but {sorted(parameters)} were given. Its language is "
            f"{found!r}, which takes them: language({found!r}, ...)."
        )
    if name not in opened.automata:
        known = {*opened.datasets, *opened.automata}
        raise unknown_name("dataset or language", name, known, f"`{opened.command('list')}` shows all.")
    return machine_of(opened, name, parameters)


def solve(name: str, inputs: Any, catalogue: Folder = None) -> Any:
    """The right target of each input: score your own words.

    Args:
        name: a dataset.
        inputs: words as text or ids; one word alone (text, or a flat list of ids) gives one target.
        catalogue: a folder with definitions of your own.

    Raises:
        InputError: a symbol outside the alphabet, or a word outside the task's domain.

    Example:
        >>> solve("parity_check", [[1, 0, 1], [1]])
        [0, 1]
        >>> solve("parity_check", "101")
        0
    """
    planned = plan(name, catalogue)
    if isinstance(planned, TaskPlan):
        return planned.task.solve(inputs)
    lang = language(name, catalogue)
    if isinstance(inputs, str):
        return lang.label(inputs)
    if not isinstance(inputs, Sequence | np.ndarray):
        raise InputError(
            f"inputs is {quoted(inputs)}, which is no list of words. Give words as text or as lists of symbol ids."
        )
    one_word = len(inputs) > 0 and isinstance(inputs[0], int | np.integer)
    return lang.label(inputs) if one_word else lang.label_all(inputs)
