"""Makes the table and pictures of docs/coverage.md: `python docs/figures/coverage.py [plans|maps|pictures]`."""

import sys
from pathlib import Path

import numpy as np

import seqbench
from seqbench.covering.planning import table
from seqbench.drawing import curve, save

HERE = Path(__file__).parent
TASKS = [
    "even_pairs", "parity_check", "cycle_navigation", "modular_arithmetic_l2r",
    "prefix_p1_q2", "prefix_p1_q4", "prefix_p2_q2", "prefix_p2_q4", "prefix_p4_q2", "prefix_p4_q4",
    "tomita_3", "tomita_4", "tomita_5", "tomita_6", "tomita_7",
    "dyck_d2", "dyck_d3", "dyck_d4", "dyck_d6", "dyck_d8", "dyck_d12",
]  # fmt: skip


def plans() -> None:
    """Fills the table of docs/coverage.md: one row for each of the 21 tasks of the LDRU study."""
    found = {}
    for name in TASKS:
        found[name] = seqbench.coverage_plan(name)
        print(name, found[name], flush=True)
    page = HERE.parent / "coverage.md"
    before, _, rest = page.read_text(encoding="utf-8").partition("<!-- plans -->")
    after = rest.partition("<!-- end of plans -->")[2]
    text = f"{before}<!-- plans -->\n\n{table(found)}\n<!-- end of plans -->{after}"
    page.write_text(text, encoding="utf-8")


def maps() -> None:
    """The figure of the LDRU study for dyck_d6: trained on 10 to 40, tested on 480 to 500, children of width 2 or more.

    Members only, as there: 100,000 of them against 64 of each test length.
    """
    options = {"sampling": "member", "train_lengths": (10, 40), "test_lengths": (480, 500), "near_miss": False}
    data = seqbench.load_dataset("dyck_d6", **options)
    report = seqbench.coverage("dyck_d6", data["train"], data["test"], min_width=2)
    print(report)
    report.plot("maps", path=HERE / "coverage_maps.png")


def by_test_length() -> None:
    """Share of test words with every composition seen, for three recipes of 100,000 words of lengths 1 to 40."""
    lines, every = {}, np.arange(42, 501, 2)
    for law in ("balanced", "composition", "class"):
        train = seqbench.load_dataset("dyck_d6", sampling=law, test_examples_per_length=0, split="train")
        lengths, shares = seqbench.coverage("dyck_d6", train).curve
        lines[f"100,000 by {law}"] = np.interp(every, lengths[lengths % 2 == 0], shares[lengths % 2 == 0])
    found = seqbench.cover("dyck_d6", max_length=40)
    lengths, shares = seqbench.coverage("dyck_d6", [word.tolist() for word in found.words]).curve
    lines[f"{len(found.words):,} words of `seqbench cover`"] = np.interp(
        every, lengths[lengths % 2 == 0], shares[lengths % 2 == 0]
    )
    labels = {"xlabel": "length of test words (even)", "ylabel": "share with every composition seen"}
    save(curve(every, lines, limits=(0, 1.02), **labels), HERE / "coverage_by_test_length.png")


def by_training_length() -> None:
    """Expected number of the compositions needed by dyck_d6 that 100,000 training words of lengths 1 to L show."""
    lengths, laws = np.arange(4, 61, 4), ("balanced", "class", "composition")
    lines: dict[str, list[float]] = {f"by {law}": [] for law in laws}
    lines["possible at all"] = []
    for longest in lengths.tolist():
        for law in laws:
            found = seqbench.expected_coverage("dyck_d6", train_lengths=(1, longest), sampling=law)
            lines[f"by {law}"].append(found.expected_seen / 10_084)
        lines["possible at all"].append(len(found.keys) / 10_084)
    labels = {"xlabel": "longest training word", "ylabel": "share of 10,084 compositions"}
    save(curve(lengths, lines, limits=(0, 1.02), **labels), HERE / "coverage_by_training_length.png")


def main() -> None:
    """What the arguments name, or everything."""
    chosen = sys.argv[1:] or ["plans", "pictures"]
    if {"maps", "pictures"} & set(chosen):
        maps()
    if "pictures" in chosen:
        by_test_length()
        by_training_length()
    if "plans" in chosen:
        plans()


if __name__ == "__main__":
    main()
