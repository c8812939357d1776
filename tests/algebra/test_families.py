from itertools import pairwise, product

import pytest

from seqbench.algebra import families
from seqbench.algebra.alphabet import decode
from seqbench.algebra.machine import OUTSIDE
from seqbench.algebra.monoid import Monoid
from seqbench.algebra.structure import is_aperiodic
from seqbench.errors import InputError, TooLargeError, UnknownNameError
from tests.algebra.strategies import all_words, outputs_of

S5 = {"degree": 5, "generators": [[1, 2, 3, 4, 0], [1, 0, 2, 3, 4]]}
# family, parameters, states, monoid, aperiodic
SIZES = [
    *(("dyck", {"depth": n}, n + 2, (n + 1) * (n + 2) * (2 * n + 3) // 6 + 1, True) for n in range(1, 13)),
    *(
        ("dyck", {"depth": n, "kinds": 2}, 2 ** (n + 1), size, True)
        for n, size in enumerate((11, 60, 285, 1246), start=1)
    ),
    ("modular_sum", {"modulus": 2, "weights": [0, 1]}, 2, 2, False),
    ("modular_sum", {"modulus": 7, "weights": [0, 1]}, 7, 7, False),
    ("modular_sum", {"modulus": 5, "weights": [-1, 0, 1]}, 5, 5, False),
    ("even_pairs", {}, 5, 5, True),
    ("left_to_right_arithmetic", {"modulus": 5}, 19, 518, False),
    ("arithmetic", {"modulus": 5}, 51, 518, False),
    *(
        ("prefix", {"length": p, "alphabet_size": q}, *[(q ** (p + 1) - 1) // (q - 1)] * 2, True)
        for p, q in product((1, 2, 4), (2, 4))
    ),
    ("permutation_group", S5, 5, 120, False),
    ("permutation_group", {**S5, "track": "element"}, 120, 120, False),
]


@pytest.mark.parametrize(("name", "parameters", "states", "size", "aperiodic"), SIZES)
def test_sizes(name, parameters, states, size, aperiodic):
    machine = families.build(name, parameters)
    monoid = Monoid.of(machine)
    assert (machine.num_states, len(monoid), is_aperiodic(monoid)) == (states, size, aperiodic)


def check(name, parameters, value, longest):
    """Every word up to a length has the output that `value` gives for its text."""
    machine = families.build(name, parameters)
    words = all_words(machine.num_symbols, longest)
    assert outputs_of(machine, words) == [value(decode(machine.alphabet, word)) for word in words]


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_dyck(depth):
    def is_dyck(word):
        heights = [sum(1 if c == "0" else -1 for c in word[:i]) for i in range(len(word) + 1)]
        return int(min(heights) >= 0 and max(heights) <= depth and heights[-1] == 0)

    check("dyck", {"depth": depth}, is_dyck, 10)


def test_dyck_with_two_kinds():
    def is_dyck(word):
        depth, height = 0, 0
        for c in word:
            height += 1 if c in "([" else -1
            depth = max(depth, height)
        while "()" in word or "[]" in word:
            word = word.replace("()", "").replace("[]", "")
        return int(not word and depth <= 2)

    check("dyck", {"depth": 2, "kinds": 2}, is_dyck, 7)


def test_sums_and_pairs():
    check("modular_sum", {"modulus": 2, "weights": [0, 1]}, lambda w: w.count("1") % 2, 8)
    check("modular_sum", {"modulus": 5, "weights": [-1, 0, 1]}, lambda w: (w.count("2") - w.count("0")) % 5, 7)
    check("even_pairs", {}, lambda w: sum(a != b for a, b in pairwise(w)) % 2, 10)


def test_arithmetic_with_precedence():
    def value(word):
        digits = len(word) % 2 == 1 and all(c.isdigit() == (i % 2 == 0) for i, c in enumerate(word))
        return eval(word) % 3 if digits else OUTSIDE

    check("arithmetic", {"modulus": 3}, value, 5)


def test_arithmetic_from_left_to_right():
    def value(word):
        if len(word) % 2 == 0 or not all(c.isdigit() == (i % 2 == 0) for i, c in enumerate(word)):
            return OUTSIDE
        total = int(word[0])
        for operator, digit in zip(word[1::2], word[2::2], strict=True):
            total = eval(f"{total}{operator}{digit}") % 3
        return total % 3

    check("left_to_right_arithmetic", {"modulus": 3}, value, 5)


def test_prefix():
    check("prefix", {"length": 2, "alphabet_size": 3}, lambda w: int(w[:2], 3) if len(w) >= 2 else 9, 5)
    assert families.build("prefix", {"length": 1, "alphabet_size": 2}).labels == ("0", "1", "short")


def test_permutations_act_from_left_to_right():
    generators = [[1, 0, 2], [1, 2, 0]]

    def images(word):
        points = [0, 1, 2]
        for symbol in word:
            points = [generators[int(symbol)][point] for point in points]
        return points

    parameters = {"degree": 3, "generators": generators}
    check("permutation_group", parameters, lambda w: images(w)[0], 7)
    names = families.build("permutation_group", {**parameters, "track": "element"}).labels
    check(
        "permutation_group",
        {**parameters, "track": "element"},
        lambda w: names.index(" ".join(map(str, images(w)))),
        7,
    )


@pytest.mark.parametrize(
    ("name", "parameters", "text"),
    [
        ("dyck", {}, "needs the parameter 'depth'. It is an integer from 1"),
        ("dyck", {"depth": 0}, "The value 0 of 'depth'"),
        ("dyck", {"depth": "6"}, "The value '6' of 'depth'"),
        ("dyck", {"depth": True}, "The value True"),
        ("dyck", {"depth": 2, "kinds": 9}, "from 1 to 4"),
        ("modular_sum", {"modulus": 2, "weights": []}, "a list of 1 or more integers"),
        ("modular_sum", {"modulus": 2, "weights": [1, 0.5]}, "a list of 1 or more integers"),
        ("permutation_group", {"degree": 2, "generators": [[0, 0]]}, "permutations"),
        ("permutation_group", {"degree": 2, "generators": [["a", 0]]}, "permutations"),
        ("permutation_group", {"degree": 3, "generators": [[1, 0]]}, "each of 0 to 2 once"),
        ("permutation_group", {"degree": 2, "generators": [[1, 0]], "track": "all"}, "'point' or 'element'"),
    ],
)
def test_bad_values(name, parameters, text):
    with pytest.raises(InputError, match=text):
        families.build(name, parameters)


def test_unknown_names():
    with pytest.raises(UnknownNameError, match="Did you mean 'dyck'"):
        families.build("dick")
    with pytest.raises(UnknownNameError, match="Did you mean 'depth'"):
        families.build("dyck", {"deph": 3})


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("dyck", {"depth": 20, "kinds": 3}),
        ("prefix", {"length": 16, "alphabet_size": 256}),
        (
            "permutation_group",
            {"degree": 9, "generators": [[*range(1, 9), 0], [1, 0, *range(2, 9)]], "track": "element"},
        ),
    ],
)
def test_large_parameters_stop_early(name, parameters):
    with pytest.raises(TooLargeError):
        families.build(name, parameters)


def test_every_family_describes_itself():
    for family in families.FAMILIES.values():
        assert family.summary.endswith(".")
        assert all(parameter.summary for parameter in family.parameters)
