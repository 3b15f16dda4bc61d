# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""gpu_qos: what the node is given, what is refused before it is asked, and its documentation."""

from __future__ import annotations

import typing as t
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import gpu_qos
from ansible_collections.instinct.fleet.plugins.doc_fragments._qos import ModuleDocFragment
from ansible_collections.instinct.fleet.plugins.modules import gpu_qos as module

SAID = {"changed": True, "as_wanted": True, "invocation": {"module_args": {}}}
NIGHT = {"profile": "night_training", "begins": "22:00", "ends": "06:00"}


def run(**args: t.Any) -> tuple[dict[str, t.Any], mock.Mock]:
    """What the action returns, and how it called the module."""
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = gpu_qos.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", return_value=dict(SAID)) as called:
        return action.run(task_vars={}), called


def test_the_node_is_given_its_profiles_and_what_products_take() -> None:
    result, called = run(profile="serving", schedule=[NIGHT], unsupported="say")
    (name, given), _more = called.call_args
    assert name == "instinct.fleet.gpu_qos"
    assert [document["data"]["name"] for document in given["profile_data"]] == ["serving", "night_training"]
    assert [document["path"] for document in given["product_data"]["documents"]] == ["qos/products.yml"]
    assert (given["unsupported"], bool(given["actor"]), given["schedule"]) == ("say", True, [NIGHT])
    assert result == {"changed": True, "as_wanted": True}


@pytest.mark.parametrize(("args", "sentence"), [
    ({"profile": "servin"}, "gpu_qos_profile: there is no profile 'servin'; did you mean serving, of burst, maintenance, "),
    ({"schedule": [{**NIGHT, "profile": "x"}]}, "gpu_qos_profile: there is no profile 'x'; choose one of burst, maintenance, "),
    ({"schedule": [{**NIGHT, "begins": "25:00"}]}, "gpu_qos_schedule[0].begins: '25:00' is no time of day"),
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
