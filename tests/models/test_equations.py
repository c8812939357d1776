"""Every model's logits are those of its equations: word by word, symbol by symbol, in NumPy, from the weights alone."""

import contextlib

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from seqbench.models import MODELS, create, transformer  # noqa: E402
from seqbench.models.nesv import VARIANTS  # noqa: E402
from seqbench.models.operators import OPERATORS  # noqa: E402
from seqbench.models.positions import SCHEMES  # noqa: E402
from tests.models.equations import layers, recurrent, trees  # noqa: E402
from tests.models.equations.arithmetic import linear, part  # noqa: E402
from tests.models.equations.nesv import nesv  # noqa: E402

LENGTHS = [13, 1, 7, 2, 8, 5]
SYMBOLS = 4

EQUATIONS = {
    "ldru": trees.ldru,
    "bbt_grc": trees.bbt_grc,
    "rir_grc": recurrent.rir_grc,
    "pr_lstm": trees.pr_lstm,
    "pr_rnn": trees.pr_rnn,
    "rnn": recurrent.rnn,
    "lstm": recurrent.lstm,
    "gru": recurrent.gru,
    "stack_rnn": recurrent.stack_rnn,
    "tape_rnn": recurrent.tape_rnn,
    "transformer": layers.transformer,
    "s4d": layers.s4d,
    "tcn": layers.tcn,
    "deltanet": layers.deltanet,
    "hybrid": recurrent.hybrid,
}


def test_all_models_have_their_equations():
    assert set(MODELS) - set(EQUATIONS) == {"nesv"}  # it reads bits: test_nesv
    assert set(trees.OPERATORS) == set(OPERATORS)


@contextlib.contextmanager
def double_precision():
    """In all that is made inside: angles and slopes of positions have the precision that is the default."""
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


def disturbed(model):
    """The model in double precision, with other weights: no term hides behind a first value of 0 or 1."""
    model = model.double().eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return model


def arrays(model):
    return {key: value.numpy() for key, value in model.state_dict().items()}


def answers(model, words, lengths):
    """The logits of every head that reads the model's states."""
    found = {}
    for head in model.encoder.heads:
        model.head = head
        with double_precision():
            found[head] = model(words, lengths).detach().numpy()
    return found


