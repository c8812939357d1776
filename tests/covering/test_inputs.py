"""Words of any origin: what is read, and what is said where that cannot be."""

import bz2
import gzip
import itertools
import json
import re

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqbench.covering.inputs import ROWS, read_words
from seqbench.errors import InputError, SeqbenchError, UnknownNameError

BITS = ("0", "1")
WORDS = ["0011", "", "1", "000", "10"]
IDS = [[int(symbol) for symbol in word] for word in WORDS]
WIDE = tuple(f"s{i}" for i in range(300))
STACK = ("push", "pop")


def read(data, alphabet=BITS, column=None):
    """The words as lists of ids; each chunk is checked."""
    found = []
    for tokens, offsets in read_words(data, alphabet, column):
        assert tokens.dtype == (np.uint8 if len(alphabet) <= 256 else np.uint16)
        assert offsets.dtype == np.int64
        assert offsets[0] == 0
        assert offsets[-1] == len(tokens)
        assert len(offsets) > 1
        found += [tokens[a:b].tolist() for a, b in itertools.pairwise(offsets)]
    return found


def table(words=IDS, name="input_ids", kind=None, **more):
    return pa.table({name: pa.array(words, type=kind), **{k: pa.array(v) for k, v in more.items()}})


LABELS = [1, 0, 0, 1, 0]
KINDS = [
    pa.list_(pa.uint8()),
    pa.list_(pa.uint16()),
    pa.list_(pa.int32()),
    pa.list_(pa.int64()),
    pa.large_list(pa.uint8()),
    pa.large_list(pa.int64()),
]
TEXTS = [pa.string(), pa.large_string()]


@pytest.mark.parametrize(
    "words",
    [
        WORDS,
        tuple(WORDS),
        IDS,
        [tuple(word) for word in IDS],
        [np.array(word, dtype=np.int64) for word in IDS],
        [np.array(word, dtype=np.uint8) for word in IDS],
        [list(word) for word in WORDS],
        [WORDS[0], IDS[1], np.array([1]), "000", ("1", "0")],
    ],
    ids=["text", "tuple", "ids", "tuples", "int64", "uint8", "symbols", "mixed"],
)
def test_lists_of_words(words):
    assert read(words) == IDS
    assert read(word for word in words) == IDS


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.int64])
def test_rows_of_an_array_are_words(kind):
    rows = np.random.default_rng(9).integers(0, 2, (5000, 7)).astype(kind)
    assert read(rows) == rows.tolist()


@pytest.mark.parametrize("kind", [*KINDS, *TEXTS], ids=str)
def test_arrow_tables(kind):
    words = WORDS if kind in TEXTS else IDS
    assert read(table(words, kind=kind, label=LABELS)) == IDS
    assert read(table(words, kind=kind).to_batches()[0]) == IDS
    assert read(table(words, kind=kind).slice(1, 3)) == IDS[1:4]
    assert read(table(words, kind=kind).to_batches()[0].slice(2)) == IDS[2:]
    assert read(pa.concat_tables([table(words, kind=kind)] * 3)) == IDS * 3
    assert read(table(words, "word", kind), column="word") == IDS
    assert read(table(words, "word", kind, label=LABELS)) == IDS  # the only column that could hold words


