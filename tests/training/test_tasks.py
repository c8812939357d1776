"""Every dataset can be trained on: what is asked for, where it is read, and how it is measured."""

import json

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

import seqbench
from seqbench.cli import main
from seqbench.errors import InputError, SeqbenchError, UnknownNameError
from seqbench.generation.heldout import is_held_out
from seqbench.generation.plan import plan

torch = pytest.importorskip("torch")

from seqbench.models import MODELS  # noqa: E402 -- torch may be absent
from seqbench.training import loop  # noqa: E402
from seqbench.training.data import Source, by_length, lengths_of, plan_of, spread  # noqa: E402
from seqbench.training.evaluate import evaluate  # noqa: E402
from seqbench.training.learner import Learner  # noqa: E402
from seqbench.training.measures import first_measure, tally  # noqa: E402
from seqbench.training.settings import read, resolve  # noqa: E402
from seqbench.training.targets import Targets, padded  # noqa: E402
from tests.training.stops import stop_after  # noqa: E402

TINY = {"batch": 2, "test_words": 2, "options": {"width": 4, "embedding": 4}}
STRINGS = [
    "binary_addition", "binary_multiplication", "bucket_sort", "compute_sqrt", "duplicate_string", "odds_first",
    "reverse_string", "stack_manipulation",
]  # fmt: skip
CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def losses(run):
    return [(line["step"], line["loss"]) for line in map(json.loads, (run / "metrics.jsonl").read_text().splitlines())]


@pytest.mark.parametrize("name", seqbench.dataset_names())
def test_every_dataset_makes_a_step_and_is_measured(name):
    settings = resolve(name, "gru", **TINY)
    planned = plan_of(settings)
    learner = Learner(settings, planned)
    batch = Source(settings).batch(0)
    loss = learner(batch, CPU)
    loss.backward()
    assert torch.isfinite(loss)
    assert all(value.grad is not None for value in learner.model.parameters())
    _, test = next(by_length(planned, "test", lengths_of(planned, "test", 1)))
    found = tally(learner.model, learner.targets, test, CPU)
    assert len(found.whole) == 2
    assert (found.whole > 0).all()
    if not learner.targets.vectors:
        assert (found.part <= found.whole).all()
        assert int(test.inputs.max()) < learner.targets.inputs
        assert int(test.targets.max()) < learner.targets.outputs


@pytest.mark.parametrize("name", STRINGS)
def test_a_string_is_read_at_the_empty_symbols_after_the_input(name):
    planned = plan(name, test_lengths=(5, 9), test_examples_per_length=3)
    targets = Targets.of(planned)
    assert targets.kind == "string"
    for length, batch in by_length(planned, "test"):
        words = batch.inputs[:, :length]
        assert (words != targets.empty).all()
        assert (batch.inputs[:, length:] == targets.empty).all()
        assert (batch.targets[:, :length] == -100).all()
        solved = np.array(seqbench.solve(name, words.tolist()))
        asked = batch.targets[:, length:].numpy()
        assert solved.shape == asked.shape
        assert ((asked == solved) | (asked == -100)).all()
        assert (asked != -100).any(axis=1).all()


@pytest.mark.parametrize("name", [*STRINGS, "missing_duplicate"])
def test_rows_that_hold_the_empty_symbols_already_ask_the_same(name):
    separate, appended = (
        plan(name, test_lengths=(5, 9), test_examples_per_length=3, layout=layout)
        for layout in ("separate", "appended")
    )
    for (length, one), (same, other) in zip(by_length(separate, "test"), by_length(appended, "test"), strict=True):
        assert length == same
        assert (one.targets == other.targets).all()
        if name in STRINGS:
            assert (one.inputs == other.inputs).all()
            assert (one.lengths == other.lengths).all()


def test_rows_of_different_lengths_are_padded_at_their_ends():
    planned = plan("stack_manipulation", validation_lengths=(2, 9), validation_examples=40)
    rows = planned.block("validation", 0)
    batch = Targets.of(planned).batch(rows)
    for number, row in enumerate(rows.to_pylist()):
        first, count = len(row["input_ids"]), len(row["output_ids"])
        assert batch.lengths[number] == first + count
        assert batch.inputs[number, :first].tolist() == row["input_ids"]
        wanted = [
            symbol if counts else -100 for symbol, counts in zip(row["output_ids"], row["loss_mask"], strict=True)
        ]
        assert batch.targets[number, first : first + count].tolist() == wanted
        assert (batch.targets[number, first + count :] == -100).all()


