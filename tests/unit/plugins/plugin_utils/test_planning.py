# Copyright: (c) 2026, instinct.fleet authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One plan for all roles, from the real catalogue, and what the end table says about it."""

from __future__ import annotations

import dataclasses as dc

import pytest

from ansible_collections.instinct.fleet.plugins.module_utils._core.errors import FleetError
from ansible_collections.instinct.fleet.plugins.module_utils._core.look import shape as lk
from ansible_collections.instinct.fleet.plugins.module_utils._core.look.whole import whole
from ansible_collections.instinct.fleet.plugins.module_utils._core.plan.record import recorded
from ansible_collections.instinct.fleet.plugins.plugin_utils import planning, role_specs
from ansible_collections.instinct.fleet.tests.unit.support.world import KERNEL, bare_node, carry_out

OWN_KEY = {"radeon": {"fingerprint": "AB" * 20}}


def values(**given):
    """Validated variables of all roles; a release and a key unless given."""
    given = {"gpu_release_name": "rocm-7.2.3", "gpu_release_keys": OWN_KEY} | given
    return {role: role_specs.validated(role, given) for role in planning.ROLES}


def plan(node: lk.Look, roles=planning.ROLES, **given) -> planning.NodePlan:
    return planning.plan_node(node, values(**given), roles)


def settled(**given) -> lk.Look:
    node = bare_node()
    for part in plan(node, **given).plans.values():
        node = carry_out(node, part)
    return node


def test_all_roles_are_planned_in_the_order_in_which_they_act():
    plans = plan(bare_node()).plans
    assert list(plans) == ["gpu_firmware", "gpu_driver", "rocm_userspace", "node_maintenance", "gpu_release"]
    assert [bool(p.steps) for p in plans.values()] == [False, True, True, False, True]


def test_a_node_brought_to_its_release_has_nothing_left_to_do():
    again = plan(settled())
    assert [p.steps for p in again.plans.values()] == [()] * 5
    assert again.report(None, check=False) == {
        "gpus": "8 x MI300X",
        "wanted": "rocm-7.2.3",
        "found": "amdgpu 6.16.13, ROCm 7.2.3",
        "planned": [],
        "changed": [],
        "proved": [],
        "verdict": "as wanted",
        "reboot_required": False,
        "notes": ["firmware of all 8 x MI300X: rocm-7.2.3 lists no set for it", *again.wanted.notes],
    }


def test_what_shapes_a_node_is_kept_and_how_to_act_is_not():
    kept = planning.kept(values(gpu_driver_reboot_allowed=True))
    assert kept["gpu_driver"] == {
        "gpu_driver_source": "dkms", "gpu_driver_hold": True, "gpu_driver_restrict_unattended": True,
        "gpu_driver_adopt": False, "gpu_driver_blacklist": "report", "gpu_driver_secure_boot": "require_enrolled"}
    assert {"gpu_release_name", "gpu_release_accept", "gpu_release_mirrors", "gpu_release_keys"} == set(kept["gpu_release"])
    assert {"rocm_userspace_components", "rocm_userspace_render_gid"} <= set(kept["rocm_userspace"])
    assert kept["node_maintenance"] == {}


def test_a_node_records_its_variables_and_its_holds():
    before = recorded(whole(settled(gpu_release_kernel=KERNEL)))
    assert before.variables == planning.kept(values(gpu_release_kernel=KERNEL))
    assert before.held == (
        "amdgpu-dkms", "amdgpu-dkms-firmware", "linux-headers-6.1.0-56-amd64", "linux-image-6.1.0-56-amd64",
        "linux-image-amd64")
    assert recorded(whole(settled(gpu_driver_hold=False))).held == ()


def test_only_the_roles_asked_for_are_planned():
    assert list(plan(bare_node(), roles=["rocm_userspace"]).plans) == ["rocm_userspace"]


OTHER_HANDS_DRIVER = lk.OnDisk(KERNEL, f"/lib/modules/{KERNEL}/extra/amdgpu.ko", "other", None, None)
NO_COMPONENT = {"rocm_userspace_components": []}


