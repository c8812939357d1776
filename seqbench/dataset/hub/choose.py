"""What `seqbench verify` checks: a folder, golden digests or the cache."""

import os
from pathlib import Path
from typing import Any

from seqbench.catalogue.reader import open_catalogue
from seqbench.dataset.hub.manifest import NAME
from seqbench.dataset.hub.verify import Report, verify_folder
from seqbench.dataset.hub.verify_name import verify_cache, verify_golden
from seqbench.errors import InputError
from seqbench.generation.plan import Folder


def verify(
    what: str, *, cache: bool = False, cache_dir: str | None = None, catalogue: Folder = None, **options: Any
) -> Report:
    """Checks an exported folder; or, by a dataset's name, its golden digests or its prepared files.

    A name stands for a folder where it holds a slash, or a folder of that name has a seqbench.json or no dataset has
    that name.

    Raises:
        SeqbenchError: there is no such folder or dataset, or options do not fit together.

    Example:
        >>> verify("parity_check").findings
        ()
    """
    if cache:
        return verify_cache(what, cache_dir=cache_dir, catalogue=catalogue, **options)
    if options or cache_dir is not None:
        given = ", ".join([*options, *(["cache_dir"] if cache_dir is not None else [])])
        raise InputError(f"{given} is for --cache: a folder brings its own recipe. Leave it out, or add --cache.")
    if _is_folder(what, catalogue):
        return verify_folder(Path(what), catalogue)
    return verify_golden(what, catalogue)


def _is_folder(what: str, catalogue: Folder) -> bool:
    if any(mark in what for mark in {"/", os.sep}) or what in {".", ".."} or (Path(what) / NAME).exists():
        return True
    return Path(what).is_dir() and what not in open_catalogue(catalogue).names
