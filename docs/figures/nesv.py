"""Makes the pictures and the tables of docs/nesv.md: `python docs/figures/nesv.py` (half an hour on a core).

`python docs/figures/nesv.py majority a_sin` makes those of one task and model alone.
"""

import sys
from pathlib import Path

from seqbench.training.volume.estimate import Estimate, volumes
from seqbench.training.volume.picture import draw, slope

HERE = Path(__file__).parent
PAGE = HERE.parent / "nesv.md"
LENGTHS = {
    ("first", "a_pos"): [5, 9, 17, 33],
    ("majority", "a_gen"): [5, 9, 17, 33],
    ("index", "a_norm"): [5, 9, 17, 33, 65],
    ("index", "a_pos"): [5, 9, 17, 33, 65],
    ("majority", "a_sin"): [5, 9, 13, 17],
}

SAMPLES = {"index": 4_000_000}
"""Sets of parameters a length, where the default of 10^6 is not enough."""


def row(each: Estimate) -> str:
    """An estimate as a row of a Markdown table."""
    undecided = f"{each.undecided:.1e}" if each.undecided else "0"
    cells = [str(each.n), f"{each.volume:.2e}", f"{each.low:.2e} to {each.high:.2e}", each.method]
    return "| " + " | ".join([*cells, f"{each.effective:,.0f}", undecided]) + " |"


def table(found: list[Estimate]) -> str:
    """The estimates of one task and model as a Markdown table, and their slope below."""
    head = "| n | estimate | 95 % interval | method | effective hits | undecided |\n" + "| --- " * 6 + "|"
    return "\n".join([head, *map(row, found), "", f"Slope of log V against log n: {slope(found):.2f}."])


def main(*only: str) -> None:
    """All pictures and tables, or those of one task and model."""
    for task, model in [only] if only else LENGTHS:
        lengths = LENGTHS[task, model]
        found = volumes(task, model, lengths, samples=SAMPLES.get(task, 1_000_000))
        draw(found, task, model, str(HERE / f"nesv_{task}_{model}.png"))
        before, mark, rest = PAGE.read_text(encoding="utf-8").partition(f"<!-- {task} {model} -->")
        after = rest.partition("<!-- end -->")[2]
        PAGE.write_text(f"{before}{mark}\n\n{table(found)}\n\n<!-- end -->{after}", encoding="utf-8")
        print(task, model, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
