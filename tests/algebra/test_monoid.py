import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.algebra import families
from seqbench.algebra import monoid as monoid_module
from seqbench.algebra.alphabet import encode_batch
from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.algebra.structure import is_aperiodic
from seqbench.errors import InputError, TooLargeError
from tests.algebra.strategies import all_words, machines

SMALL = {"max_states": 4}


def action(machine, word):
    states = range(machine.num_states)
    for symbol in word:
        states = [int(machine.transitions[state, symbol]) for state in states]
    return tuple(states)


def slow_monoid(machine):
    """The maps by word: level by level until no new map appears, words in shortlex order."""
    maps, level = {action(machine, ()): ()}, [()]
    while level:
        longer = [(*word, a) for word in level for a in range(machine.num_symbols)]
        level = []
        for word in longer:
            if action(machine, word) not in maps:
                maps[action(machine, word)] = word
                level.append(word)
    return maps


@given(machines(**SMALL))
def test_elements_are_in_shortlex_order(machine):
    monoid = Monoid.of(machine)
    expected = slow_monoid(machine)
    assert [tuple(row) for row in monoid.maps.tolist()] == list(expected)
    assert [tuple(monoid.word(a).tolist()) for a in range(len(monoid))] == list(expected.values())
    assert list(monoid.names) == [monoid.name(a) for a in range(len(monoid))]
    assert monoid.depth.tolist() == [len(word) for word in expected.values()]
    assert monoid.labels.tolist() == [int(machine.outputs[images[0]]) for images in expected]


@given(machines(**SMALL))
def test_cayley_graphs_append_and_prepend(machine):
    monoid = Monoid.of(machine)
    numbers = {tuple(row): number for number, row in enumerate(monoid.maps.tolist())}
    for element in range(len(monoid)):
        word = tuple(monoid.word(element).tolist())
        for symbol in range(machine.num_symbols):
            assert monoid.right[element, symbol] == numbers[action(machine, (*word, symbol))]
            assert monoid.left[element, symbol] == numbers[action(machine, (symbol, *word))]
        if element:
            assert monoid.right[monoid.parent[element], monoid.last[element]] == element


@given(machines(**SMALL), st.data())
def test_products_compose_maps_and_associate(machine, data):
    monoid = Monoid.of(machine)
    a, b, c = (data.draw(st.integers(0, len(monoid) - 1)) for _ in range(3))
    product = monoid.multiply(a, b)
    assert isinstance(product, int)
    assert monoid.maps[product].tolist() == monoid.maps[b][monoid.maps[a]].tolist()
    assert monoid.multiply(product, c) == monoid.multiply(a, monoid.multiply(b, c))
    assert monoid.multiply(a, 0) == a == monoid.multiply(0, a)


@given(machines(**SMALL))
def test_walking_and_the_table_agree(machine):
    monoid = Monoid.of(machine)
    if len(monoid) > 60:
        return
    every = np.arange(len(monoid))
    table = monoid.multiply(every[:, None], every)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(monoid_module, "MAX_TABLE", 0)
        assert (monoid.multiply(every[:, None], every) == table).all()
        with pytest.raises(TooLargeError, match="Use multiply"):
            _ = Monoid.of(machine).product_table
    assert monoid.idempotents.tolist() == [e for e in every if table[e, e] == e]
    zeros = [z for z in every if (table[z] == z).all() and (table[:, z] == z).all()]
    assert monoid.zero == (zeros[0] if zeros else None)


@given(machines(**SMALL))
def test_reach_is_what_the_words_reach(machine):
    monoid = Monoid.of(machine)
    for length in range(7):
        words = [word for word in all_words(machine.num_symbols, length) if len(word) == length]
        classes = monoid.class_of(*encode_batch(machine.alphabet, words))
        assert np.flatnonzero(monoid.reach(length)).tolist() == sorted(set(classes.tolist()))
    preperiod, period = monoid.reach_period
    for length in range(preperiod, preperiod + 3):
        assert (monoid.reach(length + 5 * period) == slow_reach(monoid, length + 5 * period)).all()
        assert (monoid.reach(length) == monoid.reach(length + period * 10**12)).all()


def slow_reach(monoid, length):
    reached = {0}
    for _ in range(length):
        reached = {int(target) for element in reached for target in monoid.right[element]}
    return np.isin(np.arange(len(monoid)), list(reached))


@given(machines(**SMALL))
def test_aperiodic_by_powers(machine):
    monoid = Monoid.of(machine)
    if len(monoid) > 60:
        return
    table = monoid.product_table

    def settles(element):
        powers = [element]
        while table[powers[-1], element] not in powers:
            powers.append(int(table[powers[-1], element]))
        return table[powers[-1], element] == powers[-1]

    assert is_aperiodic(monoid) == all(settles(element) for element in range(len(monoid)))


def test_known_reach_of_dyck_4():
    monoid = Monoid.of(families.build("dyck", {"depth": 4}))
    assert monoid.reach_period == (7, 2)
    assert [int(monoid.reach(length).sum()) for length in (8, 128, 10**9)] == [29, 29, 29]
    assert len(monoid.idempotents) == 16


def full_transformations(points):
    generators = [[*range(1, points), 0], [1, 0, *range(2, points)], [0, 0, *range(2, points)]]
    return Machine.build("abc", np.array(generators).T, range(points), labels=[str(p) for p in range(points)])


def test_large_monoids():
    monoid = Monoid.of(full_transformations(6))
    assert len(monoid) == 46_656
    assert int(monoid.reach(64).sum()) == 46_296
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, len(monoid), (2, 1000))
    assert (monoid.maps[monoid.multiply(a, b)] == np.take_along_axis(monoid.maps[b], monoid.maps[a], axis=1)).all()
    assert len(Monoid.of(full_transformations(5)).idempotents) == 196


def test_more_than_256_states():
    machine = families.build("modular_sum", {"modulus": 1000, "weights": [1, 3, 1]})
    monoid = Monoid.of(machine)
    assert len(monoid) == 1000
    assert (monoid.right[:, 0] == monoid.right[:, 2]).all()
    assert 2 not in monoid.last


def test_limits():
    with pytest.raises(TooLargeError, match=r"more than the 1,000 elements counted so far\. The limit is max_size"):
        Monoid.of(full_transformations(6), max_size=1000)
    assert len(Monoid.of(full_transformations(5), max_size=3125)) == 3125
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(monoid_module, "MAX_BYTES", 10_000)
        with pytest.raises(TooLargeError, match="MiB"):
            Monoid.of(full_transformations(6))


@pytest.mark.parametrize("element", [-1, 6, 1.5, True, np.array([0, 9]), 2**70])
def test_no_such_element(element):
    monoid = Monoid.of(families.build("dyck", {"depth": 1}))
    with pytest.raises(InputError, match="Elements are the integers 0 to 5"):
        monoid.multiply(element, 0)
    with pytest.raises(InputError):
        monoid.reach(-1)
