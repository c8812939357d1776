"""Reports: coverage of data against data and recipes, their consistency, and what is missing."""

import html
import itertools
import json
import math
from html.parser import HTMLParser

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seqbench
from seqbench.covering.api import coverage
from seqbench.covering.cover import cover
from seqbench.covering.expectation import expected_coverage
from seqbench.covering.expected import expected_counts
from seqbench.covering.page import write_html
from seqbench.covering.planning import coverage_plan
from seqbench.covering.schedules import SCHEDULES, level_name
from seqbench.covering.tally import Tally
from seqbench.errors import InputError, SeqbenchError, TooLargeError, UnknownNameError
from seqbench.languages import Language
from tests.covering.oracle import all_words, chunk, joins, language, lengths_of, planned, table_of, task_of
from tests.covering.test_tally import all_maps, class_of, counted, transformations, words_of


def listed(name, lengths, labels=True):
    """All words of the domain of some lengths, as lists of ids."""
    symbols, found = language(name).machine.num_symbols, []
    for length in lengths:
        inside = all_words(name, length).labels >= 0
        found += [
            list(word)
            for word, yes in zip(itertools.product(range(symbols), repeat=length), inside, strict=True)
            if yes or not labels
        ]
    return found


def consistent(facts):
    """What every report must satisfy."""
    assert json.loads(json.dumps(facts, allow_nan=False)) == json.loads(json.dumps(facts))
    assert 0 <= facts["unseen_mass_good_turing"] <= 1
    rows = facts["levels"]
    assert rows[-1]["level"] == "all levels"
    assert len({row["level"] for row in rows}) == len(rows)
    for row in rows:
        assert row["seen_1"] >= row["seen_3"] >= row["seen_10"] >= 0
        assert row["seen_1"] <= row["possible_in_training"]
        if "possible_in_test" in row:
            assert 0 <= row["of_those_seen"] <= min(row["seen_1"], row["possible_in_test"])
        if "test_mass_covered" in row:
            assert 0 <= row["test_mass_covered"] <= 1
    for key in ("seen_1", "possible_in_training", "possible_in_test"):
        if key in rows[-1]:
            single = [row[key] for row in rows[:-1]]
            assert max(single, default=0) <= rows[-1][key] <= sum(single)
    if "test_mass_covered" in facts:
        assert facts["test_mass_covered"] == rows[-1]["test_mass_covered"]
        missing = sum(each["share"] for each in facts["missing"])
        assert missing <= 1 - facts["test_mass_covered"] + 1e-9
        assert len(facts["missing"]) == min(20, facts["num_missing"])
        shares = [each["share"] for each in facts["missing"]]
        assert shares == sorted(shares, reverse=True)
    for share in facts.get("words_fully_covered", {}).values():
        assert -1e-12 <= share <= 1 + 1e-12