@pytest.mark.parametrize("name", ["flip_flop", "state_tracking", "mqar", "selective_copy"])
def test_symbols_at_positions_stand_where_the_rows_have_them(name):
    planned = plan(name, train_lengths=(40, 64), train_examples=20)
    rows = planned.block("train", 0)
    batch = Targets.of(planned).batch(rows)
    for number, row in enumerate(rows.to_pylist()):
        size = len(row["labels"])
        assert batch.targets[number, :size].tolist() == row["labels"]
        assert (batch.targets[number, size:] == -100).all()


@pytest.mark.parametrize("name", ["cycle_navigation", "modular_arithmetic"])
def test_prefix_targets_are_the_labels_of_the_prefixes(name):
    lang = seqbench.language(name)
    batch = Source(resolve(name, "gru", **TINY, recipe={"targets": "prefix", "train_lengths": [7, 7]})).batch(0)
    for word, labels in zip(batch.inputs.tolist(), batch.targets.tolist(), strict=True):
        for end, label in enumerate(labels, start=1):
            assert label == -100 or label == lang.label(word[:end])
    assert (batch.targets[:, -1] != -100).all()


def test_the_last_step_alone_is_the_last_of_all_steps():
    steps, last = (
        next(by_length(plan("memory_exp", targets=targets, length=20, test_examples_per_length=4), "test"))[1]
        for targets in ("steps", "last")
    )
    assert (last.inputs == steps.inputs).all()
    assert (last.targets == steps.targets[:, -1]).all()


def test_lists_of_lists_keep_their_width():
    column = pa.array([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], pa.list_(pa.list_(pa.float32(), 2)))
    found, sizes = padded(column, 0)
    assert found.tolist() == [[[1, 2], [3, 4]], [[5, 6], [0, 0]]]
    assert sizes.tolist() == [2, 1]


def test_several_channels_and_outputs_are_learnt():
    recipe = {"d_in": 3, "matrix": [[1, 0, 0], [0, 1, 1]], "length": 12}
    settings = resolve("memory_exp", "lstm", **TINY, recipe=recipe)
    batch = Source(settings).batch(0)
    assert batch.inputs.shape == (2, 12, 3)
    assert batch.targets.shape == (2, 12, 2)
    assert torch.isfinite(Learner(settings, plan_of(settings))(batch, CPU))


@pytest.mark.parametrize("name", ["reverse_string", "memory_exp", "flare_parity", "nesv_index", "dyck_d3"])
def test_a_batch_is_a_pure_function_of_its_number(name):
    settings = resolve(name, "gru", **TINY | {"batch": 16})
    one, other = Source(settings), Source(settings)
    batches = [one.batch(number) for number in range(6)]
    again = other.batch(4)
    assert torch.equal(batches[4].inputs, again.inputs)
    assert torch.equal(batches[4].targets, again.targets)
    assert not any(torch.equal(batches[4].inputs, batch.inputs) for batch in batches[:4])
    elsewhere = Source(resolve(name, "gru", **TINY | {"batch": 16}, data_seed=1)).batch(4)
    assert not torch.equal(elsewhere.inputs, again.inputs)


def test_lengths_are_drawn_evenly_from_those_of_training():
    source = Source(resolve("cf_dyck_2", "gru", **TINY, recipe={"train_lengths": [1, 12]}))
    drawn = [int(source.batch(number).lengths[0]) for number in range(300)]
    allowed = plan("cf_dyck_2", train_lengths=(1, 12)).splits["train"].split.lengths.tolist()
    counts = np.bincount(drawn, minlength=13)[allowed]
    assert set(drawn) == set(allowed)
    assert ((counts - 300 / len(allowed)) ** 2).sum() / (300 / len(allowed)) < 5 * len(allowed)


