"""Machines and monoids against what MLRegTest ships; its files are not ours to ship.

Set SEQBENCH_MLREGTEST to a folder with its .att files, alphN.txt symbol tables and facts.tsv (name, states, monoid,
d_classes) to run this. Source: van der Poel et al., "MLRegTest", 2023, CC BY 4.0.
"""

import csv
import os
from pathlib import Path

import pytest

from seqbench.algebra.att import from_att
from seqbench.algebra.monoid import Monoid
from seqbench.algebra.structure import Structure

FOLDER = os.environ.get("SEQBENCH_MLREGTEST")


@pytest.mark.skipif(FOLDER is None, reason="SEQBENCH_MLREGTEST names no folder")
def test_states_monoids_and_d_classes_are_those_published():
    folder = Path(FOLDER)
    with (folder / "facts.tsv").open() as lines:
        facts = list(csv.DictReader(lines, delimiter="\t"))
    assert len(facts) > 100
    for row in facts:
        symbols = (folder / f"alph{int(row['name'].split('.')[0])}.txt").read_text()
        machine = from_att((folder / f"{row['name']}.att").read_text(), symbols)
        monoid = Monoid.of(machine)
        assert machine.num_states - int(row["states"]) in (0, 1), row  # a sink may or may not be counted
        assert len(monoid) == int(row["monoid"]), row
        assert Structure(monoid).num_j_classes == int(row["d_classes"]), row
