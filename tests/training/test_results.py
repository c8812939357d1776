"""Result files keep to their schema, hold what they say, and name a command that repeats the run."""

import copy
import json
import shlex

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import seqbench
from seqbench.cli import main
from seqbench.cli.train import settings_of, train
from seqbench.errors import InputError, UnknownNameError

torch = pytest.importorskip("torch")
jsonschema = pytest.importorskip("jsonschema")

from seqbench.training import loop  # noqa: E402 -- torch may be absent
from seqbench.training.command import APART, command  # noqa: E402
from seqbench.training.evaluate import evaluate  # noqa: E402
from seqbench.training.intervals import wilson  # noqa: E402
from seqbench.training.machine import commit  # noqa: E402
from seqbench.training.measures import (  # noqa: E402
    Measure,
    Tally,
    by_length,
    mean,
    relative_mse,
    sequence_accuracy,
    share,
    tally,
    token_accuracy,
)
from seqbench.training.result import coverage_of, schema, write  # noqa: E402
from seqbench.training.settings import Settings, resolve  # noqa: E402
from seqbench.training.summary import summary  # noqa: E402
from seqbench.training.targets import Batch, Targets  # noqa: E402
from seqbench.training.texts import TextData  # noqa: E402

OWN = 'title = "No two 1s in a row"\nalphabet = ["0", "1"]\nregex = "(0|10)*1?"\nsource = "me"\n'
OWN_DATASET = """title = "Are there nowhere two 1s in a row?"
automaton = "no_11"
version = "1.0.0"
sampling = "balanced"
source = "me"
[[history]]
version = "1.0.0"
change = "First release."
"""

RUNS = {
    "dyck_d2": {},
    "flare_parity": {},
    "state_tracking": {},
    "stack_manipulation": {},
    "memory_exp": {"recipe": {"length": 8}},
}


def checker():
    return jsonschema.Draft202012Validator(schema())


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """One result of each kind of targets, by dataset."""
    torch.set_num_threads(1)
    found = {}
    for name, changes in RUNS.items():
        chosen = resolve(
            name, "gru", steps=4, batch=4, check_every=2, test_lengths=2, test_words=6, options={"width": 4}, **changes
        )
        run = loop.train(chosen, tmp_path_factory.mktemp("runs") / name)
        facts = evaluate(run, coverage=True)
        write(run, facts)
        found[name] = json.loads((run / "result.json").read_text())
        assert found[name] == json.loads(json.dumps(facts))
    return found


def test_the_summary_shows_the_first_and_the_last_length(results):
    facts = copy.deepcopy(results["dyck_d2"])
    each = next(iter(facts["metrics"]["test"]["accuracy"]["per_length"].values()))
    found = {str(41 + i): each for i in range(24)}
    facts["metrics"]["test"]["accuracy"]["per_length"] = found
    facts["timing"]["training"]["seconds"] = 12345.67
    shown = [line.split()[1] for line in summary(facts).splitlines() if line.startswith("  length ")]
    assert (shown[0], shown[-1], len(shown), len(set(shown))) == ("41", "64", 8, 8)
    assert "(8 of 24 lengths; all are in the result)" in summary(facts)
    assert " in 12,345.7 s, " in summary(facts)


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("name", RUNS)
def test_results_keep_to_the_schema(results, name):
    checker().validate(results[name])


def test_results_of_other_lengths_keep_to_it_too(tmp_path):
    run = loop.train(resolve("even_pairs", "ldru", steps=2, check_every=2, options={"width": 4}), tmp_path / "run")
    facts = evaluate(run, lengths=(50, 52), words=2)
    checker().validate(facts)
    assert facts["coverage"] is None


CHANGES = {
    "a share above one": lambda facts: facts["metrics"]["test"]["accuracy"].update(value=1.5),
    "no command": lambda facts: facts["provenance"].pop("command"),
    "another key": lambda facts: facts["metrics"].update(best=1.0),
    "a chosen checkpoint": lambda facts: facts["training"].update(selection="best"),
    "no interval": lambda facts: facts["metrics"]["test"]["accuracy"]["per_length"]["41"].pop("interval"),
    "no lengths": lambda facts: facts["metrics"]["test"]["accuracy"].pop("per_length"),
    "an unknown measure": lambda facts: facts["metrics"]["test"].update(perplexity={"value": 1}),
}


