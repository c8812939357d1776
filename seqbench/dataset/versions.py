"""Data versions that were, and datasets that others have taken the place of: what to say to who asks for them."""

import warnings

from seqbench.errors import InputError
from seqbench.generation.base_plan import BasePlan


def check_version(planned: BasePlan, asked: object) -> None:
    """Nothing if this release makes the asked data version, or none is asked for.

    Raises:
        InputError: another version; the error names the release of seqbench that made it.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> check_version(plan("dyck_d6"), "1.0.0")
    """
    if asked is None or str(asked) == planned.version:
        return
    older = {entry.version: entry for entry in planned.recipe.history}
    text = str(asked)
    if text not in older:
        raise InputError(
            f"Dataset {planned.name!r} has no data version {text!r}. Its versions: {', '.join(older)}. "
            f"This release of seqbench makes {planned.version!r}; leave out version=, or ask for that one."
        )
    release = getattr(older[text], "release", "")
    by, install = (f"seqbench {release}", f"pip install seqbench=={release}") if release else ("an older release",) * 2
    later = " ".join(entry.change for entry in planned.recipe.history[list(older).index(text) + 1 :])
    raise InputError(
        f"Data version {text!r} of {planned.name!r} was made by {by}; this release makes {planned.version!r} only "
        f"(changed since: {later}) Leave out version=, or use {install}."
    )


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
