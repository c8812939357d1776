"""Context-free grammars: counts, membership, ambiguity and sampling against enumeration; the datasets over them."""

import collections
import itertools
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from seqbench.algebra import grammar as grammars
from seqbench.algebra.grammar import Grammar, parse, reduce
from seqbench.errors import DefinitionError, InputError, SeqbenchError, TooLargeError
from seqbench.generation.derivations import Derivations, times
from seqbench.generation.plan import plan
from seqbench.generation.streams import row_streams, unit_key
from seqbench.generation.tasks.flare import counting, templates
from seqbench.generation.tasks.flare.templates import GRAMMARS as SOURCES
from seqbench.generation.tasks.grammars import GRAMMARS

TEXTS = {
    "dyck": "S -> ( S ) S |",
    "two_kinds": "S -> B S |\nB -> ( S ) | [ S ]",
    "expression": "E -> E + T | T\nT -> T * F | F\nF -> ( E ) | a",
    "palindrome": SOURCES["palindrome"],
    "anbn": SOURCES["anbn"],
    "motzkin": "S -> - S | ( S ) S |",
    "nullable": "S -> A B C\nA -> a A |\nB -> b B | b\nC -> A2 c |\nA2 -> d | d d",
    "regular": "S -> a S | b T | a\nT -> a T | b S",
}
NAMES = [*(f"cf_dyck_{k}" for k in range(2, 9)), "cf_anbn", "cf_marked_palindrome", "cf_palindrome", "cf_expression"]
NAMES += ["cf_nested_lists", "cs_anbncn", "cs_ww"]


def derived(grammar, length):
    """Words of a length with their number of leftmost derivations: rewriting the first nonterminal, over and over."""
    rules = collections.defaultdict(list)
    for left, right in grammar.rules:
        rules[left].append(right)
    shortest = dict.fromkeys(rules, 99)
    for _ in rules:
        for left, sides in rules.items():
            shortest[left] = min(sum(shortest.get(s, 1) for s in side) for side in sides)
    found, forms = collections.Counter(), [(grammar.start,)]
    while forms:
        form = forms.pop()
        if sum(shortest.get(symbol, 1) for symbol in form) > length:
            continue
        place = next((i for i, symbol in enumerate(form) if symbol in rules), None)
        if place is None:
            found[form] += len(form) == length
            continue
        forms += [(*form[:place], *side, *form[place + 1 :]) for side in rules[form[place]]]
    return {word: count for word, count in found.items() if count}


@pytest.mark.parametrize("name", sorted(set(TEXTS) - {"nullable"}))
def test_counts_words_and_membership_equal_rewriting(name):
    grammar = parse(TEXTS[name])
    counts = grammar.counts(7)
    for length in range(8 if len(grammar.terminals) < 5 else 6):
        words = derived(grammar, length)
        assert counts[length] == sum(words.values())
        assert grammar.words(length) == set(words)
        for word in itertools.product(grammar.terminals, repeat=min(length, 5)):
            assert grammar.contains(word) == (word in derived(grammar, min(length, 5))) if length <= 4 else True


def test_grammars_with_empty_parts():
    grammar = parse(TEXTS["nullable"])
    for length in range(6):
        truth = {
            word
            for word in itertools.product(grammar.terminals, repeat=length)
            for a, b in itertools.combinations_with_replacement(range(length + 1), 2)
            if set(word[:a]) <= {"a"} and a < b and set(word[a:b]) == {"b"} and word[b:] in {(), *NULLABLE_ENDS}
        }
        assert grammar.words(length) == truth
        assert all(grammar.contains(w) == (w in truth) for w in itertools.product(grammar.terminals, repeat=length))
        assert grammar.counts(length)[length] == len(truth)


NULLABLE_ENDS = (("d", "c"), ("d", "d", "c"))


def test_catalan_numbers():
    catalan = [1]
    for n in range(100):
        catalan.append(catalan[-1] * 2 * (2 * n + 1) // (n + 2))
    assert parse(TEXTS["dyck"]).counts(200)[::2] == catalan
    assert parse(TEXTS["dyck"]).counts(201)[1::2] == [0] * 101


def test_ambiguity_is_found_at_the_shortest_length():
    twice = parse("E -> E + E | E * E | a")
    assert twice.ambiguous_at(4) is None
    assert twice.ambiguous_at(9) == 5
    with pytest.raises(DefinitionError, match="ambiguous: at length 5 there are 8 derivations of 4 words"):
        twice.check_unambiguous(6)
    assert parse("S -> A | B\nA -> a\nB -> a").ambiguous_at(3) == 1


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_grammars_in_use_are_unambiguous(name):
    parse(TEXTS[name]).check_unambiguous(7)


@pytest.mark.parametrize("language", [counting.brackets(3), counting.expressions(), counting.stack_manipulation()])
def test_grammars_of_datasets_are_unambiguous_and_right(language):
    language.grammar.check_unambiguous(8)
    k = len(language.alphabet)
    for length in range(6 if k < 6 else 5):
        rows = list(itertools.product(range(k), repeat=length))
        tokens, offsets = np.array(rows, np.uint8).ravel(), length * np.arange(len(rows) + 1)
        words = language.grammar.words(length)
        truth = [tuple(language.alphabet[i] for i in row) in words for row in rows]
        assert language.contains(tokens, offsets).tolist() == truth
        assert [language.slowly([language.alphabet[i] for i in row]) for row in rows] == truth


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_grammars_of_templates_say_the_same(name):
    language = templates.template(name)
    grammar = parse(SOURCES[name])
    for length in range(9):
        words = (
            list(itertools.product(language.alphabet, repeat=length)) if len(language.alphabet) ** length < 9999 else []
        )
        assert {word for word in words if language.slowly(word)} == (grammar.words(length) if words else set())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no rule"),
        ("S = a", "'S = a' is no rule"),
        ("S T -> a", "is no rule"),
        ("S -> S a", "derives no word from 'S'"),
        ("S -> T\nT -> T T", "derives no word"),
    ],
)
def test_bad_grammars_are_refused(text, message):
    with pytest.raises(DefinitionError, match=message):
        parse(text)


