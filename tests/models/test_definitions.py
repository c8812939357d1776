"""What follows from the definitions of single models; the equations themselves: test_equations.py."""

import pytest

torch = pytest.importorskip("torch")

from seqbench.models import create  # noqa: E402
from seqbench.models.delta_rule import chunked, recurrent  # noqa: E402
from seqbench.models.lengths import Lengths  # noqa: E402
from seqbench.models.positions import distance_bias, randomised, turned  # noqa: E402
from seqbench.models.tcn import TCN  # noqa: E402


def batch(longest, width, lengths=None):
    x = torch.randn(2 if lengths is None else len(lengths), longest, width, dtype=torch.float64)
    return x, Lengths.read(torch.tensor(lengths or [longest, longest]), x)


def test_a_deep_stack_gives_back_what_was_pushed():
    """With actions forced, n pushes and then n pops bring the first cell back to the top."""
    encoder = create("stack_rnn", vocabulary=2, classes=2, width=6, cell=3).encoder
    encoder.actions.weight.data.zero_()
    stack, state = torch.zeros(1, 1, 3), torch.randn(1, 6)
    encoder.actions.bias.data = torch.tensor([100.0, 0.0, 0.0])
    for _ in range(600):
        stack = encoder.moved(stack, state)
    encoder.actions.bias.data = torch.tensor([0.0, 100.0, 0.0])
    for _ in range(599):
        stack = encoder.moved(stack, state)
    torch.testing.assert_close(stack[:, 0], encoder.pushed(state))
    torch.testing.assert_close(encoder.moved(stack, state)[:, 0], torch.zeros(1, 3))


def test_the_tape_jumps_by_the_length_of_the_input_before_empty_symbols():
    model = create("tape_rnn", vocabulary=4, classes=2, width=6, empty=3)
    _, where = model.read(torch.tensor([[0, 1, 2, 3, 3], [1, 3, 0, 0, 0]]), torch.tensor([5, 2]))
    assert where.inputs.tolist() == [3, 1]


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_tcn_sees_as_far_as_it_says(layers):
    encoder = TCN(width=4, layers=layers, embedding=4).eval()
    for weight in encoder.parameters():  # all positive, so that no path is cut by a ReLU
        weight.data.abs_()
    x = torch.rand(1, 40, 4).requires_grad_()
    encoder(x, Lengths.read(torch.tensor([40]), x))[0, -1].sum().backward()
    assert torch.nonzero(x.grad[0].any(1)).flatten().tolist() == list(range(40 - encoder.sees, 40))


def test_a_tcn_at_its_defaults_sees_all_training_lengths():
    assert TCN().sees == 509


@pytest.mark.parametrize(("longest", "chunk"), [(1, 4), (4, 4), (7, 4), (64, 64), (130, 64), (23, 1)])
@pytest.mark.parametrize("strongest", [1.0, 2.0])
def test_the_delta_rule_in_chunks_is_the_recurrence(longest, chunk, strongest):
    q, k = torch.randn(2, 2, 3, longest, 8, dtype=torch.float64)
    v = torch.randn(2, 3, longest, 5, dtype=torch.float64)
    k = torch.nn.functional.normalize(k, dim=-1)
    log_decay = -torch.rand(2, 3, longest, dtype=torch.float64) * 3
    strength = strongest * torch.rand(2, 3, longest, dtype=torch.float64)
    torch.testing.assert_close(
        chunked(q, k, v, log_decay, strength, chunk), recurrent(q, k, v, log_decay, strength), rtol=1e-9, atol=1e-9
    )


def test_strong_decay_in_chunks_stays_finite():
    q = k = v = torch.nn.functional.normalize(torch.ones(1, 1, 200, 4), dim=-1).requires_grad_()
    output = chunked(q, k, v, torch.full((1, 1, 200), -30.0), torch.ones(1, 1, 200))
    output.sum().backward()
    assert output.isfinite().all()
    assert q.grad.isfinite().all()


