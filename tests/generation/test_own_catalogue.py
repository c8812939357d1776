"""Datasets over languages of one's own: wide alphabets, many in-edges, three letters, other versions."""

import json
import re
import shlex

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

import seqbench
from seqbench.catalogue.reader import open_catalogue
from seqbench.cli import main
from seqbench.errors import InputError, TooLargeError, UnknownNameError
from seqbench.generation.plan import plan

RECIPE = {"train_lengths": (1, 12), "validation_lengths": (1, 12), "test_lengths": (20, 23), "train_examples": 3000,
          "validation_examples": 200, "test_examples_per_length": 16}  # fmt: skip


def dataset(automaton, version="1.0.0", more=""):
    return f"""
title = "A task of one's own"
automaton = "{automaton}"
version = "{version}"
source = "none"
{more}
[[history]]
version = "{version}"
change = "First release."
"""


def automaton(body):
    return f"""
title = "A language of one's own"
source = "none"
{body}
[claims]
states = 2
monoid = 2
aperiodic = true
"""


@pytest.fixture
def own(tmp_path):
    """A catalogue with a language and a dataset over it."""

    def make(body, version="1.0.0", name="own", more=""):
        root = tmp_path / f"catalogue-{version}"
        for part, text in (("automata", automaton(body)), ("generators", dataset(name, version, more))):
            (root / part).mkdir(parents=True)
            (root / part / f"{name}.toml").write_text(text, encoding="utf-8")
        return root

    return make


def wide(symbols):
    """Does the last symbol come from the upper half? Two states, so that each has `symbols` in-edges."""
    names = [f"s{i}" for i in range(symbols)]
    after = ", ".join(f'{name} = "{"up" if i >= symbols // 2 else "down"}"' for i, name in enumerate(names))
    return f"""alphabet = {json.dumps(names)}
table = [
    {{ state = "down", label = "reject", next = {{ {after} }} }},
    {{ state = "up", label = "accept", next = {{ {after} }} }},
]"""


