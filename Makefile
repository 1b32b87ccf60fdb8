# make run, make test: each makes its own virtual environment the first time. make help lists the rest.
VENV   ?= .venv
PYTHON ?= python3
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
DEV    := $(VENV)/.installed-dev

.PHONY: help run test check format lint types clean

help:  ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml | $(BIN)/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $(STAMP)

$(DEV): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --disable-pip-version-check --group dev
	touch $(DEV)

run: $(STAMP)  ## serve on http://127.0.0.1:8000; make run ARGS="--port 9000" passes flags on
	$(BIN)/tokenlap serve $(ARGS)

test: $(DEV)  ## run all tests; make test ARGS="-k stop" passes flags on
	$(BIN)/pytest $(ARGS)

check: format lint types test  ## what CI demands: format, lint, types, tests

format: $(DEV)
	$(BIN)/ruff format --check .

lint: $(DEV)
	$(BIN)/ruff check .

types: $(DEV)
	$(BIN)/mypy
	$(BIN)/mypy tests clients

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
