"""PR-LSTM and PR-RNN: bracketings, cells, widths."""

import json
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from seqbench.models import create, matched_width  # noqa: E402
from seqbench.models.pr_lstm import NaryLSTM  # noqa: E402
from seqbench.models.scan import last_bracket, scan  # noqa: E402
from tests.models.test_reduction import balanced  # noqa: E402

# The last prefix of jax.lax.associative_scan (jax 0.10.2) for 1 to 16 elements; made by `in_jax` below.
BRACKETS = {int(n): text for n, text in json.loads(Path(__file__).with_name("brackets.json").read_text()).items()}


def traced(run, length):
    """How `run(combine, ids)` brackets: the operator writes down what it joins, and answers with new ids."""
    texts = [str(i) for i in range(length)]

    def join(a, b):
        made = []
        for left, right in zip(a, b, strict=True):
            texts.append(f"({texts[left]} {texts[right]})")
            made.append(len(texts) - 1)
        return made

    return [texts[i] for i in run(join, list(range(length)))]


def in_torch(join, ids):
    def combine(a, b):
        return torch.tensor(join(a.flatten().tolist(), b.flatten().tolist()))[None, :, None]

    return scan(combine, torch.tensor(ids)[None, :, None]).flatten().tolist()


def in_jax(join, ids):
    jax = pytest.importorskip("jax")

    def combine(a, b):
        return jax.numpy.asarray(join(a.tolist(), b.tolist()), dtype="int32")

    return jax.lax.associative_scan(combine, jax.numpy.asarray(ids, dtype="int32")).tolist()


@pytest.mark.parametrize("length", BRACKETS)
def test_the_scan_brackets_as_listed(length):
    prefixes = traced(in_torch, length)
    assert prefixes == [BRACKETS[k + 1] for k in range(length)]
    assert last_bracket(length) == BRACKETS[length]


@pytest.mark.parametrize("length", BRACKETS)
def test_jax_brackets_as_listed(length):
    assert traced(in_jax, length) == [BRACKETS[k + 1] for k in range(length)]


def test_the_tree_brackets_like_the_scan_up_to_six():
    def tree(length):
        return balanced(lambda a, b: f"({a} {b})", [str(i) for i in range(length)])

    assert [n for n in BRACKETS if tree(n) != BRACKETS[n]] == [7, 11, 13, 14, 15]


@pytest.mark.parametrize("name", ["pr_lstm", "pr_rnn"])
@pytest.mark.parametrize("refinements", [0, 1, 2])
@pytest.mark.parametrize("schedule", ["scan", "reduce"])
def test_every_schedule_equals_its_brackets(name, refinements, schedule):
    encoder = (
        create(name, vocabulary=2, classes=2, width=8, refinements=refinements, schedule=schedule).double().encoder
    )

    def combine(a, b):
        return encoder.combine(torch.cat([a, b])[None])[0]

    def as_scanned(nodes):
        if len(nodes) == 1:
            return nodes[0]
        whole = as_scanned([combine(a, b) for a, b in zip(nodes[::2], nodes[1::2], strict=False)])
        return combine(whole, nodes[-1]) if len(nodes) % 2 else whole

    from seqbench.models.lengths import Lengths

    lengths = [7, 1, 13, 8, 2]
    x = torch.randn(5, 13, encoder.width_in, dtype=torch.float64)
    where = Lengths.read(torch.tensor(lengths), x)
    states = encoder(x, where)
    read = where.last(states) if schedule == "scan" else states
    recursion = as_scanned if schedule == "scan" else lambda nodes: balanced(combine, nodes)
    for row, length in enumerate(lengths):
        state = recursion(list(encoder.leaf(x[row, :length])))
        torch.testing.assert_close(read[row], torch.relu(state[:8]))


def test_the_cell_is_its_definition():
    cell = NaryLSTM(4, 2)
    h1, c1, h2, c2 = torch.randn(4, 3, 4)
    i, g, o, f1, f2 = (torch.cat([h1, h2], 1) @ cell.gates.weight.T + cell.gates.bias).split(4, 1)
    c = i.sigmoid() * g.tanh() + f1.sigmoid() * c1 + f2.sigmoid() * c2
    expected = torch.cat([o.sigmoid() * c.tanh(), c], 1)
    torch.testing.assert_close(cell(torch.cat([h1, c1, h2, c2], 1)), expected)


def test_the_published_matched_width():
    """The width that matches an LSTM of 256 is 137 in the paper, with inputs as wide as their alphabet."""
    lstm = create("lstm", vocabulary=2, classes=2, width=256, embedding=2)
    width = matched_width("pr_lstm", lstm.parameter_count, vocabulary=2, classes=2)
    assert abs(width - 137) <= 1


def test_matched_widths_fit_the_heads():
    assert matched_width("transformer", 250_000, 16, vocabulary=2, classes=2) == 64


def test_matched_widths_are_the_nearest():
    def size(width):
        return create("gru", vocabulary=2, classes=2, width=width).parameter_count

    for wanted in (1, 1000, size(20), size(20) + 1, (size(20) + size(21)) // 2 + 1, 123_456):
        width = matched_width("gru", wanted, vocabulary=2, classes=2)
        assert min((1, *range(max(1, width - 2), width + 3)), key=lambda w: abs(size(w) - wanted)) == width
