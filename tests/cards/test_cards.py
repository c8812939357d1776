"""Every card is whole, fresh and true; its picture is there."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import seqbench
from seqbench.cards.card import SECTIONS, card
from seqbench.cards.freshness import FILE, card_key, made_from, record, write_record
from seqbench.cards.gallery import gallery
from seqbench.cards.pictures import picture
from seqbench.catalogue.reader import open_catalogue
from seqbench.dataset.examples import examples
from seqbench.dataset.markdown import examples_table
from seqbench.drawing import save
from seqbench.generation.plan import dataset_names, plan
from tests.thinned import thinned

NAMES = dataset_names()
CARDS = Path(__file__).parent.parent.parent / "cards"
CATALOGUE = open_catalogue()
STALE = "Run `make cards`."


def text_of(name):
    return (CARDS / f"{name}.md").read_text(encoding="utf-8")


def pictures_of(text):
    return re.findall(r"!\[[^]]*\]\(([^)]+)\)", text)


@pytest.mark.parametrize("name", NAMES)
def test_a_card_has_every_section_in_order_and_none_is_empty(name):
    headings = re.split(r"^## (.+)\n", text_of(name), flags=re.MULTILINE)[1:]
    assert tuple(headings[::2]) == SECTIONS
    assert all(body.strip() for body in headings[1::2])


@pytest.mark.parametrize("name", NAMES)
def test_a_card_is_of_this_data_and_these_sources(name):
    text, planned = text_of(name), plan(name)
    assert text.endswith(made_from(card_key(planned, CATALOGUE))), STALE
    assert all(f"| `{column}` |" in text for column in planned.schema.names)
    assert all(digest in text for digest in CATALOGUE.digests[name]["splits"].values()), STALE


@pytest.mark.parametrize("name", ["dyck_d2", "flare_parity", "memory_legacy_exp", "nesv_index", "cf_anbn", "group_z2"])
def test_a_card_is_what_make_cards_writes(name):
    planned = plan(name)
    body = card(planned, CATALOGUE, picture(planned))
    assert text_of(name) == f"{body}\n{made_from(card_key(planned, CATALOGUE))}", STALE


def test_code_cards_and_pictures_are_those_of_the_record():
    """A number or picture that would change comes from a changed dataset, or from changed code, or was edited."""
    assert json.loads((CARDS / FILE).read_text(encoding="utf-8")) == record(CARDS), STALE


def test_the_record_finds_one_edited_digit_in_any_card(tmp_path):
    for card_file in CARDS.glob("*.md"):
        shutil.copy(card_file, tmp_path)
    write_record(tmp_path)
    written = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    assert written == record(tmp_path)
    assert written["cards"].keys() == {"README.md", *(f"{name}.md" for name in NAMES)}
    for card_file in tmp_path.glob("*.md"):
        text = card_file.read_text(encoding="utf-8")
        card_file.write_text(re.sub(r"\d", lambda digit: str(9 - int(digit[0])), text, count=1), encoding="utf-8")
        assert record(tmp_path) != written
        card_file.write_text(text, encoding="utf-8")
    assert record(tmp_path) == written


@pytest.mark.parametrize("name", NAMES)
def test_the_picture_of_a_card_is_there(name):
    (link,) = pictures_of(text_of(name))
    assert (CARDS / link).is_file()


def test_no_picture_is_left_over_and_all_are_small():
    files = list((CARDS / "figures").iterdir())
    linked = {link for name in NAMES for link in pictures_of(text_of(name))}
    assert {f"figures/{file.name}" for file in files} == {link for link in linked if not link.startswith("..")}
    assert sum(file.stat().st_size for file in files) < 10_000_000
    assert max(file.stat().st_size for file in files) < 500_000


@pytest.mark.parametrize("name", ["tomita_3", "modular_arithmetic", "group_s3", "listops_a3_d9", "cs_ww", "flip_flop"])
def test_a_picture_drawn_twice_is_the_same_file(name, tmp_path):
    drawn = [save(picture(plan(name)).draw(), tmp_path / f"{number}.svg").read_bytes() for number in range(2)]
    assert drawn[0] == drawn[1]


@pytest.mark.slow  # it plans every dataset
def test_the_gallery_is_what_make_cards_writes():
    text = (CARDS / "README.md").read_text(encoding="utf-8")
    assert text == gallery(CATALOGUE, {name: picture(plan(name)) for name in NAMES}), STALE


def test_the_gallery_has_every_dataset_once_and_nothing_else():
    text = (CARDS / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\((\w+)\.md\)", text)) == NAMES
    assert all((CARDS / link).is_file() for link in re.findall(r'src="([^"]+)"', text))
    assert {path.stem for path in CARDS.glob("*.md")} == {*NAMES, "README"}


@pytest.mark.parametrize("name", thinned(NAMES))
def test_the_examples_of_a_card_are_true(name):
    found = examples(plan(name))
    assert found
    for example in found:
        row, (word, target) = example.row, list(example.row.values())[:2]
        solved = seqbench.solve(name, [word])[0]
        if "label" in row and "labels" not in row:
            assert solved == row["label"]
        elif "targets" in row:
            np.testing.assert_allclose(solved, target, atol=1e-4)
        else:
            assert solved == row.get("labels", target)
    assert examples_table(found) in text_of(name), STALE


@pytest.mark.parametrize("name", [name for name in NAMES if plan(name).label_names == ("reject", "accept")])
def test_a_language_has_a_member_a_non_member_and_a_near_miss(name):
    member, other, near = examples(plan(name))
    assert [each.kind for each in (member, other, near)] == ["member", "non-member", "near miss"]
    assert [each.row["label"] for each in (member, other, near, near.member)] == [1, 0, 0, 1]
    assert seqbench.solve(name, [each.row["input_ids"] for each in (member, other, near, near.member)]) == [1, 0, 0, 1]
    assert one_edit(near.member.row["input_ids"], near.row["input_ids"])


def one_edit(before, after):
    """Whether one symbol was replaced, two swapped, or one moved, by trying to undo it."""
    before, after = list(before), list(after)
    places = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    first, last = places[0], places[-1]
    moved = {0: before[first : last + 1], 1: after[first : last + 1]}
    return (
        len(places) == 1
        or (len(places) == 2 and before[first] == after[last] and before[last] == after[first])
        or any(one[1:] + one[:1] == other for one, other in ((moved[0], moved[1]), (moved[1], moved[0])))
    )


def test_a_wrong_edit_is_told_apart():
    assert one_edit([0, 1, 2, 3], [1, 2, 0, 3])
    assert not one_edit([0, 0, 0], [1, 1, 0])
