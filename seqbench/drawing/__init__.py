"""Pictures of languages and results in one look: automata, egg-boxes, trees, maps, curves. Needs `seqbench[plot]`."""

from seqbench.drawing.automata import automaton
from seqbench.drawing.boxes import egg_box
from seqbench.drawing.maps import composition_maps
from seqbench.drawing.plots import curve, heat_map, scatter
from seqbench.drawing.strips import Strip, strips
from seqbench.drawing.style import save
from seqbench.drawing.tables import product_table
from seqbench.drawing.trees import Tree, tree

__all__ = [
    "Strip",
    "Tree",
    "automaton",
    "composition_maps",
    "curve",
    "egg_box",
    "heat_map",
    "product_table",
    "save",
    "scatter",
    "strips",
    "tree",
]
