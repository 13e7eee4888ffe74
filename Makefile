# The two commands: make play, make test. Everything is set up on the first call and quick on the second.
.PHONY: play test test-long test-all coverage check bench multilingual cluster llm ocr lectures lock settings clean help

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
PY := $(VENV)/bin/python
# Python compiles what it imports; to compile all that is installed took as long as the rest of the installation
INSTALLER ?= $(PY) -m pip install --no-compile
INSTALL = echo "installing packages, which takes a minute or two" >&2; $(INSTALLER) -q
# the command .venv/bin/quarry, which runs this checkout; compat: editors follow a path, but no import hook
LINK = $(PY) -m pip install -q --no-deps --config-settings editable_mode=compat -e .
OPTIONAL := cluster dev llm multilingual ocr
COMPILE = $(VENV)/bin/uv pip compile -q --no-annotate --no-header pyproject.toml
HEAD = echo "\# Written by make lock from pyproject.toml."; echo "-c constraints.txt"
# tests wait for processes and servers much of the time, so that four at once suit two cores; long ones come first
PYTEST = QUARRY_TEST_MODELS=.cache/models $(PY) -m pytest -n 4 --dist loadfile --no-loadscope-reorder
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export TOKENIZERS_PARALLELISM := false

play: $(VENV)/.runtime  ## a whole game against a practice server, shown as it happens
	$(PY) run_game.py

test: $(VENV)/.dev  ## the tests
	$(PYTEST) -m "not long"

test-long: $(VENV)/.dev  ## the tests with kills, load, browsers and whole commands
	$(PYTEST) -m long

test-all: $(VENV)/.dev  ## both at once, in less time
	$(PYTEST)

coverage: $(VENV)/.dev  ## all tests, and which lines they run
	$(PYTEST) --cov --cov-report=term:skip-covered

check: $(VENV)/.dev  ## ruff, mypy --strict, and pyright as editors run it
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/basedpyright

bench: $(VENV)/.dev  ## the benchmarks, side by side with their baselines
	$(PY) -m tools.benchmarks

multilingual: $(VENV)/.multilingual  ## the embedder e5, for lectures that are not in Latin script

cluster: $(VENV)/.cluster  ## --cluster: ingest, replay, compare and tune on the workers of a Dask cluster

llm: $(VENV)/.llm  ## --writer: a language model for words, justifications and re-ranking

ocr: $(VENV)/.ocr  ## scanned pages are read, if Tesseract is installed as well

lectures: $(VENV)/.dev  ## build the bundled lectures and their ground truth from their sources
	$(PY) -m tools.lectures

lock: $(VENV)/.dev  ## pin pyproject.toml in requirements*.txt and constraints.txt; what constraints.txt pins already stays
	$(PY) -m pip install -q uv
	$(COMPILE) $(OPTIONAL:%=--extra %) --extra evaluate --extra models -o constraints.txt
	{ $(HEAD); $(COMPILE) --no-deps -c constraints.txt --extra evaluate --extra models; } > requirements.txt
	for extra in $(OPTIONAL); do \
		{ $(HEAD); $(COMPILE) --no-deps -c constraints.txt --extra $$extra | grep -vxFf requirements.txt; } > requirements-$$extra.txt; \
	done

settings: $(VENV)/.dev  ## write configs/default.yaml from the settings
	$(PY) -m tools.default_settings

help:  ## what make can do
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile | expand -t 20

clean:  ## remove the environment and everything built
	rm -rf $(VENV) .cache data/store

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed, got $$($(PYTHON) --version); set PYTHON=/path/to/python3.11" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: requirements.txt constraints.txt | $(VENV)/bin/python
	@$(INSTALL) -r requirements.txt
	@$(LINK)
	@touch $@

# holds what .runtime does, so that one installation serves both
$(VENV)/.dev: requirements-dev.txt requirements.txt constraints.txt | $(VENV)/bin/python
	@$(INSTALL) -r requirements.txt -r requirements-dev.txt
	@$(LINK)
	@touch $(VENV)/.runtime $@

$(VENV)/.multilingual: requirements-multilingual.txt $(VENV)/.runtime
	@$(INSTALL) -r requirements-multilingual.txt
	@touch $@

$(VENV)/.cluster: requirements-cluster.txt $(VENV)/.runtime
	@$(INSTALL) -r requirements-cluster.txt
	@touch $@

$(VENV)/.llm: requirements-llm.txt $(VENV)/.runtime
	@$(INSTALL) -r requirements-llm.txt
	@touch $@

$(VENV)/.ocr: requirements-ocr.txt $(VENV)/.runtime
	@$(INSTALL) -r requirements-ocr.txt
	@touch $@
