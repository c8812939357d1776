import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from seqbench.algebra import families
from seqbench.algebra.machine import Machine
from seqbench.algebra.monoid import Monoid
from seqbench.algebra.regex import compile_regex
from seqbench.algebra.structure import Structure
from seqbench.drawing import automaton, boxes, composition_maps, curve, egg_box, heat_map, layout, painters, save, style
from seqbench.drawing.automata import MAX_WRITTEN
from seqbench.errors import InputError
from tests.algebra.strategies import machines


def dyck(depth):
    return families.build("dyck", {"depth": depth})


few = settings(max_examples=25)  # each is a whole picture


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def inside(figure):
    """Whether nothing that is written leaves the page."""
    figure.draw_without_rendering()
    page = figure.bbox
    extents = [text.get_window_extent() for axes in figure.axes for text in axes.texts if text.get_text()]
    return all(page.x0 <= box.x0 and box.x1 <= page.x1 and page.y0 <= box.y0 and box.y1 <= page.y1 for box in extents)


@few
@given(machines(max_states=3))
def test_every_element_is_written_once(machine):
    monoid = Monoid.of(machine)
    figure = egg_box(monoid)
    assert inside(figure)
    cells = [word.lstrip(painters.STAR) for text in texts(figure)[1:] for word in text.split() if "group" not in text]
    assert sorted(cells) == sorted(
        painters.shortest_name(monoid.word(a).tolist(), machine.alphabet, powers=_long(monoid))
        for a in range(len(monoid))
    )
    stars = "".join(texts(figure)[1:]).count(painters.STAR)
    assert stars == len(monoid.idempotents)


def _long(monoid):
    return int(monoid.depth.max()) > painters.PLAIN_NAME


@few
@given(machines())
def test_any_automaton_is_drawn(machine):
    figure = automaton(machine)
    assert isinstance(figure, Figure)
    assert inside(figure)


def test_accepting_states_have_double_circles_and_the_sink_is_left_out():
    figure = automaton(compile_regex("0(0|1)?", "01"))
    circles = [patch for patch in figure.axes[0].patches if isinstance(patch, Circle)]
    assert len(circles) == 3 + 2
    assert any("sink" in text for text in texts(figure))


def test_other_machines_show_their_labels():
    figure = automaton(families.build("prefix", {"length": 1, "alphabet_size": 4}))
    assert "0/\nshort" in texts(figure)
    assert "\u03a3" in texts(figure)


def test_arcs_are_merged():
    machine = Machine.build("abcdef,", [[0, 0, 0, 0, 0, 1, 1], [1] * 7], [0, 1])
    assert {"a\u2026e", "f ,", "\u03a3"} <= set(texts(automaton(machine)))


def test_symbols_are_never_mathematics():
    machine = Machine.build(["$", "\\", "^"], [[1, 0, 1], [0, 1, 1]], [0, 1])
    for figure in (automaton(machine), egg_box(Monoid.of(machine))):
        figure.draw_without_rendering()
    assert any("$" in text for text in texts(automaton(machine)))
    heat_map([[1, 2], [3, 4]], names=["$a$_", "$$"]).draw_without_rendering()


@pytest.mark.parametrize("depth", [18, MAX_WRITTEN + 1])
def test_large_machines_become_matrices(depth):
    figure = automaton(families.build("arithmetic", {"modulus": 5}) if depth == 18 else dyck(depth))
    assert figure.axes[0].get_xlabel() == "to state"
    assert not texts(figure)


def test_symbols_stand_in_small_matrices():
    figure = automaton(families.build("left_to_right_arithmetic", {"modulus": 5}))
    assert {"+", "0", "0\u20264"} <= set(texts(figure))


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        (dyck(12), ["820 elements", "13 \u00d7 13"]),
        (families.build("arithmetic", {"modulus": 5}), ["518 elements", "groups of order 5"]),
        (compile_regex("(0|1){0,7}", "01"), ["J-classes: 9"]),
    ],
)
def test_larger_monoids_show_sizes(machine, words):
    figure = egg_box(Monoid.of(machine))
    assert inside(figure)
    assert all(any(word in text.replace("\n", " ") for text in texts(figure)) for word in words)


