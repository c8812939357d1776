"""Options of recipes: what they may be, and that equal options have one spelling."""

import contextlib
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqbench.catalogue.recipe import MAX_LENGTH, OPTIONS, SAMPLINGS, Recipe, canonical, check_options, override
from seqbench.errors import InputError, SeqbenchError, UnknownNameError

LENGTHS = ["train_lengths", "validation_lengths", "test_lengths"]
COUNTS = ["train_examples", "validation_examples", "test_examples_per_length"]


def refusal(name, value):
    with pytest.raises(SeqbenchError) as caught:
        check_options({name: value})
    return str(caught.value)


def test_every_field_of_a_recipe_is_an_option():
    assert list(Recipe().options()) == list(OPTIONS)
    assert set(OPTIONS) == set(Recipe.__struct_fields__)


def test_defaults_are_canonical():
    assert override(Recipe(), Recipe().options()) == Recipe()


@pytest.mark.parametrize("name", LENGTHS)
@pytest.mark.parametrize(
    "value",
    [(40, 1), (0, 40), (-1, 40), (1.0, 40), (1, 40.5), (True, 40), (False, True), (1, 2, 3), (1,), (), "1-40", "12",
     None, (None, 5), ("1", "40"), (1, MAX_LENGTH + 1), 0, -3, 2.0, True, math.nan, (1, math.inf), {1: 2}, {1, 40},
     np.array([1.0, 2.0]), np.array([[1, 40]]), np.array([1, 2, 3]), b"ab"],
)  # fmt: skip
def test_lengths_that_cannot_be_used(name, value):
    assert name in refusal(name, value)


@pytest.mark.parametrize("name", LENGTHS)
@pytest.mark.parametrize(
    "value",
    [(3, 40), [3, 40], np.array([3, 40]), np.array([3, 40], dtype=np.uint8), (np.int32(3), np.uint64(40)),
     [np.int64(3), 40]],
)  # fmt: skip
def test_lengths_have_one_spelling(name, value):
    checked = check_options({name: value})[name]
    assert checked == (3, 40)
    assert [type(item) for item in checked] == [int, int]


def test_one_number_stands_for_both_lengths():
    for value in (7, np.int64(7), (7, 7), np.array(7), [7, 7]):
        assert check_options({"test_lengths": value}) == {"test_lengths": (7, 7)}


@pytest.mark.parametrize("name", [*COUNTS, "seed"])
@pytest.mark.parametrize("value", [-1, 1.0, 1.5, True, "7", None, [1], math.nan, np.float64(3), np.bool_(True), 10**30])
def test_whole_numbers_that_cannot_be_used(name, value):
    assert name in refusal(name, value)


@pytest.mark.parametrize("name", [*COUNTS, "seed"])
@pytest.mark.parametrize("value", [5, np.int64(5), np.uint8(5), np.array(5)])
def test_whole_numbers_have_one_spelling(name, value):
    assert type(check_options({name: value})[name]) is int
    assert check_options({name: value}) == {name: 5}


def test_seeds_may_take_64_bits():
    assert check_options({"seed": 2**64 - 1}) == check_options({"seed": np.uint64(2**64 - 1)}) == {"seed": 2**64 - 1}
    refusal("seed", 2**64)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"class": -1}, ["class", "-1"]),
        ({"class": -0.5, "uniform": 1}, ["class", "-0.5"]),
        ({"class": 0}, ["positive"]),
        ({"class": 0.0, "uniform": 0}, ["positive"]),
        ({}, ["positive"]),
        ({"class": math.nan}, ["nan"]),
        ({"class": math.inf}, ["inf"]),
        ({"class": "1"}, ["'1'"]),
        ({"class": True}, ["True"]),
        ({"class": None}, ["None"]),
        ({"class": np.float32("nan")}, ["nan"]),
        ({"klass": 1}, ["'klass'", "'class'"]),
        ({1: 1}, ["1"]),
        ("balance", ["'balance'", "'balanced'"]),
        ("zzz", ["'zzz'", *SAMPLINGS]),
        (3, ["sampling", "3"]),
        (None, ["sampling", "None"]),
        (["uniform"], ["sampling", "uniform"]),
    ],
)
def test_samplings_that_cannot_be_used(value, words):
    message = refusal("sampling", value)
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    "value", [{"class": 1e308, "uniform": 1e308}, {"class": 10**400}, {"class": 10**400, "uniform": 1}]
)
def test_weights_beyond_floats_are_either_used_or_refused(value):
    with contextlib.suppress(InputError):
        assert math.isclose(sum(check_options({"sampling": value})["sampling"].values()), 1)


@pytest.mark.parametrize(
    "value",
    [
        "class",
        np.str_("class"),
        {"class": 1},
        {"class": 7},
        {"class": np.float32(0.5)},
        {"class": np.int64(3), "uniform": 0},
        {"uniform": 0.0, "class": 2.0},
    ],
)
def test_samplings_have_one_spelling(value):
    assert check_options({"sampling": value}) == {"sampling": {"class": 1.0}}


WEIGHTS = st.dictionaries(st.sampled_from(SAMPLINGS), st.just(0.0) | st.floats(1e-9, 1e9), min_size=1).filter(
    lambda weights: sum(weights.values()) > 0
)


