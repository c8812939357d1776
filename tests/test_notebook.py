"""What notebooks show: HTML that parses, all text escaped; of every language, plan and memory function."""

import html.parser
import subprocess
import sys

import pytest

import seqbench
from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import SHOWN_PRODUCTS, Monoid
from seqbench.catalogue.recipe import Recipe
from seqbench.catalogue.schema import TaskDataset
from seqbench.dataset.hub.compare import Finding
from seqbench.dataset.hub.verify import Report
from seqbench.generation.plan import dataset_names, language_dataset_names, plan
from seqbench.languages import PICTURED, SHOWN_CLASSES
from seqbench.notebook import EMPTY, WIDTH, facts, section

NASTY = '<b>&"'


class Parsed(html.parser.HTMLParser):
    """Text, tags and pictures; fails where a tag is closed that is not the open one."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text, self.images = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "img":
            self.images.append(dict(attrs))
        else:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    @property
    def cells(self):
        return [text for text in self.text if text.strip()]


def shown(thing):
    return Parsed(thing._repr_html_())


@pytest.mark.parametrize("name", language_dataset_names())
def test_every_language_shows_its_facts_and_a_small_automaton(name):
    language = seqbench.language(name)
    found = shown(language)
    values = dict(zip(found.cells[1::2], found.cells[2::2], strict=True))
    assert found.cells[0] == f"Language {name}"
    assert values["states"] == str(language.machine.num_states)
    assert values["classes"] == f"{len(language.monoid):,}"
    assert values["level"] == language.structure.level
    assert len(found.images) == (language.machine.num_states <= PICTURED)
    assert all(image["src"].startswith("data:image/svg+xml;base64,") and name in image["alt"] for image in found.images)


@pytest.mark.parametrize("name", language_dataset_names())
def test_every_monoid_shows_its_facts_and_few_products(name):
    monoid = seqbench.language(name).monoid
    found = shown(monoid)
    assert f"{len(monoid):,}" in found.cells
    assert ("td" in found.tags and found.tags.count("tr") > 4) == (len(monoid) <= SHOWN_PRODUCTS)


def test_products_stand_in_their_row_and_column():
    monoid = seqbench.language("dyck_d1").monoid
    names = [name or EMPTY for name in monoid.names]
    rows = [row.split("<td>")[1:] for row in monoid._repr_html_().split("<tr>") if "<td>" in row][-len(monoid) :]
    cells = [[cell.split("</td>")[0] for cell in row] for row in rows]
    products = [[names[each] for each in row] for row in monoid.product_table]
    assert cells == [[name, *row] for name, row in zip(names, products, strict=True)]


@pytest.mark.parametrize("name", dataset_names())
def test_every_plan_shows_its_splits_and_options(name):
    planned = plan(name)
    cells = shown(planned).cells
    assert cells[0] == f"{name} {planned.version}"
    assert {*planned.splits, "seed", "train_lengths"} <= {*cells}
    assert {f"{part.num_examples:,}" for part in planned.splits.values()} <= {*cells}


def test_recipes_show_every_option():
    assert {*Recipe().options()} <= {*shown(Recipe()).cells}
    assert shown(plan("dyck_d2").recipe).cells[0] == plan("dyck_d2").recipe.title


@pytest.mark.parametrize("name", dataset_names())
def test_every_recipe_shows_its_options_and_parameters(name):
    recipe = plan(name).recipe
    cells = shown(recipe).cells
    assert cells[0] == recipe.title
    own = recipe.parameters if isinstance(recipe, TaskDataset) else {}
    assert {*recipe.options(), *own} <= {*cells}


def test_a_check_shows_what_is_wrong():
    right = Report(checked="hub", rows=1000, findings=())
    assert shown(right).cells == ["Check", "hub: 1,000 rows read; all is right."]
    wrong = Report(checked="hub", rows=5, findings=(Finding(what=f"Row 3 differs: {NASTY}.", split="train"),))
    found = shown(wrong)
    assert "hub: 5 rows read; 1 thing is wrong." in found.cells
    assert {f"Row 3 differs: {NASTY}.", "train"} <= {*found.cells}
    assert "b" not in found.tags


def test_a_plan_for_coverage_reads_in_order():
    cells = shown(seqbench.coverage_plan("dyck_d2", test_lengths=(41, 60))).cells
    table, best = cells.index("sampling"), next(n for n, cell in enumerate(cells) if cell.startswith("Best mixture"))
    assert cells[table - 1].startswith("Training words (lengths uniform from 1 to 8;")
    assert cells[table - 1].endswith("that show all with chance 0.99:")
    assert table < best
    assert cells[best - 2] == "best mixture"  # the last row of the table that the sentence explains


def test_a_cover_shows_its_first_words_with_labels():
    language, found = seqbench.language("dyck_d2"), seqbench.cover("dyck_d2", max_length=16, times=3)
    cells = shown(found).cells
    rows = cells[cells.index("label") + 1 :]
    assert rows[::3] == ["".join(map(str, word)) for word in found.words[: len(rows) // 3]]
    assert rows[1::3] == [str(len(word)) for word in rows[::3]]
    assert rows[2::3] == [language.labels[language.label(word)] for word in rows[::3]]
    assert 3 <= len(rows) // 3 < len(found.words)


@pytest.mark.parametrize("name", ["dyck_d6", "parity_check", "modular_arithmetic"])
def test_structures_describe_themselves_in_a_line(name):
    structure = seqbench.language(name).structure
    assert repr(structure) == f"<Structure of {len(structure.monoid):,} elements: {structure.level}>"


def test_pictures_of_reports_fit_a_narrow_page():
    report = seqbench.coverage("dyck_d2", ["01", "0011"], test_lengths=(41, 44))
    images = shown(report).images
    assert len(images) == 2
    assert all("max-width: 100%" in image["style"] for image in images)


@pytest.mark.parametrize("family", ["exp", "impulse", "airy", "hybrid", "legacy_bumps"])
def test_memory_functions_show_a_picture(family):
    found = shown(seqbench.memory(family))
    assert family in found.cells[0]
    assert len(found.images) == 1


def test_symbols_and_names_are_escaped():
    machine = Machine.build([NASTY, "b"], [[1, 0], [0, 1]], [0, 1], labels=["no", NASTY])
    language = seqbench.Language(machine, NASTY)
    for thing in (language, Monoid.of(machine)):
        found = shown(thing)
        assert "b" not in found.tags
        assert any(NASTY in text for text in found.text)
    assert NASTY in shown(language).images[0]["alt"]


def test_many_classes_are_not_counted_and_long_values_are_cut():
    big = seqbench.language("dyck", depth=30)
    assert f"more than {SHOWN_CLASSES:,}" in shown(big).cells
    assert len(Parsed(facts({"value": "x" * 1000})).cells[1]) == WIDTH


def test_a_section_leaves_out_what_is_empty():
    assert Parsed(section("title", ["", "line"], "")).cells == ["title", "line"]


def test_without_matplotlib_the_facts_are_there():
    code = """
import sys
sys.modules["matplotlib"] = None
import seqbench
for thing in (seqbench.language("dyck_d2"), seqbench.memory("airy")):
    page = thing._repr_html_()
    assert "<table>" in page and "<img" not in page
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
