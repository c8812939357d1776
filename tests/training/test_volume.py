"""Exact-solution volumes: checks against brute force with the model itself, estimates against known volumes."""

import itertools
import json
import math
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from seqbench.cli import main
from seqbench.errors import InputError, SeqbenchError, UnknownNameError
from seqbench.training.intervals import clopper_pearson
from seqbench.training.volume import plane, segment, splitting
from seqbench.training.volume.estimate import Estimate, best, facts, of_runs, table, volumes
from seqbench.training.volume.hard import wrong_share
from seqbench.training.volume.judge import Judge
from seqbench.training.volume.picture import slope
from seqbench.training.volume.proposal import Proposal, has_proposal
from seqbench.training.volume.splitting import Box
from seqbench.training.volume.verdicts import FIRST, INDEX, MAJORITY, MODELS, POS, RIGHT, SIN, TASKS, UNDECIDED, WRONG

torch = pytest.importorskip("torch")

from seqbench.models.lengths import Lengths  # noqa: E402
from seqbench.models.nesv import Attention  # noqa: E402

LABELS = {
    "first": lambda bits, _: bits[:, 0],
    "majority": lambda bits, _: (2 * bits.sum(axis=1) > bits.shape[1]).astype(int),
    "index": lambda bits, k: bits[:, k - 1],
    "parity": lambda bits, _: bits.sum(axis=1) % 2,
}


def brute(task, model, theta, n, hidden):
    """Whether the model in PyTorch with these parameters is strictly right on all words of length n and all indices."""
    encoder = Attention(model.removeprefix("a_"), hidden=hidden, index=task == "index").double()
    torch.nn.utils.vector_to_parameters(torch.from_numpy(theta), encoder.parameters())
    bits = np.arange(2**n)[:, None] >> np.arange(n) & 1
    right = True
    for k in range(1, n + 1 if task == "index" else 2):
        words = np.c_[bits, np.full(len(bits), k + 1)] if task == "index" else bits
        where = Lengths.read(torch.full((len(words),), words.shape[1]), torch.zeros(words.shape))
        with torch.inference_mode():
            logits = encoder(torch.from_numpy(words), where).numpy()
        margins = (logits[:, 1] - logits[:, 0]) * (2 * LABELS[task](bits, k) - 1)
        right = right and bool((margins > 0).all())
    return right


NEAR = 30


def nearly(task, model, n, hidden, rng, samples=20_000, half=1.0):
    """Parameters of all verdicts, most of them nearly right, and their verdicts."""
    judge = Judge(TASKS[task], MODELS[model], n, hidden)
    box = Box(judge.dimension, half, ("test", task, model, n))
    parameters = rng.uniform(-half, half, (samples, judge.dimension))
    near = parameters[np.argsort(judge(parameters)[0])[:NEAR]]
    for move in range(6):  # on from there, so that rare right ones are reached
        more = np.concatenate([near, box.moved(near, ("a", move)), box.moved(near, ("b", move))])
        near = more[np.argsort(judge(more)[0], kind="stable")[:NEAR]]
    chosen = np.concatenate([near, parameters[:10]])
    return chosen, judge(chosen)


CASES = [
    (task, model, n)
    for task, model, n in itertools.product(TASKS, MODELS, (1, 2, 3, 6, 9))
    if (task != "majority" or n % 2) and (task != "index" or n < 9)
]


@pytest.mark.parametrize(("task", "model", "n"), CASES)
def test_verdicts_are_those_of_the_model_on_every_word(task, model, n):
    parameters, (wrong, verdicts) = nearly(task, model, n, 5, np.random.default_rng(n))
    assert not (verdicts == UNDECIDED).any()
    assert (wrong[verdicts == RIGHT] == 0).all()
    assert [brute(task, model, theta, n, 5) for theta in parameters] == (verdicts == RIGHT).tolist()