@pytest.mark.parametrize("kind", [*KINDS, *TEXTS], ids=str)
def test_parquet(kind, tmp_path):
    words = (WORDS if kind in TEXTS else IDS) * 2000
    pq.write_table(table(words, kind=kind, label=LABELS * 2000), tmp_path / "a.parquet", row_group_size=700)
    assert read(tmp_path / "a.parquet") == IDS * 2000
    assert read(str(tmp_path / "a.parquet"), column="input_ids") == IDS * 2000


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.large_list(pa.string())], ids=str)
def test_lists_of_symbols(kind, tmp_path):
    pq.write_table(table([list(word) for word in WORDS], kind=kind), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == IDS


def outcome(data, alphabet=BITS, column=None):
    """The words, or what one of our own errors says; any other error is a failure."""
    try:
        return read(data, alphabet, column)
    except SeqbenchError as error:
        return str(error)


PAIRS = [[0, 1], [1, 1], [0, 0]]
SYMBOLS = [["0", "1"], ["1", "1"], ["0", "0"]]
ENCODED = {
    "fixed size": pa.array(PAIRS, pa.list_(pa.int8(), 2)),
    "list view": pa.array(PAIRS, pa.list_view(pa.int64())),
    "large list view": pa.array(PAIRS, pa.large_list_view(pa.uint8())),
    "string view": pa.array(["01", "11", "00"], pa.string_view()),
    "dictionary of texts": pa.array(["01", "11", "00"]).dictionary_encode(),
    "dictionary of lists": pa.DictionaryArray.from_arrays(pa.array([1, 2, 0]), pa.array([[0, 0], [0, 1], [1, 1]])),
    "dictionary of string views": pa.DictionaryArray.from_arrays(
        pa.array([2, 1, 0], pa.uint32()), pa.array(["00", "11", "01"], pa.string_view())
    ),
    "list of dictionary": pa.ListArray.from_arrays(
        pa.array([0, 2, 4, 6], pa.int32()), pa.array(list("011100")).dictionary_encode()
    ),
    "list of string views": pa.array(SYMBOLS, pa.list_(pa.string_view())),
    "list view of large strings": pa.array(SYMBOLS, pa.list_view(pa.large_string())),
}


@pytest.mark.parametrize("kind", ENCODED)
def test_columns_encoded_in_whatever_way(kind):
    column = ENCODED[kind]
    for data in (
        column,
        pa.chunked_array([column]),
        pa.table({"input_ids": column}),
        pa.table({"w": column, "l": LABELS[:3]}),
    ):
        assert read(data) == PAIRS
    assert read(column.slice(1)) == PAIRS[1:]
    assert read(pa.table({"input_ids": column}).slice(1, 1)) == PAIRS[1:2]
    assert read(pa.table({"input_ids": column}).to_reader()) == PAIRS


@pytest.mark.parametrize("kind", ["dictionary of texts", "list of dictionary", "fixed size"])
def test_encoded_columns_of_parquet(kind, tmp_path):
    pq.write_table(pa.table({"input_ids": ENCODED[kind]}), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == PAIRS


@pytest.mark.parametrize(
    "kind", [pa.list_view(pa.int64()), pa.list_(pa.int64(), 2), pa.list_(pa.string_view()), pa.string_view()]
)
def test_foreign_symbols_and_rows_of_encoded_columns_are_named(kind):
    make = {pa.string_view(): "".join, pa.list_(pa.string_view()): list}.get(kind, lambda word: [int(s) for s in word])
    words = [make(["0", "1"])] * LATE
    with pytest.raises(InputError, match=rf"ow {LATE}\b.*osition 1\b.*7"):
        read(pa.table({"input_ids": pa.array([*words, make(["0", "7"])], kind)}))
    with pytest.raises(InputError, match=rf"ow {LATE}\b.*no word"):
        read(pa.table({"input_ids": pa.array([*words, None], kind)}))


@pytest.mark.parametrize(
    ("word", "ids"),
    [
        ("0 1 1 0", [0, 1, 1, 0]), ("[0, 1, 1, 0]", [0, 1, 1, 0]), ("[0 1 1 0]", [0, 1, 1, 0]), ("0,1", [0, 1]),
        ("['0', '1']", [0, 1]), ("[]", []), ("[1]", [1]), ("  01 ", [0, 1]), (" ", []), ("1", [1]), ("10", [1, 0]),
    ],
)  # fmt: skip
def test_lists_written_as_text(word, ids, tmp_path):
    assert read([word, "0"]) == [ids, [0]]
    assert read(table([word, "0"])) == [ids, [0]]
    (tmp_path / "a.csv").write_text(f'input_ids,label\n"{word}",1\n0,0\n')
    (tmp_path / "a.tsv").write_text(f"label\tinput_ids\n1\t{word}\n0\t0\n")
    assert read(tmp_path / "a.csv") == read(tmp_path / "a.tsv") == [ids, [0]]


def test_numbers_in_text_are_ids_where_no_symbol_could_be_meant():
    assert read(["0 1 0", "push pop", "1", "0 pop"], STACK) == [[0, 1, 0], [0, 1], [1], [0, 1]]
    letters = tuple("abcdefghijkl")
    assert read(["0 11", "7", "11", "abc"], letters) == [[0, 11], [7], [11], [0, 1, 2]]
    assert read(["1 2", "[2, 1]"], ("1", "2")) == [[0, 1], [1, 0]]
    with pytest.raises(InputError, match="'0'"):
        read(["0 1"], ("1", "2"))  # 1 is a symbol with another id: 0 cannot be meant as one
    brackets = ("(", ")", "[", "]")
    assert read(["[]", "[()]"], brackets) == [[2, 3], [2, 0, 1, 3]]
    assert read(["a b", " "], ("a", "b", " ")) == [[0, 2, 1], [2]]
    with pytest.raises(InputError, match="12"):
        read(["0 12"], letters)


def test_data_frames_and_series():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"input_ids": IDS, "label": LABELS, "odd": [1, "a", None, 2, 3]})
    assert read(frame) == read(frame.input_ids) == read(frame.iloc[::-1].iloc[::-1]) == IDS
    assert read(frame[frame.label == 1]) == [IDS[0], IDS[3]]
    renamed = frame.rename(columns={"input_ids": "word"})
    assert read(renamed) == read(renamed, column="word") == IDS
    assert read(pandas.DataFrame({"word": WORDS, "label": LABELS})) == read(pandas.Series(WORDS)) == IDS
    assert read(pandas.Series(WORDS, dtype="category")) == IDS
    assert read(pandas.DataFrame({0: WORDS})) == IDS
    assert read(pandas.Series([np.array(word, np.uint8) for word in IDS])) == IDS
    with pytest.raises(UnknownNameError, match=r"'words'.*label"):
        read(frame, column="words")
    with pytest.raises(InputError, match="Row 1"):
        read(pandas.Series(["01", None]))
    with pytest.raises(InputError, match="Series"):
        read(pandas.Series([[0, 1], "1", 3]))


