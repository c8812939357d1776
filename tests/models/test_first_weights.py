"""The laws of the first weights, as the docstrings of the models state them."""

import math

import pytest
from scipy import stats

torch = pytest.importorskip("torch")

from seqbench.models import create  # noqa: E402
from seqbench.models.deltanet import Mixer  # noqa: E402
from seqbench.models.nesv import Affine  # noqa: E402
from seqbench.models.operators import GatedMLP  # noqa: E402
from seqbench.models.s4d import Diagonal  # noqa: E402


def follows(sample, law):
    """Kolmogorov and Smirnov's test, which a right law fails at the seed of these tests once in a hundred."""
    return stats.kstest(sample.detach().flatten().numpy(), law.cdf).pvalue > 0.01


def normal(std):
    return stats.norm(scale=std)


def test_a_law_that_is_off_by_a_twentieth_is_found():
    assert not follows(1.05 * torch.randn(16_384), normal(1))


def test_the_ffn_of_an_ldru_starts_small():
    encoder = create("ldru", vocabulary=2, classes=2).encoder
    for layer in (encoder.ffn.rise, encoder.ffn.fall):
        assert follows(layer.weight, normal(0.02))
        assert not layer.bias.any()
    assert not follows(encoder.leaf_ffn.rise.weight, normal(0.02))  # only the shared one does


@pytest.mark.parametrize(
    ("name", "options", "std"), [("ldru", {}, 0.02), ("ldru", {"wrapped": False}, 1), ("gru", {}, 1)]
)
def test_the_first_vectors_of_symbols(name, options, std):
    assert follows(create(name, vocabulary=300, classes=2, **options).embedding.weight, normal(std))


def test_the_gates_of_the_ldru_start_with_scaled_variance():
    """A normal law cut at two deviations, of variance 1 / mean(fan in, fan out)."""
    law = stats.truncnorm(-2, 2)
    operator = GatedMLP(64)
    for layer, fans in zip(operator.gates, ((128, 128), (128, 256), (256, 128)), strict=True):
        assert follows(layer.weight * math.sqrt(sum(fans) / 2) * law.std(), law)
        assert not layer.bias.any()


def test_the_maps_of_the_ldru_start_at_the_identity():
    operator, identity = GatedMLP(5), torch.eye(5)
    assert torch.equal(operator.sides.weight, torch.cat([identity, identity], 1))
    assert torch.equal(operator.out.weight, identity)
    assert not operator.sides.bias.any()
    assert not operator.out.bias.any()


def test_the_convolutions_of_a_tcn_start_small():
    encoder = create("tcn", vocabulary=2, classes=2, width=96, layers=2, embedding=64).encoder
    for block in encoder.blocks:
        for part in (block.first, block.second):
            assert follows(part.convolution.weight, normal(0.01))


def test_learnt_positions_start_small():
    encoder = create("transformer", vocabulary=2, classes=2, positions="learned").encoder
    assert follows(encoder.places.weight[:256], normal(0.02))


def test_the_first_rates_of_deltanet():
    mixer = Mixer(2048, 2048, "chunked", True)
    assert follows(mixer.log_decay.exp(), stats.uniform(1, 15))
    assert follows(torch.nn.functional.softplus(mixer.log_dt), stats.loguniform(0.001, 0.1))


def test_the_first_rates_of_s4d():
    lin, real = Diagonal(8192, 8, "lin"), Diagonal(8192, 8, "real")
    torch.testing.assert_close(-lin.log_decay.exp(), torch.full((8192, 4), -0.5))
    torch.testing.assert_close(lin.frequency, (math.pi * torch.arange(4.0)).expand(8192, 4))
    torch.testing.assert_close(-real.log_decay.exp(), -torch.arange(1.0, 9).expand(8192, 8))
    for space in (lin, real):
        assert follows(space.log_dt.exp(), stats.loguniform(0.001, 0.1))
        assert follows(space.skip, normal(1))
    assert follows(lin.mix, normal(math.sqrt(0.5)))  # real and imaginary part: variance 1 together
    assert follows(real.mix, normal(1))


def test_the_maps_of_the_one_layer_transformers_start_as_xavier_said():
    layer = Affine(200, 100)
    bound = math.sqrt(6 / 300)
    assert follows(layer.weight, stats.uniform(-bound, 2 * bound))
    assert not layer.bias.any()
