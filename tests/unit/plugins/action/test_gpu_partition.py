# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_partition: what the node is given, what is refused before it is asked, and its documentation."""

from __future__ import annotations

import typing as t
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import gpu_partition
from ansible_collections.instinct.fleet.plugins.doc_fragments._partition import ModuleDocFragment
from ansible_collections.instinct.fleet.plugins.modules import gpu_partition as module

RULES = [{"gpus": "all", "compute": "CPX", "memory": "NPS4"}]
SAID = {"changed": True, "as_wanted": True, "invocation": {"module_args": {}}}


def run(**args: t.Any) -> tuple[dict[str, t.Any], mock.Mock]:
    """What the action returns, and how it called the module."""
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = gpu_partition.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", return_value=dict(SAID)) as called:
        return action.run(task_vars={}), called


def test_the_node_is_given_the_profile_and_what_products_can_be() -> None:
    result, called = run(profile="cpx-nps4", stop_units=["slurmd.service"])
    (name, given), _more = called.call_args
    assert name == "instinct.fleet.gpu_partition"
    assert given["profile_data"]["data"]["gpus"] == RULES
    assert {document["data"]["kind"] for document in given["capability_data"]["documents"]} == {
        "partition_products", "partition_drivers"}
    assert (given["stop_units"], bool(given["actor"])) == (["slurmd.service"], True)
    assert result == {"changed": True, "as_wanted": True}


def test_rules_go_as_they_are() -> None:
    _result, called = run(gpus=RULES, actor="ann")
    (_name, given), _more = called.call_args
    assert (given["gpus"], given["actor"], "profile_data" in given) == (RULES, "ann", False)


@pytest.mark.parametrize(("args", "sentence"), [
    ({"profile": "cpx-nps5"}, "gpu_partition_profile: there is no profile 'cpx-nps5'; did you mean cpx-nps"),
    ({"catalogue_dirs": ["/nowhere"]}, "/nowhere"),
])
def test_what_is_wrong_on_the_controller_is_one_sentence(args: dict[str, t.Any], sentence: str) -> None:
    result, called = run(**args)
    assert (result["failed"], called.called) == (True, False)
    assert sentence in result["msg"]


def test_documentation_is_that_of_the_options() -> None:
    documented = {**yaml.safe_load(module.DOCUMENTATION)["options"], **yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"]}
    assert sorted(documented) == sorted(module.SPEC)
    for name, option in module.SPEC.items():
        for key in ("type", "default", "choices", "elements"):
            assert documented[name].get(key) == option.get(key), name
