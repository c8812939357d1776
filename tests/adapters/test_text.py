"""Text exports say what the rows say."""

import pytest
from click.testing import CliRunner

from seqbench.cli import main
from seqbench.dataset.examples import describer
from seqbench.generation.plan import dataset_names, plan
from seqbench.languages import language
from tests.thinned import thinned

SMALL = {"train_examples": 5000, "validation_examples": 0, "test_examples_per_length": 0}
FLAGS = ["--train-examples", "5000", "--validation-examples", "0", "--test-examples-per-length", "0"]


def run(name, out, *more):
    arguments = ["text", name, "--split", "train", "--out", str(out), *FLAGS, *more]
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("name", ["dyck_d6", "modular_arithmetic"])
def test_words_are_read_back_as_the_rows(name, tmp_path):
    out = tmp_path / "train.txt"
    assert run(name, out).exit_code == 0
    lang, rows = language(name), list(plan(name, **SMALL).blocks("train", [0, 1]))
    words = [word for batch in rows for word in batch.column("input_ids").to_pylist()]
    assert out.read_text().splitlines() == [lang.decode(word) for word in words]


def test_abbadingo_has_a_head_and_a_line_a_word(tmp_path):
    out = tmp_path / "train.dat"
    assert run("dyck_d6", out, "--format", "abbadingo").exit_code == 0
    head, *lines = out.read_text().splitlines()
    assert head == "5000 2"
    rows = [row for batch in plan("dyck_d6", **SMALL).blocks("train", [0, 1]) for row in batch.to_pylist()]
    read = [[int(part) for part in line.split()] for line in lines]
    assert [(label, size, word) for label, size, *word in read] == [
        (row["label"], len(row["input_ids"]), row["input_ids"]) for row in rows
    ]


@pytest.mark.parametrize("name", thinned([name for name in dataset_names() if not name.startswith("memory_")]))
def test_every_dataset_is_written_as_it_is_shown(name, tmp_path):
    planned = plan(name)
    split = next(iter(planned.splits))
    size, number = ("test_examples_per_length", 1) if split == "test" else (f"{split}_examples", 20)
    planned, flags = plan(name, **{size: number}), ["--" + size.replace("_", "-"), str(number)]
    blocks = planned.blocks(split, range(planned.splits[split].num_blocks))
    rows = [row for batch in blocks for row in batch.to_pylist()]
    for kind in ("words", "abbadingo")[: 1 + ("label" in planned.schema.names)]:
        out = tmp_path / kind
        done = CliRunner().invoke(main, ["text", name, "--split", split, "--out", str(out), "--format", kind, *flags])
        assert done.exit_code == 0, done.output
        lines = out.read_text(encoding="utf-8").splitlines()
        if kind == "words":
            show = describer(planned)
            assert lines == [next(iter(show(row).values())) for row in rows]
        else:
            assert lines[0] == f"{len(rows)} {planned.sizes[0]}"
            assert len(lines) == len(rows) + 1


def test_coverage_reads_the_words(tmp_path):
    out = tmp_path / "train.txt"
    run("dyck_d6", out)
    done = CliRunner().invoke(main, ["coverage", "dyck_d6", "--train", str(out), "--json"])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("name", "more", "words"),
    [
        ("dyck_d6", ["--format", "abadingo"], "Did you mean 'abbadingo'"),
        ("dyck_d6", ["--split", "trian"], "Did you mean 'train'"),
        ("dick_d6", [], "Did you mean 'dyck_d6'"),
    ],
)
def test_bad_input_is_named_and_nothing_is_written(name, more, words, tmp_path):
    done = run(name, tmp_path / "out.txt", *more)
    assert done.exit_code == 2
    assert words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_files_and_links_are_not_overwritten_unasked(tmp_path):
    mine, link = tmp_path / "mine.txt", tmp_path / "link.txt"
    mine.write_text("years of work")
    link.symlink_to(mine)
    assert run("dyck_d6", mine).exit_code == 2
    for more in ([], ["--force"]):
        assert run("dyck_d6", link, *more).exit_code == 2
    assert mine.read_text() == "years of work"
    assert run("dyck_d6", mine, "--force").exit_code == 0
    assert len(mine.read_text().splitlines()) == 5000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.txt", "mine.txt"]
