"""Splits and blocks of every dataset: what they hold, and that each is a pure function of what it is."""

import hashlib
import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from seqbench.algebra.alphabet import token_dtype
from seqbench.errors import InputError, SeqbenchError, UnknownNameError
from seqbench.generation.plan import language_dataset_names, plan

SMALL = {
    "train_examples": 3000,
    "validation_examples": 300,
    "test_lengths": (41, 46),
    "test_examples_per_length": 8,
}
SPLITS = ("train", "validation", "test", "test_near_miss")


def table(planned, split):
    part = planned.splits[split]
    return pa.Table.from_batches([part.block(i) for i in range(part.num_blocks)]).combine_chunks()


def words(planned, split):
    return [tuple(word) for word in table(planned, split)["input_ids"].to_pylist()]


def lengths_of(planned, split):
    return [len(word) for word in words(planned, split)]


def outputs_by_length(machine, longest):
    """The labels that the words of each length have (-1: outside), by a plain walk over sets of states."""
    states, found = {0}, []
    for _ in range(longest + 1):
        found.append({int(machine.outputs[q]) for q in states})
        states = {int(after) for q in states for after in machine.transitions[q]}
    return found


def state_after(machine, state, word):
    for symbol in word:
        state = int(machine.transitions[state, symbol])
    return state


