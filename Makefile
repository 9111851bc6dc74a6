# The front door. Everything lives in .venv, which each target sets up by itself.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
SANDBOX := .venv-sandbox
AEGRA := .venv-aegra
PLAIN := .venv-plain
PINNED := --no-deps --require-hashes # the lock files name every dependency; with it, pip would look for extras of pinned libraries
PIP := --disable-pip-version-check install --quiet --quiet --no-compile # modules are compiled when they are used first
UV := .venv/uv
# Installs into an environment: by uv, in seconds; where that cannot, as it knows no mirror that pip was told, by pip
install = { $(UV) pip install --quiet --python $(1)/bin/python $(2) 2>/dev/null || $(BIN)/python -m pip --python $(1)/bin/python $(PIP) $(2); }
OURS := --no-deps --no-build-isolation --editable .
# Confined processes store no compiled modules: they would compile their libraries at each start, which takes three times as long as to load them
COMPILE := PYTHONDONTWRITEBYTECODE= $(BIN)/python -c "import services.search.files.convert_office, services.search.pages.extract_office"
RUN_QUIETLY := LANGGRAPH_CLI_NO_ANALYTICS=1 LANGGRAPH_NO_VERSION_CHECK=true LANGSMITH_TRACING=$${LANGSMITH_TRACING:-false}
PORT ?= 2024
KILLS ?= 200
JOBS ?= 10
LOCK = $(UV) pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate
# Makes requirements-NAME.lock of extras: a line that includes another lock file, and the pins that are not in that
define layer
	$(LOCK) pyproject.toml $(3) -c $(2) $$(cat requirements.lock $(2) | sed -n 's/^\([a-z0-9.-]*\).*==.*/--no-emit-package \1/p' | sort -u) -o requirements-$(1).lock
	sed -i -e '/^#/d' -e '1i -r $(2)' requirements-$(1).lock
endef

.DEFAULT_GOAL := help
.PHONY: help research demo serve notebook notebooks test test-long pictures test-services test-crash test-deploy test-wheel test-model dev lint types bench lock clean setup develop
.SILENT:
.INTERMEDIATE: $(UV) # 37 MB, which make deletes at its end

help: # Explain the targets of every day; CONTRIBUTING.md has the others
	awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

research: .venv/runtime ## Research a question: make research Q="…" [ARGS="--docs DIR --locale zh-CN"]
	$(if $(strip $(Q)),,echo 'Ask something: make research Q="Who owned the schooner Lalla Rookh?"' >&2; exit 2)
	$(BIN)/leadline research "$$Q" $(ARGS)

demo: .venv/runtime ## Play the recorded run of a strong model, in twenty seconds
	$(BIN)/leadline demo $(ARGS)

serve: .venv/serve ## Start the server with page and API, and open the page: make serve [PORT=2024]
	$(BIN)/leadline serve --port $(PORT) $(ARGS)

# A $ of the question stands for itself
override Q := $(value Q)
export Q

# Processes that tests start load compiled modules, as users' do
test test-long test-services test-crash test-deploy test-wheel test-model: export PYTHONDONTWRITEBYTECODE =

test: develop ## Run the tests that a change needs first; they need no key and no network
	$(BIN)/pytest -n 3 --dist worksteal -m "not long and not model" $(ARGS)

test-long: develop ## Run all other tests: whole commands, servers, browsers, crashes, faults, attacks
	$(BIN)/pytest -n 4 --dist worksteal -m "long and not model" $(ARGS)

test-services: .venv/develop # Run the tests that ask a real PostgreSQL; it must be installed (Debian: apt-get install postgresql)
	REQUIRE_SERVICES=1 $(BIN)/pytest -n 2 tests/services/tools/databases $(ARGS)

test-crash: develop # Kill runs at every boundary and at random moments, and go on with them: make test-crash [KILLS=200]
	LEADLINE_TEST_KILLS=$(KILLS) $(BIN)/pytest -n 2 --dist worksteal tests/crash $(ARGS)

