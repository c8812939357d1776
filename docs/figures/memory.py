"""Makes the pictures and the tables of docs/memory.md: `python docs/figures/memory.py`."""

from pathlib import Path

import numpy as np

from seqbench.drawing import save, style
from seqbench.generation.tasks.memory.families import FAMILIES, LEGACY
from seqbench.memory_functions import ALPHAS, MemoryFunction, memory

HERE = Path(__file__).parent
PAGE = HERE.parent / "memory.md"
LENGTH = 256
SHOWN = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def picture(family: str, options: dict[str, object]) -> None:
    """Weights (left) and tail energy (right) of one family over alpha."""
    from matplotlib.figure import Figure

    with style.look():
        figure = Figure(figsize=(7.6, 2.9), layout="constrained")
        left, right = figure.subplots(1, 2)
        colours = _shades(len(SHOWN))
        for colour, alpha in zip(colours, SHOWN, strict=True):
            function = memory(family, alpha=alpha, length=LENGTH, **options)
            _lines(left, right, function, colour, f"\u03b1 = {alpha:g}")
        _finish(figure, left, right)
        if family in ("exp", "poly"):
            left.set(yscale="log", ylim=(1e-4, 1.5))
        save(figure, HERE / f"memory_{family}.png")


def legacy_picture() -> None:
    """The same of the earlier formulas, over 25 of their 100 steps."""
    from matplotlib.figure import Figure

    with style.look():
        figure = Figure(figsize=(7.6, 2.9), layout="constrained")
        left, right = figure.subplots(1, 2)
        for colour, family in zip(style.CYCLE, LEGACY, strict=False):
            _lines(left, right, memory(family), colour, family)
        _finish(figure, left, right)
        left.set(xlim=(-0.5, 25))
        right.set(xlim=(-0.5, 25))
        save(figure, HERE / "memory_legacy.png")


def _shades(count: int) -> list[str]:
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return [to_hex(colormaps["viridis"](0.92 * (1 - place))) for place in np.linspace(0, 1, count)]


def _lines(left: object, right: object, function: MemoryFunction, colour: str, label: str) -> None:
    s = np.arange(function.length)
    left.plot(s, np.where(function.rho == 0, np.nan, function.rho), color=colour, linewidth=1.3, marker=".", ms=2)
    if (function.rho != 0).sum() == 1:
        left.plot([function.shift] * 2, [0, function.rho.max()], color=colour, linewidth=1.3)
    right.plot(np.arange(function.length + 1), function.tail_energy(), color=colour, linewidth=1.3, label=label)


def _finish(figure: object, left: object, right: object) -> None:
    left.set(xlabel="delay s in steps", ylabel="\u03c1(s), of unit energy")
    right.set(xlabel="delay s in steps", ylabel="tail energy C(\u03c1, s)", ylim=(-0.02, 1.05))
    figure.legend(loc="outside right upper")


def table(rows: dict[str, MemoryFunction]) -> str:
    """The complexity measures of some functions as a Markdown table."""
    head = [
        "",
        "area",
        "shift",
        "mean delay",
        "C(16)",
        "C(64)",
        "C(128)",
        "effective rank",
        "Prony order",
        "floor, K = 16",
    ]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for name, function in rows.items():
        order = function.prony_order()
        cells = [f"{function.area:.3g}", str(function.shift), f"{function.mean_delay:.1f}"]
        cells += [_share(function.tail_energy(min(s, function.length))) for s in (16, 64, 128)]
        cells += [f"{function.effective_rank:.0f}", "> 64" if order is None else str(order)]
        cells += [_share(function.best_linear(16).relative_mse)]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return "\n".join(lines)


def _share(value: float) -> str:
    return "0" if value < 1e-9 else f"{value:.1e}" if value < 1e-3 else f"{value:.3f}"


def main() -> None:
    """All pictures and tables."""
    options: dict[str, dict[str, object]] = {family: {} for family in FAMILIES} | {"hybrid": {}}
    text = PAGE.read_text(encoding="utf-8")
    for family, chosen in options.items():
        picture(family, chosen)
        rows = {f"\u03b1 = {alpha:g}": memory(family, alpha=alpha, length=LENGTH, **chosen) for alpha in ALPHAS}
        text = _between(text, family, table(rows))
        print(family, flush=True)
    legacy_picture()
    text = _between(text, "legacy", table({family: memory(family) for family in LEGACY}))
    PAGE.write_text(text, encoding="utf-8")


def _between(text: str, name: str, filling: str) -> str:
    before, _, rest = text.partition(f"<!-- {name} -->")
    return f"{before}<!-- {name} -->\n\n{filling}\n\n<!-- end -->{rest.partition('<!-- end -->')[2]}"


if __name__ == "__main__":
    main()
