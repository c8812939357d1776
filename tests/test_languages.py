"""The handle on one language, over the whole catalogue, and the targets of users' own words."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

import seqbench
from seqbench.errors import InputError, UnknownNameError
from seqbench.generation.plan import language_dataset_names
from seqbench.languages import Language, language, solve

ALL = language_dataset_names()


@pytest.mark.parametrize("name", ALL)
def test_encode_and_decode_are_inverse(name):
    lang = language(name)
    ids = np.arange(3 * len(lang.alphabet)) % len(lang.alphabet)
    assert lang.encode(lang.decode(ids)).tolist() == ids.tolist()


@pytest.mark.parametrize("name", ALL)
def test_the_name_of_a_class_lies_in_it_and_no_shorter_word_does(name):
    lang = language(name)
    words = ["".join(word) for n in range(4) for word in itertools.product(lang.alphabet, repeat=n)][:200]
    for word in words:
        number = lang.syntactic_class(word)
        shortest = lang.monoid.names[number]
        assert lang.syntactic_class(shortest) == number
        assert (len(shortest), lang.encode(shortest).tolist()) <= (len(word), lang.encode(word).tolist())


@pytest.mark.parametrize("name", ALL)
def test_samples_have_the_label_and_length_asked_for(name):
    lang = language(name)
    found = 0
    for label, length in itertools.product(range(min(6, len(lang.labels))), range(1, 9)):
        try:
            words = lang.sample(length, label=label, n=5, seed=1)
        except InputError:
            continue
        found += 1
        assert [lang.label(word) for word in words] == [label] * 5
        assert {len(lang.encode(word)) for word in words} == {length}
    assert found >= 3


@pytest.mark.parametrize("name", ALL)
def test_a_label_is_refused_only_where_enumeration_finds_no_word(name):
    lang = language(name)
    for length in (1, 2, 3):
        words = ["".join(word) for word in itertools.product(lang.alphabet, repeat=length)]
        outputs = {lang.machine.outputs[lang.machine.run(lang.encode(w), np.array([0, length]))[0]] for w in words}
        for label in range(0, len(lang.labels), 1 + len(lang.labels) // 50):
            if label in outputs:
                assert lang.sample(length, label=label)
            else:
                with pytest.raises(InputError, match=f"no word with the label {label}"):
                    lang.sample(length, label=label)


def test_a_label_by_name_is_the_label_by_id():
    lang = language("dyck_d6")
    assert lang.sample(12, label="accept", n=3) == lang.sample(12, label=1, n=3)


def test_more_samples_extend_fewer_and_seeds_differ():
    lang = language("parity_check")
    many = lang.sample(60, n=5000, seed=3)
    assert lang.sample(60, n=7, seed=3) == many[:7]
    assert not set(many) & set(lang.sample(60, n=5000, seed=4))


def test_samples_of_a_class_lie_in_it():
    lang = language("dyck_d6")
    number = lang.syntactic_class("0011010")
    words = lang.sample(41, n=20, syntactic_class=number)
    assert {lang.syntactic_class(word) for word in words} == {number}
    assert len(set(words)) == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"length": 13, "label": 1}, "10, 12, 14"),
        ({"length": -1}, "out of range"),
        ({"length": 2.5}, "not a whole number"),
        ({"length": 4, "label": 7}, "Labels run from 0 to 1"),
        ({"length": 4, "label": "acept"}, "Did you mean 'accept'"),
        ({"length": 4, "n": -2}, "out of range"),
        ({"length": 4, "syntactic_class": 141}, "out of range"),
        ({"length": 3, "syntactic_class": 0}, "nearest lengths"),
        ({"length": 4, "syntactic_class": 0, "label": 0}, "Give the class alone"),
        ({"length": 4, "sampling": "balancd"}, "Did you mean 'balanced'"),
    ],
)
def test_impossible_samples_say_what_is_possible(arguments, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        language("dyck_d6").sample(**arguments)


@pytest.mark.parametrize("depth", [object(), {"a": {1}}, pytest.param(10**5000, id="long")])
def test_parameters_that_cannot_be_written_are_named(depth):
    with pytest.raises(InputError, match="of 'dyck' cannot be used"):
        seqbench.language("dyck", depth=depth)


def test_a_wrong_parameter_is_blamed_on_who_gave_it(tmp_path):
    (tmp_path / "generators").mkdir()
    text = (Path(__file__).parents[1] / "generators" / "dyck_d6.toml").read_text()
    (tmp_path / "generators" / "zz.toml").write_text(re.sub(r"depth\s*=\s*6", "depth = -1", text))
    for ask in (lambda: seqbench.load_dataset("zz", catalogue=tmp_path), lambda: language("zz", tmp_path)):
        with pytest.raises(InputError, match=r"generators/zz.toml: The value -1 of 'depth'"):
            ask()
    with pytest.raises(InputError, match=r"^The value -1 of 'depth'"):
        language("dyck", depth=-1)


def test_the_message_about_one_word_numbers_no_word():
    lang = language("dyck_d6")
    for asked in (lang.label, lang.syntactic_class, lang.encode):
        with pytest.raises(InputError, match=r"^Position 1 of the word holds '2'"):
            asked("02")


def test_solve_takes_text_ids_arrays_and_single_words():
    assert solve("parity_check", [[1, 0, 1], [1]]) == [0, 1]
    assert solve("parity_check", ["101", "1"]) == [0, 1]
    assert solve("parity_check", np.array([[1, 0, 1], [1, 1, 1]])) == [0, 1]
    assert solve("parity_check", "101") == solve("parity_check", [1, 0, 1]) == 0
    assert solve("parity_check", np.array([1, 0, 0])) == 1
    assert solve("parity_check", []) == []
    assert solve("parity_check", [""]) == [0]


def test_solve_keeps_to_each_tasks_own_precedence():
    assert solve("modular_arithmetic", ["1+2*3"]) == [2]
    assert solve("modular_arithmetic_l2r", ["1+2*3"]) == [4]


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("parity_check", ["01", "0a"], "word 1.*Position 1 .*'a'"),
        ("parity_check", [[0, 2]], "2"),
        ("parity_check", 5, "5"),
        ("parity_check", None, "None"),
        ("modular_arithmetic", ["1+2", "1+"], "Word 1, '1\\+', lies outside the domain"),
        ("paritycheck", ["01"], "Did you mean 'parity_check'"),
    ],
)
def test_solve_refuses_what_has_no_target(name, words, message):
    with pytest.raises((InputError, UnknownNameError), match=message):
        solve(name, words)


def test_a_preset_without_a_machine_is_named_as_it_was_asked_for():
    with pytest.raises(InputError, match=r"^'memory_airy_a04' is not over a regular language"):
        language("memory_airy_a04")


def test_a_language_of_ones_own():
    lang = Language.from_regex("('on' 'off')*", ("on", "off"))
    assert lang.label("on off") == 1
    assert lang.label("off on") == 0
    assert lang.sample(4, label=1) == ["on off on off"]


def test_public_names_load_on_demand():
    assert set(seqbench.__all__) <= set(dir(seqbench))
    for name in seqbench.__all__:
        assert callable(getattr(seqbench, name))
    assert seqbench.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="It has"):
        seqbench.load_datset  # noqa: B018 -- the access is what is tested