@pytest.mark.parametrize(("schedule", "min_width"), [("tree", 1), ("tree", 2), ("scan", 1), ("scan", 2), ("left", 1)])
def test_a_report_of_data_against_data_is_what_counting_gives(dataset, schedule, min_width):
    """Trained on every third word of the other tests, tested on all of them; the domain's words only."""
    lang, size = language(dataset), len(language(dataset).monoid)
    test = [
        word for word in words_of(dataset) if lang.machine.outputs[lang.monoid.maps[class_of(dataset, word), 0]] >= 0
    ]
    train = [word for word in test if word][::3]
    report = coverage(lang, train, test, schedule=schedule, min_width=min_width)
    facts = report.to_dict()
    consistent(facts)

    def shown(word):
        return [
            class_of(dataset, word[s : s + u]) * size + class_of(dataset, word[s + u : s + u + v])
            for _, s, u, v in joins(schedule, len(word), min_width)
        ]

    seen = {key for word in train for key in shown(word)}
    needed = [key for word in test for key in shown(word)]
    covered = sum(key in seen for key in needed) / len(needed) if needed else 1.0
    assert facts["test_mass_covered"] == pytest.approx(covered, abs=1e-12)
    assert facts["num_missing"] == len(set(needed) - seen)
    assert facts["levels"][-1]["seen_1"] == len(seen)
    lengths = sorted({len(word) for word in test})
    full = [np.mean([set(shown(w)) <= seen for w in test if len(w) == n]) for n in lengths]
    assert report.curve[0].tolist() == lengths
    np.testing.assert_allclose(report.curve[1], full)
    assert facts["words_fully_covered"] == pytest.approx(dict(zip(lengths, full, strict=True)))
    assert facts["train_words"] == len(train)
    assert facts["test_words"] == len(test)
    assert facts["train_lengths"] == [len(train[0]), len(train[-1])]
    assert facts["classes"]["of_words_seen"] == len({class_of(dataset, word) for word in train})
    for each, expected in zip(report.missing(5), facts["missing"], strict=False):
        assert vars(each) == expected


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_all_possible_words_cover_all(dataset, schedule):
    lengths = lengths_of(dataset)[1:-2] or (1, 3)
    words = listed(dataset, lengths)
    report = coverage(language(dataset), words, words[::5], schedule=schedule)
    facts = report.to_dict()
    consistent(facts)
    assert facts["test_mass_covered"] == 1
    assert facts["num_missing"] == 0
    assert facts["missing"] == []
    assert set(facts["words_fully_covered"].values()) == {1}
    for row in facts["levels"]:
        assert row["seen_1"] == row["possible_in_training"]
        assert row["of_those_seen"] == row["possible_in_test"]
    assert facts["train_words_outside_the_domain"] == 0


def test_all_possible_words_cover_the_recipe_of_the_test(dataset):
    """The exact curve is 1 and the covered mass too, where training holds all words of the test lengths."""
    lengths = lengths_of(dataset)[1:-2] or (1, 3)
    report = coverage(dataset, listed(dataset, lengths), test_lengths=(lengths[0], lengths[-1]))
    facts = report.to_dict()
    consistent(facts)
    assert facts["test_mass_covered"] == pytest.approx(1)
    assert facts["num_missing"] == 0
    assert facts["test_words"] is None
    np.testing.assert_allclose(report.curve[1], 1)
    assert facts["test_lengths"] == [lengths[0], lengths[-1]]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_need_of_a_recipe_is_the_expected_count(dataset, schedule):
    train = listed(dataset, lengths_of(dataset)[1:3])
    report = coverage(dataset, train, schedule=schedule, test_lengths=(13, 15))
    task = task_of(dataset, schedule)
    lengths = planned(dataset, test_lengths=(13, 15)).splits["test"].split.lengths
    weights = planned(dataset).recipe.sampling
    mean = sum(expected_counts(task, weights, lengths, np.full(len(lengths), 1 / len(lengths))).values()).ravel()
    assert report.pooled_need.keys.tolist() == np.flatnonzero(mean).tolist()
    np.testing.assert_allclose(report.pooled_need.weight, mean[mean > 0])
    seen = report.train.pairs().keys
    assert report.test_mass_covered == pytest.approx(mean[seen].sum() / mean.sum())
    assert report.num_missing == len(set(np.flatnonzero(mean).tolist()) - set(seen.tolist()))
    assert report.test_lengths.tolist() == lengths.tolist()
    assert report.curve is not None
    consistent(report.to_dict())


@pytest.mark.parametrize("min_width", [1, 2])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("name", ["dyck_d2", "tomita_3", "cycle_navigation", "prefix_p2_q4", "modular_arithmetic_l2r"])
def test_witnesses_show_what_is_missing(name, schedule, min_width):
    """A witness joins the classes named at a node that counts, and a user can train on it: it lies in the domain."""
    lang = language(name)
    train = listed(name, lengths_of(name)[1:2])[:3]
    test = listed(name, (5,))[:400]
    report = coverage(lang, train, test, schedule=schedule, min_width=min_width)
    missing = report.missing(100)
    assert len(missing) == min(100, report.num_missing)
    assert missing or (schedule, min_width) == ("left", 2)
    for each in missing:
        word = lang.encode(each.witness).tolist()
        key = (lang.syntactic_class(each.left), lang.syntactic_class(each.right))
        assert any(
            (lang.syntactic_class(word[s : s + u]), lang.syntactic_class(word[s + u : s + u + v])) == key
            for _, s, u, v in joins(schedule, len(word), min_width)
        ), each
        state = int(lang.monoid.maps[lang.syntactic_class(word), 0])
        assert lang.machine.outputs[state] >= 0, f"{each} lies outside the domain"


