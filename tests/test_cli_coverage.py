"""The coverage commands as a user types them, and bad input to them."""

import gzip
import json

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from seqbench.cli import main
from seqbench.languages import language


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def read_json(result):
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def train(tmp_path):
    path = tmp_path / "train.parquet"
    words = [[int(symbol) for symbol in word] for word in language("dyck_d3").sample(12, n=50)]
    pq.write_table(pa.table({"input_ids": pa.array(words, pa.list_(pa.uint8())), "note": ["x"] * 50}), path)
    return path


def test_coverage_prints_writes_and_draws(train, tmp_path):
    html, png = tmp_path / "report.html", tmp_path / "map.png"
    facts = read_json(run("coverage", "dyck_d3", "--train", train, "--html", html, "--png", png, "--json"))
    assert facts["train_words"] == 50
    assert facts["missing"]
    assert facts["words_fully_covered"].keys() == {str(n) for n in range(41, 501)}
    page = html.read_text()
    assert page.count('<img src="data:') == 2
    assert "<script" not in page
    assert "http" not in page
    assert png.read_bytes().startswith(b"\x89PNG")
    text = run("coverage", "dyck_d3", "--train", train).stdout
    assert "all levels" in text
    assert facts["missing"][0]["witness"] in text


@pytest.mark.parametrize("schedule", ["tree", "scan", "left"])
def test_every_schedule_against_test_words(train, schedule):
    facts = read_json(
        run(
            "coverage", "dyck_d3", "--train", train, "--test", train, "--schedule", schedule, "--min-width", 1, "--json"
        )
    )
    assert facts["test_mass_covered"] == 1.0
    assert set(facts["words_fully_covered"].values()) == {1.0}
    assert facts["missing"] == []


def test_languages_of_ones_own(train, tmp_path):
    by_regex = read_json(run("coverage", "--regex", "(0(0(01)*1)*1)*", "--train", train, "--json"))
    by_name = read_json(run("coverage", "dyck_d3", "--train", train, "--json"))
    assert [row["seen_1"] for row in by_regex["levels"]] == [
        row["seen_1"] for row in by_name["levels"] if row["seen_1"] or row["possible_in_training"]
    ]
    definition = tmp_path / "own.toml"
    definition.write_text('title = "x"\nsource = "me"\nalphabet = ["0", "1"]\nregex = "(0(0(01)*1)*1)*"\n')
    assert read_json(run("coverage", definition, "--train", train, "--json"))["levels"] == by_regex["levels"]
    att, symbols = tmp_path / "own.att", tmp_path / "own.sym"
    att.write_text("0 1 0 0\n1 0 1 1\n0\n")
    symbols.write_text("<eps> 0\n0 1\n1 2\n")
    facts = read_json(run("coverage", att, "--train", train, "--json"))
    assert facts["num_classes"] == 6  # (01)*


def test_recipes_over_languages_of_ones_own_are_those_of_datasets(tmp_path):
    """dyck_d3 as a regular expression, as a file and as a dataset: the same numbers."""
    pattern = "(0(0(01)*1)*1)*"
    definition = tmp_path / "own.toml"
    definition.write_text(f'title = "x"\nsource = "me"\nalphabet = ["0", "1"]\nregex = "{pattern}"\n')
    lengths = ("--test-lengths", 41, 60)
    recipe = ("--train-examples", 1000, "--sampling", "uniform")
    kept = ["needed", "training_length", "sufficient", "necessary", "mixture", "expected_seen", "rarest_chance"]
    kept += ["levels", "words", "covered", "lower_bound", "uncoverable"]
    facts = []
    for number, which in enumerate((["dyck_d3"], [definition], ["--regex", pattern])):
        covered = run("cover", *which, "--max-length", 14, *lengths, "--out", tmp_path / f"{number}.parquet", "--json")
        found = [covered, *(run(*each, *lengths, "--json") for each in (["expect", *which, *recipe], ["plan", *which]))]
        facts.append([{key: value for key, value in read_json(each).items() if key in kept} for each in found])
    assert facts[0] == facts[1] == facts[2]
    assert sorted(key for each in facts[0] for key in each) == sorted(kept)
    found = read_json(run("coverage", definition, "--train", tmp_path / "0.parquet", *lengths, "--json"))
    assert found["test_lengths"] == [41, 60]
    assert found["num_missing"] == 0


