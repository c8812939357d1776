"""Other people's code as oracles, where it is at hand: same weights, same answers."""

import pytest

torch = pytest.importorskip("torch")

from seqbench.models import create  # noqa: E402
from seqbench.models.delta_rule import chunked, recurrent  # noqa: E402
from seqbench.models.lengths import Lengths  # noqa: E402
from seqbench.models.positions import distance_bias, plain  # noqa: E402
from seqbench.models.transformer import Block, SelfAttention, View  # noqa: E402

WIDTH, HEADS = 32, 4


def quiet_import(name):
    """An optional module whose own import may warn."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, exc_type=ImportError)


@pytest.mark.parametrize("positions", ["nope", "rope", "alibi"])
@pytest.mark.parametrize("causal", [True, False])
def test_attention_of_x_transformers(positions, causal):
    theirs_module = quiet_import("x_transformers.x_transformers")
    theirs = theirs_module.Attention(WIDTH, dim_head=WIDTH // HEADS, heads=HEADS, causal=causal).eval()
    ours = SelfAttention(WIDTH, HEADS)
    q, k, v = (layer.weight.detach() for layer in (theirs.to_q, theirs.to_k, theirs.to_v))
    if positions == "rope":  # they turn coordinates 2i and 2i + 1 together, we i and i + half
        order = torch.arange(WIDTH).view(HEADS, -1, 2).transpose(1, 2).flatten()
        q, k = q[order], k[order]
    ours.qkv.weight.data, ours.out.weight.data = torch.cat([q, k, v]), theirs.to_out.weight.detach()
    x = torch.randn(2, 9, WIDTH)
    where = Lengths.read(torch.tensor([9, 9]), x)
    arguments, view = {}, View(None, None, causal, None)
    if positions == "rope":
        arguments["rotary_pos_emb"] = theirs_module.RotaryEmbedding(WIDTH // HEADS).forward_from_seq_len(9)
        view = View(plain(where), None, causal, None)
    if positions == "alibi":
        arguments["rel_pos"] = theirs_module.AlibiPositionalBias(HEADS)
        bias = distance_bias(plain(where), HEADS)
        later = torch.ones(9, 9, dtype=torch.bool).triu(1)
        view = View(None, bias.masked_fill(later, -torch.inf) if causal else bias, False, None)
    found = theirs(x, **arguments)
    torch.testing.assert_close(ours(x, view), found[0] if isinstance(found, tuple) else found, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("causal", [True, False])
def test_a_block_of_torch(causal):
    ours = Block(WIDTH, HEADS, 0.0)
    theirs = torch.nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, 0.0, batch_first=True, norm_first=True)
    theirs.self_attn.in_proj_bias.data.zero_()
    theirs.self_attn.out_proj.bias.data.zero_()
    ours.attention.qkv.weight = theirs.self_attn.in_proj_weight
    ours.attention.out.weight = theirs.self_attn.out_proj.weight
    ours.ffn.rise, ours.ffn.fall = theirs.linear1, theirs.linear2
    x = torch.randn(2, 9, WIDTH)
    mask = torch.ones(9, 9, dtype=torch.bool).triu(1) if causal else None
    torch.testing.assert_close(ours(x, View(None, None, causal, None)), theirs(x, mask), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("strongest", [1.0, 2.0])
def test_the_delta_rule_of_transformers(strongest):
    theirs = quiet_import("transformers.models.qwen3_next.modeling_qwen3_next")
    q, k = torch.randn(2, 2, 70, HEADS, 8)
    v = torch.randn(2, 70, HEADS, 8)
    q, k = (torch.nn.functional.normalize(x, dim=-1) for x in (q, k))
    log_decay, strength = -torch.rand(2, 70, HEADS), strongest * torch.rand(2, 70, HEADS)
    ours = [x.transpose(1, 2) for x in (q, k, v, log_decay, strength)]
    for their_rule in (theirs.torch_recurrent_gated_delta_rule, theirs.torch_chunk_gated_delta_rule):
        expected = their_rule(q, k, v, log_decay, strength)[0].transpose(1, 2)
        for rule in (recurrent, chunked):
            torch.testing.assert_close(rule(*ours), expected, atol=1e-5, rtol=1e-4)


def test_the_network_of_pytorch_tcn():
    theirs_module = quiet_import("pytorch_tcn")
    encoder = create("tcn", vocabulary=2, classes=2, width=16, embedding=8, layers=3).encoder.eval()
    theirs = theirs_module.TCN(8, [16, 16, 16], kernel_size=3, dropout=0.0, causal=True, use_norm="weight_norm").eval()

    def convolutions(network):
        return [m for m in network.modules() if isinstance(m, torch.nn.Conv1d)]

    dilated = [m for m in convolutions(theirs) if m.kernel_size == (3,)]
    plain_ones = [m for m in convolutions(theirs) if m.kernel_size == (1,)]
    ours = [m for m in convolutions(encoder) if m.kernel_size == (3,)]
    assert [m.dilation for m in dilated] == [m.dilation for m in ours]
    with torch.no_grad():
        for one, two in zip(ours, dilated, strict=True):
            two.weight, two.bias = one.weight, one.bias
        one, (two,) = encoder.blocks[0].skip, plain_ones
        two.weight, two.bias = one.weight, one.bias
    x = torch.randn(2, 30, 8)
    found = encoder(x, Lengths.read(torch.tensor([30, 30]), x))
    torch.testing.assert_close(found, theirs(x.transpose(1, 2)).transpose(1, 2), atol=1e-6, rtol=1e-5)
