"""What a tree model has learnt of the classes, against models whose operator is known; profiles."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import seqbench
from seqbench.cli import main
from seqbench.errors import InputError

pytest.importorskip("torch")

import torch

from seqbench.training import classes, embedding, loop
from seqbench.training.profile import profile, text
from seqbench.training.settings import resolve


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    torch.set_num_threads(1)
    settings = resolve(
        "parity_check", "ldru", steps=150, batch=64, check_every=150, also=("node_classes",), options={"width": 16},
        learning_rate=3e-3, recipe={"train_lengths": [1, 16], "test_lengths": [17, 20]},
    )  # fmt: skip
    return loop.train(settings, tmp_path_factory.mktemp("runs") / "run")


def test_a_model_that_has_learnt_parity_multiplies_as_parity_does(run, tmp_path):
    found = classes.classes_of(run, words=512)
    facts = found.facts()
    assert facts["products"] == facts["products_right"] == 4
    assert facts["purity"] == 1.0
    assert facts["wrong"] == []
    done = CliRunner().invoke(main, ["classes", str(run), "--words", "512", "--png", str(tmp_path / "c.png"), "--json"])
    assert json.loads(done.stdout) == facts
    assert (tmp_path / "c.png").stat().st_size > 1000


def test_wrong_products_are_found(run, monkeypatch):
    """An operator that answers with its left operand is right where the class on the right is the identity's."""
    monkeypatch.setattr("seqbench.models.ldru.LDRU.combine", lambda self, pairs: pairs[:, : self.width])
    found = classes._right(
        *_model_and_monoid(run), np.array([0, 1]), np.eye(2, 16), np.array([[0, 0], [0, 1], [1, 0], [1, 1]]),
        torch.device("cpu"),
    )  # fmt: skip
    assert found.tolist() == [True, False, True, False]


def _model_and_monoid(run):
    from seqbench.training.evaluate import learner_of
    from seqbench.training.settings import read

    learner, _ = learner_of(run, read(run), torch.device("cpu"))
    return learner.model, seqbench.language("parity_check").monoid


def test_pairs_are_those_that_words_can_show():
    lang = seqbench.language("dyck_d2")
    monoid, longest = lang.monoid, 9
    expected = {
        (int(a), int(b))
        for width in (1, 2, 4, 8)
        for right in range(1, min(width, longest - width) + 1)
        for a in np.flatnonzero(monoid.reach(width))
        for b in np.flatnonzero(monoid.reach(right))
    }
    assert set(map(tuple, classes._pairs(monoid, np.arange(len(monoid)), longest).tolist())) == expected


def test_silhouette_is_one_for_points_and_negative_for_a_shuffle():
    states = np.repeat(np.eye(3), 10, axis=0)
    names = np.repeat(np.arange(3), 10)
    assert embedding.silhouette(states, names) == pytest.approx(1.0)
    assert embedding.silhouette(states, np.tile(np.arange(3), 10)) < 0


def test_whole_words_of_any_model(run, tmp_path):
    settings = resolve(
        "parity_check", "gru", steps=1, check_every=1, options={"width": 8}, recipe={"train_lengths": [1, 8]}
    )
    untrained = classes.classes_of(loop.train(settings, tmp_path / "run"), words=200)
    assert (untrained.unit, len(untrained.states), untrained.states.shape[1]) == ("words", 200, 8)
    assert untrained.facts()["products"] == 0
    assert untrained.by_training is None
    roots = classes.classes_of(run, words=160, roots=True)
    assert len(roots.states) == 160
    assert roots.purity == 1.0
    assert roots.facts()["silhouette"] > untrained.facts()["silhouette"]


def test_classes_of_words_are_those_of_the_monoid(run):
    """Embeddings and classes are of the same words: a model that tells parity has them on two sides."""
    found = classes.classes_of(run, words=160, roots=True)
    middle = found.prototypes.mean(axis=0)
    side = (found.states - middle) @ (found.prototypes[1] - found.prototypes[0]) > 0
    assert (side == (found.classes == found.known[1])).all()


def untrained(tmp_path, **options):
    settings = resolve("dyck_d2", "ldru", steps=1, check_every=1, batch=4, options={"width": 8}, **options)
    return loop.train(settings, tmp_path / "run")


def test_wrong_products_of_an_untrained_model_by_what_training_showed(tmp_path):
    """One batch of four short words shows few compositions, so that wrong ones are shown and not shown."""
    found = classes.classes_of(untrained(tmp_path, recipe={"train_lengths": [2, 12]}), words=300)
    table = found.by_training
    assert sum(sum(row.values()) for row in table.values()) == len(found.pairs)
    assert sum(row["wrong"] for row in table.values()) == (~found.right).sum() > 0
    assert table["shown"]["wrong"] + table["shown"]["right"] > 0
    assert table["not_shown"]["wrong"] > 0
    text = classes.classes_text(found)
    assert "not shown in training" in text


def test_what_training_showed_is_what_many_seeds_of_it_show(tmp_path):
    """Compositions that all of 8 streams of training words show are told to be shown, those of none are not."""
    from seqbench.training.settings import read

    settings = read(untrained(tmp_path, recipe={"train_lengths": [2, 8]}))
    monoid = seqbench.language("dyck_d2").monoid
    size = len(monoid)
    pairs = np.argwhere(np.ones((size, size), bool))
    steps = 40
    times = np.zeros(size * size)
    for seed in range(8):
        words = seqbench.stream("dyck_d2", batch_size=4, lengths=(2, 8), seed=seed)
        tokens = [row for _ in range(steps) for row in next(words)[0].tolist()]
        times[seqbench.coverage("dyck_d2", tokens, test=tokens[:1]).train.pairs().keys] += 1
    shown = classes.shown_in_training(settings, steps, pairs)
    assert shown[times == 8].all()
    assert not shown[times == 0].any()
    assert 0 < shown.sum() < len(shown)


