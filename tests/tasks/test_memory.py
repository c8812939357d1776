"""Memory functions: targets against direct sums, laws of the inputs, complexity measures, bad input."""

import json
import math
import time

import numpy as np
import pyarrow as pa
import pytest
from scipy import special, stats

import seqbench
from seqbench.errors import InputError, UnknownNameError
from seqbench.generation.plan import dataset_names, plan
from seqbench.generation.streams import row_streams, unit_key
from seqbench.generation.tasks.memory import families, inputs, measures, normals
from seqbench.generation.tasks.memory.response import Noise, Response
from seqbench.memory_functions import ALPHAS, memory, relative_mse

NAMES = [name for name in dataset_names() if name.startswith("memory_")]
SMALL = {"train_examples": 300, "validation_examples": 50, "test_examples_per_length": 50}
ACTIVE = {"identity": lambda z: z, "tanh": math.tanh, "relu": lambda z: max(z, 0.0), "square": lambda z: z * z}


def columns(planned, split="train", index=0):
    """Inputs and targets of rows of one length, (rows, steps, ...)."""
    batch = planned.block(split, index)
    return tuple(np.array(batch[name].to_pylist(), np.float32) for name in ("inputs", "targets"))


def oracle(rho, x, matrix, inner, outer):
    """One row's targets by the definition, one product at a time, in exactly rounded sums."""
    steps, channels = x.shape
    u = [[ACTIVE[inner](float(x[t, j])) for j in range(channels)] for t in range(steps)]
    return [
        [
            ACTIVE[outer](math.fsum(rho[s] * matrix[i][j] * u[t - s][j] for s in range(t + 1) for j in range(channels)))
            for i in range(len(matrix))
        ]
        for t in range(steps)
    ]


def close(y, expected):
    expected = np.asarray(expected)
    size = np.sqrt((expected**2).mean())
    return (
        np.abs(y.reshape(expected.shape) - expected).max() <= 1e-6 * max(size, 1e-300) + 1e-7 * np.abs(expected).max()
    )


def formula(family, alpha, horizon, s):
    """The formulas, written again with a root finder of SciPy's."""
    from scipy.optimize import brentq

    tau = (horizon / 2) ** alpha
    steps = np.arange(horizon)
    if family == "exp":
        if tau == 1:
            return (s == 0).astype(float)
        scale = brentq(lambda t: np.exp(-steps / t).sum() - tau, 1e-3, 1e6, xtol=1e-13)
        return np.exp(-s / scale)
    if family == "poly":
        if tau == 1:
            return (s == 0).astype(float)
        power = brentq(lambda p: ((1.0 + steps) ** -p).sum() - tau, 1e-9, 200, xtol=1e-13)
        return (1.0 + s) ** -power
    if family == "impulse":
        return (s == math.floor(alpha * (horizon - 1) + 0.5)).astype(float)
    return special.airy((s - alpha * horizon / 2) / (horizon / 32))[0]


@pytest.mark.parametrize("name", NAMES)
def test_targets_are_direct_sums(name):
    planned = plan(name, **SMALL)
    for split in planned.splits:
        x, y = columns(planned, split)
        rho = planned.task.rho(x.shape[1])
        for row in range(0, len(x), 23):
            assert close(y[row], oracle(rho, x[row][:, None], [[1.0]], "identity", "identity"))
        planned.task.check(pa.Table.from_batches([planned.block(split, 0)]))


@pytest.mark.parametrize("outer", ACTIVE)
@pytest.mark.parametrize("inner", ACTIVE)
@pytest.mark.parametrize("d_in", [1, 3])
def test_activations_and_channels(inner, outer, d_in):
    matrix = [[1, 2, -2][:d_in], [0.5, 0, 1][:d_in]]
    planned = plan("memory_airy", length=40, sigma_1=inner, sigma_2=outer, d_in=d_in, matrix=matrix, train_examples=20)
    x, y = columns(planned)
    unit = [[number / math.hypot(*row) for number in row] for row in matrix]
    rho = planned.task.rho(40)
    for row in range(3):
        assert close(y[row], oracle(rho, x[row].reshape(40, d_in), unit, inner, outer))
    planned.task.check(pa.Table.from_batches([planned.block("train", 0)]))


