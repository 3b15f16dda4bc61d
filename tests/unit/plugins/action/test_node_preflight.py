# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node_preflight: what a node is asked for a plan, what is judged here, and that a refusal fails nothing."""

from __future__ import annotations

import dataclasses as dc
import typing as t
from unittest import mock

import pytest

from ansible_collections.instinct.fleet.plugins.action import fleet_plan, node_preflight
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.shape import Look, Package
from ansible_collections.instinct.fleet.tests.unit.support.world import bare_node

VARIABLES = {"gpu_release_name": "rocm-7.2.3", "ansible_run_tags": ["all"], "ansible_skip_tags": []}
SAID = {"checks": [{"name": "packages", "verdict": "refused", "words": "x is missing"}], "refusal": "x is missing", "rooms": [],
        "changed": False, "invocation": {}}


def planned(look: Look) -> dict[str, t.Any]:
    """What fleet_plan makes of a node."""
    task = mock.Mock(async_val=0, args={"look": dc.asdict(look)}, check_mode=False, diff=False)
    action = fleet_plan.ActionModule(task, *[mock.Mock()] * 3, mock.Mock(template=lambda value: value), mock.Mock())
    return action.run(task_vars=VARIABLES)


def run(said: dict[str, t.Any] | None = None, **args: t.Any) -> tuple[dict[str, t.Any], mock.Mock]:
    """What the action returns, and how it called the module."""
    task = mock.Mock(async_val=0, args=args, check_mode=False, diff=False)
    action = node_preflight.ActionModule(task, *[mock.Mock()] * 5)
    with mock.patch.object(action, "_execute_module", return_value=dict(said or SAID)) as called:
        return action.run(task_vars={}), called


def of(look: Look, **args: t.Any) -> tuple[dict[str, t.Any], mock.Mock]:
    return run(look=dc.asdict(look), plan=planned(look), **args)


def test_what_the_node_is_asked_follows_from_its_plan() -> None:
    _result, called = of(bare_node())
    (name, given), _more = called.call_args
    assert name == "instinct.fleet.node_preflight"
    assert [text for text in given["packages"] if text.startswith("amdgpu-dkms=")] != []
    assert {need["what"] for need in given["needs"]} >= {"the build of the driver", "the build on trial"}
    assert (given["manager"], given["together"], given["lock_timeout"], given["images"] > 0) == ("apt", True, 300, True)
    assert (given["image_mib"], given["spare_mib"], given["places"][0]["directory"]) == (192, 64, "/opt")
    assert {"plan", "look", "standing", "fallback", "typical_dirs"} & given.keys() == set()
    assert (given["snapshot"], given["boot"]) == (False, None)


def test_all_checks_are_told_and_a_refusal_is_no_failure() -> None:
    said = SAID | {"snapshot": {"failed": True, "msg": "no room"}, "boot": {"fallback": {"words": "it hangs"}}}
    result, called = run(said, look=dc.asdict(bare_node()), plan=planned(bare_node()), standing={"standing": "foreign"}, snapshot=True)
    assert [(check["name"], check["verdict"]) for check in result["checks"]] == [
        ("plan", "ok"), ("scheduler", "ok"), ("snapshot", "refused"), ("boot", "unknown"), ("packages", "refused")]
    assert (result["checks"][1]["words"], called.call_args[0][1]["snapshot"]) == ("is foreign", True)
    assert (result["refusal"], "failed" in result, "invocation" in result) == ("no room; x is missing", False, False)
    assert result["seconds"] == sum(result["timing"].values()) > 240


def test_packages_that_are_half_done_are_judged_here() -> None:
    look = bare_node()
    broken = (Package("mesa", "1", "amd64", "half-installed"),)
    half = dc.replace(look, packages=dc.replace(look.packages, broken=broken))
    result, called = of(half)
    assert "mesa: half installed, and not of this release" in result["refusal"]
    assert called.call_args[0][1]["together"] is False


@pytest.mark.parametrize("ending", [{"failed": True, "msg": "x: y"}, {"unreachable": True, "msg": "gone"}])
def test_a_node_that_does_not_answer_has_no_checks(ending: dict[str, t.Any]) -> None:
    result, _called = run(ending, look=dc.asdict(bare_node()), plan=planned(bare_node()))
    assert result["msg"] == ending["msg"] and "checks" not in result


def test_without_a_plan_the_options_are_asked_as_they_are() -> None:
    result, called = run(images=1)
    assert (called.call_args[0][1]["images"], result["checks"], "seconds" in result) == (1, SAID["checks"], False)


@pytest.mark.parametrize("args", [{"plan": {"plans": {}}}, {"plan": {"failed": True}, "look": {}}])
def test_a_plan_needs_its_look(args: dict[str, t.Any]) -> None:
    result, called = run(**args)
    assert (result["msg"], called.called) == (
        "node_preflight: needs the result of fleet_plan and the look that it was made from; give both, or neither", False)


def test_a_file_that_is_wrong_is_named() -> None:
    look = bare_node()
    result, _called = of(look, typical_dirs=["/nowhere"])
    assert result["msg"] == "fleet_upgrade_typical_dirs: /nowhere is not a directory; name existing directories"
