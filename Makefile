# `make demo`, `make quick` and `make test` do all their own set-up; the second time it takes seconds.

PYTHON ?= python3
VENV ?= .venv
BIN := $(abspath $(VENV))/bin
INSTALLED := $(VENV)/.installed
# Half of the tests to each process, in order, so that what a file shares is made once; who is done takes from the rest.
PYTEST := pytest -n 2 --dist worksteal
AXE := $(VENV)/share/axe-core/axe.min.js
EXERCISES := $(notdir $(wildcard tests/demo/submitted/perfect/*))

export PATH := $(BIN):$(PATH)

.PHONY: install browser compiled demo pictures quick test slow-test attack-test verify bench lint format build clean

install: $(INSTALLED)

demo: $(INSTALLED)
	rm -rf demo && mkdir demo
	cp -R solutions assignments nbgrader_config.py tests/demo/grader_config.py tests/demo/submitted demo/
	cd demo && for exercise in $(EXERCISES); do \
		autograder grade $$exercise && autograder show $$exercise && \
		nbgrader generate_feedback --force --log-level=ERROR $$exercise || exit; \
	done
	@echo
	@echo "Gradebook:      cd demo && $(BIN)/jupyter lab   (menu Nbgrader, Formgrader)"
	@echo "Feedback pages: demo/feedback/<student>/<exercise>/<exercise>.html"

# Processes that the tests start find it compiled, also where Python is told to write no bytecode.
compiled: $(INSTALLED)
	python -m compileall -q -x exercises autograder

quick: compiled
	$(PYTEST) -m "not slow and not broad" --ignore tests/attacks

test: compiled
	$(PYTEST) -m "not slow" --ignore tests/attacks
	$(MAKE) attack-test

# As who you are; then what the kernel stops once more without privileges: to the kernel that is an ordinary user.
attack-test: compiled
	$(PYTEST) -m "not slow" tests/attacks
	if unshare --user true; then \
		unshare --user --map-user=1000 --map-group=1000 $(BIN)/$(PYTEST) -p no:cacheprovider -m "kernel and not slow" tests/attacks; \
	else echo "no user namespaces here: the attacks were not tried without privileges"; fi

verify: $(INSTALLED)
	autograder verify

# Half an hour on a quiet machine; writes docs/performance.md.
bench: $(INSTALLED)
	python -m tests.benchmarks.bench

slow-test: compiled browser
	$(PYTEST) -m slow

# Chromium and the checker of accessibility, for the tests that need them; without them these are skipped, and say so.
browser: $(INSTALLED)
	which chromium chromedriver npm >/dev/null || \
		{ apt-get update && apt-get install --yes --no-install-recommends chromium chromium-driver npm; } || true
	test -f $(AXE) || { mkdir -p $(dir $(AXE)) && cd $(dir $(AXE)) && npm pack --silent axe-core@4.14.1 && \
		tar -xzf axe-core-*.tgz --strip-components=1 package/axe.min.js; } || true

# What docs/images/ shows of the pages: a few students of the demo class, as they look in a browser.
pictures: browser
	python -m tests.pictures

lint: $(INSTALLED)
	ruff check .
	ruff format --check .
	mypy
	autograder build --check

format: $(INSTALLED)
	ruff format .
	ruff check --fix .

build: $(INSTALLED)
	autograder build
	python -m tests.demo.make

clean:
	rm -rf demo build $(VENV)

$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $@
