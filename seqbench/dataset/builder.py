"""Blocks become a Hugging Face dataset: the builder that the datasets library drives.

The cache folder is dataset_name/config_id/version/hash, and every fingerprint of the library derives from it, so the
four parts must tell two datasets apart whenever their rows differ: the recipe is in config_id, the data's version in
version and the generator's identity in hash.
"""

import errno
import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import datasets
import pyarrow as pa

from seqbench.catalogue.reader import open_catalogue
from seqbench.dataset.versions import warn_if_superseded
from seqbench.errors import CacheError, InputError, SeqbenchError, as_text, unknown_name
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import Folder, dataset_names, plan

# What the library's own builder takes; every other keyword is an option of the dataset. Asked, since releases differ.
# A config_id of the user's own would put different rows into one folder.
_SETTINGS = inspect.signature(datasets.DatasetBuilder.__init__).parameters.keys() - {"config_id", "config_kwargs"}

# Compared with messages, not with error numbers: the library keeps only the text of an error in a worker process.
_FAULTS = {
    f"[Errno {errno.EACCES}]": "permission is denied",
    f"[Errno {errno.EPERM}]": "permission is denied",
    f"[Errno {errno.EROFS}]": "the file system is read-only",
    f"[Errno {errno.ENOENT}]": "there is no such folder and it cannot be made",
    f"[Errno {errno.ENOTDIR}]": "a part of its path is a file",
    f"[Errno {errno.ENAMETOOLONG}]": "its name is too long",
    f"[Errno {errno.ENOSPC}]": "the disk is full",
    f"[Errno {errno.EDQUOT}]": "the disk quota is used up",
    "Not enough disk space": "the disk has too little free space",
}


@dataclass(eq=False)
class SeqbenchConfig(datasets.BuilderConfig):  # type: ignore[misc]  # the library ships no types
    """One recipe of one dataset: equal recipes are equal configs, however their options were spelt.

    Attributes:
        plan: The resolved recipe; None where only the name is listed.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> one, two = (plan("dyck_d6", train_lengths=lengths) for lengths in [(1, 30), [1, 30]])
        >>> SeqbenchConfig("dyck_d6", plan=one) == SeqbenchConfig("dyck_d6", plan=two)
        True
    """

    plan: BasePlan | None = None

    def create_config_id(self, config_kwargs: Mapping[str, Any], custom_features: object = None) -> str:
        """The name for the pure defaults, else the name with a digest of the resolved recipe.

        The library's own id hashes the options as they were spelt: (1, 40) and [1, 40] would be two datasets.
        """
        del config_kwargs, custom_features
        return self.plan.config_id if self.plan else self.name

    def __eq__(self, other: object) -> bool:
        """True for the same recipe of the same dataset."""
        return isinstance(other, SeqbenchConfig) and self.create_config_id({}) == other.create_config_id({})

    def __hash__(self) -> int:
        """A hash that agrees with equality."""
        return hash(self.create_config_id({}))


