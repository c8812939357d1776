"""`datasets.load_dataset("seqbench", NAME)`: our builder among those that the datasets library brings along.

The library has no plug-ins, so this uses two private names of `datasets.load`, both there since its first releases:
`_PACKAGED_DATASETS_MODULES`, which is looked up before folders and the Hub, and `PackagedDatasetModuleFactory`, whose
own way, for our name only, must not be taken: it searches the working directory for files (an error in an empty one,
minutes in a large one) and lets what it finds into the cache key. If the names vanish, `seqbench.load_dataset` remains.

Importing datasets takes over a second, so nothing here imports it: `install` waits until somebody else does.
"""

import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NAME = "seqbench"
SWITCH = "SEQBENCH_NO_REGISTER"
_MODULE = "datasets.load"
_BUILDER = "seqbench.dataset.builder"


def install() -> None:
    """`datasets.load_dataset("seqbench", ...)` works from now on, whichever of the two packages is imported first.

    Nothing happens if the environment holds `SEQBENCH_NO_REGISTER=1`.

    Example:
        >>> install()
        >>> import datasets
        >>> "dyck_d6" in datasets.get_dataset_config_names("seqbench")
        True
    """
    if os.environ.get(SWITCH, "0") not in {"", "0"}:
        return
    if _MODULE in sys.modules:
        register(import_module(_MODULE))  # waits where another thread is still importing it
    elif not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport())


class _AfterImport(MetaPathFinder):
    """Finds `datasets.load` where the other finders do, and registers as soon as it has run."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of the library's module that is to be patched once imported; None for all others."""
        if fullname != _MODULE:
            return None
        others = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        found = (finder.find_spec(fullname, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            _run_then_register(spec.loader)
        return spec


def _run_then_register(loader: Any) -> None:
    run = loader.exec_module

    def run_and_register(module: ModuleType) -> None:
        run(module)
        register(module)

    loader.exec_module = run_and_register


def register(load: Any) -> None:
    """The module `datasets.load` knows our name; one warning if it is not built as expected, never an error."""
    try:
        if NAME not in load._PACKAGED_DATASETS_MODULES:
            _teach(load)
            load._PACKAGED_DATASETS_MODULES[NAME] = (_BUILDER, "")  # no hash: each dataset has its own
    except (AttributeError, TypeError):
        warnings.warn(
            f"This release of datasets does not let seqbench in: datasets.load_dataset({NAME!r}, ...) will not work. "
            "Use seqbench.load_dataset(...), which gives the same data.",
            stacklevel=2,
        )


def _teach(load: Any) -> None:
    """Packaged modules are found as before, ours without a look at the working directory or the network.

    The class is changed in place, since other modules hold `dataset_module_factory`, which uses it, by name.
    """
    factory, module, files = load.PackagedDatasetModuleFactory, load.DatasetModule, load.DataFilesDict
    start, get_module = factory.__init__, factory.get_module

    def start_ours(self: Any, name: str, *args: Any, **kwargs: Any) -> None:
        if name == NAME:  # the library's own start would report a download over the network
            self.name, self.data_files = name, kwargs.get("data_files")
        else:
            start(self, name, *args, **kwargs)

    def get_ours(self: Any) -> Any:
        if self.name == NAME:
            # The library asks for a value other than None; the builder refuses any but an empty one.
            return module(_BUILDER, "", {"data_files": self.data_files or files(), "dataset_name": NAME})
        return get_module(self)

    factory.__init__, factory.get_module = start_ours, get_ours