def test_a_witness_covers_its_composition_when_it_is_added():
    train, test = ["01"], language("dyck_d3").sample(16, n=200, seed=2)
    lang = language("dyck_d3")
    report = coverage(lang, train, test)
    first = report.missing(1)[0]
    again = coverage(lang, [*train, first.witness], test)
    assert again.test_mass_covered >= report.test_mass_covered + first.share - 1e-12
    everything = coverage(lang, [*train, *(each.witness for each in report.missing(10**6))], test)
    assert everything.test_mass_covered == 1
    assert everything.num_missing == 0


@pytest.mark.parametrize(
    "kind", ["list", "ids", "table", "data set", "iterable", "parquet", "csv", "jsonl", "txt", "glob"]
)
def test_every_origin_gives_the_same_report(kind, tmp_path):
    lang = language("dyck_d2")
    words = lang.sample(9, n=30, seed=3) + lang.sample(12, n=30, seed=4)
    path = tmp_path / f"a.{kind}"
    ids = [lang.encode(word).tolist() for word in words]
    data = {"list": words, "ids": ids, "table": pa.table({"input_ids": ids}), "glob": str(tmp_path / "*.parquet")}.get(
        kind, path
    )
    if kind in ("data set", "iterable"):
        data = datasets.Dataset.from_dict({"input_ids": ids})
        data = data.to_iterable_dataset() if kind == "iterable" else data
    elif kind in ("parquet", "glob"):
        half = len(ids) // 2
        pq.write_table(pa.table({"input_ids": ids if kind == "parquet" else ids[:half]}), tmp_path / "a.parquet")
        if kind == "glob":
            pq.write_table(pa.table({"input_ids": ids[half:]}), tmp_path / "b.parquet")
    elif kind == "jsonl":
        path.write_text("".join(json.dumps({"input_ids": word}) + "\n" for word in words))
    elif kind in ("csv", "txt"):
        path.write_text(("input_ids\n" if kind == "csv" else "") + "\n".join(words) + "\n")
    expected = coverage(lang, words, words[:20]).to_dict()
    assert coverage(lang, data, words[:20]).to_dict() == expected
    assert coverage(lang, words, data).to_dict() == coverage(lang, words, words).to_dict()


def test_generated_data_of_the_package_can_be_measured(tmp_path):
    options = {"train_examples": 5000, "test_lengths": (41, 44), "test_examples_per_length": 50}
    made = seqbench.load_dataset("dyck_d4", cache_dir=str(tmp_path), **options)
    report = coverage("dyck_d4", made["train"], made["test"])
    consistent(report.to_dict())
    assert report.train.words == 5000
    assert report.test_words == 200
    with pytest.raises(InputError, match="train, validation, test"):
        coverage("dyck_d4", made)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("part", ["train", "test", "both"])
def test_words_outside_the_domain_are_counted_and_named(schedule, part):
    """1+ and +1 are no expressions; a report of them says so and holds together."""
    good, bad = ["1+2", "3", "4*0-1"], ["1+2", "1+", "+1", "", "12"]
    train, test = good if part == "test" else bad, good if part == "train" else bad
    report = coverage(language("modular_arithmetic_l2r"), train, test, schedule=schedule)
    facts = report.to_dict()
    assert facts["train_words_outside_the_domain"] == (0 if part == "test" else 4)
    consistent(facts)
    text = repr(report)
    assert ("4" in text and "domain" in text) or part == "test"


