"""No test of an adapter writes to the user's cache or draws bars."""

import datasets
import pytest


@pytest.fixture(autouse=True)
def quiet(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "default-cache")
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()
