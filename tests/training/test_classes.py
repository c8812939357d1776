"""What a tree model has learnt of the classes, against models whose operator is known; profiles."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import seqbench
from seqbench.cli import main
from seqbench.errors import InputError

pytest.importorskip("torch")

import torch

from seqbench.training import classes, loop
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
    assert classes.silhouette(states, names) == pytest.approx(1.0)
    assert classes.silhouette(states, np.tile(np.arange(3), 10)) < 0


def test_models_without_nodes_are_refused(tmp_path):
    settings = resolve("parity_check", "gru", steps=1, check_every=1, options={"width": 8})
    run = loop.train(settings, tmp_path / "run")
    with pytest.raises(InputError, match="ldru or bbt_grc"):
        classes.classes_of(run)


def test_profiles_stop_at_the_limit(tmp_path):
    rows = profile(["gru", "ldru"], [16, 4], batch=2, limit=0.0, repeats=1)
    assert [(row["model"], row["length"]) for row in rows] == [("gru", 4), ("ldru", 4)]
    rows = profile(["gru"], [64, 16], batch=2, repeats=1)
    assert rows[0]["megabytes"] < rows[1]["megabytes"]
    assert "| gru |" in text(rows)
    arguments = ["profile", "--models", "gru", "--lengths", "8", "--lengths", "16", "--png", str(tmp_path / "p.png")]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert (tmp_path / "p.png").exists()
    assert CliRunner().invoke(main, ["profile", "--models", "gruu", "--lengths", "8"]).exit_code == 2