@pytest.mark.parametrize("family", families.FAMILIES)
@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("horizon", [2, 9, 100, 256])
def test_formulas(family, alpha, horizon):
    rho = memory(family, alpha=alpha, length=horizon).rho
    raw = formula(family, alpha, horizon, np.arange(horizon))
    expected = raw / np.sqrt((raw**2).sum())
    assert np.allclose(rho, expected, rtol=1e-6, atol=1e-9)
    assert (rho**2).sum() == pytest.approx(1, abs=1e-6)


def test_legacy_formulas():
    t = np.arange(100)
    expected = {
        "legacy_exp": np.exp(-t),
        "legacy_poly": (1 + 0.1 * t) ** -1.1,
        "legacy_impulse": ((t > 9) & (t < 11)).astype(float),
        "legacy_bumps": np.exp(-t) + np.exp(-((t - 9.0) ** 2)),
        "legacy_airy": special.airy(t - 6.0)[0],
    }
    assert set(expected) == set(families.LEGACY)
    for family, values in expected.items():
        assert np.allclose(memory(family, normalise="none").rho, values, rtol=1e-6, atol=1e-30)


def test_hybrid_mixes_unit_functions():
    parts = [memory(family, alpha=0.7, length=64).rho for family in ("airy", "poly")]
    mixed = 0.3 * parts[0] + 0.7 * parts[1]
    found = memory("hybrid", first="airy", second="poly", alpha=0.7, lam=0.3, length=64).rho
    assert np.allclose(found, mixed / np.linalg.norm(mixed), atol=1e-6)
    one = memory("hybrid", first="airy", second="poly", alpha=0.7, lam=1, length=64).rho
    assert np.allclose(one, parts[0], atol=1e-6)


@pytest.mark.parametrize("shift", [0, 1, 77, 255])
def test_impulse_is_an_exact_shift(shift):
    x, y = columns(plan("memory_impulse", shift=shift, **SMALL))
    assert np.array_equal(y[:, shift:], x[:, : 256 - shift])
    assert (y[:, :shift] == 0).all()


