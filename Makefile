# Everything sets itself up on a fresh machine; the second time it is quick.
.PHONY: demo test test-all test-prism gate format docs setup lock clean

demo: .venv/.made-demo
	.venv/bin/assayer demo

# GATE=--strict: only skips of tests/accepted_skips.toml, as in CI
test: setup
	.venv/bin/python scripts/gate.py $(GATE)

# the gate, a second opinion on types, and every test, also those marked slow
test-all: test
	PYRIGHT_PYTHON_IGNORE_WARNINGS=1 .venv/bin/pyright
	.venv/bin/python scripts/gate.py --slow $(GATE)

# a second opinion on what is said to GitHub, from npm; not part of test
test-prism: .venv/.made-test
	scripts/test-prism

# the checks alone, on what is set up
gate:
	.venv/bin/python scripts/gate.py $(GATE)

format: .venv/.made-python
	.venv/bin/ruff check --select I --fix --quiet .
	.venv/bin/ruff format .

# the documentation site, in build/documentation/site
docs: .venv/.made-python
	.venv/bin/python scripts/build_documentation.py

setup: .venv/.made-test .venv/.made-demo

# after a change of the dependencies in pyproject.toml: one lock for developing, one for running
PIN = .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --no-annotate --custom-compile-command "make lock"
lock: .venv/.made-python
	$(PIN) --extra dev --output-file requirements.lock pyproject.toml
	cp requirements.lock requirements-runtime.lock
	$(PIN) --extra postgres --output-file requirements-runtime.lock pyproject.toml

.venv/.made-demo: .venv/.made-python scripts/system-packages
	scripts/system-packages demo
	@touch $@

.venv/.made-test: .venv/.made-python scripts/system-packages
	scripts/system-packages test
	@touch $@

.venv/.made-python: requirements.lock pyproject.toml scripts/setup
	scripts/setup
	@touch $@

clean:
	rm -rf .venv build dist
