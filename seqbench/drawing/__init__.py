"""Pictures of languages and results in one look: egg-boxes, automata, heat maps, curves. Needs `seqbench[plot]`."""

from seqbench.drawing.automata import automaton
from seqbench.drawing.boxes import egg_box
from seqbench.drawing.maps import composition_maps
from seqbench.drawing.plots import curve, heat_map, scatter
from seqbench.drawing.style import save

__all__ = ["automaton", "composition_maps", "curve", "egg_box", "heat_map", "save", "scatter"]
