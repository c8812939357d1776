"""`seqbench verify` finds whatever was changed, and says which row differs first."""

import json
import os
import shutil
from pathlib import Path

import datasets
import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import seqbench
from seqbench.cli import main
from seqbench.dataset.builder import Seqbench
from seqbench.dataset.hub import verify_name
from seqbench.dataset.hub.folder import export
from seqbench.dataset.hub.manifest import NAME, Manifest, encode, read_manifest, sealed
from seqbench.dataset.hub.verify import verify_folder
from seqbench.errors import InputError

OPTIONS = {"train_examples": 9000, "validation_examples": 50, "test_lengths": [41, 42], "test_examples_per_length": 4}
TRAIN = "dyck_d6/train-0000{}-of-00003.parquet"


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verify") / "hub"
    export(folder, ["dyck_d6", "parity_check"], shard_bytes=100_000, **OPTIONS)
    return folder


@pytest.fixture
def copy(exported, tmp_path):
    return Path(shutil.copytree(exported, tmp_path / "hub"))


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def findings(folder):
    done = run("verify", folder, "--json")
    assert done.exit_code == 1, done.output
    return json.loads(done.stdout)["findings"]


def change(folder, file, column, row, value):
    """Rewrites a file with one value changed."""
    schema = pq.read_schema(folder / file)
    rows = pq.read_table(folder / file).to_pylist()
    rows[row][column] = value(rows[row][column])
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / file)


def flip(file, byte, bit):
    data = bytearray(file.read_bytes())
    data[byte] ^= 1 << bit
    file.write_bytes(data)


def test_what_was_exported_is_right(exported):
    done = run("verify", exported)
    assert done.exit_code == 0, done.output
    assert f"{read_manifest(exported).rows:,} rows read; all is right" in done.stdout
    assert verify_folder(exported).rows == read_manifest(exported).rows


@pytest.mark.parametrize("seed", range(12))
def test_one_flipped_bit_anywhere_is_found(seed, copy):
    random = np.random.default_rng(seed)
    files = sorted(file for file in copy.rglob("*") if file.is_file())
    file = files[random.integers(len(files))]
    flip(file, int(random.integers(file.stat().st_size)), int(random.integers(8)))
    done = run("verify", copy)
    assert done.exit_code in ({1, 2} if file.name == NAME else {1}), done.output
    assert file.name in done.output


