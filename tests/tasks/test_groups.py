"""Groups, state tracking and flip-flop against representations and rules written here anew."""

import itertools
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare

from seqbench.errors import InputError, SeqbenchError, TooLargeError
from seqbench.generation.plan import dataset_names, plan
from seqbench.generation.streams import FIRST_WORD, draw32, lane, row_streams, unit_key
from seqbench.generation.tasks import letters
from seqbench.generation.tasks.groups.formula import parse
from seqbench.generation.tasks.groups.tables import table_of
from seqbench.languages import language, solve

PRESETS = [name for name in dataset_names() if name.startswith("group_")]


def rows_of(planned, split):
    part = planned.splits[split]
    return pa.Table.from_batches([part.block(index) for index in range(part.num_blocks)]).to_pylist()


# Faithful representations by the name of an element: the product of matrices is the product of the group.


def permutation_matrix(name):
    """Row vectors: e_x M = e_image, so that the left factor acts first."""
    images = [int(image) for image in name.split()]
    return np.eye(len(images))[images]


def turn(angle):
    return np.array([[np.exp(2j * np.pi * angle), 0], [0, np.exp(-2j * np.pi * angle)]])


def monomial(name, rotation, flip):
    """r^k s^e from its name."""
    power = re.match(r"[ra](\d*)", name)
    k = int(power[1] or 1) if power else 0
    return np.linalg.matrix_power(rotation, k) @ (flip if name.endswith(("s", "x")) else np.eye(2))


UNIT_I, UNIT_J = np.array([[1j, 0], [0, -1j]]), np.array([[0, 1], [-1, 0]])
UNITS = {"1": np.eye(2), "i": UNIT_I, "j": UNIT_J, "k": UNIT_I @ UNIT_J}


def matrix(group, name):
    if group[0] in "SA":
        return permutation_matrix(name)
    degree = int(re.search(r"\d+", group)[0])
    if group[0] == "Z":
        return turn(int(name) / degree)
    if group.startswith("Dic"):
        return monomial(name, turn(1 / (2 * degree)), UNIT_J)
    if group[0] == "D":
        return monomial(name, turn(1 / degree), np.array([[0, 1], [1, 0]]))
    return -UNITS[name[1:]] if name.startswith("-") else UNITS[name]


def represent(group, name):
    factors = group.split("x")
    names = [name] if len(factors) == 1 else name[1:-1].split(", ")
    return [matrix(factor, part) for factor, part in zip(factors, names, strict=True)]


def the_same(a, b):
    return all(np.allclose(x, y) for x, y in zip(a, b, strict=True))


def test_there_are_enough_presets():
    assert len(PRESETS) >= 20


@pytest.mark.parametrize("name", PRESETS)
def test_every_product_agrees_with_matrices(name):
    task = plan(name).task
    group = task.entries.group.name
    assert len(set(task.label_names)) == len(task.label_names) == task.entries.group.order
    rng = np.random.default_rng(1)
    pairs = rng.integers((len(task.label_names), len(task.symbols)), size=(300, 2))
    for element, letter in pairs.tolist():
        left, right = (represent(group, each) for each in (task.label_names[element], task.symbols[letter]))
        product = represent(group, task.label_names[task.table[element, letter]])
        assert the_same(product, [a @ b for a, b in zip(left, right, strict=True)])


@pytest.mark.parametrize("name", ["group_s3", "group_a4", "group_q8", "group_z2_x_s3", "group_s5_generators"])
def test_rows_agree_with_matrices(name):
    planned = plan(name, targets="prefix", train_examples=40, validation_examples=0, test_examples_per_length=0)
    task, group = planned.task, planned.task.entries.group.name
    for row in rows_of(planned, "train"):
        state = represent(group, task.label_names[0])
        assert len(row["labels"]) == len(row["input_ids"])
        assert row["labels"][-1] == row["label"]
        for letter, label in zip(row["input_ids"], row["labels"], strict=True):
            state = [a @ b for a, b in zip(state, represent(group, task.symbols[letter]), strict=True)]
            assert the_same(state, represent(group, task.label_names[label]))


ORDERS = {  # number of elements of each order, from the literature
    "S3": {1: 1, 2: 3, 3: 2},
    "S4": {1: 1, 2: 9, 3: 8, 4: 6},
    "A4": {1: 1, 2: 3, 3: 8},
    "A5": {1: 1, 2: 15, 3: 20, 5: 24},
    "S5": {1: 1, 2: 25, 3: 20, 4: 30, 5: 24, 6: 20},
    "D4": {1: 1, 2: 5, 4: 2},
    "Q8": {1: 1, 2: 1, 4: 6},
    "Dic3": {1: 1, 2: 1, 3: 2, 4: 6, 6: 2},
    "Z12": {1: 1, 2: 1, 3: 2, 4: 2, 6: 2, 12: 4},
    "Z2xZ2": {1: 1, 2: 3},
    "Z2xS3": {1: 1, 2: 7, 3: 2, 6: 2},
    "perm(1 2 0 3, 1 0 3 2)": {1: 1, 2: 3, 3: 8},
}