class Stream:
    """What any library of data frames hands out."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_whatever_speaks_arrow():
    assert read(Stream(table(IDS, label=LABELS))) == IDS
    assert read(Stream(pa.chunked_array([pa.array(WORDS)]))) == IDS


def test_arrays_of_two_dimensions_and_tensors():
    rows = np.array([[0, 1, 1], [1, 0, 0]])
    assert read(rows) == read(np.asfortranarray(rows)) == read(rows.astype(str)) == rows.tolist()
    assert read(np.array(IDS, dtype=object)) == IDS

    class Tensor:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None, copy=None):
            return self.array

    assert read(Tensor(rows)) == read([Tensor(row) for row in rows]) == rows.tolist()
    for bad in (rows.astype(float), rows.astype(bool), np.zeros((2, 2, 2), int)):
        with pytest.raises(InputError, match="Row 0"):
            read(bad)


def test_rows_with_named_columns_in_a_list():
    assert read([{"input_ids": word, "label": 0} for word in IDS]) == IDS
    assert read({"word": word} for word in WORDS) == IDS
    with pytest.raises(InputError, match="Some row"):
        read([{"input_ids": "01"}, "01"])
    with pytest.raises(UnknownNameError, match="'words'"):
        read([{"input_ids": "01"}], column="words")


def test_dictionaries_are_no_words():
    with pytest.raises(InputError, match=r"input_ids, label.*data\['input_ids'\]"):
        read({"input_ids": IDS, "label": LABELS})
    with pytest.raises(InputError, match="none"):
        read({})


@pytest.mark.parametrize("packed", [".gz", ".bz2"])
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".txt"])
def test_compressed_files(ending, packed, tmp_path):
    head = {".csv": "input_ids,label\n", ".tsv": "input_ids\tlabel\n"}.get(ending, "")
    line = {".csv": "{},1", ".tsv": "{}\t1", ".jsonl": '{{"input_ids": "{}"}}', ".txt": "{}"}[ending]
    body = (head + "".join(line.format(word) + "\n" for word in WORDS)).encode()
    path = tmp_path / f"a{ending}{packed}"
    packer = {".gz": gzip, ".bz2": bz2}[packed]
    path.write_bytes(packer.compress(body))
    assert read(path) == IDS
    path.write_bytes(packer.compress(body)[:-12])
    with pytest.raises(InputError, match=path.name):
        read(path)
    path.write_bytes(body)
    with pytest.raises(InputError, match=path.name):
        read(path)


def test_empty_lines_of_one_column_are_empty_words(tmp_path):
    """As in text files: the empty word is a word."""
    (tmp_path / "a.csv").write_text("word\n01\n\n1\n")
    (tmp_path / "a.txt").write_text("01\n\n1\n")
    assert read(tmp_path / "a.csv") == read(tmp_path / "a.txt") == [[0, 1], [], [1]]
    (tmp_path / "b.csv").write_text("word,label\n01,1\n\n1,1\n")
    assert read(tmp_path / "b.csv", column="word") == [[0, 1], [1]]  # a line without a label is no row


def test_a_csv_without_a_head_loses_no_word(tmp_path):
    (tmp_path / "a.csv").write_text("0011\n01\n")
    with pytest.raises(InputError, match="'0011' looks like a word"):
        read(tmp_path / "a.csv")
    assert read(tmp_path / "a.csv", column="0011") == [[0, 1]]


def test_words_longer_than_a_block_of_csv_reads_at_a_time(tmp_path):
    (tmp_path / "a.csv").write_text("word\n" + "01" * 1_500_000 + "\n1\n")
    assert [len(word) for word in read(tmp_path / "a.csv")] == [3_000_000, 1]


def test_broken_lines_are_named_by_their_number(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"input_ids": [0]}\n\n{"input_ids": [0,\n')
    with pytest.raises(InputError, match=r"a\.jsonl.*line 3 is no JSON"):
        read(tmp_path / "a.jsonl")
    (tmp_path / "a.csv").write_text("\n\nword\n01\n")
    with pytest.raises(InputError, match=r"a\.csv.*begins with empty lines"):
        read(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["", "~no-such-user/a.txt", "no\x00name.txt"])
def test_odd_paths_are_no_files(name):
    with pytest.raises(InputError, match="There is no file"):
        read(name)


def test_the_mark_of_utf_8_is_no_symbol(tmp_path):
    for name, text in (("a.txt", "01\n"), ("a.csv", "word\n01\n"), ("a.jsonl", '{"word": "01"}\n')):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert read(tmp_path / name) == [[0, 1]]


def test_json_lines_of_bare_words_and_of_mixed_types(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('["push", "pop"]\n[0, 1]\n"pop"\n')
    assert read(path, STACK) == [[0, 1], [0, 1], [1]]
    path.write_text('{"input_ids": "push pop"}\n{"input_ids": [0, 1]}\n{"input_ids": ["pop"]}\n')
    assert read(path, STACK) == [[0, 1], [0, 1], [1]]
    for bad in (
        "[" * 100_000,
        '{"input_ids": [1e400]}',
        '{"input_ids": [' + "9" * 5000 + "]}",
        '{"input_ids": {"a": 1}}',
    ):
        path.write_text(bad + "\n")
        with pytest.raises(InputError, match=r"a\.jsonl"):
            read(path)


def test_files_of_a_glob_may_differ_in_type(tmp_path):
    pq.write_table(table(IDS, kind=pa.list_(pa.uint8())), tmp_path / "a.parquet")
    pq.write_table(table(WORDS, "text", kind=pa.string()), tmp_path / "b.parquet")
    (tmp_path / "c.csv").write_text("word\n0 1\n")
    (tmp_path / "d.jsonl").write_text('{"input_ids": ["0", "1"]}\n')
    assert read(str(tmp_path / "*")) == [*IDS, *IDS, [0, 1], [0, 1]]
    with pytest.raises(UnknownNameError, match=r"b\.parquet.*'input_ids'.*text"):
        read(str(tmp_path / "*.parquet"), column="input_ids")


def test_a_file_whose_name_looks_like_a_glob_is_read(tmp_path):
    (tmp_path / "a[1].txt").write_text("01\n")
    assert read(tmp_path / "a[1].txt") == [[0, 1]]


def test_two_columns_of_one_name_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("input_ids,input_ids\n01,1\n")
    with pytest.raises(InputError, match="Several columns"):
        read(tmp_path / "a.csv")


def test_chunks_know_where_they_stand(tmp_path):
    (tmp_path / "a.txt").write_text("01\n" * (ROWS + 3))
    (tmp_path / "b.txt").write_text("1\n")
    chunks = list(read_words(str(tmp_path / "*.txt"), BITS))
    assert [(chunk.where, chunk.row) for chunk in chunks] == [
        (str(tmp_path / "a.txt"), 0), (str(tmp_path / "a.txt"), ROWS), (str(tmp_path / "b.txt"), 0),
    ]  # fmt: skip


@pytest.mark.parametrize("features", [False, True])
def test_data_sets(features):
    kind = datasets.Features({"input_ids": datasets.List(datasets.Value("uint8"))}) if features else None
    made = datasets.Dataset.from_dict({"input_ids": IDS * 1000}, features=kind)
    assert read(made) == IDS * 1000
    assert read(made.select(range(3, 8))) == (IDS * 2)[3:8]
    assert read(made.with_format("numpy")) == IDS * 1000
    assert read(made.to_iterable_dataset()) == IDS * 1000
    assert read(made.rename_column("input_ids", "word"), column="word") == IDS * 1000
    assert sorted(read(made.shuffle(seed=1))) == sorted(IDS * 1000)
    text = datasets.Dataset.from_dict({"text": WORDS, "label": LABELS})
    assert read(text) == IDS
    assert read(text.to_iterable_dataset(num_shards=2)) == IDS


def test_an_iterable_of_examples_is_read_once_and_in_order():
    made = datasets.IterableDataset.from_generator(lambda: ({"input_ids": word} for word in IDS * 1500))
    assert read(made) == IDS * 1500


@pytest.mark.parametrize("iterable", [False, True])
def test_splits_are_named(iterable):
    made = datasets.DatasetDict(
        {name: datasets.Dataset.from_dict({"input_ids": IDS}) for name in ("train", "validation")}
    )
    if iterable:
        made = datasets.IterableDatasetDict({k: v.to_iterable_dataset() for k, v in made.items()})
    with pytest.raises(InputError, match="train, validation"):
        read(made)


def test_csv_words_stay_text(tmp_path):
    """0011 is a word and not the number 11, in every row, whatever the others look like."""
    words = ["0011", "1", "000", "10", "0" * 40, "01"]
    lines = [f"{word},{i}" for i, word in enumerate(words * 3000)]
    (tmp_path / "a.csv").write_text("input_ids,label\n" + "\n".join(lines) + "\n")
    expected = [[int(s) for s in word] for word in words] * 3000
    assert read(tmp_path / "a.csv") == expected
    assert read(tmp_path / "a.csv", column="input_ids") == expected


@pytest.mark.parametrize(
    "text", ["word\n0011\n10\n", 'word\n"0011"\n"10"\n', "word\r\n0011\r\n10\r\n", "word\n0011\n10"]
)
def test_one_column_of_csv_is_enough(text, tmp_path):
    (tmp_path / "a.csv").write_bytes(text.encode())
    assert read(tmp_path / "a.csv") == [[0, 0, 1, 1], [1, 0]]


@pytest.mark.parametrize("quoted", [False, True])
def test_empty_words_of_csv_are_words(quoted, tmp_path):
    empty = '""' if quoted else ""
    (tmp_path / "a.csv").write_text(f"input_ids,label\n01,1\n{empty},0\n1,0\n")
    assert read(tmp_path / "a.csv", column="input_ids") == [[0, 1], [], [1]]


@pytest.mark.parametrize("word", ["NA", "null", "nan", "true", "1e5"])
def test_words_that_look_like_something_else_stay_words(word, tmp_path):
    alphabet = tuple(sorted(set(word)))
    (tmp_path / "a.csv").write_text(f"input_ids,label\n{word},1\n{word},1\n")
    assert read(tmp_path / "a.csv", alphabet, "input_ids") == [[alphabet.index(s) for s in word]] * 2


@pytest.mark.parametrize("ending", [".jsonl", ".json"])
@pytest.mark.parametrize("words", [WORDS, IDS, [list(word) for word in WORDS]], ids=["text", "ids", "symbols"])
def test_json_lines(words, ending, tmp_path):
    path = tmp_path / f"a{ending}"
    path.write_text("".join(json.dumps({"input_ids": word, "label": 0}) + "\n" for word in words * 2000))
    assert read(path) == IDS * 2000
    assert read(path, column="input_ids") == IDS * 2000


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_text_holds_one_word_a_line(ending, tmp_path):
    """An empty line is the empty word."""
    (tmp_path / "a.txt").write_bytes("".join(word + ending for word in WORDS).encode())
    assert read(tmp_path / "a.txt") == IDS


def test_globs_are_read_in_order_of_their_names(tmp_path):
    for name, words in (("b", IDS[2:]), ("a", IDS[:2])):
        pq.write_table(table(words, kind=KINDS[0]), tmp_path / f"{name}.parquet")
    (tmp_path / "c.txt").write_text("1\n")
    assert read(str(tmp_path / "*.parquet")) == IDS
    assert read(str(tmp_path / "[ab].parquet")) == IDS
    assert read(tmp_path / "?.parquet") == IDS


def test_a_relative_glob(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("01\n")
    monkeypatch.chdir(tmp_path)
    assert read("*/a.txt") == read("sub/*.txt") == read("sub/a.txt") == read("**/*.txt") == [[0, 1]]


@pytest.mark.parametrize("data", [[], np.empty((0, 5), np.uint8), table([], kind=KINDS[0]), iter(())], ids=type)
def test_no_words_are_no_chunks(data):
    assert read(data) == []


@pytest.mark.parametrize("text", ["", "\n"])
def test_empty_files_hold_no_word_or_say_so(text, tmp_path):
    for ending in ("txt", "jsonl", "csv"):
        path = tmp_path / f"a.{ending}"
        path.write_text(text)
        found = outcome(path)
        assert found == ([[]] if text and ending == "txt" else []) or str(path) in found


@pytest.mark.parametrize("count", [256, 257, 300])
def test_wide_alphabets(count, tmp_path):
    alphabet = WIDE[:count]
    words = [[0, 255], [count - 1], [], [7] * 5]
    texts = [" ".join(alphabet[i] for i in word) for word in words]
    assert read(words, alphabet) == read(texts, alphabet) == words
    for kind in (pa.list_(pa.uint16()), pa.list_(pa.int64())):
        assert read(table(words, kind=kind), alphabet) == words
    if count < 300:
        assert read(table([[0, 255]], kind=pa.list_(pa.uint8())), alphabet) == [[0, 255]]
    (tmp_path / "a.txt").write_text("\n".join(texts) + "\n")
    assert read(tmp_path / "a.txt", alphabet) == words
    for kind in (pa.list_(pa.uint16()), pa.list_(pa.int64())):
        with pytest.raises(InputError, match=f"{count}"):
            read(table([[count]], kind=kind), alphabet)


def test_symbols_of_several_characters(tmp_path):
    words, texts = [[0, 0, 1], [1], []], ["push push pop", "pop", ""]
    assert read(texts, STACK) == words
    assert read([text.split() for text in texts], STACK) == words
    (tmp_path / "a.csv").write_text("word\npush push pop\npop\n")
    assert read(tmp_path / "a.csv", STACK) == words[:2]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"word": text.split()}) + "\n" for text in texts))
    assert read(path, STACK) == words


LATE = 2 * ROWS + 5  # a row of the third batch


def late(word):
    return [IDS[0]] * LATE + [word] + [IDS[0]] * 10


@pytest.mark.parametrize("symbol", [2, 255, 70_000, -1])
@pytest.mark.parametrize("kind", ["list", "table", "large table", "data set", "iterable", "array", "parquet", "jsonl"])
def test_foreign_ids_name_row_and_position(symbol, kind, tmp_path):
    words = late([0, 1, symbol, 0])
    if kind == "array":
        data = np.array([[0, 1, 0, 0]] * LATE + [[0, 1, symbol, 0]])
    elif kind == "list":
        data = words
    elif kind.endswith("table"):
        data = table(words, kind=pa.large_list(pa.int64()) if "large" in kind else pa.list_(pa.int64()))
    elif kind == "parquet":
        pq.write_table(table(words), data := tmp_path / "a.parquet")
    elif kind == "jsonl":
        data = tmp_path / "a.jsonl"
        data.write_text("".join(json.dumps({"input_ids": word}) + "\n" for word in words))
    else:
        data = datasets.Dataset.from_dict({"input_ids": words})
        data = data.to_iterable_dataset() if kind == "iterable" else data
    with pytest.raises(InputError) as caught:
        read(data)
    message = str(caught.value)
    assert str(LATE) in message, "the row is named, counted from the first of the data"
    assert "osition 2" in message
    assert str(symbol) in message
    assert "'0', '1'" in message
    if kind in ("parquet", "jsonl"):
        assert str(data) in message


@pytest.mark.parametrize("kind", ["list", "table", "csv", "txt", "jsonl"])
def test_foreign_symbols_name_row_and_position(kind, tmp_path):
    words = ["0011"] * LATE + ["01x0", "1"]
    data = tmp_path / f"a.{kind}"
    if kind == "list":
        data = words
    elif kind == "table":
        data = table(words)
    elif kind == "jsonl":
        data.write_text("".join(json.dumps({"word": word}) + "\n" for word in words))
    else:
        data.write_text(("word\n" if kind == "csv" else "") + "\n".join(words) + "\n")
    with pytest.raises(InputError) as caught:
        read(data)
    message = str(caught.value)
    assert str(LATE) in message, "the row is named, counted from the first of the data"
    assert "osition 2" in message
    assert "'x'" in message
    if kind not in ("list", "table"):
        assert str(data) in message


@pytest.mark.parametrize("kind", ["txt", "parquet"])
def test_rows_are_counted_within_their_file(kind, tmp_path):
    """The second of two files has the fault in its row 1; the first one's name is not told."""
    for name, words in (("a", ["01"] * 7), ("b", ["0", "02"])):
        path = tmp_path / f"{name}.{kind}"
        if kind == "txt":
            path.write_text("\n".join(words) + "\n")
        else:
            pq.write_table(table([[int(s) for s in word] for word in words]), path)
    with pytest.raises(InputError) as caught:
        read(str(tmp_path / f"*.{kind}"))
    message = str(caught.value).replace(str(tmp_path), "")
    assert f"b.{kind}" in message
    assert "a.txt" not in message
    assert "ow 1" in message or "word 1" in message
    assert not re.search(r"\b[78]\b", message), "seven rows lie in the file before"