@pytest.mark.parametrize("bit", range(8))
def test_a_flipped_bit_of_the_manifest_is_found(bit, copy):
    text = (copy / NAME).read_bytes()
    for byte in range(bit, len(text), len(text) // 3):
        (copy / NAME).write_bytes(text)
        flip(copy / NAME, byte, bit)
        assert run("verify", copy).exit_code != 0, (byte, bit)


def test_the_first_row_that_differs_is_named(copy):
    change(copy, TRAIN.format(1), "input_ids", 1234, lambda word: [*word[:-1], 1 - word[-1]])
    found = findings(copy)  # one thing: that the bytes differ too goes without saying
    right = next(seqbench_plan().blocks("train", [1])).slice(1234, 1).to_pylist()[0]["input_ids"]
    assert len(found) == 1
    expected = {
        "config": "dyck_d6",
        "split": "train",
        "file": TRAIN.format(1),
        "row": 4096 + 1234,
        "column": "input_ids",
        "position": len(right) - 1,
        "found": str(1 - right[-1]),
        "expected": str(right[-1]),
    }
    assert {key: found[0][key] for key in expected} == expected
    for part in ("dyck_d6", "split train", TRAIN.format(1), "row 5330", "column input_ids"):
        assert part in found[0]["what"]


def seqbench_plan():
    from seqbench.generation.plan import plan

    return plan("dyck_d6", **OPTIONS)


def test_a_changed_label_is_named_though_digests_were_forged(copy):
    """Whoever changes the rows and every digest with them is still found: the rows are made again."""
    change(copy, TRAIN.format(0), "label", 7, lambda label: 1 - label)
    forge(copy)
    (found,) = findings(copy)
    assert (found["row"], found["column"], found["file"]) == (7, "label", TRAIN.format(0))


def forge(folder):
    """Gives the manifest the digests of the files as they are."""
    from seqbench.dataset.logical import digest_of
    from seqbench.files import sha256_of

    manifest = read_manifest(folder)
    for config in manifest.configs.values():
        for split, part in config.splits.items():
            shards = []
            for shard in part.shards:
                table = pq.read_table(folder / shard.file)
                digest = digest_of(table.schema, table.to_batches())
                shards.append(msgspec.structs.replace(shard, digest=digest, sha256=sha256_of(folder / shard.file)))
            config.splits[split] = msgspec.structs.replace(part, shards=tuple(shards))
    (folder / NAME).write_bytes(encode(sealed(manifest)))


def test_a_missing_shard_is_found_and_the_next_is_still_compared(copy):
    (copy / TRAIN.format(0)).unlink()
    change(copy, TRAIN.format(1), "label", 0, lambda label: 1 - label)
    found = findings(copy)
    assert any(each["what"] == f"{TRAIN.format(0)} is missing." for each in found)
    assert [(each["row"], each["column"]) for each in found if "row" in each] == [(4096, "label")]


def test_swapped_shards_are_found(copy):
    one, other = copy / TRAIN.format(0), copy / TRAIN.format(1)
    one.rename(copy / "third")
    other.rename(one)
    (copy / "third").rename(other)
    assert [each["row"] for each in findings(copy) if "row" in each] == [0, 4096]
    forge(copy)
    assert [each["row"] for each in findings(copy) if "row" in each] == [0, 4096]


def test_rows_too_many_and_too_few_are_found(copy):
    file = copy / TRAIN.format(2)
    table = pq.read_table(file)
    pq.write_table(table.slice(0, len(table) - 1), file)
    assert [(each["row"], each["what"][-19:]) for each in findings(copy) if "row" in each] == [
        (8999, "8999 are not there.")
    ]
    pq.write_table(pa.concat_tables([table, table.slice(0, 1)]), file)
    assert [each["row"] for each in findings(copy) if "row" in each] == [9000]


def test_an_extra_file_is_found(copy):
    (copy / "dyck_d6" / "train-00003-of-00003.parquet").write_bytes(b"more")
    (found,) = findings(copy)
    assert found["file"] == "dyck_d6/train-00003-of-00003.parquet"


def test_a_link_is_found_and_not_followed(copy, tmp_path):
    (copy / "README.md").rename(tmp_path / "README.md")
    (copy / "README.md").symlink_to(tmp_path / "README.md")
    assert {each["file"] for each in findings(copy)} == {"README.md"}


@pytest.mark.parametrize("file", ["README.md", "croissant.json", "definitions/automata/dyck.toml"])
def test_an_edited_file_is_found(file, copy):
    (copy / file).write_text((copy / file).read_text() + "\n")
    assert file in {each["file"] for each in findings(copy) if "file" in each}


def test_what_the_hub_adds_is_no_fault(copy):
    (copy / ".gitattributes").write_text("*.parquet filter=lfs\n")
    notes = copy / ".cache" / "huggingface"
    (notes / "download" / "dyck_d6").mkdir(parents=True)
    for name in (".gitignore", "CACHEDIR.TAG", "download/README.md.metadata", "download/dyck_d6/a.lock"):
        (notes / name).write_text("x")
    assert run("verify", copy).exit_code == 0


@pytest.mark.parametrize("name", ["thesis.txt", "download/thesis.txt", "upload/a/b/c/d/e/f/x.metadata"])
def test_what_the_hub_does_not_write_is_foreign_among_its_notes_too(name, copy):
    file = copy / ".cache" / "huggingface" / name
    file.parent.mkdir(parents=True)
    file.write_text("x")
    assert "does not belong here" in findings(copy)[0]["what"]
    with pytest.raises(InputError, match="nothing of yours"):
        export(copy, ["dyck_d6"], force=True, **OPTIONS)
    assert file.read_text() == "x"


@pytest.mark.parametrize("make", [lambda path: path.touch(), lambda path: path.symlink_to("/tmp"), os.mkfifo])
def test_what_stands_where_the_notes_of_the_hub_would_is_foreign(make, copy):
    make(copy / ".cache")
    assert findings(copy)[0]["what"].startswith(".cache does not belong here")


def test_folders_deep_within_each_other_are_one_finding(copy):
    (copy / "dyck_d6" / "/".join("d" * 500)).mkdir(parents=True)
    assert [each["file"] for each in findings(copy)] == ["dyck_d6/d"]


def test_a_pipe_in_place_of_a_file_is_never_opened(copy):
    (copy / TRAIN.format(1)).unlink()
    os.mkfifo(copy / TRAIN.format(1))
    found = [each["what"] for each in findings(copy)]
    assert found == [f"{TRAIN.format(1)} is missing."]


def tell(folder, change):
    """Changes the manifest and seals it again."""
    manifest = msgspec.to_builtins(read_manifest(folder))
    change(manifest)
    (folder / NAME).write_bytes(encode(sealed(msgspec.convert(manifest, Manifest))))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda config: config["recipe"].update(seed=99), "another recipe"),
        (lambda config: config.update(config_id="other"), "another config_id"),
        (lambda config: config["splits"]["test"].update(digest="0" * 64), "another digest"),
        (lambda config: config["splits"]["train"].update(rows=7), "another rows"),
        (lambda config: config["splits"]["train"].update(memory=7), "another memory"),
        (lambda config: config["splits"]["train"]["shards"][1].update(size=1), f"another size of {TRAIN.format(1)}"),
    ],
)
def test_every_fact_of_a_forged_manifest_is_found(change, said, copy):
    tell(copy, lambda manifest: change(manifest["configs"]["dyck_d6"]))
    (found,) = findings(copy)
    assert said in found["what"]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("[" * 100_000, "verify"),
        ("", "verify"),
        ("[" * 100_000, "export"),
        ("", "export"),
    ],
)
def test_a_manifest_that_cannot_be_read_is_named_and_kept(text, command, copy):
    (copy / NAME).write_text(text)
    done = run(command, copy, *(["--config", "dyck_d6", "--force"] if command == "export" else []))
    assert done.exit_code == 2
    assert "seqbench.json' cannot be read" in done.stderr
    assert "Move the folder away" in done.stderr
    assert (copy / NAME).read_text() == text