@pytest.mark.parametrize("formula", ORDERS)
def test_orders_of_elements_and_axioms(formula):
    products = table_of(formula, "all", "left_to_right").products
    order = len(products)
    assert (np.sort(products, axis=0) == np.arange(order)[:, None]).all()
    assert (np.sort(products, axis=1) == np.arange(order)).all()
    assert (products[0] == np.arange(order)).all()
    assert (products[products] == products[:, products]).all() or order > 60  # (a b) c = a (b c)
    found = Counter()
    for element in range(order):
        power, count = element, 1
        while power:
            power, count = products[power, element], count + 1
        found[count] += 1
    assert found == ORDERS[formula]


def test_the_card_has_a_worked_example():
    """By hand in S3: 021 then 102 sends 0 to 0 to 1, 1 to 2 to 2, 2 to 1 to 0. In D4, r s is rs."""
    example = {name: plan(f"group_{name}").task.facts()["worked_example"] for name in ("s3", "d4", "z5", "z2")}
    assert example["s3"] == "0 2 1; 1 0 2 has the product 1 2 0"
    assert example["d4"] == "r; s has the product rs"
    assert example["z5"] == "1; 4 has the product 0"
    assert example["z2"] == "1; 1 has the product 0"
    reversed_ = plan("group", group="S3", composition="right_to_left").task.facts()["worked_example"]
    assert reversed_ == "0 2 1; 1 0 2 has the product 2 0 1"


def test_the_composition_convention():
    """The docstring's example, and each point moved by hand."""
    words = "1 0 2; 1 2 0"
    for composition, product in (("left_to_right", "2 1 0"), ("right_to_left", "0 2 1")):
        for chosen in ("all", "generators"):
            task = plan("group_s3", composition=composition, letters=chosen).task
            assert task.label_names[task.solve(words)] == product
    first, then = (1, 0, 2), (1, 2, 0)
    assert " ".join(str(then[first[x]]) for x in range(3)) == "2 1 0"
    assert solve("group_z5", "34") == 2
    task = plan("group", kind="dihedral", degree=4).task
    assert [task.label_names[task.solve(word)] for word in ("r; s", "s; r")] == ["rs", "r3s"]
    task = plan("group_q8").task
    assert [task.label_names[task.solve(word)] for word in ("i; j", "j; i", "i; j; k")] == ["k", "-k", "-1"]


@pytest.mark.parametrize("name", ["group_s3", "group_z5", "group_q8", "group_s5_generators"])
def test_words_and_products_are_uniform(name):
    planned = plan(name)
    rows = planned.sample(3, 4096, seed=5)
    size = len(planned.task.symbols)
    counts = Counter(tuple(row["input_ids"]) for row in rows)
    assert chisquare([counts[word] for word in itertools.product(range(size), repeat=3)]).pvalue > 1e-6
    if "generators" not in name:
        labels = Counter(row["label"] for row in rows)
        assert chisquare([labels[element] for element in range(len(planned.label_names))]).pvalue > 1e-6


def test_large_alphabets_are_uniform():
    planned = plan("group_s5")
    counts = np.bincount(np.concatenate([row["input_ids"] for row in planned.sample(40, 2000)]), minlength=120)
    assert chisquare(counts).pvalue > 1e-6
    counts = np.bincount([row["label"] for row in planned.sample(40, 4096)], minlength=120)
    assert chisquare(counts).pvalue > 1e-6


def test_the_share_of_the_most_frequent_product_is_exact():
    task = plan("group_s3", letters="generators").task
    found = Counter(task.solve(list(word)) for word in itertools.product(range(3), repeat=5))
    assert task.facts()["most_frequent_state_by_length"][5] == round(max(found.values()) / 3**5, 4)
    assert plan("group_s3").task.facts()["most_frequent_state_by_length"][40] == round(1 / 6, 4)


@pytest.mark.parametrize("count", [2, 3, 5, 6, 8, 60, 120, 720, 20_160])
def test_letters_are_the_digits_of_a_random_fraction(count):
    streams = lane(row_streams(unit_key("letters", count), np.arange(70)), FIRST_WORD)
    lengths = np.arange(70) % 23
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    out = np.empty(offsets[-1], dtype=np.uint16)
    letters.fill_letters(count, lengths, offsets[:-1], streams, out)
    share = max(s for s in range(1, 17) if s == 1 or count**s <= 1 << 14)
    for row in range(70):
        word = []
        for counter in range(8 if share > 1 else 6):
            for w, upper in enumerate(draw32(streams, row, counter)):
                lower = draw32(streams, row, (1 << 30) + 4 * counter + w)[0]
                fraction = Fraction((int(upper) << 32) + int(lower), 1 << 64)
                for _ in range(share):
                    fraction *= count
                    word.append(int(fraction))
                    fraction -= int(fraction)
        assert out[offsets[row] : offsets[row + 1]].tolist() == word[: lengths[row]]


