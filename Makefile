# make reproduce  install, then the paper's table and figure, in minutes on two cores
# make install    .venv with the package and what it needs to reproduce, explore and check
# make test       install, then every check and test
# make attack     kills, races, spoiled files and hostile services, some ten minutes
# make docs       samples, tables and figures of the pages, from what they name
# make site       the pages as a web site in build/site, which needs no network
# make release    test, then the wheel and the source in dist/
# make check      the checks alone: ruff, mypy, the import contract
PYTHON ?= python3
BIN := .venv/bin

.PHONY: reproduce install check test attack docs site release clean

install: .venv/installed

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[models,text,plots,hf,check,dev]'
	touch $@

# What only tests and the site need: the frameworks that the integrations plug into, a cluster, and Sphinx.
.venv/installed-frameworks: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[inspect,rl,cluster,docs]'
	touch $@

reproduce: install
	$(BIN)/clutrr reproduce

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Two tests side by side, each on one core.
test: export OMP_NUM_THREADS = 1
test: check .venv/installed-frameworks
	$(BIN)/pytest -n 2 --dist worksteal
	$(BIN)/pytest -n 2 --dist worksteal -m 'process and not slow and not gpu'

attack: export OMP_NUM_THREADS = 1
attack: install
	$(BIN)/pytest -n 2 --dist worksteal -m slow tests/attack

docs: install
	rm -f docs/gallery.md docs/five-worlds.svg
	$(BIN)/python tools/gallery.py docs
	$(BIN)/python tools/render.py README.md docs/*.md experiments/notes/*.md

site: .venv/installed-frameworks
	rm -rf build/site
	$(BIN)/python docs/site/build.py build/site

release: test
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	@echo 'To publish: twine upload dist/*, and a tag of the version'

clean:
	rm -rf .venv dist build .mypy_cache .pytest_cache .ruff_cache
