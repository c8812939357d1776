"""What every model must do, whatever it is."""

import pytest

torch = pytest.importorskip("torch")

from seqbench.models import MODELS  # noqa: E402
from tests.models.zoo import ALL, RANDOM, SMALL, make, words  # noqa: E402

LENGTHS = [13, 1, 7, 2, 8, 5]
POSITIONS = [key for key in ALL if "positions" in make(key).encoder.heads]
VECTORS = [key for key in ALL if not key.startswith("nesv")]

# Products of matrices of another shape sum in another order, and transforms of another length round elsewhere.
CLOSE = {"atol": 2e-6, "rtol": 2e-5}


def test_the_small_models_are_all_models():
    assert set(SMALL) == set(MODELS)


@pytest.mark.parametrize("key", ALL + RANDOM)
def test_one_answer_a_word_with_a_gradient_for_every_weight(key):
    model = make(key)
    tokens, lengths = words(key, LENGTHS)
    logits = model(tokens, lengths)
    assert logits.shape == (len(LENGTHS), 2)
    assert logits.isfinite().all()
    logits.square().sum().backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.isfinite().all(), name
    dead = {name for name, weight in model.named_parameters() if not weight.grad.any()}
    # Without an index, the one-layer attention asks with the zero vector, and gen and sin start with a query of 0.
    first = {"encoder.key.weight", "encoder.key.bias"} if key in ("nesv-gen", "nesv-sin") else set()
    assert dead <= {"encoder.query.weight", "encoder.a"} | first


@pytest.mark.parametrize("key", POSITIONS)
def test_one_answer_a_position(key):
    model = make(key, head="positions", classes=3)
    tokens, lengths = words(key, LENGTHS, longest=15)
    logits = model(tokens, lengths)
    assert logits.shape == (len(LENGTHS), 15, 3)
    assert not logits[1, 1:].any()
    assert not logits[:, 13:].any()
    assert logits[0, :13].any(1).all()


@pytest.mark.parametrize("key", POSITIONS)
def test_both_heads_read_the_same_state_at_the_last_symbol(key):
    whole, every = make(key), make(key, head="positions")
    every.load_state_dict(whole.state_dict())
    tokens, lengths = words(key, LENGTHS)
    picked = every(tokens, lengths)[range(len(LENGTHS)), lengths - 1]
    torch.testing.assert_close(picked, whole(tokens, lengths), **CLOSE)


@pytest.mark.parametrize("key", VECTORS)
def test_vectors_instead_of_symbols(key):
    model = make(key, d_in=3, classes=4)
    vectors = torch.randn(3, 6, 3)
    vectors[1, 2:], vectors[2, 5:] = torch.nan, torch.inf  # padding is never looked at
    answers = model(vectors, torch.tensor([6, 2, 5]))
    assert answers.shape == (3, 4)
    assert answers.isfinite().all()


@pytest.mark.parametrize("key", ALL)
def test_other_padding_changes_no_bit(key):
    model = make(key)
    tokens, lengths = words(key, LENGTHS)
    other = tokens.clone()
    for row, length in enumerate(LENGTHS):
        other[row, length:] = -100
    assert torch.equal(model(tokens, lengths), model(other, lengths))


@pytest.mark.parametrize("key", ALL)
def test_longer_padding_changes_no_bit(key):
    model = make(key)
    tokens, lengths = words(key, LENGTHS)
    longer = torch.cat([tokens, torch.full((len(LENGTHS), 20), 99)], 1)
    assert torch.equal(model(tokens, lengths), model(longer, lengths))


@pytest.mark.parametrize("key", ALL)
def test_other_rows_change_nothing(key):
    model = make(key)
    tokens, lengths = words(key, LENGTHS)
    together = model(tokens, lengths)
    for row, length in enumerate(LENGTHS):
        alone = model(tokens[row : row + 1, :length], lengths[row : row + 1])
        torch.testing.assert_close(together[row : row + 1], alone, **CLOSE)