@pytest.mark.parametrize("key", ["name", "catalogue"])
def test_options_that_no_dataset_has_are_named(key, copy):
    tell(copy, lambda manifest: manifest["options"].update({key: "x"}))
    assert f"the option {key!r}, which no dataset has" in findings(copy)[0]["what"]
    done = run("regenerate", copy, "--split", "test", "--config", "dyck_d6", "--out", copy.parent / "x.parquet")
    assert (done.exit_code, f"the option {key!r}" in done.stderr) == (2, True)


def test_a_folder_without_datasets_has_no_split_to_make(copy):
    tell(copy, lambda manifest: manifest["configs"].clear())
    done = run("regenerate", copy, "--split", "test")
    assert (done.exit_code, "holds no dataset" in done.stderr) == (2, True)


@pytest.mark.parametrize("file", ["definitions/generators/dyck_d6.toml", "definitions/automata/dyck.toml", NAME])
def test_regenerate_uses_no_definition_that_was_edited_or_lost(file, copy, tmp_path):
    out = tmp_path / "x.parquet"
    changed = (copy / file).read_bytes() + b"\n"
    for change in (lambda: (copy / file).write_bytes(changed), (copy / file).unlink):
        change()
        done = run("regenerate", copy, "--split", "test", "--config", "dyck_d6", "--out", out)
        assert (done.exit_code, out.exists()) == (2, False)
        assert Path(file).name in done.stderr


def test_another_data_version_is_found(copy):
    manifest = read_manifest(copy)
    made = msgspec.structs.replace(manifest.configs["dyck_d6"], version="0.9.0")
    manifest.configs["dyck_d6"] = made
    (copy / NAME).write_bytes(encode(sealed(manifest)))
    (found,) = findings(copy)
    assert "data version 0.9.0 of dyck_d6; this release of seqbench makes 1.0.0" in found["what"]
    refused = run("regenerate", copy, "--split", "test", "--config", "dyck_d6")
    assert refused.exit_code == 2
    assert "0.9.0" in refused.stderr


def test_a_broken_definition_is_a_finding(copy):
    (copy / "definitions" / "generators" / "dyck_d6.toml").write_text("nonsense")
    assert any("cannot be made again" in each["what"] for each in findings(copy))
    (copy / "definitions" / "generators" / "dyck_d6.toml").unlink()
    assert any("is missing, so the rows" in each["what"] for each in findings(copy))


