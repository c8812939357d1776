"""`datasets.load_dataset("seqbench", NAME)`, wherever it is called and whichever package comes first."""

import sys
from pathlib import Path
from types import SimpleNamespace

import datasets
import datasets.load
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seqbench
from seqbench.dataset import register
from seqbench.errors import InputError, UnknownNameError

LOAD = "print(datasets.load_dataset('seqbench', 'dyck_d6', split='test', **SMALL).num_rows)"


@pytest.mark.parametrize("imports", ["import seqbench, datasets", "import datasets, seqbench"])
def test_either_package_may_be_imported_first(imports, output):
    assert output(f"{imports}\n{LOAD}") == "40"


def test_import_from_works_too(output):
    assert output("import seqbench\nfrom datasets import load_dataset\nimport datasets\n" + LOAD) == "40"


def test_importing_seqbench_imports_nothing_heavy(output):
    heavy = {"datasets", "huggingface_hub", "numba", "numpy", "pyarrow", "torch"}
    assert output(f"import seqbench, sys\nprint(sorted({heavy!r} & set(sys.modules)))") == "[]"


def test_looking_for_the_library_does_not_spoil_its_import(output):
    code = "import seqbench, importlib.util\nimportlib.util.find_spec('datasets.load')\nimport datasets\n"
    assert output(code + LOAD) == "40"


def test_switched_off(output):
    code = "import seqbench, datasets\nprint('seqbench' in datasets.load._PACKAGED_DATASETS_MODULES)"
    assert output(code, SEQBENCH_NO_REGISTER="1") == "False"
    assert output(code, SEQBENCH_NO_REGISTER="0") == "True"


def test_without_the_private_names_there_is_one_warning_and_our_own_function(output):
    code = """
import warnings, datasets
del datasets.load.PackagedDatasetModuleFactory
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import seqbench
assert [w for w in caught if "seqbench" in str(w.message)] == caught and len(caught) == 1, caught
assert "seqbench.load_dataset" in str(caught[0].message)
print(seqbench.load_dataset("dyck_d6", split="test", **SMALL).num_rows)
"""
    assert output(code) == "40"


@pytest.mark.parametrize("gone", ["_PACKAGED_DATASETS_MODULES", "PackagedDatasetModuleFactory", "DatasetModule"])
def test_any_vanished_name_warns_and_leaves_the_library_as_it_was(gone):
    factory = type("Factory", (), {"get_module": lambda _: None})
    module = SimpleNamespace(
        _PACKAGED_DATASETS_MODULES={}, PackagedDatasetModuleFactory=factory, DatasetModule=tuple, DataFilesDict=dict
    )
    delattr(module, gone)
    before = dict(vars(factory))
    with pytest.warns(UserWarning, match=r"seqbench\.load_dataset"):
        register.register(module)
    assert dict(vars(factory)) == before
    assert not getattr(module, "_PACKAGED_DATASETS_MODULES", {})


def test_installing_twice_changes_nothing():
    start = datasets.load.PackagedDatasetModuleFactory.__init__
    finders = list(sys.meta_path)
    register.install()
    assert datasets.load.PackagedDatasetModuleFactory.__init__ is start
    assert sys.meta_path == finders


def test_packaged_modules_of_the_library_work_as_before(tmp_path, cache):
    source = str(tmp_path / "rows.parquet")
    pq.write_table(pa.table({"a": [1], "b": [2]}), source)
    rows = datasets.load_dataset("parquet", data_files=source, split="train", cache_dir=cache)
    assert rows[:] == {"a": [1], "b": [2]}


def _many_files(folder: Path) -> None:
    for number in range(20_000):
        (folder / f"{number}.csv").touch()


def _folder_of_our_name(folder: Path) -> None:
    (folder / "seqbench").mkdir()
    (folder / "seqbench" / "train.csv").write_text("a\n1\n")


@pytest.mark.parametrize("fill", [lambda _: None, _many_files, _folder_of_our_name])
def test_the_working_directory_does_not_matter(fill, tmp_path, cache, shared, monkeypatch, small):
    here = tmp_path / "here"
    here.mkdir()
    fill(here)
    monkeypatch.chdir(here)
    # Looking at the folder is the library's slow way: minutes for many files, and they change the cache key.
    monkeypatch.setattr(datasets.load, "get_data_patterns", lambda *_, **__: pytest.fail("looked at the folder"))
    loaded = datasets.load_dataset("seqbench", "dyck_d6", cache_dir=cache, **small)
    assert {name: part._fingerprint for name, part in loaded.items()} == {
        name: part._fingerprint for name, part in shared.items()
    }


def test_nothing_is_asked_of_the_network(cache, monkeypatch, small):
    monkeypatch.setattr(datasets.load, "get_session", lambda: pytest.fail("asked the network"))
    datasets.load_dataset("seqbench", "dyck_d6", cache_dir=cache, **small)


def test_names_and_splits_are_listed():
    assert "dyck_d6" in datasets.get_dataset_config_names("seqbench")
    assert datasets.get_dataset_split_names("seqbench", "dyck_d6")[:3] == ["train", "validation", "test"]
    builder = datasets.load_dataset_builder("seqbench", "dyck_d6", train_examples=77)
    assert builder.info.splits["train"].num_examples == 77


def test_both_ways_give_the_same_files(cache, small):
    theirs = datasets.load_dataset("seqbench", "dyck_d6", split="train", cache_dir=cache, **small)
    for ours in [
        seqbench.load_dataset("dyck_d6", split="train", cache_dir=cache, **small),
        seqbench.load_dataset("seqbench", "dyck_d6", split="train", cache_dir=cache, **small),
        seqbench.load_dataset("seqbench", name="dyck_d6", split="train", cache_dir=cache, **small),
    ]:
        assert ours.cache_files == theirs.cache_files
        assert ours._fingerprint == theirs._fingerprint


@pytest.mark.parametrize(
    ("name", "options", "error", "words"),
    [
        ("dick_d6", {}, UnknownNameError, "'dick_d6'. Did you mean 'dyck_d6'"),
        (None, {}, UnknownNameError, "dyck_d6"),
        ("dyck_d6", {"trian_lengths": (1, 40)}, UnknownNameError, "Did you mean 'train_lengths'"),
        ("dyck_d6", {"version": "99.0.0"}, InputError, "'99.0.0'"),
        ("dyck_d6", {"data_dir": "somewhere"}, InputError, "'somewhere'"),
        ("dyck_d6", {"data_files": "rows.csv"}, InputError, "'rows.csv'"),
        ("dyck_d6", {"features": datasets.Features({"a": datasets.Value("int8")})}, InputError, ".cast(features)"),
        ("dyck_d6", {"split": "trian", "train_examples": 10}, UnknownNameError, "Did you mean 'train'"),
        ("dyck_d6", {"split": "train[:10]", "streaming": True}, InputError, ".take(n)"),
    ],
)
def test_bad_input_is_named_through_the_library_too(name, options, error, words, cache):
    with pytest.raises(error) as caught:
        datasets.load_dataset("seqbench", name, cache_dir=cache, **options)
    assert words in str(caught.value)
