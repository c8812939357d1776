"""One small tree of errors: what is wrong with the value quoted, what is allowed, what to do next."""

import difflib
import functools
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class SeqbenchError(Exception):
    """Any error that seqbench raises on purpose; its text is complete without a traceback."""


class InputError(SeqbenchError, ValueError):
    """A value that cannot be used: a length, a label, a weight, a symbol."""


class UnknownNameError(SeqbenchError, LookupError):
    """A name that is not there: a dataset, an option, a split."""


class DefinitionError(SeqbenchError, ValueError):
    """A definition that cannot be read: a TOML file, a regular expression, a table."""


class TooLargeError(SeqbenchError, ValueError):
    """A machine, a monoid or a table that would pass its size limit."""


class CacheError(SeqbenchError, OSError):
    """A cache folder that cannot be written."""


def nearest(name: object, known: Iterable[str], *, most: int = 3) -> list[str]:
    """Known names that look like the given one, best first.

    Example:
        >>> nearest("dyck_d7", ["dyck_d6", "dyck_d8", "tomita_3"])
        ['dyck_d8', 'dyck_d6']
    """
    originals = {each.lower(): each for each in known}
    close = difflib.get_close_matches(as_text(name)[:100].lower(), list(originals), n=most, cutoff=0.5)
    return [originals[each] for each in close]


def as_text(value: object) -> str:
    """The value as text, also a number that has too many digits for Python to write.

    Example:
        >>> as_text("1.0.0"), as_text(10**5000)
        ('1.0.0', '<int of too many digits>')
    """
    try:
        return str(value)
    except ValueError:
        return quoted(value)


def quoted(value: object, width: int = 60) -> str:
    """The value as an error message shows it: long ones are cut.

    Example:
        >>> quoted("0" * 100, width=10)
        "'000000... (100 symbols)"
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes no whole number of over 4,300 digits
        text = f"<{type(value).__name__} of too many digits>"
    if len(text) <= width:
        return text
    size = f" ({len(value)} symbols)" if isinstance(value, str) else ""
    return text[: width - 3] + "..." + size


def not_installed(user: str, library: str, extra: str, otherwise: str = "") -> InputError:
    """An error for an optional library that is not there: what needs it, and which extra of seqbench brings it.

    Example:
        >>> print(not_installed("t-SNE", "scikit-learn", "train", "Or take --projection pca."))
        t-SNE needs scikit-learn, which is not installed. The extra "train" brings it: \
    pip install 'seqbench[train]', in a clone pip install '.[train]'. Or take --projection pca.
    """
    how = f"pip install 'seqbench[{extra}]', in a clone pip install '.[{extra}]'."
    text = f'{user} needs {library}, which is not installed. The extra "{extra}" brings it: {how} {otherwise}'
    return InputError(text.rstrip())


def unknown_name(kind: str, name: object, known: Iterable[str], next_step: str = "") -> UnknownNameError:
    """An error for an unknown name that quotes it and shows the nearest names, or else at most 20 known ones.

    Example:
        >>> str(unknown_name("dataset", "dick_d6", ["dyck_d6", "dyck_d8"]))
        "There is no dataset 'dick_d6'. Did you mean 'dyck_d6' or 'dyck_d8'?"
    """
    names = sorted(known)
    close = nearest(name, names)
    if close:
        hint = "Did you mean " + " or ".join(repr(c) for c in close) + "?"
    else:
        shown = ", ".join(names[:20])
        hint = f"Known: {shown}{', ...' if len(names) > 20 else '.'}" if names else "There is none at all."
    return UnknownNameError(" ".join(part for part in (f"There is no {kind} {quoted(name)}.", hint, next_step) if part))


def named_options(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose misspelt keywords raise an UnknownNameError with the nearest names instead of a TypeError.

    Example:
        >>> named_options(nearest)("dyck", ["dyck_d6"], mots=1)
        Traceback (most recent call last):
        ...
        seqbench.errors.UnknownNameError: There is no option 'mots'. Did you mean 'most'?
    """
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in known:
                raise unknown_name("option", name, known)
        return function(*args, **kwargs)

    return checked