@pytest.mark.parametrize(
    ("roles", "refused"),
    [
        (["rocm_userspace"], False),
        (["gpu_driver"], True),
        (["node_maintenance"], True),
        (["gpu_release"], True),
    ],
)
def test_a_driver_of_another_hand_refuses_those_that_need_its_plan(roles, refused):
    node = bare_node()
    node = dc.replace(node, driver=dc.replace(node.driver, on_disk=(*node.driver.on_disk, OTHER_HANDS_DRIVER)))
    assert refuses(node, roles) == refused


@pytest.mark.parametrize(
    ("roles", "refused"),
    [
        (["gpu_driver"], False),
        (["gpu_driver", "node_maintenance"], False),
        (["rocm_userspace"], True),
        (["gpu_release"], True),
    ],
)
def test_rocm_without_components_refuses_those_that_need_its_plan(roles, refused):
    assert refuses(bare_node(), roles, **NO_COMPONENT) == refused


def refuses(node: lk.Look, roles: list[str], **given) -> bool:
    try:
        plan(node, roles, **given)
    except FleetError:
        return True
    return False


@pytest.mark.parametrize(
    ("run", "skip", "chosen"),
    [
        (["all"], [], ["gpu_driver", "rocm_userspace"]),
        (["gpu_driver"], [], ["gpu_driver"]),
        (["all"], ["gpu_driver"], ["rocm_userspace"]),
        (["a tag of the site"], [], ["gpu_driver", "rocm_userspace"]),
        (["gpu_driver", "rocm_userspace"], ["gpu_driver"], ["rocm_userspace"]),
    ],
)
def test_tags_choose_among_the_roles(run, skip, chosen):
    assert planning.chosen(["gpu_driver", "rocm_userspace"], run, skip) == chosen


def test_a_verdict_about_some_roles_says_which():
    report = plan(settled(), roles=["gpu_driver"]).report(None, check=False)
    assert report["verdict"] == "as wanted (gpu_driver only)"


def test_mirrors_and_the_sites_key_reach_the_files_and_the_key_step():
    driver = plan(bare_node(), gpu_release_mirrors={"https://repo.radeon.com": "file:///srv/repo"}).plans["gpu_driver"]
    assert driver.of("key")[0].data == {
        "url": "file:///srv/repo/rocm/rocm.gpg.key",
        "fingerprint": "AB" * 20,
        "path": "/etc/apt/keyrings/instinct-radeon.gpg",
    }
    assert any("URIs: file:///srv/repo/amdgpu/30.30.3/ubuntu\n" in s.data.get("content", "") for s in driver.of("file"))


def test_in_check_mode_the_report_says_what_would_change():
    report = plan(bare_node()).report(None, check=True)
    assert (report["verdict"], report["found"]) == ("would change", "nothing")
    assert report["changed"] == report["planned"] != []


def test_a_later_plan_of_the_same_run_keeps_what_was_found_and_says_what_was_done():
    first = plan(bare_node()).report(None, check=False)
    second = plan(settled()).report(first, check=False)
    assert (first["changed"], first["verdict"]) == ([], "changing")
    assert (second["changed"], second["found"], second["verdict"]) == (first["planned"], "nothing", "as wanted")


def test_to_be_left_with_the_record_alone_is_to_be_done():
    first = plan(bare_node()).report(None, check=False)
    node = bare_node()
    for role, part in plan(node).plans.items():
        node = carry_out(node, part) if role != "gpu_release" else node
    last = plan(node)
    assert last.report(first, check=False)["verdict"] == "as wanted"
    assert last.report(first, check=False)["changed"] == first["planned"]
    assert last.report(first, check=False)["proved"] == first["planned"][:-2]
    assert last.report(first, check=True)["verdict"] == "would change"