@pytest.mark.parametrize("key", ALL)
def test_gradients_do_not_feel_the_padding(key):
    def gradients(padding):
        model.zero_grad()
        model(torch.where(real, tokens, padding), lengths).square().sum().backward()
        return [weight.grad.clone() for weight in model.parameters()]

    model = make(key)
    tokens, lengths = words(key, LENGTHS)
    real = torch.arange(max(LENGTHS)) < lengths[:, None]
    for one, two in zip(gradients(0), gradients(1), strict=True):
        assert torch.equal(one, two)


@pytest.mark.parametrize("key", [key for key in POSITIONS if make(key).encoder.causal])
def test_causal_models_do_not_look_ahead(key):
    model = make(key, head="positions")
    tokens, lengths = words(key, [12, 12])
    before = model(tokens, lengths)
    for place in (0, 3, 11):
        changed = tokens.clone()
        changed[:, place] = (changed[:, place] + 1) % 5
        after = model(changed, lengths)
        torch.testing.assert_close(before[:, :place], after[:, :place], **CLOSE)
        # A change is seen at once: nothing is read late.
        assert not torch.allclose(before[:, place], after[:, place], atol=1e-7)


@pytest.mark.parametrize("key", ["transformer", "transformer-alibi", "transformer-rope", "tape_rnn"])
def test_models_that_are_not_causal_do_look_ahead(key):
    model = make(key, head="positions")
    tokens, lengths = words(key, [12, 12])
    changed = tokens.clone()
    changed[:, 11] = (changed[:, 11] + 1) % 5
    seen = not torch.allclose(model(tokens, lengths)[:, 0], model(changed, lengths)[:, 0], atol=1e-7)
    assert seen != (key == "tape_rnn")  # this one knows the length of its input, and that only


@pytest.mark.parametrize("key", ALL + RANDOM)
def test_all_work_is_done_where_the_words_are(key):
    """The device "meta" computes nothing but refuses to meet tensors that live elsewhere; lengths stay on the CPU."""
    model = make(key).to("meta")
    tokens, lengths = words(key, LENGTHS)
    assert model(tokens.to("meta"), lengths).is_meta


def lstm_knows_bf16():
    """Whether this machine's kernels of nn.LSTM can: those of some processors cannot."""
    try:
        with torch.autocast("cpu", torch.bfloat16):
            torch.nn.LSTM(2, 2)(torch.ones(1, 1, 2))
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize("key", ALL)
def test_half_precision_is_near(key):
    model = make(key)
    if any(isinstance(part, torch.nn.LSTM) for part in model.modules()) and not lstm_knows_bf16():
        pytest.skip("no LSTM in bf16 on this processor")
    tokens, lengths = words(key, LENGTHS)
    with torch.autocast("cpu", torch.bfloat16):
        half = model(tokens, lengths)
    half.float().sum().backward()
    torch.testing.assert_close(half.float(), model(tokens, lengths), atol=0.15, rtol=0.05)


@pytest.mark.parametrize("key", ALL)
def test_weights_travel(key, tmp_path):
    safetensors = pytest.importorskip("safetensors.torch")
    model, other = make(key), make(key)
    safetensors.save_file(model.state_dict(), tmp_path / "model.safetensors")
    other.load_state_dict(safetensors.load_file(tmp_path / "model.safetensors"))
    tokens, lengths = words(key, LENGTHS)
    assert torch.equal(model(tokens, lengths), other(tokens, lengths))


@pytest.mark.parametrize("key", ["ldru", "lstm", "transformer", "deltanet", "tcn"])
def test_training_learns(key):
    """The first symbol of a short word is learnt within a few steps; dropout is on."""
    model = make(key).train()
    optimiser = torch.optim.AdamW(model.parameter_groups(1e-2))
    tokens, lengths = words(key, [1, 2, 3, 4] * 16)
    labels = (tokens[:, 0] > 1).long()
    for _ in range(60):
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(tokens, lengths), labels)
        loss.backward()
        optimiser.step()
    assert loss < 0.2
