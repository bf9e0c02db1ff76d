# `make demo` and `make test` set up everything they need, from Python 3.11 or later and its package index alone.
# The second time they start at once: each set-up step leaves a stamp beside what it made.

PYTHON ?= python3
BIN := .venv/bin
UV := .boot/bin/uv
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
CODE := src tests benchmarks tools

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo serve test check fix bench lock clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 8

# An environment with the tools in it can do all that one without them can: keep it.
READY := $(if $(wildcard .venv/.dev),.venv/.dev,.venv/.run)

demo: $(READY)  ## add the sample handbook, ask it three questions, write the page
	$(BIN)/showtell demo

serve: $(READY)  ## open the page on the sample handbook; more with SERVE_ARGS="--port 0"
	test -d out/demo/library || $(BIN)/showtell demo
	$(BIN)/showtell serve --library out/demo/library --open $(SERVE_ARGS)

test: .venv/.dev  ## run the tests; more with PYTEST_ARGS="-k name"
	$(BIN)/pytest $(PYTEST_ARGS)

check: .venv/.dev  ## formatting, lint, types, layers
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

fix: .venv/.dev  ## format, and mend what lint can mend
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

bench: .venv/.dev  ## measure add, ask, durability and video segments, small; in full: .venv/bin/python -m benchmarks.NAME
	$(BIN)/python -m benchmarks

lock: .boot/.done  ## pin what pyproject.toml asks for; newest versions with LOCK_ARGS=--upgrade
	$(COMPILE) $(LOCK_ARGS) --group pyproject.toml:bootstrap -o requirements/bootstrap.txt
	$(COMPILE) $(LOCK_ARGS) --group weights --group build --extra web pyproject.toml -o requirements/run.txt
	$(COMPILE) $(LOCK_ARGS) --group weights --group build --group dev -c requirements/run.txt pyproject.toml -o requirements/dev.txt

clean:  ## remove everything that make made
	rm -rf .boot .venv build dist out .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

.boot/.done: requirements/bootstrap.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "showtell needs Python 3.11 or later; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv --clear .boot
	.boot/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	touch $@

.venv/bin/python: | .boot/.done
	$(UV) venv --quiet --allow-existing --no-python-downloads --python .boot/bin/python .venv

# A sync removes the editable install, so that comes after it.
define install
	$(UV) pip sync --quiet --require-hashes --python .venv $<
	$(UV) pip install --quiet --no-deps --no-build-isolation --python .venv -e .
	touch $@
endef

.venv/.run: requirements/run.txt pyproject.toml | .boot/.done .venv/bin/python
	$(install)

.venv/.dev: requirements/dev.txt pyproject.toml | .boot/.done .venv/bin/python
	$(install)
