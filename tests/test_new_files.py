"""Files that a user names are never overwritten unasked, and links never at all; refused before the long work."""

import click
import pytest
from click.testing import CliRunner

from seqbench.cli import main

WRITERS = {
    "coverage --html": ("coverage NAME --train words.txt --html FILE", "html"),
    "coverage --png": ("coverage NAME --train words.txt --png FILE", "svg"),
    "cover": ("cover NAME --max-length 8 --out FILE", "parquet"),
    "draw": ("draw NAME --out FILE", "svg"),
    "text": ("text NAME --split train --train-examples 10 --out FILE", "txt"),
    "nesv": ("nesv --task first --model MODEL -n 3 --samples 100 --png FILE", "svg"),
    "classes": ("classes RUN --png FILE", "svg"),
    "profile": ("profile --models MODEL --lengths 4 --png FILE", "svg"),
}
TRAINING = {"classes", "profile"}
"""Commands that look for PyTorch before anything else."""
FOLDERS = {"export", "generate", "push", "sweep", "train"}  # their own tests say what they replace
KNOWN = {"NAME": "parity_check"}
WRONG = {"NAME": "no_such_dataset", "MODEL": "no_such_model", "RUN": "no_such_run", "words.txt": "no_such_words.txt"}


def run(line, names, *more):
    if line.split()[0] in TRAINING:
        pytest.importorskip("torch")
    arguments = [names.get(word, word) for word in line.split()]
    return CliRunner().invoke(main, [*arguments, *more])


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.txt").write_text("0110\n01\n")
    return tmp_path


@pytest.mark.parametrize(("line", "ending"), WRITERS.values(), ids=WRITERS)
def test_a_file_that_is_there_is_refused_before_anything_else(line, ending, place):
    """What else is asked for cannot be done either: the file is looked at first."""
    mine = place / f"mine.{ending}"
    mine.write_text("mine")
    wrong = KNOWN if line.startswith("text") else WRONG  # `text` plans first, which takes no time
    done = run(line, {**wrong, "FILE": mine.name})
    assert (done.exit_code, mine.read_text()) == (2, "mine")
    assert done.stderr.strip() == f"Error: '{mine}' is there already. Name a new file, or add --force."


@pytest.mark.parametrize("aim", ["words.txt", "nowhere"])
@pytest.mark.parametrize(("line", "ending"), WRITERS.values(), ids=WRITERS)
def test_a_link_is_refused_with_force_too(line, ending, aim, place):
    link = place / f"link.{ending}"
    link.symlink_to(place / aim)
    before = {entry.name for entry in place.iterdir()}
    done = run(line, {**KNOWN, "MODEL": "a_gen", "RUN": "run", "FILE": link.name}, "--force")
    assert done.exit_code == 2
    assert "no plain file" in done.stderr
    assert link.readlink() == place / aim
    assert {entry.name for entry in place.iterdir()} == before
    assert (place / "words.txt").read_text() == "0110\n01\n"


@pytest.mark.parametrize("command", ["coverage --html", "coverage --png", "cover", "draw", "text"])
def test_force_replaces_a_plain_file(command, place):
    line, ending = WRITERS[command]
    mine = place / f"mine.{ending}"
    mine.write_text("mine")
    done = run(line, {**KNOWN, "FILE": mine.name}, "--force")
    assert done.exit_code == 0, done.output
    assert mine.read_bytes() != b"mine"
    assert {entry.name for entry in place.iterdir()} == {mine.name, "words.txt"}


def test_force_replaces_pictures_of_volumes_and_profiles(place):
    pytest.importorskip("torch")
    for command, model in (("nesv", "a_pos"), ("profile", "gru")):
        mine = place / "mine.svg"
        mine.write_text("mine")
        done = run(WRITERS[command][0], {"MODEL": model, "FILE": mine.name}, "--force")
        assert done.exit_code == 0, done.output
        assert b"<svg" in mine.read_bytes()


def test_a_folder_in_the_place_of_a_file_is_refused(place):
    (place / "folder.html").mkdir()
    done = run("coverage parity_check --train words.txt --html folder.html --force", {})
    assert (done.exit_code, "no plain file" in done.stderr) == (2, True)


def test_the_home_of_nobody_is_refused():
    done = run("text parity_check --split train --out ~no_such_user/words.txt", {})
    assert (done.exit_code, "name of no user" in done.stderr) == (2, True), done.output


def test_every_command_that_writes_a_file_has_force():
    """An option that names a file to write belongs to a command of the list above, or to one that writes a folder."""
    writers = {
        name
        for name, command in main.commands.items()
        if any(
            isinstance(each, click.Option) and {"--out", "--png", "--html"} & {*each.opts} for each in command.params
        )
    }
    assert writers - FOLDERS - {"regenerate"} == {key.split()[0] for key in WRITERS}
    assert all(
        "--force" in {opt for each in main.commands[name].params for opt in each.opts} for name in writers - FOLDERS
    )