def compare(name, vectors=False, places=None, **options):
    """For models of SYMBOLS symbols or of vectors; the places are those of random positions, (words, longest)."""
    with double_precision():
        inputs = {"d_in": 3} if vectors else {"vocabulary": SYMBOLS}
        model = disturbed(create(name, classes=3, **inputs, **options))
    w = arrays(model)
    for lengths in (LENGTHS, [7, 7]):  # words of one length have no padding, and shorter ways through the code
        shape = (len(lengths), max(lengths))
        words = torch.randn(*shape, 3, dtype=torch.float64) if vectors else torch.randint(0, SYMBOLS, shape)
        found = answers(model, words, torch.tensor(lengths))
        for row, length in enumerate(lengths):
            word = words[row, :length].numpy()
            x = [linear(part(w, "embedding"), vector) for vector in word] if vectors else w["embedding.weight"][word]
            drawn = None if places is None else places[row, :length].tolist()
            states = EQUATIONS[name](part(w, "encoder"), list(x), word=word, places=drawn, **options)
            assert len(states) == (length if "positions" in found else 1)
            expected = {"positions": [linear(part(w, "readout"), state) for state in states]}
            expected["last"] = expected["positions"][-1]
            for head, logits in found.items():
                given = logits[row, :length] if head == "positions" else logits[row]
                np.testing.assert_allclose(given, expected[head], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize("reduction", ["packed", "levels"])
def test_ldru(operator, wrapped, reduction):
    compare("ldru", width=9, operator=operator, wrapped=wrapped, reduction=reduction)


def test_ldru_on_vectors():
    compare("ldru", vectors=True, width=9)


@pytest.mark.parametrize("reduction", ["packed", "levels"])
def test_bbt_grc(reduction):
    compare("bbt_grc", width=6, reduction=reduction)


@pytest.mark.parametrize("pre_layers", [0, 1, 2])
def test_rir_grc(pre_layers):
    compare("rir_grc", width=6, chunk=3, pre_layers=pre_layers)


@pytest.mark.parametrize("name", ["pr_lstm", "pr_rnn"])
@pytest.mark.parametrize("refinements", [0, 1, 2])
@pytest.mark.parametrize("schedule", ["scan", "reduce"])
def test_pr_lstm(name, refinements, schedule):
    compare(name, width=6, refinements=refinements, schedule=schedule)


@pytest.mark.parametrize("name", ["rnn", "lstm", "gru"])
def test_recurrent(name):
    compare(name, width=6, embedding=5)


def test_lstm_of_two_layers():
    compare("lstm", width=6, embedding=5, layers=2)


def test_gru_on_vectors():
    compare("gru", vectors=True, width=6, embedding=5)


@pytest.mark.parametrize("depth", [None, 3])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_stack_rnn(depth, activation):
    compare("stack_rnn", width=6, cell=3, depth=depth, embedding=5, activation=activation)


@pytest.mark.parametrize("laps", [1, 2])
@pytest.mark.parametrize("empty", [None, 3])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_tape_rnn(laps, empty, activation):
    compare("tape_rnn", width=6, cell=3, laps=laps, empty=empty, embedding=5, activation=activation)


@pytest.mark.parametrize("positions", [scheme for scheme in SCHEMES if not scheme.startswith("random_")])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("log_scale", [True, False])
def test_transformer(positions, causal, log_scale):
    compare("transformer", width=12, heads=3, layers=2, positions=positions, causal=causal, log_scale=log_scale)


@pytest.mark.parametrize("positions", [scheme for scheme in SCHEMES if scheme.startswith("random_")])
@pytest.mark.parametrize("causal", [True, False])
def test_transformer_at_random_positions(positions, causal, monkeypatch):
    """The draw itself: test_random_positions_are_uniform_subsets_in_order."""
    drawn = torch.randint(0, 40, (len(LENGTHS), 13)).sort(1).values
    monkeypatch.setattr(transformer, "randomised", lambda where, _: drawn[: len(where.host), : where.longest])
    options = {"width": 12, "heads": 3, "layers": 2, "positions": positions, "causal": causal, "max_length": 40}
    compare("transformer", places=drawn, **options)


@pytest.mark.parametrize("start", ["lin", "real"])
def test_s4d(start):
    compare("s4d", width=6, layers=2, state=4, start=start)


@pytest.mark.parametrize("embedding", [5, 6])  # with a 1x1 convolution, and without
@pytest.mark.parametrize("kernel", [2, 3])
def test_tcn(embedding, kernel):
    compare("tcn", width=6, layers=3, kernel=kernel, embedding=embedding)


@pytest.mark.parametrize("form", ["chunked", "recurrent"])
@pytest.mark.parametrize("allow_neg_eigval", [True, False])
def test_deltanet(form, allow_neg_eigval):
    compare("deltanet", width=12, heads=3, layers=2, form=form, allow_neg_eigval=allow_neg_eigval)


@pytest.mark.parametrize(("first", "second"), [("lstm", "tcn"), ("gru", "rir_grc")])
@pytest.mark.parametrize("embedding", [6, 8])  # with a linear map between, and without
def test_hybrid(first, second, embedding):
    options = {"width": 8, "chunk": 3} if second == "rir_grc" else {"width": 6, "layers": 2, "embedding": embedding}
    width = embedding if second == "rir_grc" else 8
    chosen = {"first_options": {"width": width, "embedding": 5}, "second_options": options}
    compare("hybrid", first=first, second=second, **chosen)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("index", [True, False])
def test_nesv(variant, index):
    model = disturbed(create("nesv", vocabulary=15 if index else 2, classes=2, variant=variant, index=index))
    w, bits = part(arrays(model), "encoder"), torch.randint(0, 2, (len(LENGTHS), 14))
    asked = [1 + torch.randint(length, ()).item() if index else 0 for length in LENGTHS]
    if index:
        for row, (length, k) in enumerate(zip(LENGTHS, asked, strict=True)):
            bits[row, length] = 1 + k
    found = model(bits, torch.tensor(LENGTHS) + index).detach().numpy()
    expected = [nesv(w, bits[row, :length].tolist(), asked[row], variant) for row, length in enumerate(LENGTHS)]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
