# The two commands of the README. Everything is set up in .venv on first use.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# llama.cpp is compiled without its HTTP and image parts (half of the compile) and for any CPU of
# this architecture, so that the environment may move; NATIVE=ON builds for this very CPU.
NATIVE ?= OFF
export CMAKE_ARGS := -DLLAVA_BUILD=OFF -DGGML_NATIVE=$(NATIVE) -DCMAKE_PROJECT_llama.cpp_INCLUDE=$(CURDIR)/models/llama-build.cmake $(CMAKE_ARGS)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell getconf _NPROCESSORS_ONLN)

.PHONY: scan test setup bench bench-live clean

scan: $(VENV)/ready
	$(BIN)/auditor scan $(ARGS)

test: $(VENV)/ready-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n auto --ignore=tests/e2e $(ARGS)
	$(BIN)/pytest tests/e2e # one real OpenCode, installed from npm at its pinned version

setup: $(VENV)/ready-dev

bench: $(VENV)/ready-dev
	$(BIN)/python benchmarks/quality_sieve.py
	$(BIN)/python benchmarks/quality.py
	$(BIN)/python benchmarks/speed_scan.py
	$(BIN)/python benchmarks/speed_repetition.py
	$(BIN)/python benchmarks/memory_scan.py

bench-live: $(VENV)/ready-dev # beside a real OpenCode, from npm; some twenty-five minutes
	$(BIN)/python benchmarks/live_memory.py
	$(BIN)/python benchmarks/live_latency.py
	$(BIN)/python benchmarks/live_scenarios.py
	$(BIN)/python benchmarks/live_chaos.py

$(VENV)/ready: pyproject.toml models/llama-build.cmake
	@echo "Setting up $(VENV); the first time llama.cpp is compiled, which takes a few minutes."
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e .
	touch $@

$(VENV)/ready-dev: $(VENV)/ready
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist
