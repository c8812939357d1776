"""The gated delta rule, symbol by symbol and chunk by chunk: the same function.

    S_t = a_t (I - b_t k_t k_t^T) S_{t-1} + b_t k_t v_t^T,  o_t = S_t^T q_t / sqrt(d_k),  S_0 = 0

with S_t (d_k, d_v), the decay a_t = exp(log_decay_t) in (0, 1] and the strength b_t in (0, 1), or (0, 2) where
negative eigenvalues are allowed. Source: Yang, Kautz, Hatamizadeh, "Gated delta networks: improving Mamba2 with delta
rule", ICLR 2025, eqs 9 and 10; negative eigenvalues: Grazzi et al., "Unlocking state-tracking in linear RNNs through
negative eigenvalues", ICLR 2025.

Chunked: with u_t = b_t (v_t - a_t S_{t-1}^T k_t) the state is S_t = a_t S_{t-1} + k_t u_t^T. Let G_t be the sum of
the log decays since the chunk began with state S. Then S_t = e^{G_t} S + sum_{i<=t} e^{G_t - G_i} k_i u_i^T, and all
u of the chunk solve

    (I + L) U = b (V - e^G K S),  L_ti = b_t e^{G_t - G_i} k_t . k_i  for i < t.
"""

import torch
from torch import Tensor


def recurrent(q: Tensor, k: Tensor, v: Tensor, log_decay: Tensor, strength: Tensor) -> Tensor:
    """Outputs (..., longest, d_v), one step after the other.

    Args:
        q: queries (..., longest, d_k).
        k: keys (..., longest, d_k), of norm 1.
        v: values (..., longest, d_v).
        log_decay: (..., longest), 0 or less.
        strength: (..., longest).

    Example:
        >>> one = torch.ones(1, 2, 1)
        >>> recurrent(one, one, one * torch.tensor([[[3.0], [5.0]]]), torch.zeros(1, 2), torch.ones(1, 2)).flatten()
        tensor([3., 5.])
    """
    state = q.new_zeros(*k.shape[:-2], k.shape[-1], v.shape[-1])
    decay, outputs = log_decay.exp(), []
    for t in range(q.shape[-2]):
        key = k[..., t, :, None]
        state = state * decay[..., t, None, None]
        update = strength[..., t, None] * (v[..., t, :] - (key * state).sum(-2))
        state = state + key * update[..., None, :]
        outputs.append((q[..., t, :, None] * state).sum(-2))
    return torch.stack(outputs, -2) * q.shape[-1] ** -0.5


def chunked(q: Tensor, k: Tensor, v: Tensor, log_decay: Tensor, strength: Tensor, chunk: int = 32) -> Tensor:
    """The same as `recurrent`, by matrix products over chunks.

    Example:
        >>> one = torch.ones(1, 2, 1)
        >>> chunked(one, one, one * torch.tensor([[[3.0], [5.0]]]), torch.zeros(1, 2), torch.ones(1, 2)).flatten()
        tensor([3., 5.])
    """
    state, outputs = q.new_zeros(*k.shape[:-2], k.shape[-1], v.shape[-1]), []
    parts = zip(
        *(x.split(chunk, -2) for x in (q, k, v)), *(x.split(chunk, -1) for x in (log_decay, strength)), strict=True
    )
    for part in parts:
        output, state = _one_chunk(state, *part)
        outputs.append(output)
    return torch.cat(outputs, -2) * q.shape[-1] ** -0.5


def _one_chunk(
    state: Tensor, q: Tensor, k: Tensor, v: Tensor, log_decay: Tensor, strength: Tensor
) -> tuple[Tensor, Tensor]:
    """Outputs of a chunk and the state after it."""
    total = log_decay.cumsum(-1)
    since = total[..., :, None] - total[..., None, :]
    later = torch.ones(since.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
    between = since.masked_fill(later, -torch.inf).exp()  # 0 above the diagonal, where exp would overflow
    keys = k.transpose(-1, -2)
    system = (strength[..., None] * (k @ keys) * between).tril(-1)
    grown = total.exp()[..., None]
    right = strength[..., None] * (v - grown * (k @ state))
    updates = torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True)
    output = grown * (q @ state) + (q @ keys * between) @ updates
    left = (total[..., -1:] - total).exp()[..., None]
    return output, total[..., -1].exp()[..., None, None] * state + (left * k).transpose(-1, -2) @ updates