@pytest.mark.parametrize("what", CHANGES)
def test_the_schema_refuses(results, what):
    facts = copy.deepcopy(results["dyck_d2"])
    CHANGES[what](facts)
    with pytest.raises(jsonschema.ValidationError):
        checker().validate(facts)


def test_every_setting_is_in_the_result(results):
    for facts in results.values():
        assert set(Settings.__struct_fields__) - {"model", "model_sha256", "options"} <= set(facts["training"])


@pytest.mark.parametrize("name", RUNS)
def test_means_are_those_of_the_lengths(results, name):
    for found in results[name]["metrics"]["test"].values():
        each = found["per_length"].values()
        assert found["value"] == pytest.approx(np.mean([one["value"] for one in each]), rel=1e-5)
        assert found["n"] == sum(one["n"] for one in each) == results[name]["split"]["sequences"]
        low, high = found["interval"]
        assert low <= found["value"] <= high


def test_chance_and_what_is_apart(results):
    assert results["memory_exp"]["task"]["chance"] == 1.0
    assert results["memory_exp"]["metrics"]["solved"] == {}
    assert {"members", "random_non_members", "near_misses"} <= results["dyck_d2"]["metrics"].keys()
    flare = results["flare_parity"]["metrics"]
    assert flare["members"]["accuracy"]["n"] + flare["non_members"]["accuracy"]["n"] == flare["test"]["accuracy"]["n"]
    assert "members" not in results["state_tracking"]["metrics"]


def test_throughput_and_memory_are_there(results):
    for facts in results.values():
        timing = facts["timing"]
        assert timing["training"]["symbols_per_second"] > timing["training"]["sequences_per_second"] > 0
        assert timing["evaluation"]["symbols_per_second"] > timing["evaluation"]["sequences_per_second"] > 0
        assert facts["memory"]["evaluation_mb"] >= facts["memory"]["training_mb"] > 10


def test_coverage_is_that_of_the_words_that_training_draws(results):
    facts = results["dyck_d2"]["coverage"]
    assert facts["words"] == 16
    assert 0 < facts["value"] < 1
    more = coverage_of(resolve("dyck_d2", "gru", batch=4), 4000)
    assert facts["value"] < more["value"] <= 1
    assert more["needed"] == facts["needed"]
    assert results["flare_parity"]["coverage"] is None


def test_the_commit_is_that_of_the_checkout():
    found = commit()
    assert found is None or len(found.removesuffix("-dirty")) == 40


# Commands


def parsed(line):
    """The settings of a command line, as the command itself reads them."""
    program, name, *arguments = shlex.split(line)
    assert (program, name) == ("seqbench", "train")
    given = train.make_context("train", list(arguments)).params
    names = ("task", "model", "tier")
    elsewhere = {*names, "out", "resume", "device", "tensorboard", "as_json"}
    rest = {key: value for key, value in given.items() if key not in elsewhere}
    return settings_of(*(given[key] for key in names), rest)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
VALUES = st.recursive(
    st.one_of(
        st.booleans(), st.none(), st.integers(-(10**9), 10**9), st.floats(allow_nan=False, allow_infinity=False), TEXTS
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b c"]), inner, max_size=2)
    ),
    max_leaves=4,
)
TABLES = st.dictionaries(st.sampled_from(["width", "layout", "targets", "test_lengths"]), VALUES, max_size=3)
POSITIVE = st.floats(1e-9, 1e3)
CHANGED = {
    "options": TABLES,
    "recipe": TABLES,
    "sampling": st.dictionaries(st.sampled_from(["uniform", "class", "composition"]), POSITIVE, min_size=1),
    "also": st.lists(st.sampled_from(["syntactic_class", "node_classes"]), unique=True, min_size=1).map(tuple),
    "associativity": POSITIVE,
    "steps": st.integers(1, 10**7),
    "batch": st.integers(1, 10**4),
    "learning_rate": POSITIVE,
    "warmup": st.floats(0, 1),
    "schedule": st.sampled_from(["constant", "cosine"]),
    "optimiser": st.sampled_from(["adamw", "amsgrad"]),
    "weight_decay": POSITIVE,
    "clip": POSITIVE,
    "centralise": st.booleans(),
    "seed": st.integers(0, 2**40),
    "data_seed": st.integers(0, 2**40),
    "check_every": st.integers(1, 10**5),
    "patience": st.integers(0, 10),
    "test_lengths": st.integers(0, 500),
    "test_words": st.integers(1, 10**4),
    "precision": st.sampled_from(["fp32", "bf16", "fp64"]),
}


