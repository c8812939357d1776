"""Draws the picture of the README: a word, reduced block by block, with the syntactic class of every block."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

import seqbench

WORD = "0010110100"
NAME = "dyck_d3"


def reduce(lang: seqbench.Language, word: str) -> list[list[tuple[int, int, float, str]]]:
    """Levels of the balanced reduction: (first, last, centre, class name) of every block; a left-over passes on."""
    levels = [[(i, i + 1, float(i), lang.monoid.names[lang.syntactic_class(s)]) for i, s in enumerate(word)]]
    while len(levels[-1]) > 1:
        below, above = levels[-1], []
        for left, right in zip(below[::2], below[1::2], strict=False):
            name = lang.monoid.names[lang.syntactic_class(word[left[0] : right[1]])]
            above.append((left[0], right[1], (left[2] + right[2]) / 2, name))
        levels.append(above + ([below[-1]] if len(below) % 2 else []))
    return levels


def main() -> None:
    """Writes reduction.png beside this file."""
    lang = seqbench.language(NAME)
    levels = reduce(lang, WORD)
    figure, axes = plt.subplots(figsize=(9, 4.2), dpi=150)
    position = {}
    for height, level in enumerate(levels):
        for first, last, centre, name in level:
            passed = height and (first, last, centre, name) in levels[height - 1]
            position[height, first, last] = centre
            if height:
                children = [b for b in levels[height - 1] if first <= b[0] and b[1] <= last]
                for child in children:
                    axes.plot([child[2], centre], [height - 1, height], color="0.6", zorder=1)
            if passed:
                continue
            label = lang.labels[lang.monoid.labels[lang.monoid.names.index(name)]]
            colour = "#2a7f3f" if label == "accept" else "#b04a3a"
            text = name or "empty"
            box = {"boxstyle": "round,pad=0.3", "facecolor": "white", "edgecolor": colour, "linewidth": 1.4}
            axes.text(
                centre, height, text, ha="center", va="center", fontsize=9, family="monospace", bbox=box, zorder=2
            )
    for i, symbol in enumerate(WORD):
        bracket = "(" if symbol == "0" else ")"
        axes.text(i, -0.75, f"{symbol}  {bracket}", ha="center", va="center", fontsize=11, family="monospace")
    axes.set_yticks(range(len(levels)), [str(2**h) if h else "1" for h in range(len(levels))])
    axes.set_ylabel("block width (symbols, at most)")
    axes.set_xticks([])
    axes.set_xlabel(f"a word over the alphabet of {NAME}: brackets at most 3 deep; 0 opens, 1 closes")
    axes.set_title("Every block of a word belongs to one of 31 classes, named by its shortest word", fontsize=11)
    axes.plot([], [], color="#2a7f3f", label="blocks in the language")
    axes.plot([], [], color="#b04a3a", label="blocks outside it")
    axes.legend(loc="upper right", frameon=False, fontsize=9)
    axes.set_xlim(-0.8, len(WORD) + 0.6)
    axes.set_ylim(-1.1, len(levels) - 0.4)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
