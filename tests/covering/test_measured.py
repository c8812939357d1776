"""Expected counts and chances against words that the datasets really draw, for every dataset and sampling mode.

For each composition that enough words show, z is the difference of the measured and the expected mean over the
standard error. About 60,000 of them are looked at; |z| > 7 has probability 3e-12 each for a normal variable, and below
1e-10 for the sums here (at least 200 words show what they count), so all tests together fail a right program with
probability below 1e-5. The numbers of words that show a composition are binomial: each lies in a tail of 1e-11.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

import seqbench
from seqbench.covering.api import coverage
from seqbench.covering.chances import Chances
from seqbench.covering.expectation import expected_coverage
from seqbench.covering.expected import expected_counts
from seqbench.covering.schedules import nodes
from seqbench.covering.tally import Tally
from tests.covering.oracle import language, planned, table_of, task_of

MODES = ["uniform", "balanced", "class", "composition", "member", "mixed"]
MIXED = {"uniform": 0.2, "balanced": 0.1, "class": 0.3, "composition": 0.4}
ENOUGH, FARTHEST, TAIL = 200, 7, 1e-11


def drawn(name, number, **options):
    """Training words of a dataset, in chunks, and the lengths that they are drawn from."""
    split = planned(name, train_examples=number, **options).splits["train"].split
    rows = [split.rows(i) for i in range(split.num_blocks)]
    return [(each.tokens, each.offsets) for each in rows], split.lengths


def shows(task, chunks):
    """By composition: number of times, sum of squared numbers by word, number of words."""
    size, tally = len(task.monoid), Tally(task.monoid, task.schedule, task.min_width)
    times, squares, words = np.zeros(size**2), np.zeros(size**2), np.zeros(size**2)
    for tokens, offsets in chunks:
        lengths = np.diff(offsets)
        number = np.array([len(nodes(task.schedule, n, task.min_width).level) for n in range(lengths.max() + 1)])
        word = np.repeat(np.arange(len(lengths)), number[lengths])
        pairs, each = np.unique(word * size**2 + tally.keys_of((tokens, offsets)), return_counts=True)
        np.add.at(times, pairs % size**2, each)
        np.add.at(squares, pairs % size**2, each.astype(float) ** 2)
        np.add.at(words, pairs % size**2, 1)
    return times, squares, words


def compare(task, law, chunks, lengths):
    number = sum(len(offsets) - 1 for _, offsets in chunks)
    weights = MIXED if law == "mixed" else {law: 1.0}
    by_level = expected_counts(task, weights, lengths, np.full(len(lengths), 1 / len(lengths)))
    mean = sum(by_level.values()).ravel()
    times, squares, words = shows(task, chunks)
    assert not times[mean == 0].any()

    mass = mean * number * np.divide(words, times, out=np.zeros_like(times), where=times > 0)  # words that should show
    assert (mean[times == 0] * number).max(initial=0) < 39 * 25  # none where 25 words or more should: e^-25
    common = mass >= ENOUGH
    assert common.any()
    error = np.sqrt((squares / number - (times / number) ** 2) / number)
    distance = np.abs(times / number - mean)[common] - 1e-9  # always the same number of times: no error at all
    worst = np.max(distance / np.maximum(error[common], 1e-300), where=distance > 0, initial=0)
    assert worst < FARTHEST

    tally = Tally(task.monoid, task.schedule, task.min_width).add_all(chunks)
    for level, count in by_level.items():  # a level's count is at most the pooled one, and so is its error, nearly
        measured = np.zeros(mean.size)
        measured[tally.pairs(level).keys] = tally.pairs(level).counts
        assert not measured[count.ravel() == 0].any()
        nodes_there = max(int((nodes(task.schedule, int(n)).level == level).sum()) for n in lengths)
        bound = np.sqrt(50 * nodes_there * count.ravel() / number) + 17 * nodes_there / number
        assert (np.abs(measured / number - count.ravel()) <= bound).all()  # Bernstein: 2 e^-25 each
    return mean, words, number, weights


@pytest.mark.parametrize("law", MODES)
def test_words_of_the_datasets_show_what_is_expected(dataset, law):
    """Languages of over 300 classes take a second or more a law: their other laws are with the slow tests."""
    if len(language(dataset).monoid) > 300 and law not in ("composition", "balanced"):
        pytest.skip("with the slow tests")
    check(dataset, law, 12_000, most_keys=20)


@pytest.mark.slow
@pytest.mark.parametrize("law", MODES)
def test_many_words_of_the_datasets_show_what_is_expected(dataset, law):
    check(dataset, law, 100_000, most_keys=1000)


def check(dataset, law, number, most_keys):
    if law == "member" and not language(dataset).machine.is_acceptor:
        pytest.skip("this task has no members")
    task = task_of(dataset)
    chunks, lengths = drawn(dataset, number, sampling=MIXED if law == "mixed" else law)
    mean, words, number, weights = compare(task, law, chunks, lengths)
    keys = np.random.default_rng(6).permutation(np.flatnonzero(mean))[:most_keys]
    chance = Chances(task, weights, lengths, np.full(len(lengths), 1 / len(lengths))).mixed(keys)
    chance = np.clip(chance, 0, 1)
    low, high = stats.binom.cdf(words[keys], number, chance), stats.binom.sf(words[keys] - 1, number, chance)
    sure = chance > 1 - 1e-12  # the chance is a rounded 1
    assert (words[keys][sure] == number).all()
    assert np.minimum(low, high)[~sure].min(initial=1) > TAIL


@pytest.mark.parametrize("min_width", [1, 2])
@pytest.mark.parametrize("schedule", ["tree", "scan", "left"])
@pytest.mark.parametrize("name", ["dyck_d4", "tomita_3", "modular_arithmetic_l2r"])
def test_the_other_schedules_show_what_is_expected(name, schedule, min_width):
    for law in ("balanced", "class"):
        chunks, lengths = drawn(name, 12_000, sampling=law)
        if schedule == "left" and min_width == 2:
            assert expected_counts(task_of(name, schedule, 2), {law: 1.0}, lengths, np.ones(len(lengths))) == {}
        else:
            compare(task_of(name, schedule, min_width), law, chunks, lengths)


@pytest.mark.parametrize("name", ["dyck_d4", "tomita_3", "modular_arithmetic_l2r", "even_pairs"])
@pytest.mark.parametrize("law", ["class", "mixed"])
def test_the_exact_curve_is_the_curve_of_a_big_sample(name, law, own):
    """2,000 test words of each length against the recipe: binomial, a tail of 1e-11 for each of the lengths."""
    sampling = MIXED if law == "mixed" else law
    test = planned(name, sampling=sampling, test_lengths=(41, 44), test_examples_per_length=2000)
    words = [
        row["input_ids"] for i in range(test.splits["test"].num_blocks) for row in test.block("test", i).to_pylist()
    ]
    train = language(name).sample(20, n=40, seed=1) if name != "modular_arithmetic_l2r" else None
    train = train or language(name).sample(21, n=400, seed=1)
    root = as_own(own, name, sampling)
    exact = coverage("own", train, catalogue=root, test_lengths=(41, 44))
    measured = coverage(language(name), train, words)
    lengths, shares = exact.curve
    assert lengths.tolist() == measured.curve[0].tolist() == test.splits["test"].split.lengths.tolist()
    seen = np.rint(measured.curve[1] * 2000)
    tails = stats.binom.cdf(seen, 2000, shares), stats.binom.sf(seen - 1, 2000, shares)
    assert np.minimum(*tails).min() > TAIL
    assert measured.test_words == 2000 * len(lengths)
    assert exact.test_words is None
    # Masses: 8,000 words or fewer with 40 to 43 joins each; sd of a word's covered share is at most 1/2.
    assert abs(exact.test_mass_covered - measured.test_mass_covered) < 7 * 0.5 / np.sqrt(2000 * len(lengths))


def as_own(own, name, sampling):
    """The dataset again under another sampling law, in a catalogue of one's own."""
    weights = {sampling: 1.0} if isinstance(sampling, str) else sampling
    listed = ", ".join(f"{law} = {weight}" for law, weight in weights.items())
    return own(table_of(language(name).machine), f"sampling = {{ {listed} }}\ntest_lengths = [41, 44]")