@pytest.mark.parametrize("family", families.FAMILIES)
def test_causal(family):
    mem, x = memory(family, alpha=0.6, length=200), np.random.default_rng(0).normal(size=200).astype(np.float32)
    before = np.array(mem.targets(x))
    for t in (0, 57, 199):
        changed = x.copy()
        changed[t] += 1
        after = np.array(mem.targets(changed))
        assert np.array_equal(after[:t], before[:t])
        assert np.allclose(after[t:] - before[t:], mem.rho[: 200 - t], atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_mean_square_is_one(name):
    _, y = columns(plan(name, train_examples=4096))
    last = y[:, -1].astype(np.float64) ** 2
    assert abs(last.mean() - 1) < 6 * np.sqrt(2 / len(last))
    other = plan(name, train_examples=4096, normalise="none")
    assert other.task.function.constant == 1


@pytest.mark.parametrize("family", families.FAMILIES)
def test_alpha_moves_mass_or_shift(family):
    found = [memory(family, alpha=alpha, length=256) for alpha in ALPHAS]
    assert (np.diff([each.mean_delay for each in found]) > 0).all()
    if family in ("exp", "poly"):
        assert np.allclose([each.area for each in found], [128**alpha for alpha in ALPHAS])
        assert {each.shift for each in found} == {0}
    else:
        assert (np.diff([each.shift for each in found]) > 0).all() or family == "airy"
        assert (np.diff([each.shift for each in found]) >= 0).all()
    for s in (8, 64):
        assert (np.diff([each.tail_energy(s) for each in found]) >= -1e-12).all() or family == "airy"


@pytest.mark.parametrize("family", ["exp", "poly", "impulse", "airy", "hybrid"])
def test_presets_are_names_for_the_grid_of_alpha(family):
    for tenths, alpha in enumerate(ALPHAS):
        named, given = plan(f"memory_{family}_a{tenths:02d}"), plan(f"memory_{family}", alpha=alpha)
        assert named.config_id == given.config_id
        assert named.recipe == given.recipe
    assert named.block("test", 0).equals(given.block("test", 0))
    assert (
        plan(f"memory_{family}_a03", alpha=0.3, length=64).recipe
        == plan(f"memory_{family}", alpha=0.3, length=64).recipe
    )
    with pytest.raises(InputError, match=rf"is memory_{family} with alpha=0.3, so alpha=0.7 cannot be asked for too"):
        plan(f"memory_{family}_a03", alpha=0.7)


def test_measures_against_other_ways():
    from scipy.linalg import svdvals, toeplitz

    for family in families.FAMILIES:
        mem = memory(family, alpha=0.5, length=90)
        values = svdvals(toeplitz(mem.rho, np.zeros(90)))
        shares = values[values > 1e-14] / values.sum()
        assert mem.effective_rank == pytest.approx(np.exp(stats.entropy(shares)), rel=1e-6)
        assert np.allclose(mem.tail_energy(), [sum(mem.rho[s:] ** 2) / sum(mem.rho**2) for s in range(91)])
    s = np.arange(200)
    for order in (1, 2, 3, 5):
        made = sum((0.95 - 0.17 * k) ** s for k in range(order))
        assert measures.prony_order(made, error=1e-9) == order
    wave = 0.9**s * np.cos(0.3 * s)
    assert measures.prony_order(wave, error=1e-9) == 2
    assert memory("impulse", shift=100).prony_order() is None


@pytest.mark.parametrize("steps", ["all", "last"])
@pytest.mark.parametrize("law", ["normal", "uniform"])
@pytest.mark.parametrize("family", ["poly", "airy"])
def test_no_short_linear_memory_beats_the_floor(family, law, steps):
    """Least squares on many rows, step by step, meets the stated floor within sampling error."""
    options = {"alpha": 0.5, "length": 20, "input_law": law}
    x, y = (each.astype(np.float64) for each in columns(plan(f"memory_{family}", train_examples=4096, **options)))
    task = plan(f"memory_{family}", **options).task
    for taps in (1, 5):
        error = power = 0.0
        for t in range(20) if steps == "all" else [19]:
            seen = np.column_stack([np.ones(len(x)), x[:, max(0, t - taps + 1) : t + 1]])
            fit, *_ = np.linalg.lstsq(seen, y[:, t], rcond=None)
            lost = len(x) / (len(x) - seen.shape[1])  # what least squares gains by fitting noise
            error, power = error + ((seen @ fit - y[:, t]) ** 2).sum() * lost, power + (y[:, t] ** 2).sum()
        moments = {"mean": inputs.MEANS[law], "variance": inputs.VARIANCES[law]}
        floor = measures.best_linear(task.rho(20), taps, steps=steps, **moments).relative_mse
        assert error / power == pytest.approx(floor, rel=0.12, abs=1e-9)


def test_relative_mse():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(5, 7)), rng.normal(size=(5, 7))
    assert relative_mse(np.zeros_like(a), a) == 1
    assert relative_mse(a, a) == 0
    assert relative_mse(b, a) == pytest.approx(((a - b) ** 2).sum() / (a**2).sum())
    mask = rng.random((5, 7)) < 0.5
    assert relative_mse(b, a, mask) == pytest.approx(((a - b)[mask] ** 2).sum() / (a[mask] ** 2).sum())
    assert relative_mse([[1, 2], [3]], [[1, 2], [4]]) == pytest.approx(1 / 21)
    for bad in [([1.0], [1.0, 2.0]), ([0.0], [0.0]), ([math.nan], [1.0]), ("a", [1.0]), (1j, [1.0])]:
        with pytest.raises(InputError):
            relative_mse(*bad)
    with pytest.raises(InputError, match="prediction is None"):
        relative_mse(None, [1.0])


