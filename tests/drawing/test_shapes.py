"""Strips, trees and product tables hold what they are given, and nothing leaves the page."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seqbench.drawing import Strip, Tree, product_table, strips, tree
from seqbench.drawing.tables import MAX_SHOWN, MAX_WRITTEN
from tests.drawing.test_drawing import few, inside, texts

WORDS = st.lists(st.text("ab10", max_size=6), min_size=1, max_size=8).map(tuple)
TREES = st.recursive(
    st.builds(Tree, st.text("01", min_size=1, max_size=9)),
    lambda children: st.builds(Tree, st.text("MX", min_size=1, max_size=9), st.lists(children, min_size=1).map(tuple)),
    max_leaves=8,
)


@few
@given(st.lists(st.builds(Strip, st.text("input", max_size=9), WORDS), min_size=1, max_size=4))
def test_strips_hold_every_cell_that_is_not_empty(rows):
    figure = strips(rows)
    assert inside(figure)
    written = [each for row in reversed(rows) for each in (row.name, *filter(None, row.cells))]
    assert texts(figure) == written


def test_marked_cells_have_another_colour():
    patches = strips([Strip("", ("0", "1", "0"), frozenset({1}))]).axes[0].patches
    colours = [patch.get_facecolor() for patch in patches]
    assert colours[0] == colours[2] != colours[1]


def words(node):
    return [*(word for child in node.children for word in words(child)), node.text]


@few
@given(TREES)
def test_trees_hold_every_node_below_its_parent(root):
    figure = tree(root)
    assert inside(figure)
    assert texts(figure) == words(root)
    heights = {round(text.get_position()[1], 6) for text in figure.axes[0].texts}
    assert len(heights) == root.height


def cyclic(order):
    return np.add.outer(np.arange(order), np.arange(order)) % order


def test_small_product_tables_are_written():
    table = cyclic(MAX_WRITTEN)
    figure = product_table(table, [str(n) for n in range(MAX_WRITTEN)])
    assert inside(figure)
    assert texts(figure) == [str(n) for n in table.ravel()]


def test_large_product_tables_say_what_is_left_out():
    for order, title in ((MAX_SHOWN, ""), (MAX_SHOWN + 1, f"the first {MAX_SHOWN} of {MAX_SHOWN + 1} elements")):
        axes = product_table(cyclic(order), [str(n) for n in range(order)]).axes[0]
        assert not axes.texts
        assert axes.get_title(loc="left") == title
        assert axes.images[0].get_array().shape == (MAX_SHOWN, MAX_SHOWN)


def test_tables_of_few_letters_are_drawn():
    assert product_table(cyclic(5)[:, :2], list("abcde")).axes[0].get_xlabel() == "letter"
