"""Size: what is too large is refused at once and in words; what is large stays flat in memory."""

import time

import pytest

from seqbench.algebra import families
from seqbench.algebra.machine import Machine
from seqbench.catalogue.languages import monoid_of
from seqbench.errors import InputError, TooLargeError
from seqbench.generation.counts import MAX_TABLE_BYTES
from seqbench.generation.edits import edit_graph
from seqbench.generation.laws import LAWS
from seqbench.generation.plan import plan

GENERATORS = [[1, 0, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 0]]  # of the symmetric group on 7 points, 5,040 elements


def test_tables_by_class_of_a_large_group_are_refused_at_once():
    machine = families.build("permutation_group", {"degree": 7, "generators": GENERATORS})
    monoid = monoid_of(machine)
    started = time.perf_counter()
    law = LAWS["class"](machine, monoid, machine.outputs)
    with pytest.raises(TooLargeError, match="longest length that fits") as caught:
        law.admits(10**6)
    assert time.perf_counter() - started < 2
    longest = int(str(caught.value).split("fits is ")[1].split(". ")[0].replace(",", ""))
    assert 1000 < longest < MAX_TABLE_BYTES / (8 * 5040 * 3)
    law.admits(100)  # still works


def test_a_plan_says_so_before_any_row_is_made():
    started = time.perf_counter()
    with pytest.raises(TooLargeError, match="4 GiB"):
        plan("dyck_d12", sampling="class", test_lengths=(1, 10**6)).splits  # noqa: B018
    assert time.perf_counter() - started < 5


def test_long_words_can_be_made_where_the_tables_fit():
    planned = plan("parity_check", test_lengths=1_000_000, test_examples_per_length=2, near_miss=False)
    for row in planned.block("test", 0).to_pylist():
        assert len(row["input_ids"]) == 1_000_000
        assert sum(row["input_ids"]) % 2 == row["label"]


def test_the_edits_of_a_machine_of_many_states_are_refused():
    machine = families.build("dyck", {"depth": 2000})
    with pytest.raises(TooLargeError, match="Near misses") as caught:
        edit_graph(machine)
    assert f"{machine.num_states}" in str(caught.value)


def test_edits_need_a_language():
    machine = families.build("modular_sum", {"modulus": 3, "weights": [0, 1]})
    with pytest.raises(InputError, match="3 labels") as caught:
        edit_graph(machine)
    assert "balanced" in str(caught.value)


def test_edits_need_a_label_for_every_word():
    partial = Machine.build("ab", [[1, 2], [0, 2], [2, 2]], [1, 0, -1])
    with pytest.raises(InputError):
        edit_graph(partial)


LIMITED = """
import resource, time
resource.setrlimit(resource.RLIMIT_DATA, ({megabytes} << 20, {megabytes} << 20))
from seqbench.algebra.machine import Machine
from seqbench.errors import SeqbenchError
from seqbench.generation.edits import edit_graph
from seqbench.generation.plan import plan
started = time.perf_counter()
try:
    {code}
except SeqbenchError as error:
    print(type(error).__name__)
except MemoryError:
    print("out of memory")
else:
    print("done")
assert time.perf_counter() - started < 30
"""


SLOW = [pytest.param(*size, marks=pytest.mark.slow) for size in [(2, 400), (30, 25), (300, 2)]]


@pytest.mark.parametrize(("states", "symbols"), [(2, 300), (1, 800), *SLOW])
def test_edits_are_refused_before_memory_is_gone(states, symbols, run):
    """Whatever is too large: states, symbols or edges."""
    table = f"[[(q + a) % {states} for a in range({symbols})] for q in range({states})]"
    outputs = f"[int(q == 0) for q in range({states})]"
    code = f"edit_graph(Machine.build([f's{{a}}' for a in range({symbols})], {table}, {outputs}))"
    assert run(LIMITED.format(megabytes=4096, code=code), timeout=120) in ("done", "TooLargeError")


@pytest.mark.parametrize("option", ["train_examples", "test_examples_per_length"])
def test_as_many_rows_as_an_option_allows(option, run):
    """A million million rows: the plan of the blocks must not be a list of a thousand million, or be refused."""
    code = f"plan('dyck_d6', near_miss=False, {option}=10**10).splits['{option.split('_')[0]}'].num_blocks"
    assert run(LIMITED.format(megabytes=1024, code=code), timeout=120) in ("done", "InputError", "TooLargeError")


GROWTH = """
import resource
from seqbench.generation.plan import plan

def peak(rows):
    part = plan("dyck_d6", train_examples=rows).splits["train"]
    for index in range(part.num_blocks):
        part.block(index)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

small = peak(100_000)
print(peak(2_000_000) - small)
"""


def test_memory_does_not_grow_with_the_rows(run):
    """Two million rows need 8 MiB more than a hundred thousand at most; their tokens alone take 41 MB."""
    assert int(run(GROWTH, timeout=120)) < 8 * 1024
