# Two commands matter: make demo, make test. The rest are their parts. Everything that is made lies in .cache/.
.DEFAULT_GOAL := help
.PHONY: help demo demo-down test test-fast docs bench clean bootstrap
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash

BOOTSTRAP := @tests/tools/bootstrap
RUN := tests/tools/run-rings

# Rings in the order in which they fail soonest. A fast ring needs neither root nor containers.
FAST := lint unit sanity build
ALL := $(FAST) images units-ansible machine molecule

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## start a simulated fleet and bring it to its release; again: shows that nothing changes
	$(BOOTSTRAP)
	@tests/tools/demo up

demo-down: ## remove the simulated fleet and all that belongs to it
	@tests/tools/demo down

test: ## every ring of tests
	$(BOOTSTRAP)
	@$(RUN) $(ALL)

test-fast: ## the rings without containers
	$(BOOTSTRAP)
	@$(RUN) $(FAST)

lint: ## ruff, mypy, yamllint, ansible-lint, shellcheck, changelog, spelling
unit: ## bare pytest: core, plugins, role specifications, repository
sanity: ## ansible-test sanity on the newest ansible-core and the oldest
units-ansible: ## ansible-test units: oldest Python of nodes, oldest ansible-core
build: ## build the collection, install the tarball, read its documentation
images: ## what the nodes and machines of the next two are made of
molecule: ## roles and stories on simulated nodes (one: S=<scenario>)
machine: ## upgrade and rollback on virtual machines (one: S=tests/machine/test_upgrade.py)

.PHONY: lint unit sanity units-ansible build images molecule machine
lint unit sanity units-ansible build images molecule machine:
	$(BOOTSTRAP) --quiet
	@tests/tools/rings/$@ $(S)

docs: ## write what is derived: variable tables of the READMEs of roles, action groups
	$(BOOTSTRAP) --quiet
	@tests/tools/run python tests/tools/derive.py

bench: ## site.yml with nothing to do against a bare ping, on 3, 30 and 300 hosts, as a ratio
	$(BOOTSTRAP) --quiet
	@tests/bench/fleets $(N)

bootstrap: ## install what the tools need; every other target does it too
	$(BOOTSTRAP)

clean: ## remove what is made in the checkout; caches outside it stay
	rm -rf .cache tests/output
