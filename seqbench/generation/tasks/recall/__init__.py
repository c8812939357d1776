"""Recall: multi-query associative recall, in-context recall, induction and selective copying."""

from seqbench.algebra.parameters import Parameter
from seqbench.generation.tasks.recall.in_context import InContextRecall
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
    "in_context_recall": Kind(
        InContextRecall,
        (
            Parameter("vocabulary", "integer", "how many symbols there are", 2, MAX_VOCABULARY, default=16),
            Parameter(
                "queries",
                "choice",
                "whether keys in the pairs are asked for too",
                default="all",
                choices=("all", "last"),
            ),
            Parameter("noise", "number", "the share of pairs that are noise", 0.0, 0.99, default=0.0),
            Parameter("noise_symbols", "integer", "how many symbols are noise", 0, MAX_VOCABULARY, default=0),
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
