"""Every reduction equals a recursion that joins one pair of nodes at a time."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from seqbench.models import create  # noqa: E402
from seqbench.models.lengths import Lengths  # noqa: E402
from seqbench.models.operators import OPERATORS  # noqa: E402
from seqbench.models.pairing import Pairing  # noqa: E402
from seqbench.models.reduction import all_nodes, reduce_levels, reduce_packed  # noqa: E402
from seqbench.models.tree import associativity  # noqa: E402

WIDTH = 16


def balanced(combine, nodes):
    """The root by the definition: level by level, node by node; an absent right child passes the left one on."""
    while len(nodes) > 1:
        pairs = [nodes[i : i + 2] for i in range(0, len(nodes), 2)]
        nodes = [combine(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return nodes[0]


def one_by_one(operator, leaves, lengths):
    def combine(a, b):
        return operator(torch.cat([a, b])[None])[0]

    return torch.stack([balanced(combine, list(row)) for row in leaves.split(lengths)])


def padded(leaves, lengths):
    return torch.nn.utils.rnn.pad_sequence(leaves.split(lengths), batch_first=True, padding_value=7.0)


def both_ways(operator, leaves, lengths):
    words = padded(leaves, lengths)
    where = Lengths.read(torch.tensor(lengths), words)
    return reduce_packed(operator, words.flatten(0, 1)[where.flat], where), reduce_levels(operator, words, where)


BATCHES = [[5], [1, 1], [8, 8, 8], [7, 7], [1, 2, 3, 4, 5, 6, 7, 8, 9], [40, 1, 33, 31, 16], [3, 64, 63, 65]]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("lengths", BATCHES, ids=str)
def test_both_reductions_equal_the_recursion(name, lengths):
    # Float64: what is left is the order of sums in products of other shapes.
    operator = OPERATORS[name](WIDTH).double()
    leaves = torch.randn(sum(lengths), WIDTH, dtype=torch.float64)
    expected = one_by_one(operator, leaves, lengths)
    for roots in both_ways(operator, leaves, lengths):
        torch.testing.assert_close(roots, expected, rtol=1e-9, atol=1e-9)


@given(st.lists(st.integers(1, 70), min_size=1, max_size=12))
def test_words_are_never_mixed_up_and_order_is_kept(lengths):
    """The operator 4 a + 9 b modulo a prime has no symmetry, so equal answers mean equal trees; integers are exact."""

    def operator(pairs):
        return (4 * pairs[:, :1] + 9 * pairs[:, 1:]) % 1_000_003

    leaves = torch.arange(1, sum(lengths) + 1)[:, None] * 7919 % 1_000_003
    expected = one_by_one(operator, leaves, lengths)
    for roots in both_ways(operator, leaves, lengths):
        assert torch.equal(roots, expected)


@pytest.mark.parametrize("lengths", BATCHES, ids=str)
def test_gradients_agree(lengths):
    operator = OPERATORS["mlp"](WIDTH).double()
    leaves = torch.randn(sum(lengths), WIDTH, dtype=torch.float64, requires_grad=True)
    answers = [one_by_one(operator, leaves, lengths), *both_ways(operator, leaves, lengths)]
    wanted = [leaves, *operator.parameters()]
    first, *others = [
        torch.autograd.grad(a.square().sum(), wanted, allow_unused=True, retain_graph=True) for a in answers
    ]
    for other in others:
        for one, two in zip(first, other, strict=True):
            # A word of one symbol never meets the operator.
            torch.testing.assert_close(torch.zeros(()) if one is None else one, torch.zeros(()) if two is None else two)


def test_second_gradients_pass_the_reordering():
    operator = OPERATORS["mlp"](4).double()
    leaves = torch.randn(9, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda x: both_ways(operator, x, [3, 5, 1])[0], leaves)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_the_places_of_all_nodes(lengths):
    """Every node's state is the sum of the symbols of its block, and a word of n symbols has 2n - 1 nodes."""
    leaves = 2.0 ** torch.arange(sum(lengths), dtype=torch.float64)[:, None] % 1_000_003
    words = padded(leaves, lengths)
    where = Lengths.read(torch.tensor(lengths), words)
    merges, ordered = [], words.flatten(0, 1)[where.flat]
    reduce_packed(lambda pairs: pairs.sum(1, keepdim=True), ordered, where, merges)
    nodes = all_nodes(ordered, merges, where)
    assert torch.equal(nodes.row.bincount(), 2 * torch.tensor(lengths) - 1)
    begins = [0, *itertools.accumulate(lengths)]
    for i in range(len(nodes.states)):
        start = begins[nodes.row[i]] + nodes.start[i]
        assert nodes.states[i, 0] == leaves[start : start + nodes.width[i]].sum()
        assert nodes.start[i] == nodes.position[i] << nodes.level[i]
        assert (nodes.width[i] == 1) == (nodes.level[i] == 0)