@pytest.mark.parametrize("what", ["./nowhere", "dick_d6"])
def test_what_is_not_there_is_named(what):
    done = run("verify", what)
    assert done.exit_code == 2
    assert what.removeprefix("./") in done.stderr


def test_a_folder_that_is_no_export_is_named(tmp_path):
    done = run("verify", tmp_path)
    assert done.exit_code == 2
    assert "seqbench export" in done.stderr


def test_a_folder_without_a_slash_is_one_unless_a_dataset_has_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "parity_check"):
        Path(name).mkdir()
    done = run("verify", "mine")
    assert done.exit_code == 2
    assert "holds no seqbench.json" in done.stderr
    assert run("verify", "parity_check").exit_code == 0


@pytest.mark.parametrize(
    "path", ["../outside.parquet", "/etc/hostname", "dyck_d6/../../x", "", "a" * 5000, "a\x1b[31m", "a\0b"]
)
def test_a_manifest_that_leads_out_of_the_folder_is_refused(path, copy):
    manifest = read_manifest(copy)
    forged = msgspec.structs.replace(manifest, files=manifest.files | {path: "0" * 64})
    (copy / NAME).write_bytes(encode(sealed(forged)))
    done = run("verify", copy)
    assert done.exit_code == 2
    assert "which no export holds" in done.stderr
    assert len(done.stderr) < 400
    assert done.stderr.strip().isprintable()


def test_options_without_cache_are_refused():
    done = run("verify", "dyck_d6", "--seed", 7)
    assert done.exit_code == 2
    assert "--cache" in done.stderr


def test_golden_digests_are_checked(monkeypatch):
    assert run("verify", "parity_check").exit_code == 0
    original = verify_name.digests_of
    wrong = lambda planned: {**original(planned), "splits": {**original(planned)["splits"], "test": "0" * 64}}  # noqa: E731
    monkeypatch.setattr(verify_name, "digests_of", wrong)
    done = run("verify", "parity_check")
    assert done.exit_code == 1
    assert "parity_check, split test" in done.stdout


def test_prepared_files_are_checked(tmp_path):
    cache = str(tmp_path / "cache")
    flags = ["--cache", "--cache-dir", cache, "--train-examples", 9000, "--test-examples-per-length", 0]
    missing = run("verify", "dyck_d6", *flags)
    assert missing.exit_code == 2
    assert "load_dataset" in missing.stderr
    options = {"train_examples": 9000, "test_examples_per_length": 0}
    seqbench.load_dataset("dyck_d6", cache_dir=cache, **options)
    assert run("verify", "dyck_d6", *flags).exit_code == 0
    folder = Path(Seqbench(config_name="dyck_d6", cache_dir=cache, **options).cache_dir)
    file = next(folder.glob("*train*.arrow"))
    with pa.ipc.open_stream(file.read_bytes()) as reader:
        table = reader.read_all()
    labels = table["label"].to_pylist()
    labels[4321] = 1 - labels[4321]
    changed = table.set_column(1, table.schema.field("label"), pa.array(labels, pa.int64()))
    with pa.ipc.new_stream(file, changed.schema) as writer:
        writer.write_table(changed)
    done = run("verify", "dyck_d6", *flags, "--json")
    assert done.exit_code == 1
    (found,) = json.loads(done.stdout)["findings"]
    assert (found["split"], found["row"], found["column"]) == ("train", 4321, "label")
    file.write_bytes(b"nothing")
    broken = run("verify", "dyck_d6", *flags)
    assert broken.exit_code == 1
    assert "cannot be read" in broken.stdout


def test_the_switch_of_the_library_turns_bars_off(exported, child):
    code = f"from seqbench.cli import main\nmain(['verify', {str(exported)!r}])"
    process = child(code)
    _, quiet = process.communicate(timeout=120)
    assert (process.returncode, quiet) == (0, "")
    process = child(code, HF_DATASETS_DISABLE_PROGRESS_BARS="0")
    assert "Verifying dyck_d6 train" in process.communicate(timeout=120)[1]


def test_bars_are_the_librarys_own():
    assert verify_name.tqdm is datasets.utils.tqdm