def test_two_files_of_different_alphabets(tmp_path):
    (tmp_path / "a.txt").write_text("01\n")
    (tmp_path / "b.txt").write_text("ab\n")
    with pytest.raises(InputError, match=r"b\.txt.*'a'"):
        read(str(tmp_path / "*.txt"))


@pytest.mark.parametrize("kind", [pa.list_(pa.int64()), pa.large_list(pa.int64()), pa.string(), pa.list_(pa.string())])
def test_rows_without_a_word_are_named(kind):
    words = {pa.string(): "01", pa.list_(pa.string()): ["0", "1"]}.get(kind, [0, 1])
    data = table([words] * LATE + [None, words], kind=kind)
    with pytest.raises(InputError, match=rf"[Rr]ow {LATE}\b"):
        read(data)


@pytest.mark.parametrize("kind", [pa.list_(pa.uint8()), pa.list_(pa.int64()), pa.large_list(pa.int64())], ids=str)
def test_a_null_within_a_word_is_no_symbol(kind):
    data = table([[0, 1]] * LATE + [[0, None, 1]], kind=kind)
    with pytest.raises(InputError, match=rf"\b{LATE}\b.*osition 1"):
        read(data)


def test_a_null_within_a_word_of_a_file_is_no_symbol(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"input_ids": [0, 1]}\n{"input_ids": [0, null, 1]}\n')
    with pytest.raises(InputError, match=r"a\.jsonl"):
        read(tmp_path / "a.jsonl")


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_a_missing_column_names_those_there(ending, tmp_path):
    path, rows = tmp_path / f"a.{ending}", table(WORDS, "words", label=LABELS)
    if ending == "parquet":
        pq.write_table(rows, path)
    elif ending == "csv":
        pa.csv.write_csv(rows, path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows.to_pylist()))
    with pytest.raises(UnknownNameError, match=r"'word'.*words.*label"):
        read(path, column="word")


