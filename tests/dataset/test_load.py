"""seqbench.load_dataset: what comes back, and what is said about bad input."""

import pickle

import datasets
import numpy as np
import pytest

import seqbench
from seqbench.dataset.builder import Seqbench, SeqbenchConfig
from seqbench.errors import InputError, UnknownNameError


def rows(dataset):
    """The content as one Arrow table, without the boundaries of record batches."""
    return dataset.with_format("arrow")[:].combine_chunks()


def test_columns_have_the_promised_types(shared):
    features = shared["train"].features
    assert features["input_ids"] == datasets.List(datasets.Value("uint8"))
    assert isinstance(features["label"], datasets.ClassLabel)
    assert features["syntactic_class"] == datasets.Value("int32")


def test_options_choose_the_columns(cache, small):
    def columns(**options):
        return seqbench.load_dataset("dyck_d6", split="test", cache_dir=cache, **small, **options).features

    assert "syntactic_class" not in columns(classes=False)
    every = columns(targets="prefix")
    assert isinstance(every["labels"], datasets.List)
    assert isinstance(every["classes"], datasets.List)


def test_an_empty_split_is_left_out(cache, small):
    loaded = seqbench.load_dataset("dyck_d6", cache_dir=cache, **small | {"train_examples": 0})
    assert "train" not in loaded
    assert loaded["test"].num_rows == 40


def test_row_counts_are_declared_before_anything_is_made(cache, small):
    info = Seqbench(config_name="dyck_d6", cache_dir=cache, **small).info
    assert info.splits["train"].num_examples == 9000
    assert info.splits["test"].num_examples == 40
    assert info.size_in_bytes == info.dataset_size == sum(part.num_bytes for part in info.splits.values()) > 0


def test_the_declared_size_is_that_of_the_files(shared, cache, small):
    declared = Seqbench(config_name="dyck_d6", cache_dir=cache, **small).info.dataset_size
    assert 0.5 < declared / shared["train"].info.dataset_size < 2


def test_a_wrong_row_count_is_found(cache, monkeypatch, small):
    made = Seqbench._generate_tables
    monkeypatch.setattr(Seqbench, "_generate_tables", lambda *a, **k: ((key, t[1:]) for key, t in made(*a, **k)))
    with pytest.raises(datasets.exceptions.NonMatchingSplitsSizesError):
        seqbench.load_dataset("dyck_d6", cache_dir=cache, **small)


def test_slices_sums_and_lists_of_splits(shared, cache, small):
    def load(split):
        return seqbench.load_dataset("dyck_d6", split=split, cache_dir=cache, **small)

    assert rows(load("train[:1000]")).equals(rows(shared["train"].select(range(1000))))
    assert load("train[50%:]").num_rows == 4500
    assert load("train[-10:]+test").num_rows == 50
    assert load("+".join(shared)).num_rows == load("all").num_rows == sum(shared.num_rows.values())
    assert [part.num_rows for part in load(["test", "validation[:7]"])] == [40, 7]
    assert load(datasets.Split.TEST).num_rows == 40
    assert load(datasets.ReadInstruction("train", to=10, unit="%")).num_rows == 900


@pytest.mark.parametrize("num_proc", [1, 2, 3, 5])
# Python 3.12 and later warn of fork in a process with threads; the library forks its workers.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_the_number_of_processes_does_not_change_the_rows(num_proc, shared, cache, small):
    loaded = seqbench.load_dataset("dyck_d6", num_proc=num_proc, cache_dir=cache, **small)
    assert list(loaded) == list(shared)
    for name in shared:
        assert rows(loaded[name]).equals(rows(shared[name])), name


def test_in_memory_or_mapped(cache, tmp_path, small):
    mapped = seqbench.load_dataset("dyck_d6", split="test", cache_dir=cache, **small)
    held = seqbench.load_dataset("dyck_d6", split="test", cache_dir=cache, keep_in_memory=True, **small)
    assert mapped.cache_files[0]["filename"].startswith(cache)
    assert held.cache_files == []
    assert rows(held).equals(rows(mapped))
    assert not (tmp_path / "default-cache").exists()


def test_numpy_format(shared):
    plain, formatted = shared["test"], shared["test"].with_format("numpy")
    for one, other in zip(plain, formatted, strict=True):
        assert one["input_ids"] == other["input_ids"].tolist()
        assert one["label"] == other["label"]
    assert formatted[0]["input_ids"].dtype == np.int64  # the library widens every integer; "arrow" keeps uint8
    assert rows(plain).schema.field("input_ids").type.value_type == "uint8"


def test_builder_and_config_can_be_sent_to_workers(cache, small):
    builder = Seqbench(config_name="dyck_d6", cache_dir=cache, **small)
    copy = pickle.loads(pickle.dumps(builder))
    assert copy.config == builder.config
    assert copy.cache_dir == builder.cache_dir
    tables = [next(iter(b._generate_tables("train", [1])))[1] for b in (builder, copy)]
    assert tables[0].equals(tables[1])


