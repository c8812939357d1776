"""The picture of a dataset: its automaton, egg-box, product table, tree or a worked example cell by cell."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from seqbench.algebra.machine import Machine
from seqbench.dataset.examples import Example, examples
from seqbench.drawing import Strip, Tree, automaton, egg_box, product_table, strips, tree
from seqbench.generation.base_plan import BasePlan
from seqbench.generation.plan import Plan
from seqbench.generation.task_plan import TaskPlan
from seqbench.generation.tasks.groups.task import WordProblem
from seqbench.languages import language

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

MAX_STATES = 30  # beyond, neither the graph nor the matrix of an automaton can be read
TREE_LENGTH = 17  # symbols of a list whose tree is drawn
LINE = 36  # cells of a word that stand in one line
AUTOMATON = (
    "The minimal automaton: accepting states have a double circle, or states stand with their label; of many states, "
    "the symbols that lead from one to another."
)
EGG_BOX = "The J-classes of the syntactic monoid: egg-boxes, or if these are too many their sizes by depth."


@dataclass(frozen=True)
class Picture:
    """A picture as a card shows it.

    Attributes:
        link: its path from the folder of the cards.
        caption: what is to be seen.
        draw: makes the figure; None for a picture that is made elsewhere.
    """

    link: str
    caption: str
    draw: "Callable[[], Figure] | None" = None


def picture(planned: BasePlan) -> Picture:
    """The picture of a dataset, not yet drawn.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> picture(plan("dyck_d6")).link
        'figures/dyck_d6.svg'
    """
    link = f"figures/{planned.name}.svg"
    if isinstance(planned, Plan):
        return _of_machine(planned.name, link)
    if not isinstance(planned, TaskPlan):
        raise TypeError(type(planned))
    task: Any = planned.task
    if planned.recipe.task in ("memory", "memory_hybrid", "memory_legacy"):
        return Picture(f"../docs/figures/{task.facts()['figure']}", f"{planned.recipe.title}: rho and its tail energy.")
    if planned.recipe.task == "state_tracking":
        return _of_machine(planned.recipe.parameters["automaton"], link)
    if isinstance(task, WordProblem):
        caption = f"Products in {task.entries.group.name}: a colour for each element."
        return Picture(link, caption, lambda: product_table(task.entries.products, task.label_names))
    if planned.recipe.task == "listops":
        return Picture(link, "A short list as a tree: each list with its value.", lambda: tree(list_tree(planned)))
    return _of_examples(planned, link)


def _of_machine(name: str, link: str) -> Picture:
    lang = language(name)
    if lang.machine.num_states <= MAX_STATES:
        return Picture(link, AUTOMATON, lambda: automaton(lang.machine))
    return Picture(link, EGG_BOX, lambda: egg_box(lang.monoid))


def _of_examples(planned: TaskPlan, link: str) -> Picture:
    machine = getattr(getattr(planned.task, "language", None), "machine", None)
    if isinstance(machine, Machine) and machine.num_states <= MAX_STATES:
        return Picture(link, AUTOMATON, lambda: automaton(machine))
    found = examples(planned)
    near = next((each for each in found if each.member is not None), None)
    if near is not None:
        return Picture(
            link,
            "A member, and a near miss that one edit makes of it; cells that differ are shaded.",
            lambda: strips(_beside(near)),
        )
    return Picture(link, "An input and its target.", lambda: strips(_over(found[-1])))


def _beside(near: Example) -> list[Strip]:
    """A member over its near miss, what differs in another colour."""
    member = near.member or near
    upper, lower = _cells(member, member.word), _cells(near, near.word)
    changed = frozenset(place for place, pair in enumerate(zip(upper, lower, strict=True)) if len(set(pair)) > 1)
    return [Strip("member", upper), Strip("near miss", lower, changed)]


def _over(example: Example) -> list[Strip]:
    """The input over its target; positions without a target stay empty."""
    name = next(each for each in ("output_ids", "labels", "label") if each in example.shown)
    ids = example.row[name]
    target = (example.shown[name],) if isinstance(ids, int) else cells(example.shown[name], len(ids))
    counted = example.row.get("loss_mask", [True] * len(target))
    target = tuple(text if counts and text != "." else "" for text, counts in zip(target, counted, strict=True))
    return _wrapped({"input": _cells(example, example.word), "target": target})


def _wrapped(words: dict[str, tuple[str, ...]]) -> list[Strip]:
    """Words one below the other, long ones in several lines."""
    longest = max(map(len, words.values()))
    starts = range(0, longest, LINE)
    return [
        Strip(name if start == 0 else "", cells[start : start + LINE])
        for start in starts
        for name, cells in words.items()
    ]


def _cells(example: Example, text: str) -> tuple[str, ...]:
    return cells(text, len(example.row["input_ids"]))


def cells(text: str, number: int) -> tuple[str, ...]:
    """The symbols of a word as text, of which the number is known.

    Example:
        >>> cells("PUSH 0 POP", 3), cells("0 1; 1 0", 2), cells("011", 3)
        (('PUSH', '0', 'POP'), ('0 1', '1 0'), ('0', '1', '1'))
    """
    ways = (text.split("; "), text.split(), list(text), list(text.replace(" ", "")))
    return tuple(next(parts for parts in ways if len(parts) == number))


def list_tree(planned: TaskPlan) -> Tree:
    """The tree of a short list of ListOps that holds others; lists have their values.

    Example:
        >>> from seqbench.generation.plan import plan
        >>> list_tree(plan("listops_original")).height > 2
        True
    """
    rows = planned.sample(TREE_LENGTH, 64)
    words = [(row["input_ids"], planned.task.show(row)["input_ids"].split()) for row in rows]
    ids, tokens = max(words, key=lambda word: sum(token.startswith("[") for token in word[1]))
    return _subtree(planned, ids, tokens, 0)[0]


def _subtree(planned: TaskPlan, ids: list[int], tokens: list[str], start: int) -> tuple[Tree, int]:
    """The tree that begins at a token, and where it ends."""
    if not tokens[start].startswith("["):
        return Tree(tokens[start]), start + 1
    children, place = [], start + 1
    while tokens[place] != "]":
        child, place = _subtree(planned, ids, tokens, place)
        children.append(child)
    value = planned.task.solve([ids[start : place + 1]])[0]
    return Tree(f"{tokens[start][1:]} = {value}", tuple(children)), place + 1
