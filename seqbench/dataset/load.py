"""seqbench.load_dataset: the primary way to the data, by the public interface of the datasets library alone."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from seqbench.errors import InputError, unknown_name

if TYPE_CHECKING:
    from datasets import Dataset, DatasetDict, IterableDataset, IterableDatasetDict

    from seqbench.generation.plan import Folder


def load_dataset(  # noqa: PLR0913  # the keywords of datasets.load_dataset, so that its users can swap the import
    *path: str,
    name: str | None = None,
    split: Any = None,
    streaming: bool = False,
    cache_dir: str | None = None,
    num_proc: int | None = None,
    download_mode: Any = None,
    verification_mode: Any = None,
    keep_in_memory: bool = False,
    version: Any = None,
    revision: Any = None,
    catalogue: "Folder" = None,
    **options: Any,
) -> "Dataset | DatasetDict | IterableDataset | IterableDatasetDict":
    """The dataset of that name, made on first use and then read from the cache.

    Args:
        *path: The name of the dataset: `"dyck_d6"`, or `"seqbench", "dyck_d6"` as for `datasets.load_dataset`.
        name: The same name as a keyword.
        split: `"train"`, a slice such as `"train[:1000]"`, a sum such as `"train+test"`, a list of them; all if None.
        streaming: Make the rows while they are read and write nothing; for slices use `.skip(n)` and `.take(n)`.
        cache_dir: The folder for the files; that of the datasets library if None.
        num_proc: How many processes make the data; the rows do not depend on it.
        download_mode: As for `datasets.load_dataset`; `"force_redownload"` makes the files again.
        verification_mode: As for `datasets.load_dataset`; row counts are checked unless `"no_checks"`.
        keep_in_memory: Read the files into memory instead of mapping them.
        version: The version of the data that must be met, such as `"1.0.0"`.
        revision: Refused, since there is no repository; use `version`.
        catalogue: A folder with definitions of your own.
        **options: What the dataset's definition says, said otherwise: `train_lengths=(1, 40)`, `seed=7`, ...

    Returns:
        What `datasets.load_dataset` would return: a `Dataset` for a split, a `DatasetDict` without one, a list for a
        list, and their iterable forms when streaming.

    Raises:
        UnknownNameError: For a dataset, option or split that does not exist.
        InputError: For a value that cannot be used.
        CacheError: For a cache folder that cannot be written.

    Example:
        >>> rows = load_dataset("dyck_d6", split="train", streaming=True)
        >>> sorted(next(iter(rows)))
        ['input_ids', 'label', 'syntactic_class']
    """
    from seqbench.dataset.builder import Seqbench  # datasets takes over a second to import

    _check(revision, num_proc, streaming, download_mode, verification_mode)
    with _folder(cache_dir, streaming) as folder:
        builder = Seqbench(
            config_name=_dataset_name(path, name), cache_dir=folder, version=version, catalogue=catalogue, **options
        )
    if streaming:
        return builder.as_streaming_dataset(split)
    builder.check_split(split)
    builder.download_and_prepare(download_mode=download_mode, verification_mode=verification_mode, num_proc=num_proc)
    return builder.as_dataset(split, in_memory=keep_in_memory)


def _dataset_name(path: tuple[Any, ...], name: Any) -> Any:
    """The one name that was given, with or without "seqbench" before it."""
    words = [*(path[1:] if path[:1] == ("seqbench",) else path), *([] if name is None else [name])]
    if len(words) > 1:
        raise InputError(
            f"load_dataset takes the name of one dataset, not {words!r}. "
            'Write load_dataset("dyck_d6") or load_dataset("seqbench", "dyck_d6"), and split= and the rest by keyword.'
        )
    return words[0] if words else None


def _check(revision: Any, num_proc: Any, streaming: Any, download_mode: Any, verification_mode: Any) -> None:
    if not isinstance(streaming, bool):  # "no" would be true
        raise InputError(f"streaming={streaming!r} is neither True nor False. Give one of them.")
    if revision is not None:
        raise InputError(
            f"revision={revision!r} cannot be used: the data are made here, not fetched from a repository. "
            'Ask for a version of the data with version="1.0.0".'
        )
    if num_proc is not None and (not isinstance(num_proc, int) or num_proc < 1):
        raise InputError(f"num_proc={num_proc!r} is not a number of processes. Give a whole number from 1, or None.")
    if streaming and num_proc is not None:
        raise InputError(
            f"num_proc={num_proc!r} cannot be used with streaming=True: a stream is read by one process. "
            "Leave it out; a DataLoader with num_workers shares the stream among processes."
        )
    _check_mode("download_mode", download_mode)
    _check_mode("verification_mode", verification_mode)


def _check_mode(key: str, value: Any) -> None:
    import datasets

    kind = {"download_mode": datasets.DownloadMode, "verification_mode": datasets.VerificationMode}[key]
    known = [mode.value for mode in kind]
    if value is not None and getattr(value, "value", value) not in known:
        raise unknown_name(key, value, known)


@contextmanager
def _folder(cache_dir: str | None, streaming: bool) -> Iterator[str | None]:
    """The cache folder; a passing one for a stream, since the library puts a lock file even where it writes no data."""
    if not streaming:
        yield cache_dir
        return
    with tempfile.TemporaryDirectory(prefix="seqbench-") as folder:
        yield folder
