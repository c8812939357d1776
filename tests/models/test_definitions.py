"""Each model against its equations, written here one step at a time."""

import functools
import math

import pytest

torch = pytest.importorskip("torch")

from seqbench.models import create  # noqa: E402
from seqbench.models.delta_rule import chunked, recurrent  # noqa: E402
from seqbench.models.lengths import Lengths  # noqa: E402
from seqbench.models.operators import GRC, GatedSum  # noqa: E402
from seqbench.models.positions import distance_bias, randomised, turned  # noqa: E402
from seqbench.models.s4d import Diagonal  # noqa: E402
from seqbench.models.tcn import TCN  # noqa: E402


def batch(longest, width, lengths=None):
    x = torch.randn(2 if lengths is None else len(lengths), longest, width, dtype=torch.float64)
    return x, Lengths.read(torch.tensor(lengths or [longest, longest]), x)


def test_the_stack_is_its_definition():
    encoder = create("stack_rnn", vocabulary=2, classes=2, width=6, cell=3, embedding=4).encoder.double()
    x, where = batch(9, 4)
    states = encoder(x, where)
    stack, h = torch.zeros(2, 9 + 2, 3, dtype=torch.float64), torch.zeros(2, 6, dtype=torch.float64)
    for t in range(9):
        h = encoder.core(torch.cat([x[:, t], stack[:, 0]], 1), h)
        torch.testing.assert_close(states[:, t], h)
        push, pop, keep = torch.softmax(encoder.actions(h), 1).unbind(1)
        pushed, new = encoder.pushed(h), torch.zeros_like(stack)
        for i in range(10):
            above = pushed if i == 0 else stack[:, i - 1]
            new[:, i] = push[:, None] * above + pop[:, None] * stack[:, i + 1] + keep[:, None] * stack[:, i]
        stack = new


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


def test_the_tape_is_its_definition():
    encoder = create("tape_rnn", vocabulary=2, classes=2, width=6, cell=3, embedding=4).encoder.double()
    lengths = [5, 3]
    x, where = batch(5, 4, lengths)
    states = encoder(x, where)
    for row, n in enumerate(lengths):
        size = 2 * n + 1
        tape, h = torch.zeros(size, 3, dtype=torch.float64), torch.zeros(1, 6, dtype=torch.float64)
        for t in range(n):
            h = encoder.core(torch.cat([x[row, t], tape[0]])[None], h)
            torch.testing.assert_close(states[row, t], h[0])
            tape = torch.cat([encoder.written(h), tape[1:]])
            weights = torch.softmax(encoder.actions(h), 1)[0]
            moves = (0, -1, 1, -n, n)
            tape = sum(
                w * torch.stack([tape[(i + m) % size] for i in range(size)])
                for w, m in zip(weights, moves, strict=True)
            )


def test_the_tape_jumps_by_the_length_of_the_input_before_empty_symbols():
    model = create("tape_rnn", vocabulary=4, classes=2, width=6, empty=3)
    _, where = model.read(torch.tensor([[0, 1, 2, 3, 3], [1, 3, 0, 0, 0]]), torch.tensor([5, 2]))
    assert where.inputs.tolist() == [3, 1]


@pytest.mark.parametrize("start", ["lin", "real"])
def test_the_convolution_is_the_recurrence(start):
    """x_k = Abar x_{k-1} + Bbar u_k, y_k = 2 Re(C x_k) + D u_k."""
    space = Diagonal(3, 8, start).double()
    u = torch.randn(2, 20, 3, dtype=torch.float64)
    dt, a = space.log_dt.exp()[:, None], -space.log_decay.exp()
    mix = space.mix
    if start == "lin":
        a, mix = torch.complex(a, space.frequency), torch.view_as_complex(space.mix)
    keep, take = (dt * a).exp(), ((dt * a).exp() - 1) / a
    x, outputs = torch.zeros(2, *a.shape, dtype=a.dtype), []
    for k in range(20):
        x = keep * x + take * u[:, k, :, None]
        y = (mix * x).sum(-1)
        outputs.append((2 * y.real if start == "lin" else y) + space.skip * u[:, k])
    torch.testing.assert_close(space(u), torch.stack(outputs, 1))


def test_the_first_rates_of_s4d():
    lin, real = Diagonal(3, 8, "lin"), Diagonal(3, 8, "real")
    torch.testing.assert_close(-lin.log_decay.exp()[0], torch.full((4,), -0.5))
    torch.testing.assert_close(lin.frequency[0], math.pi * torch.arange(4.0))
    torch.testing.assert_close(-real.log_decay.exp()[0], -torch.arange(1.0, 9))
    for space in (lin, real):
        assert ((space.log_dt.exp() >= 0.001) & (space.log_dt.exp() <= 0.1)).all()


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