def test_many_j_classes_become_a_chart():
    monoid = Monoid.of(families.build("prefix", {"length": 7, "alphabet_size": 2}))
    assert Structure(monoid).num_j_classes > boxes.MAX_SHADED
    figure = egg_box(monoid)
    assert "255 elements" in figure.axes[0].get_title(loc="left")
    assert sum(bar.get_width() for bar in figure.axes[0].patches) == 255


@few
@given(st.integers(1, 9), st.data())
def test_layouts_keep_states_apart(states, data):
    pair = st.tuples(st.integers(0, states - 1), st.integers(0, states - 1)).filter(lambda arc: arc[0] != arc[1])
    tree = [(data.draw(st.integers(0, state - 1)), state) for state in range(1, states)]
    arcs = sorted({*tree, *data.draw(st.lists(pair, max_size=10) if states > 1 else st.just([]))})
    points = layout.positions(states, arcs)
    assert points.shape == (states, 2)
    assert layout.positions(states, arcs).tolist() == points.tolist()
    distances = np.linalg.norm(points[:, None] - points, axis=2)[np.triu_indices(states, 1)]
    assert (distances > layout.SPACING - 1e-9).all()
    assert len(layout.bends(points, arcs)) == len(arcs)


def test_heat_map_leaves_zeros_white_and_marks_groups():
    figure = heat_map([[0, 5, 0], [1, 0, 2], [0, 0, 900]], groups=[0, 1, 0], names=["", "a", "b"])
    axes = figure.axes[0]
    shown = axes.images[0].get_array()
    assert shown.mask.tolist() == [[True, True, False], [True, False, True], [False, False, True]]
    assert [line.get_xdata()[0] for line in axes.lines if line.get_xdata()[0] == line.get_xdata()[1]] == [1.5]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["\u03b5", "b", "a"]


@pytest.mark.parametrize("matrix", [np.zeros((4, 4)), np.ones((3, 7)), [[5]], np.eye(5)])
def test_heat_maps_without_contrast(matrix, tmp_path):
    save(heat_map(matrix), tmp_path / "map.png")


def test_large_heat_maps_lose_no_cell():
    matrix = np.zeros((3001, 3001))
    matrix[1234, 2345] = 7
    names = [str(i) for i in range(3001)]
    figure = heat_map(matrix, names=names, groups=np.arange(3001))
    assert figure.axes[0].images[0].get_array().compressed().tolist() == [7]
    assert len(figure.axes[0].get_xticks()) <= 24
    assert not figure.axes[0].lines


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([1, 2],), "no matrix"),
        (([[1, -2]],), "negative"),
        (([[np.nan]],), "not finite"),
        (([[1, 2]], {"groups": [0]}), "groups"),
        (([[1]], {"names": ["a", "b"]}), "names"),
    ],
)
def test_bad_heat_maps(arguments, words):
    matrix, options = (*arguments, {})[:2]
    with pytest.raises(InputError, match=words):
        heat_map(matrix, **options)


def test_curves():
    bands = {"a": ([0, 0, 0], [1, 1, 1])}
    figure = curve([1, 2, 4], {"a": [0, 1, 0], "b": [1, np.nan, 0]}, bands=bands, spans={"training": (1, 2)}, log="x")
    assert len(figure.axes[0].lines) == 2
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["training", "a", "b"]
    with pytest.raises(InputError, match=r"line 'a'.*\(2,\)"):
        curve([1, 2, 4], {"a": [0, 1]})
    with pytest.raises(InputError, match="without a line"):
        curve([1, 2, 4], {"b": [0, 1, 2]}, bands=bands)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_equal_pictures_are_equal_files(suffix, tmp_path):
    machine = compile_regex("(01)*", "01")
    first, second = (save(automaton(machine), tmp_path / f"{name}{suffix}") for name in "ab")
    assert first.read_bytes() == second.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"a{suffix}", f"b{suffix}"]


