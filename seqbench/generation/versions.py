"""Data versions that were: what to say to who asks for one that this release cannot make."""

from importlib.metadata import version as release_of

from seqbench.catalogue.schema import Dataset, TaskDataset
from seqbench.errors import InputError, as_text, quoted


def check_version(name: str, asked: object, stem: str, record: Dataset | TaskDataset) -> None:
    """Nothing if the record is of the asked data version, or none is asked for.

    Args:
        name: what the user calls the dataset.
        asked: the data version that is wanted.
        stem: the name of the dataset's file.
        record: what the file says.

    Raises:
        InputError: another version; the error names the release of seqbench that made it, or how to make it again.

    Example:
        >>> from seqbench.catalogue.reader import open_catalogue
        >>> check_version("parity_check", None, "parity_check", open_catalogue().dataset("parity_check"))
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
    later, release = record.history[list(older).index(text) + 1 :], older[text].release
    changed = f"changed since: {' '.join(entry.change for entry in later)}"
    if release and release not in {later[0].release, release_of("seqbench")}:
        raise InputError(
            f"Data version {text!r} of {name!r} was made by seqbench {release}; this release makes {record.version!r} "
            f"only ({changed}) Leave out version=, or use pip install seqbench=={release}."
        )
    why = f"it was replaced before release {release} was out" if release else "its [[history]] names none"
    raise InputError(
        f"No release of seqbench makes data version {text!r} of {name!r}: {why}. This one makes {record.version!r} "
        f"({changed}) Leave out version=; or look up the definition as it was (git log -p generators/{stem}.toml) and "
        f"keep it as generators/{stem}@{text}.toml in a catalogue folder of your own, which makes the data again where "
        "nothing but the definition had changed."
    )