def test_held_out_words_are_kept_from_training():
    recipe = {"held_out": True, "train_lengths": [12, 12]}
    batch = Source(resolve("parity_check", "gru", **TINY | {"batch": 512}, recipe=recipe)).batch(0)
    planned = plan("parity_check", **recipe)
    offsets = np.arange(513) * 12
    assert not is_held_out(
        batch.inputs.numpy().astype(np.uint8).ravel(), offsets, planned.name, planned.version, 0
    ).any()


LEARNS = [
    ("nesv_first", {"train_lengths": [1, 8], "test_lengths": [4, 8]}, 60),
    ("state_tracking", {"train_lengths": [1, 6], "test_lengths": [3, 6]}, 120),
    ("reverse_string", {"train_lengths": [1, 3], "test_lengths": [2, 3]}, 150),
    ("memory_exp", {"length": 16}, 100),
]


@pytest.mark.parametrize(("name", "recipe", "steps"), LEARNS)
def test_each_kind_of_targets_is_learnt(tmp_path, name, recipe, steps):
    lengths = {} if "length" in recipe else {"validation_lengths": recipe["train_lengths"]}
    settings = resolve(
        name, "gru", steps=steps, batch=32, check_every=steps, patience=0, learning_rate=1e-2, test_words=64,
        recipe=recipe | lengths | {"validation_examples": 64}, options={"width": 24},
    )  # fmt: skip
    facts = evaluate(loop.train(settings, tmp_path / "run"))
    measure = facts["metrics"]["measure"]
    value, chance = facts["metrics"]["test"][measure]["value"], facts["task"]["chance"]
    assert measure == first_measure(facts["task"]["targets"])
    assert value < 0.5 * chance if measure == "relative_mse" else value > 0.5 + 0.5 * chance


@pytest.mark.parametrize(
    ("name", "recipe"), [("reverse_string", {"train_lengths": [1, 6]}), ("memory_exp", {"length": 8})]
)
def test_a_stopped_run_sees_the_same_batches(tmp_path, monkeypatch, name, recipe):
    settings = resolve(
        name, "gru", steps=30, batch=8, check_every=10, patience=0, options={"width": 8},
        recipe=recipe | {"validation_examples": 20},
    )  # fmt: skip
    whole = loop.train(settings, tmp_path / "whole")
    stop_after(monkeypatch, 17)
    with pytest.raises(KeyboardInterrupt):
        loop.train(settings, tmp_path / "parts")
    monkeypatch.undo()
    assert losses(loop.train(settings, tmp_path / "parts", resume=True)) == losses(whole)
    assert losses(whole)[-1][1] < losses(whole)[0][1]


@pytest.mark.parametrize(
    ("name", "model", "part"),
    [
        ("reverse_string", "ldru", "gru"),
        ("memory_exp", "rir_grc", "s4d"),
        ("mqar", "bbt_grc", "transformer"),
        ("memory_exp", "nesv", "gru"),
        ("cf_dyck_2", "nesv", "ldru"),
    ],
)
def test_a_model_that_cannot_says_so(tmp_path, name, model, part):
    with pytest.raises(InputError, match=part):
        loop.train(resolve(name, model), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp64"])
@pytest.mark.parametrize("name", ["cf_anbn", "reverse_string", "memory_exp"])
def test_every_precision_makes_steps(tmp_path, name, precision):
    recipe = {"train_lengths": [4, 8], "validation_examples": 8} if name != "memory_exp" else {"validation_examples": 8}
    settings = resolve(name, "gru", **TINY, recipe=recipe, steps=3, check_every=3, precision=precision)
    assert np.isfinite(losses(loop.train(settings, tmp_path / "run"))[-1][1])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("name", "lengths"), [("nesv_first", [3, 3]), ("reverse_string", [3, 3]), ("memory_exp", [6, 6])]
)
def test_every_model_makes_a_step_or_says_why_not(name, lengths, model):
    settings = resolve(name, model, batch=2, recipe={"train_lengths": lengths})
    learner = said = None
    try:
        learner = Learner(settings, plan_of(settings))
    except InputError as error:
        said = str(error)
    if learner is None:
        assert model in said
        assert "gru" in said
        return
    learner(Source(settings).batch(0), CPU).backward()
    assert any(value.grad is not None and value.grad.any() for value in learner.parameters())