def test_letters_where_the_upper_half_does_not_decide():
    for upper, lower in itertools.product((0, 1431655765, 2863311530, 2**32 - 1), (0, 2**31, 2**32 - 1)):
        out = np.empty(8, dtype=np.uint8)
        letters._exact(np.uint64(lower), np.uint64(upper), np.uint64(3), 8, 8, np.uint64(0), out)
        value = ((upper << 32) + lower) * 3**8 >> 64
        assert out.tolist() == [value // 3**i % 3 for i in reversed(range(8))]


def test_any_group_on_request():
    planned = plan("group", kind="symmetric", degree=6)
    assert planned.task.facts()["order"] == 720
    assert planned.schema.field("input_ids").type == pa.list_(pa.uint16())
    assert planned.config_id == plan("group", group="s_6").config_id == plan("group", degree=6).config_id
    assert plan("group", kind="symmetric", degree=3).config_id == "group"
    assert plan("group", generators=[[1, 2, 3, 4, 0], [1, 2, 0, 3, 4]]).task.facts()["order"] == 60
    assert plan("group", kind="quaternion").task.entries.group.name == "Q8"
    assert plan("group", group="Z2 x Q8 × D3").task.facts()["order"] == 96  # noqa: RUF001 -- the sign of a product


def test_large_groups_stay_within_bounds():
    planned = plan("group", kind="alternating", degree=8, letters="generators")
    assert planned.task.table.shape == (20_160, 3)
    row = planned.sample(40)[0]
    assert planned.task.slow(row["input_ids"])[-1] == row["label"]
    with pytest.raises(TooLargeError, match=r"20,160 elements.*letters='generators'"):
        plan("group", kind="alternating", degree=8)
    with pytest.raises(InputError, match="over 65,536"):
        parse("S8xZ2")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kind": "symetric", "degree": 3}, "Did you mean 'symmetric'"),
        ({"kind": "symmetric"}, "needs a degree from 2 to 8"),
        ({"kind": "symmetric", "degree": 9}, "from 2 to 8"),
        ({"kind": "symmetric", "degree": 2.5}, "not a whole number"),
        ({"group": "S3", "degree": 3}, "only one of"),
        ({"group": "Z1"}, "from 2 to 65,536"),
        ({"group": "B4"}, "There is no group 'B4'"),
        ({"group": "S3x"}, "cannot be read"),
        ({"group": 3}, "cannot be read"),
        ({"group": "perm(0 0 1)"}, "no permutation"),
        ({"generators": [[0, 1, 2]]}, "one element only"),
        ({"generators": [[0, 2]]}, "list of 1 or more permutations"),
        ({"letters": "some"}, "'all' or 'generators'"),
        ({"composition": "up"}, "left_to_right"),
        ({"size": 3}, "no option 'size'"),
    ],
)
def test_bad_groups_are_refused(options, says):
    with pytest.raises(SeqbenchError, match=re.escape(says)):
        plan("group", **options)


def test_solve_and_its_errors():
    assert solve("group_s3", [[0, 1], ["1 0 2", "1 0 2"], "1 2 0; 1 2 0"]) == [1, 0, 4]
    assert solve("group_z7", "66") == 5
    for wrong in ("", [[]], [[6]], "1 0", [[0.5]], 5, [[-1]]):
        with pytest.raises(InputError):
            solve("group_s3", wrong)


@pytest.mark.parametrize("name", ["group_a4", "flip_flop", "state_tracking"])
def test_rows_do_not_depend_on_other_lengths(name):
    wide = rows_of(plan(name, test_lengths=(60, 70), test_examples_per_length=3), "test")
    narrow = rows_of(plan(name, test_lengths=(64, 64), test_examples_per_length=2), "test")
    assert [row for row in wide if len(row["input_ids"]) == 64][:2] == narrow
    assert set(Counter(len(row["input_ids"]) for row in wide).values()) == {3}


@pytest.mark.parametrize("name", ["group_a5", "group_z2", "group_s5_generators", "flip_flop", "state_tracking"])
def test_check_accepts_rows_and_finds_wrong_ones(name):
    planned = plan(name)
    rows = planned.sample(20, 50)
    planned.task.check(pa.Table.from_pylist(rows, schema=planned.schema))
    column = "label" if "label" in rows[0] else "labels"
    rows[7] = rows[7] | {column: 1 - rows[7][column] if column == "label" else [5] * 20}
    with pytest.raises(InputError, match="Row 7"):
        planned.task.check(pa.Table.from_pylist(rows, schema=planned.schema))