def test_the_delta_rule_is_its_definition():
    q, k, v = torch.randn(3, 6, 4, dtype=torch.float64)
    k = torch.nn.functional.normalize(k, dim=-1)
    log_decay, strength = -torch.rand(6, dtype=torch.float64), 2 * torch.rand(6, dtype=torch.float64)
    state, eye, outputs = torch.zeros(4, 4, dtype=torch.float64), torch.eye(4, dtype=torch.float64), []
    for t in range(6):
        reflected = eye - strength[t] * torch.outer(k[t], k[t])
        state = log_decay[t].exp() * reflected @ state + strength[t] * torch.outer(k[t], v[t])
        outputs.append(state.T @ q[t] / 2)
    torch.testing.assert_close(recurrent(q, k, v, log_decay, strength), torch.stack(outputs))


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


def test_the_recursion_in_recursion_is_its_definition():
    encoder = create("rir_grc", vocabulary=2, classes=2, width=6, chunk=3, pre_layers=0).encoder.double().eval()
    lengths = [10, 1, 4, 9]
    x, where = batch(10, 6, lengths)
    roots = encoder(x, where)
    for row, n in enumerate(lengths):
        nodes = list(x[row, :n])
        while len(nodes) > 1:
            chunks, nodes = [nodes[i : i + 3] for i in range(0, len(nodes), 3)], []
            for chunk in chunks:
                nodes.append(functools.reduce(lambda a, b: encoder.cell(torch.cat([a, b])[None])[0], chunk))
        torch.testing.assert_close(roots[row], nodes[0])


def test_the_gated_recursive_cell_is_its_definition():
    cell = GRC(4)
    a, b = torch.randn(2, 3, 4)
    inner = cell.fall(torch.nn.functional.gelu(cell.rise(torch.cat([a, b], 1))))
    left, right, candidate, u = inner.chunk(4, 1)
    expected = cell.norm(left.sigmoid() * a + right.sigmoid() * b + candidate.sigmoid() * u)
    torch.testing.assert_close(cell(torch.cat([a, b], 1)), expected)


def test_the_gated_sum_is_its_definition():
    operator = GatedSum(4)
    a, b = torch.randn(2, 3, 4)
    gate = torch.sigmoid(operator.gate(torch.cat([a, b], 1)))
    torch.testing.assert_close(operator(torch.cat([a, b], 1)), gate * a + (1 - gate) * b)


def test_a_hybrid_is_the_second_after_the_first():
    model = create("hybrid", vocabulary=3, classes=2, first="gru", second="tcn", first_options={"width": 64}).eval()
    tokens, lengths = torch.randint(0, 3, (2, 9)), torch.tensor([9, 4])
    x, where = model.read(tokens, lengths)
    states = model.encoder.second(model.encoder.first(model.embedding(x), where), where)
    torch.testing.assert_close(model(tokens, lengths), model.readout(where.last(states)))
    both = create(
        "hybrid", vocabulary=3, classes=2, first="lstm", second="transformer", second_options={"positions": "learned"}
    )
    assert (both.encoder.max_length, both.encoder.causal) == (2048, False)


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


@pytest.mark.parametrize("causal", [True, False])
def test_log_scaling_multiplies_the_logits(causal):
    """Uniform queries and keys: the scale is the only difference, so attention is softmax(ln n * logits)."""
    model = create(
        "transformer", vocabulary=3, classes=2, layers=1, heads=1, positions="nope", log_scale=True, causal=causal
    )
    encoder = model.encoder.double().eval()
    x, where = batch(5, 64, [5, 3])
    h = encoder.blocks[0].norm(x)
    q, k, v = encoder.blocks[0].attention.qkv(h).chunk(3, -1)
    y = torch.zeros_like(x)
    for row, n in enumerate([5, 3]):
        for i in range(n):
            seen = i + 1 if causal else n
            weights = torch.softmax(math.log(seen) * (k[row, :seen] @ q[row, i]) / 8, 0)
            y[row, i] = encoder.blocks[0].attention.out(weights @ v[row, :seen])
    h = x + y
    expected = encoder.norm(h + encoder.blocks[0].ffn(encoder.blocks[0].ffn_norm(h)))
    found = encoder(x, where)
    torch.testing.assert_close(found[0], expected[0])
    torch.testing.assert_close(found[1, :3], expected[1, :3])
