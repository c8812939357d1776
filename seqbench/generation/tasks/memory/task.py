"""The task: predict y(t) = sigma_2(sum over s <= t of rho(s) M sigma_1(x(t-s))) from x(0), ..., x(t)."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from seqbench.errors import InputError
from seqbench.generation.streams import FIRST_WORD, SECOND_WORD, Words, lane
from seqbench.generation.tasks.memory import inputs
from seqbench.generation.tasks.memory.facts import facts_of
from seqbench.generation.tasks.memory.families import MIN_HORIZON, Component, Function
from seqbench.generation.tasks.memory.parameters import PHI, matrix_of
from seqbench.generation.tasks.memory.response import Noise, Response
from seqbench.generation.tasks.memory.users import as_rows

if TYPE_CHECKING:
    from collections.abc import Callable

Array = npt.NDArray[Any]

LIKE = 0.8  # rows are transformed together whose lengths differ by no more than this factor
SHOWN = 30
TOLERANCE = 1e-6


class Memory:
    """Regression onto a memory function of random inputs.

    Columns: `inputs` and `targets`, float32 lists of one number a step; with several channels or outputs a list of
    lists, one a step. Targets are those of the float32 inputs, computed in float64 and rounded once.

    Source: families and alpha after Jiang, Bao, Wang, Li, arXiv 2506.05678, 2025; the formulas by alpha are seqbench's
    own (see `families`).
    """

    label_names: tuple[str, ...] = ()
    symbol_names: tuple[str, ...] = ()

    def __init__(self, parameters: dict[str, Any], parts: tuple[Component, ...]) -> None:
        """The task of checked parameters with one memory function or two to mix.

        Raises:
            InputError: parameters that do not fit together, such as a shift beyond T.
        """
        if parameters["phi"] != PHI and parameters["input_law"] != "ar1":
            raise InputError(
                f"phi is {parameters['phi']:g}, but the input law is {parameters['input_law']!r}, which has no phi. "
                "Leave phi out, or take input_law='ar1'."
            )
        self.parameters = parameters
        self.channels: int = parameters["d_in"]
        matrix = matrix_of(parameters["matrix"], self.channels)
        self.outputs = len(matrix)
        self.response = Response(matrix, parameters["sigma_1"], parameters["sigma_2"])
        self.snr = np.inf if parameters["snr"] == "none" else parameters["snr"]
        self.function = Function(
            parts, parameters["memory_length"], parameters.get("lam", 1.0), parameters["normalise"] == "unit"
        )
        self._rescaled = parameters["memory"] == "rescaled"
        first = _onset(self.function)
        if self._rescaled:
            first = max(int(part.fixed_shift) for part in parts)
        self._least = max(MIN_HORIZON, first + 1)  # at shorter lengths all targets are 0
        self.lengths_hint = f"Every length from {self._least} on has examples; at shorter ones nothing is remembered."
        self.schema = pa.schema({"inputs": _column(self.channels), "targets": _column(self.outputs)})

    def admits(self, longest: int) -> npt.NDArray[np.bool_]:
        """Lengths from 2 on at which some target is not 0."""
        return np.arange(longest + 1) >= self._least

    def sizes(self, longest: int) -> tuple[int, int]:
        """Number of channels and of outputs."""
        del longest
        return self.channels, self.outputs

    def rho(self, length: int) -> Array:
        """The function that rows of a length use, shape (length,)."""
        return _values(self.function, length, self.parameters["memory"])

    def draw(self, lengths: Array, streams: Words) -> dict[str, pa.Array]:
        """Inputs by the input law, and their targets."""
        lengths = lengths.astype(np.int64)
        x = np.empty(int(lengths.sum()) * self.channels, np.float32)
        law, phi = self.parameters["input_law"], self.parameters["phi"]
        inputs.fill(law, phi, lengths, self.channels, lane(streams, FIRST_WORD), x)
        noise = Noise()
        if self.snr < np.inf:
            variates = np.empty(int(lengths.sum()) * self.outputs, np.float32)
            inputs.fill("normal", 0.0, lengths, self.outputs, lane(streams, SECOND_WORD), variates)
            noise = Noise(self.snr, variates)
        y = self.targets(x, lengths, noise)
        return {"inputs": _lists(x, lengths, self.channels), "targets": self._target_lists(y, lengths)}

    def targets(self, x: Array, lengths: Array, noise: Noise) -> Array:
        """The targets at every step, flat, float32."""
        starts = np.cumsum(lengths) - lengths
        y = np.empty(int(lengths.sum()) * self.outputs, np.float32)
        for rows in _groups(lengths, 1.0 if self._rescaled else LIKE):
            rho = self.rho(int(lengths[rows[0]]))
            self.response.apply(rho, x, lengths, rows, starts, noise, y)
        return y

    def _target_lists(self, y: Array, lengths: Array) -> pa.Array:
        if self.parameters["targets"] == "steps":
            return _lists(y, lengths, self.outputs)
        last = y.reshape(-1, self.outputs)[np.cumsum(lengths) - 1]
        return _lists(last.ravel(), np.ones_like(lengths), self.outputs)

    def solve(self, inputs: Any) -> list[Any]:
        """The targets, without noise, of each input; of one flat list of numbers, its own."""
        x, lengths, alone = as_rows(inputs, self.channels)
        y = self.targets(x, lengths, Noise())
        found = self._target_lists(y, lengths).to_pylist()
        return list(found[0]) if alone else list(found)

    def check(self, table: pa.Table) -> None:
        """Sums directly, step by step; where there is noise, compares its power with what the SNR says."""
        for number, row in enumerate(table.to_pylist()):
            x = np.array(row["inputs"], np.float64).reshape(-1, self.channels)
            clean, y = self._slowly(x), np.array(row["targets"], np.float64).reshape(-1, self.outputs)
            wanted = clean if self.parameters["targets"] == "steps" else clean[-1:]
            limit = TOLERANCE * np.sqrt((clean**2).mean(axis=0))
            if self.snr < np.inf:
                limit = 10 * np.sqrt((clean**2).mean(axis=0) / self.snr)  # ten standard deviations of the noise
            if y.shape != wanted.shape or not (np.abs(y - wanted) <= limit + TOLERANCE * np.abs(wanted)).all():
                raise InputError(f"The targets of row {number} are not those of its inputs.")

    def _slowly(self, x: Array) -> Array:
        active: dict[str, Callable[[Array], Array]] = {
            "identity": lambda z: z,
            "tanh": np.tanh,
            "relu": lambda z: np.maximum(z, 0),
            "square": lambda z: z * z,
        }
        rho, u = self.rho(len(x)), active[self.response.inner](x) @ self.response.matrix.T
        sums = [np.convolve(u[:, i], rho)[: len(x)] for i in range(self.outputs)]
        return np.asarray(active[self.response.outer](np.stack(sums, axis=1)))

    def facts(self) -> dict[str, Any]:
        """Formula, complexity measures and floors."""
        return facts_of(self.function, self.parameters, self._least)

    def show(self, row: dict[str, Any]) -> dict[str, str]:
        """The first numbers of both columns."""
        return {name: _text(row[name]) for name in ("inputs", "targets")}


@lru_cache(maxsize=64)
def _values(function: Function, length: int, mode: str) -> Array:
    if mode == "rescaled":
        function = Function(function.parts, length, function.lam, function.unit)
    return function.values(length, cut=mode == "cut")


def _onset(function: Function) -> int:
    """The first step at which rho is not 0; builds rho, and so checks that the parameters fit together."""
    return int(np.flatnonzero(function.values(function.horizon))[0])


def _groups(lengths: Array, like: float) -> list[Array]:
    """Rows of like lengths, each group's longest first."""
    order = np.argsort(-lengths, kind="stable")
    groups, first = [], 0
    while first < len(order):
        last = int(np.searchsorted(-lengths[order], -like * lengths[order[first]], side="right"))
        groups.append(order[first:last])
        first = last
    return groups


