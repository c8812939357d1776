"""Data versions that were: what to say to who asks for one that this release cannot make."""

from seqbench.catalogue.schema import Dataset, TaskDataset
from seqbench.errors import InputError, as_text, quoted


def check_version(name: str, record: Dataset | TaskDataset, asked: object) -> None:
    """Nothing if the record is of the asked data version, or none is asked for.

    Raises:
        InputError: another version; the error names the release of seqbench that made it.

    Example:
        >>> from seqbench.catalogue.reader import open_catalogue
        >>> check_version("parity_check", open_catalogue().dataset("parity_check"), None)
    """
    text = as_text(asked)
    if asked is None or text == record.version:
        return
    older = {entry.version: entry for entry in record.history}
    if text not in older:
        raise InputError(
            f"Dataset {name!r} has no data version {quoted(text)}. Its versions: {', '.join(older)}. "
            f"This release of seqbench makes {record.version!r}; leave out version=, or ask for that one."
        )
    release = getattr(older[text], "release", "")
    by, install = (f"seqbench {release}", f"pip install seqbench=={release}") if release else ("an older release",) * 2
    later = " ".join(entry.change for entry in record.history[list(older).index(text) + 1 :])
    raise InputError(
        f"Data version {text!r} of {name!r} was made by {by}; this release makes {record.version!r} only "
        f"(changed since: {later}) Leave out version=, or use {install}."
    )