def test_both_forms_of_deltanet_agree():
    one, two = (
        create("deltanet", vocabulary=3, classes=2, width=16, heads=2, form=form) for form in ("chunked", "recurrent")
    )
    two.load_state_dict(one.state_dict())
    tokens = torch.randint(0, 3, (2, 100))
    for model in (one, two):
        model.double().eval()
    lengths = torch.tensor([100, 70])
    torch.testing.assert_close(one(tokens, lengths), two(tokens, lengths), rtol=1e-9, atol=1e-9)


def test_a_hybrid_has_the_limits_of_its_parts():
    both = create(
        "hybrid", vocabulary=3, classes=2, first="lstm", second="transformer", second_options={"positions": "learned"}
    )
    assert (both.encoder.max_length, both.encoder.causal) == (2048, False)


def test_a_hybrid_reads_no_more_than_each_part():
    for limits in ((7, 9), (9, 7)):
        first, second = ({"positions": "learned", "max_length": limit} for limit in limits)
        parts = {"first": "transformer", "first_options": first, "second": "transformer", "second_options": second}
        assert create("hybrid", vocabulary=3, classes=2, **parts).encoder.max_length == 7


@pytest.mark.parametrize(("width", "numbers"), [(64, 0), (65, 65 * 64 + 64)])
def test_a_hybrid_joins_by_a_map_only_where_widths_differ(width, numbers):
    model = create("hybrid", vocabulary=3, classes=2, first_options={"width": width})
    assert sum(weight.numel() for weight in model.encoder.join.parameters()) == numbers


def test_turned_products_depend_on_the_distance_alone():
    q, k = torch.randn(2, 1, 1, 1, 8, dtype=torch.float64)

    def product(i, j):
        return (turned(q, torch.tensor([[i]])) * turned(k, torch.tensor([[j]]))).sum()

    torch.testing.assert_close(product(3, 10), product(23, 30))
    assert not torch.isclose(product(3, 10), product(3, 11))


def test_distances_are_punished_by_the_published_slopes():
    bias = distance_bias(torch.arange(4)[None], 8)
    assert bias.shape == (1, 8, 4, 4)
    assert bias[0, 0, 0].tolist() == [0, -0.5, -1, -1.5]
    assert bias[0, 7, 3, 0].item() == -3 / 256


def test_random_positions_are_uniform_subsets_in_order():
    x = torch.zeros(3000, 3)
    lengths = torch.tensor([3, 1, 2]).repeat(1000)
    positions = randomised(Lengths.read(lengths, x), 6)
    for n in (1, 2, 3):
        rows = positions[lengths == n, :n]
        assert (rows.diff(dim=1) > 0).all()
        share = rows.flatten().bincount(minlength=6) / len(rows)
        torch.testing.assert_close(share, torch.full((6,), n / 6), atol=0.06, rtol=0)


@pytest.mark.parametrize(
    ("name", "options", "times"),
    [
        ("ldru", {}, 1 + 4),  # leaves, levels: 9 symbols are joined to 5, 3, 2, 1
        ("bbt_grc", {}, 1 + 4),
        ("ldru", {"reduction": "levels"}, 1 + 4),
        ("rir_grc", {"chunk": 3, "pre_layers": 2}, 2 + 2 * 2),  # layers before, two steps in a chunk, twice
        ("transformer", {"layers": 2}, 1 + 2 * 2),
        ("s4d", {"layers": 2}, 2),
        ("tcn", {"layers": 2}, 2 * 2),
        ("deltanet", {"layers": 2}, 2 * 2),
    ],
)
def test_dropout_comes_as_often_as_it_should(name, options, times):
    model = create(name, vocabulary=2, classes=2, dropout=0.3, **options)
    seen = []
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.register_forward_hook(lambda module, *_: seen.append(module.p))
    model(torch.randint(0, 2, (2, 9)), torch.tensor([9, 9]))
    assert seen == [0.3] * times
