"""Nondeterministic automata with epsilon arcs: for regular expressions, concatenation, star, reversal."""

from collections.abc import Iterable

from seqbench.algebra.alphabet import Alphabet, check_alphabet
from seqbench.algebra.explore import MAX_STATES, explore
from seqbench.algebra.machine import Machine
from seqbench.errors import TooLargeError

EPSILON = -1
MAX_ARCS = 500_000
MAX_WORK = 5_000_000


class Nfa:
    """A nondeterministic automaton that grows by states and arcs; a word is accepted iff some path reads it.

    Attributes:
        alphabet: the symbols.
        initial: the initial states.
        final: the final states.

    Example:
        >>> nfa = Nfa(("0", "1"))
        >>> nfa.initial, nfa.final = {nfa.state()}, {nfa.state()}
        >>> nfa.arc(0, 0, 0), nfa.arc(0, 1, 0), nfa.arc(0, 1, 1)
        (None, None, None)
        >>> nfa.determinise().transitions.tolist()  # the words that end in 1
        [[0, 1], [0, 1]]
    """

    def __init__(self, alphabet: Iterable[str]) -> None:
        """Has no state yet."""
        self.alphabet: Alphabet = check_alphabet(alphabet)
        self.initial: set[int] = set()
        self.final: set[int] = set()
        self._arcs: list[dict[int, list[int]]] = []
        self._num_arcs = 0

    def state(self) -> int:
        """The number of a new state."""
        self._arcs.append({})
        return len(self._arcs) - 1

    def arc(self, source: int, symbol: int, target: int) -> None:
        """Adds an arc; the symbol is an id, or EPSILON for an arc that reads nothing.

        Raises:
            TooLargeError: more than 500,000 arcs.
        """
        self._arcs[source].setdefault(symbol, []).append(target)
        self._num_arcs += 1
        if self._num_arcs > MAX_ARCS:
            raise TooLargeError(
                f"A nondeterministic automaton has more than {MAX_ARCS:,} arcs. That is the limit. "
                "Use smaller bounds of repeats."
            )

    def embed(self, machine: Machine, start: int, end: int) -> None:
        """Adds a copy of an acceptor whose words lead from `start` to `end`."""
        states = [self.state() for _ in range(machine.num_states)]
        self.arc(start, EPSILON, states[0])
        alive = _alive(machine)
        for source, row in enumerate(machine.transitions.tolist()):
            for symbol, target in enumerate(row):
                if target in alive:
                    self.arc(states[source], symbol, states[target])
            if machine.outputs[source] == 1:
                self.arc(states[source], EPSILON, end)

    def determinise(self, limit: int = MAX_STATES) -> Machine:
        """The canonical machine of the language, by the subset construction.

        Args:
            limit: the greatest number of subsets.

        Raises:
            TooLargeError: more subsets than the limit, or 5 million members of subsets together.
        """
        work = _Work()
        matters = {state for state, arcs in enumerate(self._arcs) if state in self.final or arcs.keys() - {EPSILON}}
        closure = [frozenset(self._closure(state, work) & matters) for state in range(len(self._arcs))]
        symbols = range(len(self.alphabet))

        def successors(subset: frozenset[int]) -> Iterable[frozenset[int]]:
            work.add(len(subset))
            for symbol in symbols:
                targets = {target for state in subset for target in self._arcs[state].get(symbol, ())}
                work.add(len(targets))
                yield union(targets)

        def union(states: Iterable[int]) -> frozenset[int]:
            return frozenset().union(*(closure[state] for state in states))

        subsets, table = explore(union(self.initial), successors, what="deterministic automaton", limit=limit)
        return Machine.build(self.alphabet, table, [int(not self.final.isdisjoint(subset)) for subset in subsets])

    def _closure(self, state: int, work: "_Work") -> set[int]:
        """The states that epsilon arcs reach. Only those with an arc that reads, and final ones, matter in a subset."""
        seen, stack = {state}, [state]
        while stack:
            for target in self._arcs[stack.pop()].get(EPSILON, ()):
                if target not in seen:
                    seen.add(target)
                    stack.append(target)
        work.add(len(seen))
        return seen


class _Work:
    """Counts the members of all subsets: it stops a construction that would take minutes long before memory ends."""

    def __init__(self) -> None:
        self.done = 0

    def add(self, members: int) -> None:
        """Counts so many members, and raises when there are too many."""
        self.done += members
        if self.done > MAX_WORK:
            raise TooLargeError(
                f"The subset construction has handled more than {MAX_WORK:,} members of subsets. That is the limit. "
                "Use smaller bounds of repeats, or unnest them."
            )


def _alive(machine: Machine) -> set[int]:
    """The states from which an accepting state can be reached."""
    predecessors: list[set[int]] = [set() for _ in range(machine.num_states)]
    for source, row in enumerate(machine.transitions.tolist()):
        for target in row:
            predecessors[target].add(source)
    stack = [state for state, output in enumerate(machine.outputs.tolist()) if output == 1]
    alive = set(stack)
    while stack:
        fresh = predecessors[stack.pop()] - alive
        alive |= fresh
        stack.extend(fresh)
    return alive