@pytest.mark.parametrize("name", ["dyck_d3", "tomita_3", "modular_arithmetic_l2r"])
@pytest.mark.parametrize("law", ["balanced", "class", "mixed"])
def test_good_turing_is_near_the_true_unseen_mass(name, law):
    """The mass of what the sample lacks, exactly, and the estimate: over 30 samples their means agree.

    The estimate's expectation is within about p of the truth, p the chance of a composition in one word, summed over
    singletons: compositions come with words, not alone, so 15 % and a thousandth are allowed besides 5 standard errors.
    """
    task, number = task_of(name), 300
    chunks, lengths = drawn(name, 30 * number, sampling=MIXED if law == "mixed" else law)
    weights = MIXED if law == "mixed" else {law: 1.0}
    mean = sum(expected_counts(task, weights, lengths, np.full(len(lengths), 1 / len(lengths))).values()).ravel()
    tokens = np.concatenate([each for each, _ in chunks])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(each) for _, each in chunks]))])
    truths, guesses = [], []
    for part in range(30):
        ends = offsets[part * number : (part + 1) * number + 1]
        report = seqbench_report(name, tokens[ends[0] : ends[-1]], ends - ends[0])
        truths.append(1 - mean[report.train.pairs().keys].sum() / mean.sum())
        guesses.append(report.unseen_mass)
    gap = np.array(guesses) - np.array(truths)
    error = gap.std() / np.sqrt(30)
    assert abs(gap.mean()) < 5 * error + 0.15 * np.mean(truths) + 0.001
    if name != "tomita_3":
        assert np.mean(truths) > 0.002  # else there would be nothing to estimate


