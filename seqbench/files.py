"""Files that appear whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path

from seqbench.errors import InputError


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Lets `write` fill a temporary file beside the path, then renames it; nothing is left of a failure.

    Raises:
        InputError: the file cannot be written.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "note.txt"
        >>> write_whole(path, lambda temporary: temporary.write_text("done"))
        >>> path.read_text()
        'done'
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        temporary.replace(path)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{str(path)!r} cannot be written: {reason}. Nothing was left there; name another.") from error
    finally:
        temporary.unlink(missing_ok=True)
