# make demo, make test, make bench, make lint, make plan: each sets up what it needs in .venv by itself.
PYTHON ?= python3.11
CORES ?= $(shell nproc)
VENV := .venv
BIN := $(VENV)/bin
SNAKEMAKE := $(BIN)/python -m snakemake
export PYTHONDONTWRITEBYTECODE :=
export TOKENIZERS_PARALLELISM := false

.PHONY: help setup demo plan check-site test test-slurm bench lint docs clean

help:
	@echo "make demo   the whole workflow on the demo corpora, into results/"
	@echo "make plan   what a run would do now, and why (CONFIG=my.yaml for your own)"
	@echo "make check-site   before the first run on a Slurm cluster: what would go wrong there"
	@echo "make test   the tests          make lint   style, types, workflow checks"
	@echo "make test-slurm   faults and edits on a private Slurm cluster"
	@echo "make bench  the benchmarks     make setup  only the environment, in .venv"

setup: $(VENV)/ready
demo: $(VENV)/ready
	$(SNAKEMAKE) --cores $(CORES) --quiet rules host
	@echo "Released shards:  results/export/pairs"
	@echo "Report:           results/report/page/index.html (open it in a browser)"

plan: $(VENV)/ready
	@PYTHONPATH=scripts $(BIN)/python -m wokflow.plan $(if $(CONFIG),--configfile $(CONFIG))

check-site: $(VENV)/ready
	@PYTHONPATH=scripts $(BIN)/python -m wokflow.cluster.check $(if $(CONFIG),--configfile $(CONFIG))

test: $(VENV)/ready-dev
	$(BIN)/python -m pytest -n $(CORES) -m "not bench and not cluster"

# One worker more than cores: these tests wait more than they work.
test-slurm: $(VENV)/ready-dev
	$(BIN)/python -m pytest -n $$(($(CORES) + 1)) --dist worksteal -m cluster tests/slurm

bench: $(VENV)/ready-dev
	$(BIN)/python -m pytest -m bench -s tests/bench

lint: $(VENV)/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(SNAKEMAKE) --lint
	$(BIN)/mypy

docs: $(VENV)/ready
	PYTHONPATH=scripts $(BIN)/python -m wokflow.schemas > docs/tables.md
	PYTHONPATH=scripts $(BIN)/python -m wokflow.config_readme > config/README.md

clean:
	rm -rf results .snakemake

$(VENV)/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo "Wokflow needs Python 3.11: install it, or say where it is: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "No virtual environment could be made. On Debian: apt-get install python3.11-venv"; rm -rf $(VENV); exit 1; }
	$(BIN)/pip install --quiet --constraint constraints.txt uv

# torch first and by pip: where a CPU build is offered (PIP_FIND_LINKS, PIP_EXTRA_INDEX_URL), pip takes it.
$(VENV)/ready: $(VENV)/bin/uv pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --constraint constraints.txt torch
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --constraint constraints.txt --requirement pyproject.toml
	@touch $@

$(VENV)/ready-dev: $(VENV)/ready
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode --constraint constraints.txt --requirement pyproject.toml --extra dev
	@touch $@
