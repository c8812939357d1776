"""Datasets that others have taken the place of: what to say to who asks for them."""

import warnings

from seqbench.generation.base_plan import BasePlan


def warn_if_superseded(planned: BasePlan) -> None:
    """Warns once that another dataset has taken the place of this one, if one has.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> warn_if_superseded(plan("dyck_d6"))
    """
    better = getattr(planned.recipe, "superseded_by", None)
    if better is not None:
        warnings.warn(
            f"Dataset {planned.name!r} is superseded by {better!r}. It stays as it is; for new work load {better!r}.",
            stacklevel=2,
        )
