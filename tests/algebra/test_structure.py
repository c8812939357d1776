import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.algebra import families, green, structure
from seqbench.algebra.components import components
from seqbench.algebra.groups import perfect_order, solvable_by_order
from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.algebra.regex import compile_regex
from seqbench.algebra.structure import LEVELS, Structure
from seqbench.errors import InputError, TooLargeError
from tests.algebra.strategies import all_words, machines, outputs_of

SMALL = {"max_states": 4}
TOMITA_3 = "(1|0(00|1)*0)*(0(00)*1(11)*0(00)*0)?"


def full_transformations(points):
    """The machine whose monoid is that of all maps of the points."""
    images = [[*range(1, points), 0], [1, 0, *range(2, points)], [0, 0, *range(2, points)]]
    return Machine.build("abc", np.array(images).T, range(points), labels=[str(q) for q in range(points)])


def family(name, **parameters):
    return Structure(Monoid.of(families.build(name, parameters)))


def symmetric(points):
    generators = [[*range(1, points), 0], [1, 0, *range(2, points)]]
    return family("permutation_group", degree=points, generators=generators)


def classes_of(keys):
    """Numbers of equal keys, in the order of first appearance."""
    numbers = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def ideals(table):
    """The right, left and two-sided principal ideal of every element, by definition."""
    elements = range(len(table))
    right = [frozenset(table[x].tolist()) for x in elements]
    left = [frozenset(table[:, x].tolist()) for x in elements]
    both = [frozenset(table[sorted(left[x])].ravel().tolist()) for x in elements]
    return right, left, both


def powers(table, x):
    """The elements x, xx, ... in which the powers of x turn round in the end."""
    seen = []
    power = x
    while power not in seen:
        seen.append(power)
        power = int(table[power, x])
    return seen[seen.index(power) :]


@given(machines(**SMALL))
def test_relations_by_principal_ideals(machine):
    found = Structure(Monoid.of(machine))
    right, left, both = ideals(found.monoid.product_table)
    assert found.r_classes.tolist() == classes_of(right)
    assert found.l_classes.tolist() == classes_of(left)
    assert found.j_classes.tolist() == classes_of(both)
    assert found.h_classes.tolist() == classes_of(zip(right, left, strict=True))
    numbers = (found.num_r_classes, found.num_l_classes, found.num_j_classes, found.num_h_classes)
    assert numbers == tuple(len(set(keys)) for keys in (right, left, both, zip(right, left, strict=True)))
    assert set(found.kernel.tolist()) == min(both, key=len)


@given(machines(**SMALL))
def test_j_order_by_inclusion_of_ideals(machine):
    found = Structure(Monoid.of(machine))
    ideal = dict(zip(found.j_classes.tolist(), ideals(found.monoid.product_table)[2], strict=True))
    classes = range(found.num_j_classes)
    assert found.j_order.tolist() == [[ideal[k] <= ideal[i] for k in classes] for i in classes]
    below = {(i, k) for i in classes for k in classes if ideal[k] < ideal[i]}
    covers = {(i, k) for i, k in below if not any((i, m) in below and (m, k) in below for m in classes)}
    assert sorted(map(tuple, found.j_covers.tolist())) == sorted(covers)

    def depth(k):
        return max((depth(i) + 1 for i in classes if (i, k) in covers), default=0)

    assert found.j_depths.tolist() == [depth(k) for k in classes]


@given(machines(**SMALL))
def test_egg_boxes(machine):
    found = Structure(Monoid.of(machine))
    boxes = [found.egg_box(j) for j in range(found.num_j_classes)]
    assert sorted(np.concatenate([box.ravel() for box in boxes]).tolist()) == list(range(len(found.monoid)))
    for j, box in enumerate(boxes):
        assert box.shape[:2] == (found.j_rows[j], found.j_columns[j])
        assert found.j_sizes[j] == box.size
        for cell in box.reshape(-1, box.shape[2]):
            assert len(set(found.h_classes[cell].tolist())) == 1
        for row in box:
            assert len(set(found.r_classes[row.ravel()].tolist())) == 1
        for column in box.swapaxes(0, 1):
            assert len(set(found.l_classes[column.ravel()].tolist())) == 1


