# The set-up in two commands: `make demo`, `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := test,bench,fast
JOBS ?= auto

.PHONY: demo test check bench soak clean

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rails-cli needs Python 3.11 or newer; try: make PYTHON=python3.12 demo")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	@touch $@

demo: $(VENV)/.installed  ## a game of each kind told in words, with logs that verify
	@rm -rf demo-output
	@for game in chicago_express american_rails last_spike; do \
		echo "== $$game: greedy against busy and random"; \
		$(BIN)/rails-cli run $$game --seat builtin:greedy --seat builtin:busy --seat builtin:random --seed 7 \
			--log demo-output/$$game.jsonl > demo-output.txt || exit 1; \
		head -n 12 demo-output.txt; echo "   ..."; tail -n 8 demo-output.txt; rm demo-output.txt; \
	done
	@echo "== the logs, played again and checked line by line"
	@$(BIN)/rails-cli verify --finished demo-output
	@echo
	@echo "Try next:"
	@echo "  $(BIN)/rails-cli play chicago_express --players 3               play at this terminal"
	@echo "  $(BIN)/rails-cli replay demo-output/chicago_express.jsonl      step through the game"
	@echo "  $(BIN)/rails-cli rules last_spike                              read the rules"
	@echo "  $(BIN)/rails-cli new-bot python mybot                          write a bot, then:"
	@echo "  $(BIN)/rails-cli run last_spike --seat 'python3 mybot/bot.py' --seat builtin:greedy"
	@echo "  $(BIN)/rails-cli check-bot -- python3 mybot/bot.py"

test: check  ## everything that CI runs
	$(BIN)/python -m pytest -n $(JOBS)

check: $(VENV)/.installed  ## format, lint, types, schemas, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	cd tests/bad_bots && ../../$(BIN)/mypy --strict --explicit-package-bases .
	$(BIN)/rails-cli schemas
	$(BIN)/python -m pytest tests/test_import_rules.py

bench: $(VENV)/.installed  ## speed as ratios against yardsticks measured in the same run
	$(BIN)/python -m tests.bench

soak: $(VENV)/.installed  ## bad bots by the thousand, servers killed, bad networks, fuzz; more than an hour
	$(BIN)/python -m tests.soak

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis demo-output