def test_words_outside_the_domain_are_named_with_row_and_file(tmp_path):
    (tmp_path / "a.txt").write_text("1+2\n" * 5000 + "1+\n")
    (tmp_path / "b.txt").write_text("1\n+1\n\n" + "++\n" * 9)
    lang = language("modular_arithmetic_l2r")
    report = coverage(lang, str(tmp_path / "*.txt"), ["1", "12", "3"])
    facts = report.to_dict()
    a, b = str(tmp_path / "a.txt"), str(tmp_path / "b.txt")
    assert facts["train_words_outside_the_domain"] == 12
    assert facts["first_train_words_outside"] == [
        {"row": 5000, "file": a, "word": "1+"},
        {"row": 1, "file": b, "word": "+1"},
        {"row": 2, "file": b, "word": ""},
        {"row": 3, "file": b, "word": "++"},
        {"row": 4, "file": b, "word": "++"},
    ]
    assert facts["test_words_outside_the_domain"] == 1
    assert facts["first_test_words_outside"] == [{"row": 1, "file": "", "word": "12"}]
    for shown in (repr(report), html.unescape(report._repr_html_())):
        assert f"12 lie outside the task's domain, and nothing of them is counted: {a} row 5000 '1+'" in shown
        assert "..." in shown
        assert "Of 3 test words 1 lies outside the task's domain, and nothing of them is counted: row 1 '12'." in shown


@pytest.mark.parametrize(
    ("train", "test"), [(["1+", "+1"], None), (["1+"], ["1+"]), (["1+2"], ["1+"]), (["1+"], ["1"]), ([""], [""])]
)
def test_words_that_are_all_outside_have_a_report(train, test):
    report = coverage(language("modular_arithmetic_l2r"), train, test)
    facts = report.to_dict()
    inside = train == ["1+2"]
    assert facts["train_words_outside_the_domain"] == (0 if inside else len(train))
    assert facts["train_lengths"] == ([3, 3] if inside else [])
    consistent(facts)
    assert "outside the task's domain" in repr(report)
    assert report._repr_html_().count("<img") == (2 if test == ["1"] else 1)
    report.plot("maps")
    if test == ["1"]:
        report.plot("curve")
    else:
        with pytest.raises(InputError, match="Give a test set"):
            report.plot("curve")


