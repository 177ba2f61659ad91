# Everything runs in .venv/, which is set up by itself; `make help` lists the targets.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all new watch serve site applications apply check lint test test-all attack doctor texlive gallery docs docs-gallery docs-site docs-serve page ats bench train lock wheel tex-wheel dist image image-test clean help

VENV := .venv
PY := $(VENV)/bin/python
# pytest's workers; more arguments for pytest: make test ARGS="tests/test_source.py -k tabs"
JOBS ?= auto
ARGS ?=
# Where that variable is set, every worker and program that tests start would compile it all anew.
PYTEST = unset PYTHONDONTWRITEBYTECODE; $(PY) -m pytest -n $(JOBS)
# Names may have spaces, quotes and dollar signs: neither make nor the shell looks into them. What
# was given is taken as it is written, and recipes read it from the environment, in quotes.
literal = $(eval override $1 := $$(value $1))$(eval export $1)
$(foreach name,PERSON TEMPLATE VARIANT LOCALE TITLE NAME SLUG,\
  $(if $(value $(name)),$(call literal,$(name))))
who = $${PERSON:+-- "$$PERSON"}
style = $${TEMPLATE:+--template="$$TEMPLATE"}
language = $${LOCALE:+--locale="$$LOCALE"}
# What to build, as the command line wants it.
CHOSEN = $(style) $${VARIANT:+--variant="$$VARIANT"} $(language) $(who)
APT_TEXLIVE := texlive-latex-base texlive-latex-recommended texlive-latex-extra \
	texlive-fonts-recommended lmodern latexmk \
	fonts-noto-core fonts-noto-cjk fonts-hosny-amiri

all: $(VENV)/.installed  ## build all CVs into out/; one: make PERSON=name TEMPLATE=industry LOCALE=de, or VARIANT=name
	@$(PY) -m cvbuild build $(CHOSEN)
	@echo 'now write beside the pages, in the browser: make serve' >&2

new: $(VENV)/.installed  ## write a starter file: make new NAME="Ada Example"
	@[ -n "$$NAME" ] || { echo 'say who: make new NAME="Ada Example"' >&2; exit 2; }
	@$(PY) -m cvbuild new -- "$$NAME"

watch: $(VENV)/.installed  ## rebuild what you edit as soon as you save it; one person: make watch PERSON="Ada Example"
	@$(PY) -m cvbuild watch $(CHOSEN)

serve: $(VENV)/.installed  ## write in the browser, beside the pages: make serve PERSON="Ada Example"
	@$(PY) -m cvbuild serve $(who)

gallery: $(VENV)/.installed  ## show one CV in every style, to choose one: make gallery PERSON=name
	@$(PY) -m cvbuild gallery $(language) $(who)

site: $(VENV)/.installed  ## build a web site of everybody into out/site/: make site TITLE="Systems Group"
	@$(PY) -m cvbuild site --title="$${TITLE-}" $(style) $(language) $(who)

applications: $(VENV)/.installed  ## build everything that goes out with every application: out/applications/
	@$(PY) -m cvbuild apply --all

apply: $(VENV)/.installed  ## the same for one: make apply SLUG=example-cloud
	@[ -n "$$SLUG" ] || { echo 'say which: make apply SLUG=example-cloud' >&2; exit 2; }
	@$(PY) -m cvbuild apply -- "$$SLUG"

check: lint test-all  ## lint and all tests

lint: $(VENV)/.installed-dev  ## ruff, mypy, and which room may import which
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(PY) -m mypy
	@$(VENV)/bin/lint-imports --no-logo --no-cache

# Files in their order: else those of few, slow tests come last, and a worker waits for another one.
test: $(VENV)/.installed-test  ## the tests: every promise once
	@$(PYTEST) --dist loadfile --no-loadscope-reorder -m "not deep" $(ARGS)

test-all: $(VENV)/.installed-dev  ## all tests: the slow and deep ones too, and other programs as judges
	@$(PYTEST) --dist loadfile --no-loadscope-reorder $(ARGS)

attack: $(VENV)/.installed-dev  ## all attacks on cvbuild that are known, in half an hour
	@export CVBUILD_ATTACK=all; $(PYTEST) --dist load --timeout 1800 tests/attacks $(ARGS)

doctor: $(VENV)/.installed  ## list the TeX engines and fonts found, and what is missing
	@$(PY) -m cvbuild doctor

texlive:  ## install a system TeX Live: apt on Debian and Ubuntu, brew on macOS
	@if command -v apt-get >/dev/null; then \
	  sudo=; [ "$$(id -u)" = 0 ] || sudo="sudo"; \
	  $$sudo apt-get update && $$sudo env DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y --no-install-recommends $(APT_TEXLIVE); \
	elif command -v brew >/dev/null; then \
	  brew install --cask mactex-no-gui; \
	else \
	  echo "make texlive knows apt and brew; install TeX Live 2022 or newer yourself" >&2; exit 1; \
	fi

