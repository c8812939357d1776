# Two commands on a fresh machine: `make run` does the main job, `make test` runs the tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: run test test-all lint type bench golden cards docs setup clean
.DEFAULT_GOAL := run

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

setup: $(VENV)/.ready

run: setup  ## make dyck_d6; show examples of every split, sizes, digests, and what its training words cover
	$(BIN)/seqbench show dyck_d6
	$(BIN)/seqbench coverage dyck_d6

test: setup
	$(BIN)/python -m pytest -n auto

test-all: setup  ## with the slow tests, and the datasets contract on the oldest supported release
	$(BIN)/python -m pytest -n auto -m "slow or not slow"

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

type: setup
	$(BIN)/mypy

bench: setup
	$(BIN)/python -m benchmarks

golden: setup  ## after a wanted change of data: raise the version in generators/NAME.toml first
	$(BIN)/python -m seqbench.dataset.golden

cards: setup
	$(BIN)/python -m seqbench.cards

$(VENV)/.ready-docs: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

docs: $(VENV)/.ready-docs  ## the site, into site/; a link or name that leads nowhere ends it
	rm -rf build/pages site
	mkdir -p build/pages
	cp -r README.md CHANGELOG.md LICENSE docs cards build/pages
	$(BIN)/zensical build --strict --clean

clean:
	rm -rf $(VENV) .venv-* dist build site .cache
