"""An exported folder: complete, loaded by plain `datasets`, replaced only when asked and only if it is ours."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest
import yaml
from click.testing import CliRunner

import seqbench
from seqbench.catalogue.citations import citations_of
from seqbench.catalogue.reader import open_catalogue
from seqbench.cli import main
from seqbench.dataset.chance import chance_of
from seqbench.dataset.examples import describer, examples
from seqbench.dataset.hub.folder import export
from seqbench.dataset.hub.manifest import read_manifest
from seqbench.dataset.hub.names import names_by_column
from seqbench.dataset.markdown import examples_table
from seqbench.errors import InputError, UnknownNameError
from seqbench.generation.plan import dataset_names, plan
from tests import environments
from tests.thinned import thinned

MLCROISSANT = "mlcroissant==1.1.1"


def _flags(key, value):
    return [f"--{key.replace('_', '-')}", *map(str, value if isinstance(value, list) else [value])]


OPTIONS = {"train_examples": 9000, "validation_examples": 50, "test_lengths": [41, 42], "test_examples_per_length": 4}
FLAGS = [
    "--train-examples",
    "9000",
    "--validation-examples",
    "50",
    "--test-lengths",
    "41",
    "42",
    "--test-examples-per-length",
    "4",
]
NAMES = ["dyck_d6", "parity_check"]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export") / "hub"
    export(folder, NAMES, shard_bytes=100_000, **OPTIONS)
    return folder


@pytest.fixture
def copy(exported, tmp_path):
    return Path(shutil.copytree(exported, tmp_path / "home" / "hub"))


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def head(folder):
    return yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])


LOAD = """
import datasets, json, sys
data = datasets.load_dataset(sys.argv[1], "dyck_d6", cache_dir=sys.argv[2])
assert not any(name.partition(".")[0] == "seqbench" for name in sys.modules)
features = data["test"].features
print(json.dumps({
    "first": {split: rows[0] for split, rows in data.items()},
    "rows": {split: len(rows) for split, rows in data.items()},
    "names": features["label"].names, "tokens": str(features["input_ids"]),
}))
"""


@pytest.fixture
def loaded(tmp_path):
    """What a program that knows nothing of seqbench loads; always with the same cache."""

    def load(folder):
        command = [sys.executable, "-c", LOAD, str(folder), str(tmp_path / "cache")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return load


def test_plain_datasets_loads_the_folder(exported, loaded):
    planned, found = plan("dyck_d6", **OPTIONS), loaded(exported)
    assert found["rows"] == {name: part.num_examples for name, part in planned.splits.items()}
    assert found["names"] == ["reject", "accept"]
    for split, row in found["first"].items():
        assert row == planned.block(split, 0).slice(0, 1).to_pylist()[0]


def test_a_replaced_folder_never_shows_stale_rows(copy, loaded):
    before = loaded(copy)
    times = {file.name: file.stat().st_mtime_ns for file in copy.rglob("*")}
    export(copy, NAMES, force=True, shard_bytes=100_000, **(OPTIONS | {"seed": 7}))
    for file in copy.rglob("*.parquet"):  # the worst case: a copy that keeps the times
        os.utime(file, ns=(times[file.name], times[file.name]))
    after = loaded(copy)
    assert after["rows"] == before["rows"]
    assert after["first"]["test"] == plan("dyck_d6", **OPTIONS, seed=7).block("test", 0).slice(0, 1).to_pylist()[0]
    assert after["first"]["test"] != before["first"]["test"]


def test_the_page_says_what_machines_and_people_need(exported):
    facts, manifest = head(exported), read_manifest(exported)
    assert facts["license"] == "apache-2.0"
    assert facts["size_categories"] == ["10K<n<100K"]
    assert {"synthetic", "formal-languages"} <= set(facts["tags"])
    for config, info in zip(facts["configs"], facts["dataset_info"], strict=True):
        made = manifest.configs[config["config_name"]]
        assert made.digest in config["description"]
        assert {part["name"]: part["num_examples"] for part in info["splits"]} == {
            split: part.rows for split, part in made.splits.items()
        }
        assert [each["split"] for each in config["data_files"]] == list(made.splits)
    body = (exported / "README.md").read_text()
    for needed in ("load_dataset", "seqbench verify", "| `parity_check` |", "Apache-2.0"):
        assert needed in body


def test_the_page_tells_what_each_dataset_is_with_examples_and_citations(exported):
    body = (exported / "README.md").read_text()
    manifest, catalogue = read_manifest(exported), open_catalogue()
    for name in manifest.configs:
        planned = plan(name, **OPTIONS)
        assert f"### {name}\n\n{catalogue.describe(name, planned.recipe.parameters).definition}\n" in body
        assert examples_table(examples(planned)) in body
        assert f"\n\n{chance_of(planned)}\n" in body
        for cited in citations_of(planned.citation, catalogue.citations):
            assert body.count(cited.text) == 1


def test_rows_can_be_read_from_the_page_alone(tmp_path):
    export(tmp_path / "hub", ["cf_dyck_4"], train_examples=50, validation_examples=0, test_examples_per_length=0)
    line = re.search(r"^Ids of `input_ids`: (.*)\.$", (tmp_path / "hub" / "README.md").read_text(), re.MULTILINE)
    symbols = dict(re.findall(r"(\d+) `(.)`", line[1]))
    described = json.loads((tmp_path / "hub" / "croissant.json").read_text())["recordSet"][0]["field"][0]
    assert described["description"] == "Ids: " + ", ".join(f'{i} is "{name}"' for i, name in symbols.items()) + "."
    rows = pq.read_table(tmp_path / "hub" / "cf_dyck_4").to_pylist()
    words = ["".join(symbols[str(symbol)] for symbol in row["input_ids"]) for row in rows]
    assert seqbench.solve("cf_dyck_4", words) == [row["label"] for row in rows]


@pytest.mark.parametrize("name", thinned(dataset_names()))
def test_names_of_ids_are_those_that_people_see(name):
    planned = plan(name)
    show, names = describer(planned), names_by_column(planned)
    split = next(iter(planned.splits))
    for row in planned.block(split, 0).slice(0, 20).to_pylist():
        shown = show(row)
        for column in set(names) - {"label", "labels"}:
            text = next(shown[key] for key in (column, "word", "label") if key in shown)
            read = "".join(names[column][symbol] for symbol in row[column])
            assert re.sub(r"[ ;]", "", read) == re.sub(r"[ ;]", "", text)
        if "label" in names:
            assert names["label"][row["label"]] == shown["label"]


def test_the_page_of_a_users_own_dataset_has_its_title_for_a_definition(tmp_path):
    mine = tmp_path / "mine" / "generators"
    mine.mkdir(parents=True)
    text = Path(open_catalogue().file("tomita_4")).read_text()
    (mine / "tomita_4.toml").write_text(text.replace('title = "', 'title = "Mine: ').replace("Pert", "me"))
    options = {"train_examples": 500, "validation_examples": 0, "test_examples_per_length": 0}
    export(tmp_path / "hub", ["tomita_4"], catalogue=tmp_path / "mine", **options)
    assert "### tomita_4\n\nMine: " in (tmp_path / "hub" / "README.md").read_text()


def test_every_glob_of_the_page_finds_the_files_of_its_split_alone(exported):
    for config in head(exported)["configs"]:
        for each in config["data_files"]:
            made = read_manifest(exported).configs[config["config_name"]].splits[each["split"]]
            found = sorted(file.relative_to(exported).as_posix() for file in exported.glob(each["path"]))
            assert found == [shard.file for shard in made.shards]


def test_shards_are_cut_by_rows_and_hold_a_page_index(exported):
    part = read_manifest(exported).configs["dyck_d6"].splits["train"]
    assert [shard.file for shard in part.shards] == [f"dyck_d6/train-0000{i}-of-00003.parquet" for i in range(3)]
    for shard in part.shards:
        facts = pq.ParquetFile(exported / shard.file).metadata
        column = facts.row_group(0).column(0)
        assert facts.num_rows == shard.rows
        assert column.compression == "ZSTD"
        assert column.has_column_index
        assert column.has_offset_index


def test_row_groups_are_small_enough_for_a_viewer(tmp_path):
    export(
        tmp_path / "hub", ["parity_check"], train_examples=150_000, validation_examples=0, test_examples_per_length=0
    )
    facts = pq.ParquetFile(tmp_path / "hub" / "parity_check" / "train-00000-of-00001.parquet").metadata
    assert [facts.row_group(i).num_rows for i in range(facts.num_row_groups)] == [65_536, 65_536, 18_928]


def test_the_manifest_tells_how_each_was_made(exported):
    manifest = read_manifest(exported)
    made = manifest.configs["dyck_d6"]
    assert made.recipe == json.loads(plan("dyck_d6", **OPTIONS).recipe_json)
    assert (made.version, made.built_in) == ("1.0.0", True)
    assert manifest.options == OPTIONS
    assert set(manifest.made_with) == {"seqbench", "datasets", "pyarrow", "numpy"}
    files = {file.relative_to(exported).as_posix() for file in exported.rglob("*") if file.is_file()}
    assert files == manifest.all_files
    assert {"definitions/generators/dyck_d6.toml", "definitions/automata/dyck.toml", "croissant.json"} < files


def test_the_same_export_has_the_same_rows_however_it_is_cut(exported, tmp_path):
    whole, _ = export(tmp_path / "hub", ["dyck_d6"], **OPTIONS)
    assert whole.configs["dyck_d6"].digest == read_manifest(exported).configs["dyck_d6"].digest


def test_eval_yaml_names_every_test_split(exported):
    tasks = yaml.safe_load((exported / "eval.yaml").read_text())["tasks"]
    assert {(task["config"], task["split"]) for task in tasks} == {
        (name, split) for name in NAMES for split in ("test", "test_near_miss")
    }


@pytest.mark.slow
def test_croissant_is_valid_and_reads_the_rows(exported):
    code = """
