# make demo    install what users need, fetch the local model once, and run the main job offline, in a minute
# make test    everything that must hold: style, types, layers, spelling, licences, docs, all tests
# make lint | docs | bench | models | pins | clean
#
# The first call makes .venv with Python's own venv and pip; a later one only when pyproject.toml or
# constraints.txt changed. PYTHON names the interpreter to make it with.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test lint docs bench models pins clean

demo: $(VENV)/.for-users
	$(BIN)/mysteryshopper models pull smollm2 || true  # without it, the demo leaves its last part out and says so
	$(BIN)/mysteryshopper demo

test: lint docs
	$(BIN)/pytest -n 2 -q

lint: $(VENV)/.for-developers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell
	$(BIN)/python tools/check_licences.py

docs: $(VENV)/.for-developers
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.for-developers
	for one in benchmarks/*.py; do echo "== $$one"; $(BIN)/python $$one || exit 1; done

models: $(VENV)/.for-developers
	$(BIN)/mysteryshopper models pull smollm2
	$(BIN)/mysteryshopper models pull minilm

pins: $(VENV)/.for-developers
	$(BIN)/python tools/pin.py > constraints.txt.new
	mv constraints.txt.new constraints.txt

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.for-users: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[local,embeddings]'
	touch $@

$(VENV)/.for-developers: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[local,embeddings,sql,dev,docs,bench]'
	touch $@ $(VENV)/.for-users

clean:
	rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
