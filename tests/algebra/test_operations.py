import pytest
from hypothesis import given

from seqbench.algebra import families, operations
from seqbench.algebra.machine import Machine
from seqbench.algebra.regex import compile_regex
from seqbench.errors import InputError, TooLargeError
from tests.algebra.strategies import acceptors, language

LONGEST = 6


def everything():
    return language(compile_regex(".*", "01"), LONGEST)


@given(acceptors(), acceptors())
def test_boolean_operations_are_set_operations(left, right):
    one, two = language(left, LONGEST), language(right, LONGEST)
    assert language(operations.union(left, right), LONGEST) == one | two
    assert language(operations.intersection(left, right), LONGEST) == one & two
    assert language(operations.difference(left, right), LONGEST) == one - two
    assert language(operations.complement(left), LONGEST) == everything() - one


@given(acceptors(max_states=4), acceptors(max_states=4))
def test_rational_operations_by_brute_force(left, right):
    one, two = language(left, LONGEST), language(right, LONGEST)
    words = everything()
    cuts = {word: [(word[:i], word[i:]) for i in range(len(word) + 1)] for word in words}
    joined = {word for word in words if any(a in one and b in two for a, b in cuts[word])}
    assert language(operations.concatenation(left, right), LONGEST) == joined
    assert language(operations.reverse(left), LONGEST) == {word[::-1] for word in one}
    starred = {""}
    for word in sorted(words, key=len):
        if any(a and a in one and b in starred for a, b in cuts[word]):
            starred.add(word)
    assert language(operations.star(left), LONGEST) == starred


@given(acceptors(), acceptors())
def test_questions(left, right):
    assert operations.is_empty(left) == (not left.outputs.any())
    assert operations.is_empty(operations.difference(left, left))
    assert operations.is_subset(operations.intersection(left, right), left)
    assert operations.equivalent(operations.reverse(operations.reverse(left)), left)
    both = operations.is_subset(left, right) and operations.is_subset(right, left)
    assert operations.equivalent(left, right) == both


@given(acceptors(), acceptors())
def test_unions_agree_with_automata_lib(left, right):
    library = pytest.importorskip("automata.fa.dfa")

    def converted(machine):
        rows = machine.transitions.tolist()
        return library.DFA(
            states=set(range(machine.num_states)),
            input_symbols={"0", "1"},
            transitions={q: {"0": row[0], "1": row[1]} for q, row in enumerate(rows)},
            initial_state=0,
            final_states={q for q in range(machine.num_states) if machine.outputs[q] == 1},
        )

    ours = operations.union(left, right)
    assert converted(ours) == converted(left).union(converted(right))
    assert converted(operations.difference(left, right)) == converted(left).difference(converted(right))


def test_operations_refuse_what_they_cannot_combine():
    zero, letter = compile_regex("0", "01"), compile_regex("a", "ab")
    for operation in (operations.union, operations.concatenation):
        with pytest.raises(InputError, match="cannot be combined"):
            operation(zero, letter)
    with pytest.raises(InputError, match="no acceptor"):
        operations.complement(families.build("arithmetic", {"modulus": 3}))


def test_products_and_subsets_stop_at_the_limit():
    cycles = [Machine.build("0", [[(q + 1) % n] for q in range(n)], [1] + [0] * (n - 1)) for n in (401, 409)]
    with pytest.raises(TooLargeError, match="product"):
        operations.union(*cycles)
    with pytest.raises(TooLargeError, match="deterministic automaton"):
        compile_regex(".*1.{20}", "01")


def test_products_combine_any_labels():
    left, right = families.build("modular_sum", {"modulus": 3, "weights": [0, 1]}), compile_regex(".*1", "01")
    labels = [f"{a} {b}" for a in range(3) for b in range(2)]
    assert operations.product(left, right, lambda a, b: 2 * a + b, labels).num_states == 6
