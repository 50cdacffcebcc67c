# `make demo` installs the program and shows it. `make test` also installs the test tools, and runs all checks.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
COMPILED := .venv-compiled
EXTRAS := fast,report
TEST_EXTRAS := test,bench,docs
QUICK_TESTS := tests/games tests/protocol/test_schemas.py tests/protocol/test_arbitrary_input.py tests/match/test_match.py tests/package \
	$(addprefix --ignore=, tests/games/test_fourth_game.py tests/games/test_outside_games.py tests/package/test_bad_packages.py tests/package/test_compiled.py tests/package/test_imports.py) \
	--ignore-glob='tests/games/test_*_players.py'
NODE_TOOLS := axe-core@4 typescript@7.0.2 @biomejs/biome@2.6.6 @types/node@20 \
	json-schema-to-typescript@16 quicktype@23.2.6
PYTHONS := 3.11 3.12 3.13 3.14
JOBS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 2)')  # many tests mostly wait, so more workers than cores

# Tests and checks start Python thousands of times. Without bytecode files, each start would compile the program again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help layers demo test suite quick quick-suite check lint types newest-types test-pythons check-scripts test-tools docs pictures lock node-tools shake bench soak mutants coverage clean dist compiled test-compiled bench-compiled

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1\t\2/p' Makefile | expand -t 16

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "rails-cli needs Python 3.11 or newer; try: make PYTHON=python3.12 demo")'
	$(PYTHON) -m venv $(VENV)
	@[ -n "$$RAILS_CLI_LOCKED" ] || $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	@touch $@

# With RAILS_CLI_LOCKED, as in CI, exactly the packages of .ci/requirements.txt are installed.
$(VENV)/.installed-for-tests: $(VENV)/.made pyproject.toml $(if $(RAILS_CLI_LOCKED),.ci/requirements.txt)
	if [ -n "$$RAILS_CLI_LOCKED" ]; then .ci/install-locked $(BIN)/python; else \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS),$(TEST_EXTRAS)]'; fi
	@touch $(VENV)/.installed $@

demo: $(VENV)/.installed  ## run a small tournament of bundled bots at all three games, with a report and replays
	@rm -rf demo-output && mkdir demo-output && cp bots/demo.toml demo-output/demo.toml
	@if command -v cc > /dev/null && cc -O2 -o demo-output/c-bot bots/c/bot.c; then \
		printf '\n[[entrants]]\nname = "c"\ncommand = "./c-bot"\n' >> demo-output/demo.toml; \
	else echo "There is no C compiler here, so the bot in C does not take part."; fi
	@if command -v node > /dev/null; then \
		printf '\n[[entrants]]\nname = "javascript"\ncommand = "node ../bots/javascript/bot.js"\n' >> demo-output/demo.toml; \
	else echo "There is no Node.js here, so the bot in JavaScript does not take part."; fi
	@echo "== a tournament of bundled bots"
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/rails-cli tournament run demo-output/demo.toml --output .
	@echo
	@echo "== its logs, played again and checked line by line"
	@$(BIN)/rails-cli verify --finished demo-output/logs
	@echo
	@echo "== a page of it, with charts and replays"
	@$(BIN)/rails-cli tournament report demo-output
	@echo
	@echo "Open demo-output/report.html in a browser. Try next:"
	@echo "  $(BIN)/rails-cli learn last_spike                              a guided first game at this terminal"
	@echo "  $(BIN)/rails-cli play chicago_express --players 3              play against bots"
	@echo "  $(BIN)/rails-cli serve                                         a server with a page for browsers, for people and bots"
	@echo "  $(BIN)/rails-cli replay $$(ls demo-output/logs/*.jsonl | head -n 1)"
	@echo "                                                            step through a game"
	@echo "  $(BIN)/rails-cli new-bot python mybot                          write a bot, then:"
	@echo "  $(BIN)/rails-cli check-bot -- python3 mybot/bot.py"
	@echo "  $(BIN)/rails-cli run last_spike --seat 'python3 mybot/bot.py' --seat builtin:greedy"
	@echo
	@echo "== the answer of the tournament"
	@$(BIN)/rails-cli tournament standings demo-output | tail -n 1

