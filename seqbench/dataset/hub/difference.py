"""What differs between two exports, in sentences."""

from collections.abc import Iterator
from typing import Any

from seqbench.dataset.hub.manifest import Config, Manifest


def differences(old: Manifest, new: Manifest) -> list[str]:
    """How a new export differs from an old one: versions, options, datasets, rows.

    Rows are compared where both know them, by their digests.

    Example:
        >>> made = {"seqbench": "0.1.0"}
        >>> old = Manifest(format=1, made_with=made, options={}, configs={}, files={})
        >>> differences(old, Manifest(format=1, made_with=made, options={"seed": 7}, configs={}, files={}))
        ['option seed: default -> 7']
    """
    lines = [f"made with {line}" for line in _changes(old.made_with, new.made_with, "absent")]
    lines += [f"option {line}" for line in _changes(old.options, new.options, "default")]
    lines += [f"dataset {name} is gone" for name in old.configs if name not in new.configs]
    lines += [f"dataset {name} is new" for name in new.configs if name not in old.configs]
    for name, config in new.configs.items():
        if name in old.configs:
            lines += [f"{name}: {line}" for line in _in_config(old.configs[name], config, {*old.options, *new.options})]
    return lines


def _changes(old: dict[str, Any], new: dict[str, Any], nothing: str) -> list[str]:
    keys = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
    return [f"{key}: {old.get(key, nothing)} -> {new.get(key, nothing)}" for key in keys]


def _in_config(old: Config, new: Config, told: set[str]) -> Iterator[str]:
    if old.version != new.version:
        yield f"data version {old.version} -> {new.version}"
    yield from (line for line in _changes(old.recipe, new.recipe, "absent") if line.split(":")[0] not in told)
    if not new.splits:  # rows are not made yet
        return
    yield from (f"split {split} is gone" for split in old.splits if split not in new.splits)
    for split, part in new.splits.items():
        if split not in old.splits:
            yield f"split {split} is new"
        elif old.splits[split].digest != part.digest:
            yield f"split {split}: {old.splits[split].rows:,} rows -> {part.rows:,} rows with other content"