@pytest.mark.parametrize("half", [1e-3, 1, 12, 20, 50, 1e6])
@pytest.mark.parametrize(("task", "model"), list(itertools.product(TASKS, MODELS)))
def test_verdicts_are_those_of_the_model_in_boxes_of_all_sizes(task, model, half):
    """Scores grow like B^4: weights of whole words vanish beside those of others."""
    parameters, (wrong, verdicts) = nearly(task, model, 3, 5, np.random.default_rng(3), 1000, half)
    assert np.isfinite(wrong).all()
    assert not (verdicts == UNDECIDED).any()
    assert [brute(task, model, theta, 3, 5) for theta in parameters] == (verdicts == RIGHT).tolist()


def test_no_margin_is_wrong_beside_the_greatest():
    """Splitting takes 0 as all right, so that a vanishing share must not round to it."""
    assert wrong_share(np.array([segment.LEAST, 1e40])) > 0
    assert wrong_share(np.array([0.0, 1e40])) == 0


@pytest.mark.parametrize("seed", range(20))
def test_a_bound_at_the_rounding_error_proves_nothing(seed):
    """The word 0111111 is wrong, by weights that rounding swallows beside those of the other words."""
    rows, gains, word = np.zeros((3, 7, 2)), np.ones(1), np.arange(7) > 0
    rows[0], rows[1] = [-1.0, 1.0], -0.1  # what the unit reads, and the constant
    rows[2] = np.random.default_rng(seed).uniform(0, 1, (7, 2))  # logarithms of weights
    rows[2, 0], rows[2, :, 1] = rows[2, 0] - 40, rows[2, :, 1] - 40
    assert plane.margin_of(rows, gains, word.astype(int)) > 0
    assert plane.bounded(rows, gains, FIRST, 0, 0) != RIGHT


def test_those_cases_hold_right_and_wrong_parameters():
    counts = {}
    for task, model, n in [
        ("first", "a_pos", 9),
        ("majority", "a_gen", 9),
        ("majority", "a_sin", 3),
        ("index", "a_pos", 2),
    ]:
        _, (_, verdicts) = nearly(task, model, n, 5, np.random.default_rng(n))
        counts[task, model] = (verdicts == RIGHT).sum(), (verdicts == WRONG).sum()
    assert all(right >= 10 and wrong >= 10 for right, wrong in counts.values()), counts


