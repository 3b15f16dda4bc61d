# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue of arguments: ours is right, those of sites come over it, and what is not right is one sentence."""

from __future__ import annotations

import json
import typing as t

import jsonschema
import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import DataError
from ansible_collections.instinct.fleet.plugins.module_utils._core.image.argument_rules import (
    RDMA,
    SEVERAL,
    Rule,
    Rules,
)
from ansible_collections.instinct.fleet.plugins.module_utils._core.tuning.setting import Setting
from ansible_collections.instinct.fleet.tests.unit.support.project import ROOT

DATA = ROOT / "roles/container_runtime/files/arguments"
OURS = yaml.safe_load((DATA / "arguments.yml").read_text(encoding="utf-8"))
SCHEMA = json.loads((DATA / "schema/run_arguments.schema.json").read_text(encoding="utf-8"))
COPIES = Setting("copies-by-kernels", "environment", "HSA_ENABLE_SDMA", "0", ("MI210",))
SETTINGS = {one.id: one for one in (COPIES, Setting("iommu-pt", "kernel_argument", "iommu", "pt"))}
WHY = {"why": "because", "sources": ["a page"], "confidence": "documented"}
LIMIT = {"id": "locked-memory", "kind": "limit", "value": "memlock=64:64", **WHY}


def document(*arguments: dict[str, t.Any], layer: int = 1, **other: t.Any) -> dict[str, t.Any]:
    return {"path": "mine.yml", "layer": layer, "data": {"version": "v1", "kind": "run_arguments", "arguments": list(arguments), **other}}


def read(*documents: dict[str, t.Any]) -> dict[str, Rule]:
    return {rule.id: rule for rule in Rules.from_documents(documents, SETTINGS).rules}


@pytest.mark.parametrize(("several", "rdma", "due"), [
    (False, False, ["always"]), (True, False, ["always", "many"]), (False, True, ["always", "fast"]), (True, True, ["always", "many", "fast"])])
def test_rules_that_are_due(several: bool, rdma: bool, due: list[str]) -> None:
    rules = Rules((Rule("always", "limit", "x"), Rule("many", "limit", "x", when=SEVERAL), Rule("fast", "limit", "x", when=RDMA)))
    assert [rule.id for rule in rules.due(several, rdma)] == due


@pytest.mark.parametrize(("products", "fits"), [(("MI210",), True), (("MI300X", "MI210"), True), (("MI300X",), False), ((), False), (None, None)])
def test_a_rule_for_some_gpus_fits_those_that_are_known(products: tuple[str, ...] | None, fits: bool | None) -> None:
    assert Rule.of(COPIES, "x").fits(products) is fits
    assert Rule("always", "limit", "x").fits(products) is True


def test_ours_are_right_and_a_site_replaces_one() -> None:
    jsonschema.validate(OURS, SCHEMA)
    ours = {"path": "arguments.yml", "layer": 0, "data": OURS}
    assert read(ours)["copies-by-kernels"] == Rule(COPIES.id, "environment", "0", "HSA_ENABLE_SDMA", "always", ("MI210",))
    assert read(ours)["locked-memory"] == Rule("locked-memory", "limit", "memlock=-1:-1", "", RDMA)
    assert read(ours)["shared-memory"].when == SEVERAL
    both = read(ours, document(LIMIT))
    assert both["locked-memory"] == Rule("locked-memory", "limit", "memlock=64:64") and list(both) == list(read(ours))


@pytest.mark.parametrize(("given", "sentence"), [
    (document({**LIMIT, "value": "memlock"}), "mine.yml: arguments[0].value: is 'memlock', which does not match"),
    (document({**LIMIT, "kind": "capability"}), "mine.yml: arguments[0].kind: "),
    (document({**LIMIT, "name": "MEMLOCK"}), "mine.yml: arguments[0].name: goes with the kind environment, and with no other"),
    (document({**LIMIT, "kind": "environment"}), "mine.yml: arguments[0].name: goes with the kind environment"),
    (document({**LIMIT, "sources": []}), "mine.yml: arguments[0].sources: is empty"),
    (document(LIMIT, LIMIT), "mine.yml: arguments[1].id: 'locked-memory' is also"),
    (document(host_tuning=["copies"]), "mine.yml: host_tuning: there is no setting 'copies'; correct the id"),
    (document(host_tuning=["iommu-pt"]), "mine.yml: host_tuning: iommu-pt is no environment variable with a value; take it out"),
    (document(extra=1), "extra"),
])
def test_what_is_not_right_is_named(given: dict[str, t.Any], sentence: str) -> None:
    with pytest.raises(DataError) as caught:
        read(given)
    assert sentence in str(caught.value)
