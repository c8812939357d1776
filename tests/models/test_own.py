"""Encoders of one's own stand where names of models do."""

import json
import os

import pytest
from click.testing import CliRunner

from seqbench.cli import main
from seqbench.errors import InputError, UnknownNameError

torch = pytest.importorskip("torch")

from seqbench.models import create, options  # noqa: E402 -- torch may be absent
from seqbench.training import classes, loop  # noqa: E402
from seqbench.training.command import command  # noqa: E402
from seqbench.training.evaluate import evaluate  # noqa: E402
from seqbench.training.settings import read, resolve  # noqa: E402
from tests.training.test_results import checker, parsed  # noqa: E402

CODE = """
import torch
from seqbench.models.frame import Encoder
from seqbench.models.tree import TreeEncoder

class Mean(Encoder):
    def __init__(self, width: int = 8, scale: float = 1.0):
        super().__init__(width_in=width, width=width)
        self.scale = scale

    def forward(self, x, where):
        return self.scale * x.cumsum(1)

class Tree(TreeEncoder):
    def __init__(self, width: int = 8, reduction: str = "packed"):
        super().__init__(width, reduction)
        self.join = torch.nn.Linear(2 * width, width)

    def leaf(self, x):
        return x

    def combine(self, pairs):
        return self.join(pairs)

class Other:
    pass
"""
SHORT = {"steps": 2, "check_every": 2, "batch": 4, "test_lengths": 2, "test_words": 2}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(CODE, encoding="utf-8")
    return path


def test_it_is_made_like_any_other(file):
    assert options(f"{file}:Mean") == {"width": 8, "scale": 1.0}
    model = create(f"{file}:Mean", vocabulary=3, classes=2, head="positions", width=4)
    assert model(torch.tensor([[0, 1, 2]]), torch.tensor([2])).shape == (1, 3, 2)
    tree = create(f"{file}:Tree", vocabulary=2, classes=2)
    assert len(tree.node_states(torch.tensor([[0, 1, 1]]), torch.tensor([3])).states) == 5


@pytest.mark.parametrize(("name", "unit"), [("Mean", "words"), ("Tree", "blocks")])
def test_it_is_trained_measured_and_looked_into(file, tmp_path, name, unit, monkeypatch):
    monkeypatch.chdir(tmp_path)
    settings = resolve("dyck_d2", f"mine.py:{name}", options={"width": 4}, **SHORT)
    assert settings.model == f"{file}:{name}"
    assert settings.run_id.startswith(f"dyck_d2-mine-{name}-s0-0-")
    run = loop.train(settings, tmp_path / "run")
    assert parsed(command(read(run))) == settings
    monkeypatch.chdir("/")  # a run folder is read from anywhere
    facts = evaluate(run)
    assert checker().is_valid(facts)
    assert facts["model"]["family"] == f"mine.py:{name}"
    assert classes.classes_of(run, words=50).unit == unit


def test_a_run_does_not_go_on_with_other_code(file, tmp_path):
    settings = resolve("dyck_d2", f"{file}:Mean", **SHORT)
    run = loop.train(settings, tmp_path / "run")
    file.write_text(CODE.replace("self.scale * ", ""), encoding="utf-8")
    with pytest.raises(InputError, match="is not as it was when this run was begun"):
        evaluate(run)
    assert resolve("dyck_d2", f"{file}:Mean", **SHORT).run_id != settings.run_id


def test_an_edited_file_is_read_again(file):
    file.write_text(CODE.replace("width: int = 8, scale", "width: int = 9, scale"), encoding="utf-8")
    assert options(f"{file}:Mean")["width"] == 9


BROKEN = {
    "width: int = 8": {
        "width": "has no default. Write each as name=value",
        "*args": "has no default",
        "**more": "has no default",
        "width: int = 8, kind=torch.nn.ReLU": "which no result file can hold",
        "width: int = 8, head: int = 2": "means something else to every model",
    },
    "return x": {
        "return x[:, :-1]": "does not do what an Encoder does",
        "return x[..., :3]": "does not do what an Encoder does",
        "return x.double()": "does not do what an Encoder does",
        "return x, None": "does not do what an Encoder does",
        "return torch.zeros(3, 8)": "leads to answers of shape",
        "raise RuntimeError": "RuntimeError: no reason given",
    },
    "super().__init__(width_in=width, width=width)": {"torch.nn.Module.__init__(self)": "no attribute 'width"},
}
SOUND = """
from __future__ import annotations
from dataclasses import dataclass
import torch
from seqbench.models.frame import Encoder

@dataclass
class Other:
    size: int = 3

class Same(Encoder):
    def __init__(self, width: int = 8):
        super().__init__(width_in=width, width=width)

    def forward(self, x, where):
        return x
"""


