"""The eighteen recognition languages: labels against oracles, laws against enumeration, no shortcut by length."""

import collections
import itertools
import math
import re

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from seqbench.algebra.alphabet import encode_batch
from seqbench.errors import InputError, SeqbenchError
from seqbench.generation.plan import plan
from seqbench.generation.streams import row_streams, unit_key
from seqbench.generation.tasks.flare import LANGUAGES, edits, templates
from seqbench.generation.tasks.flare.language import bounded, evenly

NAMES = sorted(LANGUAGES)


def stack(word):
    match = re.fullmatch("([01]*)((?:P[01]|O)*)#([01]*)", word)  # P pushes, O pops
    if not match:
        return False
    held = match[1]
    for action in re.findall("P[01]|O", match[2]):
        if action == "O" and not held:
            return False
        held = held[:-1] if action == "O" else held + action[1]
    return held[::-1] == match[3]


def numbers(pattern, word, holds):
    match = re.fullmatch(pattern, word)
    return bool(match) and holds(*(sum(int(bit) << i for i, bit in enumerate(part)) for part in match.groups()))


def left_to_right(word):
    if not re.fullmatch(r"[0-4]([-+*][0-4])*=[0-4]", word):
        return False
    total = 0
    for operator, digit in re.findall(r"([-+*])(\d)", "+" + word[:-2]):
        total = eval(f"(total {operator} {digit}) % 5")
    return total == int(word[-1])


def nested(word, deepest=3):
    held = []
    for symbol in word:
        if symbol in "([":
            held.append({"(": ")", "[": "]"}[symbol])
        elif not held or held.pop() != symbol:
            return False
        if len(held) > deepest:
            return False
    return not held


def halves(word):
    return word.split("#") if word.count("#") == 1 else ("", "no")


ORACLES = {
    "even_pairs": lambda w: (w.count("01") + w.count("10")) % 2 == 0,
    "repeat_01": lambda w: bool(re.fullmatch("(01)*", w)),
    "parity": lambda w: sum(map(int, w)) % 2 == 1,
    "cycle_navigation": lambda w: (
        bool(re.fullmatch("[<>=]*[0-4]", w))
        and (sum({"<": 4, ">": 1, "=": 0}[s] for s in w[:-1]) - int(w[-1])) % 5 == 0
    ),
    "modular_arithmetic_simple": left_to_right,
    "dyck_2_3": nested,
    "first": lambda w: w[:1] == "1",
    "majority": lambda w: sum(map(int, w)) > len(w) / 2,
    "stack_manipulation": stack,
    "marked_reversal": lambda w: halves(w)[0] == "".join(reversed(halves(w)[1])),
    "unmarked_reversal": lambda w: len(w) % 2 == 0 and all(w[i] == w[-1 - i] for i in range(len(w))),
    "marked_copy": lambda w: halves(w)[0] == halves(w)[1],
    "missing_duplicate_string": lambda w: w.count("_") == 1 and bool(re.fullmatch(r"(.*)\1", w.replace("_", "1"))),
    "odds_first": lambda w: [s for i in (0, 1) for s in halves(w)[0][i::2]] == list(halves(w)[1]),
    "binary_addition": lambda w: numbers(r"([01]+)\+([01]+)=([01]+)", w, lambda x, y, z: x + y == z),
    "binary_multiplication": lambda w: numbers(r"([01]+)\*([01]+)=([01]+)", w, lambda x, y, z: x * y == z),
    "compute_sqrt": lambda w: numbers("([01]+)=([01]+)", w, lambda x, z: math.isqrt(x) == z),
    "bucket_sort": lambda w: sorted(halves(w)[0]) == list(halves(w)[1]),
}
LETTERS = {"stack_manipulation": "01PO#"}  # one character a symbol
LIMITS = {2: 12, 3: 8, 4: 7, 5: 6, 6: 5, 8: 4, 9: 4}


def texts_of(name, rows, alphabet):
    letters = LETTERS.get(name, "".join(alphabet))
    return ["".join(letters[i] for i in row) for row in rows]


