"""Pictures of languages and results in one look: egg-boxes, automata, heat maps, curves. Needs `seqbench[plot]`."""

from seqbench.drawing.automata import automaton
from seqbench.drawing.boxes import egg_box
from seqbench.drawing.plots import curve, heat_map
from seqbench.drawing.style import save

__all__ = ["automaton", "curve", "egg_box", "heat_map", "save"]
