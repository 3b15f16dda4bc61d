# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""rocm_container_check: what the node is looked at for and told, and its documentation."""

from __future__ import annotations

import dataclasses as dc
import typing as t
from unittest import mock

import pytest
import yaml

from ansible_collections.instinct.fleet.plugins.action import rocm_container_check
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape
from ansible_collections.instinct.fleet.plugins.modules import rocm_container_check as module

Result = dict[str, t.Any]
GPUS = tuple(shape.Gpu(number, f"0000:0{number}:00.0", "740f", partitions=(shape.Partition(0, f"/dev/dri/renderD{number}"),))
             for number in (5, 6))
LOOK = shape.Look(os=shape.Os(architecture="x86_64"), gpus=shape.Gpus(GPUS), host=shape.Host(unknown={"rdma": "no /sys"}))


def run(look: Result | None = None, **args: t.Any) -> tuple[Result, dict[str, Result]]:
    """What the action returns, and with what it called which module."""
    called: dict[str, Result] = {}

    def execute(name: str, given: Result, task_vars: t.Any) -> Result:
        called[name.rsplit(".", 1)[1]] = given
        said = {"verdict": "pass", "invocation": {}}
        return said if name.endswith("rocm_container_check") else look or {"look": dc.asdict(LOOK)}

    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = rocm_container_check.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", side_effect=execute):
        return action.run(task_vars={}), called


def test_the_node_is_told_what_it_is_and_what_is_checked() -> None:
    result, called = run(image="localhost/site/rocm:1")
    assert result == {"verdict": "pass"}
    assert called["gpu_node_info"] == {"sections": ["os", "packages", "driver", "gpus", "devices"]}
    given = called["rocm_container_check"]
    assert (given["image"], given["environment"], "rootfs" in given) == ("localhost/site/rocm:1", {}, False)
    assert (given["node"]["gfx"], given["node"]["machine"], given["node"]["providers"]["mlx5_core"]) == (("gfx90a",), "x86_64", "mlx5")
    assert [one["path"] for one in given["checks"]] == ["checks/checks.yml"]


def test_a_container_is_to_have_what_run_arguments_give() -> None:
    result, called = run(container="web", environment={"NCCL_DEBUG": "WARN", "MINE": "1"})
    assert (result["verdict"], called["gpu_node_info"]["sections"][-1]) == ("pass", "host")
    assert called["rocm_container_check"]["environment"] == {"HSA_ENABLE_SDMA": "0", "NCCL_DEBUG": "WARN", "MINE": "1"}
    assert called["rocm_container_check"]["node"]["unknown"]["environment"] == "what RDMA needs depends on devices that are not known"
    _result, called = run(container="web", gpus=["0000:05:00.0"], rdma=False)
    assert called["rocm_container_check"]["environment"] == {"HSA_ENABLE_SDMA": "0"}
    assert "environment" not in called["rocm_container_check"]["node"]["unknown"]
    _result, called = run(image="x")
    assert "environment" not in called["rocm_container_check"]["node"]["unknown"]


@pytest.mark.parametrize(("look", "args", "sentence"), [
    ({"unreachable": True, "msg": "no answer"}, {"image": "x"}, "no answer"),
    (None, {"image": "x", "release_catalogue_dirs": ["/nowhere"]},
     "gpu_release_catalogue_dirs: /nowhere is not a directory; name existing directories"),
    (None, {"image": "x", "rdma_catalogue_dirs": ["/nowhere"]}, "rdma_stack_catalogue_dirs: /nowhere is not a directory; name existing directories"),
    (None, {"container": "x", "catalogue_dirs": ["/nowhere"]}, "catalogue_dirs: /nowhere is not a directory; name existing directories"),
    (None, {"image": "x", "check_dirs": ["/nowhere"]}, "check_dirs: /nowhere is not a directory; name existing directories"),
])
def test_what_is_wrong_is_one_sentence(look: Result | None, args: Result, sentence: str) -> None:
    result, called = run(look, **args)
    assert (result["msg"], list(called)) == (sentence, ["gpu_node_info"])


def test_documentation_is_that_of_the_options() -> None:
    documented = yaml.safe_load(module.DOCUMENTATION)["options"]
    assert sorted(documented) == sorted(module.SPEC)
    for name, option in module.SPEC.items():
        for key in ("type", "default", "choices", "elements"):
            assert documented[name].get(key) == option.get(key), name