def test_the_property_below_is_over_every_setting():
    assert set(CHANGED) | set(APART) == set(Settings.__struct_fields__)


@given(
    st.sampled_from(["dyck_d6", "reverse_string", "nesv_index", "memory_exp"]),
    st.sampled_from(["ldru", "nesv", "gru"]),
    st.sampled_from(["quick", "paper"]),
    st.fixed_dictionaries({}, optional=CHANGED),
)
@settings(deadline=None, max_examples=150)
def test_the_command_repeats_every_setting(task, model, tier, changes):
    chosen = resolve(task, model, tier, **changes)
    assert parsed(command(chosen)) == chosen


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A catalogue of one's own in the present folder."""
    for part, text in {"automata": OWN, "generators": OWN_DATASET}.items():
        (tmp_path / "mine" / part).mkdir(parents=True)
        (tmp_path / "mine" / part / "no_11.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "mine"


SHORT = {"steps": 2, "check_every": 2, "test_lengths": 1, "test_words": 2}


def test_a_catalogue_of_ones_own_is_trained_on_and_named_by_the_command(mine, tmp_path, monkeypatch):
    chosen = resolve("no_11", "gru", catalogue="mine", **SHORT)
    assert parsed(command(chosen)) == chosen
    loop.train(chosen, tmp_path / "run")
    monkeypatch.chdir("/")  # a run folder is read from anywhere
    facts = evaluate(tmp_path / "run", coverage=True)
    assert checker().is_valid(facts)
    assert facts["task"]["id"] == "no_11"
    assert facts["training"]["catalogue"] == str(mine)
    assert facts["coverage"]["needed"] > 0


def test_the_catalogue_of_the_environment_is_noted_where_the_dataset_is_from_there(mine, monkeypatch):
    monkeypatch.setenv("SEQBENCH_CATALOGUE", "mine")
    assert resolve("no_11", "gru").catalogue == str(mine)
    assert resolve("parity_check", "gru").catalogue is None
    assert resolve("fancyzhx/ag_news", "gru", texts=TextData(path="fancyzhx/ag_news")).catalogue is None


def test_a_catalogue_that_is_gone_is_named(mine, tmp_path):
    loop.train(resolve("no_11", "gru", catalogue="mine", **SHORT), tmp_path / "run")
    mine.rename(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"mine' of '\S+' is not there any more. Bring it back, or"):
        evaluate(tmp_path / "run")


def test_an_unknown_dataset_of_a_catalogue_is_named_nearest(tmp_path):
    (tmp_path / "automata").mkdir()
    with pytest.raises(UnknownNameError, match="parity_check"):
        resolve("parity_chek", "gru", catalogue=str(tmp_path))


READ_AS = {
    "config": TEXTS,
    "columns": st.lists(TEXTS, min_size=1, max_size=2).map(tuple),
    "label": TEXTS,
    "tokenizer": st.sampled_from(["bytes", "bpe"]),
    "vocabulary": st.integers(257, 10**5),
    "longest": st.integers(1, 10**5),
}


@given(TEXTS, st.fixed_dictionaries({}, optional=READ_AS), st.sampled_from(["quick", "paper"]))
@settings(deadline=None)
def test_the_command_repeats_which_texts_are_read(path, read_as, tier):
    assert set(READ_AS) | {"path"} == set(TextData.__struct_fields__)
    chosen = resolve(path, "gru", tier, texts=TextData(path=path, **read_as), steps=7)
    assert parsed(command(chosen)) == chosen


def test_the_command_of_a_result_repeats_it(results, tmp_path):
    line = shlex.split(results["stack_manipulation"]["provenance"]["command"])[1:]
    done = CliRunner().invoke(main, [*line, "--out", str(tmp_path / "again"), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["metrics"] == results["stack_manipulation"]["metrics"]


# Measures


def tallies():
    rng = np.random.default_rng(0)
    whole = rng.integers(1, 9, 40)
    return Tally(rng.integers(0, whole + 1), whole)


def test_shares_are_counted():
    found = tallies()
    assert token_accuracy(found).value == found.part.sum() / found.whole.sum()
    assert sequence_accuracy(found).value == np.mean(found.part == found.whole)
    assert sequence_accuracy(found).interval == wilson(int((found.part == found.whole).sum()), 40)


def test_the_interval_of_tokens_holds_where_they_stand_or_fall_together():
    together = Tally(np.array([7] * 30 + [0] * 10), np.full(40, 7))
    assert token_accuracy(together) == sequence_accuracy(together)


def test_relative_mse_is_that_of_numpy_and_its_interval_holds():
    rng = np.random.default_rng(1)
    scale, truth = rng.gamma(2.0, size=(2000, 50)), 0.25  # errors and targets of a sequence go together
    inside = 0
    for row in scale:
        found = relative_mse(Tally(truth * row * rng.gamma(4.0, 0.25, 50), row))
        inside += found.interval[0] <= truth <= found.interval[1]
    assert 0.92 <= inside / 2000 <= 0.97
    errors, targets = rng.normal(size=(2, 5, 7))
    sums = Tally((errors**2).sum(1), (targets**2).sum(1))
    assert relative_mse(sums).value == pytest.approx(float(seqbench.relative_mse(targets + errors, targets)))


def test_one_sequence_alone_has_no_interval():
    assert relative_mse(Tally(np.array([1.0]), np.array([2.0]))).facts() == {
        "value": 0.5, "n": 1, "interval": [0.0, None],
    }  # fmt: skip


def test_the_mean_of_errors_is_surer_than_each():
    one = Measure(0.5, 10, (0.4, 0.6))
    both = mean([one] * 4, shares=False)
    assert both.value == 0.5
    assert both.interval == pytest.approx((0.45, 0.55))
    assert mean([share(1.0, 8), share(0.5, 8)], shares=True).interval == wilson(12, 16)


def test_every_length_has_its_own_figure():
    found = by_length("string", {3: tallies(), 5: tallies()})
    assert set(found) == {"token_accuracy", "sequence_accuracy"}
    assert list(found["token_accuracy"]["per_length"]) == ["3", "5"]


class Says(torch.nn.Module):
    """A model that says what it is told, whatever it reads."""

    def __init__(self, logits):
        super().__init__()
        self.weight, self.logits, self.seen = torch.nn.Parameter(torch.zeros(1)), logits, 0

    def forward(self, inputs, lengths):
        del lengths
        self.seen += len(inputs)
        return self.logits[self.seen - len(inputs) : self.seen]


def test_only_what_is_asked_for_is_counted(monkeypatch):
    rng = np.random.default_rng(2)
    wanted = rng.integers(0, 3, (6, 4))
    wanted[rng.random((6, 4)) < 0.5] = -100
    wanted[2] = -100  # a sequence that is asked nothing
    logits = rng.normal(size=(6, 4, 3))
    monkeypatch.setattr("seqbench.training.measures.CHUNK_SYMBOLS", 8)  # two sequences at a time
    batch = Batch(torch.zeros(6, 4, dtype=torch.int64), torch.full((6,), 4), torch.from_numpy(wanted))
    found = tally(Says(torch.from_numpy(logits)), Targets("positions", "positions", 2, 3), batch, torch.device("cpu"))
    right = [(row.argmax(-1) == asked)[asked != -100].tolist() for row, asked in zip(logits, wanted, strict=True)]
    assert found.part.tolist() == [sum(row) for row in right if row]
    assert found.whole.tolist() == [len(row) for row in right if row]
