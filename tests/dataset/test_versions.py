"""Older data versions say who made them; superseded datasets say by what, once."""

import warnings
from pathlib import Path

import datasets
import pytest
from click.testing import CliRunner

import seqbench
from seqbench.catalogue.reader import open_catalogue
from seqbench.cli import main
from seqbench.dataset.golden import digests_of
from seqbench.dataset.hub.folder import export
from seqbench.dataset.hub.verify import verify_folder
from seqbench.errors import DefinitionError, InputError
from seqbench.generation.plan import dataset_names, plan

DEFINITION = """
title = "Is the number of 1s odd?"
automaton = "modular_sum"
parameters = { modulus = 2, weights = [0, 1] }
version = "2.0.0"
source = "me"
%s
[[history]]
version = "1.0.0"
change = "First release."
release = "0.0.9"

[[history]]
version = "1.5.0"
change = "Unknown release."

[[history]]
version = "2.0.0"
change = "Lengths are drawn anew."
"""
SMALL = {"train_examples": 10, "validation_examples": 0, "test_examples_per_length": 0}


@pytest.fixture
def load(tmp_path, cache):
    (tmp_path / "mine" / "generators").mkdir(parents=True)

    def run(more="", **options):
        (tmp_path / "mine" / "generators" / "mine.toml").write_text(DEFINITION % more)
        return seqbench.load_dataset("mine", catalogue=tmp_path / "mine", cache_dir=cache, **SMALL, **options)

    return run


def test_an_older_version_names_its_release(load):
    with pytest.raises(InputError) as caught:
        load(version="1.0.0")
    for words in (
        "'1.0.0' of 'mine' was made by seqbench 0.0.9",
        "pip install seqbench==0.0.9",
        "Lengths are drawn anew.",
    ):
        assert words in str(caught.value)


def test_an_older_version_whose_definition_is_there_is_made_again(tmp_path, load, cache):
    where = tmp_path / "mine" / "generators"
    first = DEFINITION[: DEFINITION.index('[[history]]\nversion = "1.5.0"')].replace("2.0.0", "1.0.0") % ""
    (where / "mine.toml").write_text(first)
    folder = {"catalogue": tmp_path / "mine", "cache_dir": cache}
    then = seqbench.load_dataset("mine", **folder, **SMALL)
    (where / "mine@1.0.0.toml").write_text(first)
    assert load(version="1.0.0")["train"].to_list() == then["train"].to_list()
    assert load(version="2.0.0")["train"].to_list() == load()["train"].to_list() != then["train"].to_list()
    with pytest.raises(InputError, match="No release"):
        load(version="1.5.0")
    assert dataset_names(tmp_path / "mine").count("mine") == 1


def test_a_definition_of_an_older_version_is_named_by_it(tmp_path, load):
    (tmp_path / "mine" / "generators" / "mine@1.0.0.toml").write_text(DEFINITION % "")
    with pytest.raises(DefinitionError, match=r"its version is '2\.0\.0', its name says '1\.0\.0'"):
        load(version="1.0.0")


def test_an_older_version_without_a_release_is_known_all_the_same(load):
    with pytest.raises(InputError, match=r"makes data version '1\.5\.0' of 'mine': its \[\[history\]\] names none\."):
        load(version="1.5.0")


@pytest.mark.parametrize("releases", [(seqbench.__version__, ""), ("0.0.9", "0.0.9")], ids=["this", "same"])
def test_a_version_that_no_release_made_is_not_promised(releases, tmp_path, load):
    """Replaced before the release that its history names was out: this one, or one that made its successor."""
    first, second = releases
    text = DEFINITION.replace('release = "0.0.9"', f'release = "{first}"').replace(
        'change = "Unknown release."', f'change = "More words."\nrelease = "{second}"'
    )
    load()
    (tmp_path / "mine" / "generators" / "mine.toml").write_text(text % "")
    with pytest.raises(InputError) as caught:
        plan("mine", tmp_path / "mine", version="1.0.0")
    for words in (
        f"No release of seqbench makes data version '1.0.0' of 'mine': it was replaced before release {first} was out",
        "This one makes '2.0.0' (changed since: More words. Lengths are drawn anew.)",
        "git log -p generators/mine.toml",
        "generators/mine@1.0.0.toml in a catalogue folder of your own",
    ):
        assert words in str(caught.value)
    assert "pip install" not in str(caught.value)


def test_the_file_of_an_alias_is_named():
    with pytest.raises(InputError, match=r"of 'missing_duplicate_string'.* generators/missing_duplicate@1\.0\.0\.toml"):
        plan("missing_duplicate_string", version="1.0.0")


def test_an_own_folder_adds_an_older_version_to_a_built_in_dataset(tmp_path):
    """What the error tells to do: the definition as it was, in a folder of one's own, without the present one."""
    present = open_catalogue().file("flare_parity")
    entry = '[[history]]\nversion = "1.1.0"'
    older = Path(present).read_text().partition(entry)[0].replace('"1.1.0"', '"1.0.0"')
    (tmp_path / "generators").mkdir()
    (tmp_path / "generators" / "flare_parity@1.0.0.toml").write_text(older.replace("[1, 500]", "[41, 500]"))
    planned = plan("flare_parity", tmp_path, version="1.0.0")
    assert (planned.version, planned.splits["test"].split.lengths.min()) == ("1.0.0", 41)
    assert plan("flare_parity", tmp_path).version == "1.1.0"