def words(symbols, length):
    return list(itertools.product(range(symbols), repeat=length))


def draw(task, length, n, seed=0):
    columns = task.draw(np.full(n, length), row_streams(unit_key("test", seed), np.arange(n)))
    return columns["input_ids"].to_pylist(), columns["label"].to_pylist()


def fits(observed, expected):
    assert set(observed) <= {key for key, share in expected.items() if share > 0}
    total, keys = sum(observed.values()), list(expected)
    shares = np.array([expected[key] for key in keys], dtype=float)
    if len(keys) > 1:
        assert stats.chisquare([observed[key] for key in keys], shares / shares.sum() * total).pvalue > 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_words_of_every_kind_are_recognised(name):
    language = LANGUAGES[name]()
    symbols = len(language.alphabet)
    for length in range(1, LIMITS[symbols] + 1):
        rows = words(symbols, length)
        tokens, offsets = np.array(rows, np.uint8).ravel(), length * np.arange(len(rows) + 1)
        truth = [ORACLES[name](text) for text in texts_of(name, rows, language.alphabet)]
        assert language.contains(tokens, offsets).tolist() == truth
        assert [language.slowly([language.alphabet[i] for i in row]) for row in rows] == truth
        assert language.members(length)[length] == any(truth)
        assert language.others(length)[length] == (not all(truth))


@pytest.mark.parametrize("name", NAMES)
def test_labels_of_rows_are_right_at_any_length(name):
    planned = plan(f"flare_{name}")
    for length in [*np.flatnonzero(planned.task.admits(30))[:30].tolist(), 500, 501]:
        if planned.task.admits(length)[length]:
            rows, labels = draw(planned.task, length, 40)
            truth = [ORACLES[name](text) for text in texts_of(name, rows, planned.task.language.alphabet)]
            assert labels == [int(each) for each in truth]
            assert sum(labels) == 20
            assert {len(row) for row in rows} == {length}


UNIFORM_AT = {"cycle_navigation": 4, "modular_arithmetic_simple": 5, "bucket_sort": 7, "stack_manipulation": 8}


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"binary_multiplication"}))
def test_members_are_uniform(name):
    task = plan(f"flare_{name}").task
    symbols = len(task.language.alphabet)
    length = {2: 8, 3: 9, 4: 8}.get(symbols) or UNIFORM_AT[name]
    length -= not task.admits(length)[length]
    if symbols**length < 400_000:
        rows = words(symbols, length)
        inside = [
            row
            for row, text in zip(rows, texts_of(name, rows, task.language.alphabet), strict=True)
            if ORACLES[name](text)
        ]
    else:  # too many words: the letters of bucket_sort
        inside = [(*w, 5, *sorted(w)) for w in words(5, 3)]
    rows, labels = draw(task, length, max(2000, 40 * len(inside)))
    seen = collections.Counter(tuple(row) for row, label in zip(rows, labels, strict=True) if label)
    fits(seen, dict.fromkeys(inside, 1))


@pytest.mark.parametrize("length", [7, 8, 10])
def test_products_of_positive_factors_are_uniform(length):
    task = plan("flare_binary_multiplication").task
    inside, zeros = [], []
    for bits in words(2, length - 2):
        for plus in range(1, length - 3):
            for equals in range(plus + 1, length - 2):
                row = (*bits[:plus], 2, *bits[plus:equals], 3, *bits[equals:])
                if ORACLES["binary_multiplication"]("".join("01*="[i] for i in row)):
                    (inside if any(bits[:plus]) and any(bits[plus:equals]) else zeros).append(row)
    rows, labels = draw(task, length, 20_000, seed=length)
    seen = collections.Counter(tuple(row) for row, label in zip(rows, labels, strict=True) if label)
    total = sum(seen.values())
    with_zero = sum(seen[row] for row in zeros)
    assert stats.binomtest(with_zero, total, 1 / 16).pvalue > 1e-6
    fits(collections.Counter({row: seen[row] for row in inside}), dict.fromkeys(inside, 1))
    assert set(seen) <= {*inside, *zeros}