def test_a_reboot_that_is_needed_is_said_and_done_only_where_allowed():
    newer = "6.1.0-57-amd64"
    waiting = plan(settled(), gpu_release_kernel=newer)
    assert waiting.report(None, check=False)["reboot_required"] is True
    assert waiting.report(None, check=False)["verdict"] == (
        f"reboot needed: kernel {newer} must boot (running {KERNEL})"
    )
    assert waiting.plans["node_maintenance"].empty
    allowed = plan(settled(), gpu_release_kernel=newer, gpu_driver_reboot_allowed=True)
    assert [s.action for s in allowed.plans["node_maintenance"].steps] == ["reboot"]


OLD = {"gpu_release_name": "rocm-7.2.2", "gpu_release_accept": ["third_party", "derived"], "gpu_driver_source": "in_tree"}


def with_firmware(bundle: str = "01.25.03.02", record: str | None = None) -> lk.Look:
    node = bare_node()
    gpus = tuple(lk.GpuFirmware(g.bdf, {}, "amdsmi", bundle=bundle) for g in node.gpus.gpus)
    path = "/var/lib/instinct/firmware.json"
    files = tuple(dc.replace(f, text=record, sha256=record and "0" * 64) if f.path == path else f for f in node.files.files)
    return dc.replace(node, firmware=lk.Firmware(gpus, "amdsmi"), files=dc.replace(node.files, files=files),
                      kernel=dc.replace(node.kernel, boot_id="boot-1"))


def test_firmware_that_is_not_validated_refuses_the_node_whose_site_requires_it():
    with pytest.raises(FleetError, match=r"gpu_firmware_policy: requires .*pldm 01\.25\.03\.02"):
        plan(with_firmware(), gpu_firmware_policy="require", **OLD)
    assert list(plan(with_firmware(), ["gpu_driver"], gpu_firmware_policy="require", **OLD).plans) == ["gpu_driver"]
    assert "pldm 01.25.03.02" in plan(with_firmware(), **OLD).report(None, check=False)["notes"][0]


def test_tasks_that_flash_must_be_there(tmp_path):
    tasks = tmp_path / "flash.yml"
    with pytest.raises(FleetError, match=r"gpu_firmware_flash_tasks: .*flash.yml is no file of the control machine"):
        plan(with_firmware(), gpu_firmware_flash_tasks=str(tasks), **OLD)
    tasks.write_text("[]")
    found = plan(with_firmware(), gpu_firmware_flash_tasks=str(tasks), **OLD)
    assert [s.action for s in found.plans["gpu_firmware"].steps] == ["available", "flash", "file"]
    assert found.plans["gpu_driver"].of("available") == ()


def test_flashed_firmware_may_need_the_reboot_that_is_allowed():
    waiting = with_firmware(record='{"boot_id": "boot-1", "activation": "reboot"}')
    found = plan(waiting, gpu_driver_reboot_allowed=True, **OLD)
    assert found.reboot == "firmware was flashed since the node booted and is not active yet: reboot the node"
    assert [s.action for s in found.plans["node_maintenance"].steps] == ["reboot"]


def test_a_problem_is_the_verdict():
    node = settled()
    node = dc.replace(node, smi=dc.replace(node.smi, mismatch=True))
    assert plan(node).report(None, check=False)["verdict"].startswith("problem: amdsmi binding ")


@pytest.mark.parametrize(
    ("node", "given", "says"),
    [
        (bare_node(), {"gpu_release_keys": {"radeon": {"fingerprint": "AB"}}}, "gpu_release_keys.radeon"),
        (bare_node(device_id="1586"), {}, "1586"),
        (bare_node(kernel="6.12.48+deb13-amd64"), {}, "kernel 6.12.48\\+deb13-amd64"),
        (bare_node(), {"gpu_release_name": "rocm-7.2.33"}, "rocm-7.2.33"),
        (dc.replace(bare_node(), files=None), {}, "section files: was not looked at"),
    ],
)
def test_what_must_be_refused_is_refused(node, given, says):
    with pytest.raises(FleetError, match=says):
        plan(node, **given)