def test_dataclasses_and_annotations_of_the_file_work(tmp_path):
    (tmp_path / "m.py").write_text(SOUND, encoding="utf-8")
    assert create(f"{tmp_path / 'm.py'}:Same", vocabulary=2, classes=2).encoder.width == 8
    assert create(f"{tmp_path / 'm.py'}:Same", d_in=3, classes=2, head="positions").encoder.width == 8


def test_a_leaf_for_each_symbol_is_asked_for(tmp_path):
    (tmp_path / "m.py").write_text(CODE.replace("return x\n", "return x[:-1]\n"), encoding="utf-8")
    with pytest.raises(InputError, match="does not do what an Encoder does"):
        create(f"{tmp_path / 'm.py'}:Tree", vocabulary=2, classes=2)


def test_an_encoder_that_is_a_dataclass_is_told_what_it_lacks(tmp_path):
    """Such a class has no hash, which modules need."""
    made = "@dataclass\nclass Same(Encoder):\n    width: int = 8\n    def __post_init__(self):"
    code = SOUND.replace("class Same(Encoder):\n    def __init__(self, width: int = 8):", made)
    code = code.replace("width_in=width, width=width", "width_in=self.width, width=self.width")
    (tmp_path / "m.py").write_text(code, encoding="utf-8")
    with pytest.raises(InputError, match="does not do what an Encoder does"):
        create(f"{tmp_path / 'm.py'}:Same", vocabulary=2, classes=2)


@pytest.mark.parametrize(
    ("old", "new", "message"), [(old, new, words) for old, each in BROKEN.items() for new, words in each.items()]
)
def test_what_breaks_the_contract_is_told_before_training(old, new, message, tmp_path):
    assert old in SOUND
    (tmp_path / "m.py").write_text(SOUND.replace(old, new), encoding="utf-8")
    model = f"{tmp_path / 'm.py'}:Same"
    for command_line in (
        ["train", "parity_check", "--out", str(tmp_path / "run"), "--model"],
        ["profile", "--lengths", "4", "--models"],
    ):
        done = CliRunner().invoke(main, [*command_line, model])
        assert done.exit_code == 2, done.output
        assert isinstance(done.exception, SystemExit)
        assert message in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(InputError, match="it is no file"):
        resolve("dyck_d2", f"{tmp_path / 'pipe.py'}:Mean")


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (None, "Mean", "cannot be read: No such file"),
        (CODE, "Maen", "Did you mean 'Mean'"),
        (CODE, "Other", "is no Encoder. Derive it from"),
        ("import nothing_of_this_name", "Mean", "cannot be run: ModuleNotFoundError"),
        ("def (", "Mean", "cannot be run: SyntaxError"),
        ("raise SystemExit(3)", "Mean", "cannot be run: SystemExit"),
    ],
)
def test_what_is_wrong_is_one_sentence(text, name, message, tmp_path):
    file = tmp_path / "mine.py"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["train", "dyck_d2", "--model", f"{file}:{name}", "--out", str(tmp_path / "run")])
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert not (tmp_path / "run").exists()


def test_an_unknown_option_is_named(file):
    with pytest.raises(UnknownNameError, match="'scale'"):
        create(f"{file}:Mean", vocabulary=2, classes=2, scal=2.0)


def test_a_sweep_and_a_profile_take_it(file, tmp_path):
    (tmp_path / "grid.toml").write_text(
        f'[grid]\ntask = "parity_check"\nmodel = ["gru", "{file}:Mean"]\n[settings]\n'
        + "\n".join(f"{key} = {value}" for key, value in SHORT.items()),
        encoding="utf-8",
    )
    done = CliRunner().invoke(main, ["sweep", str(tmp_path / "grid.toml"), "--out", str(tmp_path / "runs"), "--json"])
    assert done.exit_code == 0, done.output
    assert [each["model"]["family"] for each in json.loads(done.stdout)] == ["gru", "mine.py:Mean"]
    done = CliRunner().invoke(main, ["profile", "--models", f"{file}:Mean", "--lengths", "8"])
    assert done.exit_code == 0, done.output