def test_the_tape_is_told_where_the_input_ends():
    settings = resolve("reverse_string", "tape_rnn", batch=2, options={"width": 4})
    assert Learner(settings, plan_of(settings)).model.encoder.empty == 2
    assert Learner(settings, plan_of(settings)).config["empty"] == 2


def test_a_dataset_without_targets_says_so():
    with pytest.raises(InputError, match="nothing to learn"):
        Source(resolve("cf_dyck_2", "gru", recipe={"mode": "generation"}))


def test_regression_never_stops_early(tmp_path, monkeypatch):
    monkeypatch.setattr("seqbench.training.measures.Tally.faultless", True)
    settings = resolve(
        "memory_exp", "gru", steps=40, batch=4, check_every=10, patience=1, options={"width": 4},
        recipe={"length": 8, "validation_examples": 8},
    )  # fmt: skip
    assert losses(loop.train(settings, tmp_path / "run"))[-1][0] == 40


def test_double_precision_reaches_the_loss():
    settings = resolve("memory_exp", "gru", **TINY, precision="fp64")
    learner = Learner(settings, plan_of(settings))
    assert learner(Source(settings).batch(0), CPU).dtype == torch.float64


@pytest.mark.parametrize("name", ["nesv_first", "nesv_majority", "nesv_index", "nesv_parity"])
def test_the_models_of_nesv_are_trained_in_double_precision(tmp_path, name):
    settings = resolve(name, "nesv", "paper", steps=2, batch=4, check_every=2, recipe={"validation_examples": 20})
    run = loop.train(settings, tmp_path / "run")
    assert {value.dtype for value in loop.checkpoint.load_file(run / "checkpoint" / "model.safetensors").values()} == {
        torch.float64
    }
    facts = evaluate(run, words=4)
    assert facts["split"]["lengths"] == [51, 103, 153, 255, 409, 511]
    assert facts["task"]["chance"] >= 0.5


@pytest.mark.parametrize("name", ["dyck_d2", "flare_parity", "flip_flop", "nesv_first", "memory_exp"])
def test_rows_by_length_are_those_of_the_split(name):
    lengths = {} if name == "memory_exp" else {"test_lengths": (8, 13), "validation_lengths": (4, 9)}
    planned = plan(name, **lengths, test_examples_per_length=4, validation_examples=50)
    column = "inputs" if name == "memory_exp" else "input_ids"
    for split in planned.splits.keys() - {"train"}:
        rows = [
            row for block in planned.blocks(split, range(planned.splits[split].num_blocks)) for row in block[column]
        ]
        found = [row for _, batch in by_length(planned, split) for row in batch.inputs.flatten(1).tolist()]
        assert len(found) == len(rows)
        assert sorted(found) == sorted(row.as_py() for row in rows)


def test_so_many_lengths_are_evenly_spread():
    planned = plan("parity_check")
    found = lengths_of(planned, "test", 24)
    assert (len(found), found[0], found[-1]) == (24, 41, 500)
    assert np.diff(found).max() < 2 * 460 / 24
    assert lengths_of(planned, "test").tolist() == list(range(41, 501))
    assert lengths_of(planned, "test", 1000).tolist() == list(range(41, 501))


@pytest.mark.parametrize("number", [2, 3, 6, 24, 100, 459])
@pytest.mark.parametrize(("shortest", "step"), [(41, 1), (42, 2), (1, 3)])
def test_lengths_are_one_of_each_part(number, shortest, step):
    lengths = shortest + step * np.arange(460)
    found = spread(lengths, number)
    places = (found - shortest) / step
    assert (len(found), found[0], found[-1]) == (number, lengths[0], lengths[-1])
    assert (np.diff(places) > 0).all()
    assert (np.abs(places - (np.arange(number) + 0.5) * 460 / number) <= 460 / number / 2 + 1).all()


def test_no_rule_that_repeats_with_the_length_is_measured_in_one_case_for_long():
    found = spread(np.arange(41, 501), 24)
    assert (np.diff(found % 2) != 0).all()
    for period in (3, 4, 5):
        for third in np.split(found, 3):
            assert len(set(third % period)) == period