class Page(HTMLParser):
    """Checks that tags are closed in turn and collects what matters."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.sources, self.alts, self.ids = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        facts = dict(attrs)
        self.ids += [facts["id"]] if "id" in facts else []
        self.sources += [facts[key] for key in ("src", "href") if key in facts]
        self.alts += [facts["alt"]] if tag == "img" else []
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_page_needs_nothing_else_and_has_pictures_with_a_text(tmp_path):
    lang = Language.from_regex("(<>)*", ("<", ">"))
    report = coverage(lang, ["<>", "<><><", ">"], ["<><><><>"])
    write_html(report, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert text.startswith("<!DOCTYPE html>")
    assert {"html", "head", "title", "body", "h1", "table", "caption", "thead", "figure", "figcaption"} <= set(
        page.tags
    )
    assert "script" not in page.tags
    assert len(page.sources) == len(page.alts) == 2
    assert all(source.startswith(("data:image/png;base64,", "data:image/svg+xml;base64,")) for source in page.sources)
    assert all(len(alt) > 20 for alt in page.alts)
    assert len(page.ids) == len(set(page.ids))
    assert "&lt;&gt;" in text
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_what_is_missing_is_asked_for_by_number():
    report = coverage(language("dyck_d3"), ["01"], ["0011"])
    assert report.missing(0) == []
    assert len(report.missing(1)) == 1
    assert report.to_dict(most=0)["missing"] == []
    for bad in (-1, 1.5, "3", None, True):
        with pytest.raises(InputError, match="most is"):
            report.missing(bad)


def test_a_witness_too_long_to_be_found_is_left_out(monkeypatch):
    report = coverage(language("dyck_d3"), ["01"], ["0011"])
    monkeypatch.setattr(report._witnesses, "word", lambda *_: None)
    assert report.to_dict()["missing"][0]["witness"] is None
    assert "longer than 16,384 symbols" in repr(report)
    assert "longer than 16,384 symbols" in report._repr_html_()


def test_long_words_are_cut_in_text_only():
    lang = Language.from_regex("(0{200})*", ("0",))
    report = coverage(lang, ["0" * 128], ["0" * 199])
    witnesses = [each.witness for each in report.missing()]
    assert max(map(len, witnesses)) > 60
    assert max(map(len, repr(report).splitlines())) < 300
    assert "characters)" in repr(report)
    assert max(witnesses, key=len) in report._repr_html_()


def test_where_all_was_seen_the_report_does_not_say_that_anything_is_left():
    found = cover("parity_check", max_length=8)
    whole = str(coverage("parity_check", found.words))
    assert "0 different ones are missing" in whole
    assert "can show no further composition" in whole
    assert "guess" not in whole
    assert "Good-Turing" not in whole
    part = str(coverage("parity_check", ["00"]))
    assert "Good-Turing" in part
    assert "has to guess on the rest" in part


def test_single_numbers_read_as_english():
    text = repr(coverage(language("parity_check"), ["01"], ["11"]))
    assert "1 training word of length 2;" in text
    assert "1 is missing" in text
    assert "(1 test word)" in text


def test_words_outside_show_nothing_that_is_impossible():
    """Two operators side by side occur in no expression: seen is counted among what is possible, or said apart."""
    facts = coverage(language("modular_arithmetic_l2r"), ["++", "1+2"]).to_dict()
    consistent(facts)


@pytest.mark.parametrize("name", ["dyck_d2", "modular_arithmetic_l2r"])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("train", "test"), [(["", ""], None), ([""], [""]), (["1"], ["1"]), (["0"], ["", "1"])])
def test_words_without_a_join_make_a_report(name, schedule, train, test):
    report = coverage(language(name), train, test, schedule=schedule)
    facts = report.to_dict()
    consistent(facts)
    assert facts["levels"][-1]["seen_1"] == 0
    assert facts["unseen_mass_good_turing"] == 0
    if test is not None:
        assert facts["test_words"] == len(test)
        labels = language(name).monoid.labels
        inside = [word for word in test if labels[class_of(name, tuple(int(s) for s in word))] >= 0]
        assert set(facts["words_fully_covered"].values()) == ({1.0} if inside else set())


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_any_report_has_a_text(schedule):
    for report in (
        coverage("dyck_d2", ["01", "0011"], schedule=schedule, test_lengths=(4, 6)),
        coverage(language("dyck_d2"), ["01", "0011"], ["0101"], schedule=schedule),
        coverage(language("dyck_d2"), ["01", "0011"], schedule=schedule),
    ):
        assert "dyck_d2" in repr(report)


def test_levels_are_named_as_the_schedule_names_them():
    for schedule in SCHEDULES:
        facts = coverage(language("dyck_d2"), ["0011010"], ["00110101"], schedule=schedule).to_dict()
        levels = sorted({level for n in (7, 8) for level, *_ in joins(schedule, n)})
        assert [row["level"] for row in facts["levels"]] == [*(level_name(schedule, k) for k in levels), "all levels"]


def test_good_turing_is_the_share_of_singletons(dataset):
    words = words_of(dataset)[1:]
    report = coverage(language(dataset), words)
    pooled = {}
    for (_, key), count in counted(dataset, "tree", 1)[0].items():
        pooled[key] = pooled.get(key, 0) + count
    single = sum(1 for count in pooled.values() if count == 1)
    assert report.unseen_mass == pytest.approx(single / sum(pooled.values()))


@pytest.mark.parametrize(
    "data", [[], pa.table({"input_ids": pa.array([], pa.list_(pa.uint8()))})], ids=["list", "table"]
)
def test_no_data_is_refused(data):
    with pytest.raises(InputError, match="training data"):
        coverage("parity_check", data)
    with pytest.raises(InputError, match="test data"):
        coverage("parity_check", ["01"], data)


def test_bad_arguments_are_named():
    with pytest.raises(UnknownNameError, match="dyck_d6"):
        coverage("dyk_d6", ["01"])
    with pytest.raises(UnknownNameError, match="tree"):
        coverage("dyck_d6", ["01"], schedule="threes")
    with pytest.raises(InputError, match="'2'"):
        coverage("dyck_d6", ["01", "012"])
    with pytest.raises(InputError, match="'2'"):
        coverage("dyck_d6", ["01"], ["02"])
    with pytest.raises(InputError, match="test_lengths"):
        coverage("dyck_d6", ["01"], test_lengths=(9, 3))
    with pytest.raises(UnknownNameError, match="input_ids"):
        coverage("dyck_d6", pa.table({"input_ids": [[0, 1]]}), column="inputs")


@pytest.mark.parametrize("wrong", [{"test_lengths": (4, 3)}, {"test": ["01"], "test_lengths": 3}], ids=str)
def test_bad_arguments_are_found_before_a_word_is_read(wrong):
    def words():
        raise AssertionError("read")
        yield "01"

    with pytest.raises(InputError, match="test_lengths"):
        coverage("dyck_d6", words(), **wrong)


@pytest.mark.parametrize("name", [3, None, ["dyck_d6"]])
def test_what_is_no_language_is_refused(name):
    with pytest.raises(UnknownNameError, match="There is no dataset or language"):
        coverage(name, ["01"])


def test_test_lengths_of_a_language_of_ones_own_are_those_of_uniform_words():
    own = Language.from_regex("(01)*")
    assert coverage(own, ["01"]).to_dict().get("test_lengths") in (None, [])
    words = ["".join(word) for word in itertools.product("01", repeat=3)]
    by_recipe, by_words = coverage(own, ["01", "100"], test_lengths=3), coverage(own, ["01", "100"], words)
    assert by_recipe.test_mass_covered == pytest.approx(by_words.test_mass_covered)
    with pytest.raises(InputError, match="backwards"):
        coverage(own, ["01"], test_lengths=(4, 3))


@pytest.mark.parametrize("min_width", [0, -1, 1.5, "2", None])
def test_a_bad_least_width_is_refused(min_width):
    with pytest.raises(SeqbenchError, match="min_width"):
        coverage("dyck_d6", ["0101"], min_width=min_width)
    with pytest.raises(SeqbenchError, match="min_width"):
        expected_coverage("dyck_d2", min_width=min_width)
    with pytest.raises(SeqbenchError, match="min_width"):
        coverage_plan("dyck_d2", test_lengths=(41, 44), min_width=min_width)
    with pytest.raises(SeqbenchError, match="min_width"):
        cover("dyck_d2", max_length=6, min_width=min_width)


def test_a_monoid_over_the_cap_is_refused():
    """All maps of eight points: 16,777,216 classes."""
    with pytest.raises(TooLargeError, match="1,000,000"):
        coverage(Language(transformations(8)), ["abc"])


@pytest.mark.parametrize("schedule", ["tree", "scan"])
def test_a_monoid_beyond_every_table_has_a_report(schedule):
    """46,656 classes: measured by walking, against data; every number but the recipe's is there."""
    lang, rng = all_maps(), np.random.default_rng(10)
    words = ["".join(rng.choice(list("abc"), length)) for length in rng.integers(1, 30, 300)]
    report = coverage(lang, words[:200], words[200:], schedule=schedule)
    facts = report.to_dict()
    consistent(facts)
    assert facts["num_classes"] == 46_656
    seen = Tally(lang.monoid, schedule).add_all([chunk(words[:200], "abc")]).pairs()
    assert facts["levels"][-1]["seen_1"] == len(seen)


