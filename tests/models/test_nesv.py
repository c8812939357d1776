"""The exact-solution-volume transformers: counts, definitions, and an exact solution."""

import pytest

torch = pytest.importorskip("torch")

from seqbench.models import create  # noqa: E402

COUNTS = {"gen": lambda h: 5 * h + 20, "sin": lambda h: 5 * h + 32, "pos": lambda h: 5 * h + 18}
COUNTS["norm"] = COUNTS["pos"]


@pytest.mark.parametrize("variant", COUNTS)
@pytest.mark.parametrize("hidden", [3, 8])
def test_the_published_numbers_of_parameters(variant, hidden):
    model = create("nesv", vocabulary=2, classes=2, variant=variant, hidden=hidden)
    assert model.parameter_count == COUNTS[variant](hidden)


def exact(dtype=torch.float64, **options):
    """Scores 2kj - j^2 peak at j = k by one at least, so n^score picks w_k; k = 0 picks w_1. The readout compares.

    With weights n^-(d^2) at distance d the others weigh at most 2 sum n^-(d^2) < 1 from n = 3 on, and for n = 2 one
    neighbour weighs 1/2: the bit asked for always has more than half.
    """
    model = create("nesv", vocabulary=2000 if options else 2, classes=2, hidden=2, **options)
    encoder = model.encoder
    with torch.no_grad():
        for weight in encoder.parameters():
            weight.zero_()
        encoder.a[0], encoder.b[1], encoder.r[0], encoder.s[1] = 2, -1, 1, 1
        for layer in (encoder.value, encoder.rise, encoder.fall):
            layer.weight.copy_(torch.eye(2))
    return model.to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_hand_set_weights_solve_first_at_every_length(dtype):
    model = exact(dtype)
    for n in range(1, 512):
        words = torch.randint(0, 2, (8, n))
        words[:4, 0], words[4:, 0] = 0, 1
        words[0, 1:], words[4, 1:] = 1, 0  # the hardest: all others disagree
        assert torch.equal(model(words, torch.full((8,), n)).argmax(1), words[:, 0])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_hand_set_weights_solve_index_at_every_length(dtype):
    model = exact(dtype, index=True)
    for n in range(1, 512):
        k = torch.unique(torch.tensor([1, 2, (n + 1) // 2, n - 1, n]).clamp(1, n))
        words = torch.randint(0, 2, (len(k), n))
        alone = torch.zeros(len(k), n, dtype=torch.long).scatter_(1, k[:, None] - 1, 1)  # the hardest, both ways
        bits = torch.cat([words, alone, 1 - alone])
        asked = k.repeat(3)
        tokens = torch.cat([bits, 1 + asked[:, None]], 1)
        expected = bits[torch.arange(len(bits)), asked - 1]
        assert torch.equal(model(tokens, torch.full((len(bits),), n + 1)).argmax(1), expected)


def test_first_weights_shrink_with_the_training_length():
    torch.manual_seed(0)
    many = [create("nesv", vocabulary=2, classes=2, trained_to=11).encoder for _ in range(300)]
    for name, std in (("a", 0.1 / 11), ("r", 0.1 / 11), ("s", 0.1 / 121), ("b", 0.1), ("c", 0.1)):
        drawn = torch.cat([getattr(encoder, name).detach() for encoder in many])
        assert drawn.std().item() == pytest.approx(std, rel=0.15)