def _column(size: int) -> pa.DataType:
    """A list of numbers, or of lists of so many."""
    return pa.list_(pa.float32() if size == 1 else pa.list_(pa.float32(), size))


def _lists(values: Array, lengths: Array, size: int) -> pa.Array:
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))
    items = pa.array(values)
    if size > 1:
        items = pa.FixedSizeListArray.from_arrays(items, size)
    return pa.ListArray.from_arrays(offsets, items)


def _text(values: list[Any]) -> str:
    """The first numbers; many zeros before them are counted.

    Example:
        >>> _text([0.5, 0.25]), _text([0.0] * 128 + [0.5, 0.25])
        ('0.5 0.25', '0 (128 times) 0.5 0.25')
    """
    zeros = int(np.any(np.array(values).reshape(len(values), -1), axis=1).argmax())
    start = zeros if zeros > SHOWN else 0
    parts = [f"0 ({start} times)"] * bool(start)
    parts += [f"{each:.3g}" if isinstance(each, float) else f"({_text(each)})" for each in values[start:][:SHOWN]]
    return " ".join(parts) + (" ..." if len(values) > start + SHOWN else "")


def one(parameters: dict[str, Any]) -> Memory:
    """The task of one family."""
    shift, width = (None if parameters[name] == "auto" else parameters[name] for name in ("shift", "width"))
    return Memory(parameters, (Component(parameters["family"], parameters["alpha"], shift, width),))


def hybrid(parameters: dict[str, Any]) -> Memory:
    """The task of a mixture of two."""
    names = ("first", "second")
    return Memory(parameters, tuple(Component(parameters[name], parameters[f"{name}_alpha"]) for name in names))


def older(parameters: dict[str, Any]) -> Memory:
    """The task of an earlier public formula."""
    return Memory(parameters, (Component(parameters["family"]),))