@pytest.mark.parametrize("seed", range(200))
def test_sums_avoid_spans_exactly(seed):
    """Weights of all shapes, spans at random and close to sums: against all sums."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 12))
    weights = rng.dirichlet(np.full(size, rng.choice([0.1, 1.0, 10.0])))
    most = int(rng.integers(0, size + 1))
    sums = [sum(part) for many in range(most + 1) for part in itertools.combinations(weights, many)]
    edges = np.sort(rng.uniform(0, 1, (3, 2)) * rng.choice([1, 0.01]), axis=1) + rng.choice(sums, (3, 1)) * rng.choice(
        [0, 1]
    )
    spans = edges[np.argsort(edges[:, 0])]
    hit = any(left <= total <= right for total in sums for left, right in spans)
    assert segment.avoided(weights, most, spans) == (WRONG if hit else RIGHT)


def test_a_search_that_is_too_long_is_undecided():
    """Sums of equal weights between which tiny spans lie: nothing is pruned, and 2^40 sums are too many."""
    weights = np.full(41, 1 / 41) + np.arange(41) * 1e-12
    assert segment.avoided(weights, 20, np.array([[0.3001, 0.3001 + 1e-14]])) == UNDECIDED


@pytest.mark.parametrize("seed", range(50))
def test_wrong_spans_are_where_the_margin_is_not_negative(seed):
    rng = np.random.default_rng(seed)
    lines, constant = rng.uniform(-1, 1, (3, 6)), rng.uniform(-1, 1)
    spans = np.empty((8, 2))
    found = spans[: segment.wrong_spans(lines, constant, spans)]
    for t in np.linspace(0, 1, 997):
        inside = any(left <= t <= right for left, right in found)
        assert inside == (segment.margin(lines, constant, t) >= 0)


@pytest.mark.parametrize("seed", range(30))
def test_bounds_of_sin_never_contradict_the_words(seed):
    """The linear bound proves only what is right, and the attack finds only what is wrong."""
    rng = np.random.default_rng(seed)
    n, judge = 7, Judge(MAJORITY, SIN, 7, 4)
    rows, gains = np.empty((6, n, 2)), np.empty(4)
    words = np.arange(2**n)[:, None] >> np.arange(n) & 1
    for theta in rng.uniform(-1, 1, (40, judge.dimension)):
        plane.fill(theta, 0, rows, gains)
        margins = np.array([plane.margin_of(rows, gains, word) for word in words])
        for label in (0, 1):
            these = margins[(2 * words.sum(axis=1) > n) == label]
            right = (these > 0).all() if label else (these < 0).all()
            assert plane.bounded(rows, gains, MAJORITY, 0, label) in {UNDECIDED, RIGHT if right else WRONG}


def corner(edge):
    """A score whose set is a corner of the cube [-1, 1]^D: all coordinates above 1 - 2 edge; its volume is edge^D."""

    def score(points):
        away = np.maximum(1 - 2 * edge - points, 0).sum(axis=1)
        return away, np.where(away == 0, RIGHT, WRONG).astype(np.int8)

    return score


def simplex(points):
    """The simplex sum (1 - x_i) / 2 <= 1, whose share of the cube is 1 / D!."""
    away = np.maximum(((1 - points) / 2).sum(axis=1) - 1, 0)
    return away, np.where(away == 0, RIGHT, WRONG).astype(np.int8)


@pytest.mark.parametrize(
    ("score", "dimension", "volume"),
    [(corner(0.1), 6, 1e-6), (simplex, 8, 1 / math.factorial(8)), (simplex, 10, 1 / math.factorial(10))],
    ids=["corner", "simplex of 8", "simplex of 10"],
)
def test_splitting_finds_known_volumes(score, dimension, volume):
    box = Box(dimension, 1.0, ("known", dimension))
    levels = splitting.levels_of(box, score, 1000)
    found = of_runs(1, np.array([splitting.split(box, score, levels, run, 400) for run in range(16)]))
    error = found.volume / math.sqrt(found.effective)
    assert abs(found.volume - volume) < 4 * error
    assert found.effective > 50


@pytest.mark.parametrize(
    ("task", "model", "n"), [("first", "a_pos", 5), ("majority", "a_gen", 9), ("first", "a_norm", 3)]
)
def test_splitting_agrees_with_plain_monte_carlo(task, model, n):
    judge = Judge(TASKS[task], MODELS[model], n, 4)
    box = Box(judge.dimension, 1.0, ("both", task, model))
    total, right, _ = np.sum(list(splitting.plain(box, judge, 100_000)), axis=0)
    levels = splitting.levels_of(box, judge, 1000)
    found = of_runs(n, np.array([splitting.split(box, judge, levels, run, 400) for run in range(16)]))
    share = right / total
    error = math.hypot(math.sqrt(share / total), found.volume / math.sqrt(found.effective))
    assert abs(found.volume - share) < 4 * error


@pytest.mark.parametrize(("model", "n"), [("a_pos", 2), ("a_pos", 33), ("a_norm", 9)])
def test_weighted_points_of_a_proposal_are_uniform_in_the_box(model, n):
    judge = Judge(INDEX, MODELS[model], n, 1)
    box = Box(judge.dimension, 3.0, ("proposal", model, n))
    points = np.concatenate([box.points((batch,), 4096) for batch in range(50)])
    theta, weights = Proposal(judge, box.half).parameters(points)
    assert 0 < weights.max() <= 4
    assert (np.abs(theta[weights > 0]) <= box.half).all()
    bend = np.einsum("ij,ij->i", theta[:, :2], theta[:, 4:6])  # a.s, about which points are dense
    known = np.einsum("ij,ij->i", points[:, :2], points[:, 4:6])
    for mine, plain in (
        (np.ones(len(theta)), np.ones(len(theta))),
        *((theta[:, i] ** power, points[:, i] ** power) for i in range(8) for power in (1, 2)),
        *((np.abs(bend) < width, np.abs(known) < width) for width in (0.1, 1.0, 6.0)),
    ):
        terms = weights * mine - plain
        assert abs(terms.mean()) < 4.5 * terms.std() / math.sqrt(len(terms)) + 1e-12


@pytest.mark.parametrize(("model", "n", "half"), [("a_pos", 2, 3.0), ("a_norm", 2, 3.0), ("a_norm", 3, 10.0)])
def test_importance_sampling_agrees_with_plain_monte_carlo(model, n, half):
    judge = Judge(INDEX, MODELS[model], n, 4)
    box = Box(judge.dimension, half, ("importance", model))
    proposal = Proposal(judge, half)
    total, right, _ = np.sum(list(splitting.plain(box, lambda points: judge(points, quick=True), 200_000)), axis=0)
    levels = splitting.levels_of(box, proposal, 1000)
    runs = range(32)
    pairs = [splitting.split(box, proposal, levels, run, 400, proposal.weights) for run in runs]
    found, share = of_runs(n, np.array(pairs)), right / total
    error = math.hypot(math.sqrt(share / total), found.volume / math.sqrt(found.effective))
    assert found.effective > 20
    assert abs(found.volume - share) < 4 * error


def test_parameters_of_which_no_component_is_the_longer_one_are_outside():
    judge = Judge(INDEX, POS, 5, 1)
    points = np.zeros((1, judge.dimension))  # a = 0: no component is the longer one
    shares, verdicts = Proposal(judge, 1.0)(points)
    assert (shares.tolist(), verdicts.tolist()) == ([math.inf], [WRONG])
    assert not has_proposal(Judge(FIRST, POS, 5, 1))


def quadrature():
    """V of FIRST at n = 1 with one unit and B = 1: right if g(0) < 0 < g(1), integrated on a grid, not sampled.

    Given the unit's row x, y, the values of the two bits are x c_1 + y c_2 + rest, with rest = x b_1 + y b_2 + bias;
    the constant and the gain have triangular laws on [-2, 2].
    """
    nodes, weights = np.polynomial.legendre.leggauss(8)
    nodes, weights = (nodes + 1) / 2, weights / 2  # of x, y in [0, 1]: the rest is symmetric
    grid = np.linspace(-5, 5, 201)  # of values
    gain, each = np.polynomial.legendre.leggauss(40)
    gain, each = gain + 1, each * (2 - (gain + 1)) / 4  # positive gains on [0, 2], density (2 - u) / 4

    def below(c):  # the distribution function of the triangular law
        c = np.clip(c, -2, 2)
        return np.where(c < 0, (2 + c) ** 2 / 8, 1 - (2 - c) ** 2 / 8)

    on = np.maximum(grid, 0)
    low, high = np.minimum.outer(on, on), np.maximum.outer(on, on)
    between = sum(w * (below(-u * low) - below(-u * high)) for u, w in zip(gain, each, strict=True))
    total = 0.0
    for (x, wx), (y, wy) in itertools.product(zip(nodes, weights, strict=True), repeat=2):
        law, rest = sums_of(grid, [x, y]), sums_of(grid, [x, y, 1.0])
        for place in np.flatnonzero(rest > 1e-9):
            shifted = np.interp(grid - grid[place], grid, law, left=0, right=0)
            total += wx * wy * rest[place] * (shifted @ between @ shifted)
    return total  # a pair of values is in order for one sign of the gain, and both signs are equally likely


def sums_of(grid, scales):
    """The law on the grid of a sum of uniform numbers on [-s, s], as weights that sum to 1."""
    step, law = grid[1] - grid[0], (np.arange(len(grid)) == len(grid) // 2).astype(float)
    for s in scales:
        edges = np.concatenate([grid - step / 2, grid[-1:] + step / 2])
        law = np.convolve(law, np.diff(np.clip(edges, -s, s)) / (2 * s), mode="same")
    return law


def test_plain_monte_carlo_finds_an_integrated_volume():
    (found,) = volumes("first", "a_pos", [1], hidden=1, samples=200_000)
    volume = quadrature()
    assert abs(found.volume - volume) < 4 * math.sqrt(volume / found.samples)


def test_particles_stay_in_the_box_and_steps_keep_the_uniform_law():
    box = Box(3, 0.5, ("stay",))
    points = box.points(("start",), 4096)
    for move in range(5):
        points = box.moved(points, (move,))
    assert np.abs(points).max() <= 0.5
    counts = np.histogram(points, bins=10, range=(-0.5, 0.5))[0]
    assert np.abs(counts - counts.mean()).max() < 5 * math.sqrt(counts.mean())


def test_a_set_that_splitting_cannot_find_has_no_levels():
    assert (
        splitting.levels_of(Box(2, 1.0, ("never",)), lambda points: (np.ones(len(points)), np.zeros(len(points))), 50)
        == []
    )


def test_runs_without_a_hit_warn():
    found = of_runs(9, np.zeros((4, 2)))
    assert (found.volume, found.low, found.high) == (0, 0, 1)
    assert found.warning
    few = of_runs(9, np.array([[1e-6, 1e-6], [0, 0], [0, 0], [0, 0]]))
    assert "Effective hits are few" in few.warning
    assert few.low < few.volume < few.high


def test_undecided_samples_widen_the_interval_upwards():
    sure, open_ = of_runs(9, np.full((4, 2), 1e-3)), of_runs(9, np.tile([1e-3, 2e-3], (4, 1)))
    assert open_.low == sure.low
    assert open_.high == pytest.approx(2 * sure.high)


def test_zero_hits_have_the_rule_of_three():
    assert clopper_pearson(0, 3000)[1] == pytest.approx(1e-3, rel=2e-3)
    low, high = clopper_pearson(7, 50)
    tail = lambda p, counts: sum(math.comb(50, k) * p**k * (1 - p) ** (50 - k) for k in counts)  # noqa: E731 - one formula
    assert tail(low, range(7, 51)) == pytest.approx(0.025)
    assert tail(high, range(8)) == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("task", "model", "n"),
    [
        ("first", "a_gen", 2),
        ("index", "a_gen", 3),
        ("parity", "a_gen", 6),
        ("parity", "a_pos", 6),
        ("parity", "a_norm", 7),
    ],
)
def test_volumes_that_are_proved_to_be_zero_have_no_right_sample(task, model, n):
    (found,) = volumes(task, model, [n], hidden=4)
    assert (found.method, found.volume, found.high) == ("proved", 0, 0)
    parameters = np.random.default_rng(0).uniform(-1, 1, (20_000, Judge(TASKS[task], MODELS[model], n, 4).dimension))
    assert not Judge(TASKS[task], MODELS[model], n, 4)(parameters)[1].any()


def test_equal_seeds_give_equal_estimates_and_others_do_not():
    one, same, other = (volumes("majority", "a_gen", [5], samples=5000, seed=seed) for seed in (0, 0, 1))
    assert one == same
    assert one[0].volume != other[0].volume


def test_the_index_in_the_attention_of_norm_and_pos_agrees_at_n_of_one():
    assert Judge(INDEX, POS, 1, 3)(np.zeros((1, 33)))[1].tolist() == [WRONG]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"lengths": [4]}, "even"),
        ({"lengths": [0]}, "n is 0"),
        ({"box": 0.0}, "from 0.001 to 1,000,000"),
        ({"box": math.nan}, "from 0.001 to 1,000,000"),
        ({"box": 1e308}, "from 0.001 to 1,000,000"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**64}, "seed is 18446744073709551616, out of range"),
        ({"samples": 0}, "samples is 0"),
        ({"hidden": 0}, "hidden is 0"),
    ],
)
def test_numbers_out_of_range_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        volumes(**{"task": "majority", "model": "a_gen", "lengths": [3], **arguments})


def test_unknown_names_are_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="a_norm"):
        volumes("index", "a_nrm", [3])
    with pytest.raises(UnknownNameError, match="majority"):
        volumes("majorty", "a_gen", [3])


def command(*arguments):
    return CliRunner().invoke(main, ["nesv", *map(str, arguments)])


def test_the_command_as_it_is_written(tmp_path):
    done = command("--task", "first", "--model", "a_pos", "-n", 3, 5, "--box", 1, "--samples", "10^4",
                   "--png", tmp_path / "v.png", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == facts(volumes("first", "a_pos", [3, 5], samples=10_000))
    assert (tmp_path / "v.png").stat().st_size > 1000
    assert "importance" in command("--task", "index", "--model", "a_pos", "-n", 2, "--samples", "2e3").stdout
    assert "proved" in command("--task", "parity", "--model", "a_pos", "-n", 33).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--samples", "many"],
        ["--samples", "1.5"],
        ["--samples", "nan"],
        ["--samples", "1" + "0" * 5000],
        ["--samples", "10^99"],
        ["--seed", "-1"],
        ["--box", "0"],
        ["--png", "v.txt"],
        ["--model", "gen"],
        ["--samples", "9^9999"],
    ],
)
def test_bad_input_ends_with_one_sentence(arguments):
    done = command("--task", "first", "--model", "a_pos", "-n", 3, *arguments)
    assert done.exit_code == 2
    assert not isinstance(done.exception, (SeqbenchError, ValueError))
    assert len(done.stderr) < 600


def test_the_command_ends_in_boxes_of_all_sizes():
    """Scores beyond what exp can take: no division by 0 on the way."""
    for task, model, box in (("majority", "a_gen", 20), ("parity", "a_sin", 1e6), ("first", "a_sin", 50)):
        done = command("--task", task, "--model", model, "-n", 3, "--box", box, "--samples", 3000)
        assert done.exit_code == 0, done.output


def test_bars_are_there_for_every_length_and_obey_the_switch(monkeypatch):
    monkeypatch.delitem(sys.modules, "datasets", raising=False)  # its own switch rules where it is loaded
    arguments = ["--task", "index", "--model", "a_pos", "-n", 2, 3, "--samples", 500]
    done = command(*arguments)
    for n in (2, 3):
        assert f"n = {n}, plain: " in done.stderr
        assert f"n = {n}, importance: " in done.stderr
    assert "levels" in done.stderr
    monkeypatch.setenv("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    again = CliRunner().invoke(main, ["nesv", *map(str, arguments)])
    assert (again.stdout, again.stderr) == (done.stdout, "")


def test_a_picture_without_a_hit_shows_the_bounds(tmp_path):
    done = command("--task", "parity", "--model", "a_pos", "-n", 5, "--samples", 200, "--png", tmp_path / "v.svg")
    assert done.exit_code == 0, done.stderr
    assert "no hit: below this" in (tmp_path / "v.svg").read_text()


def test_the_picture_needs_a_volume_that_may_be_above_zero(tmp_path):
    done = command("--task", "parity", "--model", "a_pos", "-n", 33, "--png", tmp_path / "v.png")
    assert done.exit_code == 2
    assert "nothing to draw" in done.stderr
    assert "proved" in done.stdout  # what was measured is told
    assert not list(tmp_path.iterdir())


def test_few_effective_hits_have_the_interval_of_plain_monte_carlo():
    for seed in range(3):
        first, other = volumes("index", "a_pos", [5], samples=10_000, seed=seed)
        assert other.effective < 20
        assert (other.low, other.high) == (first.low, max(first.high, other.volume))
        assert "the interval is plain's" in table([first, other])
    enough = volumes("majority", "a_gen", [33], samples=20_000)[-1]
    assert enough.effective >= 20
    assert (enough.low > 0, enough.warning) == (True, "")


def test_the_best_estimate_of_a_length_has_most_effective_hits():
    plain, other = Estimate(5, "plain", 0, 0, 1, 3.0, 10), Estimate(5, "splitting", 0, 0, 1, 30.0, 10)
    assert best([plain, other]) == best([other, plain]) == [other]
    assert "splitting" in table([plain, other])
    assert math.isnan(slope([plain]))
