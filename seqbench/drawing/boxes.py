"""Egg-boxes: the J-classes of a monoid from the top of their order to the bottom, rows R-, columns L-classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import batched, groupby
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from seqbench.algebra.alphabet import separator
from seqbench.algebra.monoid import Monoid
from seqbench.algebra.structure import Structure
from seqbench.drawing import style
