# Two commands: `make reproduce` runs the shipped study, `make test` runs the tests.
# Both make the environment in .venv from the exact lock when it is missing or stale.

PYTHON ?= python3
BIN := .venv/bin
LOCK := envs/requirements.txt

.DEFAULT_GOAL := help
.PHONY: help reproduce test test-paper lint lock

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

reproduce: .venv/.package ## run the shipped study and the notebooks; then print its main table
	@$(BIN)/snakemake --cores all all notebooks
	@$(BIN)/tiewise show results

test: lint ## check style and types; then run the tests
	@$(BIN)/pytest --numprocesses=auto --dist=loadfile

test-paper: .venv/.package ## run the paper's whole study on miniatures from a hub double
	@$(BIN)/pytest -m slow tests/test_paper_study.py

lint: .venv/.package ## check style and types
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/snakefmt --check Snakefile workflow
	@$(BIN)/mypy

lock: ## resolve the newest versions that pyproject.toml allows into the lock
	$(PYTHON) -m venv --clear .venv-lock
	.venv-lock/bin/pip install --quiet '.[study,test,docs,dev]' 'torch==2.13.0'
	.venv-lock/bin/pip freeze --exclude tiewise \
		| sed 's/+cpu$$//' | grep -vE '^(nvidia-|cuda-|triton)' > .venv-lock/frozen
	{ sed -n '/^#/p' $(LOCK); cat .venv-lock/frozen; } > .venv-lock/lock
	mv .venv-lock/lock $(LOCK)
	rm -r .venv-lock

# The third-party packages: exactly the lock, so the environment starts empty.
.venv/.locked: $(LOCK)
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or \
		sys.exit("tiewise needs Python 3.11 or newer, and %s is %d.%d: make PYTHON=python3.12 ..." \
		% (sys.executable, v[0], v[1]))'
	@echo 'Making the environment .venv from $(LOCK), once; this takes a few minutes.'
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check -r $(LOCK)
	@touch $@

# The package itself, editable.
.venv/.package: .venv/.locked pyproject.toml
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
