"""Text classification: any dataset with texts and labels, read and tokenized, trained on and measured."""

import json

import jsonschema
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")

from seqbench.cli import main  # noqa: E402 -- torch may be absent
from seqbench.dataset.texts import read_texts  # noqa: E402
from seqbench.dataset.tokens import BytePairs, Bytes  # noqa: E402
from seqbench.errors import InputError, UnknownNameError  # noqa: E402
from seqbench.training.command import command  # noqa: E402
from seqbench.training.epochs import LIKE, Epochs, epoch_order  # noqa: E402
from seqbench.training.result import schema  # noqa: E402
from seqbench.training.settings import read  # noqa: E402
from seqbench.training.texts import TextData, TextPlan  # noqa: E402

WORDS = (("peace", "vote"), ("goal", "coach"), ("profit", "bank"))


def lines(count, seed):
    """Texts that say their label in one word, at any place."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        label = int(rng.integers(3))
        words = ["the", "a", "ñu"][: int(rng.integers(1, 4))]
        words.insert(int(rng.integers(len(words) + 1)), str(rng.choice(WORDS[label])))
        rows.append({"text": " ".join(words), "label": label})
    return rows


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    torch.set_num_threads(1)


@pytest.fixture
def folder(tmp_path):
    for split, count, seed in (("train", 600, 0), ("test", 120, 1)):
        text = "".join(json.dumps(row) + "\n" for row in lines(count, seed))
        (tmp_path / "news").mkdir(exist_ok=True)
        (tmp_path / "news" / f"{split}.jsonl").write_text(text)
    return tmp_path / "news"


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.mark.parametrize("tokenizer", ["bytes", "bpe"])
def test_texts_are_learnt_and_measured_all_together(tokenizer, folder, tmp_path):
    size = {"bytes": [], "bpe": ["--vocabulary", 300]}[tokenizer]
    out, more = tmp_path / "run", ["--tokenizer", tokenizer, *size, "--set", "width=32", "--batch", 32]
    steps = ["--steps", 200, "--learning-rate", 0.003]
    done = run("train", "--hf-dataset", folder, "--model", "ldru", *more, *steps, "--out", out, "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    jsonschema.validate(facts, schema())
    accuracy = facts["metrics"]["test"]["accuracy"]
    assert accuracy["n"] == 120
    assert accuracy["value"] > 0.9
    assert 0.3 < facts["task"]["chance"] < 0.5
    again = run("evaluate", out, "--json")
    assert json.loads(again.stdout)["metrics"] == facts["metrics"]
    assert json.loads(again.stdout)["task"]["digest"] == facts["task"]["digest"]
    assert f"--hf-dataset {folder}" in command(read(out))


def test_pairs_names_and_hidden_labels(tmp_path):
    """The schema of GLUE: two texts, named labels, a test split without labels."""
    rows = {"premise": ["ab", "c", ""], "hypothesis": ["d", None, "é"], "verdict": ["no", "yes", "no"]}
    (tmp_path / "glue").mkdir()
    for split in ("train", "validation"):
        pq.write_table(pa.table(rows), tmp_path / "glue" / f"{split}.parquet")
    hidden = rows | {"verdict": pa.array([None] * 3, pa.string())}
    pq.write_table(pa.table(hidden), tmp_path / "glue" / "test.parquet")
    found = read_texts(str(tmp_path / "glue"), ("premise", "hypothesis"), "verdict")
    assert set(found) == {"train", "validation"}
    assert found["train"].names == ("no", "yes")
    assert found["train"].labels.tolist() == [0, 1, 0]
    assert found["train"].encoded(Bytes(), 100).to_pylist() == [
        [97, 98, 256, 100, 256], [99, 256, 256], [256, 195, 169, 256],
    ]  # fmt: skip
    planned = TextPlan(TextData(path=str(tmp_path / "glue"), columns=("premise", "hypothesis"), label="verdict"))
    assert {name: part.num_examples for name, part in planned.splits.items()} == {
        "train": 2,
        "validation": 1,
        "test": 3,
    }


def test_a_single_file_is_divided(folder):
    whole = read_texts(str(folder / "train.jsonl"), ("text",), "label")["train"]
    planned = TextPlan(TextData(path=str(folder / "train.jsonl")))
    sizes = {name: part.num_examples for name, part in planned.splits.items()}
    assert sizes == {"train": 486, "validation": 54, "test": 60}
    rows = [row for part in planned.splits.values() for row in map(tuple, part.rows["input_ids"].to_pylist())]
    assert sorted(rows) == sorted(map(tuple, whole.encoded(Bytes(), 512).to_pylist()))


def test_byte_pairs_spell_the_text_and_are_the_same_when_learnt_again():
    texts = [row["text"] for row in lines(300, 2)]
    one, two = (BytePairs.learnt([texts], 270) for _ in range(2))
    column = pa.array(texts, pa.large_string())
    ids, counts = one.lists(column)
    assert counts.sum() == len(ids) < len(" ".join(texts).encode())
    assert np.array_equal(ids, two.lists(column)[0])
    assert one.decode(ids[: counts[0]]) == texts[0]


def test_an_epoch_has_every_row_once_and_batches_of_like_lengths():
    sizes = np.random.default_rng(3).integers(1, 1000, size=16 * LIKE * 4)
    first, second = (epoch_order(sizes, 16, 0, epoch) for epoch in (0, 1))
    assert np.array_equal(np.sort(first.ravel()), np.arange(len(sizes)))
    assert not np.array_equal(first, second)
    spread = (sizes[first].max(axis=1) - sizes[first].min(axis=1)).mean()
    assert spread < 1000 * 2 / LIKE


def test_a_batch_depends_on_its_number_alone(folder):
    planned = TextPlan(TextData(path=str(folder)))
    one, other = (Epochs(planned.splits["train"].rows, 32, 5) for _ in range(2))
    taken = [one.rows(number) for number in range(40)]
    assert all(other.rows(number).equals(taken[number]) for number in (39, 0, 17))


def test_rows_are_cut(folder):
    planned = TextPlan(TextData(path=str(folder), longest=7))
    assert planned.splits["test"].sizes.max() == 7 < 1 + max(len(row["text"].encode()) for row in lines(120, 1))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--text-column", "txt"], "Did you mean 'text'"),
        (["--label-column", "lable"], "Did you mean 'label'"),
        (["--label-column", "text", "--text-column", "label"], "not text"),
        (["--tokenizer", "byte"], "Did you mean 'bytes'"),
        (["--tokenizer", "bpe", "--vocabulary", "10"], "too small"),
        (["--vocabulary", "300"], "--vocabulary 300 is for bpe, and the tokenizer is 'bytes'"),
        (["--max-tokens", "0"], "1 or more"),
        (["--also", "syntactic_class"], "not for texts"),
        (["--sampling", "balanced"], "not for texts"),
    ],
)
def test_bad_options_are_named(arguments, words, folder, tmp_path):
    done = run("train", "--hf-dataset", folder, "--model", "gru", *arguments, "--out", tmp_path / "run")
    assert done.exit_code == 2
    assert words in done.stderr
    assert not (tmp_path / "run").exists()


def test_either_a_dataset_or_texts(folder):
    for arguments in (["parity_check", "--hf-dataset", folder], [], ["parity_check", "--tokenizer", "bpe"]):
        done = run("train", *arguments, "--model", "gru")
        assert done.exit_code == 2
        assert "--hf-dataset PATH" in done.stderr


def test_what_cannot_be_read_is_named(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "one.csv").write_text("text,label\nx,0\ny,1\n")
    with pytest.raises(InputError, match="ends in"):
        read_texts(str(tmp_path / "a.txt"), ("text",), "label")
    with pytest.raises(InputError, match="too few rows with labels to hold some out for validation"):
        TextPlan(TextData(path=str(tmp_path / "one.csv")))
    with pytest.raises(UnknownNameError, match="column"):
        read_texts(str(tmp_path / "one.csv"), ("txt",), "label")


@pytest.mark.parametrize(
    "path",
    ["nothing", "./no/such", "/no/such", "~/no-such", "~nobody-of-this-name/x", "no/such.csv", "no/such/", "x" * 300],
)
def test_a_path_that_is_not_there_is_named_without_the_network(path, monkeypatch):
    monkeypatch.setattr("datasets.load_dataset", lambda *_, **__: pytest.fail("asked the library"))
    with pytest.raises(InputError, match="There is no folder or file '"):
        read_texts(path, ("text",), "label")


def test_a_name_of_the_hub_is_asked_for_there(monkeypatch):
    asked = []
    monkeypatch.setattr("datasets.load_dataset", lambda *given: asked.append(given) or {})
    with pytest.raises(InputError, match="no 'train'"):
        read_texts("fancyzhx/ag_news", ("text",), "label")
    assert asked == [("fancyzhx/ag_news", None)]


@pytest.mark.parametrize("path", ["", " "])
def test_an_empty_path_is_named(path, tmp_path):
    done = run("train", "--hf-dataset", path, "--model", "gru", "--out", tmp_path / "run")
    assert done.exit_code == 2
    assert f"{path!r} names no dataset" in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("suffix", "mark"), [(".CSV", ","), (".Tsv", "\t")])
def test_endings_may_be_of_either_case(suffix, mark, tmp_path):
    (tmp_path / f"rows{suffix}").write_text(f"text{mark}label\na{mark}0\nb{mark}1\n")
    found = read_texts(str(tmp_path / f"rows{suffix}"), ("text",), "label")
    assert found["train"].labels.tolist() == [0, 1]


GOOD = "text,label\na,x\nb,y\n"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"train.csv": GOOD, "test.csv": "text,label\na,z\nb,z\nc,y\nd,w\n"}, "has not: 'z' (2 rows), 'w' (1 row)"),
        ({"train.csv": GOOD, "test.csv": "text,label\na,z\n"}, "'label' of the split 'test' has labels that 'train'"),
        ({"train.csv": GOOD, "test.csv": "text,label\na,0\n"}, "has not: '0' (1 row). Those of 'train' are 'x', 'y'"),
        (
            {"train.csv": "text,label\na,0\nb,1\n", "test.csv": "text,label\na,x\n"},
            "int64 in one split or file and text, such as 'x'",
        ),
        ({"train.csv": "text,label\na,\nb,\n"}, "'label' of the split 'train' has no labels: each of its 2 rows"),
        ({"train.csv": "text,label\na,-1\nb,-1\n"}, "'label' of the split 'train' has no labels: each of its 2 rows"),
        ({"train.csv": "text,label\na,x\nb,x\n"}, "are 'x': there is nothing to learn"),
        ({"train.csv": "text,label\na,0.0\nb,1.0\n"}, "such as 0.0, and labels are whole numbers or names. Cast"),
        ({"train.jsonl": '{"text": "a", "label": true}\n'}, "holds bool, such as True, not labels"),
        ({"train.jsonl": '{"text": "a", "label": 0}\n{"text": "b", "label": "x"}\n'}, "values of several kinds"),
        ({"train.csv": "text,label\n,0\n,1\n"}, "'text' of the split 'train' holds no text"),
        (
            {"train.jsonl": '{"text": "", "label": 0}\n{"text": null, "label": 1}\n'},
            "holds no text: each of its 2 rows",
        ),
        ({"train.csv": GOOD + "c,x,1\n"}, "Expected 2 fields in line 4, saw 3. "),
        ({"train.jsonl": '{"text": "a", "label": 0}\n{"text"\n'}, "in row 1. "),
        ({"train.csv": GOOD, "test.csv": "text,lable\na,x\n"}, "same columns, but there are 1 new columns ({'lable'})"),
        ({"train.csv": ""}, "No columns to parse from file. "),
    ],
)
def test_labels_and_texts_that_cannot_be_used_are_quoted(files, words, tmp_path):
    (tmp_path / "news").mkdir()
    for name, text in files.items():
        (tmp_path / "news" / name).write_text(text)
    done = run("train", "--hf-dataset", tmp_path / "news", "--model", "gru", "--out", tmp_path / "run")
    assert done.exit_code == 2, done.output
    assert words in done.stderr
    assert not (tmp_path / "run").exists()


def test_an_empty_file_is_named(tmp_path):
    (tmp_path / "rows.jsonl").write_text("")
    with pytest.raises(InputError, match="it holds no rows"):
        read_texts(str(tmp_path / "rows.jsonl"), ("text",), "label")
