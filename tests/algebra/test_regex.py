import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.algebra import operations
from seqbench.algebra.monoid import Monoid
from seqbench.algebra.regex import compile_regex
from seqbench.algebra.structure import is_aperiodic
from seqbench.errors import DefinitionError, TooLargeError
from tests.algebra.strategies import all_words, common_regexes, language

# name: pattern, predicate, states, monoid, aperiodic
TOMITA = {
    1: ("1*", lambda w: "0" not in w, 2, 2, True),
    2: ("(10)*", lambda w: w == "10" * (len(w) // 2), 3, 6, True),
    3: (
        "~((.*0)? 1(11)* 0(00)* (1.*)?)",
        lambda w: not re.search(r"(?<!1)1(11)*0(00)*(?!0)", w),
        5,
        26,
        False,
    ),
    4: ("(1|01|001)*(0|00)?", lambda w: "000" not in w, 4, 12, True),
    5: ("((00|11)*(01|10)(00|11)*(01|10))*(00|11)*", lambda w: w.count("0") % 2 == w.count("1") % 2 == 0, 4, 4, False),
    6: ("(0(01)*1 | 1(10)*0 | 0(01)*00 | 1(10)*11)*", lambda w: (w.count("0") - w.count("1")) % 3 == 0, 3, 3, False),
    7: ("0*1*0*1*", lambda w: re.fullmatch("0*1*0*1*", w) is not None, 5, 9, True),
}


@pytest.mark.parametrize("number", TOMITA)
def test_tomita(number):
    pattern, predicate, states, size, aperiodic = TOMITA[number]
    machine = compile_regex(pattern, "01")
    assert language(machine, 10) == {w for w in map("".join, words("01", 10)) if predicate(w)}
    monoid = Monoid.of(machine)
    assert (machine.num_states, len(monoid), is_aperiodic(monoid)) == (states, size, aperiodic)


def words(alphabet, longest):
    return [tuple(alphabet[a] for a in word) for word in all_words(len(alphabet), longest)]


@given(common_regexes())
def test_common_syntax_agrees_with_python(pattern):
    expected = {word for word in map("".join, words("01", 6)) if re.fullmatch(pattern, word)}
    assert language(compile_regex(pattern, "01"), 6) == expected


@given(common_regexes(), common_regexes())
def test_intersection_and_complement_are_set_operations(left, right):
    one, two = compile_regex(left, "01"), compile_regex(right, "01")
    assert compile_regex(f"({left}) & ({right})", "01") == operations.intersection(one, two)
    assert compile_regex(f"~({left})", "01") == operations.complement(one)
    mixed = operations.concatenation(operations.complement(one), operations.star(operations.intersection(one, two)))
    assert compile_regex(f"~({left}) (({left}) & ({right}))*", "01") == mixed


@pytest.mark.parametrize(
    ("pattern", "same"),
    [
        ("~0*1", "(~(0*))1"),
        ("~0|1", "(~0)|1"),
        ("0 1 | 1 & 1 0", "(01)|(1&(10))"),
        ("~~0", "0"),
        ("~~~0", "~0"),
        ("0*{2}+?", "0*"),
        (" 0 \t 1 \n", "01"),
        ("0{ 2 , 3 }", "00|000"),
        ("0{0}", "()"),
        ("(0?){3}", "0{0,3}"),
        ("((0*)*)*", "0*"),
        ("(0*1*)*", ".*"),
        ("(()|0)*1", "0*1"),
        ("[^0]", "1"),
        ("[0-1]", "."),
        ("[01 ]", "."),
        ("\\0'1'\"0\"", "010"),
    ],
)
def test_precedence_and_spelling(pattern, same):
    assert compile_regex(pattern, "01") == compile_regex(same, "01")


@given(st.lists(st.tuples(st.integers(0, 3), st.one_of(st.none(), st.integers(0, 3))), min_size=2, max_size=3))
def test_nested_repeats_add_up(bounds):
    pattern, counts = "0", {1}
    for low, extra in bounds:
        pattern += f"{{{low},{'' if extra is None else low + extra}}}"
        times = range(low, 1 + (30 if extra is None else low + extra))
        sums = {0: {0}}
        for j in range(1, times.stop):
            sums[j] = {a + b for a in sums[j - 1] for b in counts if a + b <= 12}
        counts = set().union(*(sums[j] for j in times))
    assert {len(word) for word in language(compile_regex(pattern, "0"), 12)} == {n for n in counts if n <= 12}


def test_symbols_of_several_characters_and_operators():
    alphabet = ("push", "pop", "+", "-", "]")
    machine = compile_regex("'push'{2} [\"pop\"\\+]* [+-\\]] \\]", alphabet)
    assert machine == compile_regex("'push''push'('pop'|'+')*('+'|'-'|']')']'", alphabet)
    assert compile_regex("['push'-'+']", alphabet) == compile_regex("'push'|'pop'|'+'", alphabet)
    assert compile_regex("[^'push'\\-]", alphabet) == compile_regex("'pop'|\\+|\\]", alphabet)
    assert compile_regex("a\\ ' '", "a ") == compile_regex("a' '{2}", "a ")


@pytest.mark.parametrize(
    ("pattern", "place", "text"),
    [
        ("", 1, "expected a symbol"),
        ("0|", 3, "expected a symbol"),
        ("(0", 3, r"expected '\)' for the '\(' at character 1"),
        ("0)", 2, r"unexpected '\)'"),
        ("0(1|)", 5, "expected a symbol"),
        ("*0", 1, "expected a symbol"),
        ("02", 2, "'2' is no symbol"),
        ("0{", 3, "expected a number"),
        ("0{1", 4, "expected '}'"),
        ("0{2,1}", 3, "ends before it begins"),
        ("0{x}", 3, "expected a number"),
        ("[", 2, r"expected '\]'"),
        ("[]", 1, "no symbol"),
        ("[^01]", 1, "no symbol"),
        ("[1-0]", 4, "ends before it begins"),
        ("[0-", 4, "expected the end of the range"),
        ("0]", 2, "expected a symbol"),
        ("'0", 3, "expected '"),
        ("'zero'", 1, "'zero' is no symbol"),
        ("0\\", 3, "expected a character after"),
        ("~", 2, "expected a symbol"),
        ("0 &", 4, "expected a symbol"),
        ("(" * 60 + "0" + ")" * 60, 51, "nested"),
    ],
)
def test_errors_show_the_place(pattern, place, text):
    with pytest.raises(DefinitionError, match=text) as error:
        compile_regex(pattern, "01")
    message = str(error.value)
    assert repr(pattern) in message
    assert f"at character {place}:" in message
    assert message.splitlines()[-1] == " " * (4 + place - 1) + "^"


@given(st.text("01|&~*+?{},()[]^-.'\\ 2", max_size=12))
def test_any_text_compiles_or_is_refused(pattern):
    try:
        machine = compile_regex(pattern, "01")
    except (DefinitionError, TooLargeError):
        return
    assert machine.is_acceptor


def test_hints_name_close_symbols():
    with pytest.raises(DefinitionError, match="the nearest: 'push'"):
        compile_regex("'pusch'", ("push", "pop"))
    with pytest.raises(DefinitionError, match="quoted"):
        compile_regex("push", ("push", "pop"))


@pytest.mark.parametrize(
    ("pattern", "states"),
    [("(0|1){0,1000}", 1002), ("(0?1?){300}", None), ("(0{0,20}){0,20}", 402), ("((0|1){0,100}){0,100}", 10_002)],
)
def test_large_repeats_are_built(pattern, states):
    machine = compile_regex(pattern, "01")
    assert states in (None, machine.num_states)


@pytest.mark.parametrize(
    "pattern",
    [
        "((0|1){0,1000}){0,1000}",
        "(((0{9}){999}){999}){999}",
        "0{9999999999}",
        "0{" + "9" * 5000 + "}",
        pytest.param("((0?1?){100}){100}", marks=pytest.mark.slow),
        pytest.param("((00|1){0,100}1{0,9}){0,100}", marks=pytest.mark.slow),
        ".*1.{40}",
    ],
)
def test_explosions_stop_early(pattern):
    with pytest.raises(TooLargeError):
        compile_regex(pattern, "01")