test-deploy: .venv/develop # Run 50 researches on Aegra with PostgreSQL and Redis and kill a worker (needs both, and Python 3.12)
	$(MAKE) --silent $(AEGRA)/ready || echo "Aegra could not be installed; its tests are skipped." >&2
	TEST_DEPLOY=1 $(BIN)/pytest tests/deploy $(ARGS)

test-wheel: .venv/develop $(UV) # Install the wheel by pip, pipx and uv into empty environments and use it there (needs the network)
	$(call install,.venv,$(PINNED) -r requirements-setup.lock)
	$(call install,.venv,pipx)
	TEST_WHEEL=empty $(BIN)/pytest -n 0 tests/install $(ARGS)

test-model: develop # Run two researches at the model that is connected (OPENAI_BASE_URL, LEADLINE_MODEL) and check their structure
	TEST_MODEL=1 $(BIN)/pytest -n 0 -rs tests/model $(ARGS)

pictures: develop # Make the pictures of the README and the guides anew (needs Chromium; CONTRIBUTING.md has more)
	LEADLINE_PICTURES=$(CURDIR)/docs/images $(BIN)/pytest -n 0 tests/pictures tests/server/test_chat_client.py $(ARGS)

notebooks: develop # Run the notebooks and store what they show with them
	LEADLINE_NOTEBOOKS=$(CURDIR)/notebooks $(BIN)/pytest -n 0 tests/notebooks -k shows_what_is_stored $(ARGS)

notebook: setup .venv/notebook ## Open the notebooks in JupyterLab
	$(BIN)/python -m jupyterlab --notebook-dir=notebooks $(if $(filter 0,$(shell id -u)),--allow-root) $(ARGS)

dev: develop ## Serve the graph for LangGraph Studio and the API: make dev [PORT=2024] [JOBS=10]
	umask 077; $(RUN_QUIETLY) $(BIN)/langgraph dev --no-browser --n-jobs-per-worker $(JOBS) --port $(PORT)

lint: .venv/develop ## Check style and formatting
	$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: .venv/develop ## Check types, strictly, in sources and tests
	$(BIN)/mypy .

bench: ## Measure, as benchmarks/README.md says: make bench WHAT=run|load|retrieval|… [DATA=folder] [ARGS="…"]
	if [ -z "$(WHAT)" ]; then echo "Say what to measure, as in: make bench WHAT=run (benchmarks/README.md lists everything)" >&2; exit 2; fi
	$(MAKE) --silent bench-$(WHAT)

# Each is the module of benchmarks/ with its name; ties and rounding depend on the seed of hashes
bench-run: $(PLAIN)/ready
bench-run: COMMAND := --command $(PLAIN)/bin/leadline
bench-%: .venv/develop
	PYTHONHASHSEED=0 $(BIN)/python -m benchmarks.$* $(if $(DATA),"$(DATA)") $(COMMAND) $(ARGS)

lock: .venv/develop $(UV) ## Pin the dependencies anew (needs the network); what is pinned stays at its version where it can
	$(LOCK) requirements-setup.in -o requirements-setup.lock
	$(LOCK) pyproject.toml --extra vectors -o requirements.lock
	$(call layer,serve,requirements.lock,--extra server --extra formats --extra charts --extra pdf --extra mcp --extra databases --extra vectors)
	$(call layer,dev,requirements-serve.lock,--group dev --extra server --extra vectors --extra mcp --extra charts --extra formats --extra pdf --extra local --extra ocr)
	$(call layer,notebook,requirements.lock,--extra notebook --extra charts --extra mcp --extra vectors -c requirements-dev.lock)
	$(call layer,aegra,requirements.lock,--extra aegra --extra vectors --extra formats --extra mcp -c requirements-dev.lock --python-version 3.12)
	$(LOCK) requirements-sandbox.in --python-version 3.11 -c requirements.lock -o requirements-sandbox.lock # an environment without the base

clean: ## Remove the environment and caches; runs (.leadline) and reports (out) stay
	rm -rf .venv $(SANDBOX) $(AEGRA) $(PLAIN) .mypy_cache .ruff_cache .pytest_cache