FIRST_MAJORITY = {
    "test": "42364c71bfd694cbb20701aad6ed9c55167b4377d25cbafb506c3041b0d68f39",
    "train": "ef63a60f236684e50564ed3e2fcd3193e1a5ccbe2e7cff3848c5c8d79b13dec0",
    "validation": "66cf02c1706d5e2f674fa540283116e8d03a30e37bdb302c81377f1ba47aec12",
    "validation_long": "c8510d7175a3bd3440e3ccc7c8886846c71a9be9c4a19124bb2a832093222740",
}
"""Golden digests of flare_majority 1.0.0, as they were when it was the present version."""


def test_a_built_in_dataset_is_made_again_as_it_was(cache):
    planned = plan("flare_majority", version="1.0.0")
    assert digests_of(planned) == {"version": "1.0.0", "splits": FIRST_MAJORITY}
    kept = open_catalogue().digests["flare_majority"]
    assert kept["version"] == "1.1.0"
    assert kept["splits"]["test"] != FIRST_MAJORITY["test"]
    data = seqbench.load_dataset("flare_majority", version="1.0.0", cache_dir=cache, train_examples=10)
    assert min(map(len, data["test"]["input_ids"])) == 41


def test_every_older_definition_is_that_of_its_file():
    catalogue = open_catalogue()
    assert ("flare_majority", "1.0.0") in catalogue.older
    assert [plan(name, version=version).version for name, version in catalogue.older] == [
        version for _, version in catalogue.older
    ]


def test_a_version_that_never_was_shows_those_that_were(load):
    with pytest.raises(InputError, match=r"no data version '3\.0\.0'. Its versions: 1\.0\.0, 1\.5\.0, 2\.0\.0"):
        load(version="3.0.0")


@pytest.mark.parametrize("asked", ["3.0.0", "", 3, [1]])
def test_no_version_is_replaced_by_another(asked):
    with pytest.raises(InputError, match="has no data version"):
        plan("dyck_d6", version=asked)
    assert plan("dyck_d6", version=plan("dyck_d6").version).config_id == "dyck_d6"


@pytest.mark.parametrize("name", ["parity_check", "memory_airy_a04"])
@pytest.mark.parametrize("command", ["info", "generate", "export", "show"])
def test_no_command_replaces_a_version_by_another(command, name, tmp_path):
    what = {
        "info": [name],
        "show": [name, "--cache-dir", tmp_path / "out"],
        "generate": [name, "--out", tmp_path / "out"],
        "export": [tmp_path / "out", "--config", name],
    }[command]
    done = CliRunner().invoke(main, [command, *map(str, what), "--set", "version=9.9.9"])
    assert done.exit_code == 2, done.output
    assert f"Dataset {name!r} has no data version '9.9.9'" in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_older_version_is_exported_with_its_definition(tmp_path, load):
    where, folder = tmp_path / "mine" / "generators", tmp_path / "hub"
    load()
    first = DEFINITION[: DEFINITION.index('[[history]]\nversion = "1.5.0"')].replace("2.0.0", "1.0.0") % ""
    (where / "mine@1.0.0.toml").write_text(first)
    made = {}
    for version in ("1.0.0", "2.0.0"):
        manifest, _ = export(folder / version, ["mine"], catalogue=tmp_path / "mine", version=version, **SMALL)
        assert manifest.configs["mine"].version == version
        assert verify_folder(folder / version).findings == ()
        made[version] = manifest.configs["mine"].digest
    assert made["1.0.0"] != made["2.0.0"]
    kept = {file.name for file in (folder / "1.0.0" / "definitions" / "generators").iterdir()}
    assert kept == {"mine.toml", "mine@1.0.0.toml"}


def test_the_present_version_loads(load):
    assert load(version="2.0.0")["train"].num_rows == 10


def test_every_older_version_of_the_built_in_datasets_names_its_release():
    histories = {name: open_catalogue().dataset(name).history for name in dataset_names()}
    assert [name for name, entries in histories.items() for entry in entries[:-1] if not entry.release] == []
    assert histories["dyck_d6"][0].release == "0.1.0"


def test_a_superseded_dataset_warns_once(load):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load('superseded_by = "parity_check"')
    assert [str(each.message) for each in caught if "superseded" in str(each.message)] == [
        "Dataset 'mine' is superseded by 'parity_check'. It stays as it is; for new work load 'parity_check'."
    ]


def test_other_datasets_do_not_warn(load):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load()


def test_a_superseding_dataset_must_be_there(load):
    with pytest.raises(DefinitionError, match="Did you mean 'parity_check'"):
        load('superseded_by = "parity_chek"')


def test_the_library_warns_too(tmp_path, cache, load):
    load()
    (tmp_path / "mine" / "generators" / "mine.toml").write_text(DEFINITION % 'superseded_by = "dyck_d6"')
    with pytest.warns(UserWarning, match="superseded by 'dyck_d6'"):
        datasets.load_dataset("seqbench", "mine", catalogue=str(tmp_path / "mine"), cache_dir=cache, **SMALL)
