"""The factory: what it refuses and what it says then."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from seqbench.errors import InputError, UnknownNameError  # noqa: E402
from seqbench.models import MODELS, create, matched_width, options  # noqa: E402
from seqbench.models.__main__ import rows  # noqa: E402
from seqbench.models.frame import CAN_READ_POSITIONS  # noqa: E402


def refused(kind=InputError, **arguments):
    with pytest.raises(kind) as caught:
        create(**{"name": "ldru", "vocabulary": 2, "classes": 2, **arguments})
    return str(caught.value)


def test_unknown_names_are_answered_with_the_nearest():
    assert "Did you mean 'transformer'?" in refused(UnknownNameError, name="transfomer")
    assert "Did you mean 'operator'?" in refused(UnknownNameError, operater="mlp")
    assert "'refinements'" in refused(UnknownNameError, name="pr_lstm", refinement=1)
    assert "mlp, sum, linear, gated_sum, grc, matrix" in refused(operator="max")
    assert "scan, reduce" in refused(name="pr_lstm", schedule="tree")
    assert "random_rope" in refused(name="transformer", positions="t5")
    for name in ("stack_rnn", "tape_rnn"):
        assert "'gelu' of 'activation' cannot be used. It is one of tanh, relu" in refused(name=name, activation="gelu")


@pytest.mark.parametrize("name", ["ldru", "bbt_grc", "rir_grc"])
def test_a_tree_cannot_answer_at_every_position(name):
    message = refused(name=name, head="positions")
    assert repr(name) in message
    assert CAN_READ_POSITIONS in message


def test_the_list_of_models_that_can_answer_at_every_position_is_right():
    able = {name for name in MODELS if "positions" in create(name, vocabulary=2, classes=2).encoder.heads}
    assert able == {name for name in MODELS if name in CAN_READ_POSITIONS.replace(",", "").split()}
    assert "can:" in refused(name="pr_lstm", schedule="reduce", head="positions")


def test_inputs_are_symbols_or_vectors():
    assert "`vocabulary` or `d_in`" in refused(vocabulary=None)
    assert "`vocabulary` or `d_in`" in refused(d_in=3)
    assert "'classes'" in refused(classes=0)
    assert "'last' or 'positions'" in refused(head="first")
    assert "bits" in refused(name="nesv", vocabulary=None, d_in=2)
    assert "two classes" in refused(name="nesv", classes=3)
    assert "the greatest index" in refused(name="nesv", index=True)
    with pytest.raises(InputError, match="then the index token"):
        create("nesv", vocabulary=9, classes=2, index=True)(torch.tensor([[1]]), torch.tensor([1]))


def test_sizes_that_do_not_fit():
    assert "64 or 81" in refused(width=70, operator="matrix")
    assert "8 heads" in refused(name="transformer", width=20)
    assert "4 heads" in refused(name="deltanet", width=10)
    assert "chunk of 1" in refused(name="rir_grc", chunk=1)
    assert "refinements -1" in refused(name="pr_lstm", refinements=-1)


def test_a_hybrid_of_what_cannot_be_joined():
    assert "Put it second" in refused(name="hybrid", first="rir_grc")
    assert "cannot be part of a hybrid" in refused(name="hybrid", second="ldru")
    assert "Did you mean 'gru'" in refused(UnknownNameError, name="hybrid", first="gr_u")
    assert "'width'" in refused(UnknownNameError, name="hybrid", first_options={"widht": 3})


@pytest.mark.parametrize("positions", ["learned", "random_sin", "random_rope"])
def test_lengths_beyond_the_positions(positions):
    model = create("transformer", vocabulary=2, classes=2, positions=positions, max_length=8, layers=1)
    assert model(torch.zeros(1, 8, dtype=torch.long), torch.tensor([8])).shape == (1, 2)
    with pytest.raises(InputError, match=r"length 9.*8 positions.*max_length"):
        model(torch.zeros(1, 9, dtype=torch.long), torch.tensor([9]))


def test_what_a_model_cannot_read():
    model = create("gru", vocabulary=3, classes=2, width=4)
    tokens = torch.zeros(2, 5, dtype=torch.long)
    for lengths, message in (([0, 1], "from 0 to 1"), ([6, 1], "from 1 to 6"), ([1], r"shape \(1,\) for 2")):
        with pytest.raises(InputError, match=message):
            model(tokens, torch.tensor(lengths))
    with pytest.raises(InputError, match=r"symbols from 0 to 3.*0 to 2"):
        model(torch.tensor([[0, 3]]), torch.tensor([2]))
    with pytest.raises(InputError, match=r"\(batch, longest\)"):
        model(tokens[..., None], torch.tensor([5, 5]))


def test_options_are_listed_with_defaults():
    assert options("pr_lstm") == {"width": 256, "refinements": 1, "schedule": "scan"}
    for name in MODELS:
        assert options(name)


def test_a_width_that_cannot_be_matched():
    with pytest.raises(InputError, match="'nesv'"):
        matched_width("nesv", 100, vocabulary=2, classes=2)


def test_rates_of_state_spaces_are_apart():
    groups = create("s4d", vocabulary=2, classes=2, width=8).parameter_groups(1e-2, weight_decay=0.1)
    model = create("lstm", vocabulary=2, classes=2, width=8)
    assert [(group["lr"], group["weight_decay"]) for group in groups] == [(1e-2, 0.1), (1e-3, 0.0)]
    assert len(groups[1]["params"]) == 12
    assert len(model.parameter_groups(1e-2)) == 1


@pytest.mark.parametrize("name", MODELS)
def test_the_table_of_the_documentation_is_current(name):
    text = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
    line = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
    assert f" {dict(rows())[name]:,} " in line
