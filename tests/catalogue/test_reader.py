"""Files into records: what a file may hold, and what is said about one that holds something else."""

import json
import tomllib

import msgspec
import pytest

from seqbench.catalogue.languages import machine_of
from seqbench.catalogue.reader import VARIABLE, Catalogue, open_catalogue
from seqbench.catalogue.schema import Automaton, Change, Dataset, State, TaskDataset
from seqbench.dataset.report import checked
from seqbench.errors import DefinitionError, UnknownNameError

LANGUAGE = """
title = "Ends in b"
alphabet = ["a", "b"]
regex = ".*b"
source = "none"
[claims]
states = 2
monoid = 3
aperiodic = true
accepts = ["ab"]
rejects = ["a"]
"""
DATASET = """
title = "Does it end in b?"
automaton = "ends_in_b"
version = "1.1.0"
sampling = "balanced"
train_lengths = [1, 40]
source = "none"
[[history]]
version = "1.0.0"
change = "First release."
[[history]]
version = "1.1.0"
change = "Longer words."
"""


@pytest.fixture
def refusal(folder):
    """What is said about a language or dataset whose text is changed in one place."""

    def read(part, old, new):
        text = {"automata": LANGUAGE, "generators": DATASET}[part]
        assert old in text
        catalogue = open_catalogue(folder({f"{part}/ends_in_b.toml": text.replace(old, new, 1)}))
        with pytest.raises(DefinitionError) as caught:
            {"automata": catalogue.automaton, "generators": catalogue.dataset}[part]("ends_in_b")
        assert f"{part}/ends_in_b.toml" in str(caught.value).replace("\\", "/")
        return str(caught.value)

    return read


MACHINE = """
title = "Even"
source = "none"
alphabet = ["a", "b"]
[[table]]
state = "even"
label = "accept"
next = { a = "even", b = "even" }
"""
TASK = """
title = "Backwards"
task = "reverse_string"
version = "1.0.0"
source = "none"
[[history]]
version = "1.0.0"
change = "First release."
"""
KINDS = {
    "automata": (Automaton, MACHINE, {"table": State}),
    "dataset": (Dataset, DATASET, {"history": Change}),
    "task": (TaskDataset, TASK, {"history": Change}),
}


def required(record):
    return [field.name for field in msgspec.structs.fields(record) if field.required]


def without(kind):
    """Definitions from which one needed key is taken, with its name, where it lies, and the whole."""
    record, text, parts = KINDS[kind]
    for key in required(record):
        rest = tomllib.loads(text)
        del rest[key]
        yield key, "", rest
    for part, inner in parts.items():
        for key in required(inner):
            rest = tomllib.loads(text)
            del rest[part][0][key]
            yield key, f" in `{part}[0]`", rest


@pytest.mark.parametrize(
    ("kind", "key", "where", "rest"),
    [(kind, *each) for kind in KINDS for each in without(kind) if (kind, *each[:2]) != ("task", "task", "")],
)
def test_a_key_that_is_missing_is_asked_for_with_an_example(kind, key, where, rest, folder):
    part = "automata" if kind == "automata" else "generators"
    text = "".join(f"{name} = {inline(value)}\n" for name, value in rest.items())

    def read(text):
        opened = open_catalogue(folder({f"{part}/own.toml": text}))
        return opened.automaton("own") if part == "automata" else opened.dataset("own")

    with pytest.raises(DefinitionError) as caught:
        read(text)
    said = str(caught.value)
    assert f"own.toml: The key `{key}` is needed{where}, and is not there. Add it, for example: " in said
    example = said.partition("for example: ")[2]
    assert [*tomllib.loads(example)] == [key]
    if not where and key not in {"version", "history"}:  # the other two have to agree
        read(f"{example}\n{text}")


