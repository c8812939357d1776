"""Runs every benchmark and prints one table; exit code 1 if a bound is broken."""

import sys

from benchmarks import (
    chomsky,
    collating,
    covering,
    grammars,
    listops,
    loading,
    memory,
    models,
    sampling,
    startup,
)


def main() -> int:
    print(f"{'what':58}  {'measured':66}  bound")
    broken = 0
    for part in (startup, sampling, chomsky, grammars, listops, memory, covering, loading, collating, models):
        for row in part.results():
            broken += not row.holds
            print(f"{row.what:58}  {row.figure:66}  {row.bound}{'' if row.holds else '  BROKEN'}", flush=True)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
