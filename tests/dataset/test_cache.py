"""The cache: one folder a recipe, never an old one for new data, never a half-written one."""

import errno
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import datasets
import numpy as np
import pyarrow as pa
import pytest

import seqbench
from seqbench.dataset import builder
from seqbench.dataset.builder import Seqbench
from seqbench.errors import CacheError, InputError


def files(folder):
    """The data files under a folder, half-written ones too; the library leaves its lock files behind."""
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*.arrow"))


def folder(**options):
    return Seqbench(config_name="dyck_d6", **options).cache_dir


def test_spellings_of_one_recipe_share_a_folder(cache):
    plain = folder(cache_dir=cache)
    for lengths in [(1, 40), [1, 40], np.array([1, 40]), (np.int64(1), np.int32(40))]:
        assert folder(cache_dir=cache, train_lengths=lengths, seed=np.int64(0)) == plain
    other = [folder(cache_dir=cache, train_lengths=lengths) for lengths in [(1, 30), [1, 30], np.array([1, 30])]]
    assert len({plain, *other}) == 2


def test_the_folder_names_recipe_version_and_generator(cache):
    made = Seqbench(config_name="dyck_d6", cache_dir=cache, seed=7)
    recipe = made.config.plan
    assert Path(made.cache_dir).relative_to(cache).parts == (
        "seqbench",
        recipe.config_id,
        recipe.version,
        recipe.fingerprint,
    )
    assert recipe.config_id.startswith("dyck_d6-")


class Changed:
    """The plan of a generator that was changed without a new version."""

    fingerprint = "0" * 16

    def __init__(self, plan):
        self.plan = plan

    def __getattr__(self, name):
        return getattr(self.plan, name)

    def blocks(self, split, indices):
        for rows in self.plan.blocks(split, indices):
            yield rows.take(pa.array(range(rows.num_rows - 1, -1, -1)))


def test_a_changed_generator_never_meets_the_old_files(cache, monkeypatch, small):
    def load():
        return seqbench.load_dataset("dyck_d6", split="test", cache_dir=cache, **small)

    old = load()
    original = builder.plan
    monkeypatch.setattr(builder, "plan", lambda *args, **kwargs: Changed(original(*args, **kwargs)))
    new = load()
    assert new[:] == old.select(range(39, -1, -1))[:]
    assert new._fingerprint != old._fingerprint  # the library's caches of .map() hang on it


def test_files_are_made_once_and_again_on_request(cache, monkeypatch, shared, small):
    made = []
    original = Seqbench._generate_tables
    monkeypatch.setattr(Seqbench, "_generate_tables", lambda *a, **k: made.append(k) or original(*a, **k))
    for mode, times in [(None, 1), (None, 1), ("force_redownload", 2)]:
        seqbench.load_dataset("dyck_d6", cache_dir=cache, download_mode=mode, **small)
        assert [kwargs["split"] for kwargs in made] == times * list(shared)


def test_two_processes_at_once_make_the_files_once(child, tmp_path, cache, shared):
    code = f"""
import os, pathlib, time
from seqbench.dataset.builder import Seqbench
import seqbench
original = Seqbench._generate_tables
def logged(self, split, blocks):
    with open("log", "a") as log: log.write(split + "\\n")
    time.sleep(0.3)  # the other one comes while this one works
    yield from original(self, split, blocks)
Seqbench._generate_tables = logged
pathlib.Path("ready-%d" % os.getpid()).touch()
while not pathlib.Path("go").exists(): time.sleep(0.005)
loaded = seqbench.load_dataset("dyck_d6", split="train", cache_dir={cache!r}, **SMALL)
print(loaded._fingerprint, loaded.num_rows, sum(loaded["label"]))
"""
    children = [child(code), child(code)]
    while len(list(tmp_path.glob("ready-*"))) < 2 and all(process.poll() is None for process in children):
        time.sleep(0.01)
    (tmp_path / "go").touch()
    outputs = [process.communicate(timeout=120) for process in children]
    train = shared["train"]
    assert [out.split() for out, _ in outputs] == 2 * [
        [train._fingerprint, "9000", str(sum(train["label"]))],
    ], outputs
    assert sorted((tmp_path / "log").read_text().split()) == sorted(shared)