@pytest.fixture
def mine(tmp_path):
    """A user's catalogue: a dataset of its own, and another one under a name that seqbench uses."""
    folder = tmp_path / "mine" / "generators"
    folder.mkdir(parents=True)
    text = """
title = "Brackets"
automaton = "dyck"
parameters = { depth = 2 }
version = "3.0.0"
sampling = "balanced"
train_examples = 5000
validation_examples = 10
test_lengths = [41, 42]
source = "me"
[[history]]
version = "3.0.0"
change = "First."
"""
    (folder / "my_brackets.toml").write_text(text)
    (folder / "dyck_d6.toml").write_text(text)
    return tmp_path / "mine"


@pytest.mark.parametrize("load", [seqbench.load_dataset, datasets.load_dataset])
@pytest.mark.parametrize("door", ["keyword", "environment"])
# Python 3.12 and later warn of fork in a process with threads; the library forks its workers.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_catalogue_of_ones_own(load, door, mine, cache, monkeypatch):
    if door == "environment":
        monkeypatch.setenv("SEQBENCH_CATALOGUE", str(mine))
    options = {"cache_dir": cache, "num_proc": 2} | ({"catalogue": mine} if door == "keyword" else {})
    own = load("seqbench", "my_brackets", split="train", **options)
    hiding = load("seqbench", "dyck_d6", split="train", **options)
    assert own.num_rows == hiding.num_rows == 5000
    assert str(own.info.version) == str(hiding.info.version) == "3.0.0"


def test_a_catalogue_of_ones_own_is_listed(mine, output):
    code = "import seqbench, datasets\nprint(*datasets.get_dataset_config_names('seqbench'))"
    assert {"my_brackets", "dyck_d1"} < set(output(code, SEQBENCH_CATALOGUE=str(mine)).split())


def test_configs_are_equal_by_recipe():
    def config(**options):
        return SeqbenchConfig("dyck_d6", plan=seqbench.dataset.builder.plan("dyck_d6", **options))

    assert config() == config(train_lengths=(1, 40), seed=np.int64(0)) == SeqbenchConfig("dyck_d6")
    assert hash(config()) == hash(config(seed=0))
    assert config() != config(seed=1)
    assert config() != "dyck_d6"


@pytest.mark.parametrize(
    ("path", "keywords", "error", "words"),
    [
        (("dick_d6",), {}, UnknownNameError, "Did you mean 'dyck_d6'"),
        ((), {}, UnknownNameError, "dyck_d6"),
        (("seqbench",), {}, UnknownNameError, "dyck_d6"),
        ((6,), {}, UnknownNameError, "6"),
        (("dyck_d6", "train"), {}, InputError, "['dyck_d6', 'train']"),
        (("dyck_d6",), {"trian_examples": 5}, UnknownNameError, "Did you mean 'train_examples'"),
        (("dyck_d6",), {"config_id": "mine"}, UnknownNameError, "'config_id'"),
        (("dyck_d6",), {"seed": "seven"}, InputError, "'seven'"),
        (("dyck_d6",), {"catalogue": "no_folder"}, UnknownNameError, "no_folder'"),
        (("dyck_d6",), {"version": "99.0.0"}, InputError, "'99.0.0'"),
        (("dyck_d6",), {"revision": "main"}, InputError, 'version="'),
        (("dyck_d6",), {"version": 10**5000}, InputError, "too many digits"),
        (("dyck_d6",), {"split": 10**5000}, UnknownNameError, "too many digits"),
        (("dyck_d6",), {"split": "trian"}, UnknownNameError, "Did you mean 'train'"),
        (("dyck_d6",), {"split": "train+tset[:5]"}, UnknownNameError, "Did you mean 'test'"),
        (("dyck_d6",), {"split": ["train", "tset"]}, UnknownNameError, "Did you mean 'test'"),
        (("dyck_d6",), {"split": "train[a:b]"}, InputError, "'train[a:b]'"),
        (("dyck_d6",), {"split": "train + test"}, InputError, '"train+test"'),
        (("dyck_d6",), {"split": "train[:200%]"}, InputError, "'train[:200%]'"),
        (("dyck_d6",), {"split": "train[:10]", "streaming": True}, InputError, ".take(n)"),
        (("dyck_d6",), {"split": ["train"], "streaming": True}, InputError, "one a call"),
        (("dyck_d6",), {"num_proc": 0}, InputError, "num_proc=0"),
        (("dyck_d6",), {"streaming": "no"}, InputError, "streaming='no'"),
        (
            ("dyck_d6",),
            {"train_examples": 0, "validation_examples": 0, "test_examples_per_length": 0},
            InputError,
            "every number of examples is 0",
        ),
        (("dyck_d6",), {"num_proc": 2, "streaming": True}, InputError, "num_workers"),
        (("dyck_d6",), {"download_mode": "force_download"}, UnknownNameError, "Did you mean 'force_redownload'"),
        (("dyck_d6",), {"verification_mode": "none"}, UnknownNameError, "no_checks"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(path, keywords, error, words, tmp_path):
    with pytest.raises(error) as caught:
        seqbench.load_dataset(*path, cache_dir=str(tmp_path / "cache"), **keywords)
    assert words in str(caught.value)
    assert not list((tmp_path / "cache").rglob("*.arrow"))


def test_the_present_version_may_be_named(cache, small):
    version = Seqbench(config_name="dyck_d6", cache_dir=cache).config.version
    for spelling in [str(version), datasets.Version(str(version))]:
        seqbench.load_dataset("dyck_d6", version=spelling, cache_dir=cache, **small)