def test_expect_plan_and_cover(tmp_path):
    expected = read_json(run("expect", "dyck_d2", "--train-lengths", 1, 20, "--train-examples", 1000, "--json"))
    assert 0 < expected["expected_seen"] <= expected["possible_in_training"]
    planned = read_json(run("plan", "dyck_d2", "--test-lengths", 41, 60, "--confidence", 0.9, "--json"))
    assert planned["training_length"] == 8
    assert planned["sufficient"]["composition"] >= planned["necessary"]["composition"]
    assert "sufficient" in run("plan", "dyck_d2", "--test-lengths", 41, 60).stdout
    out = tmp_path / "cover.parquet"
    found = read_json(run("cover", "dyck_d2", "--max-length", 20, "--times", 2, "--out", out, "--json"))
    assert found["words"] >= found["lower_bound"]
    facts = read_json(run("coverage", "dyck_d2", "--train", out, "--json"))
    assert facts["levels"][-1]["seen_1"] == found["covered"]
    assert facts["num_missing"] == 0
    assert run("cover", "dyck_d2", "--max-length", 20, "--out", out).exit_code == 2  # there already


@pytest.mark.parametrize("schedule", ["tree", "scan", "left"])
def test_every_schedule_for_recipes(schedule, tmp_path):
    options = ("--schedule", schedule, "--test-lengths", 41, 60)
    recipe = ("dyck_d2", "--train-lengths", 1, 20, "--train-examples", 1000, *options)
    expected = read_json(run("expect", *recipe, "--json"))
    assert expected["schedule"] == schedule
    assert expected["is_exact"]
    assert expected["words_fully_covered"].keys() == {str(n) for n in range(41, 61)}
    text = run("expect", *recipe).stdout
    assert f"schedule {schedule}" in text
    assert expected["missing"][0]["witness"] in text
    planned = read_json(run("plan", "dyck_d2", *options, "--json"))
    assert planned["schedule"] == schedule
    assert planned["bounded"] == ([] if schedule == "tree" else ["composition"])
    out = tmp_path / "cover.parquet"
    found = read_json(run("cover", "dyck_d2", "--max-length", 20, *options, "--out", out, "--json"))
    facts = read_json(run("coverage", "dyck_d2", "--train", out, "--schedule", schedule, "--json"))
    assert facts["levels"][-1]["seen_1"] == found["covered"]
    assert facts["num_missing"] == 0
    assert min(facts["words_fully_covered"].values()) == pytest.approx(1)
    assert max(facts["words_fully_covered"].values()) <= 1


def test_progress_counts_words_and_compositions(train, tmp_path):
    datasets.enable_progress_bars()
    found = run("cover", "dyck_d2", "--max-length", 20, "--out", tmp_path / "cover.parquet", "--json")
    total = json.loads(found.stdout)["covered"]
    assert f"| {total}/{total} [" in found.stderr  # no more and no less
    assert "50 words" in run("coverage", "dyck_d3", "--train", train).stderr


@pytest.mark.parametrize("name", ["cover.txt", "cover", "cover.parquet.gz"])
def test_a_cover_is_parquet(name, tmp_path):
    found = run("cover", "dyck_d2", "--max-length", 20, "--out", tmp_path / name)
    assert found.exit_code == 2
    assert ".parquet" in found.stderr
    assert not list(tmp_path.iterdir())


def test_cover_lists_all_that_cannot_be_covered(tmp_path):
    out = tmp_path / "cover.parquet"
    found = read_json(run("cover", "dyck_d3", "--max-length", 6, "--out", out, "--json"))
    assert len(found["uncoverable"]) == found["num_uncoverable"] > 20


def test_draw_writes_pictures(tmp_path):
    for kind in ("automaton", "egg-box"):
        out = tmp_path / f"{kind}.svg"
        assert run("draw", "tomita_3", "--kind", kind, "--out", out).exit_code == 0
        assert "<svg" in out.read_text()
        facts = read_json(run("draw", "tomita_3", "--kind", kind, "--out", out, "--force", "--json"))
        assert facts == {
            "language": "tomita_3", "kind": kind, "out": str(out), "bytes": out.stat().st_size, "states": 5,
        }  # fmt: skip
    assert "seqbench draw tomita_3" in run("info", "tomita_3", "--train-examples", 0, "--validation-examples", 0).stdout


@pytest.mark.parametrize(("name", "text"), [
    ("a.csv", "input_ids,label\n0 0 1 1,1\n\"[0, 1]\",1\n"), ("a.tsv", "input_ids\tlabel\n0011\t1\n01\t1\n"),
    ("a.jsonl", '{"input_ids": ["0", "0", "1", "1"]}\n{"input_ids": [0, 1]}\n'), ("a.txt", "0011\n01\n"),
])  # fmt: skip
def test_files_of_every_kind(name, text, tmp_path):
    (tmp_path / name).write_text(text)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    for path in (tmp_path / name, tmp_path / f"{name}.gz"):
        facts = read_json(run("coverage", "dyck_d3", "--train", path, "--json"))
        assert (facts["train_words"], facts["train_lengths"], facts["classes"]["of_words_seen"]) == (2, [2, 4], 2)