.venv/bin/python:
	if [ -z "$(PYTHON)" ]; then echo "Python 3.11 or later is needed; none was found." >&2; exit 1; fi
	$(PYTHON) -m venv .venv || { rm -rf .venv; echo "python3 cannot make a virtual environment: install its venv package (Debian: python3-venv)." >&2; exit 1; }

$(UV): | .venv/bin/python
	$(BIN)/python -m pip $(PIP) $(PINNED) --target .venv/setup -r requirements-setup.lock 2>/dev/null && mv .venv/setup/bin/uv $@ || true # uv, or no uv
	rm -rf .venv/setup

.venv/runtime: requirements.lock pyproject.toml setup.py | $(UV) .venv/bin/python
	echo "Setting up .venv (once; less than a minute) …" >&2
	$(call install,.venv,$(PINNED) -r requirements.lock)
	$(call install,.venv,$(OURS))
	$(COMPILE)
	touch $@

setup: # The application's libraries and those of sandboxed programs, side by side
	$(MAKE) --silent -j2 .venv/runtime $(SANDBOX)/ready

develop: # The same, and the development tools
	$(MAKE) --silent -j2 .venv/develop $(SANDBOX)/ready

# Without it, programs have the few libraries that the application has itself
$(SANDBOX)/ready: requirements-sandbox.lock services/sandbox/fonts.py | $(UV) .venv/bin/python
	rm -rf $(SANDBOX)
	$(BIN)/python -m venv --without-pip $(SANDBOX)
	if $(call install,$(SANDBOX),$(PINNED) -r requirements-sandbox.lock) && $(SANDBOX)/bin/python services/sandbox/fonts.py $(SANDBOX)/matplotlib; \
	then $(SANDBOX)/bin/python -m compileall -q -j 2 -x '/tests/' $(SANDBOX)/lib >/dev/null; touch $@; \
	else rm -rf $(SANDBOX) && mkdir $(SANDBOX) && touch $@; \
	echo "The libraries for sandboxed programs were not installed; to try again: rm -r $(SANDBOX) && make setup" >&2; fi

.venv/develop: requirements-dev.lock requirements-serve.lock .venv/runtime | $(UV)
	echo "Setting up the development tools (once) …" >&2
	$(call install,.venv,$(PINNED) -r requirements-dev.lock)
	touch $@

.venv/serve: requirements-serve.lock .venv/runtime | $(UV)
	echo "Setting up the server (once) …" >&2
	$(call install,.venv,$(PINNED) -r requirements-serve.lock)
	touch $@

.venv/notebook: requirements-notebook.lock .venv/runtime | $(UV)
	echo "Setting up JupyterLab (once) …" >&2
	$(call install,.venv,$(PINNED) -r requirements-notebook.lock)
	touch $@

# What `make research` installs, without what development adds: libraries load some of that where they find it
$(PLAIN)/ready: requirements.lock pyproject.toml | $(UV) .venv/bin/python
	echo "Setting up $(PLAIN) (once; about a minute) …" >&2
	rm -rf $(PLAIN) && $(PYTHON) -m venv $(PLAIN)
	$(call install,$(PLAIN),$(PINNED) -r requirements.lock)
	$(call install,$(PLAIN),$(OURS))
	touch $@

# Aegra wants a later Python than the rest, and has an environment of its own, as it has on the machines that serve (docs/server.md)
$(AEGRA)/ready: PYTHON312 = $(firstword $(shell for p in python3.12 python3.13 python3.14 python3 $(wildcard $(HOME)/.pyenv/versions/3.12*/bin/python3.12); do \
  command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo $$p; done))
$(AEGRA)/ready: requirements-aegra.lock requirements.lock pyproject.toml | $(UV) .venv/bin/python
	if [ -z "$(PYTHON312)" ]; then echo "Aegra needs Python 3.12 or later; none was found." >&2; exit 1; fi
	echo "Setting up $(AEGRA) (once; about a minute) …" >&2
	rm -rf $(AEGRA) && $(PYTHON312) -m venv $(AEGRA)
	$(call install,$(AEGRA),$(PINNED) -r requirements-aegra.lock)
	$(call install,$(AEGRA),$(OURS))
	touch $@