def test_what_a_killed_run_left_behind_does_no_harm(cache, shared, small):
    left = Path(folder(cache_dir=cache, **small) + ".incomplete")
    left.mkdir(parents=True)
    (left / "seqbench-train-00000-00000-of-NNNNN.arrow").write_bytes(b"half a file")
    loaded = seqbench.load_dataset("dyck_d6", split="train", cache_dir=cache, **small)
    assert loaded[:] == shared["train"][:]
    assert not left.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("num_proc", [None, 2])
# Python 3.12 and later warn of fork in a process with threads; the library forks its workers.
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_full_disk(num_proc, cache, small):
    left = Path(folder(cache_dir=cache, **small) + ".incomplete")
    left.mkdir(parents=True)
    (left / "seqbench-train-00000-00000-of-NNNNN.arrow").symlink_to("/dev/full")
    with pytest.raises(CacheError, match=r"the disk is full.*cache_dir=.*streaming=True"):
        seqbench.load_dataset("dyck_d6", cache_dir=cache, num_proc=num_proc, **small)
    assert files(cache) == []
    assert seqbench.load_dataset("dyck_d6", split="train", cache_dir=cache, **small).num_rows == 9000


def test_a_disk_too_small_is_seen_before_anything_is_made(cache, monkeypatch, small):
    monkeypatch.setattr(datasets.utils.py_utils, "disk_usage", lambda _: SimpleNamespace(free=100))
    monkeypatch.setattr(Seqbench, "_generate_tables", lambda *_, **__: pytest.fail("made data"))
    with pytest.raises(CacheError, match="too little free space"):
        seqbench.load_dataset("dyck_d6", cache_dir=cache, **small)


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("load", [seqbench.load_dataset, datasets.load_dataset])
def test_a_cache_that_cannot_be_written(number, load, cache, monkeypatch, small):
    def fail(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(datasets.builder.ArrowWriter, "write_table", fail)
    with pytest.raises(CacheError, match=r"cannot be written: .* cache_dir=.* streaming=True"):
        load("seqbench", "dyck_d6", cache_dir=cache, **small)
    assert files(cache) == []


def test_our_own_errors_come_through_while_rows_are_made(cache, monkeypatch, small):
    def fail(*_, **__):
        raise InputError("No such word. Ask for another.")
        yield

    monkeypatch.setattr(Seqbench, "_generate_tables", fail)
    with pytest.raises(InputError, match="No such word"):
        seqbench.load_dataset("dyck_d6", cache_dir=cache, **small)


def test_other_errors_of_the_library_pass_unchanged(cache, monkeypatch, small):
    def fail(*_, **__):
        raise RuntimeError("something else")

    monkeypatch.setattr(datasets.builder.ArrowWriter, "write_table", fail)
    with pytest.raises(datasets.exceptions.DatasetGenerationError):
        seqbench.load_dataset("dyck_d6", cache_dir=cache, **small)


def _can_mount() -> bool:
    if not shutil.which("unshare"):
        return False
    # The mount is seen by this one command only.
    probe = ["unshare", "-m", "mount", "-t", "tmpfs", "none", tempfile.gettempdir()]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _can_mount(), reason="needs the right to mount a file system")
def test_a_read_only_file_system(output, tmp_path):
    code = """
import datasets, seqbench
from seqbench.errors import CacheError, InputError
for load in (seqbench.load_dataset, datasets.load_dataset):
    try: load("seqbench", "dyck_d6", **SMALL)
    except CacheError as error: assert "read-only" in str(error), error
    else: raise SystemExit("wrote to a read-only file system")
print(len(list(seqbench.load_dataset("dyck_d6", split="test", streaming=True, **SMALL))))
"""
    home = tmp_path / "hf"
    home.mkdir()
    mount = f'mount -t tmpfs -o ro none "{home}" && exec "$@"'
    assert output(code, "unshare", "-m", "sh", "-c", mount, "sh") == "40"