RECIPE = "test_lengths = [31, 32]\ntrain_lengths = [1, 30]\nvalidation_lengths = [1, 30]"


def test_a_dataset_of_ones_own_with_many_classes(own):
    """Over 2,000 classes the recipe's need is left out, and the rest reported."""
    root = own(table_of(transformations(6)), RECIPE)
    report = coverage("own", ["abcabc", "ab", "c"], catalogue=root)
    consistent(report.to_dict())
    assert report.need == {}
    with pytest.raises(TooLargeError, match=r"2,000"):
        expected_coverage("own", catalogue=root)


@pytest.mark.parametrize(
    "more",
    [
        "",
        "test_examples_per_length = 0",
        "classes = false",
        'sampling = "near_miss"',
        'labels = ["accept"]',
        "sampling = { member = 0.5, uniform = 0.5 }",
        "held_out = true",
        'single_label_lengths = "drop"',
        "train_examples = 0",
    ],
)
def test_a_dataset_of_ones_own_with_odd_options_has_a_report(more, own):
    root = own('alphabet = ["0", "1"]\nregex = "(0|1)*(00|11)"', f"{RECIPE}\n{more}")
    report = coverage("own", ["0101", "0011", "1"], catalogue=root)
    consistent(report.to_dict())
    assert report.train.words == 3