@pytest.mark.parametrize("data", [table(IDS, label=LABELS), datasets.Dataset.from_dict({"input_ids": IDS})])
def test_a_missing_column_of_a_table_names_those_there(data):
    with pytest.raises(UnknownNameError, match=r"'inputs'.*input_ids"):
        read(data, column="inputs")


def test_several_columns_that_could_be_words_are_named():
    with pytest.raises(InputError, match="first, second, label"):
        read(pa.table({"first": WORDS, "second": WORDS, "label": LABELS}))
    with pytest.raises(InputError, match="label"):
        read(pa.table({"label": LABELS}))


@pytest.mark.parametrize("column", ["label", "weight"])
def test_a_column_of_numbers_is_no_column_of_words(column):
    data = table(IDS, label=LABELS, weight=[0.5] * 5)
    with pytest.raises(InputError, match="words"):
        read(data, column=column)


def test_text_files_have_no_columns(tmp_path):
    (tmp_path / "a.txt").write_text("01\n")
    with pytest.raises(InputError, match="one word a line"):
        read(tmp_path / "a.txt", column="input_ids")


def test_missing_files_are_named(tmp_path):
    for pattern in (tmp_path / "no.parquet", tmp_path / "*.parquet", "no/where/*.csv"):
        with pytest.raises(SeqbenchError) as caught:
            read(pattern)
        assert str(pattern) in str(caught.value)


