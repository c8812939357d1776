"""The one look of all pictures: colours, fonts, figures in inches, and how they are saved."""

import base64
import io
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqbench.errors import InputError, not_installed
from seqbench.files import named, new_file, write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1b1f24"
GREY = "#5f6874"
RULE = "#b9c0ca"
PALE = "#f4f6f9"
BLUE = "#c3dbf3"
CYCLE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Lines in turn: colours that the colour-blind can tell apart (Okabe and Ito 2008)."""

FONT_SIZE = 9
SMALL = 7.5
EM = 0.62 / 72
"""The width of a character in inches for each point of font size, on the safe side."""

RC: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": FONT_SIZE,
    "axes.labelsize": FONT_SIZE,
    "axes.titlesize": FONT_SIZE + 1,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL + 0.5,
    "legend.frameon": False,
    "text.color": INK,
    "text.usetex": False,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.8,
    "axes.facecolor": "white",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.dpi": 200,
    "svg.hashsalt": "seqbench",
    "svg.fonttype": "path",
}

FORMATS: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""The formats by suffix, with the metadata that would make two equal pictures differ."""

MIME = {".png": "image/png", ".svg": "image/svg+xml"}


def look() -> AbstractContextManager[None]:
    """A context in which matplotlib draws in this look; outside, its settings are as they were.

    Raises:
        InputError: matplotlib is not installed.

    Example:
        >>> with look():
        ...     figure, axes = canvas(3, 2)
        >>> figure.get_size_inches().tolist()
        [3.0, 2.0]
    """
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise not_installed("A picture", "matplotlib", "plot") from error
    return mpl.rc_context(RC)


def plot(width: float, height: float) -> tuple["Figure", "Axes"]:
    """A figure with one pair of axes, of this size in inches; belongs inside `look()`.

    Example:
        >>> with look():
        ...     figure, axes = plot(3, 2)
        >>> len(figure.axes)
        1
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def canvas(width: float, height: float) -> tuple["Figure", "Axes"]:
    """A blank figure whose coordinates are inches, the origin at the bottom left; belongs inside `look()`.

    Example:
        >>> with look():
        ...     figure, axes = canvas(3, 2)
        >>> axes.get_xlim(), axes.get_ylim()
        ((np.float64(0.0), np.float64(3.0)), (np.float64(0.0), np.float64(2.0)))
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.set_axis_off()
    return figure, axes


def checked_path(path: str | Path) -> Path:
    """The path, if a picture can be written there: to be asked before long work.

    Raises:
        InputError: another suffix, a folder that is not there, a folder in its place, or no matplotlib.

    Example:
        >>> checked_path("map.png").name
        'map.png'
    """
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise InputError(f"{path.name!r} names no format of pictures. Give a name that ends in {', '.join(FORMATS)}.")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {str(path.parent)!r} for the picture {path.name!r}. Make it first.")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder. Give the name of a file.")
    look()
    return path


def new_picture(path: str | Path, *, force: bool) -> Path:
    """The absolute path of a picture that a command may write: to be asked before long work.

    Raises:
        InputError: as `checked_path`; or something is there, and `force` is not given or it is no regular file.

    Example:
        >>> new_picture("map.png", force=False).name
        'map.png'
    """
    return new_file(checked_path(named(Path(path))), force=force)


def save(figure: "Figure", path: str | Path) -> Path:
    """The path to which the figure was written, as PNG, SVG or PDF by its suffix; equal figures give equal files.

    The file appears whole or not at all, and replaces an older one.

    Raises:
        InputError: another suffix, or a place where no file can be written.

    Example:
        >>> import tempfile
        >>> with look():
        ...     figure, axes = canvas(3, 2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save(figure, Path(folder) / "blank.png").name
        'blank.png'
    """
    path = checked_path(path)
    drawn = _bytes(figure, path.suffix.lower())
    write_whole(path, lambda temporary: temporary.write_bytes(drawn))
    return path


def data_uri(figure: "Figure", suffix: str = ".svg") -> str:
    """The figure as a data URI, for pages that hold their pictures.

    Example:
        >>> with look():
        ...     figure, axes = canvas(3, 2)
        >>> data_uri(figure)[:30]
        'data:image/svg+xml;base64,PD94'
    """
    return f"data:{MIME[suffix]};base64,{base64.b64encode(_bytes(figure, suffix)).decode()}"


def _bytes(figure: "Figure", suffix: str) -> bytes:
    buffer = io.BytesIO()
    with look():
        figure.savefig(buffer, format=suffix[1:], metadata=FORMATS[suffix])
    return buffer.getvalue()
