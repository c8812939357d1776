"""What a call is about: a dataset with its recipe, or a language of one's own with the default one."""

from typing import Any

from seqbench.catalogue import recipe as recipes
from seqbench.catalogue.reader import open_catalogue
from seqbench.catalogue.schema import Dataset
from seqbench.generation.plan import Folder, Plan, language_plan
from seqbench.languages import Language


def plan_for(subject: str | Language, catalogue: Folder = None, **options: Any) -> Plan:
    """The plan of a dataset; for a language, that of a dataset over it with the options' defaults.

    Args:
        subject: the name of a dataset, or a Language.
        catalogue: a folder with definitions of your own.
        options: options of the dataset that differ from its file.

    Raises:
        SeqbenchError: whatever is wrong with the name or an option.

    Example:
        >>> own = plan_for(Language.from_regex("(01)*"), test_lengths=(41, 50))
        >>> own.recipe.sampling, own.splits["test"].split.lengths.tolist()
        ({'uniform': 1.0}, [41, 42, 43, 44, 45, 46, 47, 48, 49, 50])
    """
    if not isinstance(subject, Language):
        return language_plan(subject, catalogue, **options)
    name = subject.name
    defaults = Dataset(title=name, automaton=name, version="0.0.0", history=(), source="")
    return Plan(name, open_catalogue(catalogue), defaults, recipes.override(defaults, options), subject.machine)
