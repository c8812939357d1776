"""The tests against other people's code, where that code is: in an environment that has the extra `oracles`."""

from xml.etree import ElementTree

import pytest

from tests.environments import ROOT, TORCH, environment, run

FILES = ("tests/models/test_oracles.py", "tests/models/test_pr_lstm.py")


@pytest.mark.slow
def test_every_oracle_is_asked(tmp_path):
    tools = ("pytest", "hypothesis")
    python = environment("oracles", (TORCH,), (TORCH, *tools, "--editable", f"{ROOT}[oracles]"))
    report = tmp_path / "report.xml"
    # A temporary folder of its own, else pytest would tidy away those of the run that is under way.
    scratch = ("-p", "no:cacheprovider", f"--basetemp={tmp_path / 'oracles'}")
    said = run(python, "-m", "pytest", *FILES, *scratch, f"--junitxml={report}", "-rs")
    suites = ElementTree.parse(report).getroot().iter("testsuite")
    assert [suite.get("skipped") for suite in suites] == ["0"], said