def test_symbols_outside_the_alphabet_are_refused():
    with pytest.raises(DefinitionError, match=r"'Tt' is neither.*Did you mean 'T'"):
        parse("S -> a Tt\nT -> a", ("a",))
    with pytest.raises(DefinitionError, match="'T' is in the alphabet and has rules"):
        parse("S -> T\nT -> a", ("a", "T"))
    with pytest.raises(InputError, match="'b' is no terminal"):
        parse("S -> a").contains("ab")


def test_endless_derivations_are_refused_and_membership_still_works():
    grammar = parse("S -> S | S S | a |")
    with pytest.raises(DefinitionError, match="derives itself"):
        grammar.counts(3)
    with pytest.raises(DefinitionError, match="derives itself"):
        Derivations(grammar)
    assert grammar.contains("aaa")


def test_reduction_keeps_the_language():
    rules = [("S", ("A", "b")), ("S", ("C",)), ("A", ("a",)), ("C", ("C", "c")), ("D", ("a",))]
    assert reduce("S", rules) == (("S", ("A", "b")), ("A", ("a",)))


def test_too_many_words_are_not_listed(monkeypatch):
    monkeypatch.setattr(grammars, "MAX_WORDS", 100)
    with pytest.raises(TooLargeError, match="over 100 words of length 7"):
        parse("S -> a S | b S | a | b").words(21)


numbers = st.integers(0, 2**63 - 1)


@given(numbers, st.integers(0, 2**64 - 1), numbers, st.integers(0, 2**64 - 1), st.integers(-300, 300))
def test_products_of_counts(ah, al, bh, bl, exponent):
    top = 1 << 63
    a, b = (ah | top) << 64 | al, (bh | top) << 64 | bl
    words = [np.uint64(part) for number in (a, b) for part in (number >> 64, number & (2**64 - 1))]
    high, low, e = times(words[0], words[1], np.int64(exponent), words[2], words[3], np.int64(-7))
    shift = int(e) - (exponent - 7)
    got, exact = (int(high) << 64 | int(low)), a * b
    assert int(high) >> 63 == 1
    assert 0 <= exact - (got << shift) < 4 << shift


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_thresholds_are_shares_of_exact_counts(name):
    grammar, longest = parse(TEXTS[name]), 40
    sampler, form = Derivations(grammar), grammar.binary
    counts = [[0] * (longest + 1) for _ in range(form.size)]
    for symbol in range(form.size):
        counts[symbol] = Grammar.counts(_from(grammar, symbol), longest)
    sampler.admits(longest)
    rule = 0
    for left in range(form.size):
        for n in range(longest + 1):
            total, running = counts[left][n], 0
            for i, right in enumerate(form.rules[left]):
                ways = [counts[right[0]][k] * counts[right[1]][n - k] for k in range(n + 1)] if len(right) == 2 else []
                here = sum(ways) if ways else counts[right[0]][n] if right else int(n == 0)
                running += here
                if total:
                    close(sampler._alternatives[n, rule + i], running, total)
                if here and sampler._split[rule + i] >= 0:
                    cells = sampler._shares[sampler._split[rule + i], n * (n + 1) // 2 :][: n + 1]
                    for cell, part in zip(cells, itertools.accumulate(ways), strict=True):
                        close(cell, part, here)
        rule += len(form.rules[left])


def _from(grammar, symbol):
    class Other:
        binary = type(grammar.binary)(grammar.binary.terminals, symbol, grammar.binary.rules)

    return Other


def close(threshold, part, whole):
    assert abs(Fraction(int(threshold), 2**64) - Fraction(part, whole)) <= Fraction(2, 2**64)


def fits(observed, words):
    assert set(observed) <= set(words)
    if len(words) > 1:
        assert stats.chisquare([observed[word] for word in words]).pvalue > 1e-6


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("dyck", 10),
        ("two_kinds", 6),
        ("expression", 9),
        ("motzkin", 7),
        ("palindrome", 9),
        ("nullable", 7),
        ("regular", 8),
        ("anbn", 8),
    ],
)
def test_words_are_uniform(name, length):
    grammar = parse(TEXTS[name])
    words = sorted(grammar.words(length))
    n = 100 * len(words)
    out = np.empty(n * length, np.uint8)
    streams = row_streams(unit_key("uniform", name), np.arange(n))
    Derivations(grammar).fill(np.full(n, length), length * np.arange(n), streams, out)
    rows = out.reshape(n, length).tolist()
    fits(collections.Counter(tuple(grammar.terminals[i] for i in row) for row in rows), words)