def seqbench_report(name, tokens, offsets):
    words = [tokens[a:b] for a, b in itertools.pairwise(offsets)]
    return coverage(language(name), words)


@pytest.mark.parametrize("law", ["uniform", "class", "mixed"])
@pytest.mark.parametrize("name", ["dyck_d4", "tomita_3", "prefix_p2_q4"])
def test_expected_coverage_is_the_mean_of_what_samples_show(name, law):
    """40 training sets of 250 words: the mean number of compositions seen, within 6 standard errors (1e-8 each)."""
    sampling = MIXED if law == "mixed" else law
    found = expected_coverage(name, train_examples=250, sampling=sampling, test_lengths=(41, 42))
    chunks, lengths = drawn(name, 40 * 250, sampling=sampling)
    assert found.examples == 250
    need = found.test_need.ravel()
    tokens = np.concatenate([each for each, _ in chunks])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(each) for _, each in chunks]))])
    seen, mass = [], []
    for part in range(40):
        ends = offsets[part * 250 : part * 250 + 251]
        tally = Tally(task_of(name).monoid)
        tally.add((tokens[ends[0] : ends[-1]], ends - ends[0]))
        keys = tally.pairs().keys
        assert np.isin(keys, found.keys).all()
        seen.append(len(keys))
        mass.append(need[keys].sum() / need.sum())
    for samples, value in ((seen, found.expected_seen), (mass, found.test_mass_covered)):
        assert abs(np.mean(samples) - value) <= 6 * np.std(samples) / np.sqrt(39) + 1e-9
    facts = found.to_dict()
    assert facts["expected_seen"] == found.expected_seen
    assert facts["train_lengths"] == [int(lengths[0]), int(lengths[-1])]
    assert seqbench.language(name).name == facts["language"]