@given(WEIGHTS)
@example({"uniform": 1.0, "class": 2.0, "balanced": 3.0, "member": 4.0, "near_miss": 5.0, "composition": 6.0})
def test_weights_sum_to_one_in_the_order_of_names(weights):
    checked = check_options({"sampling": weights})["sampling"]
    total = math.fsum(weights.values())
    assert list(checked) == sorted(name for name, weight in weights.items() if round(weight / total, 12) > 0)
    assert math.isclose(math.fsum(checked.values()), 1, abs_tol=len(checked) * 1e-12)  # each has 12 digits
    assert all(math.isclose(checked[name], weights[name] / total, abs_tol=1e-12) for name in checked)


@given(WEIGHTS)
@example({"uniform": 2.0, "balanced": 5e-324})
@example({"balanced": 3, "near_miss": 17, "class": 8})
def test_canonical_weights_stay_as_they_are(weights):
    once = check_options({"sampling": weights})
    assert check_options(once) == once


@pytest.mark.parametrize("scale", [10, 3, 0.1, 1 / 7])
def test_proportional_weights_have_one_spelling(scale):
    for a, b in itertools.product(range(1, 13), repeat=2):
        scaled = check_options({"sampling": {"class": a * scale, "uniform": b * scale}})
        assert scaled == check_options({"sampling": {"class": a, "uniform": b}}), (a, b)


OPTION_VALUES = {
    **dict.fromkeys(LENGTHS, st.tuples(st.integers(1, 1000), st.integers(0, 1000)).map(lambda p: (p[0], p[0] + p[1]))),
    **dict.fromkeys(COUNTS, st.integers(0, 10**10)),
    "sampling": st.sampled_from(SAMPLINGS),
    "seed": st.integers(0, 2**63 - 1),
    "targets": st.sampled_from(["label", "prefix"]),
    "held_out": st.booleans(),
    "single_label_lengths": st.sampled_from(["keep", "drop"]),
    "labels": st.none() | st.lists(st.integers(0, 5) | st.sampled_from(["accept", "reject"]), min_size=1),
    "classes": st.booleans(),
    "near_miss": st.booleans(),
}


def respelt(value):
    """The same value in NumPy's words and other containers."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return np.int64(value)
    if isinstance(value, str):
        return np.str_(value)
    return [respelt(item) for item in value] if isinstance(value, tuple) else tuple(respelt(item) for item in value)


@given(st.fixed_dictionaries({}, optional=OPTION_VALUES))
def test_equal_options_have_one_canonical_text(options):
    plain = override(Recipe(), options)
    other = override(Recipe(), {name: respelt(value) for name, value in reversed(options.items())})
    again = override(Recipe(), json.loads(canonical(plain)))
    assert canonical(plain) == canonical(other) == canonical(again)
    assert plain == other == again


@given(st.fixed_dictionaries({}, optional=OPTION_VALUES), st.fixed_dictionaries({}, optional=OPTION_VALUES))
def test_different_options_have_different_texts(one, other):
    a, b = override(Recipe(), one), override(Recipe(), other)
    assert (canonical(a) == canonical(b)) == (a == b)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("targets", "prefixes", ["targets", "'prefixes'", "'prefix'"]),
        ("targets", None, ["targets", "None"]),
        ("targets", 1, ["targets", "1"]),
        ("single_label_lengths", "dropp", ["single_label_lengths", "'drop'"]),
        ("single_label_lengths", True, ["single_label_lengths", "True", "'keep'"]),
        ("held_out", 1, ["held_out", "1", "True"]),
        ("held_out", "yes", ["held_out", "'yes'"]),
        ("classes", None, ["classes", "None"]),
        ("near_miss", 0.0, ["near_miss", "0.0"]),
        ("labels", [], ["labels", "[]"]),
        ("labels", [True], ["labels", "True"]),
        ("labels", [1.0], ["labels", "1.0"]),
        ("labels", {"accept": 1}, ["labels", "accept"]),
        ("labels", [["accept"]], ["labels", "accept"]),
    ],
)
def test_other_values_that_cannot_be_used(name, value, words):
    message = refusal(name, value)
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    ("given_name", "meant"), [("train_length", "train_lengths"), ("sed", "seed"), ("heldout", "held_out")]
)
def test_unknown_options_come_with_the_nearest(given_name, meant):
    with pytest.raises(UnknownNameError) as caught:
        check_options({given_name: 1})
    assert repr(given_name) in str(caught.value)
    assert repr(meant) in str(caught.value)


def test_switches_may_be_numpys():
    assert check_options({"held_out": np.bool_(True)}) == {"held_out": True}


def test_labels_may_be_one_or_many():
    for value in ("accept", ["accept"], ("accept",), np.array(["accept"])):
        assert check_options({"labels": value}) == {"labels": ("accept",)}
    assert check_options({"labels": np.array([0, 2])}) == check_options({"labels": (0, 2)}) == {"labels": (0, 2)}


def test_overriding_leaves_the_rest_alone():
    recipe = override(Recipe(), {"seed": 3})
    assert recipe.seed == 3
    assert override(recipe, {"seed": 0}) == Recipe()
    assert override(recipe, {}) == recipe