def test_long_words_are_words():
    grammar = parse(TEXTS["dyck"])
    out = np.empty(3000, np.uint8)
    Derivations(grammar).fill(np.array([1000, 2000]), np.array([0, 1000]), row_streams(unit_key(1), np.arange(2)), out)
    for part in (out[:1000], out[1000:]):
        heights = np.cumsum(1 - 2 * part.astype(int))
        assert heights.min() >= 0
        assert heights[-1] == 0


def test_lengths_without_words_are_refused():
    sampler = Derivations(parse(TEXTS["dyck"]))
    with pytest.raises(InputError, match="no word of length 3"):
        sampler.fill(np.array([3]), np.array([0]), row_streams(unit_key(1), np.arange(1)), np.empty(3, np.uint8))
    with pytest.raises(TooLargeError, match="4 GiB"):
        sampler.admits(1_000_000)


@pytest.mark.parametrize("name", NAMES)
def test_datasets_are_right_and_balanced(name):
    planned = plan(name)
    table = pa.Table.from_batches([planned.block("train", 0)])
    planned.task.check(table.slice(0, 200) if name != "cf_expression" else table.slice(0, 60))
    assert planned.task.solve(table["input_ids"].to_pylist()) == table["label"].to_pylist()
    for block in (table, planned.block("test", planned.splits["test"].num_blocks - 1)):
        lengths = pa.compute.list_value_length(block["input_ids"]).to_numpy()
        labels = block["label"].to_numpy()
        majority = np.bincount(lengths, labels) > np.bincount(lengths) / 2
        assert np.mean(majority[lengths] == labels) <= (0.55 if block is not table else 0.6)
    assert (np.bincount(lengths, labels)[np.unique(lengths)] == 32).all()


@pytest.mark.parametrize(("name", "length"), [("cf_dyck_2", 6), ("cf_palindrome", 9), ("cs_ww", 8), ("cf_anbn", 6)])
def test_members_of_datasets_are_uniform(name, length):
    task = plan(name, mode="generation").task
    alphabet = task.language.alphabet
    words = [
        w
        for w in itertools.product(range(len(alphabet)), repeat=length)
        if task.language.slowly([alphabet[i] for i in w])
    ]
    rows = task.draw(np.full(4000, length), row_streams(unit_key("members"), np.arange(4000)))["input_ids"].to_pylist()
    fits(collections.Counter(map(tuple, rows)), words)


def test_generation_has_members_alone():
    planned = plan("cf_dyck_3", mode="generation")
    table = pa.Table.from_batches([planned.block("train", 0)])
    assert table.column_names == ["input_ids"]
    assert planned.label_names == ()
    planned.task.check(table.slice(0, 100))
    assert set(planned.task.solve(table["input_ids"].to_pylist())) == {1}
    assert planned.task.show(planned.sample(2)[0])["input_ids"] in {"()", "[]", "{}"}
    wrong = pa.table({"input_ids": pa.array([[0, 0]], pa.list_(pa.uint8()))})
    with pytest.raises(InputError, match="Row 0 is wrong"):
        planned.task.check(wrong)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": 9}, "from 1 to 8"),
        ({"language": "dick"}, "Did you mean 'dyck'"),
        ({"mode": "recognise"}, "'recognition' or 'generation'"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(SeqbenchError, match=message):
        plan("cf_dyck_2", **options)


def test_every_language_is_offered():
    assert {plan(name).recipe.parameters["language"] for name in NAMES} == {*GRAMMARS, "nested_lists"}


def test_single_bits_are_palindromes_all_and_left_out():
    assert not plan("cf_palindrome").task.admits(1)[1]
    assert plan("cf_palindrome").task.admits(2)[2]


@pytest.mark.parametrize(("name", "text"), [("cf_dyck_3", "([]{}"), ("cf_expression", "(a+a)*(")])
def test_next_symbols_of_brackets_and_expressions(name, text):
    language = plan(name, extra="next_symbols").task.language
    ids = [language.alphabet.index(symbol) for symbol in text]
    sets = language.next_symbols(np.array(ids, np.uint8), np.array([0, len(ids)])).tolist()
    members = {word for n in range(9 if name == "cf_dyck_3" else 14) for word in language.grammar.words(n)}
    for t, found in enumerate(sets):
        starts = {word[t] if len(word) > t else "" for word in members if word[:t] == tuple(text[:t])}
        assert found == sum(1 << i for i, s in enumerate((*language.alphabet, "")) if s in starts)