def edit_matrix(symbols, length):
    """The exact law of one edit, by listing all."""
    rows = words(symbols, length)
    number = {row: i for i, row in enumerate(rows)}
    matrix = np.zeros((len(rows), len(rows)))
    for row in rows:
        i = number[row]
        for x in range(length):
            for symbol in set(range(symbols)) - {row[x]}:
                matrix[i, number[(*row[:x], symbol, *row[x + 1 :])]] += 1 / 3 / length / (symbols - 1)
            for y in set(range(length)) - {x}:
                swapped, moved = list(row), list(row)
                swapped[x], swapped[y] = swapped[y], swapped[x]
                moved.insert(y, moved.pop(x))
                for other in (swapped, moved):
                    matrix[i, number[tuple(other)]] += 1 / 3 / length / (length - 1)
    return rows, matrix


@pytest.mark.parametrize(
    ("name", "length"), [("marked_copy", 5), ("unmarked_reversal", 8), ("compute_sqrt", 6), ("dyck_2_3", 4)]
)
def test_near_misses_are_edited_members(name, length):
    task = plan(f"flare_{name}", near_miss=1, same_shape=0).task
    rows, matrix = edit_matrix(len(task.language.alphabet), length)
    inside = np.array([ORACLES[name](text) for text in texts_of(name, rows, task.language.alphabet)])
    law, shares = np.zeros(len(rows)), inside / inside.sum()
    for k in range(1, edits.MAX_EDITS + 1):
        shares = shares @ matrix
        law += shares * 0.5 ** min(k, edits.MAX_EDITS - 1)
    assert math.isclose(law.sum(), 1)
    drawn, labels = draw(task, length, 20_000)
    seen = collections.Counter(tuple(row) for row, label in zip(drawn, labels, strict=True) if not label)
    outside = {row: share for row, share, member in zip(rows, law, inside, strict=True) if share and not member}
    fits(seen, outside)


