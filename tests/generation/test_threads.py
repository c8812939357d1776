"""Threads that share a law never see tables shorter than their words."""

import threading
import time

import numpy as np

from seqbench.generation import laws
from seqbench.generation.plan import plan


def test_short_tables_never_replace_longer_ones(monkeypatch):
    law = plan("dyck_d6")._arrangement.by_label
    law._length = -1  # as if no word had been drawn
    original, begun = laws.make_tables, threading.Event()

    def slow_for_short(graph, groups, max_length):
        tables = original(graph, groups, max_length)
        begun.set()
        time.sleep(0.5 if max_length == 10 else 0)
        return tables

    monkeypatch.setattr(laws, "make_tables", slow_for_short)
    short = threading.Thread(target=law.num_open, args=(10,))
    short.start()
    begun.wait()
    long = threading.Thread(target=law.num_open, args=(60,))
    long.start()
    short.join()
    long.join()
    assert law._length == 60
    assert len(law.num_open(60)) == 61


def test_longer_tables_begin_as_shorter_ones_do():
    law = plan("dyck_d6")._arrangement.by_label
    law._length = -1
    few = law.num_open(10).copy()
    indptr, opened, ends = law._open_indptr.copy(), law._open.copy(), law._tables.ends[:11].copy()
    assert np.array_equal(law.num_open(60)[:11], few)
    assert np.array_equal(law._open_indptr[:12], indptr)
    assert np.array_equal(law._open[: len(opened)], opened)
    assert np.array_equal(law._tables.ends[:11], ends)
