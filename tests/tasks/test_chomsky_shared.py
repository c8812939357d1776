"""What holds for every non-regular task of the Chomsky-hierarchy benchmark."""

import json

import numpy as np
import pytest

import seqbench
from seqbench.errors import InputError
from seqbench.generation.plan import plan
from seqbench.generation.streams import row_streams, unit_key
from seqbench.generation.tasks import TASKS
from seqbench.generation.tasks.chomsky import KINDS

# Input, output, symbols of the output that count; A is symbol 10. From the published code.
PUBLISHED = {
    "modular_arithmetic_brackets": "8629 3 1|815609 1 1|83586399 0 1|8888606195829956096846399 0 1",
    "reverse_string": "0000 0000 4|001000 000100 6|10011111 11111001 8",
    "solve_equation": "69A0 0 1|7698A2 3 1|769648A0 1 1|77166286761577986708888A4 0 1",
    "stack_manipulation": "1104 10112 5|112233 0020000 3|1000101434324232234333333 00000010011010001200000000 18",
    "binary_addition": "1211 00120 4|110211 0112000 4|1110012100001000011101011 00010010001110101120000000 19",
    "binary_multiplication": "1201 0120 3|010201 001200 4|0111111100100100000010210 0111111100100100000012000 22",
    "bucket_sort": "0403 0034 4|004003 000034 6|13204230 00122334 8",
    "compute_sqrt": "1111 11 2|011000 100 3|00111010 0111 4|0101101100000110001001100 0110101111110 13",
    "duplicate_string": "0000 00000000 8|001000 001000001000 12|10011111 1001111110011111 16",
    "missing_duplicate": "2000 0 1|111121 1 1|10201000 0 1|1101111120001101111100003 0 1",
    "odds_first": "0000 0000 4|001000 000010 6|10011111 01111011 8",
}
SMALLEST = dict.fromkeys(PUBLISHED, 1) | {
    "stack_manipulation": 2,
    "missing_duplicate": 2,
    "solve_equation": 3,
    "binary_addition": 3,
    "binary_multiplication": 3,
}
EMPTY = {"modular_arithmetic_brackets": 10, "solve_equation": 11, "stack_manipulation": 5, "bucket_sort": 5}
every = pytest.mark.parametrize("name", KINDS)


def _task(name, **given):
    return TASKS[name].build(TASKS[name].check(given))


def _ids(text):
    return [int(symbol, 16) for symbol in text]


@every
def test_published_cases(name):
    cases = [case.split() for case in PUBLISHED[name].split("|")]
    wanted = [_ids(output) for _, output, _ in cases]
    labelled = "label" in _task(name).schema.names
    assert seqbench.solve(name, [_ids(word) for word, _, _ in cases]) == (
        [output[0] for output in wanted] if labelled else wanted
    )
    assert set(KINDS) == set(PUBLISHED)


@every
def test_masks_of_published_cases(name):
    task = _task(name)
    if getattr(task, "masked", False):
        for word, _, counted in (case.split() for case in PUBLISHED[name].split("|")):
            assert sum(task.slow(_ids(word))[1]) == int(counted)


@every
def test_all_have_outputs_and_masks(name):
    """The same columns in all; the mask is of the output's length, and all true where the published task has none."""
    names = ["input_ids", "output_ids", "loss_mask"]
    rows = plan(name, test_lengths=(5, 20), test_examples_per_length=4).block("test", 0)
    assert rows.schema.names in (names, [*names, "label"])
    for row in rows.to_pylist():
        assert len(row["loss_mask"]) == len(row["output_ids"])
        assert all(row["loss_mask"]) or _task(name).masked
        assert "label" not in row or row["output_ids"] == [row["label"]]


@every
@pytest.mark.parametrize("layout", ["separate", "appended"])
def test_rows_of_every_length_are_right(name, layout):
    """Asked number a length; the task's own slow check; solve gives what the rows say."""
    planned = plan(name, layout=layout, test_lengths=(1, 70), test_examples_per_length=8)
    split = planned.splits["test"]
    blocks = [split.block(index) for index in range(split.num_blocks)]
    rows = [row for block in blocks for row in block.to_pylist()]
    task = planned.task
    for block in blocks:
        task.check(block)
    lengths = np.array([len(row["input_ids"]) - _appended(task, row) for row in rows])
    assert np.unique(lengths, return_counts=True)[0].tolist() == list(range(SMALLEST[name], 71))
    assert set(np.unique(lengths, return_counts=True)[1]) == {8}
    key = "label" if "label" in planned.schema.names else "output_ids"
    assert task.solve([row["input_ids"] for row in rows]) == [row[key] for row in rows]


def _appended(task, row):
    """How many empty tokens there are; they stand at the end, beside the output."""
    empty = len(task.alphabet)
    count = row["input_ids"].count(empty)
    if task.appended:
        assert count == len(row["output_ids"])
        assert row["input_ids"][-count:] == [empty] * count
    else:
        assert count == 0
    return count