def test_labels_and_classes_are_right_in_every_split(dataset):
    """Recomputed symbol by symbol; a class must act on every state as its word does."""
    planned = plan(dataset, **SMALL)
    machine, monoid = planned.machine, planned.monoid
    for split, part in planned.splits.items():
        for index in range(part.num_blocks):
            rows = planned.block(split, index).to_pylist()
            for row in rows[:: max(1, len(rows) // 30)]:
                word = row["input_ids"]
                assert machine.outputs[state_after(machine, 0, word)] == row["label"] >= 0
                acts = [state_after(machine, q, word) for q in range(0, machine.num_states, 7)]
                assert monoid.maps[row["syntactic_class"], ::7].tolist() == acts


def test_all_labels_and_classes_of_the_default_recipe(dataset):
    planned = plan(dataset)
    for split, part in planned.splits.items():
        batch = planned.block(split, part.num_blocks - 1)
        column = batch["input_ids"]
        tokens, offsets = column.flatten().to_numpy(), column.offsets.to_numpy().astype(np.int64)
        finals = planned.machine.run(tokens, offsets - offsets[0])
        assert np.array_equal(batch["label"].to_numpy(), planned.machine.outputs[finals])
        classes = planned.monoid.class_of(tokens, offsets - offsets[0])
        assert np.array_equal(batch["syntactic_class"].to_numpy(), classes)


def test_rows_and_blocks_add_up(dataset):
    planned = plan(dataset, **SMALL | {"train_examples": 9000})
    assert [*planned.splits] == [split for split in SPLITS if split in planned.splits]
    assert planned.splits["train"].num_examples == 9000
    assert planned.splits["validation"].num_examples == 300
    for split, part in planned.splits.items():
        assert table(planned, split).num_rows == part.num_examples
        assert all(0 < part.block(i).num_rows <= 4096 for i in range(part.num_blocks))


def test_columns(dataset):
    planned = plan(dataset, **SMALL)
    schema = planned.block("train", 0).schema
    assert schema == planned.schema
    assert schema.names == ["input_ids", "label", "syntactic_class"]
    assert schema.field("input_ids").type == pa.list_(pa.from_numpy_dtype(token_dtype(planned.machine.alphabet)))
    assert plan(dataset, classes=False, **SMALL).block("train", 0).schema.names == ["input_ids", "label"]


def test_blocks_are_pure_functions(dataset):
    """In any order, from any plan, twice."""
    one, other = plan(dataset, **SMALL | {"train_examples": 9000}), plan(dataset, **SMALL | {"train_examples": 9000})
    places = [(split, i) for split, part in one.splits.items() for i in range(part.num_blocks)]
    forwards = {place: one.block(*place) for place in places}
    for place in reversed(places):
        assert other.block(*place).equals(forwards[place])
    assert one.block(*places[0]).equals(forwards[places[0]])


@pytest.mark.parametrize("changes", [{}, {"targets": "prefix"}, {"held_out": True, "train_lengths": (12, 30)}], ids=str)
def test_blocks_made_together_are_those_made_alone(dataset, changes):
    """In the order asked for, whether they hold one length or many."""
    sizes = {"train_examples": 9000, "validation_examples": 5000, "test_lengths": (41, 44)}
    try:
        planned = plan(dataset, **sizes, test_examples_per_length=5000, **changes)
        splits = planned.splits
    except InputError:
        assert "held_out" in changes  # refused for languages with few words
        return
    for split, part in splits.items():
        order = [part.num_blocks - 1, *range(part.num_blocks - 1)]
        for index, batch in zip(order, planned.blocks(split, order), strict=True):
            assert batch.equals(planned.block(split, index)), (split, index)


DIGEST = f"""
import hashlib
from seqbench.generation.plan import language_dataset_names, plan
for name in language_dataset_names():
    planned, digest = plan(name, **{SMALL!r}), hashlib.sha256()
    for split in planned.splits:
        for index in reversed(range(planned.splits[split].num_blocks)):
            digest.update(repr(planned.block(split, index).to_pydict()).encode())
    print(name, digest.hexdigest())
"""


def test_other_processes_make_the_same_rows(run):
    """Whatever the order of sets and dictionaries there."""
    here = []
    for name in language_dataset_names():
        planned, digest = plan(name, **SMALL), hashlib.sha256()
        for split, part in planned.splits.items():
            for index in reversed(range(part.num_blocks)):
                digest.update(repr(planned.block(split, index).to_pydict()).encode())
        here.append(f"{name} {digest.hexdigest()}")
    for seed in ("1", "2"):
        assert run(DIGEST, PYTHONHASHSEED=seed).splitlines() == here


def test_fewer_training_rows_are_the_first_of_more(dataset):
    short, long = plan(dataset, train_examples=1000), plan(dataset, train_examples=100_000)
    assert short.block("train", 0).equals(long.block("train", 0).slice(0, 1000))
    some = plan(dataset, train_examples=4096 + 7)
    assert some.block("train", 1).equals(long.block("train", 1).slice(0, 7))


def test_words_of_a_length_are_the_same_whichever_others_are_asked_for(dataset):
    length = 449 if "arithmetic" in dataset else 450
    alone = plan(dataset, test_lengths=length, test_examples_per_length=64)
    among = plan(dataset, test_lengths=(41, 500), test_examples_per_length=4)
    for split in {"test", "test_near_miss"} & alone.splits.keys():
        every = words(among, split)
        found = [word for word in every if len(word) == length]
        assert found == words(alone, split)[:4]
        assert len(words(alone, split)) == 64


def test_more_words_a_length_only_add(dataset):
    few, many = plan(dataset, **SMALL), plan(dataset, **SMALL | {"test_examples_per_length": 5000})
    for split in {"test", "test_near_miss"} & few.splits.keys():
        by_length = {n: list(group) for n, group in itertools.groupby(words(many, split), len)}
        for n, group in itertools.groupby(words(few, split), len):
            assert list(group) == by_length[n][:8]
            assert len(by_length[n]) == 5000


LONG = {
    "sampling": "uniform",
    "train_lengths": (121, 123),
    "validation_lengths": (121, 123),
    "test_lengths": (121, 123),
    "train_examples": 500,
    "validation_examples": 500,
    "test_examples_per_length": 100,
}


@pytest.mark.parametrize(("one", "other"), [(0, 1), (42, 43), (1, 2**64 - 1)])
def test_seeds_share_no_row(one, other, dataset):
    """Two uniform words of 121 symbols or more are equal with probability below 2^-100."""
    first, second = plan(dataset, seed=one, **LONG), plan(dataset, seed=other, **LONG)
    for split in ("train", "validation", "test"):
        assert not set(words(first, split)) & set(words(second, split))


def test_splits_share_no_row(dataset):
    planned = plan(dataset, **LONG)
    rows = {split: set(words(planned, split)) for split in ("train", "validation", "test")}
    for one, other in itertools.combinations(rows.values(), 2):
        assert not one & other
    assert all(len(found) == planned.splits[split].num_examples for split, found in rows.items())


def test_datasets_share_no_row():
    """Not even those of one alphabet."""
    seen = {}
    for name in language_dataset_names():
        planned = plan(name, **LONG)
        for word in words(planned, "train"):
            assert seen.setdefault((planned.machine.num_symbols, word), name) == name


def test_what_rows_do_not_depend_on(dataset):
    """Asking for fewer columns or splits changes no word."""
    default = plan(dataset, **SMALL)
    for options in ({"classes": False}, {"targets": "prefix"}, {"near_miss": False}, {"validation_examples": 0}):
        other = plan(dataset, **SMALL | options)
        for split in other.splits:
            for column in ("input_ids", "label"):
                assert table(other, split)[column].equals(table(default, split)[column]), (options, split)


def test_lengths_are_those_that_have_words(dataset):
    planned = plan(dataset, train_examples=4096, validation_examples=3000, test_lengths=(30, 60))
    have = [n for n, labels in enumerate(outputs_by_length(planned.machine, 60)) if labels != {-1}]
    assert set(lengths_of(planned, "train")) == {n for n in have if 1 <= n <= 40}
    assert set(lengths_of(planned, "validation")) == {n for n in have if 1 <= n <= 40}
    counts = np.bincount(lengths_of(planned, "test"), minlength=61)
    assert counts[[n for n in have if 30 <= n <= 60]].tolist() == [64] * sum(30 <= n <= 60 for n in have)
    assert counts.sum() == planned.splits["test"].num_examples


def test_training_lengths_are_uniform(dataset):
    """Chi-square, fixed seed, p > 1e-6."""
    planned = plan(dataset, train_examples=20_000)
    counts = np.bincount(lengths_of(planned, "train"))
    assert stats.chisquare(counts[counts > 0]).pvalue > 1e-6


def test_dropping_lengths_of_a_single_label(dataset):
    planned = plan(dataset, single_label_lengths="drop", **SMALL | {"train_examples": 4096})
    labels = outputs_by_length(planned.machine, 46)
    many = [n for n, found in enumerate(labels) if len(found - {-1}) > 1]
    assert set(lengths_of(planned, "train")) == {n for n in many if 1 <= n <= 40}
    assert set(lengths_of(planned, "test")) == {n for n in many if 41 <= n <= 46}


@pytest.mark.parametrize("name", [name for name in language_dataset_names() if name.startswith("dyck")])
def test_odd_lengths_of_brackets_hold_no_member(name):
    planned = plan(name, **SMALL)
    for split in ("train", "test"):
        for word, label in zip(words(planned, split), table(planned, split)["label"].to_pylist(), strict=True):
            assert len(word) % 2 == 0 or label == 0
    assert set(lengths_of(planned, "test_near_miss")) == {42, 44, 46}


@pytest.mark.parametrize("name", ["modular_arithmetic", "modular_arithmetic_l2r"])
def test_even_lengths_of_arithmetic_are_left_out(name):
    planned = plan(name, **SMALL)
    assert set(lengths_of(planned, "test")) == {41, 43, 45}
    with pytest.raises(InputError, match="nearest") as caught:
        plan(name, test_lengths=42).splits  # noqa: B018
    assert name in str(caught.value)
    assert "41" in str(caught.value)
    assert "43" in str(caught.value)


def test_near_misses_and_members_are_halved(dataset):
    planned = plan(dataset, **SMALL)
    if not planned.machine.is_acceptor:
        assert "test_near_miss" not in planned.splits
        return
    rows = table(planned, "test_near_miss")
    labels = np.array(rows["label"].to_pylist()).reshape(-1, 8)
    assert (labels.sum(axis=1) == 4).all()
    found = np.array(lengths_of(planned, "test_near_miss")).reshape(-1, 8)
    assert (found == found[:, :1]).all()
    assert len(set(found[:, 0])) == len(found)
    assert set(found[:, 0]) <= set(lengths_of(planned, "test"))


def one_edit_away(machine, word):
    """Whether some substitution, swap or move makes a word a member."""

    def is_member(each):
        return machine.outputs[state_after(machine, 0, each)] == 1

    for i in range(len(word)):
        if any(is_member((*word[:i], b, *word[i + 1 :])) for b in range(machine.num_symbols)):
            return True
        rest = (*word[:i], *word[i + 1 :])
        if any(is_member((*rest[:j], word[i], *rest[j:])) for j in range(len(word))):
            return True
    for i, j in itertools.combinations(range(len(word)), 2):
        swapped = list(word)
        swapped[i], swapped[j] = word[j], word[i]
        if is_member(swapped):
            return True
    return False


def test_near_misses_are_one_edit_away_from_a_member(dataset):
    planned = plan(dataset, test_lengths=(16, 18), test_examples_per_length=10)
    if "test_near_miss" not in planned.splits:
        pytest.skip("no members")
    rows = table(planned, "test_near_miss")
    for word, label in zip(words(planned, "test_near_miss"), rows["label"].to_pylist(), strict=True):
        assert label == 1 or one_edit_away(planned.machine, word)


@pytest.mark.parametrize("examples", [3354, 3360])
def test_halves_stay_halves_where_a_length_takes_several_units(examples):
    planned = plan("parity_check", test_lengths=10_000, test_examples_per_length=examples)
    part = planned.splits["test_near_miss"]
    assert sum(part.block(i)["label"].to_numpy().sum() for i in range(part.num_blocks)) == examples // 2


def test_words_of_chosen_labels(dataset):
    names = plan(dataset).machine.labels
    last = len(names) - 1 if names[-1] != "short" else len(names) - 2
    by_name, by_id = plan(dataset, labels=[names[last]], **SMALL), plan(dataset, labels=last, **SMALL)
    assert [*by_name.splits] == ["train", "validation", "test"]
    for split in by_name.splits:
        assert set(table(by_name, split)["label"].to_pylist()) == {last}
        assert table(by_name, split).equals(table(by_id, split))


def test_labels_in_any_order_and_spelling_give_the_same_rows(dataset):
    names = plan(dataset).machine.labels[:2]
    first = table(plan(dataset, labels=list(names), **SMALL), "train")
    for labels in ([1, 0], [names[1], 0], [0, 1, 1], (*names, *names)):
        assert table(plan(dataset, labels=labels, **SMALL), "train").equals(first)
    assert set(first["label"].to_pylist()) <= {0, 1}


@pytest.mark.parametrize("label", ["accpet", 2, -1])
def test_unknown_labels(label):
    with pytest.raises(SeqbenchError, match="label") as caught:
        plan("dyck_d6", labels=[label])
    assert repr(label) in str(caught.value)


@pytest.mark.parametrize("law", ["near_miss", "member"])
def test_a_law_that_cannot_draw_the_labels_asked_for_is_refused(law):
    labels = ["accept"] if law == "near_miss" else ["reject"]
    with pytest.raises(InputError):
        table(plan("dyck_d6", sampling=law, labels=labels, **SMALL), "train")


@pytest.mark.parametrize("law", ["near_miss", "member"])
def test_laws_of_members_need_a_language(law):
    with pytest.raises(InputError, match="member"):
        plan("cycle_navigation", sampling=law, **SMALL).splits  # noqa: B018


def test_no_examples_leave_a_split_out(dataset):
    options = {"train_examples": "train", "validation_examples": "validation", "test_examples_per_length": "test"}
    full = set(plan(dataset, **SMALL).splits)
    for option, split in options.items():
        gone = {split, "test_near_miss"} & full if split == "test" else {split}
        assert set(plan(dataset, **SMALL | {option: 0}).splits) == full - gone
    assert plan(dataset, **SMALL | dict.fromkeys(options, 0)).splits == {}


@pytest.mark.parametrize("law", ["uniform", "balanced", "class", "composition"])
def test_every_law_makes_every_dataset(law, dataset):
    planned = plan(dataset, sampling=law, **SMALL)
    for split in ("train", "test"):
        rows = table(planned, split)
        assert rows.num_rows == planned.splits[split].num_examples
        assert min(rows["label"].to_pylist()) >= 0


def test_a_target_after_every_symbol(dataset):
    planned = plan(dataset, targets="prefix", **SMALL)
    machine = planned.machine
    assert planned.schema.names == ["input_ids", "label", "syntactic_class", "labels", "classes"]
    for split in planned.splits:
        for row in planned.block(split, 0).slice(0, 25).to_pylist():
            word = row["input_ids"]
            assert len(row["labels"]) == len(row["classes"]) == len(word)
            for i in range(len(word)):
                output = int(machine.outputs[state_after(machine, 0, word[: i + 1])])
                assert row["labels"][i] == (output if output >= 0 else -100)
                where = planned.monoid.maps[row["classes"][i]]
                assert where[::7].tolist() == [
                    state_after(machine, q, word[: i + 1]) for q in range(0, machine.num_states, 7)
                ]
            assert (row["labels"][-1], row["classes"][-1]) == (row["label"], row["syntactic_class"])


def test_prefixes_outside_the_domain_are_ignored():
    rows = plan("modular_arithmetic", targets="prefix", **SMALL).block("test", 0)["labels"].to_pylist()
    assert all(label == -100 for labels in rows for label in labels[1::2])
    assert all(label >= 0 for labels in rows for label in labels[::2])


def test_unknown_names():
    with pytest.raises(UnknownNameError, match="Did you mean 'train'"):
        plan("dyck_d6").block("trian", 0)
    with pytest.raises(UnknownNameError, match="Did you mean 'dyck_d6'"):
        plan("dick_d6")
    with pytest.raises(UnknownNameError, match="Did you mean 'test_lengths'"):
        plan("dyck_d6", test_length=5)


def test_identity_of_a_recipe(dataset):
    default = plan(dataset)
    assert default.config_id == dataset
    assert plan(dataset, seed=np.int64(0), train_lengths=[1, 40]).config_id == dataset
    others = [plan(dataset, **options) for options in ({"seed": 1}, {"test_lengths": 41}, {"classes": False})]
    assert len({dataset, *(other.config_id for other in others)}) == 4
    assert all(other.config_id.startswith(f"{dataset}-") for other in others)
    assert len({default.fingerprint, *(other.fingerprint for other in others)}) == 1


def test_the_number_of_tokens_is_about_right(dataset):
    planned = plan(dataset, **SMALL)
    for split in planned.splits:
        tokens = sum(lengths_of(planned, split))
        assert 0.8 < planned.splits[split].split.num_tokens / tokens < 1.25
        assert 0.7 < planned.splits[split].num_bytes / table(planned, split).nbytes < 1.4


@pytest.mark.parametrize("changes", [{}, {"sampling": {"composition": 0.5, "class": 0.5}}], ids=str)
def test_threads_may_share_a_plan(changes):
    """Tables and reachable classes are made on first use; here by many threads at once, again and again."""
    sizes = {"train_examples": 0, "validation_examples": 0, "test_lengths": (2, 60), "test_examples_per_length": 4096}
    expected = None
    for _ in range(5):
        planned = plan("tomita_3", **sizes, **changes)
        places = [(split, i) for split, part in planned.splits.items() for i in range(part.num_blocks)]
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(planned.block, *zip(*reversed(places), strict=True)))
        expected = expected or found
        assert all(one.equals(other) for one, other in zip(found, expected, strict=True))
