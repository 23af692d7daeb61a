# make help lists the targets; each sets up what it needs in .venv by itself.
PYTHON ?= python3.11
CORES ?= $(shell nproc)
VENV := .venv
BIN := $(VENV)/bin
SNAKEMAKE := $(BIN)/python -m snakemake
export PYTHONDONTWRITEBYTECODE :=
export TOKENIZERS_PARALLELISM := false

.PHONY: help setup setup-hub setup-amr setup-dev demo demo-record run plan check-site gate check lint test near night
.PHONY: check-style check-types check-documents bench docs lock clean studio test-annotate test-gpu

help:
	@echo "make demo   the whole workflow on the demo corpora, into results/"
	@echo "make run    with your own config, all of it or a stage: make run CONFIG=my.yaml STAGE=match"
	@echo "make plan   what a run would do now, and why (CONFIG=my.yaml for your own)"
	@echo "make check-site   before the first run on a Slurm cluster: what would go wrong there"
	@echo "make gate   what decides whether a change is good: check, test, the demo, a run through Slurm (ten minutes)"
	@echo "make check  style, types, workflow checks, drift of generated documents (a minute)"
	@echo "make test   what most edits can break (five minutes on two cores)"
	@echo "make near   the slow tests of what changed (SINCE=commit)"
	@echo "make night  everything that the gate leaves out, to its end, with one table"
	@echo "make test-gpu  trainings, models and the search on a GPU, where there is one"
	@echo "make bench  the benchmarks     make setup  only the environment, in .venv"
	@echo "make studio Label Studio with the projects of a study (STUDY=name)     make test-annotate  tests with it"
	@echo "make setup-hub  and the packages for models of the Hugging Face hub (extra hub of pyproject.toml)"

setup: $(VENV)/ready
setup-hub: $(VENV)/ready-hub
setup-amr: $(VENV)/ready-amr
setup-dev: $(VENV)/ready-dev
demo: $(VENV)/ready
	$(SNAKEMAKE) --cores $(CORES) --configfile config/demo.yaml

run: $(VENV)/ready
	$(SNAKEMAKE) --cores $(CORES) $(STAGE) $(if $(CONFIG),--configfile $(CONFIG))

plan: $(VENV)/ready
	@$(BIN)/wokflow plan $(STAGE) $(if $(CONFIG),--configfile $(CONFIG))

check-site: $(VENV)/ready
	@$(BIN)/wokflow check-site $(if $(CONFIG),--configfile $(CONFIG))

PYTEST := $(BIN)/python -m pytest -n $(CORES) --dist worksteal
# Threads that wait leave the cores to other tests.
gate test near night: export OMP_WAIT_POLICY := passive

# Decides whether a change goes in. Nothing in it may depend on time, load, order or chance. Its budget is ten minutes
# on two quiet cores, installation aside: a change that brings it over that moves tests to another tier (tests/tiers.py).
# What is ignored has been run by check.
gate: $(VENV)/ready-dev
	$(MAKE) --no-print-directory --jobs $(CORES) check
	$(PYTEST) --ignore tests/test_docs.py --ignore tests/test_environment.py -m "not slow and not cluster and not bench and not gpu"

# What the demo's tables hold, after a change that means to change them.
demo-record: $(VENV)/ready-dev
	PYTHONPATH=scripts $(BIN)/python -m tests.gate.demo

check: check-types check-documents check-style

check-types: $(VENV)/ready-dev
	$(BIN)/mypy

check-documents: $(VENV)/ready-dev
	$(BIN)/python -m pytest tests/test_docs.py tests/test_environment.py

check-style: $(VENV)/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(SNAKEMAKE) --lint

lint: check

# tests/tiers.py says which test is in which tier.
test: $(VENV)/ready-dev
	$(PYTEST) -m "not slow and not cluster and not bench and not gate and not gpu"

# Models, trainings and the search on a GPU, where there is one.
test-gpu: $(VENV)/ready-dev
	$(BIN)/python -m pytest -m gpu tests/gpu

# The slow tests of the rooms that changed since a commit.
near: $(VENV)/ready-dev
	PYTHONPATH=scripts $(BIN)/python -m tests.near "$(SINCE)" -n $(CORES) --dist worksteal