@given(machines(**SMALL))
def test_groups_by_definition(machine):
    found = Structure(Monoid.of(machine))
    table = found.monoid.product_table
    orders = [0] * found.num_j_classes
    for e in found.idempotents.tolist():
        group = np.flatnonzero(found.h_classes == found.h_classes[e])
        assert set(table[np.ix_(group, group)].ravel().tolist()) == set(group.tolist())
        orders[found.j_classes[e]] = len(group)
    assert found.group_orders.tolist() == orders
    assert found.regular.tolist() == [order > 0 for order in orders]
    assert found.largest_group == max(orders)
    for j, order in enumerate(orders):
        permutations = found.group(j)
        assert len({tuple(row) for row in permutations.tolist()}) == order
        assert all(sorted(row) == list(range(len(row))) for row in permutations.tolist())


@given(machines(**SMALL))
def test_predicates_by_definition(machine):
    found = Structure(Monoid.of(machine))
    table = found.monoid.product_table
    elements = range(len(table))
    right, left, both = ideals(table)
    idempotent = [table[x, x] == x for x in elements]
    assert found.num_idempotents == sum(idempotent)
    assert found.is_aperiodic == all(len(powers(table, x)) == 1 for x in elements)
    assert found.is_group == all(0 in table[x] for x in elements)
    assert found.is_commutative == bool((table == table.T).all())
    assert found.is_idempotent == all(idempotent)
    assert found.is_r_trivial == (len(set(right)) == len(table))
    assert found.is_l_trivial == (len(set(left)) == len(table))
    assert found.is_j_trivial == (len(set(both)) == len(table))
    # DA: (xyz)^w y (xyz)^w = (xyz)^w; it is enough to try the idempotents e and their factors y.
    in_da = all(table[table[e, y], e] == e for e in elements if idempotent[e] for y in elements if e in both[y])
    assert found.in_da == in_da


@given(machines(max_states=3))
def test_nilpotent_iff_all_long_words_are_equivalent(machine):
    found = Structure(Monoid.of(machine))
    values = [{0}]
    for _ in range(2 * len(found.monoid)):
        values.append({int(found.monoid.right[x, a]) for x in values[-1] for a in range(machine.num_symbols)})
    assert found.is_nilpotent == (len(set().union(*values[len(found.monoid) :])) == 1)


@given(machines(max_states=3))
def test_levels_are_nested(machine):
    found = Structure(Monoid.of(machine))
    holds = {name: getattr(found, name) for name in LEVELS}
    sides = holds.pop("is_r_trivial"), holds.pop("is_l_trivial")
    assert list(holds.values()) == sorted(holds.values())
    assert all(sides) == found.is_j_trivial
    assert not any(sides) or found.in_da
    assert found.facts["level"] == found.level
    assert all(isinstance(value, int | bool | str) for value in found.facts.values())


@pytest.mark.parametrize(
    ("pattern", "level"),
    [
        ("01|1", "is_nilpotent"),
        ("(0|1)*0(0|1)*1(0|1)*", "is_j_trivial"),
        ("1*0.*1*", "is_j_trivial"),
        ("0.*", "is_r_trivial"),
        (".*0", "is_l_trivial"),
        ("0.*1", "in_da"),
        ("(01)*", "is_aperiodic"),
        (TOMITA_3, "is_solvable"),
        ("(1*01*0)*1*", "is_solvable"),
    ],
)
def test_level_of_known_languages(pattern, level):
    found = Structure(Monoid.of(compile_regex(pattern, "01")))
    assert found.level == LEVELS[level]


def test_nilpotent_is_finite_or_cofinite():
    for pattern in ("()", "0", "01|11", ".+", "..+|1", "0 & 1", ".*"):
        machine = compile_regex(pattern, "01")
        long_words = [word for word in all_words(2, 6) if len(word) == 6]
        assert len(set(outputs_of(machine, long_words))) == 1
        assert Structure(Monoid.of(machine)).is_nilpotent