def test_only_real_pairs_are_computed():
    lengths = np.array([1, 2, 3, 40, 17])
    assert sum(level.pairs for level in Pairing(lengths).levels) == (lengths - 1).sum()


@pytest.mark.parametrize("wrapped", [True, False])
def test_one_symbol_more_does_not_disturb_its_neighbours(wrapped):
    """The identity: in x1 x2 x3 the odd x3 meets (x1 x2) unchanged, although it waited a level."""
    model = create("ldru", vocabulary=4, classes=4, width=WIDTH, wrapped=wrapped).eval()
    nodes = model.node_states(torch.tensor([[0, 1, 2]]), torch.tensor([3]))
    leaf, pair, root = nodes.states[2], nodes.states[3], nodes.states[4]
    torch.testing.assert_close(model.encoder.combine(torch.cat([pair, leaf])[None])[0], root)


def test_the_operator_starts_near_its_definition():
    """At the start the outer maps are identities: a . b = g_l * a + g_r * b."""
    operator = OPERATORS["mlp"](WIDTH)
    a, b = torch.randn(2, 5, WIDTH)
    first, second, third = operator.gates
    pair = torch.cat([a, b], 1)
    left, right = third(torch.relu(second(torch.relu(first(pair))))).chunk(2, 1)
    torch.testing.assert_close(operator(pair), left * a + right * b)


def test_associativity_is_measured():
    def distance(operator):
        encoder = create("ldru", vocabulary=2, classes=2, width=WIDTH, operator=operator, wrapped=False).encoder
        return associativity(encoder, torch.randn(50, WIDTH), triples=64)

    assert distance("sum") < 1e-6
    assert distance("matrix") < 1e-6
    assert 0.05 < distance("linear") < 2


def test_associativity_has_gradients():
    model = create("ldru", vocabulary=2, classes=2, width=WIDTH)
    nodes = model.node_states(torch.tensor([[0, 1, 1]]), torch.tensor([3]))
    associativity(model.encoder, nodes.states).backward()
    assert all(weight.grad.any() for weight in model.encoder.operator.parameters())


def test_noise_and_dropout_are_for_training():
    model = create("ldru", vocabulary=2, classes=2, width=WIDTH, noise=0.5, dropout=0.0)
    tokens, lengths = torch.tensor([[0, 1, 1]]), torch.tensor([3])
    assert not torch.equal(model(tokens, lengths), model(tokens, lengths))
    model.eval()
    assert torch.equal(model(tokens, lengths), model(tokens, lengths))


@pytest.mark.parametrize(("wrapped", "share"), [(True, 0.3), (False, 0)])
def test_dropout_falls_on_leaves_and_merges_of_a_wrapped_tree(wrapped, share):
    model = create("ldru", vocabulary=4, classes=2, dropout=0.3, wrapped=wrapped)
    nodes = model.node_states(torch.randint(0, 4, (8, 64)), torch.full((8,), 64))
    for some in (nodes.level == 0, nodes.level > 0):
        assert (nodes.states[some] == 0).double().mean().item() == pytest.approx(share, abs=0.01)


def test_noise_has_its_deviation():
    model = create("ldru", vocabulary=4, classes=2, dropout=0.0, noise=0.5, operator="sum", wrapped=False)
    tokens, lengths = torch.randint(0, 4, (32, 2)), torch.full((32,), 2)
    noisy, plain = (model.train(mode).node_states(tokens, lengths) for mode in (True, False))
    difference = noisy.states - plain.states
    assert difference[noisy.level == 0].std().item() == pytest.approx(0.5, rel=0.05)
    assert difference[noisy.level == 1].std().item() == pytest.approx(0.5 * 3**0.5, rel=0.05)  # of both and its own


def test_a_small_vocabulary_gives_the_same_leaves():
    """Each symbol mapped once, or each place by itself."""
    model = create("ldru", vocabulary=4, classes=2, width=WIDTH).eval()
    symbols = torch.tensor([[0, 1, 2, 3, 3, 1]])
    few = model.node_states(symbols[:, :3], torch.tensor([3])).states[:3]
    many = model.node_states(symbols, torch.tensor([6])).states[:3]
    torch.testing.assert_close(few, many)


def test_dropout_keeps_the_mean_and_the_share():
    from seqbench.models.blocks import Dropout

    kept = Dropout(0.1)(torch.ones(400, 1001))
    assert kept.mean().item() == pytest.approx(1, abs=0.005)
    assert (kept == 0).float().mean().item() == pytest.approx(0.1, abs=0.003)
    assert torch.equal(Dropout(0.1).eval()(kept), kept)