import itertools, json, sys, mlcroissant
described = mlcroissant.Dataset(jsonld=sys.argv[1] + "/croissant.json")
assert not described.metadata.ctx.issues.errors, described.metadata.ctx.issues.report()
name = "dyck_d6/test-00000-of-00001.parquet/rows"
rows = list(itertools.islice(described.records(name), 2))
print(json.dumps([[int(row[name + "/label"]), [int(i) for i in row[name + "/input_ids"]]] for row in rows]))
"""
    python = environments.environment("mlcroissant", (MLCROISSANT, "pyarrow"))
    said = environments.run(python, "-c", code, exported)
    rows = plan("dyck_d6", **OPTIONS).block("test", 0).slice(0, 2).to_pylist()
    assert json.loads(said.splitlines()[-1]) == [[row["label"], row["input_ids"]] for row in rows]


def test_the_same_again_changes_nothing(copy):
    before = {file: file.stat().st_mtime_ns for file in copy.rglob("*")}
    done = run("export", copy, "--config", "dyck_d6", "--config", "parity_check", *FLAGS)
    assert done.exit_code == 0, done.stderr
    assert {file: file.stat().st_mtime_ns for file in copy.rglob("*")} == before


def test_an_older_export_is_replaced_only_when_asked_and_the_difference_is_told(copy):
    before = (copy / "seqbench.json").read_bytes()
    command = ["export", copy, "--config", "dyck_d6", *FLAGS, "--seed", "7"]
    refused = run(*command)
    assert refused.exit_code == 2
    for line in ("option seed: default -> 7", "dataset parity_check is gone", "--force"):
        assert line in refused.stderr
    assert (copy / "seqbench.json").read_bytes() == before
    done = run(*command, "--force", "--json")
    assert "dyck_d6: split train: 9,000 rows -> 9,000 rows with other content" in json.loads(done.stdout)["changes"]
    assert list(read_manifest(copy).configs) == ["dyck_d6"]
    assert not (copy / "parity_check").exists()
    assert [entry.name for entry in copy.parent.iterdir()] == ["hub"]


def test_another_data_version_is_told(copy, tmp_path):
    text = (copy / "definitions" / "generators" / "dyck_d6.toml").read_text()
    (tmp_path / "mine" / "generators").mkdir(parents=True)
    (tmp_path / "mine" / "generators" / "dyck_d6.toml").write_text(text.replace("1.0.0", "1.1.0"))
    refused = run("export", copy, "--config", "dyck_d6", *FLAGS, "--catalogue", tmp_path / "mine")
    assert refused.exit_code == 2
    assert "dyck_d6: data version 1.0.0 -> 1.1.0" in refused.stderr


def _file(home):
    (home / "hub" / "thesis.tex").write_text("years of work")


def _folder(home):
    (home / "hub" / "dyck_d6" / "notes").mkdir()


def _link_inside(home):
    (home / "hub" / "more").symlink_to(home)


def _link_instead(home):
    (home / "hub" / "README.md").unlink()
    (home / "hub" / "README.md").symlink_to("/etc/hostname")


def _link(home):
    (home / "hub").rename(home / "real")
    (home / "hub").symlink_to(home / "real")


def _plain_file(home):
    shutil.rmtree(home / "hub")
    (home / "hub").write_text("a file")


def _other_folder(home):
    (home / "hub" / "seqbench.json").write_text("{}")


@pytest.mark.parametrize(
    "put",
    [_file, _folder, _link_inside, _link_instead, _link, _plain_file, _other_folder],
    ids=lambda put: put.__name__,
)
def test_what_is_not_ours_is_never_replaced(put, copy):
    put(copy.parent)

    def state():
        return {str(path): path.is_file() and path.read_bytes() for path in copy.parent.rglob("*")}

    before = state()
    with pytest.raises(InputError, match=r"nothing of yours|never followed|cannot be read"):
        export(copy, ["dyck_d6"], force=True, **OPTIONS)
    assert state() == before


def test_an_edited_file_is_not_replaced_and_a_lost_one_comes_back(copy):
    page, shard = copy / "README.md", copy / "dyck_d6" / "test-00000-of-00001.parquet"
    text, rows = page.read_text(), shard.read_bytes()
    page.write_text(text + "mine\n")
    for force in (False, True):
        with pytest.raises(InputError, match=r"was changed since \(README.md\): nothing of yours"):
            export(copy, NAMES, force=force, **OPTIONS)
    page.write_text(text)
    shard.unlink()
    with pytest.raises(InputError, match=r"which differs:\n  file dyck_d6/test-00000-of-00001.parquet is missing"):
        export(copy, NAMES, **OPTIONS)
    _, changes = export(copy, NAMES, force=True, **OPTIONS)
    assert changes == ["file dyck_d6/test-00000-of-00001.parquet is missing"]
    assert shard.read_bytes() == rows


def test_what_the_hub_noted_in_the_folder_does_no_harm(copy):
    (copy / ".cache" / "huggingface" / "upload").mkdir(parents=True)
    (copy / ".cache" / "huggingface" / "upload" / "x.metadata").write_text("x")
    export(copy, ["dyck_d6"], force=True, **OPTIONS)
    assert list(read_manifest(copy).configs) == ["dyck_d6"]


def test_an_own_catalogue_travels_with_the_folder(tmp_path):
    mine = tmp_path / "mine"
    for part, text in {
        "automata": 'title = "x"\nalphabet = ["0", "1"]\nregex = "~(.* 11 .*)"\nsource = "me"\n',
        "generators": 'title = "x"\nautomaton = "no_11"\nversion = "2.0.0"\nsource = "me"\n'
        '[[history]]\nversion = "2.0.0"\nchange = "x"\n',
    }.items():
        (mine / part / "deep").mkdir(parents=True)
        (mine / part / "deep" / "no_11.toml").write_text(text)
    manifest, _ = export(tmp_path / "hub", ["no_11"], catalogue=mine, **OPTIONS)
    shutil.rmtree(mine)
    assert not manifest.configs["no_11"].built_in
    assert run("verify", tmp_path / "hub").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--config", "dick_d6"], "Did you mean 'dyck_d6'"),
        (["--config", "dyck_d6", "--train-lengths", "40", "1"], "runs backwards"),
        (["--train-examples", "0", "--validation-examples", "0", "--test-examples-per-length", "0"], "no row to write"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(arguments, words, tmp_path):
    done = run("export", tmp_path / "hub", *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_unknown_options_are_named(tmp_path):
    with pytest.raises(UnknownNameError, match="train_lengths"):
        export(tmp_path / "hub", ["dyck_d6"], trian_lengths=[1, 2])


def test_regenerate_gives_the_rows_of_any_length(copy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("regenerate", copy, "--split", "test", "--lengths", 501, 503, "--config", "dyck_d6", "--json")
    facts = json.loads(done.stdout)
    right = plan("dyck_d6", **(OPTIONS | {"test_lengths": [501, 503]}))
    assert facts["rows"] == right.splits["test"].num_examples
    found = datasets.load_dataset("parquet", data_files=facts["out"], split="train", cache_dir=str(tmp_path / "cache"))
    assert found.features["label"].names == ["reject", "accept"]
    assert found.to_list() == right.block("test", 0).to_pylist()
    assert Path(facts["out"]).name == "dyck_d6-test-501-503.parquet"


def test_presets_and_other_names_are_datasets_of_their_own(tmp_path):
    names = ["memory_airy_a02", "memory_airy_a10", "missing_duplicate_string"]
    small = {"train_examples": 5, "validation_examples": 0, "test_examples_per_length": 1}
    export(tmp_path / "hub", names, **small)
    assert run("verify", tmp_path / "hub").exit_code == 0
    for name in names:
        rows = datasets.load_dataset(
            "parquet",
            data_files=str(tmp_path / "hub" / name / "train-*.parquet"),
            split="train",
            cache_dir=str(tmp_path / "cache"),
        )
        assert rows.to_list() == [
            row for batch in plan(name, **small).blocks("train", [0]) for row in batch.to_pylist()
        ]
    result = run("verify", "memory_airy_a02")
    assert result.exit_code == 2
    assert "it is memory_airy with alpha=0.2" in result.output


def test_regenerate_without_lengths_gives_the_rows_of_the_folder(copy, tmp_path):
    out = tmp_path / "near.parquet"
    done = run("regenerate", copy, "--split", "test_near_miss", "--config", "dyck_d6", "--out", out)
    assert done.exit_code == 0, done.stderr
    assert pq.read_table(out).to_pylist() == pq.read_table(next(copy.glob("dyck_d6/test_near_miss-*"))).to_pylist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--split", "test"], "--config"),
        (["--split", "tset", "--config", "dyck_d6"], "Did you mean 'test"),
        (["--split", "test", "--config", "dick_d6"], "Did you mean 'dyck_d6'"),
        (["--split", "test", "--config", "dyck_d6", "--lengths", "9", "3"], "runs backwards"),
        (["--split", "test", "--config", "dyck_d6", "--out", "taken.parquet"], "--force"),
        (["--split", "test", "--config", "dyck_d6", "--out", "rows.csv"], "does not end in .parquet"),
        (["--split", "test", "--config", "dyck_d6", "--out", "link.parquet", "--force"], "no plain file"),
    ],
)
def test_regenerate_names_bad_input(arguments, words, copy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.parquet").write_text("mine")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "taken.parquet")
    before = sorted(tmp_path.iterdir())
    done = run("regenerate", copy, *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "taken.parquet").read_text() == "mine"


def test_regenerate_refuses_what_was_never_exported(tmp_path):
    done = run("regenerate", tmp_path, "--split", "test")
    assert done.exit_code == 2
    assert "seqbench export" in done.stderr