def test_unknown_kinds_of_files_are_named(tmp_path):
    (tmp_path / "a.xls").write_text("01")
    with pytest.raises(InputError, match=r"a\.xls.*\.parquet"):
        read(tmp_path / "a.xls")
    (tmp_path / "folder.txt").mkdir()
    for path in (tmp_path, tmp_path / "folder.txt"):
        with pytest.raises(InputError, match=path.name):
            read(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", b"no parquet"),
        ("a.jsonl", b'{"input_ids": [0, 1]}\n{"input_ids": [0,\n'),
        ("a.jsonl", b'["0", "1"]\n["1"]\n'),
        ("a.jsonl", b'"01"\n"1"\n'),
        ("a.jsonl", b"01\n1\n"),
        ("a.json", b'[\n  {"input_ids": [0, 1]}\n]\n'),
        ("a.jsonl", b'{"input_ids": "01"}\n{"input_ids": [0, 1]}\n'),
        ("a.jsonl", b'{"input_ids": [0, "1"]}\n'),
        ("a.jsonl", b'{"input_ids": 11}\n'),
        ("a.txt", b"01\n\xff\xfe\n"),
        ("a.csv", b"input_ids,label\n01,1\n01,1,1\n"),
        ("a.csv", b"input_ids,label\n\xff\xfe,1\n"),
    ],
)
def test_broken_files_are_named(name, content, tmp_path):
    """Words may be read from odd files; else the error is one of ours and names the file."""
    (tmp_path / name).write_bytes(content)
    found = outcome(tmp_path / name)
    assert found in ([[0, 1], [1]], [[0, 1]], [[0, 1], [0, 1]]) or name in found