class Seqbench(datasets.ArrowBasedBuilder):  # type: ignore[misc]  # the library ships no types
    """A builder of one dataset, made on the spot: nothing is downloaded.

    Args:
        config_name: The name of the dataset.
        catalogue: A folder with the user's own definitions.
        version: The data version that must be met; any if None.
        **options: The dataset's options, and the settings of `datasets.DatasetBuilder` (`cache_dir`, ...).

    Raises:
        SeqbenchError: For an unknown dataset or option, a bad value, or a cache folder that cannot be written.

    Example:
        >>> import tempfile
        >>> builder = Seqbench(config_name="dyck_d6", cache_dir=tempfile.mkdtemp(), train_examples=5000)
        >>> builder.info.splits["train"].num_examples
        5000
    """

    BUILDER_CONFIG_CLASS = SeqbenchConfig
    BUILDER_CONFIGS = [SeqbenchConfig(name) for name in dataset_names()]  # noqa: RUF012  # the library's way
    DEFAULT_WRITER_BATCH_SIZE = 4096  # one block; smaller batches slow down writing and reading

    def __init__(
        self,
        *,
        config_name: str | None = None,
        catalogue: Folder = None,
        version: object = None,
        **options: Any,
    ) -> None:
        """A builder whose recipe is resolved and checked."""
        settings = {key: options.pop(key) for key in _SETTINGS & options.keys()}
        _refuse(settings)
        recipe = _recipe(config_name, catalogue, version, options)
        # A user's catalogue holds names that the class cannot list: no list means that any name may come.
        self.BUILDER_CONFIGS = []
        settings |= {"dataset_name": "seqbench", "hash": recipe.fingerprint}
        with _clear_errors(settings.get("cache_dir") or datasets.config.HF_DATASETS_CACHE):
            super().__init__(config_name=recipe.name, version=recipe.version, plan=recipe, **settings)

    def check_split(self, split: object) -> None:
        """Nothing for a split that can be read, such as "train", "train[:1000]", "train+test", None or a list of them.

        Raises:
            UnknownNameError: For a split that this dataset does not have.
            InputError: For a slice that cannot be read.

        Example:
            >>> import tempfile
            >>> Seqbench(config_name="dyck_d6", cache_dir=tempfile.mkdtemp()).check_split("trian[:10]")
            Traceback (most recent call last):
            ...
            seqbench.errors.UnknownNameError: There is no split 'trian'. Did you mean 'train'?
        """
        sizes = {name: part.num_examples for name, part in self.config.plan.splits.items()}
        for spec in map(as_text, split if isinstance(split, list | tuple) else [split]):
            if spec not in {"None", "all"}:
                _check_spec(spec, sizes)

    def download_and_prepare(self, *args: Any, **kwargs: Any) -> None:
        """The dataset's files in the cache folder, made if they are not there; nothing half-written stays behind."""
        with _clear_errors(self.cache_dir):
            super().download_and_prepare(*args, **kwargs)

    def as_dataset(self, split: Any = None, **kwargs: Any) -> Any:
        """The prepared split, or all of them as a dictionary."""
        self.check_split(split)
        return super().as_dataset(split=split, **kwargs)

    def as_streaming_dataset(self, split: Any = None, **kwargs: Any) -> Any:
        """The split made on the fly while it is read, or all of them as a dictionary; nothing is written."""
        self.check_split(split)
        if "[" in str(split):
            raise InputError(
                f"A stream cannot be sliced: split={str(split)!r}. It reads whole splits, one a call. "
                "Name one split, then take rows with .skip(n) and .take(n)."
            )
        try:
            return super().as_streaming_dataset(split=split, **kwargs)
        except ValueError as error:
            raise InputError(
                f"split={str(split)!r} cannot be streamed with datasets {datasets.__version__}. "
                "Stream one split at a time and join them with datasets.concatenate_datasets."
            ) from error

    def _info(self) -> datasets.DatasetInfo:
        recipe: BasePlan = self.config.plan
        splits = datasets.SplitDict(
            {name: datasets.SplitInfo(name, part.num_bytes, part.num_examples) for name, part in recipe.splits.items()},
            dataset_name="seqbench",
        )
        size = sum(part.num_bytes for part in splits.values())  # lets the library see early that the disk is too small
        return datasets.DatasetInfo(
            description=f"{recipe.description}\n\nRecipe: {recipe.recipe_json}",
            citation=recipe.citation,
            homepage=recipe.homepage,
            license=recipe.license,
            features=features_of(recipe),
            splits=splits,
            download_size=0,
            dataset_size=size,
            size_in_bytes=size,
        )

    def _split_generators(self, dl_manager: object) -> list[Any]:
        del dl_manager
        return [
            # Workers and streams divide the lists they find here: the blocks must be the only one.
            datasets.SplitGenerator(name, {"split": name, "blocks": list(range(part.num_blocks))})
            for name, part in self.config.plan.splits.items()
        ]

    def _generate_tables(self, split: str, blocks: list[int]) -> Iterator[tuple[tuple[int, int], pa.Table]]:
        for position, batch in enumerate(self.config.plan.blocks(split, blocks)):
            # The key counts from 0 within a worker's own list; some releases fail on a gap.
            yield (position, 0), pa.Table.from_batches([batch])


def _refuse(settings: dict[str, Any]) -> None:
    """Settings freed of what the library says about files; an error if a user asked for something there."""
    for key, advice in {
        "data_files": "Leave it out; definitions of your own come with catalogue=FOLDER.",
        "data_dir": "Leave it out; definitions of your own come with catalogue=FOLDER.",
        "features": "Leave it out and call .cast(features) on the loaded dataset.",
    }.items():
        if value := settings.pop(key, None):
            raise InputError(f"{key}={value!r} cannot be used: seqbench makes its data itself. {advice}")


def _recipe(name: object, catalogue: Folder, version: object, options: dict[str, Any]) -> BasePlan:
    """The plan of the named dataset, of the asked version."""
    if not isinstance(name, str):
        listed = open_catalogue(catalogue).command("list")
        hint = f'Name one, as in load_dataset("seqbench", "dyck_d6"); `{listed}` shows all.'
        raise unknown_name("dataset", name, dataset_names(catalogue), hint)
    recipe = plan(name, catalogue=catalogue, version=version, **options)
    if not recipe.splits:
        raise InputError(f"{name} is left without a row: every number of examples is 0. Give one of them 1 or more.")
    warn_if_superseded(recipe)
    return recipe


def features_of(recipe: BasePlan) -> datasets.Features:
    """The features of a dataset: its columns, with the names of the labels."""
    features = datasets.Features.from_arrow_schema(recipe.schema)
    if recipe.label_names:
        features["label"] = datasets.ClassLabel(names=list(recipe.label_names))
    return features


def _check_spec(spec: str, sizes: Mapping[str, int]) -> None:
    for name in re.split(r"\s*\+\s*", re.sub(r"\[[^]]*\](\(\w+\))?", "", spec).strip()):
        if name not in sizes:
            raise unknown_name("split", name, sizes)
    try:
        datasets.ReadInstruction.from_spec(str(datasets.Split(spec))).to_absolute(sizes)
    except ValueError as error:
        raise InputError(
            f"split={spec!r} cannot be read: {error} "
            'Write a split as "train", "train[:1000]", "train[10%:20%]" or "train+test".'
        ) from error


@contextmanager
def _clear_errors(folder: object) -> Iterator[None]:
    """What the library wraps is unwrapped: our own errors, and those of a read-only or full disk with what to do."""
    try:
        yield
    except Exception as error:
        for cause in _causes(error):
            if isinstance(cause, SeqbenchError):
                raise cause from None
            for sign, fault in _FAULTS.items():
                if sign in str(cause):
                    raise CacheError(
                        f"The cache folder {str(folder)!r} cannot be written: {fault}. Give another folder with "
                        "cache_dir=, or write nothing with seqbench.load_dataset(..., streaming=True)."
                    ) from error
        raise


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