def test_length_tells_nothing():
    rows = rows_of(plan("group_s5_generators", train_lengths=(20, 40), train_examples=20_000), "train")
    sign = {name: np.linalg.det(permutation_matrix(name)) > 0 for name in plan("group_s5").label_names}
    names = plan("group_s5").label_names
    even = Counter((len(row["input_ids"]) % 2, bool(sign[names[row["label"]]])) for row in rows)
    best = sum(max(even[parity, True], even[parity, False]) for parity in (0, 1))
    assert best / len(rows) < 0.52


@pytest.mark.parametrize(
    ("automaton", "parameters"), [("dyck_d3", {}), ("dyck", {"depth": 2, "kinds": 2}), ("tomita_4", {})]
)
def test_state_tracking_follows_the_machine(automaton, parameters):
    planned = plan("state_tracking", automaton=automaton, automaton_parameters=parameters)
    machine = language(automaton, **parameters).machine
    for row in planned.sample(30, 20):
        states = [0]
        for symbol in row["input_ids"]:
            states.append(machine.transitions[states[-1]][symbol])
        assert row["labels"] == states[1:]
        assert row["label"] == states[-1]
        name = planned.label_names[row["label"]]
        assert name == f"{states[-1]} {machine.labels[machine.outputs[states[-1]]]}"


def test_state_tracking_refuses_what_it_does_not_know():
    with pytest.raises(SeqbenchError, match="no automaton 'zzz'") as caught:
        plan("state_tracking", automaton="zzz")
    assert "binary_addition" not in str(caught.value)  # a dataset without an automaton is no way out
    with pytest.raises(SeqbenchError, match="dyck"):
        plan("state_tracking", automaton="dick")
    with pytest.raises(SeqbenchError, match="has no automaton"):
        plan("state_tracking", automaton="flip_flop")
    with pytest.raises(SeqbenchError, match="'depht'"):
        plan("state_tracking", automaton="dyck", automaton_parameters={"depht": 3})
    with pytest.raises(SeqbenchError, match="table of values"):
        plan("state_tracking", automaton="dyck", automaton_parameters=[3])


def flip_flop_oracle(text):
    """What a register machine reads."""
    register, found = None, []
    for instruction, bit in zip(text[0::2], text[1::2], strict=True):
        register = bit if instruction == "w" else register
        found += [int(register) if instruction == "r" else -100, -100]
    return found


def test_flip_flop_rows():
    planned = plan("flip_flop", test_examples_per_length=2)
    for split in planned.splits:
        for row in rows_of(planned, split)[:2000]:
            text = planned.task.show(row)["input_ids"]
            assert re.fullmatch(r"w[01]([wri][01])*r[01]", text)
            assert row["labels"] == flip_flop_oracle(text)
            assert all(text[t + 1] == str(label) for t, label in enumerate(row["labels"]) if label >= 0)
    assert not any(length % 2 for length in planned.splits["test"].split.lengths)


@pytest.mark.parametrize("ignore", [0.0, 0.1, 0.8, 0.98, 1.0])
def test_flip_flop_instructions_have_their_shares(ignore):
    planned = plan("flip_flop", ignore=ignore)
    texts = [planned.task.show(row)["input_ids"] for row in planned.sample(42, 2000)]
    middle = Counter(text[t] for text in texts for t in range(2, 40, 2))
    shares = {"i": ignore, "w": (1 - ignore) / 2, "r": (1 - ignore) / 2}
    used = [symbol for symbol in shares if shares[symbol] > 0]
    assert set(middle) == set(used)
    total = sum(middle.values())
    if len(used) > 1:
        assert chisquare([middle[s] for s in used], [shares[s] * total for s in used]).pvalue > 1e-6
    bits = Counter(text[t + 1] for text in texts for t in range(0, 40, 2) if text[t] in "wi")
    assert chisquare([bits["0"], bits["1"]]).pvalue > 1e-6
    assert abs(sum(int(text[-1]) for text in texts) - 1000) < 120


def test_flip_flop_solve():
    assert solve("flip_flop", ["w1i0r0", [2, 0, 3]]) == [[-100] * 4 + [1, -100], [-100, -100, 0]]
    for wrong in ("", "r1", "w1w", "w1i", "11", "wr", "w1x0", "w1i0rr", "w1i0r1w"):
        with pytest.raises(InputError):
            solve("flip_flop", wrong)
    with pytest.raises(InputError, match="even and at least 4"):
        plan("flip_flop").sample(5)
