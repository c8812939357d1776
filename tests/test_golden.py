"""The data of every dataset is pinned: a change without a new data version fails here."""

import copy

import pytest

from seqbench.catalogue.reader import open_catalogue
from seqbench.dataset import golden
from seqbench.generation.plan import dataset_names, plan


@pytest.mark.parametrize("name", dataset_names())
def test_first_rows_are_as_pinned(name):
    recorded = open_catalogue().digests.get(name)
    assert golden.digests_of(plan(name)) == recorded, (
        f"The data of {name} changed. Raise `version` in generators/{name}.toml with a [[history]] entry, "
        f"then run `{golden.COMMAND}`, which checks the rows and updates the digests."
    )


def test_nothing_is_pinned_that_is_not_there():
    assert sorted(open_catalogue().digests) == dataset_names()


class Recorded:
    """A catalogue of one dataset whose golden file says something."""

    datasets = ("parity_check",)

    def __init__(self, digests):
        self.digests = digests


def test_an_old_version_with_other_data_is_refused():
    digests = copy.deepcopy({"parity_check": open_catalogue().digests["parity_check"]})
    assert golden.update(Recorded(digests)) == (digests, [])
    digests["parity_check"]["splits"]["test"] = "0" * 64
    with pytest.raises(golden.GoldenError, match=r"Raise `version` in generators/parity_check.toml.*make golden"):
        golden.update(Recorded(digests))


def test_a_raised_version_is_taken():
    digests = copy.deepcopy({"parity_check": open_catalogue().digests["parity_check"]})
    digests["parity_check"] |= {"version": "0.9.0"}
    digests["parity_check"]["splits"]["test"] = "0" * 64
    found, changed = golden.update(Recorded(digests))
    assert changed == ["parity_check"]
    assert found["parity_check"] == open_catalogue().digests["parity_check"]


def test_wrong_rows_are_never_blessed(monkeypatch):
    planned = plan("parity_check")
    right = golden.first_rows(planned, "test")
    flipped = right.set_column(1, "label", [[1 - label for label in right["label"].to_pylist()]])
    monkeypatch.setattr(golden, "first_rows", lambda *_: flipped)
    with pytest.raises(golden.GoldenError, match="Row 0 of parity_check/test is wrong"):
        golden.check_rows(planned, "test")


def test_writing_is_whole_or_not_at_all(tmp_path):
    path = tmp_path / "digests.json"
    golden.write({"a": {"version": "1.0.0", "splits": {}}}, path)
    assert [file.name for file in tmp_path.iterdir()] == ["digests.json"]