@pytest.mark.parametrize(("symbols", "kind"), [(256, pa.uint8()), (257, pa.uint16()), (300, pa.uint16())])
@pytest.mark.parametrize("law", ["uniform", "balanced", "class", "composition"])
def test_wide_alphabets(symbols, kind, law, own):
    root = own(wide(symbols))
    planned = plan("own", root, sampling=law, targets="prefix", near_miss=False, **RECIPE)
    batch = planned.block("train", 0)
    assert batch.schema.field("input_ids").type == pa.list_(kind)
    seen = set()
    for row in batch.to_pylist():
        word = row["input_ids"]
        seen.update(word)
        assert row["label"] == (word[-1] >= symbols // 2)
        assert row["labels"] == [int(symbol >= symbols // 2) for symbol in word]
        assert row["classes"][-1] == row["syntactic_class"]
    assert seen == set(range(symbols))  # 19,500 symbols: each is missing with probability below e^-64
    assert {len(word) for word in batch["input_ids"].to_pylist()} == set(range(1, 13))


def test_near_misses_of_a_wide_alphabet(own):
    """Ten symbols up, ten down: the last symbol alone decides, also after an edit."""
    planned = plan("own", own(wide(20)), **RECIPE)
    rows = [row for i in range(planned.splits["test_near_miss"].num_blocks)
            for row in planned.block("test_near_miss", i).to_pylist()]  # fmt: skip
    assert sum(row["label"] for row in rows) * 2 == len(rows) == 4 * 16
    assert all(row["label"] == (row["input_ids"][-1] >= 10) for row in rows)


def test_a_language_too_large_for_near_misses_says_which_option_leaves_them_out(own):
    """The split is made unless near_miss=False, so whoever did not ask for it must learn of that option."""
    more = "parameters = { depth = 500 }\nclasses = false"
    root = own('family = "dyck"', more=more)
    with pytest.raises(TooLargeError, match="near_miss=False"):
        plan("own", root, **RECIPE).splits  # noqa: B018
    assert plan("own", root, near_miss=False, **RECIPE).block("train", 0).num_rows == 3000


def test_three_letters(own):
    planned = plan("own", own('alphabet = ["a", "b", "c"]\nregex = "(a|b|c)*abc(a|b|c)*"'), sampling="class", **RECIPE)
    for split in planned.splits:
        for row in planned.block(split, 0).to_pylist():
            text = "".join("abc"[symbol] for symbol in row["input_ids"])
            assert row["label"] == ("abc" in text)
    assert "test_near_miss" in planned.splits


def test_one_letter(own):
    planned = plan("own", own('alphabet = ["a"]\nregex = "(aa)*"'), near_miss=False, **RECIPE)
    for row in planned.block("train", 0).to_pylist():
        assert row["label"] == (len(row["input_ids"]) % 2 == 0)


def test_the_version_is_part_of_the_key(own):
    """Raising the version of the data draws other words."""
    text = 'alphabet = ["a", "b", "c"]\nregex = ".*b"'
    options = RECIPE | {"train_lengths": (60, 60)}
    one, other = (plan("own", own(text, version), **options) for version in ("1.0.0", "1.0.1"))
    drawn = [{tuple(word) for word in each.block("train", 0)["input_ids"].to_pylist()} for each in (one, other)]
    assert not drawn[0] & drawn[1]  # two words of 60 letters of three are equal with probability 3^-60
    assert one.fingerprint != other.fingerprint


def test_defaults_come_from_the_file(own):
    root = own('alphabet = ["a", "b"]\nregex = "b*"', more='sampling = "balanced"\ntrain_examples = 77\nseed = 5')
    planned = plan("own", root)
    assert planned.splits["train"].num_examples == 77
    assert planned.config_id == "own"
    assert plan("own", root, seed=5, train_examples=np.int64(77)).config_id == "own"
    assert plan("own", root, seed=0).config_id != "own"


FEW = ["--train-examples", "20", "--validation-examples", "0", "--test-examples-per-length", "1"]


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


def commands(text):
    """The command lines that a text gives, as arguments."""
    return [shlex.split(found) for found in re.findall(r"seqbench ((?:list|info|draw)[^`(]*)", text)]


@pytest.fixture
def folder(own, tmp_path):
    """Its name has a blank, which a shell takes for an end; no word of the dataset has an odd length."""
    made = own('alphabet = ["0", "1"]\nregex = "((0|1)(0|1))*"', more='labels = ["accept"]')
    return made.rename(tmp_path / "my catalogue")


def test_the_hint_of_info_draws_a_dataset_of_ones_own(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = run("info", "own", "--catalogue", folder, *FEW).stdout
    (hint,) = commands(text)
    assert run(*hint).exit_code == 0, hint
    assert "<svg" in (tmp_path / "own.svg").read_text()
    built_in = run("info", "parity_check", "--catalogue", folder, *FEW).stdout
    assert commands(built_in) == [["draw", "parity_check", "--out", "parity_check.svg"]]


def test_hints_in_errors_name_the_folder(folder):
    hints = []
    for call in (
        lambda: seqbench.stream("own", lengths=(3, 3), catalogue=folder),
        lambda: seqbench.coverage_plan("own", train_lengths=(1, 1), catalogue=folder),
        lambda: seqbench.language("ovn", folder),
        lambda: plan("ovn", folder),
        lambda: seqbench.load_dataset(None, catalogue=folder),
    ):
        with pytest.raises((InputError, UnknownNameError)) as caught:
            call()
        hints += commands(str(caught.value))
    assert len(hints) == 5
    for hint in hints:
        assert hint[-2:] == ["--catalogue", str(folder)]
        done = run(*hint, *(FEW if hint[0] == "info" else []))
        assert done.exit_code == 0, done.output
        assert "own" in done.stdout


def test_a_dataset_of_ones_own_is_known_to_verify_and_export(folder, tmp_path):
    done = run("verify", "own", "--catalogue", folder)
    assert (done.exit_code, "no golden digest of 'own'" in done.stderr) == (2, True), done.stderr
    assert f"export DIR --config own --catalogue '{folder}'." in done.stderr
    unknown = run("export", tmp_path / "hub", "--config", "ovn", "--catalogue", folder)
    assert f"`seqbench list --catalogue '{folder}'` shows all." in unknown.stderr


def test_hints_about_built_in_datasets_stay_short(folder):
    assert open_catalogue().command("list") == "seqbench list"
    assert open_catalogue(folder).command("draw dyck_d6", "dyck_d6") == "seqbench draw dyck_d6"