def test_expected_coverage_of_many_examples_is_complete():
    found = expected_coverage("dyck_d2", train_examples=10**9, sampling="composition", test_lengths=(41, 43))
    assert found.expected_seen == pytest.approx(len(found.keys))
    assert found.test_mass_covered == pytest.approx(1)
    one = expected_coverage("dyck_d2", train_examples=1, train_lengths=(2, 2), test_lengths=(41, 43))
    assert one.expected_seen == pytest.approx(1)
    assert json.dumps(found.to_dict(), allow_nan=False)
    with pytest.raises(InputError, match="near_miss"):
        expected_coverage("dyck_d2", sampling="near_miss")
    assert not math.isnan(found.test_mass_covered)


def test_classes_are_counted_against_those_a_length_reaches():
    facts = coverage("dyck_d2", ["01", "0011", "10"], test_lengths=(41, 44)).to_dict()["classes"]
    lang = language("dyck_d2")
    reached = lang.monoid.reach(2) | lang.monoid.reach(4)
    assert facts["of_words_seen"] == len({lang.syntactic_class(word) for word in ("01", "0011", "10")})
    assert facts["of_words_possible_in_training"] == reached.sum()
    seen = {lang.syntactic_class(word) for word in ("01", "0011", "10", "00", "11")}
    needed = set(np.flatnonzero(np.any([lang.monoid.reach(n) for n in range(41, 45)], axis=0)).tolist())
    assert facts["num_never_seen"] == len(needed - seen)
    assert set(facts["never_seen"]) == {lang.monoid.name(element) for element in needed - seen}


def test_expected_coverage_names_what_will_be_missing():
    found = expected_coverage("dyck_d3", train_examples=200)
    chances = [each.share * each.chance for each in found.missing(50)]
    assert chances == sorted(chances, reverse=True)
    assert sum(each.share * each.chance for each in found.missing(10**6)) == pytest.approx(1 - found.test_mass_covered)
    assert found.expected_seen == pytest.approx(found.shown_by(1))
    assert found.expected_seen > found.shown_by(3) > found.shown_by(10) > 0
    assert found.missing(1)[0].witness in repr(found)
    assert "<table>" in found._repr_html_()
    assert "Traceback" not in found._repr_html_()


@pytest.mark.parametrize(
    "options", [{"held_out": True, "train_lengths": (12, 30), "validation_lengths": (12, 30)}, {"train_examples": 0},
                {"test_examples_per_length": 0}, {"classes": False}]
)  # fmt: skip
def test_recipes_whose_expected_coverage_is_unknown_are_refused(options):
    with pytest.raises(InputError):
        expected_coverage("dyck_d2", **options)


def test_without_training_words_the_datasets_own_are_measured():
    own = seqbench.coverage("dyck_d2", test_lengths=(41, 44))
    loaded = seqbench.load_dataset("dyck_d2", split="train", streaming=True)
    given = seqbench.coverage("dyck_d2", loaded, test_lengths=(41, 44))
    assert own.train.words == 100_000
    assert own.to_dict() == given.to_dict()
    with pytest.raises(InputError, match="--train FILE"):
        seqbench.coverage(seqbench.language("dyck_d2"))
