"""Files and folders that appear whole or not at all."""

import ctypes
import glob
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from seqbench.errors import InputError, quoted

if sys.platform != "win32":
    import fcntl

_CHUNK = 1 << 20
_MARK = ".seqbench-"  # in the names of temporary folders, so that none of a user's own is ever swept away


def named(path: Path) -> Path:
    """The absolute path of a file or folder to be written or read, without `..` and with `~` for the home folder.

    Raises:
        InputError: a name that is no UTF-8 text, which Parquet's library and JSON cannot write; an unknown user's home.

    Example:
        >>> named(Path("/data/new/../dyck.txt")).as_posix()
        '/data/dyck.txt'
    """
    try:
        path = Path(os.path.abspath(path.expanduser()))  # noqa: PTH100 -- `resolve` would follow links
        str(path).encode()
    except UnicodeEncodeError:
        raise InputError(
            f"The name {quoted(str(path))} is no UTF-8 text, and so cannot be used. Name another."
        ) from None
    except RuntimeError:
        raise InputError(f"{str(path)!r} begins with the name of no user. Write ./~ for such a file.") from None
    return path


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Lets `write` fill a temporary file beside the path, then renames it; nothing is left of a failure.

    Raises:
        InputError: the file cannot be written.

    Example:
        >>> path = Path(tempfile.mkdtemp()) / "note.txt"
        >>> write_whole(path, lambda temporary: temporary.write_text("done"))
        >>> path.read_text()
        'done'
    """
    try:
        with workplace(path) as folder:
            write(folder / path.name)
            (folder / path.name).replace(path)
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"{str(path)!r} cannot be written: {reason}. Nothing was left there; name another.") from error


def new_file(path: Path, *, force: bool) -> Path:
    """The absolute path of a file that may be written; nothing of a user's is overwritten unasked.

    Raises:
        InputError: something is there and `force` is not given, or it is no regular file.

    Example:
        >>> new_file(Path(tempfile.mkdtemp()) / "note.txt", force=False).name
        'note.txt'
    """
    path = named(path)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError(f"{str(path)!r} is there already and is no plain file. Name a new file.")
    if path.exists() and not force:
        raise InputError(f"{str(path)!r} is there already. Name a new file, or add --force.")
    return path


def sha256_of(file: Path) -> str:
    """SHA-256 of a file's bytes."""
    state = hashlib.sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            state.update(chunk)
    return state.hexdigest()


@contextmanager
def workplace(target: Path) -> Iterator[Path]:
    """A temporary folder beside a target, removed at the end; those that killed processes left are removed before.

    A process that is killed cannot clean up. So each holds a lock on its folder, which the system takes away with the
    process: a folder without a lock is nobody's.

    Example:
        >>> target = Path(tempfile.mkdtemp()) / "data"
        >>> with workplace(target) as folder:
        ...     _ = (folder / "part").write_text("half")
        >>> list(target.parent.iterdir())
        []
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.glob(f".{glob.escape(target.name)}{_MARK}*"):
        if (lock := _lock(left)) is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)
    folder, lock = _own_folder(target)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _own_folder(target: Path) -> tuple[Path, int | None]:
    """A new locked folder. Another process may sweep it away in the instant before the lock: then one more is made."""
    for _ in range(10):
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}{_MARK}", dir=target.parent))
        lock = _lock(folder)
        if lock is not None and folder.is_dir():
            return folder, lock
        if lock is not None:
            os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)
    # A file system without locks: nobody can lock, so nobody sweeps.
    return Path(tempfile.mkdtemp(prefix=f".{target.name}{_MARK}", dir=target.parent)), None


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Whether this process alone has a folder, while the context lasts; always true where there are no locks.

    Example:
        >>> folder = Path(tempfile.mkdtemp())
        >>> with locked(folder) as free:
        ...     free
        True
    """
    lock = _lock(folder)
    try:
        yield lock is not None or sys.platform == "win32"
    finally:
        if lock is not None:
            os.close(lock)


def _lock(folder: Path) -> int | None:
    """A lock on a folder, held until its number is closed; None where another process has it or it is not a folder."""
    if sys.platform == "win32":
        return None
    lock = None
    with suppress(OSError):
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return lock
    if lock is not None:
        os.close(lock)
    return None


def put_in_place(new: Path, target: Path) -> None:
    """Renames a folder to its final name; a folder that is there already is exchanged for it in one step.

    Afterwards what was replaced lies at `new`. Where the system cannot exchange, there is an instant without either.

    Example:
        >>> home = Path(tempfile.mkdtemp())
        >>> for name in ("old", "new"):
        ...     (home / name).mkdir()
        ...     _ = (home / name / "what").write_text(name)
        >>> put_in_place(home / "new", home / "old")
        >>> (home / "old" / "what").read_text()
        'new'
    """
    if not target.exists() and not target.is_symlink():
        new.rename(target)
        return
    if _exchange(new, target):
        return
    aside = new.with_name(f"{new.name}-replaced")
    target.rename(aside)
    new.rename(target)
    aside.rename(new)


def _exchange(one: Path, other: Path) -> bool:
    """Exchanges two names in one step, as Linux can; False elsewhere."""
    here, exchange = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of linux/fcntl.h and linux/fs.h
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    return bool(rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0)