@pytest.mark.parametrize("data", [3, 1.5, None, object(), True, b"01", np.array("01"), np.array(5)])
def test_other_things_hold_no_words(data):
    with pytest.raises(InputError, match=type(data).__name__):
        read(data)


@pytest.mark.parametrize(
    "data",
    [[0, 1, 1], np.array([0, 1, 1]), [[[0], [1]]], [1.5], [[0.5]], [[True]], [None], [{0, 1}], [b"01"], [[2**70]]],
    ids=str,
)
def test_lists_of_other_things_are_refused(data):
    with pytest.raises(InputError):
        read(data)


@pytest.mark.parametrize("word", [[0, 1.5], np.array([0, 1.5]), [1, float("nan")], np.array([1, np.inf])], ids=str)
def test_the_number_that_is_not_whole_is_named(word):
    with pytest.raises(InputError, match=f"Row 1: Position 1 of the word holds {word[1]}"):
        read([[0, 1], word])


@pytest.mark.parametrize("words", [["01"], [[0, 1]], np.array([[0, 1]])], ids=["text", "ids", "array"])
def test_a_column_of_words_without_columns_is_refused(words):
    with pytest.raises(InputError, match="column is 'word', and the rows are words without columns"):
        list(read_words(words, ("0", "1"), "word"))


def test_a_missing_row_of_json_lines_is_named(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"input_ids": "01"}\n{"label": 1}\n')
    with pytest.raises(InputError, match=r"a\.jsonl.*ow 1\b"):
        read(tmp_path / "a.jsonl")


@given(st.lists(st.lists(st.integers(0, 2), max_size=6), max_size=40))
def test_every_way_gives_the_same_words(words):
    alphabet = ("a", "b", "c")
    texts = ["".join(alphabet[i] for i in word) for word in words]
    ways = [words, texts, table(words, kind=KINDS[0]), table(words, kind=KINDS[5]), table(texts, kind=TEXTS[0])]
    assert all(read(way, alphabet) == words for way in ways)
    cut = len(words) // 3
    assert read(table(words, kind=KINDS[0]).slice(cut), alphabet) == words[cut:]
