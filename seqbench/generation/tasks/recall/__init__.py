"""Recall: multi-query associative recall, induction and selective copying."""

from seqbench.algebra.parameters import Parameter
from seqbench.generation.tasks.recall.induction import Induction
from seqbench.generation.tasks.recall.mqar import Mqar
from seqbench.generation.tasks.recall.selective import SelectiveCopy
from seqbench.generation.tasks.task import Kind

MAX_VOCABULARY = 1 << 16

KINDS = {
    "mqar": Kind(
        Mqar,
        (
            Parameter("vocabulary", "integer", "how many symbols there are", 4, MAX_VOCABULARY, default=8192),
            Parameter("pairs", "integer", "pairs of a key and its value in an example", 1, 1024, default=4),
            Parameter("power", "number", "1 for queries anywhere alike, near 0 for near ones", 0.0, 1.0, default=0.01),
            Parameter(
                "filler", "choice", "what fills the gaps: symbols or 0", default="random", choices=("random", "blank")
            ),
        ),
        {},
    ),
    "induction": Kind(
        Induction,
        (Parameter("vocabulary", "integer", "how many symbols there are", 3, MAX_VOCABULARY, default=16),),
        {},
    ),
    "selective_copy": Kind(
        SelectiveCopy,
        (
            Parameter("vocabulary", "integer", "how many symbols there are", 4, MAX_VOCABULARY, default=16),
            Parameter("copied", "integer", "how many symbols are to be copied", 1, 4096, default=16),
        ),
        {},
    ),
}