def test_words_outside_the_domain_are_named(tmp_path):
    (tmp_path / "a.txt").write_text("1+2\n1+\n")
    text = run("coverage", "modular_arithmetic", "--train", tmp_path / "a.txt").stdout
    assert f"Of 2 training words 1 lies outside the task's domain, and nothing of them is counted: {tmp_path}" in text
    assert "a.txt row 1 '1+'." in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["coverage", "--train", "TRAIN"], "not both"),
        (["coverage", "dyck_d3", "--regex", "0*", "--train", "TRAIN"], "not both"),
        (["coverage", "dyck_d9", "--train", "TRAIN"], "Did you mean"),
        (["coverage", "dyck_d3", "--train", "nothing.parquet"], "There is no file"),
        (["coverage", "dyck_d3", "--train", "TRAIN", "--column", "ids"], "note"),
        (["coverage", "dyck_d3", "--train", "TRAIN", "--column", "note"], "'x'"),
        (["coverage", "--regex", "0*", "--alphabet", "0", "--train", "TRAIN"], "position"),
        (["coverage", "--regex", "(0", "--train", "TRAIN"], "(0"),
        (["coverage", "dyck_d3", "--train", "TRAIN", "--schedule", "treee"], "Did you mean 'tree'"),
        (["coverage", "dyck_d3", "--train", "TRAIN", "--png", "map.bmp"], ".png"),
        (["coverage", "dyck_d3", "--train", "TRAIN", "--html", "a.html", "--png", "map.bmp"], ".png"),
        (
            ["coverage", "dyck_d3", "--train", "TRAIN", "--html", "a.html", "--png", "no/map.png"],
            "/no' for the picture",
        ),
        (["coverage", "dyck_d3", "--train", "TRAIN", "--html", "TRAIN"], "ends in .html"),
        (["coverage", "dyck_d3", "--train", "."], "is a folder"),
        (["coverage", "dyck_d3", "--train", "TRAIN", "--alphabet", "a b"], "for --regex"),
        (["coverage", "dyck_d3", "--train", "TRAIN", "--symbols", "a.sym"], "for AT&T files"),
        (["coverage", "--regex", "0*", "--alphabet", "", "--train", "TRAIN"], "alphabet of 0 symbols"),
        (["draw", "dyck_d3", "--out", "x.bmp"], ".svg"),
        (["draw", "dyck_d3", "--out", "no/x.svg", "--json"], "no folder"),
        (["coverage", "nothing.toml", "--train", "TRAIN"], "There is no file"),
        (["plan", "dyck_d3", "--confidence", "1.5"], "between 0 and 1"),
        (["plan", "dyck_d3", "--test-lengths", "9", "3"], "runs backwards"),
        (["cover", "dyck_d3", "--max-length", "1", "--out", "x.parquet"], "out of range"),
        (["cover", "dyck_d3", "--max-length", "20", "--times", "0", "--out", "x.parquet"], "out of range"),
        (["expect", "dyck_d3", "--sampling", "near_miss"], "near_miss"),
        (["plan", "dyck_d3", "--confidence", "0"], "between 0 and 1"),
        (["plan", "dyck_d3", "--confidence", "1"], "between 0 and 1"),
        (["plan", "dyck_d3", "--confidence", "high"], "'high' is not a valid float"),
        (["plan", "dyck_d3", "--schedule", "treee"], "Did you mean 'tree'"),
        (["plan", "dyck_d3", "--train-lengths", "9", "3"], "runs backwards"),
        (["plan", "dyck_d3", "--min-width", "0"], "min_width is 0"),
        (["plan", "dyck_d33"], "Did you mean"),
        (["expect", "dyck_d3", "--schedule", "skan"], "Did you mean 'scan'"),
        (["expect", "dyck_d3", "--train-examples", "0"], "train_examples is 0"),
        (["expect", "dyck_d3", "--test-examples-per-length", "0"], "test_examples_per_length is 0"),
        (["expect", "dyck_d3", "--train-lengths", "9", "3"], "runs backwards"),
        (["expect", "dyck_d3", "--min-width", "x"], "'x' is not a valid integer"),
        (["cover", "dyck_d3", "--max-length", "20", "--schedule", "lift", "--out", "x.parquet"], "Did you mean 'left'"),
        (["cover", "dyck_d3", "--max-length", "x", "--out", "x.parquet"], "'x' is not a valid integer"),
        (["cover", "modular_arithmetic_l2r", "--max-length", "2", "--out", "x.parquet"], "max_length is 2"),
        (["cover", "dyck_d3", "--max-length", "20", "--out", "TRAIN"], "is there already"),
        (["draw", "dyck_d3", "--kind", "eggbox", "--out", "x.svg"], "Did you mean 'egg-box'"),
    ],
)
def test_bad_input_ends_with_one_message(arguments, message, train, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*(str(train) if each == "TRAIN" else each for each in arguments))
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["train.parquet"]


def test_an_empty_training_set_is_refused(tmp_path):
    empty = tmp_path / "empty.txt"
    empty.write_text("")
    result = run("coverage", "dyck_d3", "--train", empty)
    assert result.exit_code == 2
    assert "holds no word" in result.stderr