docs-gallery: $(VENV)/.installed-dev  ## the pictures of README and docs: docs/gallery.md
	@$(PY) -m tools.docs gallery

docs: $(VENV)/.installed  ## write the generated parts of docs/
	@$(PY) -m tools.docs pages

docs-site: $(VENV)/.installed-dev  ## build docs/ as a site, which needs no network: out/docs/index.html
	@$(PY) -m tools.docs_site

PAGE := tools/serve_page
page:  ## make the page of `cvbuild serve` from its sources; needs Node.js
	@npm ci --silent --ignore-scripts --no-audit --no-fund --prefix $(PAGE)
	@npm run --silent --prefix $(PAGE) check
	@npm run --silent --prefix $(PAGE) build

docs-serve: $(VENV)/.installed-dev  ## the pictures of docs/how-to/serve.md; needs Chromium
	@$(PY) -m tools.serve_pictures

ats: $(VENV)/.installed-dev  ## measure what CV readers get of a corpus of CVs: docs/measurements/ats.md
	@$(PY) -m tools.ats

# RENDERCV=path/to/rendercv names a peer that isn't on PATH; ARGS=--count=3 makes it shorter.
bench: $(VENV)/.installed-test  ## measure how fast it is, in ten minutes: docs/measurements/benchmarks.md
	@$(PY) -m tools.bench $(ARGS)

train: $(VENV)/.installed-dev  ## train the labeller of imported documents, in about ten minutes
	@$(PY) -m tools.learn

LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-annotate --no-emit-index-url --no-emit-find-links pyproject.toml --extra tex --extra shaping --extra match --extra formats --extra web
lock:  ## pin the newest dependencies; needs uv
	@command -v uv >/dev/null || { echo "make lock needs uv: pip install uv" >&2; exit 1; }
	@$(LOCK) --upgrade --group build -o requirements.lock
	@$(LOCK) --upgrade --group dev -c requirements.lock -o requirements-dev.lock
	@$(LOCK) --group build --group test -c requirements-dev.lock -o requirements-test.lock

tex-wheel: $(VENV)/.installed-dev  ## make wheels with TeX (cvbuild-tex) for Linux on x86 and ARM from Debian's packages: dist/
	@$(PY) -m tools.tex_wheel $(ARGS)

wheel: $(VENV)/.installed  ## make the wheel for pip, pipx and uvx: dist/
	@$(PY) -m hatchling build -t wheel -d dist

dist: $(VENV)/.installed  ## make what a release publishes: the wheel and the sources
	@rm -rf dist
	@$(PY) -m hatchling build -t sdist -t wheel -d dist

# With docker, podman or buildah; BASE=name is another Debian 12 than the usual one.
TARGET ?= embedded
image:  ## build an image to run cvbuild in a container: make image TARGET=texlive (or embedded)
	@tools/image.sh build $(TARGET) cvbuild $(if $(BASE),--build-arg BASE=$(BASE)) $(ARGS)

image-test:  ## build both images, and CVs in them; takes minutes
	@tools/image.sh test $(if $(BASE),--build-arg BASE=$(BASE)) $(ARGS)

clean:  ## delete what was built; .venv stays
	@rm -rf out dist .pytest_cache .mypy_cache .ruff_cache

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/  make \1|\2/p' Makefile | \
	  while IFS='|' read -r name words; do printf '%-20s %s\n' "$$name" "$$words"; done

# A Python that runs, is 3.11 or newer and can make environments: a name may be there and do nothing.
$(PY):
	@for python in $(PYTHON) python3.13 python3.12 python3.11 python3.14 python3; do \
	  if "$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
	    2>/dev/null; then \
	    exec "$$python" -m tools.install; \
	  fi; \
	done; \
	echo "Python 3.11 or newer with its venv module is needed" \
	  "(on Debian: apt-get install python3-venv)" >&2; exit 1

# The locks hold hashes for everything that is installed, the build backend too.
$(VENV)/.installed: $(PY) pyproject.toml requirements.lock
	@$(PY) -m tools.install requirements.lock $(@F)
	@$(PY) -m tools.seed

$(VENV)/.installed-test: $(VENV)/.installed requirements-test.lock
	@$(PY) -m tools.install requirements-test.lock $(@F)

$(VENV)/.installed-dev: $(VENV)/.installed-test requirements-dev.lock
	@$(PY) -m tools.install requirements-dev.lock $(@F)