@every
def test_empty_token_is_the_first_free_id(name):
    task = _task(name, layout="appended")
    assert task.facts()["empty_token"] == len(task.facts()["alphabet"])
    if name in EMPTY:
        assert task.facts()["empty_token"] == EMPTY[name]


@every
def test_rows_do_not_depend_on_other_lengths(name):
    alone = plan(name, test_lengths=(12, 12), test_examples_per_length=5).block("test", 0).to_pylist()
    among = plan(name, test_lengths=(5, 44), test_examples_per_length=5).block("test", 0).to_pylist()
    assert alone == [row for row in among if len(row["input_ids"]) == 12]


@every
def test_rows_do_not_depend_on_blocks(name):
    """Each row from its own stream: a part of a batch, in another order, has the same rows."""
    task, key = _task(name), unit_key("test", name)
    lengths, numbers = np.arange(200) % 37 + 5, np.arange(200)
    whole = _rows(task.draw(lengths, row_streams(key, numbers)))
    some = numbers[::-3]
    assert _rows(task.draw(lengths[some], row_streams(key, some))) == [whole[row] for row in some]


def _rows(columns):
    names = list(columns)
    return [
        dict(zip(names, row, strict=True)) for row in zip(*(columns[name].to_pylist() for name in names), strict=True)
    ]


@every
def test_a_batch_of_no_rows(name):
    columns = _task(name).draw(np.zeros(0, np.int64), row_streams(unit_key("test"), np.arange(0)))
    assert all(len(column) == 0 for column in columns.values())
    assert seqbench.solve(name, []) == []


@every
def test_inputs_as_text_arrays_and_one_alone(name):
    task = _task(name)
    row = _rows(task.draw(np.array([11]), row_streams(unit_key("test"), np.arange(1))))[0]
    shown = task.show(row)
    assert set(shown) <= set(task.schema.names)
    word, target = row["input_ids"], row.get("label", row["output_ids"])
    for one in (shown["input_ids"], word, np.array(word), tuple(word)):
        assert task.solve(one) == target
    assert task.solve([shown["input_ids"], word]) == [target] * 2
    assert task.solve(np.array([word, word])) == [target] * 2


@every
def test_check_finds_wrong_rows(name):
    task = _task(name)
    batch = plan(name, test_lengths=(20, 20), test_examples_per_length=3).block("test", 0)
    rows = batch.to_pylist()
    if "label" in rows[0]:
        rows[1]["label"] = (rows[1]["label"] + 1) % len(task.label_names)
        rows[2]["output_ids"] = [(rows[2]["label"] + 1) % len(task.label_names)]
    else:
        rows[1]["output_ids"][0] ^= 1
        rows[2]["loss_mask"][0] ^= True
    for wrong in (1, 2):
        with pytest.raises(InputError, match="Row 0 is wrong"):
            task.check(type(batch).from_pylist(rows[wrong:], schema=batch.schema))


@every
def test_facts_are_plain_and_name_the_smallest_length(name):
    task = _task(name)
    assert json.loads(json.dumps(task.facts()))["smallest_length"] == SMALLEST[name]
    assert np.flatnonzero(task.admits(10))[0] == SMALLEST[name]
    with pytest.raises(InputError, match=f"from {SMALLEST[name]} on"):
        plan(name).sample(SMALLEST[name] - 1)


BAD = {
    "modular_arithmetic_brackets": [
        "1+2",
        "((1))",
        "(1+2",
        "(1+2)(",
        "(1+2+3)",
        "--1",
        "-",
        "(-",
        "()",
        "1)",
        "(1*)",
        "",
    ],
    "solve_equation": [
        "(1+2)=3",
        "(x+x)=1",
        "x=",
        "x=+",
        "x==",
        "(x+1)3",
        "=x1",
        "x+1=2",
        "((x))=1",
        "((x+1)=2",
        "x3=",
    ],
    "stack_manipulation": ["01", "-", "a0", "0a1", "0", ""],
    "binary_addition": ["01", "0+", "+0", "0+1+1", "++", "0"],
    "binary_multiplication": ["01", "0*", "*0", "0*1*1"],
    "missing_duplicate": ["0101", "__", "01_0", "_0#0", "0_0", "_#", "0_#0#", "_"],
}


@pytest.mark.parametrize(("name", "word"), [(name, word) for name, words in BAD.items() for word in words])
def test_malformed_words_are_refused(name, word):
    with pytest.raises(InputError, match=r"no input of this task.*input"):
        seqbench.solve(name, word)


@every
def test_foreign_symbols_are_refused(name):
    for word in ([[99]], "z", [[0.5]], 7, None, [[True]]):
        with pytest.raises(InputError):
            seqbench.solve(name, word)
    with pytest.raises(InputError, match="before its end"):
        _task(name, layout="appended").solve([[len(_task(name).alphabet), 0]])


def test_parameters_out_of_range_are_refused():
    with pytest.raises(InputError, match="from 2 to 250"):
        plan("reverse_string", symbols=1)
    with pytest.raises(InputError, match="'separate' or 'appended'"):
        plan("bucket_sort", layout="append")
    with pytest.raises(InputError, match="'uniform' or 'published'"):
        plan("solve_equation", sampling="balanced")