# Slow tests, properties on random examples, faults on private Slurm clusters, benchmarks at a tiny size. TIER=slurm, say.
night: $(VENV)/ready-dev
	$(BIN)/python -m tests.night --cores $(CORES) $(if $(TIER),--tier "$(TIER)")

# WOKFLOW_BENCH=tiny shows that all of them work.
bench: $(VENV)/ready-dev
	$(BIN)/python -m pytest -m bench -s tests/bench

# After an edit of pyproject.toml; to upgrade: make lock UV_ARGUMENTS="--upgrade-package polars"
lock: $(VENV)/bin/uv
	PYTHONPATH=scripts $(BIN)/python -m wokflow.frame.environments
	$(PINS) lock $(UV_ARGUMENTS)

# Label Studio on this machine with the projects of a study: make studio STUDY=likert. See docs/annotate.md.
studio: $(VENV)/ready $(VENV)/studio/ready
	@$(BIN)/wokflow studio open $(STUDY) $(if $(RESULTS),--results $(RESULTS))

# Two raters answer in a real Label Studio; needs Chromium.
test-annotate: $(VENV)/ready-dev $(VENV)/studio/ready
	WOKFLOW_LABEL_STUDIO=1 $(BIN)/python -m pytest tests/annotate/test_label_studio.py

docs: $(VENV)/ready
	PYTHONPATH=scripts $(BIN)/python -m wokflow.frame.config_schema
	PYTHONPATH=scripts $(BIN)/python -m wokflow.frame.schemas > docs/tables.md
	PYTHONPATH=scripts $(BIN)/python -m wokflow.frame.config_readme > config/README.md
	PYTHONPATH=scripts $(BIN)/python -m wokflow.frame.documents
	PYTHONPATH=scripts $(BIN)/python -m wokflow.report.papers > docs/papers.md
	PYTHONPATH=scripts $(BIN)/python -m wokflow.evaluate.graders
	PYTHONPATH=scripts $(BIN)/python -m tests.bench.ages

clean:
	rm -rf results .snakemake

PINS := $(BIN)/python scripts/pins.py
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes --compile-bytecode \
  --build-constraint constraints.txt --find-links $(VENV)/torch

# pip and uv themselves, by the pip that comes with Python.
$(VENV)/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	  { echo "Wokflow needs Python 3.11: install it, or say where it is: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "No virtual environment could be made. On Debian: apt-get install python3.11-venv"; rm -rf $(VENV); exit 1; }
	@$(PINS) of pip uv > $(VENV)/setup.txt
	$(BIN)/python -m pip install --quiet --require-hashes --requirement $(VENV)/setup.txt

# torch is fetched first and by pip: where a CPU build is offered (PIP_FIND_LINKS, PIP_EXTRA_INDEX_URL), pip takes it.
# Nothing of it runs before its hash is checked, with those of all others, when uv installs them. A container holds the
# packages alone: there is no scripts/wokflow to install.
$(VENV)/ready: $(VENV)/bin/uv pyproject.toml constraints.txt requirements.tsv $(wildcard executor/pyproject.toml)
	@rm -rf $(VENV)/torch
	$(BIN)/pip download --quiet --no-deps --only-binary :all: --dest $(VENV)/torch $$($(PINS) of torch | sed 's/ .*//;q')
	@$(PINS) requirements --torch $(VENV)/torch > $(VENV)/requirements.txt
	$(INSTALL) --requirement $(VENV)/requirements.txt
	@if [ -e scripts/wokflow ]; then \
	  $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --offline --no-cache --editable . --editable executor; fi
	@touch $@

$(VENV)/studio/ready: $(VENV)/bin/uv envs/label-studio.txt
	@rm -rf $(VENV)/studio
	$(PYTHON) -m venv $(VENV)/studio
	$(BIN)/uv pip install --quiet --python $(VENV)/studio/bin/python --require-hashes --requirement envs/label-studio.txt
	@touch $@

# The packages of an extra of pyproject.toml: hub, amr, dev.
$(VENV)/ready-%: $(VENV)/ready
	@$(PINS) requirements --torch $(VENV)/torch --extra $* > $(VENV)/requirements-$*.txt
	$(INSTALL) --requirement $(VENV)/requirements-$*.txt
	@touch $@
