# The set-up in two commands: `make demo`, `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := test,bench
JOBS ?= auto

.PHONY: demo test check bench soak clean

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rails-cli needs Python 3.11 or newer; try: make PYTHON=python3.12 demo")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	@touch $@

demo: $(VENV)/.installed  ## the best of what there is, end to end
	@$(BIN)/python -m tests.demo

test: check  ## everything that CI runs
	$(BIN)/python -m pytest -n $(JOBS)

check: $(VENV)/.installed  ## format, lint, types, schemas, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/rails-cli schemas
	$(BIN)/python -m pytest tests/test_import_rules.py

bench: $(VENV)/.installed  ## speed as ratios against yardsticks measured in the same run
	$(BIN)/python -m tests.bench

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis demo-output
