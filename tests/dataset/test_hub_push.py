"""A push to a stand-in of the Hub: what arrives, what a break costs, what is refused; the real Hub was never tried."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from seqbench.cli import main
from seqbench.dataset.hub.folder import export
from seqbench.dataset.hub.manifest import NAME, encode, read_manifest, sealed

sys.path.insert(0, str(Path(__file__).parent))  # the stand-in lies beside this file
from hub import Hub

SMALL = {"train_examples": 9000, "validation_examples": 50, "test_lengths": [41, 42], "test_examples_per_length": 4}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("push") / "hub"
    export(folder, ["dyck_d6"], shard_bytes=100_000, **SMALL)
    return folder


@pytest.fixture
def hub():
    with Hub() as server:
        yield server
        server.shutdown()


@pytest.fixture
def push(hub, exported, child):
    """Pushes in a process of its own: the Hub's address is read when its library is imported."""

    def run(*more, tag="v1.0.0", folder=exported, token="hf_test", kill_when=lambda: False, **settings):
        arguments = ["push", "org/name", "--tag", tag, "--folder", str(folder), *more]
        # The Hub's library uploads in a way that its HTTP client calls outdated.
        quiet = "import warnings\nwarnings.simplefilter('ignore', DeprecationWarning)"
        code = f"{quiet}\nfrom seqbench.cli import main\nmain({arguments!r})"
        environment = {"HF_ENDPOINT": hub.url, "HF_HUB_DISABLE_XET": "1", "HF_HUB_OFFLINE": "0", "HF_TOKEN": token}
        environment |= settings
        process = child(code, HF_HUB_DISABLE_PROGRESS_BARS="1", **environment)
        while process.poll() is None and not kill_when():
            time.sleep(0.02)
        if process.poll() is None:
            process.kill()
        out, err = process.communicate(timeout=60)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    return run


def contents(folder):
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_the_repository_holds_the_folder_and_the_tag(hub, push, exported):
    done = push()
    assert done.returncode == 0, done.stderr
    assert hub.files == contents(exported)
    assert hub.tags == {"v1.0.0": f"{hub.commits:040d}"}
    assert done.stdout.strip().endswith("/datasets/org/name/tree/v1.0.0")


def test_an_interrupted_push_goes_on_where_it_stopped(hub, push, exported):
    parquet = list(exported.rglob("*.parquet"))
    hub.objects_until_stall = 2
    assert push(kill_when=lambda: len(hub.objects) == 2).returncode == -signal.SIGKILL
    hub.gone.set()
    assert (len(hub.objects), hub.files, hub.tags) == (2, {}, {})
    hub.objects_until_stall = None
    assert push().returncode == 0
    assert len(hub.received("PUT")) == len(parquet)  # none was sent twice
    assert hub.files == contents(exported)


def test_files_of_an_older_release_go(hub, push):
    hub.files["dyck_d6/train-00003-of-00004.parquet"] = b"old"
    assert push().returncode == 0
    assert "dyck_d6/train-00003-of-00004.parquet" not in hub.files


def test_a_tag_never_moves(hub, push):
    hub.tags["v1.0.0"] = "0" * 40
    done = push()
    assert done.returncode == 2
    assert "'v1.0.0' already" in done.stderr
    assert hub.commits == 0


def test_no_permission_says_how_to_log_in(hub, push):
    hub.status = 403
    done = push()
    assert done.returncode == 2
    assert "403" in done.stderr
    assert "hf auth login" in done.stderr
    assert "Traceback" not in done.stderr


def test_no_token_says_how_to_log_in(hub, push):
    done = push(token="")
    assert done.returncode == 2
    assert "hf auth login" in done.stderr
    assert hub.requests == []


@pytest.mark.parametrize("answer", [[], {}, {"url": None}, "x", None])
def test_an_answer_of_another_shape_is_one_sentence(hub, push, answer):
    hub.status, hub.answer = 200, answer
    done = push()
    assert done.returncode == 2, done.stderr
    assert f"Is there a Hub at {hub.url}?" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("status", "again"), [(400, False), (404, False), (429, True), (500, True)])
def test_only_what_passes_is_worth_another_try(hub, push, status, again):
    hub.status, hub.answer = status, {"error": "The licence is unknown"}
    done = push()
    assert done.returncode == 2
    assert ("Run the same command again" in done.stderr) == again
    assert str(status) in done.stderr
    assert again or "The licence is unknown" in done.stderr


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"HF_HUB_OFFLINE": "1"}, "HF_HUB_OFFLINE is set"),
        ({"HF_TOKEN": "hf_\u00e9"}, "HF_TOKEN"),
        ({"HF_ENDPOINT": "foo://bar"}, "HF_ENDPOINT is 'foo://bar'"),
    ],
)
def test_settings_with_which_no_push_succeeds_are_named(hub, push, settings, said):
    done = push(**settings)
    assert (done.returncode, hub.requests) == (2, [])
    assert said in done.stderr
    assert "again" not in done.stderr


def test_a_manifest_that_does_not_say_what_made_it_can_be_pushed(push, exported, tmp_path):
    folder = shutil.copytree(exported, tmp_path / "hub")
    manifest = msgspec.structs.replace(read_manifest(folder), made_with={})
    (folder / NAME).write_bytes(encode(sealed(manifest)))
    assert push(folder=folder).returncode == 0


def test_a_dry_run_asks_nothing(hub, push, exported):
    done = push("--dry-run", "--json", token="")
    steps = json.loads(done.stdout)["done"]
    assert hub.requests == []
    assert steps[0] == "create dataset repository org/name unless it is there"
    assert steps[-1] == "tag the commit v1.0.0"
    assert [step.split()[1] for step in steps if step.startswith("upload")] == sorted(contents(exported))


@pytest.mark.parametrize(
    "name", ["name", "a/b/c", "../name", "org/..", "org/na..me", "/name", "org/", "org/name.git", "org/a b", "a--b/c"]
)
def test_names_that_no_repository_can_have(name, exported):
    done = CliRunner().invoke(main, ["push", name, "--tag", "v1.0.0", "--folder", str(exported), "--dry-run"])
    assert done.exit_code == 2
    assert repr(name) in done.stderr
    assert "ORG/NAME" in done.stderr


@pytest.mark.parametrize("tag", ["1.0.0", "v1", "v1.0", "latest", "v1.0.0-rc", "", "v01.0.0", "v\u0661.0.0"])
def test_tags_that_are_none(tag, exported):
    done = CliRunner().invoke(main, ["push", "org/name", "--tag", tag, "--folder", str(exported), "--dry-run"])
    assert done.exit_code == 2
    assert "vX.Y.Z" in done.stderr


def test_a_damaged_folder_is_not_pushed(tmp_path, exported):
    folder = tmp_path / "damaged"
    subprocess.run(["cp", "-r", exported, folder], check=True)
    (folder / "README.md").write_text("edited")
    done = CliRunner().invoke(main, ["push", "org/name", "--tag", "v1.0.0", "--folder", str(folder), "--dry-run"])
    assert done.exit_code == 2
    assert "README.md" in done.stderr