def test_a_table_of_products_that_is_known():
    """Two of three right products were shown; the wrong one was not, and one wrong one was."""
    monoid = seqbench.language("parity_check").monoid
    pairs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    found = classes.Classes(
        monoid, np.eye(2), np.array([0, 1]), np.array([0, 1]), np.eye(2), pairs,
        right=np.array([True, True, False, False]), shown=np.array([True, True, True, False]),
    )  # fmt: skip
    assert found.by_training == {"shown": {"right": 2, "wrong": 1}, "not_shown": {"right": 0, "wrong": 1}}
    zero, one = monoid.name(0), monoid.name(1)
    assert found.facts()["wrong"] == [
        {"left": one, "right": zero, "shown": True},
        {"left": one, "right": one, "shown": False},
    ]
    text = classes.classes_text(found)
    assert f"Wrong though shown: ({one}, {zero or 'empty'})" in text
    assert f"Wrong, not shown: ({one}, {one})" in text
    unknown = classes.classes_text(replace(found, shown=None))
    assert f"Wrong: ({one}, {zero or 'empty'}), ({one}, {one})" in unknown


@pytest.mark.parametrize("words", [1, 10, 163])
def test_as_many_words_are_looked_at_as_were_asked_for(run, words):
    assert len(classes.classes_of(run, words=words, roots=True).states) == words


def test_silhouette_is_that_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    states, names = rng.normal(size=(300, 5)), rng.integers(0, 4, 300)
    states[names == 1] += 2
    assert embedding.silhouette(states, names) == pytest.approx(metrics.silhouette_score(states, names))


def test_tsne_keeps_far_clouds_apart_and_is_repeatable():
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    states = rng.normal(size=(120, 6)) + 50 * np.repeat(np.eye(6)[:2], 60, axis=0)
    places, chosen, _ = embedding.projected(states, "tsne")
    assert chosen.tolist() == list(range(120))
    assert embedding.silhouette(places, np.repeat([0, 1], 60)) > 0.5
    assert np.array_equal(places, embedding.projected(states, "tsne")[0])


def test_projections_that_cannot_be(run, monkeypatch):
    done = CliRunner().invoke(main, ["classes", str(run), "--projection", "pcaa"])
    assert (done.exit_code, "'pca'" in done.output) == (2, True)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(InputError, match="scikit-learn"):
        embedding.checked_projection("tsne")
    with pytest.raises(InputError, match="no plane"):
        embedding.projected(np.zeros((3, 1)))


def test_a_picture_has_as_many_of_a_frequent_class_as_of_a_rare_one():
    of = np.array([7] * 5000 + [2] * 30 + [9] * 150)
    found = classes._of_each_class(of)
    assert (np.diff(found) > 0).all()
    assert np.array_equal(np.unique(of[found], return_counts=True)[1], [30, 100, 75])


def test_profiles_stop_at_the_limit(tmp_path):
    rows = profile(["gru", "ldru"], [16, 4], batch=2, limit=1e-9, repeats=1)
    assert [(row["model"], row["length"]) for row in rows] == [("gru", 4), ("ldru", 4)]
    rows = profile(["gru"], [64, 16], batch=2, repeats=1)
    assert rows[0]["megabytes"] < rows[1]["megabytes"]
    assert "| gru |" in text(rows)
    arguments = ["profile", "--models", "gru", "--lengths", "8", "--lengths", "16", "--png", str(tmp_path / "p.png")]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert (tmp_path / "p.png").exists()
    assert CliRunner().invoke(main, ["profile", "--models", "gruu", "--lengths", "8"]).exit_code == 2


def test_a_profile_prints_nothing_but_its_bars_and_table():
    """PyTorch's profiler has lines of its own, written past Python."""
    code = [sys.executable, "-m", "seqbench", "profile", "--models", "gru", "--lengths", "8"]
    done = subprocess.run(code, check=True, capture_output=True, text=True)
    assert {line.split(":")[0] for line in done.stderr.splitlines() if line} == {"Profiling gru"}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--limit", "nan"], "limit is nan"),
        (["--limit", "-1"], "limit is -1"),
        (["--limit", "0"], "limit is 0"),
        (["--lengths", "1000000000"], "10,000,000"),
        (["--png", "none/p.png"], "no folder"),
        (["--png", "p.gif"], "ends in .png"),
        (["--device", "meta"], "'meta'"),
        (["--models", "gruu"], "'gru'"),
    ],
)
def test_a_profile_refuses_before_it_measures(more, words, monkeypatch):
    monkeypatch.setattr("seqbench.training.profile._pass", lambda *_: pytest.fail("it measured"))
    done = CliRunner().invoke(main, ["profile", "--models", "gru", "--lengths", "8", *more])
    assert (done.exit_code, words in done.stderr) == (2, True), done.stderr


def test_a_run_on_texts_has_no_classes_and_says_so(tmp_path):
    from seqbench.training.texts import TextData

    (tmp_path / "t.csv").write_text("text,label\n" + "".join(f"a{i},{i % 2}\n" for i in range(40)), encoding="utf-8")
    texts = TextData(path=str(tmp_path / "t.csv"))
    made = loop.train(resolve(texts.path, "gru", texts=texts, steps=1, check_every=1, batch=4), tmp_path / "run")
    with pytest.raises(InputError, match="was trained on texts, which have no syntactic classes"):
        classes.classes_of(made)