def test_normals():
    streams, out, buffer = row_streams(unit_key("normals"), np.arange(32)), normals.room(20_000), normals.buffers()
    drawn = []
    for row in range(32):
        normals.fill_normals(streams, row, 20_000, buffer, out)
        drawn.append(out[:20_000].copy())
    drawn = np.array(drawn)
    assert stats.kstest(drawn.ravel(), "norm").pvalue > 1e-6
    edges = stats.norm.ppf(np.linspace(0, 1, 65))
    counts, _ = np.histogram(drawn, np.concatenate([[-20], edges[1:-1], [20]]))
    assert stats.chisquare(counts).pvalue > 1e-6
    for lag in (1, 2, 127, 128):
        first, second = drawn[:, :-lag].ravel(), drawn[:, lag:].ravel()
        for f in (lambda z: z, np.square, np.abs):
            assert abs(np.corrcoef(f(first), f(second))[0, 1]) < 6 / np.sqrt(len(first))
    pairs, _, _ = np.histogram2d(*(stats.norm.cdf(drawn[:, k::2].ravel()) for k in (0, 1)), bins=16)
    assert stats.chisquare(pairs.ravel()).pvalue > 1e-6


def test_tanh():
    z = np.concatenate([np.linspace(-30, 30, 5001), np.logspace(-300, 0, 601), [0.05, -0.05]])
    found = np.array([normals.tanh(float(each)) for each in z])
    assert np.allclose(found, np.tanh(z), rtol=1e-14, atol=0)


@pytest.mark.parametrize(
    ("law", "covariance"),
    [
        ("normal", lambda s, t: float(s == t)),
        ("uniform", lambda s, t: (s == t) / 12),
        ("ar1", lambda s, t: 0.8 ** abs(s - t)),
        ("walk", lambda s, t: min(s, t) + 1.0),
    ],
)
@pytest.mark.parametrize("d_in", [1, 2])
def test_input_laws(law, covariance, d_in):
    own = {"phi": 0.8} if law == "ar1" else {}
    batch = plan("memory_exp", length=6, input_law=law, d_in=d_in, train_examples=4096, **own).block("train", 0)
    x = np.array(batch["inputs"].to_pylist()).reshape(-1, 6, d_in)
    mean = 0.5 if law == "uniform" else 0.0
    for j in range(d_in):
        found = (x[:, :, j] - mean).T @ (x[:, :, j] - mean) / len(x)
        expected = np.array([[covariance(s, t) for t in range(6)] for s in range(6)])
        scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)) + expected**2)
        assert (np.abs(found - expected) < 6 * scale / np.sqrt(len(x))).all()
    if d_in == 2:
        across = np.corrcoef(x[:, :, 0].ravel(), x[:, :, 1].ravel())[0, 1]
        assert abs(across) < 0.15
    if law == "uniform":
        assert stats.kstest(x.ravel(), "uniform").pvalue > 1e-6
        assert 0 <= x.min() <= x.max() < 1
    if law == "normal":
        assert stats.kstest(x.ravel(), "norm").pvalue > 1e-6


