# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""host_tuning: what the node is looked at for and told, what is refused before it is told anything, and its documentation."""

from __future__ import annotations

import dataclasses as dc
import typing as t
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import host_tuning
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape
from ansible_collections.instinct.fleet.plugins.modules import host_tuning as module
from ansible_collections.instinct.fleet.tests.unit.support.project import data

Result = dict[str, t.Any]
LOOK = shape.Look(gpus=shape.Gpus((shape.Gpu(0, "0000:05:00.0", "740f"),)), host=shape.Host(cpu_vendor="AuthenticAMD"), kernel=shape.Kernel())
SAID = {"changed": True, "as_wanted": True, "invocation": {"module_args": {}}}


def run(look: Result | None = None, **args: t.Any) -> tuple[Result, dict[str, Result]]:
    """What the action returns, and with what it called which module."""
    called: dict[str, Result] = {}

    def execute(name: str, given: Result, task_vars: t.Any) -> Result:
        called[name.rsplit(".", 1)[1]] = given
        return dict(SAID) if name.endswith("host_tuning") else look or {"look": dc.asdict(LOOK)}

    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = host_tuning.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", side_effect=execute):
        return action.run(task_vars={}), called


def test_the_node_is_told_its_settings() -> None:
    result, called = run(profile="inference", also=["huge-pages"], values={"huge-pages": "64"}, timeout=60)
    assert called["gpu_node_info"] == {"sections": ["kernel", "driver", "rocm", "gpus", "host"]}
    given = called["host_tuning"]
    assert (given["timeout"], given["state"]) == (60, "present")
    assert [one["id"] for one in given["chosen"]][-1] == "huge-pages"
    assert given["chosen"][0] == {"id": "iommu-pt", "kind": "kernel_argument", "name": "iommu", "value": "pt", "accumulates": False,
                                  "against": ["iommu=off", "iommu=nopt", "amd_iommu=off", "intel_iommu=off"]}
    assert result == {"changed": True, "as_wanted": True, "left": result["left"], "notes": []}
    assert result["left"]["compaction"] == "it is for MI300A"


def test_a_removal_needs_no_look() -> None:
    result, called = run(state="absent", profile="inference")
    assert (list(called), called["host_tuning"]["chosen"], result["left"]) == (["host_tuning"], [], {})


@pytest.mark.parametrize(("args", "sentence"), [
    ({"profile": "inferense"}, "host_tuning_profile: there is no profile 'inferense'; did you mean inference?"),
    ({"profile": "inference", "also": ["acs-on"]}, "setting acs-on: sets pci to 'on', and acs-off to 'off'; "),
    ({"catalogue_dirs": ["/nowhere"]}, "host_tuning_catalogue_dirs: /nowhere is not a directory"),
])
def test_what_is_wrong_is_one_sentence_and_nothing_is_changed(args: Result, sentence: str) -> None:
    result, called = run(**args)
    assert (result["failed"], list(called)) == (True, ["gpu_node_info"])
    assert result["msg"].startswith(sentence)


def test_a_node_that_cannot_be_looked_at_is_not_changed() -> None:
    result, called = run(look={"unreachable": True, "msg": "no answer"}, profile="inference")
    assert (result["msg"], list(called)) == ("no answer", ["gpu_node_info"])


def test_documentation_is_that_of_the_options() -> None:
    documented = yaml.safe_load(module.DOCUMENTATION)["options"]
    assert sorted(documented) == sorted(module.SPEC)
    for name, option in module.SPEC.items():
        for key in ("type", "default", "choices", "elements"):
            assert documented[name].get(key) == option.get(key), name


@pytest.mark.parametrize(("entry", "state"), [("apply", "present"), ("verify", "verified"), ("remove", "absent")])
def test_the_role_passes_its_options_on(entry: str, state: str) -> None:
    (task,) = t.cast("list[Result]", data(f"roles/host_tuning/tasks/{entry}.yml"))
    given = task["instinct.fleet.host_tuning"]
    assert given.pop("state") == state
    assert given == {name: "{{ host_tuning_" + name + " }}" for name in given}
    assert set(given) == set(module.SPEC) - {"state", "chosen"} if entry != "remove" else {"timeout", "lock_timeout"}
