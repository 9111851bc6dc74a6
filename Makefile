# The front door. Everything lives in .venv, which each target sets up by itself.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
SANDBOX := .venv-sandbox
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
RUN_QUIETLY := LANGGRAPH_CLI_NO_ANALYTICS=1 LANGGRAPH_NO_VERSION_CHECK=true LANGSMITH_TRACING=false
PORT ?= 2024
JOBS ?= 10
LOCK := --universal --generate-hashes --no-emit-index-url --no-header

.DEFAULT_GOAL := help
.PHONY: help research test test-services dev lint types bench-run bench-retrieval bench-tokens bench-support bench-tools bench-load lock clean setup

help: ## Explain every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

research: setup ## Research a question: make research Q="…" [ARGS="--docs DIR --locale zh-CN"]
	@if [ -z "$(strip $(value Q))" ]; then echo 'Ask something: make research Q="Who invented the sounding machine?"' >&2; exit 2; fi
	@$(BIN)/leadline research "$$Q" $(ARGS)

export Q

test: setup .venv/develop ## Run the tests; they need no key and no network
	@$(BIN)/pytest -n 2 $(ARGS)

test-services: .venv/develop ## Run the tests that ask a real PostgreSQL; it must be installed (Debian: apt-get install postgresql)
	@REQUIRE_SERVICES=1 $(BIN)/pytest -n 2 tests/services/tools/test_database_attacks.py tests/services/tools/test_query_database.py $(ARGS)

dev: setup .venv/develop ## Serve the graph for LangGraph Studio and the API: make dev [PORT=2024] [JOBS=10]
	@$(RUN_QUIETLY) $(BIN)/langgraph dev --no-browser --n-jobs-per-worker $(JOBS) --port $(PORT)

lint: .venv/develop ## Check style and formatting
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: .venv/develop ## Check types, strictly, in sources and tests
	@$(BIN)/mypy .

bench-run: .venv/develop ## Measure what a run costs beside its model calls: make bench-run [ARGS="--repetitions 5"]
	@$(BIN)/python -m benchmarks.run $(ARGS)

bench-retrieval: .venv/develop ## Measure document search: make bench-retrieval DATA=folder [ARGS="--scale 100000"]
	@$(BIN)/python -m benchmarks.retrieval "$(DATA)" $(ARGS)

bench-tokens: .venv/develop ## Measure what ranking saves in prompts: make bench-tokens DATA=folder
	@$(BIN)/python -m benchmarks.prompt_tokens "$(DATA)"

bench-support: .venv/develop ## Measure the check of claims against quotes: make bench-support DATA=folder
	@$(BIN)/python -m benchmarks.support "$(DATA)"

bench-tools: .venv/develop ## Measure the prompt tokens of a step whose prompt carries its own tools only
	@$(BIN)/python -m benchmarks.mcp_tools

bench-load: .venv/develop ## Measure a server under load: make bench-load [ARGS="--runs 100 --jobs 10,25,50"]
	@$(BIN)/python -m benchmarks.load $(ARGS)

lock: .venv/develop ## Pin the dependencies anew (needs the network)
	@$(PIP) uv
	@$(BIN)/uv pip compile -q pyproject.toml --group dev --extra server --extra notebook --extra vectors --extra mcp --extra charts --extra formats --extra pdf $(LOCK) -o requirements-dev.lock
	@$(BIN)/uv pip compile -q pyproject.toml --extra vectors -c requirements-dev.lock $(LOCK) -o requirements.lock
	@$(BIN)/uv pip compile -q requirements-sandbox.in --python-version 3.11 $(LOCK) -o requirements-sandbox.lock

clean: ## Remove the environment and caches; runs (.leadline) and reports (out) stay
	rm -rf .venv $(SANDBOX) .mypy_cache .ruff_cache .pytest_cache

.venv/bin/python:
	@if [ -z "$(PYTHON)" ]; then echo "Python 3.11 or later is needed; none was found." >&2; exit 1; fi
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "python3 cannot make a virtual environment: install its venv package (Debian: python3-venv)." >&2; exit 1; }

.venv/runtime: requirements.lock pyproject.toml | .venv/bin/python
	@echo "Setting up .venv (once; about a minute) …" >&2
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

setup: # The application's libraries and those of sandboxed programs, side by side
	@$(MAKE) --silent -j2 .venv/runtime $(SANDBOX)/ready

# Without it, programs have the few libraries that the application has itself
$(SANDBOX)/ready: requirements-sandbox.lock services/sandbox/fonts.py | .venv/bin/python
	@rm -rf $(SANDBOX)
	@$(BIN)/python -m venv --without-pip $(SANDBOX)
	@if $(BIN)/python -m pip --python $(SANDBOX)/bin/python --disable-pip-version-check install --quiet --no-compile \
	  --require-hashes -r requirements-sandbox.lock && $(SANDBOX)/bin/python services/sandbox/fonts.py $(SANDBOX)/matplotlib; \
	then $(SANDBOX)/bin/python -m compileall -q -j 2 -x '/tests/' $(SANDBOX)/lib >/dev/null; touch $@; \
	else rm -rf $(SANDBOX) && mkdir $(SANDBOX) && touch $@; \
	echo "The libraries for sandboxed programs were not installed; to try again: rm -r $(SANDBOX) && make setup" >&2; fi

.venv/develop: requirements-dev.lock .venv/runtime
	@echo "Setting up the development tools (once) …" >&2
	@$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@