# R-, L-, J-classes, idempotents, largest group.
PUBLISHED = {
    "dyck 4": (lambda: family("dyck", depth=4), (16, 16, 6, 16, 1)),
    "dyck 12": (lambda: family("dyck", depth=12), (92, 92, 14, 92, 1)),
    "arithmetic mod 5": (lambda: family("arithmetic", modulus=5), (14, 14, 4, 54, 5)),
    "T_5": (lambda: Structure(Monoid.of(full_transformations(5))), (52, 31, 5, 196, 120)),
    "T_6": (lambda: Structure(Monoid.of(full_transformations(6))), (203, 63, 6, 1057, 720)),
    "S_4": (lambda: symmetric(4), (1, 1, 1, 1, 24)),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_numbers(name):
    make, expected = PUBLISHED[name]
    found = make()
    numbers = (found.num_r_classes, found.num_l_classes, found.num_j_classes, found.num_idempotents)
    assert (*numbers, found.largest_group) == expected


@pytest.mark.parametrize("depth", range(1, 9))
def test_dyck_has_a_chain_of_j_classes(depth):
    found = family("dyck", depth=depth)
    assert found.num_j_classes == depth + 2
    assert sorted(found.j_depths.tolist()) == list(range(depth + 2))


def test_maps_of_five_points_by_rank():
    found = Structure(Monoid.of(full_transformations(5)))
    assert found.group_orders.tolist() == [120, 24, 6, 2, 1]
    assert found.level == "not solvable: holds A5; NC1-complete word problem"
    assert found.kernel.tolist() == np.flatnonzero(np.ptp(found.monoid.maps, axis=1) == 0).tolist()


@pytest.mark.parametrize(
    ("points", "solvable", "words"),
    [(2, True, "ACC0"), (3, True, "ACC0"), (4, True, "ACC0"), (5, False, "A5"), (6, False, "A6"), (7, False, "A7")],
)
def test_symmetric_groups(points, solvable, words):
    found = symmetric(points)
    assert found.is_group
    assert found.is_solvable is solvable
    assert words in found.level


def test_large_groups_are_left_open(monkeypatch):
    monkeypatch.setattr(structure, "MAX_GROUP", 100)
    found = symmetric(5)
    assert found.is_solvable is None
    assert found.facts["is_solvable"] is None
    assert "order 120" in found.level


def test_perfect_groups_without_a_name():
    # The special linear group of degree 2 over 5 elements, acting on the 24 vectors that are not zero.
    vectors = [vector for vector in itertools.product(range(5), repeat=2) if any(vector)]
    matrices = [m for m in itertools.product(range(5), repeat=4) if (m[0] * m[3] - m[1] * m[2]) % 5 == 1]
    images = [
        [vectors.index(((a * x + b * y) % 5, (c * x + d * y) % 5)) for x, y in vectors] for a, b, c, d in matrices
    ]
    assert perfect_order(np.array(images, np.int32)) == 120


@given(st.sets(st.permutations(range(5)).map(tuple), min_size=1, max_size=3))
def test_only_large_groups_of_five_points_are_not_solvable(generators):
    table = np.array(sorted(generators)).T
    monoid = Monoid.of(Machine.build("abc"[: len(generators)], table, range(5), labels="abcde"))
    found = Structure(monoid)
    assert found.is_solvable == (len(monoid) not in (60, 120))


def test_orders_that_settle_solvability():
    assert not any(solvable_by_order(order) for order in (60, 120, 168, 360, 2520))
    assert all(solvable_by_order(order) for order in (1, 2, 24, 72, 105, 3**5 * 5**3 * 7))


@given(st.integers(1, 12), st.integers(1, 3), st.data())
def test_components_by_mutual_reachability(nodes, arcs, data):
    flat = data.draw(st.lists(st.integers(0, nodes - 1), min_size=nodes * arcs, max_size=nodes * arcs))
    table = np.array(flat, np.int32).reshape(nodes, arcs)
    reach = np.eye(nodes, dtype=bool)
    for _ in range(nodes):
        for node in range(nodes):
            reach[node] |= reach[table[node]].any(axis=0)
    found = components(table)
    assert (found[:, None] == found).tolist() == (reach & reach.T).tolist()
    assert (found[table] <= found[:, None]).all()
    assert set(found.tolist()) == set(range(found.max() + 1))


def test_limits(monkeypatch):
    found = family("dyck", depth=2)
    monkeypatch.setattr(green, "MAX_ORDER", 3)
    with pytest.raises(TooLargeError, match="4 classes"):
        _ = found.j_order
    with pytest.raises(InputError, match="0 to 3"):
        found.egg_box(4)
    assert found.group(3).shape == (1, 1)


@pytest.mark.slow
def test_all_maps_of_seven_points():
    found = Structure(Monoid.of(full_transformations(7)))
    numbers = (found.num_r_classes, found.num_l_classes, found.num_j_classes, found.num_idempotents)
    assert numbers == (877, 127, 7, 6322)
    assert not found.is_solvable