@pytest.mark.parametrize("snr", [0.5, 20.0])
def test_noise(snr):
    planned = plan("memory_poly", snr=snr, train_examples=500)
    x, y = columns(planned)
    clean = np.array(planned.task.solve(x))
    noise = y - clean
    scaled = noise / np.sqrt((clean**2).mean(axis=1, keepdims=True) / snr)
    assert stats.kstest(scaled.ravel(), "norm").pvalue > 1e-6
    assert abs(np.corrcoef(scaled.ravel(), clean.ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(scaled.ravel(), x.ravel())[0, 1]) < 0.02
    planned.task.check(pa.Table.from_batches([planned.block("train", 0)]))


def test_lengths_and_how_rho_follows():
    given = {"length": 64, "test_lengths": (100, 120), "test_examples_per_length": 3, "train_examples": 10}
    rhos = {mode: plan("memory_poly", memory=mode, **given) for mode in ("fixed", "cut", "rescaled")}
    for mode, planned in rhos.items():
        x, y = columns(planned)
        assert x.shape == y.shape == (10, 64)
        rows = planned.block("test", 0).to_pylist()
        assert sorted({len(row["inputs"]) for row in rows}) == list(range(100, 121))
        for row in rows[::10]:
            n = len(row["inputs"])
            raw = formula("poly", 0.5, n if mode == "rescaled" else 64, np.arange(n))
            rho = raw / np.sqrt((raw[: n if mode == "rescaled" else 64] ** 2).sum())
            if mode == "cut":
                rho[64:] = 0
            assert np.allclose(np.convolve(row["inputs"], rho)[:n], row["targets"], atol=1e-5)
    assert np.array_equal(rhos["fixed"].task.rho(64), rhos["cut"].task.rho(64))


def test_last_target_alone():
    each, last = (columns(plan("memory_airy", targets=wanted, **SMALL)) for wanted in ("steps", "last"))
    assert last[1].shape == (300, 1)
    task = plan("memory_airy", targets="steps").task
    assert np.array_equal(np.array(task.solve(last[0]), np.float32)[:, -1:], last[1])
    assert each[1].shape == (300, 256)


def test_rows_do_not_depend_on_what_else_is_made():
    rows = {}
    for lengths in [(50, 60), (57, 57), (40, 400)]:
        made = plan("memory_airy", test_lengths=lengths, test_examples_per_length=5).splits["test"]
        for index in range(made.num_blocks):
            for row in made.block(index).to_pylist():
                if len(row["inputs"]) == 57:
                    rows.setdefault(lengths, []).append(row)
    first, *others = rows.values()
    assert len(first) == 5
    assert all(other == first for other in others)
    more = plan("memory_airy", test_lengths=57, test_examples_per_length=300).block("test", 0).to_pylist()
    assert more[:5] == first
    long, short = (plan("memory_exp", train_examples=n, train_lengths=(2, 300)).block("train", 0) for n in (900, 9))
    assert long.slice(0, 9) == short


def test_targets_do_not_depend_on_the_last_bits_of_the_transform(monkeypatch):
    """Another transform, with errors of its own as large as a transform's, gives the same bytes."""
    from seqbench.generation.tasks.memory import response

    options = {"length": 300, "train_examples": 500}
    cases = [{}, {"sigma_1": "tanh", "sigma_2": "relu"}, {"sigma_2": "square"}, {"sigma_2": "tanh", "snr": 3}]
    before = [plan("memory_poly", alpha=1, **options, **case).block("train", 0) for case in cases]
    convolve, rng = response._convolve, np.random.default_rng(5)
    monkeypatch.setattr(response, "_convolve", lambda *a: convolve(*a) * 1 + rng.normal(size=a[0].shape) * 4e-15)
    monkeypatch.setattr(response, "_size", lambda least: 1 << (least - 1).bit_length())
    after = [plan("memory_poly", alpha=1, **options, **case).block("train", 0) for case in cases]
    assert before == after


def test_slack_bounds_the_error():
    """The stated bound on the error of transform and sum is ten times what is met."""
    from seqbench.generation.tasks.memory import response

    rng = np.random.default_rng(2)
    for family in families.FAMILIES[:2]:
        rho = memory(family, alpha=1.0, length=1024).rho
        x = rng.normal(size=1024)
        size = response._size(2047)
        found = response._convolve(x[None], response._transform(rho[None], size), size)[0, :1024]
        exact = [math.fsum(rho[s] * x[t - s] for s in range(t + 1)) for t in range(1024)]
        bound = response._error(rho, size) * np.linalg.norm(x)
        assert np.abs(found - exact).max() < bound / 4
        assert np.abs([response._direct(x, rho, t) - exact[t] for t in range(1024)]).max() < bound / 4


def test_solve_and_handle():
    x = np.random.default_rng(3).normal(size=(4, 256)).astype(np.float32)
    found = seqbench.solve("memory_airy", x)
    assert np.allclose(found, [np.convolve(row, memory("airy", alpha=0.5).rho)[:256] for row in x], atol=1e-5)
    assert seqbench.solve("memory_airy", x[0]) == found[0]
    assert memory("airy", alpha=0.5).targets([row.tolist() for row in x]) == found
    ragged = memory("exp").targets([[1.0, 2.0], [3.0]])
    assert [len(row) for row in ragged] == [2, 1]
    several = memory("exp", length=8, d_in=2, matrix="identity").targets(np.ones((3, 5, 2)))
    assert np.shape(several) == (3, 5, 2)
    for bad in ["abc", [["a"]], [[math.nan]], [[]], 3, [[[1, 2]]], [[1.0], [1e300]]]:
        with pytest.raises(InputError):
            memory("exp").targets(bad)


def test_streams_processes_and_formats(tmp_path):
    options = {"alpha": 0.4, "length": 64, "train_examples": 9000, "validation_examples": 0, "cache_dir": str(tmp_path)}
    made = seqbench.load_dataset("memory_airy", **options)
    again = seqbench.load_dataset("memory_airy", num_proc=2, **(options | {"cache_dir": str(tmp_path / "two")}))
    for split in made:
        assert made[split].data.table.equals(again[split].data.table)
    stream = seqbench.load_dataset("memory_airy", split="train", streaming=True, **options)
    assert [row for row, _ in zip(stream, range(50), strict=False)] == made["train"].select(range(50)).to_list()
    as_numpy = made["train"].with_format("numpy")[:20]
    planned = plan("memory_airy", alpha=0.4, length=64, train_examples=9000)
    x, y = columns(planned)
    assert as_numpy["inputs"].dtype == as_numpy["targets"].dtype == np.float32
    assert np.array_equal(as_numpy["inputs"], x[:20])
    assert np.array_equal(as_numpy["targets"], y[:20])
    pytest.importorskip("torch")
    tensors = made["train"].with_format("torch")[:20]
    assert tensors["targets"].numpy().tobytes() == y[:20].tobytes()


def test_several_channels_through_the_library(tmp_path):
    data = seqbench.load_dataset(
        "memory_exp", split="train", length=16, d_in=3, matrix="mix", train_examples=50, cache_dir=str(tmp_path)
    )
    row = data.with_format("numpy")[0]
    assert row["inputs"].shape == row["targets"].shape == (16, 3)
    assert row["inputs"].dtype == np.float32


@pytest.mark.parametrize("name", NAMES)
def test_facts_show_the_earlier_formula_beside_ours(name):
    facts = plan(name).task.facts()
    ours = "seqbench's own" in facts["parameterisation"]
    assert ours == ("legacy" not in name) == ("rho(s) = " in facts.get("earlier_formula", ""))


@pytest.mark.parametrize("name", NAMES)
def test_facts_are_plain(name):
    facts = plan(name).task.facts()
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    assert ("own" in facts["parameterisation"]) == ("legacy" not in name)
    assert {"area", "shift", "mean_delay", "tail_energy", "effective_rank", "best_linear_floor"} <= set(facts)
    assert plan(name).task.show(plan(name).sample(plan(name).recipe.train_lengths[0])[0])["inputs"]


@pytest.mark.parametrize(
    ("name", "options", "part"),
    [
        ("memory_airy", {"alpha": 1.1}, "from 0 to 1"),
        ("memory_airy", {"alpha": -0.1}, "from 0 to 1"),
        ("memory_airy", {"alpha": math.nan}, "from 0 to 1"),
        ("memory_airy", {"length": 1}, "from 2"),
        ("memory_airy", {"length": 2.5}, "whole number"),
        ("memory_airy", {"memory_length": 1}, "from 2"),
        ("memory_airy", {"family": "ary"}, "Did you mean 'airy'"),
        ("memory_airy", {"sigma_1": "tanhh"}, "Did you mean 'tanh'"),
        ("memory_airy", {"sigma_2": "rel"}, "Did you mean 'relu'"),
        ("memory_airy", {"input_law": "normle"}, "Did you mean 'normal'"),
        ("memory_impulse", {"shift": 256}, "does not fit 256"),
        ("memory_impulse", {"shift": 2.5}, "whole number"),
        ("memory_airy", {"shift": 300, "length": 256}, "does not fit 256"),
        ("memory_impulse", {"test_lengths": 100}, "from 129 on"),
        ("memory_exp", {"shift": 3}, "has no shift"),
        ("memory_exp", {"width": 3}, "has no width"),
        ("memory_airy", {"phi": 0.5}, "has no phi"),
        ("memory_airy", {"snr": 0}, "from 1e-09"),
        ("memory_airy", {"snr": -3}, "from 1e-09"),
        ("memory_airy", {"d_in": 17}, "from 1 to 16"),
        ("memory_airy", {"d_in": 3, "matrix": [[1, 2]]}, "3 numbers a row"),
        ("memory_airy", {"matrix": [[0]]}, "not all 0"),
        ("memory_airy", {"matrix": "summ"}, "Did you mean 'sum'"),
        ("memory_legacy_impulse", {"length": 10}, "does not fit 10"),
        ("memory_hybrid", {"lam": 1.5}, "from 0 to 1"),
        ("memory_hybrid", {"second": "expo"}, "Did you mean 'exp'"),
        ("memory_airy", {"train_lengths": (1, 1)}, "from 2 on"),
    ],
)
def test_bad_options(name, options, part):
    with pytest.raises(InputError, match=part):
        _ = plan(name, **options).splits


def test_bad_names():
    with pytest.raises(UnknownNameError, match="Did you mean 'airy'"):
        memory("ary")
    with pytest.raises(UnknownNameError, match="Did you mean 'alpha'"):
        memory("airy", alhpa=0.4)
    with pytest.raises(UnknownNameError, match="no option 'alpha'"):
        plan("memory_legacy_exp", alpha=0.5)
    with pytest.raises(UnknownNameError, match="Did you mean 'memory_airy_a10'"):
        plan("memory_airy_a11")
    with pytest.raises(InputError, match="snr=3 is for a dataset's random rows"):
        memory("exp", snr=3)
    for bad in (1.5, math.nan, "3", -1, [0.5]):
        with pytest.raises(InputError, match="whole numbers of steps"):
            memory("exp").tail_energy(bad)
    with pytest.raises(InputError, match="does not fit 16"):
        memory("impulse", shift=16, length=16)
    with pytest.raises(InputError, match="whole number"):
        memory("exp").best_linear(-1)
    with pytest.raises(InputError, match="'all' or 'last'"):
        memory("exp").best_linear(1, steps="first")
    with pytest.raises(InputError, match="error"):
        memory("exp").prony_order(error=0)
    with pytest.raises(InputError, match="4,096"):
        _ = memory("exp", length=5000).effective_rank


def test_check_finds_a_wrong_target():
    batch = plan("memory_exp", **SMALL).block("train", 0)
    rows = batch.to_pylist()
    rows[7]["targets"][100] += 1e-4
    with pytest.raises(InputError, match="row 7"):
        plan("memory_exp").task.check(pa.Table.from_pylist(rows, schema=batch.schema))


def test_plot(tmp_path):
    pytest.importorskip("matplotlib")
    memory("airy", alpha=0.4).plot(tmp_path / "airy.png")
    assert (tmp_path / "airy.png").stat().st_size > 1000


def test_long_memory_is_quick():
    start = time.process_time()
    batch = plan("memory_poly", alpha=0.7, length=100_000, train_examples=4).block("train", 0)
    assert batch.num_rows == 4
    assert time.process_time() - start < 10


def test_matrix_is_applied_before_the_memory():
    x = np.arange(12, dtype=np.float32)
    out = np.empty(6, np.float32)
    Response(np.array([[0.6, 0.8]])).apply(
        np.array([0.0, 1.0] + [0.0] * 4), x, np.array([6]), np.array([0]), np.array([0]), Noise(), out
    )
    assert np.allclose(out[1:], 0.6 * x[0:10:2] + 0.8 * x[1:11:2])
