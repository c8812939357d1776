"""What datasets are, in words: cards/definitions.toml, by patterns of names."""

import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from seqbench.errors import DefinitionError


class Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A group of datasets.

    Attributes:
        title: what its datasets are called together.
        about: one line about all of them.
        definitions: what a dataset is, by a pattern of names; {parameter} stands for its value.
        differences: from the published task, by a pattern of names.
    """

    title: str
    about: str
    definitions: dict[str, str]
    differences: dict[str, tuple[str, ...]]

    def pattern_of(self, name: str) -> str | None:
        """The first pattern that fits a name."""
        return next((pattern for pattern in self.definitions if fnmatchcase(name, pattern)), None)


class Description(msgspec.Struct, frozen=True):
    """What a dataset is.

    Attributes:
        group: the title of its group; empty for a user's own dataset.
        definition: in words.
        differences: from the published task.
    """

    group: str
    definition: str
    differences: tuple[str, ...]


def parse_groups(text: str) -> tuple[Group, ...]:
    r"""The groups of a file of definitions, in its order.

    Raises:
        DefinitionError: it is no TOML, or a group has other keys.

    Example:
        >>> text = "[[group]]\ntitle='t'\nabout='a'\ndefinitions={'x*' = '{n} x'}\ndifferences={}"
        >>> parse_groups(text)[0].pattern_of("xy")
        'x*'
    """
    try:
        return msgspec.convert(tomllib.loads(text).get("group", []), tuple[Group, ...])
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise DefinitionError(f"cards/definitions.toml: {error}. Mend that line.") from None


def describe(name: str, parameters: Mapping[str, Any], groups: Iterable[Group]) -> Description | None:
    """The description of a dataset with its parameters; None where no group has it.

    Example:
        >>> from seqbench.catalogue.reader import open_catalogue
        >>> describe("cf_dyck_3", {"kinds": 3}, open_catalogue().groups).definition
        'Well-nested words of 3 kinds of brackets, however deep. Deterministic context-free.'
    """
    for group in groups:
        pattern = group.pattern_of(name)
        if pattern is not None:
            found = [group.differences[each] for each in group.differences if fnmatchcase(name, each)]
            text = group.definitions[pattern].format_map(parameters)
            return Description(group.title, text, tuple(sentence for each in found for sentence in each))
    return None