def test_the_paper_tier_of_nesv_is_the_published_one():
    settings = resolve("nesv_index", "nesv", "paper")
    assert (settings.steps, settings.batch, settings.learning_rate, settings.clip) == (30_000, 256, 3e-4, 1.0)
    assert (settings.precision, settings.check_every, settings.patience) == ("fp64", 500, 3)
    assert settings.options["index"] is True
    assert resolve("nesv_first", "nesv", "paper").options == {}


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["reverse_string", "--recipe", "layuot=appended"], "layout"),
        (["memory_exp", "--recipe", "alhpa=0.5"], "alpha"),
        (["dyck_d6", "--recipe", "target=prefix"], "targets"),
        (["reverse_string", "--recipe", "layout=apended"], "appended"),
        (["reverse_string", "--recipe", "layout"], "KEY=VALUE"),
        (["reverse_string", "--sampling", "uniform"], "sampling"),
        (["reverse_strin"], "reverse_string"),
        (["reverse_string", "--also", "syntactic_class"], "syntactic classes"),
        (["dyck_d6", "--sampling", "uniform=much"], "number"),
        (["dyck_d6", "--recipe", "validation_examples=0"], "validation"),
    ],
)
def test_bad_recipes_are_one_sentence(tmp_path, arguments, part):
    done = CliRunner().invoke(main, ["train", *arguments, "--model", "gru", "--out", str(tmp_path / "run")])
    assert done.exit_code == 2
    assert part in done.output
    assert "Traceback" not in done.output
    assert not (tmp_path / "run").exists()


def test_a_recipe_of_the_command_line_reaches_the_data(tmp_path):
    out = str(tmp_path / "run")
    arguments = [
        "--model",
        "gru",
        "--set",
        "width=4",
        "--steps",
        "2",
        "--batch",
        "4",
        "--test-words",
        "2",
        "--out",
        out,
    ]
    recipe = ["--recipe", "targets=prefix", "--recipe", "group=Z3", "--recipe", "test_lengths=[41, 44]"]
    done = CliRunner().invoke(main, ["train", "group", *arguments, *recipe, "--json"])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["task"]["targets"] == "positions"
    assert facts["split"]["lengths"] == [41, 42, 43, 44]
    assert read(tmp_path / "run").recipe == {"targets": "prefix", "group": "Z3", "test_lengths": [41, 44]}
    again = evaluate(tmp_path / "run", lengths=(60, 61), words=3)
    assert again["split"] == {"name": "test", "lengths": [60, 61], "sequences": 6}


def test_a_run_is_measured_on_another_dataset_that_asks_the_same(tmp_path):
    settings = resolve("listops_original", "gru", steps=2, check_every=2, **TINY, recipe={"train_lengths": [4, 9]})
    run = loop.train(settings, tmp_path / "run")
    facts = evaluate(run, task="listops_200_300", lengths=(200, 201), words=2)
    assert facts["task"]["id"] == "listops_200_300"
    assert facts["training"]["task"] == "listops_original"
    assert facts["split"] == {"name": "test", "lengths": [200, 201], "sequences": 4}
    with pytest.raises(InputError, match="reverse_string"):
        evaluate(run, task="reverse_string")
    with pytest.raises(InputError, match="15 input symbols"):
        evaluate(
            loop.train(resolve("group_z2", "gru", steps=1, check_every=1, **TINY), tmp_path / "z2"), task="listops_lra"
        )


def test_a_run_that_cannot_be_measured_says_why(tmp_path):
    none = {"test_examples_per_length": 0}
    with pytest.raises(InputError, match="no split 'test'"):
        loop.train(resolve("parity_check", "gru", steps=1, check_every=1, **TINY, recipe=none), tmp_path / "run")
    run = loop.train(resolve("parity_check", "gru", steps=1, check_every=1, **TINY), tmp_path / "run")
    assert "test" in evaluate(run, words=2)["metrics"]
    (run / "metrics.jsonl").unlink()
    with pytest.raises(InputError, match="--resume"):
        evaluate(run, words=2)


def test_unknown_datasets_have_nearest_names():
    with pytest.raises(UnknownNameError, match="dyck_d6"):
        resolve("dick_d6", "gru")
    with pytest.raises(SeqbenchError, match="gru"):
        Learner(resolve("dyck_d6", "gruu"), plan("dyck_d6"))
