"""Training and evaluation of models on datasets: settings, loop, checkpoints, measures, result files."""

from seqbench.errors import InputError


def require_torch() -> None:
    """Nothing, if PyTorch is there; it is set to one thread, which is quickest for models of this size.

    Raises:
        InputError: it is not installed; which extra brings it.
    """
    try:
        import torch
    except ImportError:
        raise InputError("Training needs PyTorch, which is not installed: pip install 'seqbench[models]'.") from None
    torch.set_num_threads(1)
