# make run, make test: each makes its own virtual environment the first time. make help lists the rest.
VENV   ?= .venv
PYTHON ?= python3
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
DEV    := $(VENV)/.installed-dev
NODE   := clients/node/node_modules/.installed tests/node/node_modules/.installed
OTHERS := bench/.others
BENCH  := $(OTHERS)/tokenlap/.installed
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: help run test check format lint types cover conformance bench bench-others clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'tokenlap needs Python 3.11 or later: make PYTHON=python3.13 ...'; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml | $(BIN)/pip
	$(PIP) install --editable .
	@touch $(STAMP)

# Dependency groups need pip 25.1, which the venv of an older Python does not bring along.
$(DEV): $(STAMP)
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --group dev
	@touch $(DEV)

# Where there is no npm the Node tests say so and are skipped.
$(NODE): %/node_modules/.installed: %/package-lock.json
	@! command -v npm >/dev/null || \
	  { npm ci --prefix $* --silent --no-audit --no-fund && touch $@; } || \
	  echo 'npm could not install the packages of $*: the tests that use them will be skipped'

run: $(STAMP)  ## serve on http://127.0.0.1:8000; make run ARGS="--port 9000" passes flags on
	$(BIN)/tokenlap serve $(ARGS)

test: $(DEV) $(NODE)  ## run all tests; make test ARGS="-k stop" passes flags on
	$(BIN)/pytest $(ARGS)

check: format lint types cover test  ## what CI demands: format, lint, types, coverage, tests

format: $(DEV)
	$(BIN)/ruff format --check .

lint: $(DEV)
	$(BIN)/ruff check .

types: $(DEV)
	$(BIN)/mypy
	$(BIN)/mypy tests clients
	$(BIN)/mypy --package bench --exclude locustfile  # locust is not installed

# As many examples as by default: more of them reach nothing new, and take minutes.
cover: $(DEV)  ## the engine's tests must reach every branch of it
	TOKENLAP_EXHAUSTIVE= $(BIN)/coverage run -m pytest --quiet tests/engine
	$(BIN)/coverage report

conformance: $(DEV)  ## write CONFORMANCE.md: what is held of OpenAI's wire format, statement by statement
	TOKENLAP_WRITE_CONFORMANCE=1 $(BIN)/pytest --quiet tests/conformance

bench: $(BENCH)  ## measure speed and punctuality; make bench ARGS="paced --rounds 1" passes words on
	$(OTHERS)/tokenlap/bin/python -m bench $(ARGS)

# An environment of its own: uvloop 0.23 writes every event at once, which makes the raw baseline 3.9 x dearer.
$(BENCH): pyproject.toml
	$(PYTHON) -m venv $(OTHERS)/tokenlap
	$(OTHERS)/tokenlap/bin/pip install --quiet --disable-pip-version-check --editable . uvloop==0.22.1
	@touch $(BENCH)

# xpyd-sim comes without uvloop, as its users get it.
bench-others:  ## install the servers that make bench compares with, into bench/.others
	npm install --prefix $(OTHERS)/npm --silent --no-audit --no-fund @copilotkit/aimock@1.43.0
	for package in 'llmock==0.2.2 uvloop==0.22.1' 'stubllm==0.1.5 uvloop==0.22.1' xpyd-sim==0.5.0; do \
	  venv=$(OTHERS)/$${package%%==*} && $(PYTHON) -m venv $$venv && \
	  $$venv/bin/pip install --quiet --disable-pip-version-check $$package || exit 1; \
	done

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) clients/node/node_modules tests/node/node_modules .mypy_cache .pytest_cache .ruff_cache .hypothesis
