# One command checks everything: `make test`. `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
WORKERS ?= 2
ARGS ?=
PYTHON ?=
export PYTHON

.NOTPARALLEL:
.PHONY: help setup demo test quick bench format format-check lint types layers unit lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make .venv from requirements.lock (PYTHON=... chooses the interpreter)
	@.ci/setup

demo: setup ## a simulated cluster and the scheduler on it, live in the terminal (ARGS="--nodes 50")
	@if [ -t 1 ]; then $(BIN)/tenantry demo $(ARGS); else $(BIN)/tenantry demo --headless $(ARGS); fi

test: setup format-check lint types layers unit ## the whole check: format, lint, types, layers, tests

quick: setup lint types ## the inner loop, under two minutes: lint, types, tests that are not slow
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "not slow" $(ARGS)

bench: setup ## the benchmark table, as JSON under .bench/
	@mkdir -p .bench
	$(BIN)/python benchmarks/table.py --out .bench $(ARGS)

format: setup ## rewrite the sources in the house format, sort imports
	$(BIN)/ruff check --select I --fix
	$(BIN)/ruff format

format-check: setup
	$(BIN)/ruff format --check

lint: setup ## ruff
	$(BIN)/ruff check

types: setup ## mypy --strict
	$(BIN)/mypy

layers: setup ## who may import whom
	$(BIN)/lint-imports --no-logo

unit: setup ## the tests alone (ARGS="-k quantity")
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

lock: setup ## resolve pyproject.toml anew into requirements.lock
	$(BIN)/python -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check pip-tools
	CUSTOM_COMPILE_COMMAND="make lock" .venv-lock/bin/pip-compile --quiet --upgrade --generate-hashes --strip-extras \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
	  --extra dev --output-file requirements.lock pyproject.toml
	rm -rf .venv-lock

clean: ## remove what the other targets made
	rm -rf .venv .venv-lock .bench .mypy_cache .ruff_cache .import_linter_cache dist build
