"""Training and evaluation of models on datasets: settings, loop, checkpoints, measures, result files."""

from seqbench.errors import not_installed


def require_torch() -> None:
    """Nothing, if PyTorch is there; it is set to one thread, which is quickest for models of this size.

    Raises:
        InputError: it is not installed; which extra brings it.
    """
    try:
        import torch
    except ImportError:
        raise not_installed("Training", "PyTorch", "models") from None
    torch.set_num_threads(1)