@pytest.mark.parametrize("length", [7, 8])
def test_near_misses_of_majority_are_one_short(length):
    task = plan("flare_majority", near_miss=1).task
    rows, labels = draw(task, length, 10_000)
    seen = collections.Counter(tuple(row) for row, label in zip(rows, labels, strict=True) if not label)
    fits(seen, {row: 1 for row in words(2, length) if sum(row) == length // 2})


@pytest.mark.parametrize("name", ["majority", "parity", "marked_reversal", "compute_sqrt"])
def test_random_non_members_are_uniform(name):
    task = plan(f"flare_{name}", near_miss=0).task
    symbols, length = len(task.language.alphabet), 5
    rows = words(symbols, length)
    outside = [
        row
        for row, text in zip(rows, texts_of(name, rows, task.language.alphabet), strict=True)
        if not ORACLES[name](text)
    ]
    drawn, labels = draw(task, length, 20_000)
    fits(
        collections.Counter(tuple(r) for r, label in zip(drawn, labels, strict=True) if not label),
        dict.fromkeys(outside, 1),
    )


@pytest.mark.parametrize("name", NAMES)
def test_no_rule_on_length_alone_does_better_than_chance(name):
    planned = plan(f"flare_{name}")
    table = pa.Table.from_batches([planned.block("train", i) for i in range(3)])
    lengths = np.diff(table["input_ids"].combine_chunks().offsets.to_numpy())
    labels = table["label"].to_numpy()
    ones = np.bincount(lengths, labels, minlength=501)
    majority = ones > np.bincount(lengths, minlength=501) / 2
    parity = [labels[lengths % 2 == odd].mean() > 0.5 if (lengths % 2 == odd).any() else False for odd in (0, 1)]
    assert np.mean(majority[lengths] == labels) <= 0.55
    last = planned.splits["test"].num_blocks - 1
    for block in {0, last}:
        test = planned.block("test", block)
        lengths, labels = np.diff(test["input_ids"].offsets.to_numpy()), test["label"].to_numpy()
        assert np.mean(majority[lengths] == labels) <= 0.55
        assert np.mean(np.array(parity)[lengths % 2] == labels) <= 0.55
        assert (np.bincount(lengths)[np.unique(lengths)] == 64).all()
        assert (np.bincount(lengths, labels)[np.unique(lengths)] == 32).all()


@pytest.mark.parametrize("name", ["majority", "binary_multiplication", "stack_manipulation", "dyck_2_3"])
def test_rows_do_not_depend_on_the_other_lengths(name):
    one = plan(f"flare_{name}", test_lengths=(43, 44), test_examples_per_length=10)
    many = plan(f"flare_{name}", test_lengths=(41, 60), test_examples_per_length=10)
    few = {length: [] for length in range(41, 61)}
    for planned, store in ((many, few), (one, collections.defaultdict(list))):
        for row in planned.block("test", 0).to_pylist():
            store[len(row["input_ids"])].append(row)
        for length, rows in store.items():
            assert rows == few[length]


def test_more_words_a_length_add_to_those_there_were():
    few = plan("flare_marked_copy", test_lengths=(41, 41), test_examples_per_length=10).block("test", 0).to_pylist()
    more = plan("flare_marked_copy", test_lengths=(41, 41), test_examples_per_length=30).block("test", 0).to_pylist()
    assert more[:10] == few


@pytest.mark.parametrize("name", NAMES)
def test_checks_pass_and_find_a_wrong_label(name):
    planned = plan(f"flare_{name}")
    table = pa.Table.from_batches([planned.block("train", 0).slice(0, 200)])
    planned.task.check(table)
    wrong = table.set_column(1, "label", pa.array([1 - label for label in table["label"].to_pylist()]))
    with pytest.raises(InputError, match="Row 0 is wrong"):
        planned.task.check(wrong)
    assert planned.task.solve(table["input_ids"].to_pylist()) == table["label"].to_pylist()
    assert planned.task.solve([planned.task.show(row)["input_ids"] for row in table.to_pylist()]) == (
        table["label"].to_pylist()
    )


@pytest.mark.parametrize("name", NAMES)
def test_splits_have_the_published_lengths(name):
    """From the first length with both labels on: test words up to 500, others up to 40 and 80."""
    splits = {split: part.split.lengths for split, part in plan(f"flare_{name}").splits.items()}
    first = plan(f"flare_{name}").task.facts()["smallest_length"]
    assert {split: lengths[0] for split, lengths in splits.items()} == dict.fromkeys(splits, first)
    longest = {"train": 40, "validation": 40, "validation_long": 80, "test": 500}
    assert all(longest[split] - 1 <= lengths[-1] <= longest[split] for split, lengths in splits.items())


def test_lengths_of_one_label_are_left_out_or_kept():
    dropped, kept = plan("flare_repeat_01"), plan("flare_repeat_01", single_label_lengths="keep")
    assert not dropped.task.admits(9)[[0, 1, 3, 5, 7, 9]].any()
    with pytest.raises(InputError, match=r"no example of length 3.*2-60 in steps of 2.*keep"):
        dropped.sample(3)
    assert {row["label"] for row in kept.sample(3, 20)} == {0}
    assert {row["label"] for row in plan("flare_even_pairs", single_label_lengths="keep").sample(1, 20)} == {1}
    assert dropped.task.facts()["single_label_lengths"] == "1-59 in steps of 2 (of 1 to 60)"


@pytest.mark.parametrize("name", NAMES)
def test_facts_say_what_there_is(name):
    facts = plan(f"flare_{name}").task.facts()
    assert facts["chance"] == 0.5
    alphabet, admitted = facts["alphabet"], plan(f"flare_{name}").task.admits(LIMITS[len(facts["alphabet"])])
    both = [
        len({ORACLES[name](text) for text in texts_of(name, words(len(alphabet), length), alphabet)}) == 2
        for length in range(1, len(admitted))
    ]
    assert admitted[1:].tolist() == both
    assert facts["smallest_length"] == 1 + both.index(True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "majorty"}, "Did you mean 'majority'"),
        ({"near_miss": 1.5}, "from 0 to 1"),
        ({"single_label_lengths": "kept"}, "'drop' or 'keep'"),
        ({"near": 1}, "Did you mean 'near_miss'"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(SeqbenchError, match=message):
        plan("flare_majority", **options)


def test_words_with_foreign_symbols_are_refused():
    with pytest.raises(InputError, match=r"In word 1: Position 0.*'2'"):
        plan("flare_majority").task.solve(["01", "2"])


def test_answers_to_known_words():
    solve = {name: plan(f"flare_{name}").task.solve for name in NAMES}
    assert solve["stack_manipulation"](["0 1 PUSH 1 POP POP # 0", "POP #", "#"]) == [1, 0, 1]
    assert solve["binary_addition"](["1+1=01", "1+1=0100", "1+1=10", "1+=1"]) == [1, 1, 0, 0]
    assert solve["binary_multiplication"](["011*11=01001", "0*1=00"]) == [1, 1]
    assert solve["compute_sqrt"](["0001=01", "1111=11", "1111=01"]) == [1, 1, 0]
    assert solve["odds_first"](["0011#0011", "0011#0101"]) == [0, 1]
    assert solve["modular_arithmetic_simple"](["1+2*3=4", "1+2*3=2"]) == [1, 0]


def test_roots_of_long_numbers_are_exact():
    x = (1 << 400) - 1  # a float would round the root up to 2^200
    bits = [x >> i & 1 for i in range(400)]
    assert plan("flare_compute_sqrt").task.solve([[*bits, 2, *[1] * 200], [*bits, 2, *[0] * 200, 1]]) == [1, 0]


def test_evenly_drawn_symbols_are_even():
    for symbols in (3, 5, 9):
        out = np.empty(30_001, np.uint8)
        streams = row_streams(unit_key("even"), np.arange(1))
        evenly(symbols, np.array([30_001]), np.array([0]), streams, out)
        assert stats.chisquare(np.bincount(out, minlength=symbols)).pvalue > 1e-6
    assert bounded(np.uint64(0xFFFFFFFF), np.uint64(0xFFFFFFFF), np.uint64(7)) == 6


def test_long_products_and_sums():
    for name in ("binary_addition", "binary_multiplication", "compute_sqrt"):
        planned = plan(f"flare_{name}")
        planned.task.check(pa.Table.from_pylist(planned.sample(3001, 8), schema=planned.schema))


def test_templates_all_have_recognisers_written_another_way():
    for name in templates.TEMPLATES:
        language = templates.template(name)
        rows = words(len(language.alphabet), 4) + words(len(language.alphabet), 3)
        texts = ["".join(language.alphabet[i] for i in row) for row in rows]
        assert language.contains(*encode_batch(language.alphabet, texts)).tolist() == [
            language.slowly(text) for text in texts
        ]


@pytest.mark.parametrize("name", NAMES)
def test_next_symbols_are_those_that_members_go_on_with(name):
    if LANGUAGES[name]().next_symbols is None:
        with pytest.raises(InputError, match="'next_symbols' is not there"):
            plan(f"flare_{name}", extra="next_symbols")
        return
    task = plan(f"flare_{name}", extra="next_symbols", single_label_lengths="keep").task
    symbols = len(task.language.alphabet)
    longest, short = {2: (9, 3), 3: (9, 3), 4: (7, 3), 5: (6, 1), 8: (5, 3), 9: (5, 2)}[symbols]
    inside = {
        row
        for n in range(longest + 1)
        for row in words(symbols, n)
        if ORACLES[name](texts_of(name, [row], task.language.alphabet)[0])
    }
    prefixes = {row[:t] for row in inside for t in range(len(row) + 1)}
    for n in range(1, short + 1):
        columns = task.draw(np.full(200, n), row_streams(unit_key("next", n), np.arange(200)))
        for row, sets in zip(columns["input_ids"].to_pylist(), columns["next_symbols"].to_pylist(), strict=True):
            for t in range(n + 1):
                prefix = tuple(row[:t])
                right = sum(1 << symbol for symbol in range(symbols) if (*prefix, symbol) in prefixes)
                assert sets[t] == right + ((prefix in inside) << symbols)


def test_next_symbols_of_a_stack():
    language = LANGUAGES["stack_manipulation"]()
    word, expected = "0 1 POP PUSH 1 POP POP # POP", ["01>o#", "01>o#", ">o#", "01", ">o#", ">o#", ">#", "$", ""]
    expected = ["01>#", *expected]  # before the first symbol there is nothing to take
    ids = [language.alphabet.index(symbol) for symbol in word.split()]
    sets = language.next_symbols(np.array(ids, np.uint8), np.array([0, len(ids)])).tolist()
    assert sets == [sum(1 << "01>o#$".index(symbol) for symbol in each) for each in expected]


@pytest.mark.parametrize("name", ["parity", "dyck_2_3", "cycle_navigation", "modular_arithmetic_simple", "even_pairs"])
def test_log_probabilities_are_shares_of_members(name):
    planned = plan(f"flare_{name}", extra="log_probabilities")
    symbols = len(planned.task.language.alphabet)
    for n in np.flatnonzero(planned.task.admits({2: 8, 4: 6, 8: 4, 9: 5}[symbols])).tolist():
        rows = words(symbols, n)
        inside = [
            row
            for row, text in zip(rows, texts_of(name, rows, planned.task.language.alphabet), strict=True)
            if ORACLES[name](text)
        ]
        count = collections.Counter(row[:t] for row in inside for t in range(n + 1))
        for row in planned.sample(n, 50):
            for t, value in enumerate(row["log_probabilities"]):
                before, after = count[tuple(row["input_ids"][:t])], count[tuple(row["input_ids"][: t + 1])]
                assert value == pytest.approx(math.log(after / before) if after else -math.inf)


def test_log_probabilities_of_long_words_sum_to_the_number_of_members():
    row = next(row for row in plan("flare_parity", extra="log_probabilities").sample(500, 4) if row["label"])
    assert sum(row["log_probabilities"]) == pytest.approx(-499 * math.log(2))
    with pytest.raises(InputError, match="'log_probabilities' is not there"):
        plan("flare_majority", extra="log_probabilities")


SHAPES = {
    "cycle_navigation": "[<>=]*[0-4]",
    "modular_arithmetic_simple": "[0-4]([-+*][0-4])*=[0-4]",
    "marked_copy": "[01]*#[01]*",
    "marked_reversal": "[01]*#[01]*",
    "odds_first": "[01]*#[01]*",
    "bucket_sort": "[1-5]*#[1-5]*",
    "missing_duplicate_string": "[01]*_[01]*",
    "binary_addition": "[01]+[+][01]+=[01]+",
    "binary_multiplication": "[01]+[*][01]+=[01]+",
    "compute_sqrt": "[01]+=[01]+",
    "stack_manipulation": "[01]*(P[01]|O)*#[01]*",
}


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_the_form_of_words_says_little(name):
    planned = plan(f"flare_{name}")
    alphabet = planned.task.language.alphabet
    rows = planned.block("test", planned.splits["test"].num_blocks - 1).to_pylist()
    texts = texts_of(name, [row["input_ids"] for row in rows], alphabet)
    right = [bool(re.fullmatch(SHAPES[name], text)) == row["label"] for text, row in zip(texts, rows, strict=True)]
    assert np.mean(right) < (0.9 if name == "stack_manipulation" else 0.78)
    shaped = plan(f"flare_{name}", near_miss=1, same_shape=1).task
    drawn, _ = draw(shaped, 12 if name == "missing_duplicate_string" else 13, 200)
    kept = [bool(re.fullmatch(SHAPES[name], text)) for text in texts_of(name, drawn, alphabet)]
    assert np.mean(kept) >= (0.75 if name == "stack_manipulation" else 1)  # a stack that ends empty shows no bit
