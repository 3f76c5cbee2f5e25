# The two commands to know: `make tour` and `make test`. Whatever a command needs is set up once, from the locked
# files in requirements/; after that nothing here touches the network (only `lock` and `size` do, on purpose).

PYTHON ?= python3
UV ?= uv
.DEFAULT_GOAL := help

BIN := .venv/bin
BENCH := .venv-bench/bin
PIP_FLAGS := --quiet --disable-pip-version-check
LOCK := $(UV) pip compile pyproject.toml --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	--no-emit-index-url --no-header --quiet
BENCHMARKS := $(patsubst benchmarks/%.py,%,$(wildcard benchmarks/[a-z]*.py))

.PHONY: help tour test check bench statistical faults lock size clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

tour: .venv/ready ## Show the whole workbench on a synthetic table
	$(BIN)/sudare tour

test: .venv/ready ## Run all tests but the heavy ones
	$(BIN)/python -m pytest -m "not statistical and not faults"

check: .venv/ready ## Lint, format, types, import contract, docs, and every example of README and docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/sphinx-build --fail-on-warning --fresh-env --quiet docs docs/_build
	$(BIN)/python docs/run_examples.py

statistical: .venv/ready ## Run the heavy statistical tests
	$(BIN)/python -m pytest -m statistical

faults: .venv/ready ## Kill the ledger, fill its disk, fail its writes
	SUDARE_KILLS=$${SUDARE_KILLS:-1000} $(BIN)/python -m pytest -m faults

bench: $(addprefix bench-,$(BENCHMARKS)) ## Measure against named rivals; the tables go to docs/results

bench-%: .venv-bench/ready
	mkdir -p docs/results
	$(BENCH)/python benchmarks/$*.py > docs/results/$*.part
	mv docs/results/$*.part docs/results/$*.md
	cat docs/results/$*.md

lock: ## Write the locked files anew (needs uv and the network; FLAGS=--upgrade takes newer versions)
	$(LOCK) $(FLAGS) --output-file requirements/core.txt
	$(LOCK) $(FLAGS) --constraint requirements/core.txt --output-file requirements/dev.txt \
		--extra build --extra test --extra check --extra docs
	$(LOCK) $(FLAGS) --constraint requirements/core.txt --output-file requirements/bench.txt --extra build --extra bench

size: .venv/ready ## Install the core afresh and write what each package weighs (needs the network)
	mkdir -p docs/results
	$(BIN)/python requirements/weigh.py > docs/results/install_size.part
	mv docs/results/install_size.part docs/results/install_size.md
	cat docs/results/install_size.md

clean: ## Remove what these commands made
	rm -rf .venv .venv-bench docs/_build docs/reference/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Two stamps each: the locked packages, and the project on top of them, which a change of pyproject.toml renews.
.venv/ready .venv-bench/ready: %/ready: %/locked pyproject.toml
	$*/bin/python -m pip install $(PIP_FLAGS) --no-index --no-deps --no-build-isolation --editable .
	touch $@

.venv/locked: PIP_FLAGS += --only-binary :all:  # building a package would fetch a build backend that no lock names
.venv/locked: requirements/dev.txt
.venv-bench/locked: requirements/bench.txt
.venv/locked .venv-bench/locked:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo "Sudare needs Python 3.11 to 3.13. Name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' || \
		{ echo "This Python cannot make virtual environments. On Debian: apt install python3-venv" >&2; exit 1; }
	@echo "Setting up $(@D) once, from $<."
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install $(PIP_FLAGS) --require-hashes --requirement $<
	touch $@
