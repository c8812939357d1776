"""Laws and answers of the tasks on words and stacks, against enumeration and plain text."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from seqbench.generation.streams import row_streams, unit_key
from seqbench.generation.tasks import TASKS
from seqbench.generation.tasks.chomsky.strings import position_score
from seqbench.generation.tasks.chomsky.uniform import digit_table, fill_uniform

DRAWS = 40_000


def drawn(name, length, count=DRAWS, seed=0, **given):
    task = TASKS[name].build(TASKS[name].check(given))
    columns = task.draw(np.full(count, length), row_streams(unit_key("law", name, seed), np.arange(count)))
    return {column: values.to_pylist() for column, values in columns.items()}


def fits(words, expected):
    """Whether words are drawn by their expected shares: chi-square, p > 1e-6."""
    counted = Counter(map(tuple, words))
    assert counted.keys() <= expected.keys()
    total = sum(expected.values())
    observed = [counted[word] for word in expected]
    return chisquare(observed, [share / total * len(words) for share in expected.values()]).pvalue > 1e-6


@pytest.mark.parametrize("name", ["reverse_string", "duplicate_string", "odds_first", "bucket_sort", "compute_sqrt"])
def test_every_word_is_drawn_alike(name):
    given = {"symbols": 3} if name == "bucket_sort" else {}
    words = drawn(name, 5, **given)["input_ids"]
    assert fits(words, dict.fromkeys(product(range(3 if given else 2), repeat=5), 1))


@pytest.mark.parametrize("length", [4, 5])
def test_missing_duplicate_draws_word_and_hole_alike(length):
    expected = {}
    for word in product((0, 1), repeat=2):
        for hole in range(4):
            doubled = list(word + word)
            doubled[hole] = 2
            expected[(*doubled, *[3] * (length % 2), word[hole % 2])] = 1
    columns = drawn("missing_duplicate", length)
    assert fits([[*word, label] for word, label in zip(columns["input_ids"], columns["label"], strict=True)], expected)


def test_stack_draws_size_bits_and_actions_alike():
    expected = {
        bits + actions: 6**4 / (2**size * 3 ** (4 - size))
        for size in (1, 2, 3)
        for bits in product((0, 1), repeat=size)
        for actions in product((2, 3, 4), repeat=4 - size)
    }
    assert fits(drawn("stack_manipulation", 4)["input_ids"], expected)


@pytest.mark.parametrize("length", [2, 3, 9, 64, 301])
def test_stacks_as_text(length):
    """The stack as a string whose last character is the top."""
    columns = drawn("stack_manipulation", length, 200)
    for word, output, mask in zip(*columns.values(), strict=True):
        stack = ""
        for symbol in ("01pab"[token] for token in word):
            stack = stack[:-1] if symbol == "p" else stack + {"a": "0", "b": "1"}.get(symbol, symbol)
        assert "".join(map(str, output)) == (stack[::-1] + "2").ljust(length + 1, "0")
        assert mask == [place <= len(stack) for place in range(length + 1)]


@pytest.mark.parametrize("length", [1, 2, 17, 128, 1001])
def test_words_as_text(length):
    """Outputs against slices and sorting of strings."""
    rules = {
        "reverse_string": lambda text: "".join(reversed(text)),
        "duplicate_string": lambda text: text + text,
        "odds_first": lambda text: "".join(text[i] for i in range(length) if i % 2) + text[0::2],
        "bucket_sort": lambda text: "".join(digit * text.count(digit) for digit in "01234"),
    }
    for name, rule in rules.items():
        columns = drawn(name, length, 50)
        for word, output, mask in zip(*columns.values(), strict=True):
            assert "".join(map(str, output)) == rule("".join(map(str, word)))
            assert mask == [True] * len(output)


@pytest.mark.parametrize("symbols", [3, 5, 6, 7, 10, 100, 250])
def test_independent_symbols_are_uniform(symbols):
    """Single symbols and neighbours, in words of different lengths."""
    lengths = np.arange(3000) % 41
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    out = np.full(offsets[-1], 255, np.uint8)
    fill_uniform(symbols, lengths, offsets[:-1], row_streams(unit_key("uniform"), np.arange(3000)), out)
    assert out.max() == symbols - 1
    assert chisquare(np.bincount(out, minlength=symbols)).pvalue > 1e-6
    if symbols <= 10:
        assert chisquare(np.bincount(out[1:].astype(int) * symbols + out[:-1], minlength=symbols**2)).pvalue > 1e-6


@pytest.mark.parametrize("symbols", [3, 5, 6, 7, 11, 16, 17, 250])
def test_digit_tables_hold_every_word_equally_often(symbols):
    table, accepted = digit_table(symbols)
    counts = Counter(map(tuple, table.tolist()))
    assert len(counts) == symbols ** table.shape[1]
    assert set(counts.values()) == {accepted // len(counts)}
    assert 256 - accepted < symbols ** table.shape[1]


def test_score_by_position_against_sorting():
    words = np.array(drawn("bucket_sort", 40, 20_000)["output_ids"])
    guessed = 5 * np.arange(40) // 40
    assert abs((words == guessed).mean() - position_score(5, 40)) < 0.005


def test_labels_are_fair_at_every_length():
    for length in (2, 3, 17, 40):
        labels = drawn("missing_duplicate", length, 10_000)["label"]
        assert chisquare(np.bincount(labels)).pvalue > 1e-6
