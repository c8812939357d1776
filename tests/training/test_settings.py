"""Settings decided before training: published ones by dataset, lengths that a model can read, further losses."""

import pytest
from click.testing import CliRunner

from seqbench.cli import main
from seqbench.errors import InputError

torch = pytest.importorskip("torch")

from seqbench.generation.plan import language_dataset_names  # noqa: E402 -- torch may be absent
from seqbench.models.tree import associativity  # noqa: E402
from seqbench.training import loop  # noqa: E402
from seqbench.training.data import Source, plan_of  # noqa: E402
from seqbench.training.learner import Learner  # noqa: E402
from seqbench.training.settings import resolve  # noqa: E402

MILLION = {"dyck_d4", "dyck_d6", "dyck_d8", "dyck_d12", "modular_arithmetic", "modular_arithmetic_l2r"}
CHOMSKY = {"parity_check", "even_pairs", "cycle_navigation", "modular_arithmetic", "modular_arithmetic_l2r"}


@pytest.mark.parametrize("task", language_dataset_names())
def test_the_paper_tier_of_the_recurrent_unit_is_the_published_one(task):
    """arXiv 2605.26035: rates, steps and dropout by dataset."""
    settings = resolve(task, "ldru", "paper")
    assert settings.steps == (10**6 if task in MILLION else 10**5)
    assert settings.learning_rate == (1e-4 if task.startswith("dyck_d") else 1e-3)
    assert settings.options == {"width": 64, "dropout": 0.1 if task in CHOMSKY else 0.25}
    assert (settings.batch, settings.optimiser, settings.warmup, settings.clip) == (256, "amsgrad", 0.2, 1.0)
    assert settings.centralise


def test_the_paper_tier_of_others():
    assert resolve("dyck_d6", "pr_lstm", "paper").steps == 10**6
    assert resolve("tomita_1", "transformer", "paper").learning_rate == 1e-4
    assert resolve("dyck_d6", "transformer", "paper").learning_rate == 1e-4
    assert resolve("modular_arithmetic_brackets", "lstm", "paper").steps == 10**5  # of no study of these


@pytest.mark.parametrize("chosen", [{}, {"train_lengths": [1, 11]}])
def test_the_weights_of_positions_begin_as_small_as_the_training_lengths_say(chosen):
    settings = resolve("nesv_first", "nesv", "paper", recipe=chosen)
    longest = chosen.get("train_lengths", [1, 51])[1]
    assert Learner(settings, plan_of(settings)).config["trained_to"] == longest
    asked = resolve("nesv_first", "nesv", "paper", recipe=chosen, options={"trained_to": 5})
    assert Learner(asked, plan_of(asked)).config["trained_to"] == 5


def test_too_few_positions_are_told_before_training(tmp_path):
    arguments = ["train", "parity_check", "--model", "transformer", "--set", "positions=learned", "--set"]
    done = CliRunner().invoke(main, [*arguments, "max_length=100", "--out", str(tmp_path / "run")])
    assert done.exit_code == 2
    assert "has 100 positions here, and is to be measured at 500 symbols. Give --set max_length=500" in done.stderr
    assert not (tmp_path / "run").exists()
    few = ["--recipe", "test_lengths=[41, 100]", "--steps", "1", "--set", "layers=1", "--set", "width=16"]
    few += ["--test-words", "2", "--test-lengths", "2", "--check-every", "1", "--batch", "4"]
    done = CliRunner().invoke(main, [*arguments, "max_length=100", "--out", str(tmp_path / "run"), *few])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("also", [(), ("syntactic_class",), ("node_classes",)])
def test_the_associativity_regulariser_is_added_with_its_weight(also):
    losses = []
    for weight in (0.0, 1.0, 3.0):
        settings = resolve("dyck_d2", "ldru", options={"width": 8, "dropout": 0.0}, also=also, associativity=weight)
        torch.manual_seed(0)
        learner = Learner(settings, plan_of(settings))
        batch = Source(settings).batch(0)
        torch.manual_seed(1)
        losses.append(learner(batch, torch.device("cpu")).item())
    with torch.no_grad():
        nodes = learner.model.node_states(batch.inputs, batch.lengths).states
        torch.manual_seed(1)
        by_hand = float(associativity(learner.model.encoder, nodes))
    assert losses[1] - losses[0] == pytest.approx(by_hand, rel=1e-4)
    assert losses[2] - losses[0] == pytest.approx(3 * by_hand, rel=1e-4)


def test_the_regulariser_makes_an_operator_more_associative(tmp_path):
    found = []
    for weight in (0.0, 1.0):
        settings = resolve(
            "dyck_d2", "ldru", options={"width": 8}, associativity=weight, steps=40, check_every=40, batch=32,
            recipe={"train_lengths": [8, 12], "test_lengths": [13, 14]},
        )  # fmt: skip
        from seqbench.training.evaluate import learner_of

        run = loop.train(settings, tmp_path / str(weight))
        learner, _ = learner_of(run, settings, torch.device("cpu"))
        batch = Source(settings).batch(0)
        with torch.no_grad():
            nodes = learner.model.node_states(batch.inputs, batch.lengths).states
            torch.manual_seed(0)
            found.append(float(associativity(learner.model.encoder, nodes, triples=4096)))
    assert found[1] < 0.5 * found[0]


def test_the_regulariser_needs_an_operator():
    settings = resolve("dyck_d2", "gru", associativity=0.1)
    with pytest.raises(InputError, match="gru has no nodes, so --associativity has no operator"):
        Learner(settings, plan_of(settings))
