"""Grid files: the settings of all runs of a sweep, checked before any is made."""

import itertools
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from seqbench.errors import InputError, quoted, unknown_name
from seqbench.models import check_options
from seqbench.training.settings import ELSEWHERE, Settings, resolve

if TYPE_CHECKING:
    from seqbench.generation.base_plan import BasePlan


def grid(path: Path) -> list[Settings]:
    r"""The settings of a grid file: all choices of its [grid], with its [settings] alike for all.

    Raises:
        InputError: a file that cannot be read, without a grid, or with an empty list.
        SeqbenchError: a setting that cannot be used.

    Example:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "grid.toml"
        >>> _ = file.write_text('[grid]\ntask = ["parity_check"]\nmodel = ["ldru", "lstm"]\nseed = [0, 1]\n')
        >>> [(each.model, each.seed) for each in grid(file)]
        [('ldru', 0), ('ldru', 1), ('lstm', 0), ('lstm', 1)]
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!r} cannot be read: {error}. It is a TOML file with a table [grid].") from None
    for key in data:
        if key not in {"grid", "settings"}:
            raise unknown_name(f"table of {str(path)!r}", key, ["grid", "settings"])
    choices, common = (_table(path, data, name) for name in ("grid", "settings"))
    if not {"task", "model"} <= choices.keys():
        raise InputError(
            f"{str(path)!r} has no list of tasks and models. Write [grid], task = [...] and model = [...]."
        )
    lists = [_choices(path, name, value) for name, value in choices.items()]
    runs = [_settings(common | dict(zip(choices, each, strict=True))) for each in itertools.product(*lists)]
    return list({run.run_id: run for run in runs}.values())  # a value written twice is one run


def _table(path: Path, data: dict[str, Any], name: str) -> dict[str, Any]:
    table = data.get(name, {})
    if not isinstance(table, dict):
        raise InputError(f"{name} of {str(path)!r} is {quoted(table)}, which is no table. Write it once, as [{name}].")
    return table


def _choices(path: Path, name: str, value: Any) -> list[Any]:
    if value == []:
        raise InputError(f"{name} of {str(path)!r} is an empty list. Give one value or more.")
    return value if isinstance(value, list) else [value]


def _settings(values: dict[str, Any]) -> Settings:
    names = {"tier": "quick"} | values
    task, model, tier = (_name(key, names.pop(key)) for key in ("task", "model", "tier"))
    return resolve(task, model, tier, **names)


def _name(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{key} is {quoted(value)}, which is no name. Write names in quotation marks.")
    return value


def check(runs: list[Settings]) -> None:
    """Nothing, if the data of all runs can be planned and their models can say what these ask for.

    Raises:
        SeqbenchError: whatever is wrong with a recipe, an option of a model, or a model for a task.
    """
    import torch

    from seqbench.training.data import Source, plan_of
    from seqbench.training.learner import Learner

    plans: dict[bytes, BasePlan] = {}
    for run in _but_for(runs, "seed", "data_seed"):
        if run.texts is not None:  # they may have to be fetched
            check_options(run.model, run.options, ELSEWHERE)
            continue
        data = _key(run, "task", "catalogue", "recipe", "sampling")
        if data not in plans:
            Source(run)
            plans[data] = plan_of(run)
        with torch.device("meta"):  # no memory, no random numbers
            Learner(run, plans[data])


def _but_for(runs: list[Settings], *names: str) -> list[Settings]:
    """One run of all that differ in settings of these names alone."""
    others = [name for name in Settings.__struct_fields__ if name not in names]
    return list({_key(run, *others): run for run in runs}.values())


def _key(run: Settings, *names: str) -> bytes:
    return msgspec.json.encode([getattr(run, name) for name in names], order="deterministic")