def inline(value):
    """A value as TOML on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {inline(each)}" for name, each in value.items()) + " }"
    return f"[{', '.join(map(inline, value))}]" if isinstance(value, list) else json.dumps(value)


def test_the_texts_are_good_as_they_are(folder):
    catalogue = open_catalogue(
        folder({"automata/ends_in_b.toml": LANGUAGE, "generators/deep/down/ends_in_b.toml": DATASET})
    )
    assert machine_of(catalogue, "ends_in_b").num_states == 2
    assert catalogue.dataset("ends_in_b").sampling == {"balanced": 1.0}
    assert catalogue.dataset("ends_in_b").train_lengths == (1, 40)


@pytest.mark.parametrize(
    ("part", "old", "new", "words"),
    [
        ("automata", "regex = ", "regexx = ", ["regexx", "'regex'"]),
        ("automata", "alphabet = ", "alphabt = ", ["alphabt", "'alphabet'"]),
        ("automata", "states = 2", "stats = 2", ["stats", "'states'", "claims"]),
        ("automata", "states = 2", "statse = 2", ["statse", "'states'", "claims"]),
        ("automata", "aperiodic = ", "aperodic = ", ["aperodic", "'aperiodic'"]),
        ("generators", "train_lengths", "train_length", ["train_length", "'train_lengths'"]),
        ("generators", "train_lengths", "train-lengths", ["train-lengths", "'train_lengths'"]),
        ("generators", "sampling", "smapling", ["smapling", "'sampling'"]),
        ("generators", "change = ", "chang = ", ["chang", "'change'", "history"]),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_that_exists(part, old, new, words, refusal):
    message = refusal(part, old, new)
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    ("part", "old", "new", "words"),
    [
        ("automata", 'title = "Ends in b"', "title = 5", ["title", "text", "a whole number"]),
        ("automata", 'alphabet = ["a", "b"]', 'alphabet = ["a", 2]', ["alphabet", "text", "a whole number"]),
        ("automata", "states = 2", 'states = "two"', ["states", "a whole number", "text"]),
        ("automata", "aperiodic = true", "aperiodic = 1", ["aperiodic", "true or false", "a whole number"]),
        ("generators", 'automaton = "ends_in_b"', "automaton = true", ["automaton", "text", "true or false"]),
        ("generators", "train_lengths = [1, 40]", "train_lengths = [1.0, 40]", ["train_lengths", "1.0", "whole"]),
        ("generators", 'sampling = "balanced"', "sampling = 3", ["sampling", "3", "balanced"]),
    ],
)
def test_a_wrong_type_is_named_with_its_key(part, old, new, words, refusal):
    message = refusal(part, old, new)
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    ("part", "old", "new", "words"),
    [
        ("generators", "[1, 40]", "[40, 1]", ["train_lengths", "[40, 1]", "backwards", "(1, 40)"]),
        ("generators", "[1, 40]", "[0, 40]", ["train_lengths", "0"]),
        ("generators", '"balanced"', '"balancd"', ["'balancd'", "'balanced'"]),
        ("generators", '"balanced"', "{ balanced = -1.0 }", ["sampling", "balanced", "-1.0"]),
        ("generators", '"1.1.0"\nsampling', '"1.1"\nsampling', ["'1.1'", "x.y.z"]),
        ("generators", '"1.1.0"\nsampling', '"1.2.0"\nsampling', ["history", "1.2.0"]),
        ("generators", '"1.0.0"', '"one"', ["'one'", "x.y.z"]),
        ("automata", "Ends in b", r"Ends in\u0000b", ["title", r"Ends in\x00b"]),
        ("generators", "title = ", r'title = "two\nlines" #', ["title", r"two\nlines"]),
        ("automata", 'regex = ".*b"', "", ["no definition", "regex"]),
        ("automata", 'regex = ".*b"', 'regex = ".*b"\nfamily = "dyck"', ["regex and family"]),
        ("automata", 'alphabet = ["a", "b"]', "", ["alphabet"]),
        ("automata", "title = ", "title ", ["line", "toml.io"]),
        ("generators", 'version = "1.1.0"\nsampling', "sampling", ["The key `version` is needed"]),
    ],
)
def test_a_wrong_value_is_named(part, old, new, words, refusal):
    message = refusal(part, old, new)
    assert all(word in message for word in words), message


def test_what_is_no_text_is_named(folder):
    where = folder({"automata/binary.toml": ""})
    (where / "automata" / "binary.toml").write_bytes(b'title = "\xaa"')
    with pytest.raises(DefinitionError, match=r"not text in UTF-8 \(byte 0xaa at position 9\)"):
        open_catalogue(where).automaton("binary")


def test_the_last_change_must_be_that_of_the_version(folder):
    text = DATASET[: DATASET.index("[[history]]")] + "history = []"
    catalogue = open_catalogue(folder({"generators/ends_in_b.toml": text}))
    with pytest.raises(DefinitionError, match="history"):
        catalogue.dataset("ends_in_b")


OLDER = DATASET[: DATASET.index('[[history]]\nversion = "1.1.0"')].replace("1.1.0", "1.0.0")


def test_an_older_version_is_read_from_its_own_file(folder):
    catalogue = open_catalogue(folder({"generators/ends_in_b.toml": DATASET, "generators/ends_in_b@1.0.0.toml": OLDER}))
    assert ("ends_in_b", "1.0.0") in catalogue.older
    assert catalogue.dataset("ends_in_b", "1.0.0").version == "1.0.0"
    assert catalogue.dataset("ends_in_b").version == "1.1.0"


@pytest.mark.parametrize(
    ("stem", "text", "words"),
    [
        ("ends_in_b@1.0.0", OLDER.replace("title =", "title"), "it is not TOML"),
        ("ends_in_b@1.0.0", DATASET, "its version is '1.1.0', its name says '1.0.0'"),
        ("ends_in_a@1.0.0", OLDER, "there is no ends_in_a.toml"),
        ("ends_in_b@1.1.0", DATASET, "version '1.1.0' is that of "),
        ("ends_in_b@0.9.0", OLDER.replace("1.0.0", "0.9.0"), "has no version '0.9.0', but 1.0.0, 1.1.0"),
    ],
)
def test_an_older_version_that_cannot_be_used_is_found(stem, text, words, folder):
    where = folder(
        {"automata/ends_in_b.toml": LANGUAGE, "generators/ends_in_b.toml": DATASET, f"generators/{stem}.toml": text}
    )
    with pytest.raises(DefinitionError) as caught:
        open_catalogue(where).dataset(*stem.split("@"))
    assert words in str(caught.value)
    assert f"{stem}.toml" in str(caught.value)
    with pytest.raises(DefinitionError) as again:
        checked(where)
    assert str(again.value) == str(caught.value)


def test_two_files_of_the_present_version_are_refused_whichever_is_asked(folder):
    where = folder({"generators/ends_in_b.toml": DATASET, "generators/ends_in_b@1.1.0.toml": DATASET})
    with pytest.raises(DefinitionError, match="Remove one of them"):
        open_catalogue(where).dataset("ends_in_b")


def test_a_name_hides_its_older_versions_too(folder):
    lower = folder({"generators/one.toml": DATASET, "generators/one@1.0.0.toml": OLDER}, "lower")
    upper = folder({"generators/one.toml": OLDER}, "upper")
    assert Catalogue(lower, upper).older == []
    assert Catalogue(lower, upper).dataset("one", "1.0.0").version == "1.0.0"


def test_every_built_in_file_can_be_read(dataset):
    catalogue = open_catalogue()
    record = catalogue.dataset(dataset)
    assert getattr(record, "automaton", None) in {None, *catalogue.automata}
    assert record.history[-1].version == record.version
    assert record.source


def test_a_stem_may_stand_once_in_a_folder(folder):
    root = folder({"automata/ends_in_b.toml": LANGUAGE, "automata/more/ends_in_b.toml": LANGUAGE})
    with pytest.raises(DefinitionError) as caught:
        open_catalogue(root)
    assert "'ends_in_b' is taken" in str(caught.value)
    assert str(caught.value).count("ends_in_b.toml") == 2


@pytest.mark.parametrize("stem", ["Ends", "2b", "ends-in-b", "ends in b", "_b", "bé"])
def test_a_stem_is_a_plain_name(stem, folder):
    with pytest.raises(DefinitionError, match="cannot be used") as caught:
        open_catalogue(folder({f"automata/{stem}.toml": LANGUAGE}))
    assert repr(stem) in str(caught.value)


def test_other_files_are_passed_over(folder):
    root = folder({"automata/ends_in_b.toml": LANGUAGE, "automata/README.md": "notes", "automata/x/notes.txt": "y"})
    assert set(open_catalogue(root).automata) - set(open_catalogue().automata) == {"ends_in_b"}


def test_a_folder_of_ones_own_lies_on_top(folder, monkeypatch):
    built_in = open_catalogue()
    hiding = LANGUAGE.replace("Ends in b", "Hides Tomita 1")
    monkeypatch.setenv(VARIABLE, str(folder({"automata/ends_in_b.toml": LANGUAGE, "automata/tomita_1.toml": hiding})))
    catalogue = open_catalogue()
    assert set(catalogue.automata) == {*built_in.automata, "ends_in_b"}
    assert catalogue.datasets == built_in.datasets
    assert catalogue.automaton("tomita_1").title == "Hides Tomita 1"
    assert catalogue.automaton("tomita_2") == built_in.automaton("tomita_2")
    monkeypatch.delenv(VARIABLE)
    assert "ends_in_b" not in open_catalogue().automata
    assert open_catalogue().automaton("tomita_1").title != "Hides Tomita 1"


def test_the_argument_goes_before_the_variable(folder, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(folder({"automata/ends_in_b.toml": LANGUAGE}, "first")))
    second = folder({"automata/other.toml": LANGUAGE}, "second")
    assert "other" in open_catalogue(second).automata
    assert "ends_in_b" not in open_catalogue(second).automata


def test_an_empty_variable_is_none(monkeypatch):
    monkeypatch.setenv(VARIABLE, "")
    assert open_catalogue().automata


def test_a_folder_that_is_not_there_or_holds_nothing(tmp_path, monkeypatch):
    with pytest.raises(UnknownNameError, match="nowhere"):
        open_catalogue(tmp_path / "nowhere")
    with pytest.raises(DefinitionError, match="neither automata/ nor generators/"):
        open_catalogue(tmp_path)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(UnknownNameError, match="nowhere"):
        open_catalogue()


def test_unknown_names_come_with_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'tomita_1'"):
        open_catalogue().automaton("tomita1")
    with pytest.raises(UnknownNameError, match="Did you mean 'dyck_d6'"):
        open_catalogue().dataset("dick_d6")