def test_saving_is_whole_or_nothing(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    path.write_text("old")

    def fail(*_):
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.replace", fail)
        with pytest.raises(InputError, match=r"a\.png.*disk full"):
            save(heat_map([[1]]), path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.png"]
    assert path.read_text() == "old"
    with pytest.raises(InputError, match=r"'a.bmp'.*\.svg"):
        save(heat_map([[1]]), tmp_path / "a.bmp")
    with pytest.raises(InputError, match="no folder"):
        save(heat_map([[1]]), tmp_path / "missing" / "a.png")


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (lambda: automaton(dyck(1)), lambda: egg_box(Monoid.of(dyck(1))), lambda: heat_map([[1]])):
        with pytest.raises(InputError, match=r"pip install 'seqbench\[plot\]'"):
            draw()


def test_settings_stay_as_they_were_and_import_is_light():
    code = (
        "import sys, seqbench.drawing as d; assert 'matplotlib' not in sys.modules and 'networkx' not in sys.modules;"
        "import matplotlib as m; before = dict(m.rcParams); d.heat_map([[1]]); assert dict(m.rcParams) == before;"
        "import matplotlib.pyplot as plt; assert not plt.get_fignums()"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
    assert style.RC["font.size"] == style.FONT_SIZE


def overlaps(labels):
    """Whether two labels of an axis touch."""
    boxes_of = [label.get_window_extent() for label in labels if label.get_text()]
    return any(a.overlaps(b) for i, a in enumerate(boxes_of) for b in boxes_of[:i])


def maps(machine):
    monoid = Monoid.of(machine)
    size = len(monoid)
    cells = np.random.default_rng(0).integers(0, 3, (2, size, size))
    return monoid, composition_maps(*cells, Structure(monoid).j_classes, monoid.names)


def test_classes_of_small_maps_are_named():
    monoid, figure = maps(compile_regex("(0|1)*11(0|1)*", "01"))
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert sorted(names) == sorted(name or "\u03b5" for name in monoid.names)
    assert figure.axes[0].get_ylabel() == "class of the left block"


@pytest.mark.parametrize(
    "machine",
    [
        compile_regex("(0|1)*11(0|1)*", "01"),
        dyck(3),
        dyck(6),
        families.build("prefix", {"length": 4, "alphabet_size": 2}),
        families.build("arithmetic", {"modulus": 5}),
    ],
)
def test_labels_of_maps_stand_apart(machine):
    figure = maps(machine)[1]
    figure.draw_without_rendering()
    for axes in figure.axes[:3]:
        assert not overlaps(axes.get_xticklabels())
        assert not overlaps(axes.get_yticklabels())
    assert all(axes.get_ylabel() for axes in figure.axes[3:]), "colour bars say what they show"


def test_groups_of_large_maps_are_named_by_their_first_class():
    monoid, figure = maps(dyck(6))
    j_classes = Structure(monoid).j_classes
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert len(labels) >= 6
    for label in labels:
        number, name = label[1:].split("  ")
        assert monoid.names[int(np.argmax(j_classes == int(number)))] == name.replace("\u03b5", "")
    assert "J-class" in figure.axes[0].get_xlabel()


def test_a_missing_composition_of_a_huge_map_is_not_lost():
    train, test = np.ones((1200, 1200)), np.ones((1200, 1200))
    train[701, 13] = 0
    red = composition_maps(train, test).axes[2].images[1].get_array()
    assert red.shape == (400, 400)
    assert np.argwhere(red.filled(False)).tolist() == [[233, 4]]


def test_train_and_test_have_the_same_colours_and_what_is_empty_is_none_of_them():
    left, right, ratio, *_ = composition_maps(np.array([[1, 0], [999, 0]]), np.array([[500, 0], [500, 0]])).axes
    assert left.images[0].get_clim() == right.images[0].get_clim() == pytest.approx((1e-3, 0.999))
    shades = ratio.images[0].cmap(np.linspace(0, 1, 256))[:, :3]
    for axes in (left, right, ratio):
        assert np.abs(shades - axes.get_facecolor()[:3]).max(axis=1).min() > 0.03


def test_small_differences_look_small():
    low, high = heat_map([[99, 100], [100, 99]]).axes[0].images[0].get_clim()
    assert high == 100
    assert low <= 10