test: $(VENV)/.installed-for-tests  ## run all checks and all tests with one version of Python (CI adds test-pythons)
	@$(MAKE) --no-print-directory --jobs=2 suite check

suite: $(VENV)/.installed-for-tests
	@ls tests/__pycache__/conftest.*-pytest-*.pyc > /dev/null 2>&1 || \
		$(BIN)/python -m pytest --collect-only -qq > /dev/null 2>&1 || true  # compiles all tests once, instead of in each worker
	$(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile

# While you work: the checks, and the tests of rules, layers, protocol and matches, in under 45 s on two cores. The suite
# that every game must pass plays each game with the most players only; processes, servers, terminals and pages are left
# out. These tests do not wait, so there are as many workers as cores. Types are checked at the same time.
quick: $(VENV)/.installed-for-tests  ## run checks, and tests of rules and protocol, in under 45 s
	@$(MAKE) --no-print-directory --jobs=2 lint types layers quick-suite

quick-suite: $(VENV)/.installed-for-tests
	$(BIN)/python -m pytest -n logical --dist worksteal -q --quick $(QUICK_TESTS)

check: lint types layers  ## check format, lint, types, schemas and layers
	$(BIN)/python .ci/lint_timing.py
	$(BIN)/python .ci/lock.py
	$(BIN)/rails-cli schemas
	$(BIN)/python .ci/page_types.py
	@if command -v node > /dev/null && [ -x node_modules/.bin/tsc -a -x node_modules/.bin/biome -a -d node_modules/@types/node ]; then \
		$(MAKE) --no-print-directory check-scripts; \
	elif [ -z "$$CI$$RAILS_CLI_NO_SKIPS" ]; then \
		echo "TypeScript and Biome are not installed, so the JavaScript is not checked. make test-tools installs them."; \
	else echo "TypeScript and Biome are needed to check the JavaScript: make test-tools"; exit 1; fi

lint: $(VENV)/.installed-for-tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.installed-for-tests
	$(BIN)/mypy
	$(BIN)/python .ci/manual_types.py

layers: $(VENV)/.installed-for-tests
	$(BIN)/lint-imports --no-cache

# Tests that depend on the version of Python, with each installed version except that of `make test`.

test-pythons: $(PYTHONS:%=test-python-%) newest-types  ## run the tests that depend on the version of Python, with each installed version

test-python-%: $(VENV)/.installed-for-tests
	.ci/test-python $*

# `types` finds features that the oldest Python lacks. `newest-types` finds features that later versions have removed.
newest-types: $(VENV)/.installed-for-tests
	$(BIN)/mypy --python-version $(lastword $(PYTHONS)) --cache-dir .mypy_cache/newest rails_cli protocol

check-scripts:  ## check types, format and lint of the JavaScript
	node_modules/.bin/tsc -p .ci/web
	node_modules/.bin/tsc -p .ci/web/tsconfig.bots.json
	node_modules/.bin/biome ci --error-on-warnings --config-path .ci/web/lint.json rails_cli bots

test-tools:  ## install what tests need beyond Python: Node.js, a browser, compilers (Debian, Ubuntu, macOS)
	.ci/test-tools

docs: $(VENV)/.installed-for-tests  ## build the documentation site in docs/_build/html, and man pages in docs/_build/man
	$(BIN)/python .ci/docs.py

pictures: $(VENV)/.installed-for-tests  ## draw the pictures of README and manuals again (those of pages need a browser)
	$(BIN)/rails-cli export tests/games/golden/chicago_express/chicago_express-4p.jsonl --svg 146 --output docs/pictures/board.svg
	$(BIN)/python -m tests.support.pictures
	$(BIN)/python -m tests.support.screenshots --readme docs/pictures

LOCK := uv pip compile --quiet --upgrade --universal --generate-hashes --python-version 3.11 --no-annotate \
	--custom-compile-command 'make lock'

lock:  ## write .ci/requirements.txt and .ci/wheels.txt: the latest versions of all packages that CI installs, with hashes (needs uv)
	$(LOCK) --all-extras --output-file .ci/requirements.txt pyproject.toml .ci/requirements.in
	$(LOCK) --constraint .ci/requirements.txt --output-file .ci/wheels.txt pyproject.toml .ci/wheels.in

node-tools:  ## install the tools that check JavaScript and pages (they are not part of the program)
	npm install --silent --no-save --no-package-lock --no-audit --no-fund $(NODE_TOOLS)

bench: $(VENV)/.installed-for-tests  ## measure the speed, relative to reference programs in the same run, also of the compiled program
	$(BIN)/python -m tests.bench
	@if $(BIN)/python .ci/compile.py; then $(MAKE) bench-compiled; \
	else echo "Therefore the compiled program is not measured."; fi

shake: $(VENV)/.installed-for-tests  ## run the suite ten times under load and in random order, to find tests that fail only sometimes
	$(BIN)/python -m tests.shake $(SHAKE)

soak: $(VENV)/.installed-for-tests  ## run long tests with faulty bots, killed servers, slow networks, fuzzing and statistics (more than an hour)
	$(BIN)/python -m tests.soak

mutants: $(VENV)/.installed-for-tests  ## change one place of the rules, matches or statistics at a time, and list changes that no test detects
	$(BIN)/python -m tests.mutants $(MUTANTS)

# TESTS=tests/games measures a part of the suite. The figures are printed even if a test fails.
coverage: $(VENV)/.installed-for-tests  ## measure the branch coverage of the suite, by package
	@rm -rf .coverage-data && mkdir .coverage-data
	-$(BIN)/coverage run -m pytest -n $(JOBS) --dist worksteal $(TESTS)
	$(BIN)/coverage combine --quiet
	@$(BIN)/coverage json --quiet -o .coverage-data/coverage.json
	@$(BIN)/python .ci/coverage_by_package.py < .coverage-data/coverage.json

# DIST="--python 3.12" compiles for one Python only. Each compiled wheel takes minutes.
dist: $(VENV)/.installed-for-tests  ## build the files of a release in dist/, and try each in an empty environment
	$(BIN)/python .ci/dist.py $(DIST) -- $(QUICK_TESTS)

# The same program, in which the code that every move uses is compiled to C. See .ci/compile.py.

compiled: $(COMPILED)/.installed  ## build the compiled program for busy servers and long searches (needs a C compiler and some minutes)
	@echo "$(COMPILED)/bin/rails-cli is the same program, compiled; its wheel is in $(COMPILED)/wheels."

$(COMPILED)/.installed: pyproject.toml .ci/compile.py $(shell find rails_cli protocol bots -type f -not -name '*.pyc')
	$(PYTHON) -m venv --clear $(COMPILED)
	$(COMPILED)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	RAILS_CLI_COMPILE=1 $(COMPILED)/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(COMPILED)/wheels .
	$(COMPILED)/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls $(COMPILED)/wheels/*.whl)[$(EXTRAS)]"
	@touch $@

$(COMPILED)/.installed-for-tests: $(COMPILED)/.installed
	$(COMPILED)/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls $(COMPILED)/wheels/*.whl)[$(EXTRAS),$(TEST_EXTRAS)]"
	@echo '$(CURDIR)' > "$$($(COMPILED)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/checkout.pth"
	@touch $@

test-compiled: $(COMPILED)/.installed-for-tests  ## run all tests with the compiled program
	cd $(COMPILED) && bin/python -m pytest --import-mode=append -c $(CURDIR)/pyproject.toml --rootdir $(CURDIR) -n $(JOBS) --dist worksteal $(CURDIR)/tests

bench-compiled: $(COMPILED)/.installed-for-tests  ## measure the speed of the compiled program
	cd $(COMPILED) && bin/python -m tests.bench engines batches server

clean:
	rm -rf dist $(VENV) $(VENV)-* .mypy_cache .pytest_cache .ruff_cache .coverage-data demo-output docs/_build
