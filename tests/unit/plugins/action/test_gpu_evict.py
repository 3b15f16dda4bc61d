# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_evict on the controller: the rules go to the node, and a file that is wrong is one sentence."""

from __future__ import annotations

import typing as t
from pathlib import Path
from unittest import mock

import yaml

from ansible_collections.instinct.fleet.plugins.action import gpu_evict
from ansible_collections.instinct.fleet.plugins.modules import gpu_evict as module
from ansible_collections.instinct.fleet.tests.unit.support.evictions import DATA, FILE


def run(**args: t.Any) -> tuple[dict[str, t.Any], mock.Mock]:
    """What the action returns, and how it called the module."""
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = gpu_evict.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", return_value={"changed": True, "invocation": {}}) as called:
        return action.run(task_vars={}), called


def test_the_node_is_given_the_rules_of_the_collection() -> None:
    result, called = run(devices=["0000:05:00.0"], samples=[])
    (name, given), _more = called.call_args
    assert (name, result) == ("instinct.fleet.gpu_evict", {"changed": True})
    assert given["rules_data"] == {"path": str(FILE), "data": DATA}
    assert (given["devices"], bool(given["actor"])) == (["0000:05:00.0"], True)


def test_or_those_of_the_site(tmp_path: Path) -> None:
    site = tmp_path / "rules.yml"
    rules = {**DATA["rules"], "grace_p1": {**DATA["rules"]["grace_p1"], "number": 600}}
    site.write_text(yaml.safe_dump({**DATA, "rules": rules}), encoding="utf-8")
    _result, called = run(rules=str(site), actor="ann")
    (_name, given), _more = called.call_args
    assert (given["rules_data"]["data"]["rules"]["grace_p1"]["number"], given["actor"]) == (600, "ann")


def test_rules_that_are_none_are_one_sentence(tmp_path: Path) -> None:
    site = tmp_path / "rules.yml"
    site.write_text("version: v1\nkind: eviction_rules\n", encoding="utf-8")
    result, called = run(rules=str(site))
    assert (result["failed"], called.called) == (True, False)
    assert result["msg"] == f"{site}: rules: is missing; add it"


def test_documentation_is_that_of_the_options() -> None:
    documented = yaml.safe_load(module.DOCUMENTATION)["options"]
    assert sorted(documented) == sorted(module.SPEC)
    for name, option in module.SPEC.items():
        for key in ("type", "default", "choices", "elements"):
            assert documented[name].get(key) == option.get(key), name
