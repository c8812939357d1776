"""Kills, full disks, interrupts, races: the next run is right, and nothing half-written remains."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import msgspec
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from seqbench.cli import main
from seqbench.dataset.hub.folder import export
from seqbench.dataset.hub.manifest import NAME, encode, read_manifest, sealed
from seqbench.dataset.hub.verify import verify_folder
from seqbench.dataset.logical import digest_of
from seqbench.generation.plan import plan
from tests.interrupts import SEQBENCH

MEDIUM = {"train_examples": 400_000, "validation_examples": 50, "test_lengths": [41, 42], "test_examples_per_length": 4}


SETTINGS = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}


def flags(**options):
    spelt = []
    for key, value in options.items():
        spelt += [f"--{key.replace('_', '-')}", *(value if isinstance(value, list) else [value])]
    return list(map(str, spelt))


def start(*arguments, **settings):
    """A command in a process of its own, without bars unless a setting asks for them."""
    command, pipe = [*SEQBENCH, *map(str, arguments)], subprocess.PIPE
    return subprocess.Popen(command, env=os.environ | SETTINGS | settings, stderr=pipe, stdout=pipe, text=True)


def writing(home, pattern=".out.*/**/*"):
    """Whether rows are being written; a Parquet file begins with four bytes that say nothing."""
    return any(file.is_file() and file.stat().st_size > 4 for file in home.glob(pattern))


def in_shell(*command, **settings):
    return subprocess.run(command, env=os.environ | SETTINGS | settings, capture_output=True, text=True, check=False)


def finish(process):
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def generated(home):
    assert pq.read_metadata(home / "out" / "train.parquet").num_rows == MEDIUM["train_examples"]
    return digest_of(plan("dyck_d6").schema, pq.ParquetFile(home / "out" / "train.parquet").iter_batches())


def exported(home):
    report = verify_folder(home / "out")
    assert report.findings == ()
    return read_manifest(home / "out").configs["dyck_d6"].splits["train"].digest


def loaded(home):
    done = run("verify", "dyck_d6", "--cache", "--cache-dir", home / "out", *flags(**MEDIUM), "--json")
    assert done.exit_code == 0, done.output
    assert not list((home / "out").rglob("*.incomplete"))


GENERATE = ("generate", "dyck_d6", "--out", "{out}", "--force")
EXPORT = ("export", "{out}", "--config", "dyck_d6", "--force")
SHOW = ("show", "dyck_d6", "--cache-dir", "{out}", "--rows", "0")


KILLS = {"generate": (GENERATE, generated, 8), "export": (EXPORT, exported, 6), "load": (SHOW, loaded, 6)}


@pytest.mark.slow
@pytest.mark.parametrize(("command", "check", "times"), KILLS.values(), ids=KILLS)
def test_killed_at_random_moments_the_next_run_is_right(command, check, times, tmp_path):
    """Twenty kills in all. Every other run meets what a complete one left, so that a replacement is killed too."""
    arguments = [part.format(out=tmp_path / "out") for part in command] + flags(**MEDIUM)
    begun = time.monotonic()
    assert finish(start(*arguments))[0] == 0
    seconds, right = time.monotonic() - begun, check(tmp_path)
    chance = random.Random(times)
    for number in range(times):
        if number % 2 == 0:
            shutil.rmtree(tmp_path / "out")
        process = start(*arguments)
        time.sleep(chance.uniform(0.3, 1.0) * seconds)
        process.kill()
        process.communicate()
        assert finish(start(*arguments))[0] == 0
        assert check(tmp_path) == right
        assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_export_left_is_swept_and_what_a_living_one_writes_is_not(tmp_path):
    out = tmp_path / "out"
    first = start("export", out, "--config", "dyck_d6", *flags(train_examples=200_000_000))
    while first.poll() is None and not writing(tmp_path):
        time.sleep(0.01)
    (left,) = tmp_path.glob(".out.*")
    small = {"train_examples": 10, "validation_examples": 0, "test_examples_per_length": 0}
    export(out, ["dyck_d6"], **small)
    assert left.exists()  # its process lives
    first.kill()
    first.communicate()
    export(out, ["dyck_d6"], force=True, **small)
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("generate", "dyck_d6", "--out", "{out}", "--train-examples", "200000000"),
        ("export", "{out}", "--config", "dyck_d6", "--train-examples", "200000000"),
        ("text", "dyck_d6", "--split", "train", "--out", "{out}", "--train-examples", "200000000"),
        ("regenerate", "{hub}", "--split", "train", "--lengths", "1", "400", "--out", "{out}.parquet"),
        ("verify", "{hub}"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_ctrl_c_prints_one_line_and_leaves_nothing(arguments, tmp_path, big):
    process = start(*(part.format(out=tmp_path / "new" / "out", hub=big) for part in arguments))
    if arguments[0] == "verify":
        time.sleep(2.5)
    while arguments[0] != "verify" and process.poll() is None and not writing(tmp_path / "new"):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    code, out, err = finish(process)
    assert code in {1, -signal.SIGINT}, err  # the library below may send the signal on
    assert (out, err.strip()) == ("", "Aborted!")
    assert not (tmp_path / "new").exists() or list((tmp_path / "new").iterdir()) == []


def test_ctrl_c_leaves_no_row_in_a_cache(tmp_path):
    """Empty folders and lock files of the datasets library may stay."""
    cache = tmp_path / "cache"
    process = start("show", "dyck_d6", "--cache-dir", cache, "--train-examples", "200000000")
    while process.poll() is None and not writing(cache, "**/*.incomplete/*"):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    code, out, err = finish(process)
    assert (code, out, err.strip()) == (1, "", "Aborted!")
    assert [file for file in cache.rglob("*") if file.is_file() and file.stat().st_size] == []


def test_ctrl_c_leaves_no_report(tmp_path):
    words, new = tmp_path / "words.txt", tmp_path / "new"
    new.mkdir()
    words.write_text("0011\n" * 5_000_000)
    bars = {"HF_DATASETS_DISABLE_PROGRESS_BARS": "0"}
    process = start("coverage", "dyck_d6", "--train", words, "--html", new / "a.html", "--png", new / "a.png", **bars)
    begun = ""
    while process.poll() is None and "words/s" not in begun:
        begun += process.stderr.read(1)
    process.send_signal(signal.SIGINT)
    code, out, err = finish(process)
    assert (code, out, err.splitlines()[-1]) == (1, "", "Aborted!")
    assert "Traceback" not in err
    assert list(new.iterdir()) == []


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """An export whose manifest asks for so many rows that making them again takes minutes."""
    folder = tmp_path_factory.mktemp("big") / "hub"
    export(folder, ["dyck_d6"], train_examples=10, validation_examples=0, test_examples_per_length=0)
    manifest = read_manifest(folder)
    config = manifest.configs["dyck_d6"]
    part = config.splits["train"]
    shard = msgspec.structs.replace(part.shards[0], rows=200_000_000)
    config.splits["train"] = msgspec.structs.replace(part, shards=(shard,))
    more = msgspec.structs.replace(manifest, options={**manifest.options, "train_examples": 200_000_000})
    (folder / NAME).write_bytes(encode(sealed(more)))
    return folder


def _can_mount():
    if not shutil.which("unshare"):
        return False
    probe = ["unshare", "-m", "mount", "-t", "tmpfs", "none", tempfile.gettempdir()]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


FULL = {
    "generate": "generate dyck_d6 --train-examples 400000 --out {disk}/out",
    "export": "export {disk}/out --config dyck_d6 --train-examples 400000",
    "text": "text dyck_d6 --split train --train-examples 400000 --out {disk}/out.txt",
    "regenerate": "regenerate {hub} --split test --lengths 501 1500 --out {disk}/out.parquet",
}


FILLED = {
    "coverage --html": "coverage dyck_d2 --train {words} --html {disk}/report.html",
    "coverage --png": "coverage dyck_d2 --train {words} --png {disk}/report.png",
    "coverage --json": "coverage dyck_d2 --train {words} --json",
    "cover": "cover dyck_d2 --max-length 8 --out {disk}/cover.parquet",
    "draw": "draw tomita_3 --out {disk}/automaton.svg",
    "text": "text dyck_d6 --split train --train-examples 10 --out {disk}/out.txt",
    "regenerate": "regenerate {hub} --split test --out {disk}/out.parquet",
}
"""What writes less than two megabytes meets a disk that is full already, its standard output too."""


@pytest.mark.skipif(not _can_mount(), reason="needs the right to mount a file system")
@pytest.mark.parametrize(
    ("arguments", "filler"),
    [*((each, []) for each in FULL.values()), *((each, ["filler"]) for each in FILLED.values())],
    ids=[*FULL, *(f"{each} on a filled disk" for each in FILLED)],
)
def test_a_full_disk_is_named_and_left_empty(arguments, filler, tmp_path, hub):
    disk, words = tmp_path / "disk", tmp_path / "words.txt"
    disk.mkdir()
    words.write_text("0011\n01\n")
    arguments = arguments.format(disk=disk, hub=hub, words=words).split()
    fill = f'{{ : > "{disk}/printed"; cat /dev/zero > "{disk}/filler"; }} 2>/dev/null; ' if filler else ""
    script = (
        f'mount -t tmpfs -o size=2m none "{disk}" && {{ {fill} "$@" >"{disk}/printed"; code=$?; }}; '
        f'test -s "{disk}/printed" && echo printed; rm "{disk}/printed"; ls -A "{disk}"; exit $code'
    )
    before = ["unshare", "-m", "sh", "-c", script, "sh", sys.executable, "-m", "seqbench", *arguments]
    done = in_shell(*before)
    assert done.returncode == 2, done.stderr
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.split() == filler


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reliable") / "hub"
    export(folder, ["dyck_d6"], train_examples=50, validation_examples=0, test_lengths=[41, 42])
    return folder


REPORT = """
import resource, signal, sys
from seqbench.cli import main
if sys.argv[4:]:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # else the process is killed, which no full disk does
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
main(["coverage", "dyck_d6", "--train", sys.argv[1], sys.argv[2], sys.argv[3]])
"""


@pytest.mark.parametrize(
    ("option", "name"), [("--html", "report.html"), pytest.param("--png", "report.png", marks=pytest.mark.slow)]
)
def test_reports_on_a_full_disk(option, name, tmp_path):
    """A limit on the size of files stands in for the disk: reports are smaller than what fits on any."""
    (tmp_path / "words.txt").write_text("0011\n01\n")
    command = [sys.executable, "-c", REPORT, tmp_path / "words.txt", option, tmp_path / name]
    warm = in_shell(*command)  # kernels too are files, and then lie in numba's cache
    assert warm.returncode == 0, warm.stderr
    (tmp_path / name).unlink()
    done = in_shell(*command, "limited")
    assert done.returncode == 2, done.stderr
    assert "File too large" in done.stderr
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["words.txt"]


@pytest.mark.parametrize("force", [False, True])
def test_two_exporters_at_once_leave_one_whole_folder(force, tmp_path):
    more = ["--force"] if force else []
    small = {"train_examples": 30_000, "validation_examples": 0, "test_examples_per_length": 0}
    if force:
        export(tmp_path / "out", ["dyck_d6"], train_examples=10, validation_examples=0, test_examples_per_length=0)
    command = ["export", tmp_path / "out", "--config", "dyck_d6", *flags(**small), *more]
    both = [start(*command, "--seed", seed) for seed in (1, 2)]
    results = [finish(process) for process in both]
    codes = sorted(code for code, _, _ in results)
    assert codes == [0, 0] if force else codes in ([0, 2], [2, 0]), results
    assert all("Traceback" not in err for _, _, err in results)
    assert verify_folder(tmp_path / "out").findings == ()
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


@pytest.mark.skipif(not _can_mount(), reason="needs the right to mount a file system")
def test_a_read_only_folder(hub, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    shutil.copytree(hub, disk / "hub")
    commands = [
        f"export {disk}/out --config dyck_d6 --train-examples 10",
        f"export {disk}/hub --config dyck_d6 --train-examples 10 --force",
        f"text dyck_d6 --split train --out {disk}/out.txt",
        f"verify {disk}/hub --json",
    ]
    seqbench = f'"{sys.executable}" -m seqbench'
    script = f'mount --bind "{disk}" "{disk}" && mount -o remount,bind,ro "{disk}"; '
    script += " ; ".join(f"{seqbench} {command}; echo code $?" for command in commands)
    done = in_shell("unshare", "-m", "sh", "-c", script)
    assert [line for line in done.stdout.splitlines() if line.startswith("code")] == ["code 2"] * 3 + ["code 0"]
    assert done.stderr.count("Read-only file system") == 3
    report = json.loads(done.stdout[done.stdout.index("{") : done.stdout.rindex("}") + 1])
    assert report["findings"] == []
